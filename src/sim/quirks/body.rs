//! Body quirks: what a server changes in a whole body.

use serde_json::{Value, json};

use super::{WireQuirk, chat_body};
use crate::dialect::DialectId;

/// Misspells an encoded body, one quirk after the other. Quirks of streams change nothing here.
pub(crate) fn distort_body(mut body: Value, dialect: DialectId, quirks: &[WireQuirk]) -> Value {
    for quirk in quirks {
        match dialect {
            DialectId::OpenAiChat => chat_body::distort(&mut body, quirk),
            DialectId::Ollama => distort_message(&mut body, quirk),
            DialectId::AnthropicMessages | DialectId::OpenAiResponses | DialectId::Gemini => {}
        }
    }
    body
}

/// Misspells the calls of an Ollama body or line.
pub(super) fn distort_message(body: &mut Value, quirk: &WireQuirk) {
    let calls = body.pointer_mut("/message/tool_calls").and_then(Value::as_array_mut);
    for call in calls.into_iter().flatten().filter_map(Value::as_object_mut) {
        if *quirk == WireQuirk::IdMissing {
            call.shift_remove("id");
        }
        let Some(function) = call.get_mut("function").and_then(Value::as_object_mut) else {
            continue;
        };
        match quirk {
            WireQuirk::ArgumentsString => {
                let text = function.get("arguments").map(Value::to_string).unwrap_or_default();
                function.insert("arguments".to_owned(), json!(text));
            }
            WireQuirk::IndexZero if function.contains_key("index") => {
                function.insert("index".to_owned(), json!(0));
            }
            WireQuirk::IndexMissing => {
                function.shift_remove("index");
            }
            _ => {}
        }
    }
}
