//! Running a suite: all probes at once, in the time of the longest conversation.
//!
//! Everything starts on the assumption that native tools work, which is nearly always so; where they
//! do not, on the assumption that the first taught protocol works. If the ladder ends on another rung,
//! what was started is dropped and asked again on that rung. Verdicts wait until their controls are
//! known.

use futures_util::FutureExt as _;
use futures_util::future::{Either, select};

use super::Probe;
use super::bench::Bench;
use super::kind::{Asked, Asking, Known};
use super::ladder::{Climb, Ladder, Native};
use super::together::hold_together;
use crate::profile::{Finding, ProbeResult, Results, lower_by_clients};
use crate::telemetry::TurnEvent;

/// Hears when a probe is asked, for progress and to measure its time. `()` ignores it.
pub trait ProbeListener: Sync {
    /// The first trial of this probe is about to begin.
    fn began(&self, _probe: &str) {}
    /// All trials of this probe are over.
    fn asked(&self, probe: &str);
}

impl ProbeListener for () {
    fn asked(&self, _probe: &str) {}
}

/// What a suite gave.
#[derive(Debug, Clone, Default)]
pub(crate) struct SuiteOutcome {
    /// What each probe found.
    pub results: Results,
    /// The turns that were held as an agent would hold them, without those that were made wrong on
    /// purpose.
    pub telemetry: Vec<TurnEvent>,
}

/// The trials of probes, each before its control is known.
type AskedProbes<'a> = Vec<(&'a Probe, Box<dyn Asked>)>;

/// Asks these probes of one endpoint. Where none of them climbs the ladder, they are asked on the rung
/// that the bench names, and what has no control of its own gets no negative verdict.
pub(crate) async fn run(
    bench: &Bench,
    probes: &[&Probe],
    listener: &dyn ProbeListener,
) -> SuiteOutcome {
    let mode = bench.manner.mode;
    let probes: Vec<&Probe> = probes.iter().copied().filter(|probe| probe.is_asked(mode)).collect();
    let probes = probes.as_slice();
    let (climb, asked) = match Ladder::among(probes) {
        Some(ladder) => {
            let (climb, asked) = climb_and_ask(bench, probes, ladder, listener).await;
            (Some(climb), asked)
        }
        None => (None, ask_all(bench, probes, listener).await),
    };
    let replies = climb.as_ref().map_or(bench.replies, |climb| climb.result.replies);
    let known = Known::of(&Bench { replies, ..bench.clone() });
    let mut outcome = conclude(known, climb, asked);
    lower_by_clients(&mut outcome.results, bench.client.dialect());
    outcome
}

/// The outcome of a suite that could not be asked, because no endpoint that understands was found.
pub(crate) fn run_unreachable(probes: &[&Probe], why: &str) -> SuiteOutcome {
    let climb =
        Ladder::among(probes).map(|ladder| ladder.block(&Finding::Inconclusive(why.to_owned())));
    let asked = climb.as_ref().map(|climb| block_all(probes, climb)).unwrap_or_default();
    conclude(Known::nothing(), climb, asked)
}

async fn climb_and_ask<'a>(
    bench: &Bench,
    probes: &[&'a Probe],
    ladder: Ladder<'_>,
    listener: &dyn ProbeListener,
) -> (Climb, AskedProbes<'a>) {
    let on = |delivery| Bench { delivery, ..bench.clone() };
    let works = |native: &Native| match native {
        Native::Ends(climb) => {
            let is_as_begun = climb.client.is_none() && climb.result.replies == bench.replies;
            climb.result.delivery.is_some() && is_as_begun
        }
        Native::Fails(..) => false,
    };
    let id = &ladder.probe.id;
    listener.began(id);
    let first = bench.expecting(ladder.probe);
    let native = ladder.try_native(&first).inspect(|native| {
        if let Native::Ends(_) = native {
            listener.asked(id);
        }
    });
    let asking = ask_all(bench, probes, listener);
    let (climb, asked) = match ask_meanwhile(native, works, asking).await {
        (Native::Ends(climb), asked) => (*climb, asked),
        (Native::Fails(trials, replies), _) => {
            let bench = &Bench { replies, ..bench.clone() };
            let likely = ladder.likely();
            let holds = |climb: &Climb| likely.is_some() && climb.result.delivery == likely;
            let likely_bench =
                Bench { delivery: likely.unwrap_or(bench.delivery), ..bench.clone() };
            let asking = ask_all(&likely_bench, probes, listener);
            let first = bench.expecting(ladder.probe);
            let taught = ladder.teach(&first, trials).inspect(|_| listener.asked(id));
            ask_meanwhile(taught, holds, asking).await
        }
    };
    let asked = match (climb.result.delivery, asked) {
        (Some(_), Some(asked)) => asked,
        (Some(delivery), None) => {
            let client = climb.client.clone().unwrap_or_else(|| bench.client.clone());
            let replies = climb.result.replies;
            ask_all(&Bench { client, replies, ..on(delivery) }, probes, listener).await
        }
        (None, _) => block_all(probes, &climb),
    };
    (climb, asked)
}

/// Asks on the rung that is likely to hold while that is still being found out. Where it does not
/// hold, what was begun is dropped.
async fn ask_meanwhile<'a, C>(
    climb: impl Future<Output = C>,
    holds: impl Fn(&C) -> bool,
    asking: impl Future<Output = AskedProbes<'a>>,
) -> (C, Option<AskedProbes<'a>>) {
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

/// Asks every probe on the bench's rung, but for the one that climbs the ladder.
pub(super) async fn ask_all<'a>(
    bench: &Bench,
    probes: &[&'a Probe],
    listener: &dyn ProbeListener,
) -> AskedProbes<'a> {
    hold_together(besides_ladder(probes).map(|probe| async move {
        listener.began(&probe.id);
        let bench = &bench.expecting(probe);
        let asked = probe.question.ask(Asking { bench, probe, probes }).await;
        listener.asked(&probe.id);
        (probe, asked)
    }))
    .await
}

fn block_all<'a>(probes: &[&'a Probe], climb: &Climb) -> AskedProbes<'a> {
    let why = climb.blocks();
    besides_ladder(probes).map(|probe| (probe, probe.question.block(&why))).collect()
}

fn besides_ladder<'a>(probes: &[&'a Probe]) -> impl Iterator<Item = &'a Probe> {
    let ladder = Ladder::among(probes).map(|ladder| ladder.probe.id.clone());
    probes.iter().copied().filter(move |probe| Some(&probe.id) != ladder.as_ref())
}

fn conclude(known: Known, climb: Option<Climb>, asked: AskedProbes<'_>) -> SuiteOutcome {
    let control = climb.as_ref().map_or_else(|| known.control.clone(), Climb::control);
    let climbed = climb.iter().flat_map(|climb| climb.telemetry.clone());
    let telemetry = climbed.chain(asked.iter().flat_map(|(_, asked)| asked.telemetry())).collect();
    let layer = climb.as_ref().and_then(|climb| climb.result.layer);
    let known = Known { control, layer, ..known };
    SuiteOutcome { results: settle(climb, asked, known), telemetry }
}

/// The results, each negative against its control. Streams come last: their controls are the plain
/// trials of other probes.
pub(super) fn settle(climb: Option<Climb>, asked: AskedProbes<'_>, mut known: Known) -> Results {
    let mut results = Results::default();
    if let Some(Climb { result, trials, .. }) = climb {
        let id = result.outcome.probe.clone();
        results.insert(&id, ProbeResult::SingleTool(result));
        known.settled.insert(id, trials);
    }
    let (plain, streams): (Vec<_>, Vec<_>) =
        asked.into_iter().partition(|(probe, _)| probe.twins().is_empty());
    for (probe, asked) in plain.into_iter().chain(streams) {
        let (result, trials) = asked.settle(&probe.id, &known);
        results.insert(&probe.id, result);
        known.settled.insert(probe.id.clone(), trials);
    }
    results
}
