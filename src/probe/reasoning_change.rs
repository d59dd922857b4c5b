//! Changes of reasoning before it is sent back: omitted, emptied, altered, in the wrong field.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ir::{Part, ReasoningField, ReasoningState};

/// What is done to the reasoning before it is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Change {
    /// Nothing: the control of all others.
    Faithful,
    /// It is left out.
    Omitted,
    /// It is there, and empty.
    Emptied,
    /// It is there, with other words or another seal.
    Altered,
    /// It is there, in a field that is another's.
    WrongField,
}

impl Change {
    pub(crate) const ALL: [Self; 5] =
        [Self::Faithful, Self::Omitted, Self::Emptied, Self::Altered, Self::WrongField];

    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    /// The parts of a turn with its reasoning changed.
    pub(crate) fn apply(self, parts: &[Part]) -> Vec<Part> {
        parts
            .iter()
            .filter_map(|part| match part {
                Part::Reasoning(state) => self.change_state(state),
                other => Some(other.clone()),
            })
            .collect()
    }

    fn change_state(self, state: &ReasoningState) -> Option<Part> {
        let with = |change: &dyn Fn(&str) -> String| {
            Part::Reasoning(ReasoningState {
                field: state.field,
                value: map_text(&state.value, change),
            })
        };
        match self {
            Self::Faithful => Some(Part::Reasoning(state.clone())),
            Self::Omitted => None,
            Self::Emptied => Some(with(&|_| String::new())),
            Self::Altered => Some(with(&|text| alter_text(text))),
            Self::WrongField => move_state(state),
        }
    }
}

/// The keys under which providers put what reasoning says, or what seals it.
const CONTENT_KEYS: [&str; 6] =
    ["thinking", "text", "data", "encrypted_content", "summary", "content"];

/// Changes what a state says and leaves its structure, ids and types alone. A signature beside a
/// text is left alone too: the text no longer fits it, which is what is to be found out.
fn map_text(value: &Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(items) => items.iter().map(|item| map_text(item, change)).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, inner)| {
                let inner = if CONTENT_KEYS.contains(&key.as_str()) {
                    map_text(inner, change)
                } else {
                    inner.clone()
                };
                (key.clone(), inner)
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Other words of the same length and alphabet: a seal that is still well-formed, and is not ours.
fn alter_text(text: &str) -> String {
    let mut turned = false;
    text.chars()
        .map(|c| match c {
            'a'..='y' | 'A'..='Y' | '0'..='8' if !turned => {
                turned = true;
                char::from_u32(c as u32 + 1).unwrap_or(c)
            }
            other => other,
        })
        .collect()
}

/// The sibling field of a chat message, or the visible text where there is no sibling.
fn move_state(state: &ReasoningState) -> Option<Part> {
    let text = state.text();
    if text.is_empty() {
        return None;
    }
    let sibling = match state.field {
        ReasoningField::ReasoningContent => Some(ReasoningField::Reasoning),
        ReasoningField::Reasoning
        | ReasoningField::ReasoningDetails
        | ReasoningField::ThinkingBlocks => Some(ReasoningField::ReasoningContent),
        _ => None,
    };
    Some(match sibling {
        Some(field) => Part::Reasoning(ReasoningState::new(field, text)),
        None => Part::Text(text),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn block() -> Part {
        Part::Reasoning(ReasoningState::new(
            ReasoningField::ThinkingBlock,
            json!({"type": "thinking", "thinking": "add them", "signature": "Eo1"}),
        ))
    }

    fn value(part: &Part) -> &Value {
        let Part::Reasoning(state) = part else { panic!("{part:?} is no reasoning") };
        &state.value
    }

    #[test]
    fn each_change_does_one_thing() {
        let parts = [block(), Part::Text("hi".into())];
        assert_eq!(Change::Faithful.apply(&parts), parts);
        assert_eq!(Change::Omitted.apply(&parts), [Part::Text("hi".into())]);
        assert_eq!(
            *value(&Change::Emptied.apply(&parts)[0]),
            json!({"type": "thinking", "thinking": "", "signature": "Eo1"})
        );
        assert_eq!(
            *value(&Change::Altered.apply(&parts)[0]),
            json!({"type": "thinking", "thinking": "bdd them", "signature": "Eo1"})
        );
        assert_eq!(Change::WrongField.apply(&parts)[0], Part::Text("add them".into()));
    }

    #[test]
    fn a_bare_signature_is_altered_itself() {
        let parts =
            [Part::Reasoning(ReasoningState::new(ReasoningField::ThoughtSignature, "c2ln"))];
        assert_eq!(*value(&Change::Altered.apply(&parts)[0]), json!("d2ln"));
        assert_eq!(Change::WrongField.apply(&parts), []);
    }
}
