//! Codes: the names of changes, as policies spell them.

use std::fmt;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::{REPLAYS, ReplayRule, Rule, rules};
use crate::suggest::did_you_mean;

/// The name of a row, as policies spell it. Only names that are in a table can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Code(&'static str);

impl Code {
    /// The name.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl From<&'static Rule> for Code {
    fn from(rule: &'static Rule) -> Self {
        Self(rule.code)
    }
}

impl From<&ReplayRule> for Code {
    fn from(rule: &ReplayRule) -> Self {
        Self(rule.code)
    }
}

/// All names, in the order of the tables.
fn codes() -> impl Iterator<Item = &'static str> {
    rules().map(|rule| rule.code).chain(REPLAYS.iter().map(|rule| rule.code))
}

/// Names that policies may still use, and what is called so now.
const RENAMED: [(&str, &str); 2] =
    [("target-changed", "subject-changed"), ("server-changed", "subject-changed")];

impl TryFrom<String> for Code {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let renamed = RENAMED.iter().find(|(old, _)| *old == text);
        let name = renamed.map_or(text.as_str(), |(_, new)| new);
        let known = codes().find(|code| *code == name).map(Self);
        known.ok_or_else(|| format!("unknown code '{text}'{}", did_you_mean(&text, codes())))
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl JsonSchema for Code {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let codes: Vec<&str> = codes().collect();
        schemars::json_schema!({ "type": "string", "enum": codes })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_name_stands_in_two_tables() {
        let unique: BTreeSet<&str> = codes().collect();
        assert_eq!(unique.len(), codes().count());
    }

    #[test]
    fn a_policy_may_name_a_code_as_it_was_called_before() {
        for (old, new) in RENAMED {
            assert_eq!(Code::try_from(old.to_owned()).unwrap().as_str(), new);
        }
    }

    #[test]
    fn a_code_that_is_not_in_the_table_is_refused_with_the_nearest() {
        let error = Code::try_from("paralel-lost".to_owned()).unwrap_err();
        assert_eq!(error, "unknown code 'paralel-lost'; did you mean 'parallel-lost'?");
    }
}
