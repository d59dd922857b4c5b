//! `[ask.error-repair]`: is a call that came back as a structured error corrected and made again?

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, CallAsk, Case, Costing, Estimate, Fit, Offer, OneCall, ProbeKind, Seed, SettledCase,
    Trial, best_fit, describe_missing_call, missing_start, outcome,
};
use crate::conversation::{Conversation, Miss, Reading, excerpt};
use crate::profile::{Finding, ProbeResult, Repair};
use crate::tools::RegistryError;

/// How many corrections are waited for.
const CORRECTIONS: u32 = 3;

/// A call that fails, to be corrected.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ErrorRepair(OneCall);

impl ProbeKind for ErrorRepair {
    const NAME: &'static str = "error-repair";
    /// Whether the same call came again and again.
    type Facts = bool;

    fn calls(&self) -> Vec<&CallAsk> {
        vec![&self.0.call]
    }

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<bool>> {
        vec![asking.hold("", |seed| self.trial(asking, seed)).await]
    }

    fn result(probe: &str, cases: &[SettledCase<bool>]) -> ProbeResult {
        let looped = cases.iter().flat_map(|case| &case.trials).filter(|trial| trial.facts);
        let loops = u32::try_from(looped.count()).unwrap_or(u32::MAX);
        ProbeResult::Repair(Repair { outcome: outcome(probe, cases), loops })
    }

    fn turns(&self) -> u32 {
        3
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let talk = costing.talk(self.calls(), &self.0.then);
        Estimate { likely: talk.turns(2), most: talk.turns(1 + 2 * u64::from(CORRECTIONS)) }
    }
}

impl ErrorRepair {
    /// Settles itself: the call that failed is the control of every failure to correct it.
    async fn trial(&self, asking: Asking<'_>, seed: Seed) -> Result<Trial<bool>, RegistryError> {
        let wanted = self.0.call.fill(&seed);
        let tools = Offer::new(asking.probe, [wanted.tool.as_str()]).tools(&seed)?;
        let mut conversation = asking.conversation(&tools, &self.0.words(&wanted));
        let called = conversation.turn().await;
        let first = missing_start(&called.answer, "no call that could fail").unwrap_or_else(|| {
            match best_fit(&called.reading, &wanted, &tools) {
                Some((_, Fit::Exact | Fit::Valid | Fit::Invalid(_))) => {
                    Finding::pass("a call that fails")
                }
                Some((_, Fit::OtherTool(_))) | None => {
                    let reason = describe_missing_call(&called.reading);
                    Finding::Skipped(format!("no call that could fail: {reason}"))
                }
            }
        });
        if !matches!(first, Finding::Pass(_)) {
            return Ok(Trial::of(&conversation, first, false));
        }
        conversation.run_tools(&called).await;
        let (finding, looped) = await_correction(&mut conversation, &first).await;
        Ok(Trial::of(&conversation, finding, looped))
    }
}

/// What the model makes of the error over a few turns, and whether it ran in a loop.
async fn await_correction(conversation: &mut Conversation<'_>, first: &Finding) -> (Finding, bool) {
    let fail = |reason: String| Finding::fail_against(reason, first, "the call that failed");
    for number in 1..=CORRECTIONS {
        let turn = conversation.turn().await;
        match turn.answer.miss() {
            Some(Miss::Open(words)) => return (Finding::Inconclusive(words), false),
            Some(Miss::Clear(words)) => {
                return (fail(format!("the error is not answered: {words}")), false);
            }
            None if turn.reading.calls.is_empty() => {
                return (fail(describe_explanation(&turn.reading)), false);
            }
            None => {}
        }
        if conversation.repeated_call().is_some() {
            return (fail("the same call again and again".to_owned()), true);
        }
        let results = conversation.run_tools(&turn).await;
        if results.iter().any(|result| !result.is_error) {
            let turns = if number == 1 { "turn" } else { "turns" };
            return (Finding::pass(format!("corrected in {number} {turns}")), false);
        }
    }
    (fail(format!("not corrected in {CORRECTIONS} turns")), false)
}

fn describe_explanation(reading: &Reading) -> String {
    match (reading.broken.is_empty(), reading.text.trim()) {
        (false, _) => describe_missing_call(reading),
        (true, "") => "an empty reply to the error".to_owned(),
        (true, text) => format!("explains instead of calling again: {:?}", excerpt(text, 80)),
    }
}
