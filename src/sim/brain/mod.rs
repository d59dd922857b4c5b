//! The brain of a simulated model: what it would say to a request.
//!
//! A simulated model reads a request the way a model does: the conversation and the tools, nothing
//! else. It makes the calls that the text asks for, reads results and errors, and otherwise talks.
//!
//! - `view`: what of a request reaches the model
//! - `requested`, `mentions`, `paths`: which calls a text asks for
//! - `invent`: arguments that a text leaves open
//! - `errors`, `repair`: what an error says, and the corrected call
//! - `decide`: whether to call or to answer
//! - `prose`, `reasoning`, `written`, `taught`: how it is said
//! - `tokens`: what it costs, and where a limit cuts it off

mod decide;
mod errors;
mod invent;
mod mentions;
mod paths;
mod prose;
mod reasoning;
mod repair;
mod requested;
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
use view::ToolSource;

pub(super) use prose::instead_of_calls;
pub(super) use view::ModelView;

/// A call that the model wants to make, before it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlannedCall {
    pub(super) name: String,
    pub(super) input: serde_json::Value,
}

/// What the model is about to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Intent {
    Call(Vec<PlannedCall>),
    Say(String),
}

/// The reply of this model to this request. Pure: it reads the conversation and the tools only.
///
/// Call ids are unique and legal everywhere (`call_` and 24 lower-case letters or digits); a server
/// whose ids look otherwise rewrites them.
pub(crate) fn answer(request: &Request, model: &ModelFile, draw: &Draw) -> Reply {
    let active = quirks::active(&model.quirks, draw);
    let view = ModelView::of(request, model, &active);
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
    view: &ModelView,
    model: &ModelFile,
    active: &[ModelQuirk],
    draw: &Draw,
) -> Vec<Part> {
    let planned = match intent {
        Intent::Say(text) => return vec![Part::Text(text)],
        Intent::Call(planned) => planned,
    };
    if active.contains(&ModelQuirk::ClaimsCalls) {
        return Vec::new();
    }
    if active.contains(&ModelQuirk::NeverStopsThinking) && planned.len() > 1 {
        return vec![reasoning::hidden(&prose::instead_of_calls(&planned), model)];
    }
    let preamble =
        active.contains(&ModelQuirk::TextBeforeCall).then(|| prose::before_calls(&planned));
    if let ToolSource::Taught(protocol) = view.tool_source {
        let lead = preamble.map(|text| format!("{text}\n")).unwrap_or_default();
        return vec![Part::Text(lead + &taught::write(protocol, &planned))];
    }
    let mut parts: Vec<Part> = preamble.map(Part::Text).into_iter().collect();
    if model.text_form == TextForm::None {
        parts.extend(native(planned, model.dialect, draw));
    } else {
        let text = written::write(model.text_form, &planned);
        let hides = active.contains(&ModelQuirk::CallInReasoning);
        parts.push(if hides { reasoning::hidden(&text, model) } else { Part::Text(text) });
    }
    parts
}

fn native(
    planned: Vec<PlannedCall>,
    dialect: DialectId,
    draw: &Draw,
) -> impl Iterator<Item = Part> {
    let format = match dialect {
        DialectId::AnthropicMessages => CallFormat::Anthropic,
        DialectId::Gemini => CallFormat::Gemini,
        DialectId::OpenAiChat | DialectId::OpenAiResponses | DialectId::Ollama => {
            CallFormat::OpenAi
        }
    };
    planned.into_iter().enumerate().map(move |(index, call)| {
        Part::Call(ToolCall {
            id: CallId::new(format!("call_{}", draw.word(&format!("call {index}"), 24))),
            name: call.name,
            input: call.input,
            format,
            raw: serde_json::Value::Null,
        })
    })
}

#[cfg(test)]
mod tests;
