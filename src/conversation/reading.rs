//! Calls in a reply: structured, in the visible text, or in the reasoning.
//!
//! A structured call is taken as it is. Where there is none, the visible text and then the
//! reasoning are searched, because a call that the server lost is not a call that the model did not
//! make.

use serde_json::Value;

use crate::ir::{CallId, Layer, Part, Reply, Stop, StopKind, ToolCall, ToolSpec};
use crate::textcall::{self, Catalog, Options, Parsed, ProblemCode};
use crate::tools::Registry;
use crate::transport::apart;

/// What was found in a reply.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// The complete calls, in order.
    pub calls: Vec<ToolCall>,
    /// Where they stood; `None` without any.
    pub layer: Option<Layer>,
    /// The text format that read them, where they stood in text.
    pub parser: Option<String>,
    /// What had to be mended to read them.
    pub repairs: Vec<String>,
    /// Attempts at a call that could not be read, in words: the first 256 of them.
    pub broken: Vec<String>,
    /// Whether the text ends within a call.
    pub ends_in_call: bool,
    /// What the stop reason says about a call that is not there, in words.
    pub ending: Option<String>,
    /// The visible text without calls and reasoning.
    pub text: String,
}

impl Reading {
    /// Whether the model tried to call, well or badly.
    pub fn attempted(&self) -> bool {
        self.attempts() > 0
    }

    /// How often the model tried to call, well or badly.
    pub(super) fn attempts(&self) -> usize {
        self.calls.len() + self.broken.len()
    }
}

/// How many unreadable attempts of one reply are kept. Each of them is told and answered, and a hostile text has
/// ten thousands.
const MOST_BROKEN: usize = 256;

/// Reads a reply to a request that offered these tools.
pub fn read(reply: &Reply, tools: &[ToolSpec]) -> Reading {
    read_structured(reply).unwrap_or_else(|| read_texts(reply, tools))
}

/// Reads the structured calls of a reply; `None` where it has none, not even a broken one.
fn read_structured(reply: &Reply) -> Option<Reading> {
    let broken: Vec<String> = reply
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::BrokenCall(call) => Some(format!("{}: {}", call.name, call.problem)),
            _ => None,
        })
        .take(MOST_BROKEN)
        .collect();
    let calls: Vec<ToolCall> = reply.calls().cloned().collect();
    if calls.is_empty() && broken.is_empty() {
        return None;
    }
    let layer = (!calls.is_empty()).then_some(Layer::Structured);
    Some(Reading { calls, layer, broken, text: reply.text(), ..Reading::default() })
}

/// Reads the calls in the texts of a reply without structured ones.
fn read_texts(reply: &Reply, tools: &[ToolSpec]) -> Reading {
    let catalog = Catalog::new(tools);
    let parsed = textcall::parse(&reply.text(), &catalog, Options::default());
    let visible = in_text(&parsed, Layer::Content);
    if visible.attempted() {
        return visible;
    }
    let reasoning = format!("{}{}", reply.reasoning_text(), parsed.reasoning());
    let hidden = textcall::parse(&reasoning, &catalog, Options::default());
    let hidden = in_text(&hidden, Layer::Reasoning);
    if !hidden.calls.is_empty() {
        return Reading { text: visible.text, ..hidden };
    }
    Reading { ending: ending(&reply.stop), ..visible }
}

/// From this many bytes on texts are read on a thread of its own, so that other conversations go on.
pub(super) const LONG: usize = 32 * 1024;

/// Reads a reply without holding up other conversations.
pub(super) async fn read_apart(reply: Reply, tools: &Registry) -> (Reply, Reading) {
    if let Some(reading) = read_structured(&reply) {
        return (reply, reading);
    }
    let length = reply.text().len() + reply.reasoning_text().len();
    let tools: Vec<ToolSpec> = tools.specs().cloned().collect();
    let read_now = move || {
        let reading = read_texts(&reply, &tools);
        (reply, reading)
    };
    if length < LONG { read_now() } else { apart(read_now).await }
}

/// Why a reply without calls ended, where the stop reason is about calls.
fn ending(stop: &Stop) -> Option<String> {
    let label = stop.label.as_deref().unwrap_or_default();
    match stop.kind {
        StopKind::ToolUse => Some(format!("the reply says that it calls ({label}), and does not")),
        StopKind::MalformedCall => {
            Some(format!("the server could not read the model's call ({label})"))
        }
        StopKind::Refusal => Some(format!("the request was declined ({label})")),
        _ => None,
    }
}

fn in_text(parsed: &Parsed, layer: Layer) -> Reading {
    let calls: Vec<ToolCall> =
        parsed.calls().enumerate().map(|(index, call)| call_in_text(call, index)).collect();
    let mut repairs: Vec<String> =
        parsed.calls().flat_map(|call| call.repairs.iter().map(ToString::to_string)).collect();
    repairs.sort();
    repairs.dedup();
    let broken = parsed.parts.iter().filter_map(|part| match part {
        textcall::TextPart::Problem(problem) => Some(problem.message.clone()),
        _ => None,
    });
    Reading {
        layer: (!calls.is_empty()).then_some(layer),
        parser: parsed.calls().next().map(|call| call.family.to_owned()),
        repairs,
        broken: broken.take(MOST_BROKEN).collect(),
        ends_in_call: parsed.parts.iter().any(is_truncated),
        ending: None,
        text: parsed.content(),
        calls,
    }
}

/// A call as every dialect knows it; `index` makes an id where the format carries none.
fn call_in_text(call: &textcall::TextCall, index: usize) -> ToolCall {
    let id = call.id.clone().unwrap_or_else(|| format!("call_{index}"));
    ToolCall {
        id: CallId::new(id),
        name: call.name.clone(),
        input: call.input.clone(),
        format: call.format,
        raw: Value::String(call.raw.clone()),
    }
}

fn is_truncated(part: &textcall::TextPart) -> bool {
    matches!(part, textcall::TextPart::Problem(problem) if problem.code == ProblemCode::Truncated)
}
