//! What would the model say?
//!
//! A simulated model reads a request the way a model does: the conversation and the tools, nothing
//! else. It makes the calls that the text asks for, reads results and errors, and otherwise talks.
//!
//! - [`view`](self): what of a request reaches the model
//! - [`orders`](self), [`mentions`](self), [`paths`](self): which calls a text asks for
//! - [`invent`](self): arguments that a text leaves open
//! - [`errors`](self), [`repair`](self): what an error says, and the call that heeds it
//! - [`decide`](self): calls or words
//! - [`prose`](self), [`reasoning`](self), [`written`](self), [`taught`](self): how it is said
//! - [`tokens`](self): what it costs, and where a limit cuts it off

mod decide;
mod errors;
mod invent;
mod mentions;
mod orders;
mod paths;
mod prose;
mod reasoning;
mod repair;
mod taught;
mod tokens;
mod view;
mod written;

use super::draw::Draw;
use super::model::{ModelFile, TextForm};
use super::quirks::{self, ModelQuirk};
use super::thinking::is_thinking;
use crate::dialect::DialectId;
use crate::ir::{CallFormat, CallId, Part, Reply, Request, Stop, StopKind, ToolCall};
use view::Delivery;

pub(super) use prose::instead_of_calls;
pub(super) use view::View;

/// A call as the model means it, before anything is written down.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Order {
    pub(super) name: String,
    pub(super) input: serde_json::Value,
}

/// What the model is about to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Intent {
    Call(Vec<Order>),
    Say(String),
}

/// The reply of this model to this request. Pure: it reads the conversation and the tools only.
///
/// Call ids are unique and legal everywhere (`call_` and 24 lower-case letters or digits); a server
/// whose ids look otherwise rewrites them.
pub fn answer(request: &Request, model: &ModelFile, draw: &Draw) -> Reply {
    let active = quirks::active(&model.quirks, draw);
    let view = View::of(request, model, &active);
    let intent = quirks::misbehave(decide::decide(&view, &active, draw), &view, &active);
    let claims = matches!(intent, Intent::Call(_)) && active.contains(&ModelQuirk::ClaimsCalls);
    let parts = said(intent, &view, model, &active, draw);
    let mut reply = Reply::new(parts, Stop::unlabelled(StopKind::EndTurn));
    let stops = active.contains(&ModelQuirk::StopsWithCalls);
    if claims || reply.calls().next().is_some() && !stops {
        reply.stop.kind = StopKind::ToolUse;
    }
    if is_thinking(model, request) && !has_thought(request, &active) {
        reasoning::think(&mut reply.parts, request, model, draw);
    }
    tokens::limit(&mut reply, request.max_tokens, model.dialect);
    reply.usage = tokens::usage(request, &reply, model, &active);
    reply.model_echo = Some(model.name.clone());
    reply
}

/// Whether a model that reasons once has done so.
fn has_thought(request: &Request, active: &[ModelQuirk]) -> bool {
    let replied = request.messages.iter().any(|message| message.role == crate::ir::Role::Assistant);
    active.contains(&ModelQuirk::ThinksOnce) && replied
}

/// The visible parts of the reply.
fn said(
    intent: Intent,
    view: &View,
    model: &ModelFile,
    active: &[ModelQuirk],
    draw: &Draw,
) -> Vec<Part> {
    let orders = match intent {
        Intent::Say(text) => return vec![Part::Text(text)],
        Intent::Call(orders) => orders,
    };
    if active.contains(&ModelQuirk::ClaimsCalls) {
        return Vec::new();
    }
    if active.contains(&ModelQuirk::NeverStopsThinking) && orders.len() > 1 {
        return vec![reasoning::hidden(&prose::instead_of_calls(&orders), model)];
    }
    let preamble =
        active.contains(&ModelQuirk::TextBeforeCall).then(|| prose::before_calls(&orders));
    if let Delivery::Taught(protocol) = view.delivery {
        let lead = preamble.map(|text| format!("{text}\n")).unwrap_or_default();
        return vec![Part::Text(lead + &taught::write(protocol, &orders))];
    }
    let mut parts: Vec<Part> = preamble.map(Part::Text).into_iter().collect();
    if model.text_form == TextForm::None {
        parts.extend(native(orders, model.dialect, draw));
    } else {
        let text = written::write(model.text_form, &orders);
        let hides = active.contains(&ModelQuirk::CallInReasoning);
        parts.push(if hides { reasoning::hidden(&text, model) } else { Part::Text(text) });
    }
    parts
}

fn native(orders: Vec<Order>, dialect: DialectId, draw: &Draw) -> impl Iterator<Item = Part> {
    let format = match dialect {
        DialectId::AnthropicMessages => CallFormat::Anthropic,
        DialectId::Gemini => CallFormat::Gemini,
        DialectId::OpenAiChat | DialectId::OpenAiResponses | DialectId::Ollama => {
            CallFormat::OpenAi
        }
    };
    orders.into_iter().enumerate().map(move |(index, order)| {
        Part::Call(ToolCall {
            id: CallId::new(format!("call_{}", draw.word(&format!("call {index}"), 24))),
            name: order.name,
            input: order.input,
            format,
            raw: serde_json::Value::Null,
        })
    })
}

#[cfg(test)]
mod tests;
