//! The fleet: all simulated models, embedded or from a folder.
//!
//! The embedded ones of `fixtures/models`, or those of a folder that the user names. A file's name
//! is its model's name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use super::model::{ModelFile, Provenance, TextForm};
use super::quirks::ModelQuirk;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/fixtures/models");

/// All the models that one server simulates, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Fleet(BTreeMap<String, ModelFile>);

impl Fleet {
    /// The models that come with the program.
    pub fn embedded() -> Result<Self, FleetError> {
        let files = EMBEDDED.files().filter(|file| is_model_file(file.path()));
        let texts = files.map(|file| {
            let path = Path::new("fixtures/models").join(file.path());
            let text = file.contents_utf8().ok_or_else(|| FleetError::NotText(path.clone()))?;
            Ok((path, text.to_owned()))
        });
        Self::from_texts(texts)
    }

    /// The models of a folder of the user's.
    pub fn from_dir(dir: &Path) -> Result<Self, FleetError> {
        let unreadable = |source| FleetError::Unreadable { path: dir.to_owned(), source };
        let entries = std::fs::read_dir(dir).map_err(unreadable)?;
        let mut paths = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(unreadable)?;
        paths.retain(|path| is_model_file(path));
        paths.sort();
        if paths.is_empty() {
            return Err(FleetError::Empty(dir.to_owned()));
        }
        Self::from_texts(paths.into_iter().map(|path| match std::fs::read_to_string(&path) {
            Ok(text) => Ok((path, text)),
            Err(source) => Err(FleetError::Unreadable { path, source }),
        }))
    }

    fn from_texts(
        texts: impl Iterator<Item = Result<(PathBuf, String), FleetError>>,
    ) -> Result<Self, FleetError> {
        let models = texts.map(|text| {
            let (path, text) = text?;
            let model = parse(&path, &text)?;
            Ok((model.name.clone(), model))
        });
        models.collect::<Result<_, _>>().map(Self)
    }

    /// The model of this name.
    pub fn get(&self, name: &str) -> Option<&ModelFile> {
        self.0.get(name)
    }

    /// All models, by name.
    pub fn iter(&self) -> impl Iterator<Item = &ModelFile> {
        self.0.values()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it holds no model.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn is_model_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// A model file, read and checked.
fn parse(path: &Path, text: &str) -> Result<ModelFile, FleetError> {
    let mut model: ModelFile =
        toml::from_str(text).map_err(|error| FleetError::malformed(path, text, &error))?;
    let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| is_kebab_case(stem));
    model.name = stem.map(str::to_owned).ok_or_else(|| FleetError::BadName(path.to_owned()))?;
    match contradiction(&model) {
        Some((field, problem)) => {
            Err(FleetError::Contradiction { path: path.to_owned(), field, problem })
        }
        None => Ok(model),
    }
}

fn is_kebab_case(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.'))
}

/// What the types cannot rule out: the field at fault and why.
fn contradiction(model: &ModelFile) -> Option<(&'static str, &'static str)> {
    if model.provenance == Provenance::Simulated {
        return Some(("provenance", "says where the original is known from, not `simulated`"));
    }
    if model.provenance != Provenance::Invented && model.source.is_none() {
        return Some(("source", "is required unless provenance is `invented`"));
    }
    if model.quirks.contains(&ModelQuirk::CallInReasoning) && model.text_form == TextForm::None {
        return Some(("text_form", "must name a form, because `call-in-reasoning` writes in it"));
    }
    if !model.wire_quirks.iter().all(|quirk| quirk.applies_to(model.dialect)) {
        return Some(("wire_quirks", "has one that servers of this dialect cannot have"));
    }
    None
}

/// Why a folder of models cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// A file or folder could not be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder holds no model.
    #[error("no model file (*.toml) in {}", .0.display())]
    Empty(PathBuf),
    /// A file is not UTF-8.
    #[error("{} is not UTF-8 text", .0.display())]
    NotText(PathBuf),
    /// A file's name cannot be a model's name.
    #[error(
        "{}: a model file is named after its model, in lower case letters, digits, dashes and dots",
        .0.display()
    )]
    BadName(PathBuf),
    /// A file is not TOML, or says what no model file can say.
    #[error("{}:{line}:{column}: {}{problem}", path.display(), in_field(.field.as_deref()))]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The field that the line sets.
        field: Option<String>,
        /// What is wrong with it.
        problem: String,
    },
    /// Two fields do not go together.
    #[error("{}: field `{field}` {problem}", path.display())]
    Contradiction {
        /// Which file.
        path: PathBuf,
        /// The field at fault.
        field: &'static str,
        /// Why.
        problem: &'static str,
    },
}

fn in_field(field: Option<&str>) -> String {
    field.map(|field| format!("field `{field}`: ")).unwrap_or_default()
}

impl FleetError {
    fn malformed(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let offset = error.span().map_or(0, |span| span.start);
        let before = text.get(..offset).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = text.get(start..).unwrap_or_default();
        let field = rest.lines().next().and_then(|line| line.split_once('='));
        Self::Malformed {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(start..).unwrap_or_default().chars().count() + 1,
            field: field.map(|(key, _)| key.trim().to_owned()),
            problem: error.message().replace('\n', " "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"about = "A model."
provenance = "invented"
dialect = "openai-chat"

[profile]
toolCallFormat = "openai"
toolDelivery = "native"
schemaLevel = "strict-json-schema"
supportsParallelToolUse = true
requiresReasoningReplay = false
reasoningReplay = { mode = "absent" }
supportsStreamingToolUse = true
errorRepair = "reliable"
"#;

    fn problem(text: &str) -> String {
        parse(Path::new("models/my-model.toml"), text).unwrap_err().to_string()
    }

    #[test]
    fn every_embedded_model_reads_well() {
        let fleet = Fleet::embedded().unwrap();
        for name in [
            "openai-native",
            "responses-native",
            "anthropic-native",
            "gemini-native",
            "ollama-native",
        ] {
            assert_eq!(fleet.get(name).map(|model| model.name.as_str()), Some(name));
        }
    }

    #[test]
    fn the_file_name_is_the_model_name() {
        let model = parse(Path::new("models/my-model.toml"), GOOD).unwrap();
        assert_eq!(model.name, "my-model");
        assert!(matches!(parse(Path::new("My Model.toml"), GOOD), Err(FleetError::BadName(_))));
    }

    #[test]
    fn a_wrong_value_is_named_with_file_line_and_field() {
        let text = GOOD.replace("\"openai-chat\"", "\"opnai-chat\"");
        let shown = problem(&text);
        assert!(shown.starts_with("models/my-model.toml:3:11: field `dialect`: "), "{shown}");
        assert!(shown.contains("unknown variant `opnai-chat`"), "{shown}");
    }

    #[test]
    fn an_unknown_field_and_an_unknown_quirk_are_refused() {
        let shown = problem(&format!("qirks = []\n{GOOD}"));
        assert!(
            shown.starts_with("models/my-model.toml:1:1: field `qirks`: unknown field"),
            "{shown}"
        );
        let shown = problem(&format!("quirks = [\"one-cal\"]\n{GOOD}"));
        assert!(shown.contains(":1:11: field `quirks`: unknown variant `one-cal`"), "{shown}");
    }

    #[test]
    fn a_missing_field_is_named() {
        assert!(
            problem(&GOOD.replace("about = \"A model.\"\n", "")).contains("missing field `about`")
        );
    }

    #[test]
    fn a_claim_about_a_provider_needs_its_source() {
        let text = GOOD.replace("invented", "documented");
        assert_eq!(
            problem(&text),
            "models/my-model.toml: field `source` is required unless provenance is `invented`"
        );
    }

    #[test]
    fn a_model_does_not_rest_on_the_simulator_itself() {
        let shown = problem(&GOOD.replace("invented", "simulated"));
        assert!(shown.contains("field `provenance` says where the original is known"), "{shown}");
    }

    #[test]
    fn a_folder_without_models_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let shown = Fleet::from_dir(dir.path()).unwrap_err().to_string();
        assert_eq!(shown, format!("no model file (*.toml) in {}", dir.path().display()));
    }
}
