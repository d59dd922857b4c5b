//! Stored responses: what `store` keeps, and `item_reference` and `previous_response_id` bring back.
//!
//! <https://platform.openai.com/docs/guides/conversation-state>. Kept in memory, within bounds; what was
//! dropped is answered like what was never stored.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// How many responses are kept, and how many bytes of them; the oldest go first.
const MOST_RESPONSES: usize = 512;
const MOST_BYTES: usize = 32 << 20;

/// The responses that clients asked to be kept.
#[derive(Debug, Default)]
pub(in crate::sim) struct StoredResponses(Mutex<Shelf>);

#[derive(Debug, Default)]
struct Shelf {
    /// In the order they came, with their sizes.
    order: VecDeque<(String, usize)>,
    bytes: usize,
    responses: HashMap<String, StoredResponse>,
}

#[derive(Debug)]
struct StoredResponse {
    /// The whole conversation, with what the model answered.
    items: Vec<Value>,
    /// Where the answer begins.
    answer: usize,
}

impl StoredResponses {
    /// Keeps a response, unless its request says not to.
    pub(super) fn keep(&self, request: &Value, response: &Value) {
        let wanted = request.get("store").and_then(Value::as_bool) != Some(false);
        let Some(id) = response.get("id").and_then(Value::as_str).filter(|_| wanted) else {
            return;
        };
        let mut items = input_items(self.resolve(request).get("input"));
        let answer = items.len();
        let output = response.get("output").and_then(Value::as_array);
        items.extend(output.into_iter().flatten().cloned());
        let size = items.iter().map(|item| item.to_string().len()).sum();
        self.lock().insert(id.to_owned(), StoredResponse { items, answer }, size);
    }

    /// The request with what it refers to in place; what is not found stays a reference.
    pub(super) fn resolve(&self, body: &Value) -> Value {
        let mut body = body.clone();
        let Value::Object(fields) = &mut body else { return body };
        let kept = self.lock();
        if let Some(Value::Array(items)) = fields.get_mut("input") {
            for item in items {
                if let Some(found) = kept.referenced(item) {
                    *item = found.clone();
                }
            }
        }
        let previous = fields.get("previous_response_id").and_then(Value::as_str);
        if let Some(stored) = previous.and_then(|id| kept.responses.get(id)) {
            let new = input_items(fields.get("input"));
            let all = stored.items.iter().cloned().chain(new).collect();
            fields.insert("input".to_owned(), Value::Array(all));
            fields.shift_remove("previous_response_id");
        }
        body
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shelf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    fn insert(&mut self, id: String, response: StoredResponse, size: usize) {
        if size > MOST_BYTES || self.responses.contains_key(&id) {
            return;
        }
        self.order.push_back((id.clone(), size));
        self.bytes += size;
        self.responses.insert(id, response);
        while self.order.len() > MOST_RESPONSES || self.bytes > MOST_BYTES {
            let Some((oldest, size)) = self.order.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(size);
            self.responses.remove(&oldest);
        }
    }

    /// The answer's item that a reference names. A reference may leave its type out.
    fn referenced(&self, item: &Value) -> Option<&Value> {
        let is_reference = item.get("type").is_none_or(|kind| kind == "item_reference")
            && item.get("role").is_none();
        let id = item.get("id").filter(|_| is_reference)?;
        let answers =
            self.responses.values().flat_map(|stored| stored.items.iter().skip(stored.answer));
        answers.into_iter().find(|answer| answer.get("id") == Some(id))
    }
}

/// The input as items; a text is a message of the person.
fn input_items(input: Option<&Value>) -> Vec<Value> {
    match input {
        Some(Value::Array(items)) => items.clone(),
        Some(text @ Value::String(_)) => {
            vec![serde_json::json!({"type": "message", "role": "user", "content": text})]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn response(id: &str) -> Value {
        json!({"id": id, "output": [{"type": "function_call", "id": format!("fc_{id}")}]})
    }

    #[test]
    fn references_bring_back_what_was_answered() {
        let stored = StoredResponses::default();
        stored.keep(&json!({"input": "hi"}), &response("r1"));
        let asked = json!({"input": [{"type": "item_reference", "id": "fc_r1"}, {"id": "fc_r1"},
            {"type": "item_reference", "id": "fc_r2"}]});
        let call = json!({"type": "function_call", "id": "fc_r1"});
        let unknown = json!({"type": "item_reference", "id": "fc_r2"});
        assert_eq!(stored.resolve(&asked)["input"], json!([call, call, unknown]));
    }

    #[test]
    fn a_conversation_goes_on_from_the_response_that_it_names() {
        let stored = StoredResponses::default();
        stored.keep(&json!({"input": "hi"}), &response("r1"));
        let next = json!({"input": "and?", "previous_response_id": "r1"});
        let resolved = stored.resolve(&next);
        assert_eq!(resolved["input"].as_array().map(Vec::len), Some(3));
        assert_eq!(resolved.get("previous_response_id"), None);
        stored.keep(&next, &response("r2"));
        let last = stored.resolve(&json!({"previous_response_id": "r2"}));
        assert_eq!(last["input"].as_array().map(Vec::len), Some(4));
    }

    #[test]
    fn nothing_is_kept_that_was_not_to_be_stored() {
        let stored = StoredResponses::default();
        stored.keep(&json!({"input": "hi", "store": false}), &response("r1"));
        let next = json!({"input": "and?", "previous_response_id": "r1"});
        assert_eq!(stored.resolve(&next), next);
    }

    #[test]
    fn the_oldest_responses_are_dropped_first() {
        let stored = StoredResponses::default();
        for n in 0..=MOST_RESPONSES {
            stored.keep(&json!({"input": "hi"}), &response(&n.to_string()));
        }
        let found = |n: usize| stored.lock().responses.contains_key(&n.to_string());
        assert!(!found(0) && found(1) && found(MOST_RESPONSES));
    }
}
