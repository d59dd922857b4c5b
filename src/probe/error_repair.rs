//! Is a call that came back as a structured error corrected and made again?

use futures_util::future::join_all;

use super::bench::{Bench, Offer, Trial, blocked, wanted};
use super::calls::{Fit, best, no_call};
use super::outcome::settled;
use super::suite::OneCall;
use super::{Probe, Seed, ask_for};
use crate::conversation::{Conversation, Miss, Reading, excerpt};
use crate::profile::{Finding, Repair};

/// How many corrections are waited for.
pub(super) const CORRECTIONS: usize = 3;

/// Whether the same call came again and again.
pub(super) type Looped = bool;

/// Asks for a call that fails and sees what is made of the error.
pub(super) async fn trials(bench: &Bench, probe: &Probe, ask: &OneCall) -> Vec<Trial<Looped>> {
    join_all(bench.seeds(&probe.id, "").iter().map(|seed| trial(bench, probe, ask, seed))).await
}

/// The result; every negative here has its own first call as its control.
pub(super) fn settle(probe: &str, trials: Vec<Trial<Looped>>) -> Repair {
    let loops = trials.iter().filter(|trial| trial.facts).count();
    let unneeded = Finding::Skipped("settled within the trial".to_owned());
    let (outcome, _) = settled(probe, trials, &unneeded, "its own call");
    Repair { outcome, loops: u32::try_from(loops).unwrap_or(u32::MAX) }
}

async fn trial(bench: &Bench, probe: &Probe, ask: &OneCall, seed: &Seed) -> Trial<Looped> {
    let wanted = wanted(&ask.call, seed);
    let tools = match (Offer { probe, names: &[&wanted.tool], among: 0, filler: 0 }).tools(seed) {
        Ok(tools) => tools,
        Err(error) => return Trial::skipped(error.to_string(), false),
    };
    let words = format!("{}\n\n{}", ask_for(std::slice::from_ref(&wanted)), ask.then);
    let mut conversation = bench.conversation(&tools, &words);
    let called = conversation.turn().await;
    let first = blocked(&called.answer, "no call that could fail").unwrap_or_else(|| {
        match best(&called.reading, &wanted, None) {
            Some((_, Fit::Exact | Fit::Valid)) => Finding::pass("a call that fails"),
            _ => Finding::Skipped(format!("no call that could fail: {}", no_call(&called.reading))),
        }
    });
    let (finding, looped) = if matches!(first, Finding::Pass(_)) {
        conversation.run_tools(&called).await;
        corrected(&mut conversation, &first).await
    } else {
        (first, false)
    };
    Trial::of(&conversation, finding, looped)
}

/// What is made of the error, over a few turns.
async fn corrected(conversation: &mut Conversation<'_>, first: &Finding) -> (Finding, Looped) {
    let fail = |reason: String| Finding::fail_against(reason, first, "the call that failed");
    for turn in 1..=CORRECTIONS {
        let said = conversation.turn().await;
        match said.answer.miss() {
            Some(Miss::Open(words)) => return (Finding::Inconclusive(words), false),
            Some(Miss::Clear(words)) => {
                return (fail(format!("the error is not answered: {words}")), false);
            }
            None if said.reading.calls.is_empty() => {
                return (fail(explained(&said.reading)), false);
            }
            None => {}
        }
        if conversation.repeated_call().is_some() {
            return (fail("the same call again and again".to_owned()), true);
        }
        let results = conversation.run_tools(&said).await;
        if results.iter().any(|result| !result.is_error) {
            let turns = if turn == 1 { "turn" } else { "turns" };
            return (Finding::pass(format!("corrected in {turn} {turns}")), false);
        }
    }
    (fail(format!("not corrected in {CORRECTIONS} turns")), false)
}

fn explained(reading: &Reading) -> String {
    match (reading.broken.is_empty(), reading.text.trim()) {
        (false, _) => no_call(reading),
        (true, "") => "an empty reply to the error".to_owned(),
        (true, text) => format!("explains instead of calling again: {:?}", excerpt(text, 80)),
    }
}
