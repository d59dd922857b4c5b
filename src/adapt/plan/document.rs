//! The plan of one target, as it is printed, applied and exported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::corrections;
use crate::dialect::DialectId;
use crate::profile::{Correction, CorrectionKind, Profile, Setting, Subject};

/// The version of the format.
pub(crate) const PLAN_VERSION: u32 = 1;

/// What an adapter must do about one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The version of this format.
    pub plan_version: u32,
    /// What it is about.
    #[serde(flatten)]
    pub subject: Subject,
    /// The protocol that is spoken.
    pub dialect: DialectId,
    /// What to do; nothing for a well-behaved model.
    pub corrections: Vec<Correction>,
}

impl Plan {
    /// The plan that follows from a profile's results, whatever corrections it stores.
    pub fn of(profile: &Profile) -> Self {
        Self {
            plan_version: PLAN_VERSION,
            subject: profile.subject.clone(),
            dialect: profile.dialect,
            corrections: corrections(profile),
        }
    }

    /// The setting of a kind; `None` if the plan does nothing of that kind.
    pub fn setting(&self, kind: CorrectionKind) -> Option<&Setting> {
        self.corrections.iter().map(|it| &it.setting).find(|setting| setting.kind() == kind)
    }

    /// The kinds of its corrections.
    pub fn kinds(&self) -> impl Iterator<Item = CorrectionKind> {
        self.corrections.iter().map(|it| it.setting.kind())
    }
}
