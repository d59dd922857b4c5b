//! Body quirks of chat completions.

use serde_json::{Map, Value, json};

use super::WireQuirk;

/// One quirk on a body.
pub(super) fn distort(body: &mut Value, quirk: &WireQuirk) {
    match quirk {
        WireQuirk::FinishEmpty => set_finish(body, json!("")),
        WireQuirk::FinishMissing => set_finish(body, Value::Null),
        WireQuirk::UsageExcludesReasoning => exclude_reasoning(body),
        WireQuirk::LegacyFunctionCall => legacy(body),
        WireQuirk::ChoicesSplit => split_choices(body),
        WireQuirk::PhantomCall => {
            if let Some(calls) = calls(body).filter(|calls| !calls.is_empty()) {
                calls.push(json!({"id": "", "type": "function", "function": {"name": "", "arguments": ""}}));
            }
        }
        quirk => {
            let first = calls(body).and_then(|calls| calls.first()?.get("id").cloned());
            let all = calls(body).into_iter().flatten().enumerate();
            for (index, call) in
                all.filter_map(|(index, call)| Some((index, call.as_object_mut()?)))
            {
                misspell(call, index, first.as_ref(), quirk);
            }
        }
    }
}

fn calls(body: &mut Value) -> Option<&mut Vec<Value>> {
    body.pointer_mut("/choices/0/message/tool_calls")?.as_array_mut()
}

fn set_finish(body: &mut Value, label: Value) {
    if let Some(reason) = body.pointer_mut("/choices/0/finish_reason") {
        *reason = label;
    }
}

fn misspell(call: &mut Map<String, Value>, index: usize, first: Option<&Value>, quirk: &WireQuirk) {
    match quirk {
        WireQuirk::IdMissing => {
            call.shift_remove("id");
        }
        WireQuirk::IdInteger => {
            call.insert("id".to_owned(), json!(1000 + index));
        }
        WireQuirk::IdDuplicate => {
            call.insert("id".to_owned(), first.cloned().unwrap_or_default());
        }
        WireQuirk::ArgumentsObject | WireQuirk::ArgumentsEmpty | WireQuirk::ArgumentsAbsent => {
            if let Some(function) = call.get_mut("function").and_then(Value::as_object_mut) {
                arguments(function, quirk);
            }
        }
        _ => {}
    }
}

fn arguments(function: &mut Map<String, Value>, quirk: &WireQuirk) {
    let text = function.get("arguments").and_then(Value::as_str).unwrap_or_default();
    let is_empty = text == "{}";
    let parsed: Option<Value> = serde_json::from_str(text).ok();
    let key = || "arguments".to_owned();
    match quirk {
        WireQuirk::ArgumentsObject => {
            function.insert(key(), parsed.unwrap_or_default());
        }
        WireQuirk::ArgumentsEmpty if is_empty => {
            function.insert(key(), json!(""));
        }
        WireQuirk::ArgumentsAbsent if is_empty => {
            function.shift_remove("arguments");
        }
        _ => {}
    }
}

/// Takes the reasoning tokens out of the completion count, in a body or a chunk.
pub(super) fn exclude_reasoning(body: &mut Value) {
    let Some(usage) = body.get_mut("usage") else { return };
    let counts = (
        usage.get("completion_tokens").and_then(Value::as_u64),
        usage.pointer("/completion_tokens_details/reasoning_tokens").and_then(Value::as_u64),
    );
    if let ((Some(all), Some(reasoning)), Some(map)) = (counts, usage.as_object_mut()) {
        map.insert("completion_tokens".to_owned(), json!(all.saturating_sub(reasoning)));
    }
}

/// The first call as `function_call`; further ones are gone, the field has room for one.
fn legacy(body: &mut Value) {
    let Some(message) = body.pointer_mut("/choices/0/message").and_then(Value::as_object_mut)
    else {
        return;
    };
    let Some(calls) = message.shift_remove("tool_calls") else { return };
    if let Some(function) = calls.get(0).and_then(|call| call.get("function")) {
        message.insert("function_call".to_owned(), function.clone());
        set_finish(body, json!("function_call"));
    }
}

/// Calls come as a choice of their own.
fn split_choices(body: &mut Value) {
    let Some(mut second) = body.pointer("/choices/0").cloned() else { return };
    let Some(message) = body.pointer_mut("/choices/0/message").and_then(Value::as_object_mut)
    else {
        return;
    };
    if message.shift_remove("tool_calls").is_none() {
        return;
    }
    if let Some(index) = second.get_mut("index") {
        *index = json!(1);
    }
    if let Some(content) = second.pointer_mut("/message/content") {
        *content = Value::Null;
    }
    if let Some(choices) = body.get_mut("choices").and_then(Value::as_array_mut) {
        choices.push(second);
    }
}
