//! How do servers of the other dialects hear and speak?

use serde_json::{Value, json};

use crate::mind::{Heard, Says, obey};
use crate::server::{Asked, Script};

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        other => other.to_string(),
    }
}

/// Messages, with turns that must alternate and ids that must be known.
pub(crate) fn messages(asked: &Asked, speak: fn(Says) -> Says) -> Script {
    let mut heard = Vec::new();
    let mut before = "";
    for message in list(&asked.body["messages"]) {
        let role = message["role"].as_str().unwrap_or_default();
        if role == before {
            let error = json!({"type": "invalid_request_error", "message": "roles must alternate"});
            return Script::json(400, &json!({"type": "error", "error": error}));
        }
        before = role;
        heard.extend(match (role, &message["content"]) {
            ("assistant", _) => vec![Heard::Assistant],
            (_, Value::Array(blocks)) => blocks.iter().map(block).collect(),
            (_, content) => vec![Heard::User(words(content))],
        });
    }
    let says = speak(obey(&heard));
    let blocks: Vec<Value> = match &says {
        Says::Words(words) => vec![json!({"type": "text", "text": words})],
        Says::Calls(calls) => (0..)
            .zip(calls)
            .map(|(index, (name, input))| {
                let id = format!("toolu-{index}");
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            })
            .collect(),
    };
    let stop = if says.calls().is_empty() { "end_turn" } else { "tool_use" };
    if asked.body["stream"] == true {
        return Script::stream("text/event-stream", vec![events(&blocks, stop).into_bytes()]);
    }
    Script::json(
        200,
        &json!({
            "id": "msg-1", "type": "message", "role": "assistant", "model": "m", "content": blocks,
            "stop_reason": stop, "usage": {"input_tokens": 9, "output_tokens": 9}
        }),
    )
}

fn block(block: &Value) -> Heard {
    match block["type"].as_str() {
        Some("tool_result") => Heard::Result(words(&block["content"])),
        _ => Heard::User(words(&block["text"])),
    }
}

fn events(blocks: &[Value], stop: &str) -> String {
    let mut out = vec![json!({"type": "message_start", "message": {
        "id": "msg-2", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": null, "usage": {"input_tokens": 9, "output_tokens": 1}
    }})];
    for (index, block) in blocks.iter().enumerate() {
        let (opened, delta) = match block["type"].as_str() {
            Some("tool_use") => {
                let mut opened = block.clone();
                opened["input"] = json!({});
                let json = block["input"].to_string();
                (opened, json!({"type": "input_json_delta", "partial_json": json}))
            }
            _ => (
                json!({"type": "text", "text": ""}),
                json!({"type": "text_delta", "text": block["text"]}),
            ),
        };
        out.push(json!({"type": "content_block_start", "index": index, "content_block": opened}));
        out.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        out.push(json!({"type": "content_block_stop", "index": index}));
    }
    out.push(json!({
        "type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 9}
    }));
    out.push(json!({"type": "message_stop"}));
    let event = |event: Value| {
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
    };
    out.into_iter().map(event).collect()
}

/// Items, with ids of their own kind and calls that want their results next to them.
pub(crate) fn items(asked: &Asked, speak: fn(Says) -> Says) -> Script {
    let mut heard = Vec::new();
    for item in list(&asked.body["input"]) {
        heard.extend(match (item["type"].as_str(), item["role"].as_str()) {
            (Some("function_call_output"), _) => Some(Heard::Result(words(&item["output"]))),
            (Some("function_call" | "reasoning"), _) | (_, Some("assistant")) => {
                Some(Heard::Assistant)
            }
            (_, Some("user")) => Some(Heard::User(words(&item["content"]))),
            _ => None,
        });
    }
    let output: Vec<Value> = match speak(obey(&heard)) {
        Says::Words(words) => {
            let content = json!([{"type": "output_text", "text": words, "annotations": []}]);
            vec![json!({"type": "message", "id": "m-1", "role": "assistant", "content": content})]
        }
        Says::Calls(calls) => (0..)
            .zip(calls)
            .map(|(index, (name, arguments))| {
                let (id, call_id) = (format!("item-{index}"), format!("{index}f"));
                json!({"type": "function_call", "id": id, "call_id": call_id, "name": name,
                       "arguments": arguments.to_string(), "status": "completed"})
            })
            .collect(),
    };
    let response = json!({
        "id": "r-1", "object": "response", "status": "completed", "model": "m", "output": output,
        "usage": {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
    });
    if asked.body["stream"] != true {
        return Script::json(200, &response);
    }
    Script::stream("text/event-stream", vec![item_events(&response).into_bytes()])
}

/// Events without names, numbers and the texts in between: each item is told when it is done.
fn item_events(response: &Value) -> String {
    let mut begun = response.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    let mut out = vec![json!({"type": "response.created", "response": begun})];
    for (index, item) in list(&response["output"]).iter().enumerate() {
        let mut opened = item.clone();
        if let Some(arguments) = opened.get_mut("arguments") {
            *arguments = json!("");
        }
        let event =
            |kind: &str, item: &Value| json!({"type": kind, "output_index": index, "item": item});
        out.push(event("response.output_item.added", &opened));
        out.push(event("response.output_item.done", item));
    }
    out.push(json!({"type": "response.completed", "response": response}));
    let event = |event: &Value| format!("data: {event}\n\n");
    out.iter().map(event).collect()
}

/// Lines of JSON, with calls that have no ids.
pub(crate) fn lines(asked: &Asked, speak: fn(Says) -> Says) -> Script {
    let heard: Vec<Heard> = list(&asked.body["messages"])
        .iter()
        .filter_map(|message| {
            let text = words(&message["content"]);
            Some(match message["role"].as_str()? {
                "assistant" => Heard::Assistant,
                "tool" => Heard::Result(text),
                "user" => Heard::User(text),
                _ => return None,
            })
        })
        .collect();
    let message = match speak(obey(&heard)) {
        Says::Words(words) => json!({"role": "assistant", "content": words}),
        Says::Calls(calls) => {
            let call =
                |(name, arguments)| json!({"function": {"name": name, "arguments": arguments}});
            let calls: Vec<Value> = calls.into_iter().map(call).collect();
            json!({"role": "assistant", "content": "", "tool_calls": calls})
        }
    };
    let line = |message: Value, done: bool| {
        json!({
            "model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": done,
            "done_reason": "stop", "prompt_eval_count": 5, "eval_count": 5
        })
    };
    // This dialect streams unless told not to.
    if asked.body["stream"] == false {
        return Script::json(200, &line(message, true));
    }
    let mut first = line(message, false);
    first.as_object_mut().unwrap().remove("done_reason");
    let last = line(json!({"role": "assistant", "content": ""}), true);
    let pieces = [first, last].map(|line| format!("{line}\n").into_bytes());
    Script::stream("application/x-ndjson", pieces.to_vec())
}

/// Contents and parts, with calls that have no ids.
pub(crate) fn parts(asked: &Asked, speak: fn(Says) -> Says) -> Script {
    let mut heard = Vec::new();
    for content in list(&asked.body["contents"]) {
        if content["role"] == "model" {
            heard.push(Heard::Assistant);
            continue;
        }
        heard.extend(list(&content["parts"]).iter().map(
            |part| match part.get("functionResponse") {
                Some(response) => Heard::Result(words(unwrapped(&response["response"]))),
                None => Heard::User(words(&part["text"])),
            },
        ));
    }
    let parts: Vec<Value> = match speak(obey(&heard)) {
        Says::Words(words) => vec![json!({"text": words})],
        Says::Calls(calls) => calls
            .into_iter()
            .map(|(name, args)| json!({"functionCall": {"name": name, "args": args}}))
            .collect(),
    };
    let body = json!({
        "candidates": [{
            "index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"
        }],
        "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 5, "totalTokenCount": 10}
    });
    if asked.path.ends_with(":streamGenerateContent") {
        let text = format!("data: {body}\r\n\r\n");
        return Script::stream("text/event-stream", vec![text.into_bytes()]);
    }
    Script::json(200, &body)
}

/// The result, which clients put under a key of their own.
fn unwrapped(response: &Value) -> &Value {
    ["output", "result", "error"].iter().find_map(|key| response.get(key)).unwrap_or(response)
}
