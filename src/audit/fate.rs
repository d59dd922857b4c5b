//! The fate of a field: what became of it between the client and the upstream.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::catalogue::Field;
use super::place::{find, holds};
use super::question::with_nonce;
use crate::dialect::{DialectId, Route};

/// What became of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FateKind {
    /// It is not there any more, and nothing says so.
    Dropped,
    /// It says something else.
    Changed,
    /// The adapter refused the request.
    Refused,
    /// Nobody sent it.
    Added,
    /// It arrived at the place that the upstream's dialect defines for it.
    Translated,
    /// It arrived as it was sent.
    Kept,
}

/// What became of a field, and how that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fate {
    /// What.
    pub kind: FateKind,
    /// In words: what stands in its place, or what a refusal says.
    pub because: String,
    /// Whether the upstream's dialect has something that means the same; `None` where that is not known.
    pub has_equivalent: Option<bool>,
}

/// A request on its way through an adapter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Passage {
    /// The dialect that the client spoke.
    pub dialect: DialectId,
    /// The body that left.
    pub sent: Value,
    /// The word that no other request holds.
    pub nonce: String,
    /// The dialect that the upstream was spoken to in, and the body that arrived; what the adapter said
    /// where nothing arrived.
    pub arrived: Result<(DialectId, Value), String>,
}

/// What became of a field that was sent.
pub(crate) fn fate_of(field: &Field, passage: &Passage) -> Fate {
    let (upstream, body) = match &passage.arrived {
        Ok((upstream, body)) => (*upstream, body),
        Err(words) => {
            return Fate { kind: FateKind::Refused, because: words.clone(), has_equivalent: None };
        }
    };
    let equivalents = field.faithful.get(&upstream);
    let own = upstream == passage.dialect;
    let has_equivalent = if own { Some(true) } else { equivalents.map(|it| !it.is_empty()) };
    let (kind, because) = compare(field, passage, body, own, equivalents);
    Fate { kind, because, has_equivalent }
}

type Places = Vec<(String, Value)>;

fn compare(
    field: &Field,
    passage: &Passage,
    body: &Value,
    own: bool,
    equivalents: Option<&Places>,
) -> (FateKind, String) {
    let wanted = field.set.first().map(|(_, value)| with_nonce(value, &passage.nonce));
    let wanted = wanted.unwrap_or_default();
    let here = find(body, field.place());
    if here.iter().any(|value| is_same(value, &wanted)) {
        let kind = if own { FateKind::Kept } else { FateKind::Translated };
        return (kind, if own { String::new() } else { "passed on where it stood".to_owned() });
    }
    let here = if own { here } else { Vec::new() };
    let mut others: Vec<String> = here.iter().map(|value| format!("came as {value}")).collect();
    for (path, value) in equivalents.into_iter().flatten() {
        let value = with_nonce(value, &passage.nonce);
        for found in find(body, path) {
            if value == "*" || is_same(found, &value) {
                return (FateKind::Translated, format!("{path}: {found}"));
            }
            // Another item of the list is not the item that was sent.
            if !path.contains("[*]") {
                others.push(format!("{path}: {found}"));
            }
        }
    }
    if here.is_empty() && holds_nonce(field) && holds_value(body, field, passage) {
        return (FateKind::Translated, "its value stands elsewhere".to_owned());
    }
    match others.into_iter().next() {
        Some(other) => (FateKind::Changed, other),
        None => (FateKind::Dropped, String::new()),
    }
}

/// Whether one says what the other says. A gateway may add to an object.
fn is_same(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => wanted
            .iter()
            .all(|(key, value)| found.get(key).is_some_and(|found| is_same(found, value))),
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len()
                && found.iter().zip(wanted).all(|(found, wanted)| is_same(found, wanted))
        }
        (Value::Number(found), Value::Number(wanted)) => found.as_f64() == wanted.as_f64(),
        _ => found == wanted,
    }
}

/// Whether the value of a field is a word that occurs nowhere else.
fn holds_nonce(field: &Field) -> bool {
    field.set.first().is_some_and(|(_, value)| holds(value, "{nonce}"))
}

/// Whether the words of a value stand anywhere in a body.
fn holds_value(body: &Value, field: &Field, passage: &Passage) -> bool {
    fn words(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) if text.contains("{nonce}") => out.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| words(item, out)),
            Value::Object(fields) => fields.values().for_each(|value| words(value, out)),
            _ => {}
        }
    }
    let mut wanted = Vec::new();
    field.set.iter().take(1).for_each(|(_, value)| words(value, &mut wanted));
    !wanted.is_empty()
        && wanted.iter().all(|text| holds(body, &text.replace("{nonce}", &passage.nonce)))
}

/// The fields that arrived and that nobody sent, at whatever depth: those of the body as our own encoder
/// would translate it are expected.
pub(crate) fn find_added(passage: &Passage) -> Vec<(String, Value)> {
    let Ok((upstream, body)) = &passage.arrived else { return Vec::new() };
    let expected = translate(passage.dialect, *upstream, &passage.sent);
    let mut found = Vec::new();
    add_new(&expected, body, "", &mut found);
    found
}

fn add_new(expected: &Value, arrived: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    match (expected, arrived) {
        (Value::Object(known), Value::Object(fields)) => {
            for (key, value) in fields {
                let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                match known.get(key) {
                    Some(known) => add_new(known, value, &place, found),
                    None if says_nothing(&place, value) => {}
                    None => found.push((place, value.clone())),
                }
            }
        }
        (Value::Array(known), Value::Array(items)) => {
            for (index, (known, item)) in known.iter().zip(items).enumerate() {
                add_new(known, item, &format!("{path}[{index}]"), found);
            }
        }
        // A text may come as a list of parts.
        (Value::String(_), Value::Array(_)) => {
            let parts = json!([{"type": "text", "text": expected}]);
            add_new(&parts, arrived, path, found);
        }
        _ => {}
    }
}

/// Whether a new field says only what holds without it: an empty one, the model, that there is no
/// stream, or the type of an item.
fn says_nothing(place: &str, value: &Value) -> bool {
    let is_empty = match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    match place {
        "model" => true,
        "stream" => *value == Value::Bool(false),
        nested if nested.rsplit('.').next() == Some("type") => true,
        _ => is_empty,
    }
}

fn translate(from: DialectId, to: DialectId, body: &Value) -> Value {
    if from == to {
        return body.clone();
    }
    match from.codec().decode_request(body, &Route::default()) {
        Ok(request) => to.codec().encode_request(&request),
        Err(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Catalogue, baseline, question};
    use super::*;
    use DialectId::{AnthropicMessages, OpenAiChat};

    fn field(name: &str) -> Field {
        let catalogue = Catalogue::embedded().unwrap();
        catalogue.of(OpenAiChat).iter().find(|field| field.name == name).unwrap().clone()
    }

    fn passage(sent: Value, arrived: Result<(DialectId, Value), String>) -> Passage {
        Passage { dialect: OpenAiChat, sent, nonce: "n0nce".to_owned(), arrived }
    }

    fn kind(name: &str, upstream: DialectId, change: fn(&mut Value)) -> FateKind {
        let field = field(name);
        let sent = question(OpenAiChat, "m", "n0nce", &field);
        let mut arrived = translate(OpenAiChat, upstream, &sent);
        change(&mut arrived);
        fate_of(&field, &passage(sent, Ok((upstream, arrived)))).kind
    }

    #[test]
    fn an_identity_proxy_keeps_every_field_of_every_dialect_and_adds_none() {
        let catalogue = Catalogue::embedded().unwrap();
        for dialect in DialectId::ALL {
            for field in catalogue.of(dialect) {
                let sent = question(dialect, "m", "n0nce", field);
                let arrived = Ok((dialect, sent.clone()));
                let passage = Passage { dialect, sent, nonce: "n0nce".to_owned(), arrived };
                assert_eq!(fate_of(field, &passage).kind, FateKind::Kept, "{}", field.name);
                assert_eq!(find_added(&passage), []);
            }
        }
    }

    #[test]
    fn a_field_is_dropped_changed_or_translated_by_what_arrived() {
        let strict = "tools[].function.strict";
        let drops = |body: &mut Value| {
            body["tools"][0]["function"].as_object_mut().unwrap().remove("strict");
        };
        assert_eq!(kind(strict, OpenAiChat, drops), FateKind::Dropped);
        let turns = |body: &mut Value| body["tools"][0]["function"]["strict"] = json!(false);
        assert_eq!(kind(strict, OpenAiChat, turns), FateKind::Changed);
        assert_eq!(kind(strict, AnthropicMessages, |_| {}), FateKind::Translated);
        let forgets = |body: &mut Value| {
            body["tools"][0].as_object_mut().unwrap().remove("strict");
        };
        assert_eq!(kind(strict, AnthropicMessages, forgets), FateKind::Dropped);
    }

    #[test]
    fn instructions_of_another_rank_are_changed_and_not_translated() {
        let ranks = |body: &mut Value| body["messages"][0]["role"] = json!("system");
        assert_eq!(kind("role: developer", OpenAiChat, ranks), FateKind::Changed);
        assert_eq!(kind("role: developer", AnthropicMessages, |_| {}), FateKind::Translated);
    }

    #[test]
    fn a_refusal_is_told_with_its_words() {
        let sent = baseline(OpenAiChat, "m", "n0nce", false);
        let refused = passage(sent, Err("HTTP 400: unknown field".to_owned()));
        let fate = fate_of(&field("unknown field"), &refused);
        assert_eq!(
            (fate.kind, fate.because.as_str()),
            (FateKind::Refused, "HTTP 400: unknown field")
        );
    }

    #[test]
    fn what_nobody_sent_is_added() {
        let sent = baseline(OpenAiChat, "m", "n0nce", false);
        let mut body = translate(OpenAiChat, AnthropicMessages, &sent);
        body["temperature"] = json!(1);
        let added = find_added(&passage(sent, Ok((AnthropicMessages, body))));
        assert_eq!(added, [("temperature".to_owned(), json!(1))]);
    }

    #[test]
    fn what_nobody_sent_is_found_inside_tools_and_parts_too() {
        let sent = baseline(OpenAiChat, "m", "n0nce", false);
        let mut body = sent.clone();
        body["tools"][0]["function"]["strict"] = json!(true);
        let words = body["messages"][1]["content"].take();
        body["messages"][1]["content"] = json!([{"type": "text", "text": words,
            "cache_control": {"type": "ephemeral"}}]);
        let added = find_added(&passage(sent, Ok((OpenAiChat, body))));
        let places: Vec<&str> = added.iter().map(|(place, _)| place.as_str()).collect();
        assert_eq!(places, ["messages[1].content[0].cache_control", "tools[0].function.strict"]);
    }
}
