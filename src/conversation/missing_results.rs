//! Missing tool results: a call in a history that nobody answered gets an error result.
//!
//! An agent that was interrupted leaves such calls behind. Providers refuse the history, and a model
//! that never hears of its call makes it again and again.

use super::read;
use crate::ir::{Message, Part, Reply, Role, Stop, StopKind, ToolCall, ToolResult, ToolSpec};
use crate::prompted::Protocol;
use crate::tools::{ErrorCode, ToolFailure};

/// Adds the missing results right after the calls they belong to, and says how many there were. Calls
/// in text are answered as text, by the protocol.
pub(super) fn add(messages: &mut Vec<Message>, tools: &[ToolSpec], protocol: Protocol) -> u32 {
    let mut added = 0;
    // From the back, so that what is added does not move what is still to be looked at.
    for index in (0..messages.len()).rev() {
        let (before, after) = messages.split_at(index + 1);
        let Some(call_message) = before.last().filter(|it| it.role == Role::Assistant) else {
            continue;
        };
        let next = after.iter().position(|message| message.role == Role::Assistant);
        let answers = after.get(..next.unwrap_or(after.len())).unwrap_or_default();
        let missing = missing(call_message, answers, tools);
        added += u32::try_from(missing.results.len()).unwrap_or(u32::MAX);
        missing.insert(messages, index + 1, protocol);
    }
    added
}

struct Missing {
    results: Vec<ToolResult>,
    is_text: bool,
}

/// The results that should stand between a message of the model and its next one, and do not.
fn missing(message: &Message, answers: &[Message], tools: &[ToolSpec]) -> Missing {
    let answered = |result: &ToolResult| {
        let is_same = |part: &Part| matches!(part, Part::Result(other) if other.tool_call_id == result.tool_call_id);
        answers.iter().any(|answer| answer.parts.iter().any(is_same))
    };
    let calls = message.parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(not_run().result_of(call)),
        Part::BrokenCall(call) => Some(ToolFailure::result_of_broken(call)),
        _ => None,
    });
    let structured: Vec<ToolResult> = calls.collect();
    if !structured.is_empty() {
        let results = structured.into_iter().filter(|result| !answered(result)).collect();
        return Missing { results, is_text: false };
    }
    let is_answered = answers.iter().any(|answer| Protocol::holds_results(&answer.text()));
    let in_text = if is_answered { Vec::new() } else { calls_in_text(message, tools) };
    Missing {
        results: in_text.iter().map(|call| not_run().result_of(call)).collect(),
        is_text: true,
    }
}

fn calls_in_text(message: &Message, tools: &[ToolSpec]) -> Vec<ToolCall> {
    read(&Reply::new(message.parts.clone(), Stop::unlabelled(StopKind::EndTurn)), tools).calls
}

fn not_run() -> ToolFailure {
    let words = "no result of this call was recorded; do not assume that it ran";
    ToolFailure::correctable(ErrorCode::ResultMissing, words)
}

impl Missing {
    fn insert(self, messages: &mut Vec<Message>, at: usize, protocol: Protocol) {
        let Self { results, is_text } = self;
        if results.is_empty() {
            return;
        }
        let wanted = if is_text { Role::User } else { Role::Tool };
        let next = messages.get_mut(at).filter(|message| message.role == wanted);
        match (next, is_text) {
            (Some(next), false) => next.parts.extend(results.into_iter().map(Part::Result)),
            (None, false) => messages.insert(at, Message::results(results)),
            // Some chat templates refuse two messages of the user in a row.
            (Some(next), true) => {
                next.parts.insert(0, Part::Text(format!("{}\n\n", protocol.results(&results))));
            }
            (None, true) => messages.insert(at, Message::user(protocol.results(&results))),
        }
    }
}
