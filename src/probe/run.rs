//! How is a whole suite asked in the time of its longest conversation?
//!
//! Everything starts at once on the assumption that native tools work, which is nearly always so;
//! where they do not, on the assumption that the first protocol works which is taught. If the ladder
//! ends on another rung, what was started is dropped and asked again on that rung. Verdicts wait until
//! their controls are known.

use std::collections::BTreeMap;

use futures_util::future::{Either, join_all, select};

use super::basic_format::{self, Ladder, Native};
use super::bench::{Bench, Known, Trial};
use super::streaming::{self, Plain, Twin};
use super::suite::{Ask, BasicFormat};
use super::{
    Probe, call_cases, closed_loop, error_repair, history, no_call, parallel, reasoning_replay,
    tool_choice,
};
use crate::dialect::DialectId;
use crate::profile::{CaseVerdict, Cases, Finding, Outcome, ReplayMode, Results, Status, Switch};
use crate::prompted::ToolDelivery;
use crate::telemetry::TurnEvent;

/// What negatives of later probes are compared with.
const SINGLE_CALL: &str = "a single call";

/// Is told when a probe has been asked, for progress.
pub trait Watch: Sync {
    /// All trials of this probe are over.
    fn asked(&self, probe: &str);
}

/// The trials of one probe, before their controls are known.
pub(super) enum Asked {
    Cases(call_cases::CaseTrials),
    Loop(Vec<Trial<closed_loop::Delta>>),
    Parallel(Vec<Trial<parallel::Off>>),
    Repair(Vec<Trial<error_repair::Looped>>),
    Replay(Vec<Trial<reasoning_replay::Facts>>),
    History(Vec<Trial<history::Shapes>>),
    Twins(Vec<Twin>),
}

/// What a suite gave.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// What each probe found.
    pub results: Results,
    /// The turns that were held as an agent would hold them; those that were made wrong on purpose
    /// are not among them.
    pub telemetry: Vec<TurnEvent>,
}

impl Asked {
    fn telemetry(&self) -> Vec<TurnEvent> {
        fn of<F>(trials: &[Trial<F>]) -> Vec<TurnEvent> {
            trials.iter().flat_map(|trial| trial.telemetry.clone()).collect()
        }
        match self {
            Self::Cases(cases) => cases.iter().flat_map(|(_, trials)| of(trials)).collect(),
            Self::Loop(trials) => of(trials),
            Self::Parallel(trials) => of(trials),
            Self::Repair(trials) => of(trials),
            Self::Replay(trials) => of(trials),
            Self::History(trials) => of(trials),
            Self::Twins(twins) => twins.iter().flat_map(Twin::telemetry).cloned().collect(),
        }
    }
}

/// Asks these probes of one endpoint. The one that climbs the ladder must be among them.
pub async fn run(bench: &Bench, probes: &[&Probe], watch: &dyn Watch) -> Measured {
    let Some((first, ask)) = probes.iter().find_map(|probe| match &probe.file.ask {
        Ask::BasicFormat(ask) => Some((*probe, ask)),
        _ => None,
    }) else {
        return Measured::default();
    };
    let (ladder, asked) = climb_and_ask(bench, probes, first, ask, watch).await;
    let telemetry = asked.iter().flat_map(Asked::telemetry);
    let telemetry = ladder.telemetry.iter().cloned().chain(telemetry).collect();
    Measured { results: settled(probes, ladder, asked), telemetry }
}

/// What a suite gives that could not be asked, because nobody was found who would understand.
pub fn unheard(probes: &[&Probe], why: &str) -> Measured {
    let Some(first) = probes.iter().find(|probe| matches!(probe.file.ask, Ask::BasicFormat(_)))
    else {
        return Measured::default();
    };
    let ladder = basic_format::unasked(first, &Finding::Inconclusive(why.to_owned()));
    let asked = probes.iter().map(|probe| blocked(probe, &ladder.result.outcome)).collect();
    Measured { results: settled(probes, ladder, asked), telemetry: Vec::new() }
}

async fn climb_and_ask(
    bench: &Bench,
    probes: &[&Probe],
    first: &Probe,
    ask: &BasicFormat,
    watch: &dyn Watch,
) -> (Ladder, Vec<Asked>) {
    let on = |delivery| Bench { delivery, ..bench.clone() };
    let works = |native: &Native| match native {
        Native::Ends(ladder) => ladder.delivery.is_some(),
        Native::Fails(_) => false,
    };
    let native = basic_format::native(bench, first, ask);
    let (ladder, asked) = match meanwhile(native, works, ask_all(bench, probes, watch)).await {
        (Native::Ends(ladder), asked) => (*ladder, asked),
        (Native::Fails(trials), _) => {
            let taught = basic_format::taught(bench, first, ask, trials);
            let likely = ask.protocols.first().copied().map(ToolDelivery::Prompted);
            let holds = |ladder: &Ladder| likely.is_some() && ladder.delivery == likely;
            let bench = on(likely.unwrap_or(bench.delivery));
            meanwhile(taught, holds, ask_all(&bench, probes, watch)).await
        }
    };
    watch.asked(&first.id);
    let asked = match (ladder.delivery, asked) {
        (Some(_), Some(asked)) => asked,
        (Some(delivery), None) => ask_all(&on(delivery), probes, watch).await,
        (None, _) => probes.iter().map(|probe| blocked(probe, &ladder.result.outcome)).collect(),
    };
    (ladder, asked)
}

/// Asks on the rung that is likely to hold while that is still being found out; where it does not
/// hold, what was begun is dropped.
async fn meanwhile<C>(
    climb: impl Future<Output = C>,
    holds: impl Fn(&C) -> bool,
    asking: impl Future<Output = Vec<Asked>>,
) -> (C, Option<Vec<Asked>>) {
    match select(Box::pin(climb), Box::pin(asking)).await {
        Either::Left((climbed, pending)) if holds(&climbed) => (climbed, Some(pending.await)),
        Either::Left((climbed, _dropped)) => (climbed, None),
        Either::Right((asked, climb)) => {
            let climbed = climb.await;
            let asked = holds(&climbed).then_some(asked);
            (climbed, asked)
        }
    }
}

async fn ask_all(bench: &Bench, probes: &[&Probe], watch: &dyn Watch) -> Vec<Asked> {
    join_all(probes.iter().map(|probe| async {
        let asked = ask_one(bench, probes, probe).await;
        if !matches!(probe.file.ask, Ask::BasicFormat(_)) {
            watch.asked(&probe.id);
        }
        asked
    }))
    .await
}

pub(super) async fn ask_one(bench: &Bench, probes: &[&Probe], probe: &Probe) -> Asked {
    match &probe.file.ask {
        // The ladder asks these itself.
        Ask::BasicFormat(_) => Asked::Twins(Vec::new()),
        Ask::Call(cases) => Asked::Cases(call_cases::ask(bench, probe, cases).await),
        Ask::ClosedLoop(ask) => Asked::Loop(closed_loop::trials(bench, probe, ask).await),
        Ask::Parallel(ask) => Asked::Parallel(parallel::trials(bench, probe, ask).await),
        Ask::ErrorRepair(ask) => Asked::Repair(error_repair::trials(bench, probe, ask).await),
        Ask::ReasoningReplay(ask) => {
            Asked::Replay(reasoning_replay::trials(bench, probe, ask).await)
        }
        Ask::History(ask) => Asked::History(history::trials(bench, probe, ask).await),
        Ask::ToolChoice(ask) => Asked::Cases(tool_choice::ask(bench, probe, ask).await),
        Ask::NoCall(ask) => Asked::Cases(no_call::ask(bench, probe, ask).await),
        Ask::Streaming(ask) => {
            let bench = &Bench { stream: true, ..bench.clone() };
            let twins = probes.iter().filter(|twin| ask.twins.contains(&twin.id));
            Asked::Twins(join_all(twins.map(|twin| twin_of(bench, twin))).await)
        }
    }
}

async fn twin_of(bench: &Bench, probe: &Probe) -> Twin {
    let id = &probe.id;
    let mut twin = match &probe.file.ask {
        Ask::BasicFormat(ask) => Twin::of(id, basic_format::twin(bench, probe, ask).await),
        Ask::ClosedLoop(ask) => Twin::of(id, closed_loop::trials(bench, probe, ask).await),
        Ask::Parallel(ask) => Twin::of(id, parallel::trials(bench, probe, ask).await),
        _ => {
            let why = "only basic-format, closed-loop and parallel have twins";
            Twin::of(id, vec![Trial::skipped(why, ())])
        }
    };
    twin.by_lines = bench.client.dialect() == DialectId::Ollama;
    twin
}

/// What stands in for a probe that cannot be asked, because no call works or none was reached.
fn blocked(probe: &Probe, ladder: &Outcome) -> Asked {
    let why = match ladder.status {
        Status::Inconclusive => Finding::Inconclusive(ladder.reason.clone()),
        _ => Finding::Skipped(format!("no call works: {}", ladder.reason)),
    };
    let nothing_to_replay = (ladder.status == Status::Fail).then_some(ReplayMode::Absent);
    match &probe.file.ask {
        Ask::BasicFormat(_) => Asked::Twins(Vec::new()),
        Ask::Call(_) | Ask::ToolChoice(_) | Ask::NoCall(_) => {
            Asked::Cases(vec![("all".to_owned(), vec![Trial::settled(why, CaseVerdict::Skipped)])])
        }
        Ask::ClosedLoop(_) => Asked::Loop(vec![Trial::settled(why, None)]),
        Ask::Parallel(_) => Asked::Parallel(vec![Trial::settled(why, Switch::Unknown)]),
        Ask::ErrorRepair(_) => Asked::Repair(vec![Trial::settled(why, false)]),
        Ask::ReasoningReplay(_) => Asked::Replay(vec![Trial::settled(
            why,
            reasoning_replay::Facts::of_mode(nothing_to_replay),
        )]),
        Ask::History(_) => Asked::History(vec![Trial::settled(why, history::Shapes::new())]),
        Ask::Streaming(_) => {
            let settled = vec![Trial::settled(why, ())];
            Asked::Twins(vec![Twin::of("basic-format", settled)])
        }
    }
}

/// The results, each negative against its control. Streams come last: theirs are the plain runs.
fn settled(probes: &[&Probe], ladder: Ladder, asked: Vec<Asked>) -> Results {
    let control = match ladder.result.outcome.status {
        Status::Pass | Status::Partial => Finding::pass(SINGLE_CALL),
        Status::Inconclusive => Finding::Inconclusive(ladder.result.outcome.reason.clone()),
        // Calls arrive, though not as they should: enough to compare with.
        Status::Fail if ladder.delivery.is_some() => Finding::pass("a call, if not as asked"),
        Status::Fail | Status::Skipped => Finding::Skipped(ladder.result.outcome.reason.clone()),
    };
    let known = Known { control, layer: ladder.result.layer };
    let plain = Plain::of(ladder.findings, Vec::new());
    let plain = BTreeMap::from([(ladder.result.outcome.probe.clone(), plain)]);
    let mut results = placed(probes, asked, &known, plain);
    results.single_tool = Some(ladder.result);
    results
}

/// Settles what was asked, each in its place. `plain` holds what streams are compared with, as far
/// as it is known already.
pub(super) fn placed(
    probes: &[&Probe],
    asked: Vec<Asked>,
    known: &Known,
    mut plain: BTreeMap<String, Vec<Plain>>,
) -> Results {
    let mut results = Results::default();
    let mut twins = Vec::new();
    for (probe, asked) in probes.iter().zip(asked) {
        match asked {
            Asked::Twins(streams) => twins.push((probe.id.clone(), streams)),
            Asked::Cases(trials) => {
                let cases = call_cases::settle(&probe.id, trials, known, SINGLE_CALL);
                place(&mut results, &probe.id, cases);
            }
            Asked::Loop(trials) => {
                let exact = trials.iter().map(|trial| trial.is_exact).collect();
                let (result, findings) = closed_loop::settle(&probe.id, trials);
                plain.insert(probe.id.clone(), Plain::of(findings, exact));
                if probe.id == "closed-loop" {
                    results.closed_loop = Some(result);
                } else {
                    results.extended.insert(probe.id.clone(), Cases::of(result.outcome));
                }
            }
            Asked::Parallel(trials) => {
                let exact = trials.iter().map(|trial| trial.is_exact).collect();
                let (result, findings) = parallel::settle(&probe.id, trials, known, SINGLE_CALL);
                plain.insert(probe.id.clone(), Plain::of(findings, exact));
                results.parallel_tool = Some(result);
            }
            Asked::Repair(trials) => {
                results.error_repair = Some(error_repair::settle(&probe.id, trials));
            }
            Asked::Replay(trials) => {
                results.reasoning_replay = Some(reasoning_replay::settle(&probe.id, trials));
            }
            Asked::History(trials) => results.history = Some(history::settle(&probe.id, trials)),
        }
    }
    for (id, twins) in twins.into_iter().filter(|(_, twins)| !twins.is_empty()) {
        results.streaming = Some(streaming::settle(&id, twins, &plain, known.layer));
    }
    results
}

/// `schema` has a place of its own; every other list of cases is an extension.
fn place(results: &mut Results, id: &str, cases: Cases) {
    if id == "schema" {
        results.schema = Some(cases);
    } else {
        results.extended.insert(id.to_owned(), cases);
    }
}
