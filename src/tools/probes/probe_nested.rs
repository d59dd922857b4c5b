//! `probe_nested`: do objects, arrays, booleans and nulls inside the arguments arrive unchanged?

use serde_json::{Value, json};

use super::{Tool, ToolFuture, ready};
use crate::ir::ToolSpec;

/// `probe_nested`: returns its arguments, which are an object with structure.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ProbeNested;

impl Tool for ProbeNested {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "probe_nested".to_owned(),
            description: "Return the nested input payload unchanged.".to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "place": {
                        "type": "object",
                        "properties": {
                            "city": {"type": "string"},
                            "zone": {"type": "string", "enum": ["north", "south"]}
                        },
                        "required": ["city", "zone"]
                    },
                    "items": {"type": "array", "items": {"type": "integer"}},
                    "urgent": {"type": "boolean"},
                    "note": {"type": ["string", "null"]}
                },
                "required": ["place", "items", "urgent", "note"]
            }),
            strict: None,
        }
    }

    fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
        ready(Ok(input.clone()))
    }
}
