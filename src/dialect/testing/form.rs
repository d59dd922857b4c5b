//! Which conversations can a dialect carry without loss?

use proptest::strategy::{BoxedStrategy, Strategy};
use serde_json::Value;

use super::values;
use crate::ir::{CallFormat, ReasoningState, Reply, Request, Stop, Usage};

/// The forms of tool choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dialect) enum ChoiceKind {
    Auto,
    None,
    Required,
    Named,
    AllowedAuto,
    AllowedRequired,
}

/// In which order the parts of an assistant's message can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dialect) enum Order {
    /// Any, but no two texts and no two pieces of reasoning side by side.
    Free,
    /// At most one piece of reasoning, then at most one text, then the calls.
    ReasoningTextCalls,
}

/// What a dialect can carry. Start from [`NormalForm::new`] and change what differs.
#[expect(clippy::struct_excessive_bools, reason = "each says whether the dialect has one thing")]
#[derive(Clone)]
pub(in crate::dialect) struct NormalForm {
    /// The format its calls are marked with.
    pub(in crate::dialect) format: CallFormat,
    pub(in crate::dialect) order: Order,
    /// Reasoning that stands by itself.
    pub(in crate::dialect) standing: Option<fn() -> BoxedStrategy<ReasoningState>>,
    /// Reasoning state that stands directly before the call it belongs to.
    pub(in crate::dialect) attached: Option<fn() -> BoxedStrategy<ReasoningState>>,
    /// The shape of call ids; an ordinal is appended so that no two are the same.
    pub(in crate::dialect) call_ids: fn() -> BoxedStrategy<String>,
    /// What a result's content can be.
    pub(in crate::dialect) results: fn() -> BoxedStrategy<Value>,
    /// Whether a failed result is told from a good one.
    pub(in crate::dialect) errors: bool,
    /// Whether its error code survives.
    pub(in crate::dialect) error_codes: bool,
    pub(in crate::dialect) choices: &'static [ChoiceKind],
    pub(in crate::dialect) strict: bool,
    pub(in crate::dialect) parallel: bool,
    /// Whether model and stream flag stand in the path and not in the body.
    pub(in crate::dialect) routed: bool,
    /// The endings a reply with or without calls can have.
    pub(in crate::dialect) stops: fn(calls: bool) -> Vec<Stop>,
    /// Drops the counts the dialect has no field for.
    pub(in crate::dialect) usage: fn(Usage) -> Usage,
    pub(in crate::dialect) reply_ids: bool,
    pub(in crate::dialect) fingerprints: bool,
    /// Whether a reply can hold argument text that is not JSON.
    pub(in crate::dialect) broken_calls: bool,
    /// The last word on a generated request, for what the fields above cannot say.
    pub(in crate::dialect) tidy_request: fn(Request) -> Request,
    /// The last word on a generated reply.
    pub(in crate::dialect) tidy_reply: fn(Reply) -> Reply,
}

impl NormalForm {
    /// A form that carries nearly everything, with text results and no reasoning.
    pub(in crate::dialect) fn new(format: CallFormat, stops: fn(bool) -> Vec<Stop>) -> Self {
        Self {
            format,
            order: Order::Free,
            standing: None,
            attached: None,
            call_ids: || "call_[A-Za-z0-9]{1,8}".boxed(),
            results: || values::text().prop_map(Value::String).boxed(),
            errors: true,
            error_codes: true,
            choices: &[ChoiceKind::Auto, ChoiceKind::None, ChoiceKind::Required, ChoiceKind::Named],
            strict: true,
            parallel: true,
            routed: false,
            stops,
            usage: |usage| usage,
            reply_ids: true,
            fingerprints: false,
            broken_calls: false,
            tidy_request: |request| request,
            tidy_reply: |reply| reply,
        }
    }
}
