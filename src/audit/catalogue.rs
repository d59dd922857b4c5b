//! The catalogue of request fields, as data in `probes/fields`: one file per dialect.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dialect::DialectId;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/probes/fields");

/// A file of the catalogue: the fields of one dialect, whose name the file has.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldFile {
    /// The fields.
    pub field: Vec<Field>,
}

/// What a field is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Concern {
    /// Tools and their schemas.
    Tools,
    /// Which tools may, must or must not be called, and how many at once.
    ToolChoice,
    /// What was said before, with calls and results.
    History,
    /// Instructions and who gives them.
    Instructions,
    /// Reasoning: how much, and what of it is shown and kept.
    Reasoning,
    /// Caches of prompts.
    Caching,
    /// Limits of the reply.
    Limits,
    /// The form of the answer.
    StructuredOutput,
    /// How tokens are chosen.
    Sampling,
    /// Users, tiers, storage.
    Service,
    /// A field that no provider has.
    Unknown,
}

/// A field of a request.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Field {
    /// What it is called, such as `tools[].strict`.
    pub name: String,
    /// What it is about.
    pub concerns: Concern,
    /// Whether the request has a history of a call and its result.
    #[serde(default)]
    pub history: bool,
    /// What is put where; the first place is the one that is looked at. `{nonce}` in a text becomes a
    /// word that occurs nowhere else.
    pub set: Vec<(String, Value)>,
    /// What stands for it in other dialects, and in its own where there are several ways to say it: any
    /// of these places with this value, where `*` is any value. A dialect with an empty list has nothing
    /// that means the same.
    #[serde(default)]
    pub faithful: BTreeMap<DialectId, Vec<(String, Value)>>,
    /// What is lost if it goes.
    pub lost: String,
    /// Where the field is known from.
    pub source: String,
}

impl Field {
    /// The place that is looked at.
    pub(crate) fn place(&self) -> &str {
        self.set.first().map_or("", |(path, _)| path.as_str())
    }
}

/// All fields that are known, by dialect.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Catalogue(BTreeMap<DialectId, Vec<Field>>);

/// A file of the catalogue that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CatalogueError {
    /// It is not named after a dialect.
    #[error("probes/fields/{0}: a file of the catalogue is named after its dialect")]
    Name(String),
    /// It says what no catalogue can say.
    #[error("probes/fields/{file}: {problem}")]
    Malformed {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
}

impl Catalogue {
    /// The fields that come with the program.
    pub(crate) fn embedded() -> Result<Self, CatalogueError> {
        let mut fields = BTreeMap::new();
        for file in EMBEDDED.files() {
            let name = file.path().display().to_string();
            let stem = name.trim_end_matches(".toml");
            let dialect = stem.parse().map_err(|_| CatalogueError::Name(name.clone()))?;
            let text = file.contents_utf8().unwrap_or_default();
            let read: FieldFile = toml::from_str(text).map_err(|error| {
                CatalogueError::Malformed { file: name.clone(), problem: error.to_string() }
            })?;
            fields.insert(dialect, read.field);
        }
        Ok(Self(fields))
    }

    /// The fields of a dialect.
    pub(crate) fn of(&self, dialect: DialectId) -> &[Field] {
        self.0.get(&dialect).map(Vec::as_slice).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_dialect_has_fields_of_every_weighty_concern_with_names_of_their_own() {
        let catalogue = Catalogue::embedded().unwrap();
        for dialect in DialectId::ALL {
            let fields = catalogue.of(dialect);
            let names: BTreeSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            assert_eq!(names.len(), fields.len(), "{dialect}: a name occurs twice");
            let concerns: BTreeSet<Concern> = fields.iter().map(|field| field.concerns).collect();
            for concern in [
                Concern::Tools,
                Concern::Reasoning,
                Concern::Limits,
                Concern::StructuredOutput,
                Concern::Unknown,
            ] {
                assert!(concerns.contains(&concern), "{dialect}: nothing about {concern:?}");
            }
        }
    }

    #[test]
    fn every_field_says_what_is_lost_where_it_is_from_and_is_put_somewhere() {
        let catalogue = Catalogue::embedded().unwrap();
        for dialect in DialectId::ALL {
            for field in catalogue.of(dialect) {
                let Field { name, lost, source, set, .. } = field;
                assert!(!lost.is_empty() && !source.is_empty() && !set.is_empty(), "{name}");
            }
        }
    }
}
