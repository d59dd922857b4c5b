//! Stream quirks of chat completions: what a server changes in the chunks.

use serde_json::{Map, Value, json};

use super::WireQuirk;
use super::event::Event;
use super::interleave::interleave;

/// One quirk on all chunks.
pub(super) fn distort(mut events: Vec<Event>, quirk: &WireQuirk) -> Vec<Event> {
    match quirk {
        WireQuirk::CallWhole => return whole_calls(events),
        WireQuirk::CallWithFinish => return calls_with_finish(whole_calls(events)),
        WireQuirk::CallsInterleaved => return interleave(events, call_index),
        WireQuirk::CallsLost => return without_calls(events),
        WireQuirk::ArgumentsObject => {
            events = whole_calls(events);
            each_call(&mut events, &mut |call, _| arguments_as_object(call));
        }
        WireQuirk::ArgumentsEmpty | WireQuirk::ArgumentsAbsent => {
            return without_arguments(events, quirk);
        }
        WireQuirk::ArgumentsTailCut => cut_tails(&mut events),
        WireQuirk::NameAfterArguments => return name_last(events),
        WireQuirk::PhantomCall => insert_before_finish(&mut events, &phantom()),
        WireQuirk::TrailingEmptyDelta => trail(&mut events),
        WireQuirk::LegacyFunctionCall => legacy(&mut events),
        WireQuirk::ChoicesSplit => split_choices(&mut events),
        WireQuirk::ChoicesEmpty => return azure_chunks(events),
        WireQuirk::UsageInFinishChunk => return usage_in_finish(events),
        WireQuirk::UsageExcludesReasoning => {
            events
                .iter_mut()
                .filter_map(Event::value_mut)
                .for_each(super::chat_body::exclude_reasoning);
        }
        WireQuirk::FinishEmpty => set_finish(&mut events, &json!("")),
        WireQuirk::FinishMissing => set_finish(&mut events, &Value::Null),
        _ => {
            let mut heads = Heads::default();
            each_call(&mut events, &mut |call, is_head| heads.misspell(call, is_head, quirk));
        }
    }
    events
}

/// Visits each call delta, and says whether it opens a call.
fn each_call(events: &mut [Event], visit: &mut dyn FnMut(&mut Map<String, Value>, bool)) {
    for value in events.iter_mut().filter_map(Event::value_mut) {
        for call in calls_mut(value).filter_map(Value::as_object_mut) {
            let is_head = call.get("id").and_then(Value::as_str).is_some_and(|id| !id.is_empty());
            visit(call, is_head);
        }
    }
}

fn calls_mut(chunk: &mut Value) -> impl Iterator<Item = &mut Value> {
    let calls = chunk.pointer_mut("/choices/0/delta/tool_calls").and_then(Value::as_array_mut);
    calls.into_iter().flatten()
}

/// The call that a chunk is about.
fn call_index(event: &Event) -> Option<u64> {
    event.value()?.pointer("/choices/0/delta/tool_calls/0/index")?.as_u64()
}

fn has_calls(event: &Event) -> bool {
    event.value().and_then(|value| value.pointer("/choices/0/delta/tool_calls")).is_some()
}

fn is_finish(event: &Event) -> bool {
    let reason = event.value().and_then(|value| value.pointer("/choices/0/finish_reason"));
    reason.is_some_and(|reason| !reason.is_null())
}

fn function(call: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    call.get_mut("function")?.as_object_mut()
}

fn index(call: &Map<String, Value>) -> u64 {
    call.get("index").and_then(Value::as_u64).unwrap_or(0)
}

/// Remembers the openings of calls, for quirks that repeat them.
#[derive(Default)]
struct Heads {
    seen: Vec<(u64, Value, Value)>,
}

impl Heads {
    fn misspell(&mut self, call: &mut Map<String, Value>, is_head: bool, quirk: &WireQuirk) {
        let at = index(call);
        if is_head {
            let name =
                call.get("function").and_then(|f| f.get("name")).cloned().unwrap_or_default();
            self.seen.push((at, call.get("id").cloned().unwrap_or_default(), name));
        }
        match quirk {
            WireQuirk::IndexZero => put(call, "index", json!(0)),
            WireQuirk::IndexMissing => drop_key(call, "index"),
            WireQuirk::IndexOffset => put(call, "index", json!(at + 1)),
            WireQuirk::IndexSplit if is_head && at == 1 => put(call, "index", json!(0)),
            WireQuirk::IdMissing => drop_key(call, "id"),
            WireQuirk::IdInteger if is_head => put(call, "id", json!(1000 + at)),
            WireQuirk::IdDuplicate if is_head => {
                let first = self.seen.first().map(|(_, id, _)| id.clone());
                put(call, "id", first.unwrap_or_default());
            }
            WireQuirk::IdEmpty if !is_head => put(call, "id", json!("")),
            WireQuirk::NameEmpty if !is_head => {
                if let Some(function) = function(call) {
                    put(function, "name", json!(""));
                }
            }
            WireQuirk::NameRepeated if !is_head => self.repeat(call, at),
            WireQuirk::ArgumentsLost => {
                if let Some(function) = function(call) {
                    put(function, "arguments", json!(""));
                }
            }
            _ => {}
        }
    }

    fn repeat(&self, call: &mut Map<String, Value>, at: u64) {
        let Some((_, id, name)) = self.seen.iter().rev().find(|(index, _, _)| *index == at) else {
            return;
        };
        put(call, "id", id.clone());
        if let Some(function) = function(call) {
            put(function, "name", name.clone());
        }
    }
}

fn put(map: &mut Map<String, Value>, key: &str, value: Value) {
    map.insert(key.to_owned(), value);
}

fn drop_key(map: &mut Map<String, Value>, key: &str) {
    map.shift_remove(key);
}

fn arguments_as_object(call: &mut Map<String, Value>) {
    let Some(function) = function(call) else { return };
    let parsed = function
        .get("arguments")
        .and_then(Value::as_str)
        .and_then(|t| serde_json::from_str(t).ok());
    if let Some(object) = parsed {
        put(function, "arguments", object);
    }
}

/// The arguments of each call, joined, by index.
fn joined(events: &[Event]) -> Vec<(u64, String)> {
    let mut all: Vec<(u64, String)> = Vec::new();
    let mut events = events.to_vec();
    each_call(&mut events, &mut |call, is_head| {
        let at = index(call);
        if is_head {
            all.push((at, String::new()));
        }
        let piece =
            call.get("function").and_then(|f| f.get("arguments")?.as_str()).unwrap_or_default();
        if let Some((_, text)) = all.iter_mut().rev().find(|(index, _)| *index == at) {
            text.push_str(piece);
        }
    });
    all
}

/// Each call in its opening delta; the deltas that continued it are gone.
fn whole_calls(mut events: Vec<Event>) -> Vec<Event> {
    let arguments = joined(&events);
    each_call(&mut events, &mut |call, is_head| {
        let at = index(call);
        let whole = arguments.iter().find(|(index, _)| *index == at).map(|(_, text)| text.clone());
        match function(call).zip(whole.filter(|_| is_head)) {
            Some((function, whole)) => put(function, "arguments", json!(whole)),
            None => call.clear(),
        }
    });
    for value in events.iter_mut().filter_map(Event::value_mut) {
        if let Some(calls) =
            value.pointer_mut("/choices/0/delta/tool_calls").and_then(Value::as_array_mut)
        {
            calls.retain(|call| call.as_object().is_some_and(|call| !call.is_empty()));
        }
    }
    events.retain(|event| {
        let calls =
            event.value().and_then(|v| v.pointer("/choices/0/delta/tool_calls")?.as_array());
        calls.is_none_or(|calls| !calls.is_empty())
    });
    events
}

/// Moves whole calls into the chunk that ends the reply.
fn calls_with_finish(mut events: Vec<Event>) -> Vec<Event> {
    let mut calls = Vec::new();
    for value in events.iter_mut().filter_map(Event::value_mut) {
        calls.extend(calls_mut(value).map(|call| call.clone()));
    }
    events.retain(|event| !has_calls(event));
    let finish = events.iter_mut().find(|event| is_finish(event));
    let delta =
        finish.and_then(|e| e.value_mut()?.pointer_mut("/choices/0/delta")?.as_object_mut());
    if let Some(delta) = delta.filter(|_| !calls.is_empty()) {
        put(delta, "tool_calls", json!(calls));
    }
    events
}

fn without_calls(mut events: Vec<Event>) -> Vec<Event> {
    let lost = events.iter().any(has_calls);
    events.retain(|event| !has_calls(event));
    if lost {
        set_finish(&mut events, &json!("stop"));
    }
    events
}

fn without_arguments(mut events: Vec<Event>, quirk: &WireQuirk) -> Vec<Event> {
    let arguments = joined(&events);
    each_call(&mut events, &mut |call, _| {
        let at = index(call);
        if arguments.iter().any(|(index, text)| *index == at && text == "{}")
            && let Some(function) = function(call)
        {
            match quirk {
                WireQuirk::ArgumentsAbsent => drop_key(function, "arguments"),
                _ => put(function, "arguments", json!("")),
            }
        }
    });
    events
}

/// Takes the last character off the last piece of each call's arguments. A piece of which nothing is
/// left is not sent: an empty one would be another quirk.
fn cut_tails(events: &mut Vec<Event>) {
    let mut lengths: Vec<(u64, usize)> =
        joined(events).into_iter().map(|(at, text)| (at, text.chars().count())).collect();
    each_call(events, &mut |call, _| {
        let at = index(call);
        let Some((_, left)) = lengths.iter_mut().find(|(index, _)| *index == at) else { return };
        let Some(Value::String(piece)) = function(call).and_then(|f| f.get_mut("arguments")) else {
            return;
        };
        *left = left.saturating_sub(piece.chars().count());
        if *left == 0 {
            piece.pop();
        }
    });
    events.retain(|event| {
        let calls = event.value().and_then(|value| value.pointer("/choices/0/delta/tool_calls/0"));
        let is_empty = |call: &Value| {
            call.get("id").is_none() && call.pointer("/function/arguments") == Some(&json!(""))
        };
        !calls.is_some_and(is_empty)
    });
}

/// Sends each call's name in a delta of its own after its arguments.
fn name_last(mut events: Vec<Event>) -> Vec<Event> {
    let mut names = Vec::new();
    each_call(&mut events, &mut |call, is_head| {
        let at = index(call);
        if let Some(name) = function(call).filter(|_| is_head).and_then(|f| f.shift_remove("name"))
        {
            names.push(json!({"index": at, "function": {"name": name}}));
        }
    });
    for call in names {
        insert_before_finish(&mut events, &json!([call]));
    }
    events
}

fn phantom() -> Value {
    json!([{"index": 9, "id": "", "type": "function", "function": {"name": "", "arguments": ""}}])
}

/// An empty delta after the calls, in a chunk without the finish key.
fn trail(events: &mut Vec<Event>) {
    let empty = json!([{"index": 0, "id": "", "type": "function", "function": {"arguments": ""}}]);
    insert_before_finish(events, &empty);
    let added = events.iter_mut().rev().find(|event| has_calls(event));
    if let Some(choice) =
        added.and_then(|e| e.value_mut()?.pointer_mut("/choices/0")?.as_object_mut())
    {
        drop_key(choice, "finish_reason");
    }
}

/// Puts a delta with these calls before the chunk that ends the reply, if the reply has calls.
fn insert_before_finish(events: &mut Vec<Event>, calls: &Value) {
    let last = events.iter().rposition(has_calls);
    let (Some(last), Some(finish)) = (last, events.iter().position(is_finish)) else { return };
    let Some(mut chunk) = events.get(last).cloned() else { return };
    if let Some(choice) =
        chunk.value_mut().and_then(|v| v.pointer_mut("/choices/0")?.as_object_mut())
    {
        put(choice, "delta", json!({"tool_calls": calls}));
    }
    events.insert(finish, chunk);
}

/// The first call as `function_call`; further ones are gone, the field has room for one.
fn legacy(events: &mut [Event]) {
    for value in events.iter_mut().filter_map(Event::value_mut) {
        let Some(delta) = value.pointer_mut("/choices/0/delta").and_then(Value::as_object_mut)
        else {
            continue;
        };
        let Some(calls) = delta.shift_remove("tool_calls") else { continue };
        let first =
            calls.as_array().into_iter().flatten().find(|c| c.get("index") == Some(&json!(0)));
        if let Some(function) = first.and_then(|call| call.get("function")) {
            put(delta, "function_call", function.clone());
        }
    }
    for value in events.iter_mut().filter_map(Event::value_mut) {
        if let Some(reason) = value.pointer_mut("/choices/0/finish_reason")
            && *reason == json!("tool_calls")
        {
            *reason = json!("function_call");
        }
    }
}

/// Calls come under a choice of their own.
fn split_choices(events: &mut [Event]) {
    for event in events.iter_mut().filter(|event| has_calls(event)) {
        if let Some(index) =
            event.value_mut().and_then(|value| value.pointer_mut("/choices/0/index"))
        {
            *index = json!(1);
        }
    }
}

/// A first chunk with filter results and no choices, and a choice without a delta before the end.
fn azure_chunks(mut events: Vec<Event>) -> Vec<Event> {
    let Some(first) = events.first().cloned() else { return events };
    let mut filters = first.clone();
    if let Some(map) = filters.value_mut().and_then(Value::as_object_mut) {
        put(map, "id", json!(""));
        put(map, "choices", json!([]));
        put(
            map,
            "prompt_filter_results",
            json!([{"prompt_index": 0, "content_filter_results": {}}]),
        );
    }
    let mut bare = first;
    if let Some(choice) =
        bare.value_mut().and_then(|v| v.pointer_mut("/choices/0")?.as_object_mut())
    {
        drop_key(choice, "delta");
        put(choice, "content_filter_results", json!({}));
    }
    let finish = events.iter().position(is_finish).unwrap_or(events.len());
    events.insert(finish, bare);
    events.insert(0, filters);
    events
}

/// Moves the usage from its own chunk into the one that ends the reply.
fn usage_in_finish(mut events: Vec<Event>) -> Vec<Event> {
    let is_usage = |event: &Event| {
        let choices = event.value().and_then(|value| value.get("choices")?.as_array());
        choices.is_some_and(Vec::is_empty)
            && event.value().is_some_and(|v| v.get("usage").is_some())
    };
    let usage = events.iter().find(|e| is_usage(e)).and_then(|e| e.value()?.get("usage").cloned());
    let Some(usage) = usage else { return events };
    events.retain(|event| !is_usage(event));
    let finish = events.iter_mut().find(|event| is_finish(event));
    if let Some(map) = finish.and_then(|event| event.value_mut()?.as_object_mut()) {
        put(map, "usage", usage);
    }
    events
}

fn set_finish(events: &mut [Event], label: &Value) {
    for event in events.iter_mut().filter(|event| is_finish(event)) {
        if let Some(reason) =
            event.value_mut().and_then(|v| v.pointer_mut("/choices/0/finish_reason"))
        {
            *reason = label.clone();
        }
    }
}
