//! The meaning of a probe: a hash of what it asks, however its file is written.
//!
//! Comments, the order of keys, white space in JSON text, and what only people or suites read make no
//! difference. The hash begins with the kind: results of two kinds have nothing in common.

use serde_json::Value;

use crate::ir::Digest;

/// How many digits of the hash are kept: 48 bits.
const DIGITS: usize = 12;

/// The parts of a probe file that do not say what is asked.
const NOT_ASKED: [&str; 3] = ["about", "suites", "sets"];

/// The hash of a probe file.
pub(super) fn of_file(kind: &str, text: &str) -> Result<String, toml::de::Error> {
    let mut asked: toml::Table = toml::from_str(text)?;
    asked.retain(|part, _| !NOT_ASKED.contains(&part));
    Ok(of_values(kind, serde_json::to_value(asked)))
}

/// The hash of what a probe of this kind asks.
pub(super) fn of_values(kind: &str, asked: impl IntoIterator<Item = Value>) -> String {
    let text: Vec<String> = asked.into_iter().map(canonical).collect();
    format!("{kind}:{}", digits(&text.join("\n")))
}

/// The first digits of the hash of a text.
pub(super) fn digits(text: &str) -> String {
    Digest::of(text).hex().chars().take(DIGITS).collect()
}

/// One spelling for equal values. JSON written as text is the value that it stands for.
fn canonical(value: Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            let field = |(key, value)| format!("{}:{}", Value::from(key), canonical(value));
            format!("{{{}}}", fields.into_iter().map(field).collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.into_iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => canonical(inner),
            _ => Value::from(text).to_string(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "about = 'a'\nsuites = ['full']\n[ask.call]\nthen = 'Go on.'\n\
                        call = { tool = 'probe_echo', arguments = '{\"a\": 1, \"b\": [2]}' }\n";

    fn hash(text: &str) -> String {
        of_file("call", text).unwrap()
    }

    #[test]
    fn how_a_file_is_written_makes_no_difference() {
        let plain = hash(TEXT);
        assert_eq!(hash(&format!("# a comment\n{TEXT}")), plain);
        assert_eq!(hash(&TEXT.replace("'a'", "'What is asked, in other words'")), plain);
        assert_eq!(hash(&TEXT.replace("['full']", "['standard', 'full']")), plain);
        assert_eq!(hash(&TEXT.replace("{\"a\": 1, \"b\": [2]}", "{\"b\":[2],\"a\":1}")), plain);
        let call = "call = { tool = 'probe_echo', arguments = '{\"a\": 1, \"b\": [2]}' }\n";
        let reordered = format!("{}[ask.call]\n{call}then = \"Go on.\"\n", "about = 'a'\n");
        assert_eq!(hash(&reordered), plain);
    }

    #[test]
    fn what_is_asked_makes_one() {
        assert_ne!(hash(&TEXT.replace("Go on", "Stop")), hash(TEXT));
        assert_ne!(hash(&TEXT.replace("[2]", "[3]")), hash(TEXT));
        assert_ne!(of_file("parallel", TEXT).unwrap(), hash(TEXT));
    }
}
