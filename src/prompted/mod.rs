//! How is a model without native tools taught to call them in text?
//!
//! - `delivery`: whether tools are native or taught in the prompt
//! - `protocol`: the markers of a protocol, the prompt that teaches them, calls and results in them
//! - `answers`: results for calls that no tool answered
//! - `source`: whether the calls are taken from the provider's fields or from the text
//!
//! What the model then writes is read by [`textcall`](crate::textcall), like any other text.

mod answers;
mod delivery;
mod protocol;
mod source;

pub use answers::{missing_results, unknown_tool};
pub use delivery::ToolDelivery;
pub use protocol::Protocol;
pub use source::{Source, source};

#[cfg(test)]
mod samples {
    use serde_json::{Value, json};

    use crate::ir::{CallFormat, CallId, ToolCall, ToolSpec};

    pub(super) fn tool() -> ToolSpec {
        ToolSpec {
            name: "tide_table".to_owned(),
            description: "Tides.".to_owned(),
            input_schema: json!({"type": "object", "properties": {"port": {"type": "string"}}}),
            strict: None,
        }
    }

    pub(super) fn call() -> ToolCall {
        ToolCall {
            id: CallId::new("c7"),
            name: "tide_table".to_owned(),
            input: json!({"port": "Brest"}),
            format: CallFormat::JsonText,
            raw: Value::Null,
        }
    }
}
