//! `[ask.parallel]`: do several calls come in one reply, and can that be switched off?

use futures_util::future::join;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, CallAsk, Calls, Case, Costing, Estimate, Fit, Known, Offer, ProbeKind, Seed,
    SettledCase, Trial, Wanted, ask_for, best_fit, describe_missing_call, displaced, missing_reply,
    outcome,
};
use crate::conversation::{Answer, Turn};
use crate::ir::{Defect, ToolCall};
use crate::profile::{Finding, Observation, ParallelTool, ProbeResult, Switch};
use crate::prompted::ToolDelivery;
use crate::tools::RegistryError;

/// Several calls in one reply, and the switch that forbids it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Parallel(Calls);

impl ProbeKind for Parallel {
    const NAME: &'static str = "parallel";
    type Facts = Switch;

    fn calls(&self) -> Vec<&CallAsk> {
        self.0.calls.iter().collect()
    }

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<Switch>> {
        vec![asking.hold("", |seed| self.trial(asking, seed)).await]
    }

    fn revise(cases: &mut [Case<Switch>], known: &Known) {
        let trials = cases.iter_mut().flat_map(|case| &mut case.trials);
        for trial in trials.filter(|trial| trial.is_displaced(known.layer)) {
            trial.shown = Observation::Negative(displaced(trial.layer));
        }
    }

    fn result(probe: &str, cases: &[SettledCase<Switch>]) -> ProbeResult {
        let gravity = |switch: &Switch| match switch {
            Switch::Unknown => 0,
            Switch::Absent => 1,
            Switch::Honoured => 2,
            Switch::Rejected => 3,
            Switch::Ignored => 4,
        };
        let switches = cases.iter().flat_map(|case| &case.trials).map(|trial| trial.facts);
        let off_switch = switches.max_by_key(gravity).unwrap_or_default();
        ProbeResult::ParallelTool(ParallelTool { outcome: outcome(probe, cases), off_switch })
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        // A streamed twin does not ask what the switch does.
        let (then, requests) = if costing.stream { ("", 1) } else { (self.0.then.as_str(), 2) };
        Estimate::exactly(costing.talk(self.calls(), then).turns(1) * requests)
    }
}

impl Parallel {
    async fn trial(&self, asking: Asking<'_>, seed: Seed) -> Result<Trial<Switch>, RegistryError> {
        let bench = asking.bench;
        let wanted = self.0.fill(&seed);
        let names = wanted.iter().map(|call| call.tool.as_str());
        let tools = Offer::new(asking.probe, names).tools(&seed)?;
        let words = ask_for(&wanted);
        let mut together = bench.conversation(&tools, &words);
        together.want(wanted.len());
        let mut alone = bench.conversation(&tools, &words);
        alone.request().parallel = Some(false);
        // A streamed twin is about the stream, not about the switch, and taught tools have none.
        let has_switch = bench.client.dialect().has_parallel_switch()
            && bench.delivery == ToolDelivery::Native
            && !bench.stream;
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
        let switch = off.map_or(Switch::Absent, |off| judge_switch(&off, without));
        let mut trial = Trial { is_exact, ..Trial::of(&together, shown, switch) };
        trial.evidence.extend_from_slice(alone.evidence());
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
