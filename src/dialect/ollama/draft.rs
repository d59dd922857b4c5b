//! A reply of Ollama while its lines arrive.

use serde_json::Value;

use super::call;
use crate::dialect::{Arrival, call_id};
use crate::ir::{
    Defect, Defects, Part, ReasoningField, ReasoningState, Reply, Stop, StopKind, Usage,
};

/// A reply in the making.
#[derive(Debug, Default)]
pub(super) struct ReplyDraft {
    parts: Vec<Part>,
    pub(super) defects: Defects,
    calls: usize,
    model: Option<String>,
    usage: Usage,
    label: Option<String>,
    pub(super) done: bool,
}

impl ReplyDraft {
    /// Takes a line, or a whole body.
    pub(super) fn take(&mut self, line: &Value) {
        let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        self.model = self.model.take().or_else(|| text("model").filter(|model| !model.is_empty()));
        match line.get("message") {
            Some(message) => self.take_message(message),
            None => self.defects.record(Defect::DeltaMissing),
        }
        if line.get("done").and_then(Value::as_bool) == Some(true) {
            self.done = true;
            self.label = text("done_reason");
            let count = |key: &str| line.get(key).and_then(Value::as_u64);
            self.usage.input = count("prompt_eval_count");
            self.usage.output = count("eval_count");
        }
    }

    /// Takes a message or a piece of one.
    pub(super) fn take_message(&mut self, message: &Value) {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        self.take_thinking(text("thinking"));
        self.take_text(text("content"));
        let calls = message.get("tool_calls").and_then(Value::as_array);
        for entry in calls.into_iter().flatten() {
            let call = call::decode(entry, self.calls, &mut self.defects);
            self.calls += usize::from(call.is_some());
            self.parts.extend(call);
        }
    }

    /// Numbers calls without an id from here on.
    pub(super) fn numbered_from(calls: usize) -> Self {
        Self { calls, ..Self::default() }
    }

    /// The parts received so far.
    pub(super) fn into_parts(self) -> Vec<Part> {
        self.parts
    }

    fn take_thinking(&mut self, more: &str) {
        let before = self.parts.iter_mut().find_map(|part| match part {
            Part::Reasoning(ReasoningState { value: Value::String(text), .. }) => Some(text),
            _ => None,
        });
        match before {
            _ if more.is_empty() => {}
            Some(text) => text.push_str(more),
            None => {
                let state = ReasoningState::new(ReasoningField::Thinking, more);
                self.parts.push(Part::Reasoning(state));
            }
        }
    }

    fn take_text(&mut self, more: &str) {
        match self.parts.last_mut() {
            _ if more.is_empty() => {}
            Some(Part::Text(text)) => text.push_str(more),
            _ => self.parts.push(Part::Text(more.to_owned())),
        }
    }

    /// The reply, now that nothing more can come.
    pub(super) fn finish(mut self, arrival: Arrival) -> Reply {
        call_id::note_duplicates(&self.parts, &mut self.defects);
        let stop = if self.done || arrival == Arrival::Whole {
            self.stop()
        } else {
            self.defects.record(Defect::Truncated);
            Stop::unlabelled(StopKind::Truncated)
        };
        Reply {
            usage: self.usage,
            model_echo: self.model,
            defects: self.defects,
            ..Reply::new(self.parts, stop)
        }
    }

    /// `stop` is Ollama's word for the end of every turn, calls or not.
    fn stop(&mut self) -> Stop {
        let called = self.parts.iter().any(|part| call_id::of(part).is_some());
        let label = self.label.take();
        let kind = match (label.as_deref(), called) {
            (None, _) => {
                self.defects.record(Defect::FinishMissing);
                if called { StopKind::ToolUse } else { StopKind::Missing }
            }
            (Some(""), _) => {
                self.defects.record(Defect::FinishEmpty);
                if called { StopKind::ToolUse } else { StopKind::Missing }
            }
            (Some("stop" | "tool_calls"), true) => StopKind::ToolUse,
            (Some("stop"), false) => StopKind::EndTurn,
            (Some("tool_calls"), false) => {
                self.defects.record(Defect::FinishWithoutCalls);
                StopKind::EndTurn
            }
            (Some("length"), _) => StopKind::MaxTokens,
            (Some(_), _) => StopKind::Other,
        };
        Stop { kind, label }
    }
}
