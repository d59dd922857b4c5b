//! The path of a field in a profile, such as `results.schema.cases.enum.verdict`.
//!
//! Changes, suspicions and confirmations carry it as steps. It becomes text in reports and files only.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Which result a field at the top of a profile is read off.
const READ_OFF: &[(&str, &str)] = &[
    ("schemaLevel", "schema"),
    ("toolCallFormat", "singleTool"),
    ("parser", "singleTool"),
    ("toolDelivery", "singleTool"),
    ("jsonText", "singleTool"),
    ("supportsParallelToolUse", "parallelTool"),
    ("requiresReasoningReplay", "reasoningReplay"),
    ("reasoningReplay", "reasoningReplay"),
    ("supportsStreamingToolUse", "streaming"),
    ("supportsPlainToolUse", "singleTool"),
    ("errorRepair", "errorRepair"),
];

/// The keys that lead from a profile to one of its fields. A word of a list is a step too.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct FieldPath(Vec<String>);

impl FieldPath {
    pub(crate) fn of(steps: &[&str]) -> Self {
        Self(steps.iter().map(|step| (*step).to_owned()).collect())
    }

    pub(crate) fn child(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(key.to_owned());
        Self(steps)
    }

    /// Whether a pattern such as `results.*.status` is about this field: `*` is one step, `**` any
    /// number of them.
    pub(crate) fn matches(&self, pattern: &str) -> bool {
        // Nearly all patterns are ruled out by their last step, which costs next to nothing.
        match pattern.rsplit('.').next() {
            Some(last) if !last.starts_with('*') && self.last() != Some(last) => false,
            _ => steps_match(&pattern.split('.').collect::<Vec<_>>(), &self.0),
        }
    }

    /// The result that the field belongs to or is read off.
    pub(crate) fn result(&self) -> Option<Self> {
        let steps: Vec<&str> = self.0.iter().map(String::as_str).collect();
        match steps.as_slice() {
            ["results", "extended", probe, ..] => Some(Self::of(&["results", "extended", probe])),
            ["results", result, ..] => Some(Self::of(&["results", result])),
            [top, ..] => READ_OFF
                .iter()
                .find(|(field, _)| field == top)
                .map(|(_, result)| Self::of(&["results", result])),
            [] => None,
        }
    }

    pub(crate) fn last(&self) -> Option<&str> {
        self.0.last().map(String::as_str)
    }

    /// The case of a probe that the field belongs to.
    pub(crate) fn case(&self) -> Option<&str> {
        let mut steps = self.0.iter();
        steps.find(|step| *step == "cases")?;
        steps.next().map(String::as_str)
    }

    /// What stands in the field, null for nothing. A word of a list is `present` or nothing.
    pub(crate) fn value_in(&self, profile: &Value) -> Value {
        let inside = |at: Value, step: &String| match at {
            Value::Array(words) => words.iter().any(|word| word == step).then(|| "present".into()),
            other => other.get(step).cloned(),
        };
        self.0.iter().try_fold(profile.clone(), inside).unwrap_or_default()
    }

    /// Makes the field of one profile what it is in another. A word of a list comes or goes.
    pub(crate) fn copy(&self, from: &Value, to: &mut Value) {
        copy_steps(&self.0, from, to);
    }

    /// The innermost object on the way to the field that has a list of evidence.
    pub(crate) fn witness<'a>(&self, profile: &'a Value) -> Option<&'a Map<String, Value>> {
        let mut found = None;
        let mut at = profile;
        for step in &self.0 {
            let Some(next) = at.get(step) else { break };
            at = next;
            if let Some(object) = at.as_object().filter(|it| it.contains_key("evidence")) {
                found = Some(object);
            }
        }
        found
    }
}

fn copy_steps(steps: &[String], from: &Value, to: &mut Value) {
    match steps {
        [] => to.clone_from(from),
        [word] if from.is_array() || to.is_array() => {
            let is_there = from.as_array().is_some_and(|words| words.iter().any(|it| it == word));
            let mut words = to.as_array().cloned().unwrap_or_default();
            words.retain(|it| it != word);
            words.extend(is_there.then(|| word.as_str().into()));
            *to = words.into();
        }
        [step, rest @ ..] => {
            let mut object = to.as_object().cloned().unwrap_or_default();
            match from.get(step) {
                None if rest.is_empty() => drop(object.shift_remove(step)),
                inner => {
                    let place = object.entry(step.clone()).or_insert(Value::Null);
                    copy_steps(rest, inner.unwrap_or(&Value::Null), place);
                }
            }
            *to = object.into();
        }
    }
}

fn steps_match(pattern: &[&str], steps: &[String]) -> bool {
    match (pattern, steps) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            steps_match(rest, steps)
                || steps.split_first().is_some_and(|(_, tail)| steps_match(pattern, tail))
        }
        ([first, rest @ ..], [step, tail @ ..]) => {
            (*first == "*" || first == step) && steps_match(rest, tail)
        }
        _ => false,
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, step) in self.0.iter().enumerate() {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-$".contains(c);
            match (step.chars().all(plain), nth) {
                (true, 0) => f.write_str(step)?,
                (true, _) => write!(f, ".{step}")?,
                (false, _) => write!(f, "[{}]", Value::from(step.as_str()))?,
            }
        }
        Ok(())
    }
}

impl FromStr for FieldPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (step, tail) = first_step(rest)
                .ok_or_else(|| format!("'{text}' is not the path of a field in a profile"))?;
            steps.push(step);
            rest = tail;
        }
        Ok(Self(steps))
    }
}

/// The first step, plain or as a JSON string in brackets, and the text after it.
fn first_step(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('[') {
        let mut strings = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
        let step = strings.next()?.ok()?;
        let tail = quoted.get(strings.byte_offset()..)?.strip_prefix(']')?;
        return Some((step, tail));
    }
    let plain = text.strip_prefix('.').unwrap_or(text);
    let (step, tail) = plain.split_at(plain.find(['.', '[']).unwrap_or(plain.len()));
    Some((step.to_owned(), tail))
}

impl Serialize for FieldPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FieldPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_copied_wherever_it_stands() {
        let new = json!({"a": {"b": 2, "list": ["x", "z"]}, "c": {"d": {"e": 1}}});
        let old = json!({"a": {"b": 1, "list": ["x", "y"], "gone": true}});
        for (path, expected) in [
            ("a.b", json!({"a": {"b": 2, "list": ["x", "y"], "gone": true}})),
            ("a.list.y", json!({"a": {"b": 1, "list": ["x"], "gone": true}})),
            ("a.list.z", json!({"a": {"b": 1, "list": ["x", "y", "z"], "gone": true}})),
            ("a.gone", json!({"a": {"b": 1, "list": ["x", "y"]}})),
            ("c.d", json!({"a": {"b": 1, "list": ["x", "y"], "gone": true}, "c": {"d": {"e": 1}}})),
        ] {
            let mut copied = old.clone();
            path.parse::<FieldPath>().unwrap().copy(&new, &mut copied);
            assert_eq!(copied, expected, "{path}");
        }
    }

    #[test]
    fn patterns_take_single_steps_and_whole_tails() {
        let path = FieldPath::of(&["results", "schema", "cases", "enum", "verdict"]);
        assert!(path.matches("results.*.cases.*.verdict"));
        assert!(path.matches("results.**"));
        assert!(path.matches("results.schema.**.verdict"));
        assert!(!path.matches("results.*"));
        assert!(!path.matches("results.**.taken"));
    }

    #[test]
    fn evidence_is_that_of_the_innermost_result() {
        let profile = json!({"results": {"schema": {"evidence": ["outer"], "cases": {
            "enum": {"evidence": ["inner"], "verdict": "rejected"}}}}});
        let case = FieldPath::of(&["results", "schema", "cases", "enum", "verdict"]);
        assert_eq!(case.case(), Some("enum"));
        assert_eq!(case.witness(&profile).unwrap()["evidence"], json!(["inner"]));
        let top = FieldPath::of(&["schemaLevel"]);
        assert_eq!(top.case(), None);
        assert_eq!(top.result().unwrap().witness(&profile).unwrap()["evidence"], json!(["outer"]));
    }

    #[test]
    fn a_path_is_read_back_as_it_is_written() {
        for steps in [
            &["schemaLevel"][..],
            &["results", "extended", "x", "cases", "auto, thinking on", "verdict"],
            &["results", "schema", "cases", r#"a] "b" . c"#],
        ] {
            let path = FieldPath::of(steps);
            assert_eq!(path.to_string().parse(), Ok(path));
        }
        let error = r#"results["a"#.parse::<FieldPath>().unwrap_err();
        assert_eq!(error, r#"'results["a' is not the path of a field in a profile"#);
    }

    #[test]
    fn a_word_of_a_list_is_there_or_not() {
        let profile = json!({"results": {"streaming": {"defects": ["index-missing"]}}});
        let word = |word| FieldPath::of(&["results", "streaming", "defects", word]);
        assert_eq!(word("index-missing").value_in(&profile), "present");
        assert_eq!(word("index-reused").value_in(&profile), Value::Null);
    }
}
