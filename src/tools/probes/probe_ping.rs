//! `probe_ping`: can a tool without parameters be called?

use serde_json::{Value, json};

use super::{Nonces, Tool, ToolFuture, ready};
use crate::ir::ToolSpec;

/// `probe_ping`: takes nothing, returns a receipt.
#[derive(Debug, Clone)]
pub(super) struct ProbePing {
    nonces: Nonces,
}

impl ProbePing {
    /// With a receipt from these nonces.
    pub(super) fn new(nonces: Nonces) -> Self {
        Self { nonces }
    }
}

impl Tool for ProbePing {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "probe_ping".to_owned(),
            description: "Return a receipt. Takes no parameters.".to_owned(),
            input_schema: json!({"type": "object", "properties": {}}),
            strict: None,
        }
    }

    fn run<'a>(&'a self, _input: &'a Value) -> ToolFuture<'a> {
        ready(Ok(json!({"receipt": self.nonces.word("probe_ping")})))
    }
}
