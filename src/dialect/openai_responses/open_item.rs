//! An output item while its events arrive.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The texts that arrive in deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextSlot {
    Text,
    Refusal,
    Arguments,
    Summary,
    Reasoning,
}

/// An item from its first event on.
#[derive(Debug, Default)]
pub(super) struct OpenItem {
    /// `output_index`, when the server gives one.
    pub(super) index: Option<u64>,
    /// The item as its first event showed it.
    head: Value,
    /// The item as its last event showed it.
    whole: Option<Value>,
    /// Texts by slot and by their place in it.
    slots: BTreeMap<(TextSlot, u64), String>,
    /// Whether the event that closes the arguments came.
    arguments_done: bool,
    /// Whether a closing event holds another text than the pieces before it.
    disagrees: bool,
}

impl OpenItem {
    pub(super) fn opened(index: Option<u64>, head: Value) -> Self {
        Self { index, head, ..Self::default() }
    }

    pub(super) fn id(&self) -> Option<&str> {
        self.head.get("id").and_then(Value::as_str).filter(|id| !id.is_empty())
    }

    /// An item that no first event announced is known by its deltas.
    pub(super) fn kind(&self) -> &str {
        let shown = self.whole.as_ref().unwrap_or(&self.head);
        let kind = shown.get("type").and_then(Value::as_str);
        kind.unwrap_or(match self.slots.keys().next() {
            Some((TextSlot::Text | TextSlot::Refusal, _)) => "message",
            Some((TextSlot::Arguments, _)) => "function_call",
            Some((TextSlot::Summary | TextSlot::Reasoning, _)) => "reasoning",
            None => "",
        })
    }

    pub(super) fn is_call(&self) -> bool {
        self.kind() == "function_call"
    }

    pub(super) fn is_closed(&self) -> bool {
        self.whole.is_some()
    }

    /// Whether the arguments can still grow.
    pub(super) fn has_open_arguments(&self) -> bool {
        self.is_call() && !self.is_closed() && !self.arguments_done
    }

    pub(super) fn lacks_arguments_done(&self) -> bool {
        self.is_call() && !self.arguments_done
    }

    pub(super) fn append(&mut self, slot: TextSlot, place: u64, delta: &str) {
        self.slots.entry((slot, place)).or_default().push_str(delta);
    }

    /// The closing event of a text repeats it whole.
    pub(super) fn settle(&mut self, slot: TextSlot, place: u64, text: &str) {
        self.arguments_done |= slot == TextSlot::Arguments;
        let known = self.slots.entry((slot, place)).or_default();
        if !text.is_empty() {
            self.disagrees |= !known.is_empty() && known != text;
            text.clone_into(known);
        }
    }

    /// Whether the pieces of a text do not add up to the whole that closes it.
    pub(super) fn pieces_disagree(&self) -> bool {
        self.disagrees
    }

    pub(super) fn close(&mut self, whole: Value) {
        self.whole = Some(whole);
    }

    /// The item as far as it is known, with what its events said and it does not show.
    pub(super) fn value(&self) -> Value {
        let shown = self.whole.as_ref().unwrap_or(&self.head);
        let mut item = shown.as_object().cloned().unwrap_or_default();
        let mut fill = |key: &str, value: Value| {
            if item.get(key).is_none_or(is_empty) && !is_empty(&value) {
                item.insert(key.to_owned(), value);
            }
        };
        fill("type", json!(self.kind()));
        match self.kind() {
            "message" => fill("content", self.content()),
            "function_call" => fill("arguments", json!(self.text(TextSlot::Arguments))),
            "reasoning" => {
                fill("summary", self.list(TextSlot::Summary, "summary_text"));
                fill("content", self.list(TextSlot::Reasoning, "reasoning_text"));
            }
            _ => {}
        }
        Value::Object(item)
    }

    /// The item, marked as one that was never completed.
    pub(super) fn cut_value(&self) -> Value {
        let mut item = self.value();
        if let Value::Object(fields) = &mut item {
            fields.insert("status".to_owned(), json!("incomplete"));
        }
        item
    }

    fn text(&self, slot: TextSlot) -> String {
        self.texts(slot).collect()
    }

    fn texts(&self, slot: TextSlot) -> impl Iterator<Item = &str> {
        let of_slot = self.slots.iter().filter(move |((known, _), _)| *known == slot);
        of_slot.map(|(_, text)| text.as_str())
    }

    fn list(&self, slot: TextSlot, kind: &str) -> Value {
        self.texts(slot).map(|text| json!({"type": kind, "text": text})).collect()
    }

    fn content(&self) -> Value {
        let texts =
            self.texts(TextSlot::Text).map(|text| json!({"type": "output_text", "text": text}));
        let refusals = self.texts(TextSlot::Refusal);
        let refusals = refusals.map(|text| json!({"type": "refusal", "refusal": text}));
        texts.chain(refusals).collect()
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}
