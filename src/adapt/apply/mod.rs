//! Applying a plan: outgoing requests and incoming replies are rewritten, and come back as they were.
//!
//! Whoever speaks through a [`Rewriter`] offers tools natively and gets structured calls with ids of
//! their own and arguments that fit the original schemas, whatever the endpoint makes of them.
//!
//! - `schema`: simpler schemas; `restore`: the values that they were simplified for
//! - `split`: several tools in the place of one whose arguments are alternatives
//! - `text_calls`: calls and results as text, and calls out of text
//! - `ids`: ids that pair
//! - `placement`: where results stand
//! - `choice`: tool choices and limits told in words
//! - `undo`: the original request, made again from what was sent

mod choice;
mod ids;
mod placement;
mod restore;
mod schema;
mod split;
mod text_calls;
mod undo;

use std::collections::BTreeSet;

use super::plan::Plan;
use crate::ir::{CallId, Part, Reply, Request, StopKind, ToolSpec};
use crate::profile::{
    CorrectionKind, Keep, ParallelLimit, ReasoningUse, Setting, StreamUse, ToolOffer,
};
use crate::prompted::ToolDelivery;
use split::Offer;
use text_calls::TextCalls;
use undo::Undo;

/// Rewrites the requests to one endpoint, and its replies, as a plan says.
#[derive(Debug, Clone)]
pub struct Rewriter {
    plan: Plan,
}

/// A request as it is sent, and what it takes to read the reply to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewritten {
    /// What is sent.
    pub request: Request,
    /// What it takes to make the original request again; `None` where it is sent as it is.
    undo: Option<Undo>,
    /// The tools that are offered in several parts.
    split: Vec<Offer>,
    /// The ids that calls of the reply must not have, because others have them.
    used: BTreeSet<CallId>,
}

impl Rewritten {
    /// A request that is sent as it is.
    pub fn unchanged(request: &Request) -> Self {
        Self { request: request.clone(), undo: None, split: Vec::new(), used: BTreeSet::new() }
    }

    /// The request before it was rewritten, made again from what is sent: its ids, names, schemas, results and
    /// reasoning.
    pub fn into_original(self) -> Request {
        let offered = self.offered();
        match self.undo {
            Some(undo) => undo.apply(self.request, &offered),
            None => self.request,
        }
    }

    /// The caller's own tools.
    fn tools(&self) -> &[ToolSpec] {
        self.undo.as_ref().map_or(&self.request.tools, |undo| &undo.tools)
    }

    /// The tools that the model may call, with the schemas that its arguments must fit.
    fn offered(&self) -> Vec<ToolSpec> {
        split::offer_parts(self.tools(), &self.split)
    }
}

impl Rewriter {
    /// A rewriter that follows this plan.
    pub fn new(plan: Plan) -> Self {
        Self { plan }
    }

    /// The plan that it follows.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How many calls of one reply may run; `None` where nothing limits them.
    pub fn calls_per_turn(&self) -> Option<usize> {
        match self.plan.setting(CorrectionKind::Parallel) {
            Some(Setting::Parallel { calls_per_turn, .. }) => usize::try_from(*calls_per_turn).ok(),
            _ => None,
        }
    }

    /// How often a model may try again after an error; `None` where nothing limits it.
    pub fn retries(&self) -> Option<u32> {
        match self.plan.setting(CorrectionKind::ErrorFeedback) {
            Some(Setting::ErrorFeedback { retries, .. }) => Some(*retries),
            _ => None,
        }
    }

    /// The request as this endpoint needs it.
    pub fn rewrite(&self, request: &Request) -> Rewritten {
        let mut sent = request.clone();
        let split = split::offers(&request.tools, self.split_keywords());
        // What is said in words and what calls look like comes last: the others see calls as such. Choices that
        // are refused are avoided whoever made them.
        let mut settings: Vec<&Setting> =
            self.plan.corrections.iter().map(|it| &it.setting).collect();
        settings.sort_by_key(|setting| order(setting));
        split::write(&mut sent, &split);
        for setting in settings {
            self.correct(setting, &mut sent);
        }
        let undo = Undo::of(request, &sent, &split::offer_parts(&request.tools, &split));
        let used = ids::used(&request.messages);
        Rewritten { request: sent, undo: Some(undo), split, used }
    }

    fn split_keywords(&self) -> &[String] {
        match self.plan.setting(CorrectionKind::Schema) {
            Some(Setting::Schema { split, .. }) => split,
            _ => &[],
        }
    }

    fn correct(&self, setting: &Setting, request: &mut Request) {
        match setting {
            Setting::Delivery { tools: ToolOffer::None } => choice::offer_nothing(request),
            Setting::Delivery { tools: ToolOffer::By(ToolDelivery::Forced(force)) } => {
                choice::force(request, *force);
            }
            Setting::Delivery { .. } | Setting::Parsing { .. } => {
                if let Some(text) = self.text_calls() {
                    text.write(request);
                }
            }
            Setting::Schema { drop, widen, .. } => {
                for tool in &mut request.tools {
                    *tool = schema::simplify(tool, drop, widen);
                }
            }
            Setting::Parallel { by: ParallelLimit::Switch, .. } => {
                choice::switch_parallel_off(request);
            }
            Setting::Parallel { by: ParallelLimit::Prompt, .. } => {
                choice::ask_for_one_call(request);
            }
            Setting::Streaming { tool_calls, .. } if has_tools(request) => match tool_calls {
                StreamUse::Plain => request.stream = false,
                StreamUse::Streamed => request.stream = true,
                StreamUse::Accumulate => {}
            },
            Setting::ReasoningReplay { send: ReasoningUse::Omit, .. } => {
                if let Some(bare) = request.without_reasoning() {
                    *request = bare;
                }
            }
            Setting::ResultPlacement { rules } => placement::place(&mut request.messages, rules),
            Setting::Ids { .. } => ids::write(&mut request.messages),
            Setting::ToolChoice { refused, ignored } => {
                choice::avoid(request, refused, ignored, self.declares_tools());
            }
            Setting::History { .. } if self.declares_tools() => choice::keep_tools(request),
            Setting::Encoding { .. }
            | Setting::ErrorFeedback { .. }
            | Setting::Streaming { .. }
            | Setting::ReasoningReplay { send: ReasoningUse::Verbatim, .. }
            | Setting::History { .. } => {}
        }
    }

    /// Whether the tools that a history calls must stay declared.
    fn declares_tools(&self) -> bool {
        let history = self.plan.setting(CorrectionKind::History);
        matches!(history, Some(Setting::History { keep }) if keep.contains(&Keep::Tools))
    }

    /// How calls are written as text, where they are.
    fn text_calls(&self) -> Option<TextCalls<'_>> {
        TextCalls::of(
            self.plan.setting(CorrectionKind::Delivery),
            self.plan.setting(CorrectionKind::Parsing),
        )
    }

    /// The reply as a well-behaved endpoint would have given it to the original request.
    pub fn restore(&self, sent: &Rewritten, mut reply: Reply) -> Reply {
        if let Some(text) = self.text_calls() {
            text.read(&mut reply, &sent.offered(), &sent.used);
        }
        split::read(&mut reply, &sent.split);
        for correction in &self.plan.corrections {
            match &correction.setting {
                Setting::Schema { .. } => restore_arguments(&mut reply, sent.tools()),
                Setting::Ids { defects, .. } => {
                    ids::read(&mut reply.parts, &sent.used);
                    forget(&mut reply, defects);
                }
                Setting::Encoding { normalize: defects } | Setting::Streaming { defects, .. } => {
                    forget(&mut reply, defects);
                }
                _ => {}
            }
        }
        if reply.calls().next().is_some() && reply.stop.kind == StopKind::EndTurn {
            reply.stop.kind = StopKind::ToolUse;
        }
        reply
    }
}

/// When a correction is made: declarations and choices, then the rest, then choices to be avoided, then texts.
fn order(setting: &Setting) -> u8 {
    match setting {
        Setting::Delivery { tools: ToolOffer::By(ToolDelivery::Forced(_)) }
        | Setting::History { .. } => 0,
        Setting::ToolChoice { .. } => 2,
        Setting::Delivery { .. } | Setting::Parsing { .. } | Setting::ResultPlacement { .. } => 3,
        _ => 1,
    }
}

fn has_tools(request: &Request) -> bool {
    let is_call = |part: &Part| matches!(part, Part::Call(_));
    !request.tools.is_empty() || request.messages.iter().any(|it| it.parts.iter().any(is_call))
}

fn restore_arguments(reply: &mut Reply, tools: &[ToolSpec]) {
    for part in &mut reply.parts {
        if let Part::Call(call) = part
            && let Some(tool) = tools.iter().find(|tool| tool.name == call.name)
        {
            call.input = restore::restore(&call.input, &tool.input_schema);
        }
    }
}

/// Takes the marks of defects off a reply that no longer has them.
fn forget(reply: &mut Reply, handled: &[crate::ir::Defect]) {
    reply.defects = reply.defects.iter().filter(|defect| !handled.contains(defect)).collect();
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
