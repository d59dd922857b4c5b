//! Turn events: what is counted of one turn, from its request, its answer and its results.

use super::{Answer, Reading};
use crate::ir::{Defect, Part, Reply, Request, Role, ToolResult, Usage};
use crate::telemetry::TurnEvent;
use crate::tools::{ErrorCode, Registry};

/// Ids by which results cannot be paired with calls.
const UNPAIRABLE: [Defect; 3] = [Defect::IdMissing, Defect::IdEmpty, Defect::IdDuplicate];

/// What is known of a turn before its request is sent.
#[derive(Debug, Clone, Default)]
pub(super) struct Next {
    /// How many calls it should give at once.
    pub(super) wanted: Option<u32>,
    /// Whether a tool's error is handed back with it.
    pub(super) after_error: bool,
    /// How many calls of the history were found without a result.
    pub(super) unanswered_calls: u32,
}

/// What a request says of its turn, before it is answered.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    next: Next,
    with_results: bool,
    with_reasoning: bool,
}

impl Sent {
    pub(super) fn of(request: &Request, next: Next) -> Self {
        let results = request.messages.last().map(|message| message.parts.as_slice());
        let is_result = |part: &Part| matches!(part, Part::Result(_));
        let replayed = |part: &Part| matches!(part, Part::Reasoning(_));
        Self {
            next,
            with_results: results.is_some_and(|parts| parts.iter().any(is_result)),
            with_reasoning: request.messages.iter().any(|message| {
                message.role == Role::Assistant && message.parts.iter().any(replayed)
            }),
        }
    }

    /// The event of the answered turn; `None` where the answer says nothing.
    pub(super) fn event(
        &self,
        answer: &Answer,
        reading: &Reading,
        tools: &Registry,
    ) -> Option<TurnEvent> {
        let event = TurnEvent {
            wanted_calls: self.next.wanted,
            after_tool_error: self.next.after_error,
            replayed_reasoning: self.with_reasoning,
            closure_errors: self.next.unanswered_calls,
            prompt_tokens: usage(answer).and_then(|usage| usage.input),
            completion_tokens: usage(answer).and_then(|usage| usage.output),
            ..TurnEvent::default()
        };
        Some(match answer {
            Answer::Nothing(_) => return None,
            Answer::Reply(reply) => TurnEvent {
                calls: count(reading.calls.len()),
                broken_calls: count(reading.broken.len()),
                invalid_calls: count(
                    reading.calls.iter().filter(|call| tools.fault(call).is_some()).count(),
                ),
                closure_errors: event.closure_errors + u32::from(is_unpairable(reply)),
                ..event
            },
            Answer::OutputRejected(_) => TurnEvent { broken_calls: 1, ..event },
            Answer::CutShort(reply) => {
                TurnEvent { broken_calls: count_begun_calls(reply), ..event }
            }
            // Reasoning is not to blame: without it, the same request was refused as well.
            Answer::Refused(_) => TurnEvent {
                closure_errors: event.closure_errors + u32::from(self.with_results),
                ..event
            },
        })
    }
}

fn usage(answer: &Answer) -> Option<&Usage> {
    match answer {
        Answer::Reply(reply) | Answer::CutShort(reply) => Some(&reply.usage),
        Answer::Refused(_) | Answer::OutputRejected(_) | Answer::Nothing(_) => None,
    }
}

/// A turn that was refused as it stood and taken without its reasoning.
pub(super) fn reasoning_refused() -> TurnEvent {
    TurnEvent { replayed_reasoning: true, reasoning_replay_error: true, ..TurnEvent::default() }
}

/// Adds which calls succeeded and which a hook refused.
pub(super) fn count_results(event: &mut TurnEvent, results: &[ToolResult]) {
    let refused = ErrorCode::Refused;
    let is_refused = |result: &&ToolResult| result.error_code.as_deref() == Some(refused.as_str());
    event.refused_calls = count(results.iter().filter(is_refused).count());
    event.succeeded_calls = count(results.iter().filter(|result| !result.is_error).count());
}

fn is_unpairable(reply: &Reply) -> bool {
    reply.calls().next().is_some()
        && UNPAIRABLE.iter().any(|defect| reply.defects.contains(*defect))
}

/// The calls of a reply that was cut short: none of them may run.
fn count_begun_calls(reply: &Reply) -> u32 {
    let is_call = |part: &&Part| matches!(part, Part::Call(_) | Part::BrokenCall(_));
    count(reply.parts.iter().filter(is_call).count())
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
