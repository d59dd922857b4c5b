//! Seeds: where the values of a trial come from.
//!
//! Everything a trial makes up is read off a hash of its seed and a label: the same seed gives the
//! same trial on every machine and in every order, and no two labels share a value.

use std::fmt::Write;
use std::ops::RangeInclusive;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::tools::Choices;

/// A source of values that is nothing but a number and the path of labels taken from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seed([u8; 32]);

impl Seed {
    /// The seed a user gives.
    pub(crate) fn new(number: u64) -> Self {
        Self(Sha256::digest(number.to_be_bytes()).into())
    }

    /// A seed of its own for a part of what this one is for.
    #[must_use]
    pub(crate) fn child(&self, label: &str) -> Self {
        Self(Sha256::new().chain_update(self.0).chain_update(label).finalize().into())
    }

    /// A number in the range, near enough to uniform for payloads.
    pub(crate) fn integer(&self, range: RangeInclusive<i64>) -> i64 {
        let span = range.end().saturating_sub(*range.start()).max(0).unsigned_abs() + 1;
        let offset = i64::try_from(self.number() % span).unwrap_or_default();
        range.start().saturating_add(offset)
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&self, options: &'a [T]) -> Option<&'a T> {
        let count = u64::try_from(options.len()).ok().filter(|count| *count > 0)?;
        options.get(usize::try_from(self.number() % count).ok()?)
    }

    /// A readable value that no model knows beforehand, such as `violet-4207`.
    pub(crate) fn word(&self) -> String {
        let colour = self.child("colour").pick(&COLOURS).copied().unwrap_or_default();
        format!("{colour}-{}", self.child("number").integer(1000..=9999))
    }

    /// Eight characters that can be neither computed nor guessed.
    pub(crate) fn nonce(&self) -> String {
        const ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz23456789x";
        self.0
            .iter()
            .take(8)
            .filter_map(|byte| ALPHABET.get(usize::from(byte % 32)))
            .map(|byte| char::from(*byte))
            .collect()
    }

    fn number(&self) -> u64 {
        self.0.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

impl Choices for Seed {
    fn child(&self, label: &str) -> Self {
        self.child(label)
    }

    fn pick<'a, T>(&self, options: &'a [T]) -> Option<&'a T> {
        self.pick(options)
    }
}

const COLOURS: [&str; 16] = [
    "amber", "azure", "coral", "cyan", "ebony", "green", "indigo", "ivory", "jade", "lilac",
    "maroon", "ochre", "olive", "teal", "umber", "violet",
];

/// Fills the placeholders in a template: `${word}`, `${nonce}`, `${int 1..99}`, `${pick a b}`,
/// `${code 8192}`. A string that is one `${int …}` and nothing else becomes a number.
pub(crate) fn fill(template: &Value, seed: &Seed) -> Value {
    match template {
        Value::String(text) => fill_text(text, seed),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| fill(item, &seed.child(&index.to_string())))
            .collect(),
        Value::Object(map) => {
            map.iter().map(|(key, item)| (key.clone(), fill(item, &seed.child(key)))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => template.clone(),
    }
}

fn fill_text(text: &str, seed: &Seed) -> Value {
    if let Some(only) = text.strip_prefix("${int").and_then(|rest| rest.strip_suffix('}')) {
        return Value::from(seed.integer(range(only)));
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((placeholder, tail)) = after.split_once('}') else { break };
        out.push_str(before);
        out.push_str(&value_of(placeholder, &seed.child(&out.len().to_string())));
        rest = tail;
    }
    out.push_str(rest);
    Value::String(out)
}

fn value_of(placeholder: &str, seed: &Seed) -> String {
    let (kind, argument) = placeholder.split_once(' ').unwrap_or((placeholder, ""));
    match kind {
        "word" => seed.word(),
        "nonce" => seed.nonce(),
        "int" => seed.integer(range(argument)).to_string(),
        "pick" => {
            let options: Vec<&str> = argument.split(' ').collect();
            seed.pick(&options).copied().unwrap_or_default().to_owned()
        }
        "code" => code(argument.parse().unwrap_or(0), seed),
        _ => format!("${{{placeholder}}}"),
    }
}

/// `1..99` as a range; anything else is a digit.
fn range(text: &str) -> RangeInclusive<i64> {
    let ends = text.trim().split_once("..");
    let parsed = ends.and_then(|(low, high)| Some(low.parse().ok()?..=high.parse().ok()?));
    parsed.unwrap_or(0..=9)
}

/// Source text of about this many bytes, with all that breaks parsers: quotes, backslashes, tags,
/// indentation.
fn code(bytes: usize, seed: &Seed) -> String {
    let mut out = String::new();
    let mut line = 0;
    while out.len() < bytes {
        let name = seed.child(&line.to_string()).word().replace('-', "_");
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "def {name}(a, b):\n\tif a < b and b > {line}:\n\t\tprint(\"<{name}> \\\"{{a}}\\\" && \\\\n\")\n\
             \treturn {{'sum': a + b}}\n\n",
        );
        line += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_values_and_another_gives_others() {
        let template =
            json!({"a": "${int 10..99}", "m": "${word}", "t": "${pick x y}", "k": ["${nonce}"]});
        let one = fill(&template, &Seed::new(1));
        assert_eq!(one, fill(&template, &Seed::new(1)));
        assert_ne!(one, fill(&template, &Seed::new(2)));
        assert!(one["a"].as_i64().is_some_and(|a| (10..=99).contains(&a)));
    }

    #[test]
    fn equal_placeholders_in_different_places_differ() {
        let filled =
            fill(&json!({"a": "${word}", "b": "${word}", "c": "${word} ${word}"}), &Seed::new(7));
        assert_ne!(filled["a"], filled["b"]);
        let (left, right) = filled["c"].as_str().unwrap().split_once(' ').unwrap();
        assert_ne!(left, right);
    }

    #[test]
    fn text_without_placeholders_is_left_alone() {
        let payload = json!({"m": "</tool_call> && {\"a\":1} $5 ${", "n": 3, "z": null});
        assert_eq!(fill(&payload, &Seed::new(1)), payload);
    }

    #[test]
    fn code_is_as_long_as_asked() {
        let filled = fill(&json!("${code 8192}"), &Seed::new(1));
        assert!(filled.as_str().unwrap().len() >= 8192);
    }
}
