//! Refusals of Anthropic.

use serde_json::json;

use super::*;
use crate::ir::Request;
use crate::sim::Reasoned;
use crate::sim::seal::{Seal, TurnDigest};

use RulesId::Anthropic;

fn tool(name: &str) -> Value {
    json!({"name": name, "input_schema": {"type": "object"}})
}

fn ask(messages: Value) -> Value {
    json!({"model": "m", "max_tokens": 4096, "tools": [tool("a")], "messages": messages})
}

fn with(mut body: Value, key: &str, value: Value) -> Value {
    body[key] = value;
    body
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "a", "input": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "1"})
}

fn loop_of(assistant: Vec<Value>, answer: Vec<Value>) -> Value {
    ask(json!([user("go"), {"role": "assistant", "content": assistant},
               {"role": "user", "content": answer}]))
}

#[test]
fn malformed_requests_get_the_validators_text() {
    let fine = ask(json!([user("hi")]));
    let names = |tools: Value| with(fine.clone(), "tools", tools);
    let choice = |choice: Value| with(fine.clone(), "tool_choice", choice);
    verify(vec![
        bad(Anthropic, json!({"model": "m", "messages": []}), "max_tokens: Field required"),
        bad(Anthropic, ask(json!([])), "messages: at least one message is required"),
        bad(
            Anthropic,
            ask(json!([{"role": "tool", "content": "x"}])),
            "messages.0.role: Input should be 'user' or 'assistant'",
        ),
        bad(
            Anthropic,
            ask(json!([{"role": "system", "content": "x"}])),
            "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.",
        ),
        bad(
            Anthropic,
            names(json!([tool("a b")])),
            "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        ),
        bad(
            Anthropic,
            names(json!([tool("a"), tool(&"n".repeat(129))])),
            "tools.1.custom.name: String should have at most 128 characters",
        ),
        bad(Anthropic, names(json!([tool("a"), tool("a")])), "tools: Tool names must be unique."),
        bad(
            Anthropic,
            names(json!([{"name": "a"}])),
            "tools.0.custom.input_schema: Field required",
        ),
        bad(
            Anthropic,
            choice(json!("auto")),
            "tool_choice: Input should be a valid dictionary or object to extract fields from",
        ),
        bad(
            Anthropic,
            choice(json!({"type": "tool", "name": "b"})),
            "Tool 'b' not found in provided tools",
        ),
        bad(
            Anthropic,
            ask(json!([{"role": "user", "content": ""}])),
            "messages.0: all messages must have non-empty content except for the optional final assistant message",
        ),
        bad(
            Anthropic,
            ask(json!([{"role": "user", "content": [{"type": "text", "text": ""}]}])),
            "messages: text content blocks must be non-empty",
        ),
    ]);
    accepted(Anthropic, false, &fine);
}

#[test]
fn calls_and_results_must_match_in_the_next_message() {
    verify(vec![
        bad(
            Anthropic,
            loop_of(vec![call("t1"), call("t2")], vec![result("t1")]),
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        ),
        bad(
            Anthropic,
            ask(json!([user("go"), {"role": "assistant", "content": [call("t1")]}])),
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        ),
        bad(
            Anthropic,
            ask(json!([{"role": "user", "content": [result("t9")]}])),
            "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ),
        bad(
            Anthropic,
            loop_of(vec![call("t1"), call("t1")], vec![result("t1")]),
            "messages.1.content.1: `tool_use` ids must be unique",
        ),
        bad(
            Anthropic,
            loop_of(vec![call("t1")], vec![json!({"type": "text", "text": "x"}), result("t1")]),
            "messages.2: Did not find 1 tool_result block(s) at the beginning of this message. Messages following tool_use blocks must begin with a matching number of tool_result blocks.",
        ),
        bad(
            Anthropic,
            with(loop_of(vec![call("t1")], vec![result("t1")]), "tools", json!([])),
            "Requests which include tool_use or tool_result blocks must define tools",
        ),
        bad(
            Anthropic,
            loop_of(vec![call("functions.a:0")], vec![result("functions.a:0")]),
            "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        ),
        bad(
            Anthropic,
            loop_of(
                vec![json!({"type": "tool_use", "id": "t", "name": "a", "input": "{}"})],
                vec![result("t")],
            ),
            "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
        ),
    ]);
}

#[test]
fn results_first_and_text_after_is_the_accepted_order() {
    let text = json!({"type": "text", "text": "and now?"});
    accepted(Anthropic, false, &loop_of(vec![call("t1")], vec![result("t1"), text]));
}

#[test]
fn messages_of_one_role_count_as_one_turn() {
    accepted(
        Anthropic,
        false,
        &ask(json!([user("go"), {"role": "assistant", "content": [call("t1"), call("t2")]},
            {"role": "user", "content": [result("t1")]},
            {"role": "user", "content": [result("t2")]}])),
    );
}

fn thought(text: &str, signed: &str) -> Value {
    json!({"type": "thinking", "thinking": text, "signature": Seal::Signature.over(signed)})
}

fn sealed_call() -> (String, Value) {
    let turn = TurnDigest::of(&Request::default());
    let id = IdStyle::Toolu.call_id(&turn, 0, "a", Reasoned::Yes).to_string();
    let call = call(&id);
    (id, call)
}

#[test]
fn thinking_forbids_forced_choices_and_small_budgets() {
    let fine = ask(json!([user("hi")]));
    verify(vec![
        bad_thinking(
            Anthropic,
            with(fine.clone(), "tool_choice", json!({"type": "any"})),
            "Thinking may not be enabled when tool_choice forces tool use.",
        ),
        bad_thinking(
            Anthropic,
            with(fine, "thinking", json!({"type": "enabled", "budget_tokens": 512})),
            "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        ),
    ]);
}

#[test]
fn the_start_rule_wants_thinking_before_the_open_calls() {
    let (id, call) = sealed_call();
    verify(vec![bad_thinking(
        RulesId::AnthropicStart,
        loop_of(vec![call.clone()], vec![result(&id)]),
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
    )]);
    let faithful = loop_of(vec![thought("hm", "hm"), call], vec![result(&id)]);
    for rules in [RulesId::AnthropicStart, RulesId::AnthropicNoModify, RulesId::AnthropicSignature]
    {
        accepted(rules, true, &faithful);
    }
}

#[test]
fn no_modify_refuses_altered_and_omitted_thinking() {
    let (id, call) = sealed_call();
    let text = "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.";
    let altered = loop_of(vec![thought("other", "hm"), call.clone()], vec![result(&id)]);
    let omitted = loop_of(vec![call], vec![result(&id)]);
    verify(vec![
        bad_thinking(RulesId::AnthropicNoModify, altered, text),
        bad_thinking(RulesId::AnthropicNoModify, omitted, text),
    ]);
}

#[test]
fn signature_mode_looks_at_signatures_only() {
    let (id, call) = sealed_call();
    let of = |blocks: Vec<Value>| loop_of(blocks, vec![result(&id)]);
    let mode = RulesId::AnthropicSignature;
    accepted(mode, true, &of(vec![call.clone()]));
    accepted(mode, true, &of(vec![thought("other", "hm"), call.clone()]));
    let forged = json!({"type": "thinking", "thinking": "hm", "signature": ""});
    verify(vec![bad_thinking(
        mode,
        of(vec![forged, call]),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    )]);
}

#[test]
fn thinking_at_the_end_needs_thinking_enabled() {
    let body = ask(json!([user("go"), {"role": "assistant", "content": [thought("x", "x")]}]));
    verify(vec![bad(
        Anthropic,
        body,
        "messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request.",
    )]);
}
