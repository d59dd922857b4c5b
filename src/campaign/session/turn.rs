//! The steps of a turn: encode, receive, parse, validate, execute, encode the result, preserve state;
//! and after the last one, telemetry.

use super::{Caution, Session, SessionStep};
use crate::adapt::rollout::{TierGate, degraded_metrics};
use crate::conversation::{
    Conversation, Encoded, Ending, Received, Turn, broken_results, one_at_a_time,
};
use crate::ir::{Message, Part, ToolCall, ToolResult};
use crate::profile::{CorrectionKind, ReasoningUse, Setting};
use crate::telemetry::Counts;
use crate::tools::{Registry, ToolFailure};

/// The calls of a turn, each with why it may not run.
#[derive(Debug, Clone, Default)]
pub struct Validated {
    checked: Vec<(ToolCall, Option<ToolFailure>)>,
}

impl Validated {
    /// The calls that may run.
    pub fn allowed(&self) -> Vec<ToolCall> {
        let allowed = self.checked.iter().filter(|(_, failure)| failure.is_none());
        allowed.map(|(call, _)| call.clone()).collect()
    }
}

impl Session {
    /// Writes the request as the target needs it. A history with calls that nobody answered is closed
    /// first, and makes the session careful.
    pub async fn encode(&mut self, talk: &mut Conversation<'_>) -> Encoded {
        let step = SessionStep::Encode;
        match talk.repair_history().await {
            0 => self.trace.done(step, "done"),
            open => {
                let why = format!("{open} calls of the history had no result");
                self.trace.fall(step, Caution::Careful, why);
            }
        }
        let request = talk.request();
        if self.caution() >= Caution::Careful {
            request.stream = false;
            request.parallel = (!request.tools.is_empty()).then_some(false);
        }
        if self.caution() >= Caution::NoTools {
            request.tools.clear();
            (request.tool_choice, request.parallel) = (None, None);
        }
        talk.encode()
    }

    /// Sends a request. Without a reply, somebody has to be asked.
    pub async fn receive(&mut self, talk: &mut Conversation<'_>, encoded: Encoded) -> Received {
        let received = talk.receive(encoded).await;
        match received.miss() {
            None => self.trace.done(SessionStep::Receive, "a reply"),
            Some(miss) => {
                let why = format!("no reply: {miss:?}");
                self.trace.fall(SessionStep::Receive, Caution::AskSomebody, why);
            }
        }
        received
    }

    /// Reads the calls in a reply. Half a call does not count as a call, and makes the session careful.
    pub async fn parse(&mut self, talk: &mut Conversation<'_>, received: Received) -> Turn {
        let turn = talk.parse(received).await;
        let (calls, broken) = (turn.reading.calls.len(), turn.reading.broken.len());
        let words = format!("{calls} calls, {broken} unreadable");
        match (talk.repeated_call(), broken) {
            (Some(_), _) => {
                let why = format!("{words}, the same call again and again");
                self.trace.fall(SessionStep::Parse, Caution::ReadOnlyTools, why);
            }
            (None, 0) => self.trace.done(SessionStep::Parse, words),
            (None, _) => self.trace.fall(SessionStep::Parse, Caution::Careful, words),
        }
        turn
    }

    /// Holds the calls against the original schemas, the plan and the tier. Arguments that do not fit
    /// make the session careful.
    pub fn validate(
        &mut self,
        talk: &Conversation<'_>,
        tools: &Registry,
        turn: &Turn,
    ) -> Validated {
        let careful = (self.caution() >= Caution::Careful).then_some(1);
        let limit = careful.or(talk.calls_per_turn()).unwrap_or(usize::MAX);
        let gate = TierGate(self.tier.min(self.caution().tier()));
        let calls = turn.reading.calls.iter().enumerate();
        let checked = calls.map(|(index, call)| {
            let surplus = (index >= limit).then(one_at_a_time);
            let failure = surplus
                .or_else(|| tools.fault(call))
                .or_else(|| gate.refusal(call, tools.effect_of(call)));
            (call.clone(), failure)
        });
        let validated = Validated { checked: checked.collect() };
        let invalid = turn.reading.calls.iter().filter(|call| tools.fault(call).is_some()).count();
        let words =
            format!("{} of {} may run", validated.allowed().len(), turn.reading.calls.len());
        match invalid {
            0 => self.trace.done(SessionStep::Validate, words),
            _ => self.trace.fall(SessionStep::Validate, Caution::Careful, words),
        }
        validated
    }

    /// Runs what may run; everything else becomes a structured error. After more errors in a row than
    /// the plan allows, somebody has to be asked.
    pub async fn execute(
        &mut self,
        talk: &mut Conversation<'_>,
        tools: &Registry,
        turn: &Turn,
        validated: Validated,
    ) -> Vec<ToolResult> {
        let mut ran = tools.run(&validated.allowed()).await.into_iter();
        let checked = validated.checked.iter();
        let results = checked.filter_map(|(call, failure)| match failure {
            Some(failure) => Some(failure.result_of(call)),
            None => ran.next(),
        });
        let results: Vec<ToolResult> = results.chain(broken_results(turn)).collect();
        talk.count_results(&results);
        let failed = results.iter().filter(|result| result.is_error).count();
        self.failures = if failed > 0 { self.failures + 1 } else { 0 };
        let words = format!("{} calls, {failed} refused or failed", results.len());
        if self.is_exhausted(talk) {
            self.trace.fall(SessionStep::Execute, Caution::AskSomebody, words);
        } else {
            self.trace.done(SessionStep::Execute, words);
        }
        results
    }

    /// Writes the results as the target needs them. Results that cannot be told apart make the session
    /// careful.
    pub fn encode_result(
        &mut self,
        talk: &mut Conversation<'_>,
        turn: &Turn,
        results: &[ToolResult],
    ) -> Option<Message> {
        let mut ids: Vec<&str> = results.iter().map(|it| it.tool_call_id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() == results.len() {
            self.trace.done(SessionStep::EncodeResult, format!("{} results", results.len()));
        } else {
            let why = "two calls have the same id";
            self.trace.fall(SessionStep::EncodeResult, Caution::Careful, why);
        }
        talk.encode_results(turn, results)
    }

    /// Keeps reasoning and calls as they came, and the results after them. A turn with calls whose
    /// reasoning the plan wants back, and which has none, makes the session careful.
    pub fn preserve_state(
        &mut self,
        talk: &mut Conversation<'_>,
        turn: &Turn,
        results: Option<Message>,
    ) {
        let is_reasoning = |part: &Part| matches!(part, Part::Reasoning(_));
        let has_it = turn.reply().is_some_and(|reply| reply.parts.iter().any(is_reasoning));
        if self.needs_reasoning() && !turn.reading.calls.is_empty() && !has_it {
            let why = "a turn with calls has no reasoning to send back";
            self.trace.fall(SessionStep::PreserveState, Caution::Careful, why);
        } else {
            self.trace.done(SessionStep::PreserveState, "done");
        }
        talk.keep(turn);
        talk.request().messages.extend(results);
    }

    /// Counts what happened. A metric that is degraded leaves the model tools that look, and no others.
    pub(super) fn record_telemetry(&mut self, talk: &Conversation<'_>, ending: &Ending) {
        self.telemetry.extend(talk.telemetry().iter().cloned());
        let words = format!("{} turns", self.telemetry.len());
        let bad = degraded_metrics(&Counts::of(&self.telemetry).metrics());
        let step = SessionStep::RecordTelemetry;
        match (bad.first(), ending) {
            (Some((_, why)), _) => {
                self.trace.fall(step, Caution::ReadOnlyTools, format!("{words}; {why}"));
            }
            (None, Ending::OutOfTurns) => {
                self.trace.fall(step, Caution::ReadOnlyTools, format!("{words}; used up"));
            }
            (None, _) => self.trace.done(step, words),
        }
    }

    /// The error after which the plan allows no further try.
    pub(super) fn exhausted(
        &self,
        talk: &Conversation<'_>,
        results: &[ToolResult],
    ) -> Option<ToolResult> {
        results.iter().find(|result| result.is_error).filter(|_| self.is_exhausted(talk)).cloned()
    }

    fn is_exhausted(&self, talk: &Conversation<'_>) -> bool {
        talk.retries().is_some_and(|most| self.failures > most)
    }

    fn needs_reasoning(&self) -> bool {
        let plan = self.client.rewriter().map(crate::adapt::apply::Rewriter::plan);
        let setting = plan.and_then(|plan| plan.setting(CorrectionKind::ReasoningReplay));
        matches!(setting, Some(Setting::ReasoningReplay { send: ReasoningUse::Verbatim, .. }))
    }
}
