//! Is a question that needs no tool answered without one?

use futures_util::future::join_all;

use super::bench::{Bench, Offer, Trial};
use super::call_cases::{CaseTrials, missed};
use super::suite::Question;
use super::{Probe, Seed};
use crate::profile::{CaseVerdict, Finding, Observation};

/// The tools that stand by.
pub(super) const TOOLS: [&str; 2] = ["probe_echo", "probe_add"];

/// Asks the question with tools on offer.
pub(super) async fn ask(bench: &Bench, probe: &Probe, ask: &Question) -> CaseTrials {
    let seeds = bench.seeds(&probe.id, "");
    let trials = join_all(seeds.iter().map(|seed| trial(bench, probe, ask, seed))).await;
    vec![("answered".to_owned(), trials)]
}

async fn trial(bench: &Bench, probe: &Probe, ask: &Question, seed: &Seed) -> Trial<CaseVerdict> {
    let tools = match (Offer { probe, names: &TOOLS, among: 0, filler: 0 }).tools(seed) {
        Ok(tools) => tools,
        Err(error) => return Trial::skipped(error.to_string(), CaseVerdict::Skipped),
    };
    let mut conversation = bench.conversation(&tools, &ask.question);
    let said = conversation.turn().await;
    let (facts, observation) =
        missed(&said.answer).unwrap_or_else(|| match said.reading.calls.first() {
            Some(call) => (
                CaseVerdict::AcceptedInvalid,
                Observation::Negative(format!("called '{}', which was not needed", call.name)),
            ),
            None if said.reading.attempted() || said.reading.text.trim().is_empty() => (
                CaseVerdict::AcceptedInvalid,
                Observation::Negative(match said.reading.broken.first() {
                    Some(problem) => format!("tried to call, which was not needed: {problem}"),
                    None => "an empty answer".to_owned(),
                }),
            ),
            None => (CaseVerdict::AcceptedValid, Finding::pass("answered in words").into()),
        });
    Trial::of(&conversation, observation, facts)
}
