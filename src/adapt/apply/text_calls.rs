//! Calls and results as text, and calls out of text.

use std::collections::BTreeSet;

use serde_json::Value;

use super::ids;
use crate::ir::{
    BrokenCall, CallId, Layer, Message, Part, Reply, Request, Role, ToolCall, ToolResult, ToolSpec,
};
use crate::profile::{Setting, ToolOffer};
use crate::prompted::{Protocol, ToolDelivery};
use crate::textcall::{self, Catalog, Options, Parsed, TextCall, find_format};

/// How calls travel as text.
pub(super) struct TextCalls<'a> {
    /// The protocol that the prompt teaches; `None` where tools are declared natively.
    taught: Option<Protocol>,
    format: &'a str,
    layer: Layer,
    repairs: &'a [String],
}

impl<'a> TextCalls<'a> {
    pub(super) fn of(delivery: Option<&'a Setting>, parsing: Option<&'a Setting>) -> Option<Self> {
        let Some(Setting::Parsing { format, layer, repairs }) = parsing else { return None };
        let taught = match delivery {
            Some(Setting::Delivery { tools: ToolOffer::By(ToolDelivery::Prompted(protocol)) }) => {
                Some(*protocol)
            }
            _ => None,
        };
        Some(Self { taught, format, layer: *layer, repairs })
    }

    /// Writes the calls and results of the history as text, and teaches the tools where need be.
    pub(super) fn write(&self, request: &mut Request) {
        if let Some(protocol) = self.taught.filter(|_| !request.tools.is_empty()) {
            let lesson = protocol.teach(&request.tools);
            request.system = Some(match request.system.take() {
                Some(system) => format!("{system}\n\n{lesson}"),
                None => lesson,
            });
            request.tools.clear();
            request.tool_choice = None;
            request.parallel = None;
        }
        write(&mut request.messages, self.taught.unwrap_or(Protocol::ToolCall));
    }

    /// Finds the calls in a reply's text. Everything else of the text stays, byte for byte.
    pub(super) fn read(&self, reply: &mut Reply, tools: &[ToolSpec], used: &BTreeSet<CallId>) {
        let is_call = |part: &Part| matches!(part, Part::Call(_) | Part::BrokenCall(_));
        if tools.is_empty() || reply.parts.iter().any(is_call) {
            return;
        }
        let catalog = Catalog::new(tools);
        let mut used = used.clone();
        let options = Options { only: find_format(self.format), ..Options::default() };
        match self.layer {
            Layer::Structured => {}
            Layer::Reasoning => {
                let parsed = textcall::parse(&reply.reasoning_text(), &catalog, options);
                reply.parts.extend(parsed.calls().map(|call| self.part(call, &mut used)));
            }
            Layer::Content => {
                let text = reply.text();
                let parsed = textcall::parse(&text, &catalog, options);
                if parsed.calls().next().is_some() {
                    reply.parts.retain(|part| !matches!(part, Part::Text(_)));
                    reply.parts.extend(self.split(&text, &parsed, &mut used));
                }
            }
        }
    }

    /// The text with its calls as parts of their own.
    fn split(&self, text: &str, parsed: &Parsed, used: &mut BTreeSet<CallId>) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut at = 0;
        for call in parsed.calls() {
            let before = text.get(at..call.span.start).unwrap_or_default();
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            at = at.max(call.span.end);
            parts.push(self.part(call, used));
        }
        let rest = text.get(at..).unwrap_or_default();
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        parts
    }

    /// A call that needed a repair which was never seen to be right is not run.
    fn part(&self, call: &TextCall, used: &mut BTreeSet<CallId>) -> Part {
        let id = id_of(call, used);
        let name = call.name.clone();
        let odd =
            call.repairs.iter().map(ToString::to_string).find(|it| !self.repairs.contains(it));
        if let Some(repair) = odd {
            let problem =
                format!("the call can be read only with a repair ({repair}); write it as shown");
            return Part::BrokenCall(BrokenCall { id, name, arguments: call.raw.clone(), problem });
        }
        let raw = Value::String(call.raw.clone());
        Part::Call(ToolCall { id, name, input: call.input.clone(), format: call.format, raw })
    }
}

/// The id that the model wrote, unless another call has it: many models write the same one each time.
fn id_of(call: &TextCall, used: &mut BTreeSet<CallId>) -> CallId {
    let written = call.id.clone().map(CallId::new).filter(|id| used.insert(id.clone()));
    written.unwrap_or_else(|| ids::fresh(used, |number| CallId::new(format!("call_{number}"))))
}

/// Writes calls as text of the model and results as text of the user.
pub(super) fn write(messages: &mut [Message], protocol: Protocol) {
    for message in messages {
        match message.role {
            Role::Assistant => write_calls(message, protocol),
            Role::Tool | Role::User => write_results(message, protocol),
        }
    }
}

fn write_calls(message: &mut Message, protocol: Protocol) {
    let reasoned = message.parts.iter().filter_map(|part| match part {
        Part::Reasoning(state) => Some(state.text()),
        _ => None,
    });
    let reasoned: String = reasoned.collect();
    let is_said = |raw: &str| !raw.is_empty() && reasoned.contains(raw);
    let mut text = String::new();
    let mut parts = Vec::new();
    for part in std::mem::take(&mut message.parts) {
        match part {
            Part::Text(more) => text.push_str(&more),
            Part::Call(call) => match call.raw.as_str() {
                // It stands in the reasoning, which goes back as it is.
                Some(raw) if is_said(raw) => {}
                Some(raw) => text.push_str(raw),
                None => write_line(&mut text, &protocol.call(&call)),
            },
            Part::BrokenCall(call) => text.push_str(&call.arguments),
            other => parts.push(other),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    message.parts = parts;
}

/// A call begins a line: a fence inside of one is not read.
fn write_line(text: &mut String, call: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(call);
}

fn write_results(message: &mut Message, protocol: Protocol) {
    let results: Vec<ToolResult> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Result(result) => Some(result.clone()),
            _ => None,
        })
        .collect();
    if results.is_empty() {
        return;
    }
    message.parts.retain(|part| !matches!(part, Part::Result(_)));
    message.parts.insert(0, Part::Text(protocol.results(&results)));
    message.role = Role::User;
}
