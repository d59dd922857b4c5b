//! The choice of a dialect: one by name, or `auto`.

use std::borrow::Cow;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::dialect::{DialectId, UnknownDialect};

/// A dialect, or `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub enum DialectChoice {
    /// Ask the endpoint.
    Auto,
    /// This one.
    Fixed(DialectId),
}

/// A name that is neither.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}, or 'auto'")]
pub struct UnknownChoice(#[from] UnknownDialect);

impl FromStr for DialectChoice {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        if name == "auto" { Ok(Self::Auto) } else { Ok(Self::Fixed(name.parse()?)) }
    }
}

impl TryFrom<String> for DialectChoice {
    type Error = UnknownChoice;

    fn try_from(name: String) -> Result<Self, UnknownChoice> {
        name.parse()
    }
}

impl JsonSchema for DialectChoice {
    fn schema_name() -> Cow<'static, str> {
        "DialectChoice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let dialects = DialectId::ALL.map(DialectId::as_str);
        let names: Vec<&str> = std::iter::once("auto").chain(dialects).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_or_auto_is_a_choice() {
        assert_eq!("auto".parse(), Ok(DialectChoice::Auto));
        assert_eq!("gemini".parse(), Ok(DialectChoice::Fixed(DialectId::Gemini)));
        let shown = "olama".parse::<DialectChoice>().unwrap_err().to_string();
        assert!(shown.starts_with("unknown dialect 'olama'; did you mean 'ollama'?"), "{shown}");
        assert!(shown.ends_with("gemini, ollama), or 'auto'"), "{shown}");
    }
}
