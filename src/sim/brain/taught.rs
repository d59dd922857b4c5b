//! Taught protocols: reading the one that a system prompt teaches, and writing calls in it.
//!
//! The tools are the JSON objects of the prompt that have a name and a schema. What was said in the
//! protocol is read back into calls and results, so that the rest of the brain sees structured calls only.

use serde_json::{Value, json};

use super::PlannedCall;
use crate::ir::{CallFormat, CallId, Message, Part, Role, ToolCall, ToolResult, ToolSpec};
use crate::prompted::Protocol;

/// The marks of a protocol: around a call, the key of the arguments, and around results.
struct ProtocolMarks {
    call: (&'static str, &'static str),
    arguments: &'static str,
}

fn marks(protocol: Protocol) -> ProtocolMarks {
    match protocol {
        Protocol::ToolCall => {
            ProtocolMarks { call: ("<tool_call>", "</tool_call>"), arguments: "arguments" }
        }
        Protocol::ToolUse => {
            ProtocolMarks { call: ("<tool_use>", "</tool_use>"), arguments: "input" }
        }
        Protocol::TildeFence => {
            ProtocolMarks { call: ("~~~tool_call", "\n~~~"), arguments: "arguments" }
        }
    }
}

/// The marks that results come back in, whatever the protocol.
const RESULT_MARKS: [(&str, &str); 4] = [
    ("<tool_response", "</tool_response>"),
    ("<tool_result", "</tool_result>"),
    ("~~~tool_result", "\n~~~"),
    ("~~~tool_response", "\n~~~"),
];

/// The protocol that the system prompt teaches.
pub(super) fn protocol(system: &str) -> Option<Protocol> {
    let all = [Protocol::TildeFence, Protocol::ToolUse, Protocol::ToolCall];
    all.into_iter().find(|protocol| system.contains(marks(*protocol).call.0))
}

/// The tools that the system prompt describes.
pub(super) fn tools(system: &str) -> Vec<ToolSpec> {
    let mut found = Vec::new();
    for value in values(system) {
        collect_specs(&value, &mut found);
    }
    found
}

/// The JSON objects and lists in a text.
pub(super) fn values(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['{', '[']) {
        let tail = rest.get(start..).unwrap_or_default();
        let mut stream = serde_json::Deserializer::from_str(tail).into_iter::<Value>();
        let read = stream.next().and_then(Result::ok);
        let length = if read.is_some() { stream.byte_offset() } else { 1 };
        found.extend(read);
        rest = tail.get(length..).unwrap_or_default();
    }
    found
}

fn collect_specs(value: &Value, found: &mut Vec<ToolSpec>) {
    if let Value::Array(items) = value {
        for item in items {
            collect_specs(item, found);
        }
    }
    let tool = value.get("function").unwrap_or(value);
    let schema = ["input_schema", "parameters", "inputSchema", "schema"]
        .iter()
        .find_map(|key| tool.get(*key));
    let name = tool.get("name").and_then(Value::as_str);
    if let (Some(name), Some(schema)) = (name, schema.filter(|schema| schema.is_object())) {
        let description = tool.get("description").and_then(Value::as_str).unwrap_or_default();
        found.push(ToolSpec::new(name, description, schema.clone()));
    }
}

/// The calls in this protocol.
pub(super) fn write(protocol: Protocol, planned: &[PlannedCall]) -> String {
    let ProtocolMarks { call: (opener, closer), arguments } = marks(protocol);
    let calls = planned.iter().enumerate().map(|(index, call)| {
        let object = match protocol {
            Protocol::ToolUse => {
                json!({"id": format!("call_{index}"), "name": call.name, arguments: call.input})
            }
            Protocol::ToolCall | Protocol::TildeFence => {
                json!({"name": call.name, arguments: call.input})
            }
        };
        format!("{opener}\n{object}\n{}", closer.trim_start())
    });
    calls.collect::<Vec<_>>().join("\n")
}

/// The calls in a text of this protocol.
pub(super) fn calls(protocol: Protocol, text: &str) -> Vec<PlannedCall> {
    let ProtocolMarks { call, arguments } = marks(protocol);
    let planned = between(text, call).filter_map(|inside| {
        let object: Value = serde_json::from_str(inside.trim()).ok()?;
        let input = object.get(arguments).cloned().unwrap_or_else(|| json!({}));
        Some(PlannedCall { name: object.get("name")?.as_str()?.to_owned(), input })
    });
    planned.collect()
}

/// The conversation, where calls and results written as text are calls and results. `read` finds the
/// calls in what the model wrote.
pub(super) fn structured(
    messages: &[Message],
    read: &dyn Fn(&str) -> Vec<PlannedCall>,
) -> Vec<Message> {
    let mut latest: Vec<PlannedCall> = Vec::new();
    let mut heard = Vec::with_capacity(messages.len());
    for message in messages {
        heard.push(match message.role {
            Role::Assistant => {
                latest = read(&written_text(message));
                with_calls(message, &latest)
            }
            Role::User => with_results(message, &latest),
            Role::Tool => message.clone(),
        });
    }
    heard
}

/// All that the model wrote, reasoning included.
fn written_text(message: &Message) -> String {
    let texts = message.parts.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        Part::Reasoning(state) => state.text(),
        Part::Call(_) | Part::BrokenCall(_) | Part::Result(_) => String::new(),
    });
    texts.collect()
}

fn with_calls(message: &Message, planned: &[PlannedCall]) -> Message {
    if planned.is_empty() {
        return message.clone();
    }
    let calls = planned.iter().map(|call| {
        Part::Call(ToolCall::new(
            CallId::new(""),
            call.name.clone(),
            call.input.clone(),
            CallFormat::JsonText,
        ))
    });
    Message::assistant(calls.collect())
}

/// Results without a name belong to the calls before them, in their order.
fn with_results(message: &Message, calls: &[PlannedCall]) -> Message {
    let text = message.text();
    let inside = RESULT_MARKS.iter().flat_map(|marks| between(&text, *marks));
    let results: Vec<ToolResult> = inside
        .enumerate()
        .map(|(index, inside)| {
            let mut result = result(inside);
            if let Some(call) = calls.get(index).filter(|_| result.name.is_empty()) {
                result.name.clone_from(&call.name);
            }
            result
        })
        .collect();
    if results.is_empty() { message.clone() } else { Message::results(results) }
}

/// What stands between the marks, each time.
fn between<'a>(
    text: &'a str,
    (opener, closer): (&'a str, &'a str),
) -> impl Iterator<Item = &'a str> {
    text.split(opener)
        .skip(1)
        .map(move |rest| rest.split_once(closer).map_or(rest, |(inside, _)| inside))
}

/// A result as it came back: attributes of the mark, then JSON or text.
fn result(inside: &str) -> ToolResult {
    let (attributes, body) = match inside.split_once(['>', '\n']) {
        Some((attributes, body)) if !attributes.contains('{') => (attributes, body),
        _ => ("", inside),
    };
    let parsed: Option<Value> = serde_json::from_str(body.trim()).ok();
    let field = |key: &str| parsed.as_ref().and_then(|value| value.get(key));
    let word = |key: &str| field(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let content = ["content", "output", "result"].iter().find_map(|key| field(key)).cloned();
    let flagged = field("is_error").and_then(Value::as_bool) == Some(true);
    ToolResult {
        tool_call_id: CallId::new(word("id")),
        name: word("name"),
        content: content.or(parsed.clone()).unwrap_or_else(|| json!(body.trim())),
        is_error: flagged
            || attributes.contains("is_error=\"true\"")
            || attributes.contains("error=\"true\""),
        error_code: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_found_in_every_usual_shape() {
        let system = r#"You may call tools. {not json}
            {"name": "a", "description": "A.", "input_schema": {"type": "object"}}
            [{"type": "function", "function": {"name": "b", "parameters": {"type": "object"}}}]
            Answer with {"name": "tool", "arguments": {}} in <tool_call> tags."#;
        let names: Vec<String> = tools(system).into_iter().map(|tool| tool.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(protocol(system), Some(Protocol::ToolCall));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let planned = [
            PlannedCall { name: "a".to_owned(), input: json!({"x": 1}) },
            PlannedCall { name: "b".to_owned(), input: json!({}) },
        ];
        for protocol in [Protocol::ToolCall, Protocol::ToolUse, Protocol::TildeFence] {
            let said = Message::assistant(vec![Part::Text(write(protocol, &planned))]);
            let heard = structured(&[said], &|text| calls(protocol, text));
            assert_eq!(
                heard[0].calls().map(PlannedCall::of).collect::<Vec<_>>(),
                planned,
                "{protocol:?}"
            );
        }
    }

    #[test]
    fn results_without_a_name_belong_to_the_calls_in_their_order() {
        let planned =
            ["a", "b"].map(|name| PlannedCall { name: name.to_owned(), input: json!({}) });
        let said = Message::assistant(vec![Part::Text(write(Protocol::ToolCall, &planned))]);
        let told =
            Message::user("<tool_response>1</tool_response><tool_response>2</tool_response>");
        let heard = structured(&[said, told], &|text| calls(Protocol::ToolCall, text));
        let names: Vec<&str> = heard[1]
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Result(result) => Some(result.name.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn results_come_back_in_tags_or_fences() {
        for text in [
            "<tool_response>\n{\"name\": \"a\", \"content\": {\"sum\": 3}}\n</tool_response>",
            "<tool_result>{\"name\": \"a\", \"content\": {\"sum\": 3}}</tool_result>",
            "~~~tool_result\n{\"name\": \"a\", \"content\": {\"sum\": 3}}\n~~~",
        ] {
            let heard = structured(&[Message::user(text)], &|_| Vec::new());
            let Some(Part::Result(result)) = heard[0].parts.first() else { panic!("{text}") };
            assert_eq!(
                (result.name.as_str(), &result.content),
                ("a", &json!({"sum": 3})),
                "{text}"
            );
        }
    }
}
