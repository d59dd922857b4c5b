//! `probe_echo`: do the arguments of a call arrive unchanged?

use serde_json::{Value, json};

use super::{Tool, ToolFuture, ready};
use crate::ir::ToolSpec;

/// `probe_echo`: returns its arguments.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProbeEcho;

impl Tool for ProbeEcho {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "probe_echo".to_owned(),
            description: "Return the input payload unchanged.".to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "message": {"type": "string"},
                    "tag": {"type": "string", "enum": ["alpha", "beta"]}
                },
                "required": ["message", "tag"]
            }),
            strict: None,
        }
    }

    fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
        ready(Ok(input.clone()))
    }
}
