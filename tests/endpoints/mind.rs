//! What would a model say that does as it is told?
//!
//! It knows the words of the conversation and nothing else.

use serde_json::{Map, Value, json};

/// What it says next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Says {
    Calls(Vec<(String, Value)>),
    Words(String),
}

impl Says {
    /// The calls, if that is what it says.
    pub(crate) fn calls(&self) -> &[(String, Value)] {
        match self {
            Self::Calls(calls) => calls,
            Self::Words(_) => &[],
        }
    }
}

/// One thing that was said to it, or by it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Heard {
    User(String),
    Assistant,
    /// The text of a tool's result.
    Result(String),
}

/// Reads the conversation and does as it is told: repairs what failed, answers from results, and
/// else makes the calls that the last words ask for.
pub(crate) fn obey(heard: &[Heard]) -> Says {
    let last_turn: Vec<&Heard> =
        heard.iter().rev().take_while(|turn| **turn != Heard::Assistant).collect();
    let results: Vec<Value> = last_turn.iter().rev().flat_map(|turn| results_in(turn)).collect();
    if let Some(repaired) = results.iter().find_map(repair) {
        return Says::Calls(vec![repaired]);
    }
    if !results.is_empty() {
        let receipts: Vec<&str> = results.iter().filter_map(|it| it["receipt"].as_str()).collect();
        return Says::Words(format!("Done. Receipt: {}.", receipts.join(" and ")));
    }
    let words = last_turn.iter().find_map(|turn| match turn {
        Heard::User(words) => Some(words.as_str()),
        _ => None,
    });
    let calls = words.map(orders).unwrap_or_default();
    if calls.is_empty() { Says::Words("ready".to_owned()) } else { Says::Calls(calls) }
}

/// Whatever stands around them, results are objects.
fn results_in(turn: &Heard) -> Vec<Value> {
    let (Heard::Result(text) | Heard::User(text)) = turn else { return Vec::new() };
    let mut results = Vec::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find('{') {
        let mut values = serde_json::Deserializer::from_str(&rest[start..]).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else { break };
        rest = &rest[start + values.byte_offset()..];
        match (turn, value.get("content")) {
            (_, Some(content)) => results.push(content.clone()),
            (Heard::Result(_), None) => results.push(value),
            _ => {}
        }
    }
    results
}

/// The corrected call, where a result is an error that says how.
fn repair(result: &Value) -> Option<(String, Value)> {
    let message = result.get("is_error")?.as_bool()?.then(|| result["message"].as_str())??;
    let path = message.rsplit(' ').find(|word| word.starts_with('/')).unwrap_or("/srv/notes.txt");
    Some(("probe_fail_once".to_owned(), json!({ "path": path })))
}

/// The calls that a text asks for.
fn orders(text: &str) -> Vec<(String, Value)> {
    text.split("Call the tool `").skip(1).filter_map(order).collect()
}

fn order(block: &str) -> Option<(String, Value)> {
    let (name, rest) = block.split_once('`')?;
    let mut arguments = Value::Object(Map::new());
    for line in rest.lines().skip(1).map_while(|line| line.strip_prefix("- ")) {
        let (path, value) = line.split_once(" = ")?;
        *place(&mut arguments, path) = serde_json::from_str(value).ok()?;
    }
    Some((name.to_owned(), arguments))
}

/// The place that `a.b[0]` names, made where it is missing.
fn place<'a>(root: &'a mut Value, path: &str) -> &'a mut Value {
    let mut at = root;
    for step in path.replace('[', ".[").split('.') {
        let index = step.strip_prefix('[').and_then(|step| step.strip_suffix(']')?.parse().ok());
        at = if let Some(index) = index { item(at, index) } else { field(at, step) };
    }
    at
}

fn item(at: &mut Value, index: usize) -> &mut Value {
    if !at.is_array() {
        *at = json!([]);
    }
    let items = at.as_array_mut().unwrap();
    items.resize(items.len().max(index + 1), Value::Null);
    &mut items[index]
}

fn field<'a>(at: &'a mut Value, name: &str) -> &'a mut Value {
    if !at.is_object() {
        *at = json!({});
    }
    at.as_object_mut().unwrap().entry(name).or_insert(Value::Null)
}

#[test]
fn it_reads_nested_orders_and_answers_from_results() {
    let asked = "Call the tool `f` once, with:\n- a.b[1] = 2\n- c = \"x\"\n\nThen stop.";
    let call = ("f".to_owned(), json!({"a": {"b": [null, 2]}, "c": "x"}));
    assert_eq!(obey(&[Heard::User(asked.into())]), Says::Calls(vec![call]));
    let result = Heard::Result(r#"{"sum": 3, "receipt": "k2"}"#.into());
    let words = Says::Words("Done. Receipt: k2.".into());
    assert_eq!(obey(&[Heard::User(asked.into()), Heard::Assistant, result]), words);
}
