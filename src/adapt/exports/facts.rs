//! What was measured, in the words that programs have settings for. `None` is unknown.

use crate::adapt::plan::Plan;
use crate::dialect::DialectId;
use crate::ir::Layer;
use crate::profile::{Profile, ReplayMode, Status, Taken, ToolCallFormat};
use crate::prompted::ToolDelivery;

pub(super) struct Facts<'a> {
    pub(super) profile: &'a Profile,
    pub(super) plan: &'a Plan,
    /// Whether calls arrive in the protocol's own field, from tools declared there.
    pub(super) native_tools: Option<bool>,
    pub(super) parallel: Option<bool>,
    pub(super) streaming: Option<bool>,
    /// Whether the model gives reasoning state.
    pub(super) reasons: Option<bool>,
    /// Whether a follow-up without its reasoning is refused.
    pub(super) replays: Option<bool>,
    /// The field that reasoning stands in.
    pub(super) reasoning_field: Option<&'a str>,
    /// The text format that reads the calls.
    pub(super) text_format: Option<&'a str>,
    pub(super) schema: Option<bool>,
    /// Whether a tool choice can be forced.
    pub(super) tool_choice: Option<bool>,
    /// Whether the user may speak right after results.
    pub(super) user_after_results: Option<bool>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(profile: &'a Profile, plan: &'a Plan) -> Self {
        let (found, results) = (&profile.capabilities, &profile.results);
        let single = results.single_tool.as_ref();
        let native = |format: ToolCallFormat| {
            format != ToolCallFormat::None
                && found.tool_delivery == Some(ToolDelivery::Native)
                && single.is_some_and(|it| it.layer == Some(Layer::Structured))
        };
        let mode = found.reasoning_replay.mode;
        let schema = results.schema.as_ref().map(|it| it.outcome.status);
        let choice = results.extended.get("tool-choice").map(|it| it.outcome.status);
        let is_pass = |status: Status| status.is_conclusive().then_some(status == Status::Pass);
        let after = results.history.as_ref().and_then(|it| it.shapes.get("text-after-results"));
        Self {
            profile,
            plan,
            native_tools: found.tool_call_format.map(native),
            parallel: found.supports_parallel_tool_use,
            streaming: found.supports_streaming_tool_use,
            reasons: mode.map(|mode| mode != ReplayMode::Absent),
            replays: found.requires_reasoning_replay,
            reasoning_field: found.reasoning_replay.field.as_deref(),
            text_format: found.parser.as_deref(),
            schema: schema.and_then(is_pass),
            tool_choice: choice.and_then(is_pass),
            user_after_results: after.and_then(|shape| match shape.taken {
                Taken::Accepted | Taken::Ignored => Some(true),
                Taken::Rejected => Some(false),
                Taken::Inconclusive | Taken::Skipped => None,
            }),
        }
    }

    pub(super) fn provider(&self) -> &'a str {
        &self.profile.subject.provider
    }

    pub(super) fn model(&self) -> &'a str {
        &self.profile.subject.model
    }

    pub(super) fn endpoint(&self) -> &'a str {
        &self.profile.subject.endpoint
    }

    pub(super) fn dialect(&self) -> DialectId {
        self.profile.dialect
    }
}
