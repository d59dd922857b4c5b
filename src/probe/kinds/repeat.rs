//! `[ask.repeat]`: does the model repeat a word? The example of a kind, compiled for tests only.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, Case, Costing, Estimate, Offer, ProbeKind, Seed, SettledCase, Trial, missing_reply,
    outcome,
};
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

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<()>> {
        vec![asking.hold("", |seed| self.trial(asking, seed)).await]
    }

    fn result(probe: &str, cases: &[SettledCase<()>]) -> ProbeResult {
        ProbeResult::Cases(Cases::of(outcome(probe, cases), []))
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let offer = Offer::new(costing.probe, ["probe_echo"]);
        Estimate::exactly(Costing::question(&offer, &self.words).turns(1))
    }
}

impl Repeat {
    async fn trial(&self, asking: Asking<'_>, seed: Seed) -> Result<Trial<()>, RegistryError> {
        let word = seed.word();
        let tools = Offer::new(asking.probe, ["probe_echo"]).tools(&seed)?;
        let words = format!("{} {word}", self.words);
        let mut conversation = asking.conversation(&tools, &words);
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

#[cfg(test)]
mod tests {
    use crate::probe::suite::{Probe, ProbeFile};
    use crate::profile::Mode;

    #[test]
    fn a_registered_kind_is_read_described_and_estimated() {
        let text = "about = 'a'\nsuites = ['full']\n[ask.repeat]\nwords = 'Repeat this:'\n";
        let probe = Probe::read("my-word", text).unwrap();
        let cost = crate::probe::estimate(&[&probe], 2, None, Mode::Both);
        assert_eq!(cost.likely.requests, 2);
        let schema = schemars::schema_for!(ProbeFile).to_value().to_string();
        assert!(schema.contains(r#""repeat":{"$ref""#), "{schema}");
        let error = ProbeFile::read(&text.replace("words", "wrods")).unwrap_err();
        assert!(error.contains("line 4") && error.contains("wrods"), "{error}");
        let error = ProbeFile::read(&text.replace("ask.repeat", "ask.repaet")).unwrap_err();
        assert!(error.contains("'repaet'") && error.contains("closed-loop"), "{error}");
    }
}
