//! Facts for exports: what was measured, as programs have settings for it. `None` is unknown.

use url::Url;

use crate::adapt::plan::Plan;
use crate::dialect::{DialectId, call_url};
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

    /// The URL of the call itself; the endpoint as it was given where that is no URL.
    pub(super) fn call_url(&self) -> String {
        let base = Url::parse(self.endpoint()).ok();
        let url = base.and_then(|base| call_url(self.dialect(), &base, self.model(), false).ok());
        url.map_or_else(|| self.endpoint().to_owned(), |url| url.to_string())
    }

    /// The base with the version of the API, as `…/v1`.
    pub(super) fn versioned_base(&self) -> String {
        let url = self.call_url();
        let cut = CALLS.iter().find_map(|call| url.find(call));
        cut.map_or(url.as_str(), |at| url.split_at(at).0).to_owned()
    }

    /// The base without the version of the API.
    pub(super) fn bare_base(&self) -> String {
        let base = self.versioned_base();
        let cut = ["/v1beta", "/v1"].iter().find_map(|version| base.strip_suffix(version));
        cut.unwrap_or(&base).to_owned()
    }

    pub(super) fn dialect(&self) -> DialectId {
        self.profile.dialect
    }

    /// How the program does not fit, where it speaks none of these dialects as the endpoint was asked.
    pub(super) fn unspoken(&self, speaks: &[DialectId]) -> Vec<String> {
        let dialect = self.dialect();
        let note = format!("this was measured over {dialect}, which the program does not speak");
        if speaks.contains(&dialect) { Vec::new() } else { vec![note] }
    }
}

/// Where the path of a call begins, by dialect.
const CALLS: [&str; 5] = ["/chat/completions", "/responses", "/messages", "/models/", "/api/chat"];
