//! In which form does a call arrive, if one does?
//!
//! A ladder: tools in the dialect's own field, with the call in its field, in the visible text or
//! in the reasoning; then text protocols taught in the system prompt; only then none.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::{join_all, join3};

use super::bench::{Bench, Offer, Trial, unanswered, wanted};
use super::calls::{Fit, best, layer_words, no_call};
use super::outcome::settled;
use super::suite::BasicFormat;
use super::{Probe, Seed, ask_for};
use crate::conversation::{Miss, Reading};
use crate::ir::{CallFormat, Defect, Digest, Layer, Message, Request};
use crate::profile::{Finding, JsonText, Observation, SingleTool, Strictness};
use crate::prompted::{Protocol, ToolDelivery};
use crate::telemetry::TurnEvent;
use crate::tools::ArgumentSchema;

/// The form that a trial's call arrived in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    layer: Layer,
    format: CallFormat,
    parser: Option<String>,
    repairs: Vec<String>,
    broken: bool,
}

/// What a trial told beside its finding.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    /// Whether there was a reply at all.
    is_answered: bool,
    /// The form of its call, if there was one.
    form: Option<Form>,
}

/// The trials of one rung.
pub(super) type Trials = Vec<Trial<Told>>;

/// The case whose seeds trials get: the first ones, and those asked for once more.
const FIRST: &str = "";
const ONCE_MORE: &str = "once more";

/// What the ladder found, and how each trial of the rung that worked came out.
pub(super) struct Ladder {
    pub(super) result: SingleTool,
    pub(super) findings: Vec<Finding>,
    pub(super) delivery: Option<ToolDelivery>,
    pub(super) telemetry: Vec<TurnEvent>,
}

/// What the first rung gave.
pub(super) enum Native {
    /// The ladder ends here: calls arrived, or the endpoint gave no answer to judge, and then another
    /// rung would only hide that.
    Ends(Box<Ladder>),
    /// Answers, but no call in any of them.
    Fails(Trials),
}

/// Offers tools in the dialect's own field.
pub(super) async fn native(bench: &Bench, probe: &Probe, ask: &BasicFormat) -> Native {
    let trials = trials(bench, probe, ask, FIRST).await;
    if calls(&trials) > 0 {
        return Native::Ends(Box::new(rung(probe, ToolDelivery::Native, trials, BTreeMap::new())));
    }
    if trials.iter().all(|trial| matches!(trial.observation, Observation::Settled(_))) {
        let silent = Finding::Skipped("the endpoint did not answer".to_owned());
        return Native::Ends(Box::new(nothing(probe, trials, &silent)));
    }
    Native::Fails(trials)
}

/// Teaches text protocols, all at once, where native tools led to no call.
pub(super) async fn taught(
    bench: &Bench,
    probe: &Probe,
    ask: &BasicFormat,
    mut native: Trials,
) -> Ladder {
    let taught = join_all(ask.protocols.iter().map(|protocol| teach(bench, probe, ask, *protocol)));
    let more = more(bench, probe, ask, &native);
    let (taught, (control, spoke), more) = join3(taught, speaks(bench), more).await;
    native.extend(more);
    if calls(&native) > 0 {
        return rung(probe, ToolDelivery::Native, native, BTreeMap::new());
    }
    let mut rungs = BTreeMap::from([("native".to_owned(), words(&native))]);
    let told = taught.iter().map(|(delivery, trials)| ((*delivery).into(), words(trials)));
    rungs.extend(told);
    let all = taught.iter().map(|(_, trials)| trials).chain([&native]);
    let witnesses: Vec<Digest> =
        all.flatten().flat_map(|trial| trial.evidence.clone()).chain([spoke]).collect();
    // The first of those that led to most calls: they stand in the order they are worth trying.
    let best = taught.into_iter().rev().max_by_key(|(_, trials)| calls(trials));
    let mut ladder = if let Some((delivery, trials)) = best.filter(|(_, trials)| calls(trials) > 0)
    {
        rung(probe, delivery, trials, rungs)
    } else {
        let mut ladder = nothing(probe, native, &control);
        ladder.result.rungs = rungs;
        ladder
    };
    let evidence = &mut ladder.result.outcome.evidence;
    evidence.extend(witnesses);
    evidence.sort();
    evidence.dedup();
    ladder
}

/// In how many trials a call arrived.
fn calls(trials: &Trials) -> usize {
    trials.iter().filter(|trial| trial.facts.form.is_some()).count()
}

/// Asks natively once more where the model answered in words: one that calls most of the time is
/// not to be sent down the ladder by a streak.
async fn more(bench: &Bench, probe: &Probe, ask: &BasicFormat, native: &Trials) -> Trials {
    if native.iter().any(|trial| trial.facts.is_answered) {
        trials(bench, probe, ask, ONCE_MORE).await
    } else {
        Trials::new()
    }
}

/// Asks again on the rung that the bench names, and on no other.
pub(super) async fn again(bench: &Bench, probe: &Probe, ask: &BasicFormat) -> Ladder {
    let trials = trials(bench, probe, ask, FIRST).await;
    if calls(&trials) > 0 {
        return rung(probe, bench.delivery, trials, BTreeMap::new());
    }
    let (control, spoke) = speaks(bench).await;
    let mut ladder = nothing(probe, trials, &control);
    ladder.result.outcome.evidence.push(spoke);
    ladder
}

/// The same request at one rung, once per trial.
async fn trials(bench: &Bench, probe: &Probe, ask: &BasicFormat, case: &str) -> Trials {
    join_all(bench.seeds(&probe.id, case).iter().map(|seed| trial(bench, probe, ask, seed))).await
}

/// The trials of a stream's twin, with the values of the plain ones.
pub(super) async fn twin(bench: &Bench, probe: &Probe, ask: &BasicFormat) -> Trials {
    trials(bench, probe, ask, FIRST).await
}

async fn teach(
    bench: &Bench,
    probe: &Probe,
    ask: &BasicFormat,
    protocol: Protocol,
) -> (ToolDelivery, Trials) {
    let delivery = ToolDelivery::Prompted(protocol);
    let bench = Bench { delivery, ..bench.clone() };
    (delivery, trials(&bench, probe, ask, FIRST).await)
}

async fn trial(bench: &Bench, probe: &Probe, ask: &BasicFormat, seed: &Seed) -> Trial<Told> {
    let wanted = wanted(&ask.call, seed);
    let offer = Offer { probe, names: &[&wanted.tool], among: 0, filler: 0 };
    let tools = match offer.tools(seed) {
        Ok(tools) => tools,
        Err(error) => {
            return Trial::skipped(error.to_string(), Told { is_answered: false, form: None });
        }
    };
    let schema = tools.specs().next().and_then(|spec| ArgumentSchema::new(&spec.input_schema).ok());
    let mut conversation = bench.conversation(&tools, &ask_for(std::slice::from_ref(&wanted)));
    let said = conversation.turn().await;
    let observation = unanswered(&said.answer).unwrap_or_else(|| {
        match best(&said.reading, &wanted, schema.as_ref()) {
            None => Observation::Negative(no_call(&said.reading)),
            Some((_, fit)) => judged(&fit, &said.reading),
        }
    });
    let facts = Told { is_answered: said.reply().is_some(), form: form(&said.reading) };
    Trial::of(&conversation, observation, facts)
}

fn judged(fit: &Fit, reading: &Reading) -> Observation {
    match (fit, reading.layer) {
        (Fit::Exact, layer) => {
            Finding::pass(format!("one call, {}", layer_words(layer.unwrap_or(Layer::Structured))))
                .into()
        }
        (Fit::Valid, _) => Observation::Negative("a call with other values than asked for".into()),
        (Fit::Invalid(problem), _) => {
            Observation::Negative(format!("a call whose arguments break its schema: {problem}"))
        }
        (Fit::OtherTool(name), _) => {
            Observation::Negative(format!("a call of '{name}', which was not asked for"))
        }
    }
}

fn form(reading: &Reading) -> Option<Form> {
    Some(Form {
        layer: reading.layer?,
        format: reading.calls.first()?.format,
        parser: reading.parser.clone(),
        repairs: reading.repairs.clone(),
        broken: !reading.broken.is_empty(),
    })
}

/// Whether the endpoint speaks at all when no tools are in the way: the control of "no calls", and
/// the exchange that shows it.
async fn speaks(bench: &Bench) -> (Finding, Digest) {
    let request = Request {
        messages: vec![Message::user("Reply with the one word: ready")],
        stream: bench.stream,
        ..Request::default()
    };
    let turn = bench.client.ask(&request).await;
    let finding = match turn.answer.miss() {
        None => Finding::pass("a reply without tools"),
        Some(Miss::Open(words)) => Finding::Inconclusive(words),
        Some(Miss::Clear(words)) => {
            Finding::Inconclusive(format!("not even without tools: {words}"))
        }
    };
    (finding, turn.evidence)
}

/// The result of the rung on which calls arrived.
fn rung(
    probe: &Probe,
    delivery: ToolDelivery,
    trials: Trials,
    rungs: BTreeMap<String, String>,
) -> Ladder {
    let forms: Vec<Form> = trials.iter().filter_map(|trial| trial.facts.form.clone()).collect();
    let form = prevailing(&forms);
    let control = Finding::pass("a call arrived");
    let (telemetry, defects) = (telemetry(&trials), defects(&trials));
    let trials = trials.into_iter().map(|trial| elsewhere(trial, form.as_ref())).collect();
    let (outcome, findings) = settled(&probe.id, trials, &control, "a call of the same kind");
    let result = SingleTool {
        outcome,
        format: form.as_ref().map(|form| form.format),
        parser: form.as_ref().and_then(|form| form.parser.clone()),
        delivery: Some(delivery),
        layer: form.as_ref().map(|form| form.layer),
        json_text: json_text(&forms),
        defects,
        rungs,
    };
    Ladder { result, findings, delivery: Some(delivery), telemetry }
}

/// The form that most calls arrived in; the better kept one where it is a tie.
fn prevailing(forms: &[Form]) -> Option<Form> {
    let count = |layer: Layer| forms.iter().filter(|form| form.layer == layer).count();
    forms.iter().max_by_key(|form| (count(form.layer), std::cmp::Reverse(form.layer))).cloned()
}

/// A call that arrived in another layer than most is one that a parser set up for most will miss.
fn elsewhere(mut trial: Trial<Told>, most: Option<&Form>) -> Trial<Told> {
    if let (Some(form), Some(most)) = (&trial.facts.form, most)
        && form.layer != most.layer
    {
        trial.observation =
            Observation::Negative(format!("unlike in other trials, {}", layer_words(form.layer)));
    }
    trial
}

fn json_text(forms: &[Form]) -> Option<JsonText> {
    let mut in_text = forms.iter().filter(|form| form.format == CallFormat::JsonText).peekable();
    in_text.peek()?;
    let mut repairs = Vec::new();
    let mut strictness = Strictness::Strict;
    for form in in_text {
        repairs.extend(form.repairs.iter().cloned());
        strictness = strictness.max(match (form.broken, form.repairs.is_empty()) {
            (true, _) => Strictness::Broken,
            (false, false) => Strictness::Repaired,
            (false, true) => Strictness::Strict,
        });
    }
    repairs.sort();
    repairs.dedup();
    Some(JsonText { strictness, repairs })
}

/// The result where no rung held.
fn nothing(probe: &Probe, trials: Trials, control: &Finding) -> Ladder {
    let (telemetry, defects) = (telemetry(&trials), defects(&trials));
    let (outcome, findings) = settled(&probe.id, trials, control, "a reply without tools");
    let result = SingleTool {
        outcome,
        format: None,
        parser: None,
        delivery: None,
        layer: None,
        json_text: None,
        defects,
        rungs: BTreeMap::new(),
    };
    Ladder { result, findings, delivery: None, telemetry }
}

/// The result where nothing was asked.
pub(super) fn unasked(probe: &Probe, why: &Finding) -> Ladder {
    let told = Told { is_answered: false, form: None };
    nothing(probe, vec![Trial::settled(why.clone(), told)], why)
}

/// Only the turns of the rung that counts: nobody will speak to the model on the others.
fn telemetry(trials: &[Trial<Told>]) -> Vec<TurnEvent> {
    trials.iter().flat_map(|trial| trial.telemetry.clone()).collect()
}

/// What the decoders tolerated, each once.
fn defects(trials: &[Trial<Told>]) -> Vec<Defect> {
    let all: BTreeSet<Defect> =
        trials.iter().flat_map(|trial| trial.defects.iter().copied()).collect();
    all.into_iter().collect()
}

/// What a rung gave, in the words of its first trial.
fn words(trials: &[Trial<Told>]) -> String {
    match trials.first().map(|trial| &trial.observation) {
        Some(Observation::Settled(finding)) => finding.to_string(),
        Some(Observation::Negative(reason)) => reason.clone(),
        None => String::new(),
    }
}
