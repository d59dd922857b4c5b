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

mod choice;
mod ids;
mod placement;
mod restore;
mod schema;
mod split;
mod text_calls;

use super::plan::Plan;
use crate::ir::{Part, Reply, Request, StopKind, ToolSpec};
use crate::profile::{
    CorrectionKind, Keep, ParallelLimit, ReasoningUse, Setting, StreamUse, ToolOffer,
};
use crate::prompted::ToolDelivery;
use split::Offer;
use text_calls::TextCalls;

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
    /// The request before it was rewritten; `None` where it is sent as it is.
    original: Option<Request>,
    /// The tools that are offered in several parts.
    split: Vec<Offer>,
    /// The place of the reply among the model's turns, for ids that are made up.
    turn: usize,
}

impl Rewritten {
    /// A request that is sent as it is.
    pub fn unchanged(request: &Request) -> Self {
        let turn = text_calls::turns(&request.messages);
        Self { request: request.clone(), original: None, split: Vec::new(), turn }
    }

    fn original(&self) -> &Request {
        self.original.as_ref().unwrap_or(&self.request)
    }

    /// The request before it was rewritten: its ids, names, schemas, results and reasoning.
    pub fn into_original(self) -> Request {
        self.original.unwrap_or(self.request)
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
        let mut rewritten = Rewritten::unchanged(request);
        rewritten.original = Some(request.clone());
        rewritten.split = split::offers(&request.tools, self.split_keywords());
        // What is said in words and what calls look like comes last: the others see calls as such.
        let mut settings: Vec<&Setting> =
            self.plan.corrections.iter().map(|it| &it.setting).collect();
        settings.sort_by_key(|setting| is_textual(setting));
        split::write(&mut rewritten.request, &rewritten.split);
        for setting in settings {
            self.correct(setting, &mut rewritten.request);
        }
        rewritten
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
            Setting::ToolChoice { refused, ignored } => choice::avoid(request, refused, ignored),
            Setting::History { keep } if keep.contains(&Keep::Tools) => choice::keep_tools(request),
            Setting::Encoding { .. }
            | Setting::ErrorFeedback { .. }
            | Setting::Streaming { .. }
            | Setting::ReasoningReplay { send: ReasoningUse::Verbatim, .. }
            | Setting::History { .. } => {}
        }
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
            let offered = split::offer_parts(&sent.original().tools, &sent.split);
            text.read(&mut reply, &offered, sent.turn);
        }
        split::read(&mut reply, &sent.split);
        for correction in &self.plan.corrections {
            match &correction.setting {
                Setting::Schema { .. } => restore_arguments(&mut reply, &sent.original().tools),
                Setting::Ids { defects, .. } => {
                    ids::read(&mut reply.parts, sent.turn);
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

fn is_textual(setting: &Setting) -> bool {
    matches!(
        setting.kind(),
        CorrectionKind::Delivery | CorrectionKind::Parsing | CorrectionKind::ResultPlacement
    )
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
mod tests;
