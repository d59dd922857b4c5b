//! Refusals of Gemini.

use serde_json::json;

use super::*;
use crate::sim::seal::Seal;

use RulesId::{Gemini, Gemini3};

fn ask(contents: Value) -> Value {
    json!({"contents": contents})
}

fn said(text: &str) -> Value {
    json!({"role": "user", "parts": [{"text": text}]})
}

fn calls(parts: &[Option<&str>]) -> Value {
    let parts: Vec<Value> = parts
        .iter()
        .map(|signature| match signature {
            None => json!({"functionCall": {"name": "a", "args": {}}}),
            Some(s) => json!({"functionCall": {"name": "a", "args": {}}, "thoughtSignature": s}),
        })
        .collect();
    json!({"role": "model", "parts": parts})
}

fn results(count: usize) -> Value {
    let part = json!({"functionResponse": {"name": "a", "response": {"output": 1}}});
    json!({"role": "user", "parts": vec![part; count]})
}

#[test]
fn calls_and_responses_must_match_in_number_and_place() {
    let count = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    verify(vec![
        bad(Gemini, ask(json!([said("go"), calls(&[None, None]), results(1)])), count),
        bad(Gemini, ask(json!([said("go"), calls(&[None]), said("never mind")])), count),
        bad(
            Gemini,
            ask(json!([said("go"), results(1)])),
            "Please ensure that function response turn comes immediately after a function call turn.",
        ),
        bad(
            Gemini,
            ask(json!([calls(&[None]), results(1)])),
            "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        ),
    ]);
    accepted(Gemini, false, &ask(json!([said("go"), calls(&[None, None]), results(2)])));
}

#[test]
fn a_streamed_reply_may_come_back_chunk_by_chunk() {
    let end = json!({"role": "model", "parts": [{"text": ""}]});
    let chunks = json!([said("go"), calls(&[None]), calls(&[None]), end, results(2)]);
    accepted(Gemini, false, &ask(chunks));
}

fn declare(declaration: Value) -> Value {
    json!({"contents": [said("go")], "tools": [{"functionDeclarations": [declaration]}]})
}

#[test]
fn schemas_and_names_outside_the_subset_are_refused() {
    let parameters = |schema: Value| declare(json!({"name": "a", "parameters": schema}));
    verify(vec![
        bad(
            Gemini,
            parameters(json!({"type": "object", "properties": {"p": {"const": 1}}})),
            "Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.",
        ),
        bad(
            Gemini,
            parameters(json!({"type": ["object", "null"]})),
            "Invalid JSON payload received. Unknown name \"type\" at 'tools[0].function_declarations[0].parameters': Proto field is not repeating, cannot start list.",
        ),
        bad(
            Gemini,
            declare(json!({"name": "1a"})),
            "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.",
        ),
    ]);
    let anything = json!({"name": "a", "parameters_json_schema": {"const": 1}});
    accepted(Gemini, false, &declare(anything));
}

#[test]
fn gemini_3_wants_the_signature_on_the_first_call_of_each_step() {
    let signed = Seal::Thought.over("hm");
    let unsigned = "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:a` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.";
    verify(vec![
        bad(Gemini3, ask(json!([said("go"), calls(&[None]), results(1)])), unsigned),
        bad(Gemini3, ask(json!([said("go"), calls(&[Some("")]), results(1)])), unsigned),
        bad(
            Gemini3,
            ask(json!([said("go"), calls(&[Some("AAAA")]), results(1)])),
            "Corrupted thought signature.",
        ),
    ]);
    let parallel = ask(json!([said("go"), calls(&[Some(&signed), None]), results(2)]));
    accepted(Gemini3, false, &parallel);
    accepted(Gemini, false, &ask(json!([said("go"), calls(&[None]), results(1)])));
}

#[test]
fn gemini_3_looks_at_the_current_turn_only_and_takes_the_bypass() {
    let old = ask(json!([said("go"), calls(&[None]), results(1), said("again")]));
    accepted(Gemini3, false, &old);
    let bypass = calls(&[Some("skip_thought_signature_validator")]);
    accepted(Gemini3, false, &ask(json!([said("go"), bypass, results(1)])));
}
