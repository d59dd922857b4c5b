//! `[ask.parallel]`: do several calls come in one reply, are their results used, can it be switched off?

use futures_util::future::join;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, CallAsk, Calls, Case, Costing, Estimate, Fit, Known, Load, Offer, ProbeKind, Seed,
    SettledCase, Trial, Wanted, answer_text, ask_for, best_fit, describe_answer,
    describe_displaced, describe_missing_call, holds, missing_reply, outcome, receipt,
};
use crate::conversation::{Answer, Miss, Turn};
use crate::ir::{Defect, ToolCall, ToolResult};
use crate::profile::{Finding, Observation, ParallelTool, ProbeResult, Switch, Taken};
use crate::tools::RegistryError;

/// Several calls in one reply, their results, and the switch that forbids it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Parallel(Calls);

/// What one trial told beside its finding.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Facts {
    off_switch: Switch,
    results_taken: Option<Taken>,
}

impl ProbeKind for Parallel {
    const NAME: &'static str = "parallel";
    type Facts = Facts;

    fn calls(&self) -> Vec<&CallAsk> {
        self.0.calls.iter().collect()
    }

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<Facts>> {
        vec![asking.hold("", |seed| self.trial(asking, seed)).await]
    }

    fn revise(cases: &mut [Case<Facts>], known: &Known) {
        let trials = cases.iter_mut().flat_map(|case| &mut case.trials);
        for trial in trials.filter(|trial| trial.is_displaced(known.layer)) {
            trial.shown = Observation::Negative(describe_displaced(trial.layer));
        }
    }

    fn result(probe: &str, cases: &[SettledCase<Facts>]) -> ProbeResult {
        let gravity = |switch: &Switch| match switch {
            Switch::Unknown => 0,
            Switch::Absent => 1,
            Switch::Honoured => 2,
            Switch::Rejected => 3,
            Switch::Ignored => 4,
        };
        let facts = || cases.iter().flat_map(|case| &case.trials).map(|trial| trial.facts);
        let switches = facts().map(|facts| facts.off_switch);
        let off_switch = switches.max_by_key(gravity).unwrap_or_default();
        // One refusal is enough to break an agent.
        let taken = facts().filter_map(|facts| facts.results_taken);
        let results_taken = taken.max_by_key(|taken| *taken == Taken::Rejected);
        let outcome = outcome(probe, cases);
        ProbeResult::ParallelTool(ParallelTool { outcome, off_switch, results_taken })
    }

    fn turns(&self) -> u32 {
        2
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let talk = costing.talk(self.calls(), &self.0.then);
        // A streamed twin does not ask what the switch does.
        let switch = if costing.is_twin { Load::default() } else { talk.turns(1) };
        // A follow-up that is refused for its reasoning is asked again without it.
        Estimate { likely: talk.turns(2) + switch, most: talk.turns(3) + switch }
    }
}

impl Parallel {
    async fn trial(&self, asking: Asking<'_>, seed: Seed) -> Result<Trial<Facts>, RegistryError> {
        let bench = asking.bench;
        let wanted = self.0.fill(&seed);
        let names = wanted.iter().map(|call| call.tool.as_str());
        let offer = Offer { receipts: true, ..Offer::new(asking.probe, names) };
        let tools = offer.tools(&seed)?;
        let words = format!("{}\n\n{}", ask_for(&wanted), self.0.then);
        let mut together = asking.conversation(&tools, &words);
        together.want(wanted.len());
        let mut alone = asking.conversation(&tools, &words);
        alone.request().parallel = Some(false);
        // A streamed twin is about the stream, not about the switch, and taught tools have none.
        let has_switch = bench.client.dialect().has_parallel_switch()
            && bench.delivery.is_declared()
            && !bench.is_twin;
        let switched_off = async { if has_switch { Some(alone.turn().await) } else { None } };
        let (turn, off) = join(together.turn(), switched_off).await;
        let made: Vec<_> =
            wanted.iter().map(|call| best_fit(&turn.reading, call, &tools)).collect();
        let is_exact = made.iter().all(|made| matches!(made, Some((_, Fit::Exact))));
        let shown = judge(&turn, &wanted, &made);
        let without = if turn.reply().is_none() {
            Without::NoReply
        } else if matches!(shown, Observation::Settled(Finding::Pass(_))) {
            Without::Together
        } else {
            Without::Apart
        };
        let off_switch = off.map_or(Switch::Absent, |off| judge_switch(&off, without));
        let (shown, results_taken) = if without == Without::Together {
            let results = together.run_tools(&turn).await;
            judge_results(&together.turn().await, &results)
        } else {
            (shown, None)
        };
        let facts = Facts { off_switch, results_taken };
        let mut trial = Trial { is_exact, ..Trial::of(&together, shown, facts) };
        trial.evidence.extend_from_slice(alone.evidence());
        trial.was_refused |= alone.was_refused();
        Ok(trial)
    }
}

/// Judges the calls of a reply; `made` holds the best one for each that was asked for.
fn judge(turn: &Turn, wanted: &[Wanted], made: &[Option<(&ToolCall, Fit)>]) -> Observation {
    if let Some(observation) = missing_reply(&turn.answer) {
        return observation;
    }
    if made.iter().zip(wanted).all(|(made, wanted)| has_arguments(made.as_ref(), wanted))
        && !has_one_id_twice(turn)
    {
        return Finding::pass(format!("{} calls in one reply", wanted.len())).into();
    }
    let fits: Vec<&Fit> = made.iter().flatten().map(|(_, fit)| fit).collect();
    Observation::Negative(describe_calls(turn, wanted, &fits))
}

/// Judges the reply to the results of several calls, and says whether they were taken. A result that is
/// an error has nothing to be repeated; that it is taken must do.
fn judge_results(answered: &Turn, results: &[ToolResult]) -> (Observation, Option<Taken>) {
    let count = results.len();
    let reply = match (answered.answer.miss(), answered.reply()) {
        (Some(Miss::Open(words)), _) => return (Finding::Inconclusive(words).into(), None),
        (Some(Miss::Clear(words)), _) => {
            let reason = format!("{count} calls, but their results are not answered: {words}");
            let refused = matches!(answered.answer, Answer::Refused(_));
            return (Observation::Negative(reason), refused.then_some(Taken::Rejected));
        }
        (None, None) => return (Finding::Skipped("no answer".to_owned()).into(), None),
        (None, Some(reply)) => reply,
    };
    let receipts: Vec<&str> = results.iter().filter_map(receipt).collect();
    let text = answer_text(answered, reply);
    let used = receipts.iter().filter(|receipt| holds(&text, receipt)).count();
    let shown = if used == receipts.len() || results.iter().any(|result| result.is_error) {
        Finding::pass(format!("{count} calls in one reply, and all results are used")).into()
    } else if used > 0 {
        Observation::Negative(format!("{count} calls, but only {used} of their results is used"))
    } else {
        let answer = describe_answer(answered, &receipts, &reply.reasoning_text());
        Observation::Negative(format!("{count} calls, but their results are not used: {answer}"))
    };
    (shown, Some(Taken::Accepted))
}

/// Whether a call came with every argument asked for. Values that break the schema are judged by
/// other probes; arguments that got lost, or ended up in the other call, are this one's.
fn has_arguments(made: Option<&(&ToolCall, Fit)>, wanted: &Wanted) -> bool {
    match made {
        Some((_, Fit::Exact | Fit::Valid)) => true,
        Some((call, Fit::Invalid(_))) => wanted
            .arguments
            .as_object()
            .is_some_and(|asked| asked.keys().all(|key| call.input.get(key).is_some())),
        Some((_, Fit::OtherTool(_))) | None => false,
    }
}

/// Decoders tell such calls apart by other means, but their results cannot be told apart.
fn has_one_id_twice(turn: &Turn) -> bool {
    turn.reply().is_some_and(|reply| reply.defects.contains(Defect::IdDuplicate))
}

/// In words, what came in place of all calls at once.
fn describe_calls(turn: &Turn, wanted: &[Wanted], fits: &[&Fit]) -> String {
    let reading = &turn.reading;
    let [only] = reading.calls.as_slice() else {
        return match reading.calls.len() {
            0 => describe_missing_call(reading),
            _ if has_one_id_twice(turn) => "several calls with one id".to_owned(),
            count => match fits.iter().find_map(|fit| complaint(fit)) {
                Some(complaint) => format!("{count} calls, one of them wrong: {complaint}"),
                None => format!("{count} calls, but not those asked for"),
            },
        };
    };
    let others = wanted.iter().filter(|call| call.tool != only.name);
    let merged = others.filter_map(|call| call.arguments.as_object()).any(|arguments| {
        !arguments.is_empty() && arguments.keys().all(|key| only.input.get(key).is_some())
    });
    if merged {
        "one call, the other merged into its arguments".to_owned()
    } else {
        format!("one call of {} asked for", wanted.len())
    }
}

fn complaint(fit: &Fit) -> Option<&str> {
    match fit {
        Fit::Invalid(problem) => Some(problem),
        Fit::Exact | Fit::Valid | Fit::OtherTool(_) => None,
    }
}

/// What the same request led to with the switch left alone: the control of what the switch does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Without {
    /// All calls in one reply.
    Together,
    /// A reply without all of them.
    Apart,
    /// No reply.
    NoReply,
}

/// What the switch did. Only what is taken without it is refused for it, and only where calls do
/// come together can it be seen to keep them apart.
fn judge_switch(off: &Turn, without: Without) -> Switch {
    match (&off.answer, without) {
        (Answer::Refused(_), Without::Together | Without::Apart) => Switch::Rejected,
        (Answer::Reply(_), _) if off.reading.calls.len() > 1 => Switch::Ignored,
        (Answer::Reply(_), Without::Together) => Switch::Honoured,
        _ => Switch::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Reading;
    use crate::dialect::ApiError;

    #[test]
    fn a_switch_is_refused_only_where_the_same_request_is_taken_without_it() {
        let body = r#"{"error":{"message":"no such parameter"}}"#;
        let error = ApiError::from_response(400, Vec::new(), body);
        let off = Turn { answer: Answer::of_error(error), reading: Reading::default() };
        assert_eq!(judge_switch(&off, Without::Together), Switch::Rejected);
        assert_eq!(judge_switch(&off, Without::Apart), Switch::Rejected);
        assert_eq!(judge_switch(&off, Without::NoReply), Switch::Unknown);
    }
}
