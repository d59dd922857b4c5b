//! Reasoning in chat messages: the fields it stands in, and how its deltas join.

use serde_json::{Value, json};

use crate::ir::{Defect, Defects, Object, Part, ReasoningField, ReasoningState};

/// The fields of a message that hold reasoning, in the order they are read.
pub(super) const FIELDS: [(&str, ReasoningField); 4] = [
    ("reasoning_content", ReasoningField::ReasoningContent),
    ("reasoning", ReasoningField::Reasoning),
    ("reasoning_details", ReasoningField::ReasoningDetails),
    ("thinking_blocks", ReasoningField::ThinkingBlocks),
];

/// A repetition shorter than this may well be what the model said.
const LEAST_REPEAT: usize = 16;

/// The key of a message under which this state travels, if it has one of its own.
pub(super) fn key(field: ReasoningField) -> Option<&'static str> {
    FIELDS.iter().find(|(_, known)| *known == field).map(|(key, _)| *key)
}

/// Whether a field holds state: an empty string does, an empty list does not.
pub(super) fn holds_state(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty())
}

/// Puts an assistant's reasoning back into the fields it came in.
pub(super) fn restore(parts: &[Part], message: &mut Object) {
    for part in parts {
        let Part::Reasoning(state) = part else { continue };
        let Some(key) = key(state.field) else { continue };
        match message.get_mut(key) {
            Some(before) => append(before, &state.value),
            None => {
                message.insert(key.to_owned(), state.value.clone());
            }
        }
    }
}

fn append(before: &mut Value, more: &Value) {
    match (before, more) {
        (Value::String(text), Value::String(more)) => text.push_str(more),
        (Value::Array(items), Value::Array(more)) => items.extend(more.iter().cloned()),
        (before, more) => *before = more.clone(),
    }
}

/// Joins a delta of a reasoning field to what came before it.
pub(super) fn join(state: &mut ReasoningState, delta: &Value, defects: &mut Defects) {
    match (&mut state.value, delta) {
        (Value::String(text), Value::String(delta)) => join_text(text, delta, defects),
        (Value::Array(items), Value::Array(deltas)) => {
            for delta in deltas {
                join_detail(items, delta);
            }
        }
        (value, delta) => *value = delta.clone(),
    }
}

/// Some endpoints send a delta twice, some send everything so far each time.
fn join_text(text: &mut String, delta: &str, defects: &mut Defects) {
    if text.len() >= LEAST_REPEAT
        && let Some(tail) = delta.strip_prefix(text.as_str())
    {
        defects.record(Defect::TextRepeated);
        text.push_str(tail);
    } else if delta.len() >= LEAST_REPEAT && text.ends_with(delta) {
        defects.record(Defect::TextRepeated);
    } else {
        text.push_str(delta);
    }
}

/// Readable details grow by their text; sealed ones arrive whole.
fn join_detail(items: &mut Vec<Value>, delta: &Value) {
    let text_key = match delta.get("type").and_then(Value::as_str) {
        Some("reasoning.text") => "text",
        Some("reasoning.summary") => "summary",
        Some("thinking") => "thinking",
        _ => return items.push(delta.clone()),
    };
    match (items.last_mut(), delta) {
        (Some(Value::Object(last)), Value::Object(delta))
            if last.get("type") == delta.get("type")
                && last.get("index") == delta.get("index")
                && !is_sealed_block(last) =>
        {
            grow(last, delta, text_key);
        }
        _ => items.push(delta.clone()),
    }
}

/// A thinking block ends with its signature; what follows is another one.
fn is_sealed_block(item: &Object) -> bool {
    let is_block = item.get("type").is_some_and(|kind| kind == "thinking");
    is_block && item.get("signature").is_some_and(|seal| !seal.is_null())
}

fn grow(last: &mut Object, delta: &Object, text_key: &str) {
    for (key, value) in delta {
        match (last.get_mut(key), value) {
            (_, Value::Null) => {}
            (Some(Value::String(text)), Value::String(more)) if key == text_key => {
                text.push_str(more);
            }
            _ => {
                last.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Joins a delta of a `thinking` chunk (Mistral) to the chunk before it.
pub(super) fn join_chunk(state: &mut ReasoningState, delta: &Value) {
    let (Some(chunk), Some(delta)) = (state.value.as_object_mut(), delta.as_object()) else {
        return;
    };
    for (key, value) in delta {
        match (chunk.get_mut(key), value) {
            (Some(Value::Array(items)), Value::Array(more)) => {
                for item in more {
                    join_text_item(items, item);
                }
            }
            (Some(Value::String(text)), Value::String(more)) if key == "thinking" => {
                text.push_str(more);
            }
            _ => {
                chunk.insert(key.clone(), value.clone());
            }
        }
    }
}

fn join_text_item(items: &mut Vec<Value>, item: &Value) {
    let more = item.get("text").and_then(Value::as_str);
    let last = items.last_mut().and_then(|last| last.get_mut("text"));
    match (last, more) {
        (Some(Value::String(text)), Some(more)) => text.push_str(more),
        _ => items.push(item.clone()),
    }
}

/// The field in which Google's compatible layer signs a call.
pub(super) fn signature(call: &Value) -> Option<&Value> {
    call.pointer("/extra_content/google/thought_signature").filter(|value| !value.is_null())
}

/// The counterpart of [`signature`].
pub(super) fn extra_content(signature: &Value) -> Value {
    json!({"google": {"thought_signature": signature}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(field: ReasoningField, deltas: &[Value]) -> (Value, Vec<Defect>) {
        let mut defects = Defects::default();
        let mut state = ReasoningState::new(field, deltas[0].clone());
        deltas[1..].iter().for_each(|delta| join(&mut state, delta, &mut defects));
        (state.value, defects.iter().collect())
    }

    #[test]
    fn a_delta_sent_twice_or_sent_in_full_again_counts_once() {
        let first = "the user wants the weather";
        for second in [first.to_owned(), format!("{first} in Oslo")] {
            let deltas = [json!(first), json!(second)];
            let (value, defects) = joined(ReasoningField::ReasoningContent, &deltas);
            assert_eq!((value, defects), (json!(second), vec![Defect::TextRepeated]));
        }
    }

    #[test]
    fn short_repetitions_are_what_the_model_said() {
        let (value, defects) = joined(ReasoningField::Reasoning, &[json!("ha "), json!("ha ")]);
        assert_eq!((value, defects), (json!("ha ha "), vec![]));
    }

    #[test]
    fn details_of_one_index_become_one_detail() {
        let detail = |text: &str| json!([{"type": "reasoning.text", "index": 0, "text": text}]);
        let sealed = json!([{"type": "reasoning.encrypted", "index": 1, "data": "gA"}]);
        let signed = json!([{"type": "reasoning.text", "index": 0, "text": "", "signature": "s"}]);
        let deltas = [detail("a"), detail("b"), signed, sealed];
        assert_eq!(
            joined(ReasoningField::ReasoningDetails, &deltas).0,
            json!([{"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"},
                   {"type": "reasoning.encrypted", "index": 1, "data": "gA"}])
        );
    }

    #[test]
    fn a_thinking_block_ends_with_its_signature() {
        let block = |text: &str| json!([{"type": "thinking", "thinking": text}]);
        let signed = json!([{"type": "thinking", "thinking": "", "signature": "s"}]);
        let deltas = [block("a"), block("b"), signed, block("c")];
        assert_eq!(
            joined(ReasoningField::ThinkingBlocks, &deltas).0,
            json!([{"type": "thinking", "thinking": "ab", "signature": "s"},
                   {"type": "thinking", "thinking": "c"}])
        );
    }

    #[test]
    fn thinking_chunks_grow_by_their_text() {
        let chunk =
            |text: &str| json!({"type": "thinking", "thinking": [{"type": "text", "text": text}]});
        let mut state = ReasoningState::new(ReasoningField::ThinkingChunk, chunk("a"));
        join_chunk(&mut state, &chunk("b"));
        assert_eq!(state.value, chunk("ab"));
    }
}
