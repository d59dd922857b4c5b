//! Tool calling without native tools: a text protocol that the system prompt teaches.
//!
//! - `delivery`: whether tools are native or taught in the prompt
//! - `protocol`: the markers of a protocol, the prompt that teaches them, calls and results in them
//!
//! What the model then writes is read by [`textcall`](crate::textcall), like any other text.

mod delivery;
mod protocol;

pub use delivery::{Force, ToolDelivery};
pub use protocol::Protocol;

#[cfg(test)]
mod samples {
    use serde_json::json;

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
        ToolCall::new(
            CallId::new("c7"),
            "tide_table",
            json!({"port": "Brest"}),
            CallFormat::JsonText,
        )
    }
}
