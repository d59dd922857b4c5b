//! Which text protocol does the system prompt teach, and how is it spoken?
//!
//! The tools are the JSON objects of the prompt that have a name and a schema. What was said in the
//! protocol is read back into calls and results, so that the rest of the brain need not care.

use serde_json::{Value, json};

use super::Order;
use crate::ir::{CallFormat, CallId, Message, Part, Role, ToolCall, ToolResult, ToolSpec};
use crate::sim::model::Protocol;

/// The marks of a protocol: around a call, the key of the arguments, and around results.
struct Marks {
    call: (&'static str, &'static str),
    arguments: &'static str,
}

fn marks(protocol: Protocol) -> Marks {
    match protocol {
        Protocol::ToolCall => {
            Marks { call: ("<tool_call>", "</tool_call>"), arguments: "arguments" }
        }
        Protocol::ToolUse => Marks { call: ("<tool_use>", "</tool_use>"), arguments: "input" },
        Protocol::TildeFence => Marks { call: ("~~~tool_call", "\n~~~"), arguments: "arguments" },
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
    let mut rest = system;
    while let Some(start) = rest.find(['{', '[']) {
        let tail = rest.get(start..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(tail).into_iter::<Value>();
        let read = values.next().and_then(Result::ok);
        let length = if read.is_some() { values.byte_offset() } else { 1 };
        if let Some(value) = &read {
            collect_specs(value, &mut found);
        }
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
        found.push(ToolSpec {
            name: name.to_owned(),
            description: description.to_owned(),
            input_schema: schema.clone(),
            strict: None,
        });
    }
}

/// The calls in this protocol.
pub(super) fn write(protocol: Protocol, orders: &[Order]) -> String {
    let Marks { call: (opener, closer), arguments } = marks(protocol);
    let calls = orders.iter().map(|order| {
        let object = json!({"name": order.name, arguments: order.input});
        format!("{opener}\n{object}\n{}", closer.trim_start())
    });
    calls.collect::<Vec<_>>().join("\n")
}

/// The conversation with calls and results as such.
pub(super) fn structured(messages: &[Message], protocol: Protocol) -> Vec<Message> {
    messages.iter().flat_map(|message| translate(message, protocol)).collect()
}

fn translate(message: &Message, protocol: Protocol) -> Vec<Message> {
    let text = message.text();
    match message.role {
        Role::Assistant => {
            let calls =
                between(&text, marks(protocol).call).filter_map(|inside| call(inside, protocol));
            let parts: Vec<Part> = calls.map(Part::Call).collect();
            vec![if parts.is_empty() { message.clone() } else { Message::assistant(parts) }]
        }
        Role::User => {
            let results: Vec<ToolResult> = RESULT_MARKS
                .iter()
                .flat_map(|marks| between(&text, *marks).map(result).collect::<Vec<_>>())
                .collect();
            if results.is_empty() { vec![message.clone()] } else { vec![Message::results(results)] }
        }
        Role::Tool => vec![message.clone()],
    }
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

fn call(inside: &str, protocol: Protocol) -> Option<ToolCall> {
    let object: Value = serde_json::from_str(inside.trim()).ok()?;
    let input = object.get(marks(protocol).arguments).cloned().unwrap_or_else(|| json!({}));
    let id = object.get("id").and_then(Value::as_str).unwrap_or_default();
    Some(ToolCall {
        id: CallId::new(id),
        name: object.get("name")?.as_str()?.to_owned(),
        input,
        format: CallFormat::JsonText,
        raw: Value::Null,
    })
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
        let orders = [
            Order { name: "a".to_owned(), input: json!({"x": 1}) },
            Order { name: "b".to_owned(), input: json!({}) },
        ];
        for protocol in [Protocol::ToolCall, Protocol::ToolUse, Protocol::TildeFence] {
            let said = Message::assistant(vec![Part::Text(write(protocol, &orders))]);
            let heard = structured(&[said], protocol);
            assert_eq!(heard[0].calls().map(Order::of).collect::<Vec<_>>(), orders, "{protocol:?}");
        }
    }

    #[test]
    fn results_come_back_in_tags_or_fences() {
        for text in [
            "<tool_response>\n{\"name\": \"a\", \"content\": {\"sum\": 3}}\n</tool_response>",
            "<tool_result>{\"name\": \"a\", \"content\": {\"sum\": 3}}</tool_result>",
            "~~~tool_result\n{\"name\": \"a\", \"content\": {\"sum\": 3}}\n~~~",
        ] {
            let heard = structured(&[Message::user(text)], Protocol::ToolCall);
            let Some(Part::Result(result)) = heard[0].parts.first() else { panic!("{text}") };
            assert_eq!(
                (result.name.as_str(), &result.content),
                ("a", &json!({"sum": 3})),
                "{text}"
            );
        }
    }
}
