//! How does a chat server hear and speak?

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::mind::{Heard, Says, obey};
use crate::server::{Asked, Script};

/// What was said so far.
pub(crate) fn heard(body: &Value) -> Vec<Heard> {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    messages
        .iter()
        .filter_map(|message| {
            let text = text(&message["content"]);
            Some(match message["role"].as_str()? {
                "assistant" => Heard::Assistant,
                "tool" => Heard::Result(text),
                "user" => Heard::User(text),
                _ => return None,
            })
        })
        .collect()
}

fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

pub(crate) fn is_streamed(asked: &Asked) -> bool {
    asked.body["stream"] == true
}

/// Whether tools are offered in the field that is made for them.
pub(crate) fn has_tools(asked: &Asked) -> bool {
    asked.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

/// The message of an assistant that calls natively or answers.
pub(crate) fn message(says: &Says, id: impl Fn(usize) -> Value) -> Value {
    match says {
        Says::Words(words) => json!({"role": "assistant", "content": words}),
        Says::Calls(calls) => {
            let calls: Vec<Value> = calls
                .iter()
                .enumerate()
                .map(|(index, (name, arguments))| {
                    let function = json!({"name": name, "arguments": arguments.to_string()});
                    json!({"id": id(index), "type": "function", "function": function})
                })
                .collect();
            json!({"role": "assistant", "content": null, "tool_calls": calls})
        }
    }
}

/// A whole reply around a message.
pub(crate) fn reply(message: &Value) -> Script {
    Script::json(200, &completion(message))
}

pub(crate) fn completion(message: &Value) -> Value {
    let finish = if message["tool_calls"].is_array() { "tool_calls" } else { "stop" };
    json!({
        "id": "cmpl-77", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
    })
}

/// The deltas of a message: the role, then the text or each call in pieces of this many characters.
pub(crate) fn deltas(message: &Value, size: usize) -> Vec<Value> {
    let mut out = vec![json!({"role": "assistant"})];
    if let Some(reasoning) = message["reasoning_content"].as_str() {
        out.push(json!({"reasoning_content": reasoning}));
    }
    if let Some(text) = message["content"].as_str() {
        out.extend(pieces(text, size).map(|piece| json!({"content": piece})));
    }
    for (index, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let mut opened = call.clone();
        opened["index"] = json!(index);
        opened["function"]["arguments"] = json!("");
        out.push(json!({"tool_calls": [opened]}));
        let arguments = call["function"]["arguments"].as_str().unwrap();
        out.extend(pieces(arguments, size).map(
            |piece| json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}),
        ));
    }
    out
}

fn pieces(text: &str, size: usize) -> impl Iterator<Item = String> + '_ {
    let letters: Vec<char> = text.chars().collect();
    (0..letters.len())
        .step_by(size)
        .map(move |start| letters[start..letters.len().min(start + size)].iter().collect())
}

/// The events of deltas, with the line ends that a server likes.
pub(crate) fn events(deltas: &[Value], finish: &str, line_end: &str) -> String {
    let last = std::iter::once((json!({}), json!(finish)));
    let deltas = deltas.iter().map(|delta| (delta.clone(), Value::Null)).chain(last);
    let mut text = String::new();
    for (delta, finish) in deltas {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        let chunk = json!({
            "id": "cmpl-78", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [choice]
        });
        write!(text, "data: {chunk}{line_end}{line_end}").unwrap();
    }
    text + "data: [DONE]" + line_end + line_end
}

/// A stream in one piece, as most servers send it.
pub(crate) fn streamed(message: &Value) -> Script {
    let finish = if message["tool_calls"].is_array() { "tool_calls" } else { "stop" };
    let text = events(&deltas(message, 7), finish, "\n");
    Script::stream("text/event-stream", vec![text.into_bytes()])
}

/// Plain or streamed, as asked for.
pub(crate) fn answer(asked: &Asked, message: &Value) -> Script {
    if is_streamed(asked) { streamed(message) } else { reply(message) }
}

/// A server that changes what the model says before it answers.
pub(crate) fn speak(asked: &Asked, speak: fn(Says) -> Says) -> Script {
    answer(asked, &message(&speak(mind(asked)), word))
}

/// A refusal in the usual envelope.
pub(crate) fn refusal(status: u16, words: &str) -> Script {
    Script::json(status, &json!({"error": {"message": words, "type": "invalid_request_error"}}))
}

pub(crate) fn mind(asked: &Asked) -> Says {
    obey(&heard(&asked.body))
}

pub(crate) fn word(index: usize) -> Value {
    json!(format!("fc_{index}"))
}

pub(crate) fn good(asked: &Asked) -> Value {
    message(&mind(asked), word)
}

/// A message whose calls are written into the text.
pub(crate) fn written(says: &Says, write: fn(&str, &Value) -> String) -> Value {
    match says {
        Says::Words(words) => json!({"role": "assistant", "content": words}),
        Says::Calls(calls) => {
            let calls: Vec<String> =
                calls.iter().map(|(name, arguments)| write(name, arguments)).collect();
            json!({"role": "assistant", "content": calls.join("\n")})
        }
    }
}

pub(crate) fn hermes(name: &str, arguments: &Value) -> String {
    format!("<tool_call>\n{}\n</tool_call>", json!({"name": name, "arguments": arguments}))
}
