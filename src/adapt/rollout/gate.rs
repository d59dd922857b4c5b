//! The gate: which tools run in which tier.

use crate::ir::ToolCall;
use crate::profile::Tier;
use crate::tools::{Effect, ErrorCode, Hook, ToolFailure};

/// A hook that lets only those tools run that a tier allows. What it refuses is counted as blocked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TierGate(pub Tier);

impl TierGate {
    /// Why a call may not run in this tier; `None` where it may.
    pub(crate) fn refusal(self, call: &ToolCall, effect: Effect) -> Option<ToolFailure> {
        let may_run = match (self.0, effect) {
            (Tier::Full, _) | (Tier::ReadOnly, Effect::ReadOnly) => true,
            (Tier::ReadOnly, Effect::Mutating) | (Tier::Shadow | Tier::Blocked, _) => false,
        };
        let words = || format!("'{}' may not run in tier '{}'", call.name, self.0);
        (!may_run).then(|| ToolFailure::fatal(ErrorCode::Refused, words()))
    }
}

impl Hook for TierGate {
    fn before(&self, call: &mut ToolCall, effect: Effect) -> Result<(), ToolFailure> {
        self.refusal(call, effect).map_or(Ok(()), Err)
    }
}
