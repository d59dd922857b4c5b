//! The meaning of a request: what was said, the tools on offer, and how they may be used.
//!
//! An adapter writes its own bytes: other ids for calls, other spaces in JSON, text in one part or in
//! several. Two requests that a model cannot tell apart have the same meaning. Limits, sampling and
//! metadata are not part of it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::ir::{CallId, Part, ReasoningState, Request, Role, ToolChoice, ToolResult, ToolSpec};
use crate::transport::{JsonDifference, differences};

/// What a request means, as JSON that can be compared place by place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Meaning(Value);

impl Meaning {
    /// The meaning of a request.
    pub(crate) fn of(request: &Request) -> Self {
        let mut meaning = Map::new();
        let mut put = |key: &str, value: Value| {
            if !value.is_null() {
                meaning.insert(key.to_owned(), value);
            }
        };
        put("system", request.system.as_deref().map(join_spaces).unwrap_or_default().into_value());
        put("conversation", conversation(request));
        put("tools", request.tools.iter().map(tool).collect::<Map<_, _>>().into_value());
        put("toolChoice", request.tool_choice.as_ref().map_or(Value::Null, choice));
        put("parallel", if request.parallel == Some(false) { false.into() } else { Value::Null });
        put("stream", if request.stream { true.into() } else { Value::Null });
        Self(Value::Object(meaning))
    }

    /// Where another meaning differs from this one.
    pub(crate) fn differences(&self, other: &Self) -> Vec<JsonDifference> {
        differences(&self.0, &other.0)
    }

    /// A text that is the same for the same meaning, whatever the order of keys.
    pub(crate) fn key(&self) -> String {
        sort_keys(&self.0).to_string()
    }
}

/// Nothing where there is nothing to say.
trait IntoValue {
    fn into_value(self) -> Value;
}

impl IntoValue for String {
    fn into_value(self) -> Value {
        if self.is_empty() { Value::Null } else { self.into() }
    }
}

impl IntoValue for Map<String, Value> {
    fn into_value(self) -> Value {
        if self.is_empty() { Value::Null } else { self.into() }
    }
}

/// A text with single spaces: adapters join and split texts.
fn join_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Everything that was said, in order. Neighbouring texts of one speaker are one text.
fn conversation(request: &Request) -> Value {
    let mut ids = CallNumbers::default();
    let mut said: Vec<Value> = Vec::new();
    for message in &request.messages {
        for part in &message.parts {
            let (speaker, value) = say(message.role, part, &mut ids);
            match said.last_mut().and_then(|last| last.get_mut(speaker)) {
                Some(Value::String(text)) => join(text, &value),
                _ if value == "" => {}
                _ => said.push(json!({ speaker: value })),
            }
        }
    }
    said.into()
}

fn join(text: &mut String, more: &Value) {
    if let Some(more) = more.as_str().filter(|more| !more.is_empty()) {
        text.push(' ');
        text.push_str(more);
    }
}

/// Who says a part, or what it is, and what it says.
fn say(role: Role, part: &Part, ids: &mut CallNumbers) -> (&'static str, Value) {
    match part {
        Part::Text(text) => {
            let speaker = if role == Role::Assistant { "assistant" } else { "user" };
            (speaker, join_spaces(text).into())
        }
        Part::Reasoning(state) => ("reasoning", reasoning(state)),
        Part::Call(call) => {
            let id = ids.number(&call.id);
            ("call", json!({"id": id, "name": call.name, "input": sort_keys(&call.input)}))
        }
        Part::BrokenCall(call) => {
            let id = ids.number(&call.id);
            ("call", json!({"id": id, "name": call.name, "broken": call.arguments}))
        }
        Part::Result(result) => ("result", result_of(result, ids)),
    }
}

fn result_of(result: &ToolResult, ids: &mut CallNumbers) -> Value {
    let marked = result.content.as_str().and_then(error_text);
    let said = marked.map_or_else(|| result.content.clone(), Value::from);
    let mut said = json!({"id": ids.number(&result.tool_call_id), "content": content(&said)});
    let is_error = result.is_error || marked.is_some();
    if let (true, Some(fields)) = (is_error, said.as_object_mut()) {
        fields.insert("isError".to_owned(), true.into());
    }
    said
}

/// The text of a failure as dialects without a field for failures write it: a client of one of them may
/// stand before a provider of another.
fn error_text(text: &str) -> Option<&str> {
    let (mark, said) = text.split_once("] ")?;
    let code = mark.strip_prefix("[ERROR")?;
    (code.is_empty() || code.starts_with(':')).then_some(said)
}

/// A result as JSON where it is that: adapters write JSON anew.
fn content(content: &Value) -> Value {
    match content {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(value) => sort_keys(&value),
            Err(_) => join_spaces(text).into(),
        },
        other => sort_keys(other),
    }
}

fn reasoning(state: &ReasoningState) -> Value {
    let seal = state.signature().or_else(|| state.encrypted());
    json!({"field": state.field.wire_name(), "text": join_spaces(&state.text()), "seal": seal})
}

/// Calls by the order in which their ids occur: pairs stay pairs, whatever the ids are.
#[derive(Debug, Default)]
struct CallNumbers(BTreeMap<CallId, usize>);

impl CallNumbers {
    fn number(&mut self, id: &CallId) -> usize {
        let next = self.0.len() + 1;
        *self.0.entry(id.clone()).or_insert(next)
    }
}

fn tool(tool: &ToolSpec) -> (String, Value) {
    let schema = sort_keys(&tool.input_schema);
    (tool.name.clone(), json!({"description": join_spaces(&tool.description), "schema": schema}))
}

/// `auto` is what models do anyway.
fn choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => Value::Null,
        other => json!(other),
    }
}

/// The same value with its keys in order.
fn sort_keys(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<&String, Value> =
                fields.iter().map(|(key, value)| (key, sort_keys(value))).collect();
            fields.into_iter().map(|(key, value)| (key.clone(), value)).collect()
        }
        Value::Array(items) => items.iter().map(sort_keys).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{DialectId, Route};

    fn meaning(body: &Value) -> Meaning {
        let codec = DialectId::OpenAiChat.codec();
        Meaning::of(&codec.decode_request(body, &Route::default()).unwrap())
    }

    fn history(id: &str, arguments: &str, result: &str) -> Value {
        let function = json!({"name": "add", "arguments": arguments});
        json!({"model": "m", "messages": [
            {"role": "user", "content": "Add\n them."},
            {"role": "assistant", "content": null,
             "tool_calls": [{"id": id, "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": id, "content": result},
        ]})
    }

    #[test]
    fn other_ids_other_spaces_and_texts_in_parts_mean_the_same() {
        let one = history("call_1", r#"{"a":1,"b":2}"#, r#"{"sum":3}"#);
        let mut other = history("toolu_9", r#"{ "b": 2, "a": 1 }"#, r#"{ "sum": 3 }"#);
        other["messages"][0]["content"] =
            json!([{"type": "text", "text": "Add"}, {"type": "text", "text": "them."}]);
        other["max_tokens"] = json!(7);
        other["tool_choice"] = json!("auto");
        assert_eq!(meaning(&one).key(), meaning(&other).key());
    }

    #[test]
    fn a_lost_pair_another_argument_and_a_lost_result_are_told_with_their_places() {
        let one = meaning(&history("call_1", r#"{"a":1}"#, "3"));
        let mut orphan = history("call_1", r#"{"a":1}"#, "3");
        orphan["messages"][2]["tool_call_id"] = json!("call_2");
        let paths = |body: &Value| {
            let found = one.differences(&meaning(body));
            found.into_iter().map(|it| it.path).collect::<Vec<_>>()
        };
        assert_eq!(paths(&orphan), ["conversation[2].result.id"]);
        assert_eq!(paths(&history("x", r#"{"a":2}"#, "3")), ["conversation[1].call.input.a"]);
        assert_eq!(paths(&history("x", r#"{"a":1}"#, "")), ["conversation[2].result.content"]);
    }

    #[test]
    fn a_failure_that_is_marked_in_its_text_is_a_failure_in_every_dialect() {
        let block = json!({"type": "tool_result", "tool_use_id": "t", "content": "no such file"});
        let body = |block: &Value| {
            let messages = json!([{"role": "user", "content": [block]}]);
            json!({"model": "m", "max_tokens": 9, "messages": messages})
        };
        let codec = DialectId::AnthropicMessages.codec();
        let meaning = |block: &Value| {
            Meaning::of(&codec.decode_request(&body(block), &Route::default()).unwrap())
        };
        let (mut flagged, mut marked) = (block.clone(), block.clone());
        flagged["is_error"] = json!(true);
        marked["content"] = json!("[ERROR:ENOENT] no such file");
        assert_eq!(meaning(&flagged), meaning(&marked));
        assert_ne!(meaning(&flagged), meaning(&block));
    }

    #[test]
    fn what_changes_the_answer_is_part_of_the_meaning() {
        let plain = json!({"model": "m", "messages": [{"role": "user", "content": "Hi."}]});
        for (key, value) in [
            ("stream", json!(true)),
            ("parallel_tool_calls", json!(false)),
            ("tool_choice", json!("required")),
        ] {
            let mut other = plain.clone();
            other[key] = value;
            assert_ne!(meaning(&plain), meaning(&other), "{key}");
        }
        let mut said = plain.clone();
        said["messages"] = json!([{"role": "system", "content": "Be brief."},
                                  {"role": "user", "content": "Hi."}]);
        assert_eq!(meaning(&plain).differences(&meaning(&said))[0].path, "system");
    }
}
