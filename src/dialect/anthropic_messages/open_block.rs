//! A content block while its events arrive.

use serde_json::{Value, json};

use super::super::arguments::{self, BrokenArguments};
use super::super::wrapped;
use super::block;
use crate::ir::{Defect, Defects, Object, Part, StopKind};

/// A block that is arriving. It becomes a part when the stream has ended, not before.
pub(super) struct OpenBlock {
    /// The block as it started, with text and signature filled in as they come.
    fields: Object,
    /// The argument text so far.
    json: String,
    closed: bool,
}

impl OpenBlock {
    /// A block as its start event shows it.
    pub(super) fn new(fields: Object, defects: &mut Defects) -> Self {
        let block = Self { fields, json: String::new(), closed: false };
        if block.is_call() && !block.fields.contains_key("input") {
            defects.record(Defect::InputMissing);
        }
        block
    }

    /// Whether arguments may still come.
    pub(super) fn is_open_call(&self) -> bool {
        self.is_call() && !self.closed
    }

    /// Its end event came.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Takes a delta.
    pub(super) fn extend(&mut self, delta: &Object, defects: &mut Defects) {
        if self.closed {
            defects.record(late_delta_defect(delta));
        }
        let text = |key| delta.get(key).and_then(Value::as_str);
        match (self.kind(), delta.get("type").and_then(Value::as_str)) {
            ("text", Some("text_delta")) => self.append("text", text("text")),
            ("thinking", Some("thinking_delta")) => self.append("thinking", text("thinking")),
            ("thinking", Some("signature_delta")) => {
                self.fields.insert("signature".to_owned(), json!(text("signature")));
            }
            ("tool_use", Some("input_json_delta")) => {
                self.append_arguments(delta.get("partial_json"), defects);
            }
            ("text", Some("citations_delta")) => {}
            _ => defects.record(Defect::PartUnknown),
        }
    }

    fn kind(&self) -> &str {
        self.fields.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    fn is_call(&self) -> bool {
        self.kind() == "tool_use"
    }

    fn append(&mut self, key: &str, text: Option<&str>) {
        let text = text.unwrap_or_default();
        match self.fields.get_mut(key) {
            Some(Value::String(so_far)) => so_far.push_str(text),
            _ => {
                self.fields.insert(key.to_owned(), json!(text));
            }
        }
    }

    fn append_arguments(&mut self, piece: Option<&Value>, defects: &mut Defects) {
        match piece {
            Some(Value::String(text)) => self.json.push_str(text),
            None | Some(Value::Null) => {}
            Some(other) => {
                defects.record(Defect::ArgumentsObject);
                self.json.push_str(&other.to_string());
            }
        }
    }

    /// What the block was, now that the reply has ended like this.
    pub(super) fn into_part(
        mut self,
        stop: StopKind,
        ordinal: usize,
        defects: &mut Defects,
    ) -> Option<Part> {
        let cut = stop == StopKind::Truncated && !self.closed;
        if !self.closed && !cut {
            defects.record(Defect::BlockStopMissing);
        }
        if self.is_call() {
            let arguments =
                if cut { Err(self.cut_short(defects)) } else { self.arguments(defects) };
            if let Ok(input) = &arguments {
                self.fields.insert("input".to_owned(), input.clone());
            }
            return block::call(self.fields, arguments, ordinal, defects);
        }
        let part = block::text_or_reasoning(self.kind(), &Value::Object(self.fields.clone()));
        if part.is_none() {
            defects.record(Defect::PartUnknown);
        }
        part
    }

    /// Even arguments that happen to parse may have been about to grow.
    fn cut_short(&mut self, defects: &mut Defects) -> BrokenArguments {
        defects.record(Defect::ArgumentsInvalid);
        BrokenArguments {
            text: std::mem::take(&mut self.json),
            problem: "the stream ended inside the call".to_owned(),
        }
    }

    /// No argument text means no arguments, unless the first event already held them.
    fn arguments(&self, defects: &mut Defects) -> Result<Value, BrokenArguments> {
        let value = if self.json.trim().is_empty() {
            match self.fields.get("input") {
                None | Some(Value::Null) => json!({}),
                Some(Value::Object(input)) if input.is_empty() => json!({}),
                Some(whole) => {
                    defects.record(Defect::ArgumentsObject);
                    whole.clone()
                }
            }
        } else {
            arguments::read_joined(&self.json, defects)?
        };
        wrapped::unwrap(&value, defects).map_or(Ok(value), Err)
    }
}

/// The defect of a delta that follows the end of its block.
fn late_delta_defect(delta: &Object) -> Defect {
    let empty = delta.get("partial_json").and_then(Value::as_str).is_some_and(str::is_empty);
    if empty { Defect::TrailingEmptyDelta } else { Defect::EventsAfterEnd }
}
