//! Tokens: what a turn costs, and where a limit cuts it off.
//!
//! A token is four characters. What counts is that the same text costs the same, and that text which
//! does not reach the model costs nothing: differences between two requests are then real.

use super::reasoning;
use crate::dialect::DialectId;
use crate::ir::{BrokenCall, Part, ReasoningState, Reply, Request, StopKind, ToolCall, Usage};
use crate::sim::model::{ModelFile, NativeTools, ThinkingWhen};
use crate::sim::quirks::ModelQuirk;

const CHARACTERS_PER_TOKEN: usize = 4;
/// What a message costs beside its content.
const PER_MESSAGE: usize = 12;

fn tokens(characters: usize) -> u64 {
    u64::try_from(characters.div_ceil(CHARACTERS_PER_TOKEN)).unwrap_or(u64::MAX)
}

/// The counts of a turn.
pub(super) fn usage(
    request: &Request,
    reply: &Reply,
    model: &ModelFile,
    active: &[ModelQuirk],
) -> Usage {
    let system = request.system.as_deref().map_or(0, |text| text.chars().count());
    let tools = match model.tools {
        NativeTools::Used => request.tools.iter().map(json_length).sum(),
        NativeTools::Ignored | NativeTools::Rejected => 0,
    };
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let said: usize = parts.map(|part| heard_length(part, model, active)).sum();
    let reasoning = tokens(reasoning::length(reply));
    Usage {
        input: Some(tokens(system + tools + said + PER_MESSAGE * request.messages.len())),
        output: Some(tokens(reply.parts.iter().map(length).sum::<usize>().max(1))),
        reasoning: (reasoning > 0).then_some(reasoning),
        ..Usage::default()
    }
}

fn json_length<T: serde::Serialize>(value: &T) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.chars().count())
}

/// What a part of the history costs; nothing if it does not reach the model.
fn heard_length(part: &Part, model: &ModelFile, active: &[ModelQuirk]) -> usize {
    match part {
        Part::Reasoning(state) if !hears(state, model, active) => 0,
        Part::Result(_) if active.contains(&ModelQuirk::ResultsNotRendered) => 0,
        _ => length(part),
    }
}

/// Reasoning reaches a model that reasons, in its own field only.
fn hears(state: &ReasoningState, model: &ModelFile, active: &[ModelQuirk]) -> bool {
    model.thinking.when != ThinkingWhen::Never
        && state.field == model.thinking.field(model.dialect)
        && !active.contains(&ModelQuirk::DropsReplayedReasoning)
}

fn length(part: &Part) -> usize {
    match part {
        Part::Text(text) => text.chars().count(),
        Part::Reasoning(state) => state.value.to_string().chars().count(),
        Part::Call(call) => call.name.chars().count() + call.input.to_string().chars().count(),
        Part::BrokenCall(call) => call.name.chars().count() + call.arguments.chars().count(),
        Part::Result(result) => result.content.to_string().chars().count(),
    }
}

/// Cuts the reply off where the limit is reached.
pub(super) fn limit(reply: &mut Reply, max_tokens: Option<u64>, dialect: DialectId) {
    let budget = max_tokens.and_then(|max| usize::try_from(max).ok());
    let Some(mut left) = budget.map(|max| max.saturating_mul(CHARACTERS_PER_TOKEN)) else { return };
    if reply.parts.iter().map(length).sum::<usize>() <= left {
        return;
    }
    let mut kept = Vec::new();
    for part in std::mem::take(&mut reply.parts) {
        let size = length(&part);
        if size > left {
            kept.extend(cut(part, left, dialect));
            break;
        }
        left -= size;
        kept.push(part);
    }
    reply.parts = kept;
    reply.stop.kind = StopKind::MaxTokens;
}

/// The beginning of a part; nothing where half a part cannot be said.
fn cut(part: Part, characters: usize, dialect: DialectId) -> Option<Part> {
    match part {
        Part::Text(text) => {
            let start: String = text.chars().take(characters).collect();
            (!start.is_empty()).then_some(Part::Text(start))
        }
        Part::Call(call) => cut_call(&call, characters, dialect),
        Part::Reasoning(_) | Part::BrokenCall(_) | Part::Result(_) => None,
    }
}

/// Where arguments are text, half of them can be sent; where they are an object, none.
fn cut_call(call: &ToolCall, characters: usize, dialect: DialectId) -> Option<Part> {
    let room = characters.checked_sub(call.name.chars().count())?;
    match dialect {
        DialectId::OpenAiChat | DialectId::OpenAiResponses => Some(Part::BrokenCall(BrokenCall {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.input.to_string().chars().take(room).collect(),
            problem: "the reply was cut off inside the arguments".to_owned(),
        })),
        DialectId::AnthropicMessages | DialectId::Gemini | DialectId::Ollama => None,
    }
}
