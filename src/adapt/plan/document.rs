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

    /// The plan with what a measurement through it calls for beside it; `None` where that is nothing. A kind that is
    /// in the plan already has done what it can.
    #[must_use]
    pub fn with_more(&self, measured: &Profile) -> Option<Self> {
        let has = |it: &Correction| self.kinds().any(|kind| kind == it.setting.kind());
        let more: Vec<Correction> =
            corrections(measured).into_iter().filter(|it| !has(it)).collect();
        let mut plan = self.clone();
        plan.corrections.extend(more);
        plan.corrections.sort_by_key(|it| it.setting.kind());
        (plan != *self).then_some(plan)
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
