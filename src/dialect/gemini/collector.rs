//! The collector of payloads: what arrived of a reply so far.
//!
//! A whole reply is a stream of one payload: both go through here, so that they cannot differ.

use serde_json::{Value, json};

use super::super::arguments::{self, ArgumentEncoding, BrokenArguments};
use super::super::{Arrival, call_id, wrapped};
use super::partial_call::PartialCall;
use super::{stop, usage};
use crate::ir::{
    CallFormat, CallId, Defect, Defects, Object, Part, ReasoningField, ReasoningState, Reply, Stop,
    StopKind, Usage,
};

/// What came so far.
#[derive(Default)]
pub(super) struct Collector {
    parts: Vec<Part>,
    open: Option<PartialCall>,
    id: Option<String>,
    model: Option<String>,
    usage: Usage,
    finish: Option<Value>,
    block: Option<String>,
    pub(super) defects: Defects,
}

impl Collector {
    /// Whether the reply has said that it ended.
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some() || self.block.is_some()
    }

    /// Takes a `GenerateContentResponse`.
    pub(super) fn take(&mut self, response: &Object) {
        let text = |key| response.get(key).and_then(Value::as_str).map(str::to_owned);
        self.id = text("responseId").or(self.id.take());
        self.model = text("modelVersion").or(self.model.take());
        let counted = response.get("usageMetadata").and_then(Value::as_object);
        if let Some(usage) = counted {
            self.usage = usage::decode(usage);
        }
        let feedback =
            response.get("promptFeedback").and_then(|feedback| feedback.get("blockReason"));
        let blocked = feedback.and_then(Value::as_str);
        self.block = blocked.map(str::to_owned).or(self.block.take());
        let candidates = response.get("candidates").and_then(Value::as_array);
        match candidates.map(Vec::as_slice) {
            None | Some([]) if blocked.is_none() && counted.is_none() => {
                self.defects.record(Defect::ChoicesEmpty);
            }
            None => {}
            Some(candidates) => self.take_candidates(candidates),
        }
    }

    fn take_candidates(&mut self, candidates: &[Value]) {
        if candidates.len() > 1 {
            self.defects.record(Defect::ChoicesSplit);
        }
        let (finished, before) = (self.is_finished(), self.parts.len());
        for candidate in candidates {
            let finish = candidate.get("finishReason").filter(|reason| !reason.is_null());
            let parts = candidate.get("content").and_then(|content| content.get("parts"));
            match (candidate.get("content"), finish) {
                (None | Some(Value::Null), None) => self.defects.record(Defect::DeltaMissing),
                _ => self.take_parts(parts.and_then(Value::as_array).map_or(&[], Vec::as_slice)),
            }
            self.finish = finish.cloned().or(self.finish.take());
        }
        if finished && self.parts.len() > before {
            self.defects.record(Defect::EventsAfterEnd);
        }
    }

    fn take_parts(&mut self, parts: &[Value]) {
        for part in parts {
            match part.as_object() {
                Some(fields) => self.take_part(fields),
                None => self.defects.record(Defect::PartUnknown),
            }
        }
    }

    fn take_part(&mut self, part: &Object) {
        let signature = part.get("thoughtSignature").filter(|signature| is_said(signature));
        let text = part.get("text").and_then(Value::as_str);
        let call = part.get("functionCall").and_then(Value::as_object);
        match (text, call) {
            (Some(_), _) if part.get("thought").is_some_and(|thought| thought == true) => {
                self.take_thought(part);
            }
            (_, Some(call)) => self.take_call(call, signature),
            (Some(text), None) => self.take_text(text, signature),
            (None, None) if signature.is_some() => self.take_text("", signature),
            (None, None) => self.defects.record(Defect::PartUnknown),
        }
    }

    /// Text goes on unless it, or the text before it, is signed.
    fn take_text(&mut self, text: &str, signature: Option<&Value>) {
        if text.is_empty() && signature.is_none() {
            return;
        }
        self.close_call(CallEnd::Implied);
        let unsigned = signature.is_none() && !self.ends_signed();
        match self.parts.last_mut() {
            Some(Part::Text(so_far)) if unsigned => so_far.push_str(text),
            _ => {
                self.sign(signature);
                self.parts.push(Part::Text(text.to_owned()));
            }
        }
    }

    /// A thought goes on unless it, or the thought before it, carries more than its text.
    fn take_thought(&mut self, part: &Object) {
        self.close_call(CallEnd::Implied);
        let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
        if let (true, Some(so_far)) = (part.len() == 2, self.open_thought()) {
            so_far.push_str(text);
            return;
        }
        let state = ReasoningState::new(ReasoningField::Thought, Value::Object(part.clone()));
        self.parts.push(Part::Reasoning(state));
    }

    /// The text of the last part, if that is a thought with nothing but text.
    fn open_thought(&mut self) -> Option<&mut String> {
        match self.parts.last_mut() {
            Some(Part::Reasoning(ReasoningState {
                field: ReasoningField::Thought,
                value: Value::Object(fields),
            })) if fields.len() == 2 => match fields.get_mut("text") {
                Some(Value::String(text)) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// A call is whole, or begins, goes on with or ends a streamed one.
    fn take_call(&mut self, call: &Object, signature: Option<&Value>) {
        let more = call.get("willContinue").is_some_and(|more| more == true);
        let pieces = call.contains_key("partialArgs");
        let named = call.get("name").is_some_and(is_said);
        if named {
            self.close_call(CallEnd::Implied);
            self.sign(signature);
        }
        match (named, self.open.as_mut()) {
            (true, _) if more || pieces => {
                let mut partial = PartialCall::new(call.clone());
                partial.extend(call);
                self.open = Some(partial);
            }
            (true, _) => return self.take_whole_call(call),
            (false, Some(partial)) => partial.extend(call),
            (false, None) => return self.defects.record(Defect::PhantomCall),
        }
        if !more {
            self.close_call(CallEnd::Said);
        }
    }

    fn take_whole_call(&mut self, call: &Object) {
        let arguments = read_args(call.get("args"), &mut self.defects);
        let id = call_id::read(call.get("id"), &mut self.defects).unwrap_or(unnamed());
        let name = call.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let raw = Value::Object(call.clone());
        self.parts.push(arguments::call_part(id, name, CallFormat::Gemini, arguments, raw));
    }

    fn close_call(&mut self, ending: CallEnd) {
        let Some(partial) = self.open.take() else { return };
        if ending == CallEnd::Implied {
            self.defects.record(Defect::ArgumentsDoneMissing);
        }
        let whole = ending != CallEnd::Cut;
        self.parts.push(partial.into_part(unnamed(), whole, &mut self.defects));
    }

    fn sign(&mut self, signature: Option<&Value>) {
        let state = signature
            .map(|value| ReasoningState::new(ReasoningField::ThoughtSignature, value.clone()));
        self.parts.extend(state.map(Part::Reasoning));
    }

    fn ends_signed(&self) -> bool {
        matches!(self.parts.as_slice(), [.., Part::Reasoning(state), _]
            if state.field == ReasoningField::ThoughtSignature)
    }

    /// The reply, now that no more payloads can come.
    pub(super) fn into_reply(mut self, arrival: Arrival) -> Reply {
        let truncated = arrival == Arrival::Streamed && !self.is_finished();
        let limited = self.finish.as_ref().is_some_and(|reason| reason == "MAX_TOKENS");
        self.close_call(if truncated || limited { CallEnd::Cut } else { CallEnd::Implied });
        name_calls(&mut self.parts, self.id.as_deref());
        call_id::note_duplicates(&self.parts, &mut self.defects);
        let stop = self.stop(truncated);
        Reply {
            id: self.id,
            usage: self.usage,
            model_echo: self.model,
            defects: self.defects,
            ..Reply::new(self.parts, stop)
        }
    }

    fn stop(&mut self, truncated: bool) -> Stop {
        if truncated {
            self.defects.record(Defect::Truncated);
            return Stop::unlabelled(StopKind::Truncated);
        }
        match (&self.finish, self.block.take()) {
            (None, Some(reason)) => Stop::new(StopKind::Refusal, reason),
            (finish, _) => stop::decode(finish.as_ref(), &self.parts, &mut self.defects),
        }
    }
}

/// How a streamed call came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallEnd {
    /// By its own terminal piece.
    Said,
    /// By what followed it.
    Implied,
    /// Not at all.
    Cut,
}

/// Stands for an id until the reply's own id is known.
fn unnamed() -> CallId {
    CallId::new("")
}

/// Gives ids to the calls that came without: unique in a conversation, the same every time.
fn name_calls(parts: &mut [Part], reply: Option<&str>) {
    let ids = parts.iter_mut().filter_map(|part| match part {
        Part::Call(call) => Some(&mut call.id),
        Part::BrokenCall(call) => Some(&mut call.id),
        Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => None,
    });
    for (n, id) in ids.enumerate().filter(|(_, id)| id.as_str().is_empty()) {
        *id = CallId::new(format!("{}_{n}", reply.unwrap_or("call")));
    }
}

/// No `args` means no arguments, and is how the provider says so.
fn read_args(args: Option<&Value>, defects: &mut Defects) -> Result<Value, BrokenArguments> {
    let Some(args) = args else { return Ok(json!({})) };
    match wrapped::unwrap(args, defects) {
        Some(broken) => Err(broken),
        None => arguments::read(Some(args), ArgumentEncoding::Json, defects),
    }
}

fn is_said(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}
