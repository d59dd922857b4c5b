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
    use std::fs;
    use std::sync::Arc;

    use chrono::DateTime;

    use crate::campaign::{RunSettings, probe_target};
    use crate::probe::suite::{Probe, ProbeFile};
    use crate::probe::{Suite, SuiteName};
    use crate::profile::{Mode, ProbeOutcome, Status};
    use crate::sim::{Fleet, Options, Sim};
    use crate::target::{Defaults, connect, simulated};
    use crate::transport::Budget;

    const FILE: &str = "about = 'a'\nsuites = ['full']\n[ask.repeat]\nwords = 'Repeat this:'\n";

    #[test]
    fn a_registered_kind_is_read_described_and_estimated() {
        let probe = Probe::read("my-word", FILE).unwrap();
        let cost = crate::probe::estimate(&[&probe], 2, None, Mode::Both);
        assert_eq!(cost.likely.requests, 2);
        let schema = schemars::schema_for!(ProbeFile).to_value().to_string();
        assert!(schema.contains(r#""repeat":{"$ref""#), "{schema}");
        let error = ProbeFile::read(&FILE.replace("words", "wrods")).unwrap_err();
        assert!(error.contains("line 4") && error.contains("wrods"), "{error}");
        let error = ProbeFile::read(&FILE.replace("ask.repeat", "ask.repaet")).unwrap_err();
        assert!(error.contains("'repaet'") && error.contains("closed-loop"), "{error}");
    }

    /// Asks a simulated model the probe of the file, beside the built-in one that is its control.
    async fn ask(model: &str) -> ProbeOutcome {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("my-word.toml"), FILE).unwrap();
        let suite = Suite::load(folder.path()).unwrap();
        let fleet = Fleet::embedded().unwrap();
        let sim = Sim::start(fleet.clone(), "127.0.0.1:0", Options::default()).await.unwrap();
        let model = fleet.get(model).unwrap();
        let target = simulated(model, &sim.base_url(), &Defaults::default()).unwrap();
        let connection = connect(target, &|_| None, &Arc::new(Budget::unlimited())).unwrap();
        let verified_at = DateTime::UNIX_EPOCH;
        let settings =
            RunSettings { suite, name: SuiteName::Full, trials: 2, seed: 1, verified_at };
        let profile = probe_target(&connection, &settings, &()).await.unwrap().profile;
        profile.results.extended["my-word"].outcome.clone()
    }

    #[tokio::test]
    async fn a_registered_kind_is_asked_of_an_endpoint_and_judged_against_its_control() {
        // Simulated models do not repeat words; only one that calls tools passes the control.
        let found = ask("openai-native").await;
        assert_eq!((found.status, found.trials), (Status::Fail, 2), "{found:?}");
        assert_eq!(found.reason, "the word is not in the answer");
        assert!(!found.evidence.is_empty());
        assert_eq!(ask("talks-only").await.status, Status::Skipped);
    }
}
