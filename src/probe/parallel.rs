//! Do several calls come in one reply, and can that be switched off?

use futures_util::future::{join, join_all};

use super::bench::{Bench, Known, Offer, Trial, unanswered, wanted};
use super::calls::{Fit, best, displaced, no_call};
use super::outcome::settled;
use super::suite::Calls;
use super::{Probe, Seed, Wanted, ask_for};
use crate::conversation::{Answer, Reading, Turn};
use crate::dialect::DialectId;
use crate::ir::{Defect, ToolCall};
use crate::profile::{Finding, Observation, ParallelTool, Switch};
use crate::prompted::ToolDelivery;
use crate::tools::{ArgumentSchema, Registry};

/// What the switch did in one trial.
pub(super) type Off = Switch;

/// Asks for all calls at once, with the switch left alone and with it off.
pub(super) async fn trials(bench: &Bench, probe: &Probe, ask: &Calls) -> Vec<Trial<Off>> {
    join_all(bench.seeds(&probe.id, "").iter().map(|seed| trial(bench, probe, ask, seed))).await
}

/// The result, now that it is known whether a single call works.
pub(super) fn settle(
    probe: &str,
    mut trials: Vec<Trial<Off>>,
    known: &Known,
    what: &str,
) -> (ParallelTool, Vec<Finding>) {
    for trial in trials.iter_mut().filter(|trial| trial.is_displaced(known.layer)) {
        trial.observation = Observation::Negative(displaced(trial.layer));
    }
    let off_switch = trials
        .iter()
        .map(|trial| trial.facts)
        .max_by_key(|switch| match switch {
            Switch::Unknown => 0,
            Switch::Absent => 1,
            Switch::Honoured => 2,
            Switch::Rejected => 3,
            Switch::Ignored => 4,
        })
        .unwrap_or(Switch::Unknown);
    let (outcome, findings) = settled(probe, trials, &known.control, what);
    (ParallelTool { outcome, off_switch }, findings)
}

async fn trial(bench: &Bench, probe: &Probe, ask: &Calls, seed: &Seed) -> Trial<Off> {
    let wanted: Vec<Wanted> = ask.calls.iter().map(|call| wanted(call, seed)).collect();
    let names: Vec<&str> = wanted.iter().map(|call| call.tool.as_str()).collect();
    let tools = match (Offer { probe, names: &names, among: 0, filler: 0 }).tools(seed) {
        Ok(tools) => tools,
        Err(error) => return Trial::skipped(error.to_string(), Switch::Unknown),
    };
    let words = ask_for(&wanted);
    let mut together = bench.conversation(&tools, &words);
    together.want(wanted.len());
    let mut alone = bench.conversation(&tools, &words);
    alone.request().parallel = Some(false);
    // A stream's twin is about the stream, not about the switch, and text has none.
    let has_switch = switchable(bench.client.dialect())
        && bench.delivery == ToolDelivery::Native
        && !bench.stream;
    let switched_off = async { if has_switch { Some(alone.turn().await) } else { None } };
    let (said, off) = join(together.turn(), switched_off).await;
    let observation = judge(&said, &wanted, &tools);
    let without = if said.reply().is_none() {
        Without::NoReply
    } else if matches!(observation, Observation::Settled(Finding::Pass(_))) {
        Without::Together
    } else {
        Without::Apart
    };
    let facts = off.map_or(Switch::Absent, |off| switch(&off, without));
    let asked_for =
        |call: &Wanted| matches!(made(&said.reading, call, &tools), Some((_, Fit::Exact)));
    let is_exact = wanted.iter().all(asked_for);
    let mut trial = Trial::of(&together, observation, facts).exactly(is_exact);
    trial.evidence.extend_from_slice(alone.evidence());
    trial
}

/// Gemini and Ollama have no such switch.
fn switchable(dialect: DialectId) -> bool {
    match dialect {
        DialectId::AnthropicMessages | DialectId::OpenAiChat | DialectId::OpenAiResponses => true,
        DialectId::Gemini | DialectId::Ollama => false,
    }
}

fn judge(said: &Turn, wanted: &[Wanted], tools: &Registry) -> Observation {
    if let Some(observation) = unanswered(&said.answer) {
        return observation;
    }
    let made: Vec<Option<(&ToolCall, Fit)>> =
        wanted.iter().map(|call| made(&said.reading, call, tools)).collect();
    if made.iter().zip(wanted).all(|(made, wanted)| is_there(made.as_ref(), wanted))
        && !has_one_id_twice(said)
    {
        return Finding::pass(format!("{} calls in one reply", wanted.len())).into();
    }
    let fits: Vec<Fit> = made.into_iter().flatten().map(|(_, fit)| fit).collect();
    Observation::Negative(shortcoming(said, wanted, &fits))
}

/// Whether a call came with every argument asked for. Values that break the schema are another
/// probe's business; arguments that got lost, or ended up in the other call, are this one's.
fn is_there(made: Option<&(&ToolCall, Fit)>, wanted: &Wanted) -> bool {
    match made {
        Some((_, Fit::Exact | Fit::Valid)) => true,
        Some((call, Fit::Invalid(_))) => wanted
            .arguments
            .as_object()
            .is_some_and(|asked| asked.keys().all(|key| call.input.get(key).is_some())),
        Some((_, Fit::OtherTool(_))) | None => false,
    }
}

/// Decoders tell such calls apart by other means; results sent back could not be.
fn has_one_id_twice(said: &Turn) -> bool {
    said.reply().is_some_and(|reply| reply.defects.contains(Defect::IdDuplicate))
}

fn made<'a>(
    reading: &'a Reading,
    wanted: &Wanted,
    tools: &Registry,
) -> Option<(&'a ToolCall, Fit)> {
    let schema = tools
        .specs()
        .find(|spec| spec.name == wanted.tool)
        .and_then(|spec| ArgumentSchema::new(&spec.input_schema).ok());
    best(reading, wanted, schema.as_ref())
}

/// In words, what came in place of all calls at once.
fn shortcoming(said: &Turn, wanted: &[Wanted], fits: &[Fit]) -> String {
    let reading = &said.reading;
    let [only] = reading.calls.as_slice() else {
        return match reading.calls.len() {
            0 => no_call(reading),
            _ if has_one_id_twice(said) => "several calls with one id".to_owned(),
            count => match fits.iter().find_map(complaint) {
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
fn switch(off: &Turn, without: Without) -> Switch {
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
    use crate::dialect::ApiError;

    #[test]
    fn a_switch_is_refused_only_where_the_same_request_is_taken_without_it() {
        let body = r#"{"error":{"message":"no such parameter"}}"#;
        let error = ApiError::from_response(400, Vec::new(), body);
        let off = Turn { answer: Answer::of_error(error), reading: Reading::default() };
        assert_eq!(switch(&off, Without::Together), Switch::Rejected);
        assert_eq!(switch(&off, Without::Apart), Switch::Rejected);
        assert_eq!(switch(&off, Without::NoReply), Switch::Unknown);
    }
}
