//! Refusals of OpenAI's Responses API.

use serde_json::json;

use super::*;
use crate::ir::Request;
use crate::sim::Reasoned;
use crate::sim::seal::{Seal, TurnDigest};

use RulesId::OpenAiResponses;

fn ask(input: Value) -> Value {
    json!({"model": "m", "input": input})
}

fn call(call_id: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": call_id, "name": "a", "arguments": "{}"})
}

fn output(call_id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": call_id, "output": "1"})
}

#[test]
fn malformed_requests_get_the_documented_text() {
    let long = "c".repeat(65);
    let id = |id: &str| json!([{"type": "function_call", "id": id, "call_id": "c"}, output("c")]);
    verify(vec![
        bad(
            OpenAiResponses,
            ask(json!([call("c1")])),
            "No tool output found for function call c1.",
        ),
        bad(
            OpenAiResponses,
            ask(json!([output("c9")])),
            "No tool call found for function call output with call_id c9.",
        ),
        bad(
            OpenAiResponses,
            ask(json!([call(&long), output(&long)])),
            "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
        ),
        bad(
            OpenAiResponses,
            ask(id("call_1")),
            "Invalid 'input[0].id': 'call_1'. Expected an ID that begins with 'fc'.",
        ),
        bad(
            OpenAiResponses,
            ask(id("fc|1")),
            "Invalid 'input[0].id': 'fc|1'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.",
        ),
        bad(OpenAiResponses, json!({"model": "m"}), "Missing required parameter: 'input'."),
        bad(
            OpenAiResponses,
            json!({"model": "m", "input": "x", "previous_response_id": "resp_1"}),
            "Previous response with id 'resp_1' not found.",
        ),
        bad(
            OpenAiResponses,
            json!({"model": "m", "input": "x", "tools": [{"type": "function", "function": {"name": "a"}}]}),
            "Missing required parameter: 'tools[0].name'.",
        ),
        bad(
            OpenAiResponses,
            json!({"model": "m", "input": "x", "tools": [{"type": "function", "name": "a", "strict": true, "parameters": {"type": "object"}}]}),
            "Invalid schema for function 'a': In context=(), 'additionalProperties' is required to be supplied and to be false.",
        ),
    ]);
}

#[test]
fn a_call_that_came_with_reasoning_needs_it_back() {
    let turn = TurnDigest::of(&Request::default());
    let id = IdStyle::Call24.call_id(&turn, 0, "a", Reasoned::Yes).to_string();
    let reasoning = json!({"type": "reasoning", "id": turn.reasoning_item_id(), "summary": [],
                           "encrypted_content": Seal::Encrypted.over("hm")});
    accepted(OpenAiResponses, true, &ask(json!([reasoning, call(&id), output(&id)])));

    let violation =
        check(OpenAiResponses, &ask(json!([call(&id), output(&id)])), facts(true)).unwrap_err();
    assert_eq!(
        violation.message,
        format!(
            "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: '{}'.",
            turn.reasoning_item_id()
        )
    );
}

#[test]
fn dropping_the_calls_own_id_avoids_the_pairing_check() {
    let turn = TurnDigest::of(&Request::default());
    let id = IdStyle::Call24.call_id(&turn, 0, "a", Reasoned::Yes).to_string();
    let mut call = call(&id);
    call.as_object_mut().unwrap().shift_remove("id");
    accepted(OpenAiResponses, true, &ask(json!([call, output(&id)])));
}

#[test]
fn reasoning_items_must_be_followed_and_verifiable() {
    let bare = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let forged =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAx"});
    let mut unstored = ask(json!([bare, call("c"), output("c")]));
    unstored["store"] = json!(false);
    verify(vec![
        bad(
            OpenAiResponses,
            ask(json!([bare, {"role": "user", "content": "x"}])),
            "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        ),
        bad(
            OpenAiResponses,
            ask(json!([forged, call("c"), output("c")])),
            "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
        ),
        Case {
            status: 404,
            ..bad(
                OpenAiResponses,
                unstored,
                "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
            )
        },
    ]);
}
