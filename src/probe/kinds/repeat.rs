//! `[ask.repeat]`: does the model repeat a word? The example of a kind, compiled for tests only.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::probe::Seed;
use crate::probe::estimate::{Costing, Estimate};
use crate::probe::kind::{Asking, ProbeKind};
use crate::probe::offer::Offer;
use crate::probe::outcome::outcome;
use crate::probe::suite::CallAsk;
use crate::probe::trial::{Case, SettledCase, Trial, missing_reply};
use crate::profile::{Cases, Finding, Observation, ProbeResult};
use crate::tools::RegistryError;

/// A word to repeat, with a tool on offer that is not needed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repeat {
    /// What to say before the word.
    words: String,
}

impl ProbeKind for Repeat {
    const NAME: &'static str = "repeat";
    /// Nothing but the finding is of interest.
    type Facts = ();

    fn calls(&self) -> Vec<&CallAsk> {
        Vec::new()
    }

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<()>> {
        vec![asking.hold("", |seed| self.trial(asking, seed)).await]
    }

    fn result(probe: &str, cases: &[SettledCase<()>]) -> ProbeResult {
        ProbeResult::Cases(Cases::of(outcome(probe, cases), []))
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let offer = Offer::new(costing.probe, ["probe_echo"]);
        Estimate::exactly(costing.question(&offer, &self.words).turns(1))
    }
}

impl Repeat {
    async fn trial(&self, asking: Asking<'_>, seed: Seed) -> Result<Trial<()>, RegistryError> {
        let word = seed.word();
        let tools = Offer::new(asking.probe, ["probe_echo"]).tools(&seed)?;
        let words = format!("{} {word}", self.words);
        let mut conversation = asking.bench.conversation(&tools, &words);
        let turn = conversation.turn().await;
        let shown = missing_reply(&turn.answer).unwrap_or_else(|| {
            if turn.reading.text.contains(&word) {
                Finding::pass("repeated").into()
            } else {
                // A finding only once the control, a single call, is known to have passed.
                Observation::Negative("the word is not in the answer".to_owned())
            }
        });
        Ok(Trial::of(&conversation, shown, ()))
    }
}
