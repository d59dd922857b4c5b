//! Confirmations: what sampling a suspected regression again showed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FieldPath;

/// How trials came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// Conclusive trials that passed.
    pub passes: u32,
    /// Conclusive trials.
    pub trials: u32,
}

/// What the samples say of a suspicion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[derive(Serialize, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Decision {
    /// The rate has dropped.
    Regression,
    /// The rate is what it was.
    Noise,
    /// The samples did not suffice to tell.
    Inconclusive,
}

impl Decision {
    /// As it stands in files.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A suspected regression that was sampled again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Confirmation {
    /// The target's name. Runs from before targets were known by it kept the name of a file here.
    #[serde(alias = "profile")]
    pub target: String,
    /// The field that changed.
    #[schemars(with = "String")]
    pub field: FieldPath,
    /// The probe that was asked again.
    pub probe: String,
    /// The one case of it, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// The decision.
    pub decision: Decision,
    /// The snapshot's trials.
    pub baseline: Observed,
    /// The samples; those that agree with the snapshot are its passes.
    pub samples: Observed,
}

impl Confirmation {
    /// In words, what was seen.
    pub fn words(&self) -> String {
        let Observed { passes, trials } = self.samples;
        let what = match self.decision {
            Decision::Regression => "confirmed",
            Decision::Noise => "noise",
            Decision::Inconclusive => "undecided",
        };
        format!(
            "{what}: sampled again, {passes} of {trials} are as before ({} of {})",
            self.baseline.passes, self.baseline.trials
        )
    }
}
