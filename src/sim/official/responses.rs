//! `OpenAI`'s response object: the settings of the request told back, and calls in the form of their tools.
//!
//! The required fields are those of the Open Responses schema (<https://www.openresponses.org>).

use std::collections::HashMap;

use serde_json::{Value, json};

use super::tools::{CallKind, INPUT, declared, kind};
use super::{count_cached, fill, grammar};
use crate::wire::Frame;

/// Fills a whole response, or the one that a stream begins with.
pub(super) fn complete(response: &mut Value, request: &Value) {
    let completed = response.get("status").is_some_and(|status| status == "completed");
    let created = response.get("created_at").cloned().unwrap_or_default();
    let completed_at = if completed { created } else { Value::Null };
    fill(response, [("completed_at", completed_at)]);
    count_cached(response, request);
    tell_back(response, request);
    let calls = CallForms::of(request);
    let output = response.get_mut("output").and_then(Value::as_array_mut);
    output.into_iter().flatten().for_each(|item| calls.reshape(item));
}

/// The request's settings, or the service's defaults.
fn tell_back(response: &mut Value, request: &Value) {
    let Value::Object(response) = response else { return };
    let defaults = [
        ("instructions", Value::Null),
        ("max_output_tokens", Value::Null),
        ("max_tool_calls", Value::Null),
        ("parallel_tool_calls", json!(true)),
        ("previous_response_id", Value::Null),
        ("prompt_cache_key", Value::Null),
        ("safety_identifier", Value::Null),
        ("service_tier", json!("default")),
        ("store", json!(true)),
        ("temperature", json!(1.0)),
        ("presence_penalty", json!(0.0)),
        ("frequency_penalty", json!(0.0)),
        ("top_logprobs", json!(0)),
        ("top_p", json!(1.0)),
        ("truncation", json!("disabled")),
        ("user", Value::Null),
        ("metadata", json!({})),
        ("tool_choice", json!("auto")),
    ];
    for (key, default) in defaults {
        let asked = request.get(key).filter(|value| !value.is_null());
        response.insert(key.to_owned(), asked.cloned().unwrap_or(default));
    }
    // `auto` is settled before the model runs.
    if response.get("service_tier").is_some_and(|tier| tier == "auto") {
        response.insert("service_tier".to_owned(), json!("default"));
    }
    for (key, value) in objects_of(request) {
        response.insert(key.to_owned(), value);
    }
}

/// The settings that are objects, with the fields that the service always writes.
fn objects_of(request: &Value) -> [(&'static str, Value); 3] {
    let field = |key: &str, inner: &str| request.get(key).and_then(|value| value.get(inner));
    let reasoning = ["effort", "summary"].map(|key| (key, field("reasoning", key)));
    let reasoning: Value = reasoning.into_iter().map(|(key, value)| (key, json!(value))).collect();
    let mut text =
        request.get("text").filter(|text| text.is_object()).cloned().unwrap_or(json!({}));
    fill(&mut text, [("format", json!({"type": "text"}))]);
    let tools = request.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
    let tools = tools.into_iter().map(tell_tool).collect();
    [("reasoning", reasoning), ("text", text), ("tools", tools)]
}

/// Functions are told back with all their fields.
fn tell_tool(mut tool: Value) -> Value {
    if kind(&tool) == "function" {
        let fields =
            [("description", Value::Null), ("parameters", Value::Null), ("strict", json!(true))];
        fill(&mut tool, fields);
    }
    tool
}

/// How calls of each declared tool are written.
struct CallForms(HashMap<String, CallForm>);

struct CallForm {
    kind: CallKind,
    namespace: Option<String>,
    /// What the text of a call must match.
    pattern: Option<String>,
}

impl CallForms {
    fn of(request: &Value) -> Self {
        let mut forms = HashMap::new();
        for tool in declared(request) {
            let form = CallForm {
                kind: tool.kind,
                namespace: tool.namespace.map(str::to_owned),
                pattern: tool.pattern(),
            };
            forms.entry(tool.name().to_owned()).or_insert(form);
        }
        Self(forms)
    }

    fn form(&self, item: &Value) -> Option<&CallForm> {
        let name = item.get("name").filter(|_| kind(item) == "function_call")?;
        self.0.get(name.as_str()?)
    }

    /// Writes a call of a custom tool or of a name space as the service does.
    fn reshape(&self, item: &mut Value) {
        let Some(form) = self.form(item) else { return };
        if form.kind == CallKind::Custom {
            *item = custom_call(item, form.pattern.as_deref());
        }
        if let Some(namespace) = &form.namespace {
            fill(item, [("namespace", json!(namespace))]);
        }
    }

    /// The form of a call of a custom tool.
    fn custom(&self, item: &Value) -> Option<&CallForm> {
        self.form(item).filter(|form| form.kind == CallKind::Custom)
    }
}

fn custom_call(item: &Value, pattern: Option<&str>) -> Value {
    let field = |key: &str| item.get(key).cloned().unwrap_or_default();
    let arguments = item.get("arguments").and_then(Value::as_str).unwrap_or_default();
    json!({"id": custom_id(item.get("id")), "type": "custom_tool_call", "status": field("status"),
           "call_id": field("call_id"), "name": field("name"), "input": free_text(arguments, pattern)})
}

fn custom_id(id: Option<&Value>) -> String {
    let id = id.and_then(Value::as_str).unwrap_or_default();
    format!("ctc_{}", id.strip_prefix("fc_").unwrap_or(id))
}

/// The text that the arguments hold, as the grammar has it; the arguments themselves where they hold none.
fn free_text(arguments: &str, pattern: Option<&str>) -> String {
    let read: Option<Value> = serde_json::from_str(arguments).ok();
    let text = read.as_ref().and_then(|read| read.get(INPUT)?.as_str());
    let text = text.unwrap_or(arguments).to_owned();
    // A call that has only begun has no text yet.
    match pattern {
        Some(pattern) if !arguments.is_empty() => grammar::fit(text, pattern),
        _ => text,
    }
}

/// Fills the responses of a stream, and writes calls of custom tools as events of their own.
pub(super) fn complete_frames(frames: Vec<Frame>, request: &Value) -> Vec<Frame> {
    let calls = CallForms::of(request);
    let mut customs: Vec<(Value, Option<String>)> = Vec::new();
    let mut events: Vec<Value> = Vec::new();
    for frame in frames {
        let Frame::Event { data, .. } = frame else { continue };
        let Ok(mut event) = serde_json::from_str::<Value>(&data) else { continue };
        if let Some(response) = event.get_mut("response") {
            complete(response, request);
        }
        if let Some(item) = event.get_mut("item") {
            if let Some(form) = calls.custom(item) {
                let id = item.get("id").cloned().unwrap_or_default();
                customs.push((id, form.pattern.clone()));
            }
            calls.reshape(item);
        }
        let id = event.get("item_id");
        match customs.iter().find(|(custom, _)| Some(custom) == id) {
            Some((_, pattern)) => events.extend(custom_events(&event, pattern.as_deref())),
            None => events.push(event),
        }
    }
    events.into_iter().enumerate().map(number_event).collect()
}

/// The input of a custom tool comes when its arguments are complete; what comes before is left out.
fn custom_events(event: &Value, pattern: Option<&str>) -> Vec<Value> {
    if kind(event) != "response.function_call_arguments.done" {
        return Vec::new();
    }
    let arguments = event.get("arguments").and_then(Value::as_str).unwrap_or_default();
    let place = |kind: &str, key: &str| {
        json!({"type": kind, "sequence_number": 0, "item_id": custom_id(event.get("item_id")),
               "output_index": event.get("output_index"), key: free_text(arguments, pattern)})
    };
    vec![
        place("response.custom_tool_call_input.delta", "delta"),
        place("response.custom_tool_call_input.done", "input"),
    ]
}

fn number_event((place, mut event): (usize, Value)) -> Frame {
    if let Some(number) = event.get_mut("sequence_number") {
        *number = json!(place);
    }
    Frame::named(kind(&event), event.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Value {
        json!({"id": "fc_1", "type": "function_call", "status": "completed", "call_id": "c",
               "name": "patch", "arguments": r#"{"input":"*** Begin"}"#})
    }

    fn asked(tool: &Value) -> Value {
        json!({"tools": [tool], "store": false, "reasoning": {"effort": "low", "context": "x"}})
    }

    #[test]
    fn settings_are_told_back_and_the_rest_is_the_default() {
        let mut response = json!({"status": "completed", "created_at": 5, "store": false});
        complete(
            &mut response,
            &json!({"tools": [{"type": "function", "name": "a"}], "text": {"verbosity": "low"}}),
        );
        assert_eq!((&response["store"], &response["completed_at"]), (&json!(true), &json!(5)));
        assert_eq!(response["tools"][0]["strict"], true);
        assert_eq!(response["text"], json!({"verbosity": "low", "format": {"type": "text"}}));
        assert_eq!(response["reasoning"], json!({"effort": null, "summary": null}));
    }

    #[test]
    fn calls_are_written_in_the_form_of_their_tools() {
        let shaped = |tool: Value| {
            let mut response = json!({"output": [call()]});
            complete(&mut response, &asked(&tool));
            response["output"][0].clone()
        };
        let custom = json!({"type": "custom", "name": "patch"});
        assert_eq!(
            shaped(custom.clone()),
            json!({"id": "ctc_1", "type": "custom_tool_call", "status": "completed",
                   "call_id": "c", "name": "patch", "input": "*** Begin"})
        );
        let space = json!({"type": "namespace", "name": "fs", "tools": [custom]});
        assert_eq!(shaped(space)["namespace"], "fs");
        assert_eq!(shaped(json!({"type": "function", "name": "patch"})), call());
    }

    #[test]
    fn the_input_of_a_custom_tool_is_streamed_as_such() {
        let event = |value: Value| Frame::named(kind(&value), value.to_string());
        let arguments = |word: &str| format!("response.function_call_arguments.{word}");
        let frames = vec![
            event(
                json!({"type": "response.output_item.added", "sequence_number": 0, "output_index": 0, "item": call()}),
            ),
            event(
                json!({"type": arguments("delta"), "sequence_number": 1, "item_id": "fc_1", "delta": "{"}),
            ),
            event(
                json!({"type": arguments("done"), "sequence_number": 2, "item_id": "fc_1", "output_index": 0, "arguments": r#"{"input":"x"}"#}),
            ),
            event(
                json!({"type": "response.output_item.done", "sequence_number": 3, "output_index": 0, "item": call()}),
            ),
        ];
        let sent = complete_frames(frames, &asked(&json!({"type": "custom", "name": "patch"})));
        let values: Vec<Value> = sent
            .iter()
            .map(|frame| match frame {
                Frame::Event { data, .. } => serde_json::from_str(data).unwrap(),
                Frame::Comment(_) => Value::Null,
            })
            .collect();
        let kinds: Vec<&str> = values.iter().map(kind).collect();
        assert_eq!(
            kinds,
            [
                "response.output_item.added",
                "response.custom_tool_call_input.delta",
                "response.custom_tool_call_input.done",
                "response.output_item.done"
            ]
        );
        assert_eq!(values[2]["input"], "x");
        assert_eq!(
            values.iter().map(|v| v["sequence_number"].as_u64().unwrap()).collect::<Vec<_>>(),
            [0, 1, 2, 3]
        );
    }
}
