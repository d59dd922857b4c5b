//! `probe_fail_once`: is a call corrected after a structured error?

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{Nonces, Tool, ToolFailure, ToolFuture, ready};
use crate::ir::ToolSpec;
use crate::tools::{Effect, ErrorCode};

/// `probe_fail_once`: fails the first time, and then until the path is absolute.
#[derive(Debug)]
pub(super) struct ProbeFailOnce {
    nonces: Nonces,
    has_failed: AtomicBool,
}

impl ProbeFailOnce {
    /// One that has not failed yet, with receipts from these nonces.
    pub(super) fn new(nonces: Nonces) -> Self {
        Self { nonces, has_failed: AtomicBool::new(false) }
    }

    fn open(&self, input: &Value) -> Result<Value, ToolFailure> {
        let path = input.get("path").and_then(Value::as_str).unwrap_or_default();
        let is_first = !self.has_failed.swap(true, Ordering::SeqCst);
        if !path.starts_with('/') {
            return Err(ToolFailure::correctable(
                ErrorCode::SchemaValidationFailed,
                "input.path must be an absolute path",
            ));
        }
        if is_first {
            let other = format!("/probe/{}.txt", self.nonces.word("probe_fail_once file"));
            return Err(ToolFailure::correctable(
                ErrorCode::Tool("ENOENT"),
                format!("input.path does not exist, use {other}"),
            ));
        }
        let receipt = self.nonces.word(&format!("probe_fail_once {path}"));
        Ok(json!({"path": path, "receipt": receipt}))
    }
}

impl Tool for ProbeFailOnce {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "probe_fail_once".to_owned(),
            description: "Always returns a structured error for repair probing.".to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {"path": {"type": "string"}},
                "required": ["path"]
            }),
            strict: None,
        }
    }

    /// It remembers that it failed, so two calls at once must not race for that.
    fn effect(&self) -> Effect {
        Effect::Mutating
    }

    fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a> {
        ready(self.open(input))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> ProbeFailOnce {
        ProbeFailOnce::new(Nonces::seeded("s"))
    }

    #[test]
    fn a_relative_path_fails_until_it_is_corrected() {
        let tool = tool();
        let relative = json!({"path": "notes/a.txt"});
        for _ in 0..2 {
            let failure = tool.open(&relative).unwrap_err();
            assert_eq!(failure.message, "input.path must be an absolute path");
        }
        let opened = tool.open(&json!({"path": "/notes/a.txt"})).unwrap();
        assert_eq!(opened["path"], "/notes/a.txt");
        assert!(opened["receipt"].is_string());
    }

    #[test]
    fn the_first_call_fails_even_with_an_absolute_path_and_says_what_to_use() {
        let tool = tool();
        let failure = tool.open(&json!({"path": "/a"})).unwrap_err();
        let named = failure.message.rsplit(' ').next().unwrap();
        assert!(tool.open(&json!({"path": named})).is_ok(), "{failure}");
    }
}
