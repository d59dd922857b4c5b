//! Refusals of chat-completion providers.

use serde_json::json;

use super::*;

use RulesId::{
    DeepseekR1, DeepseekV4, Glm, Groq, Kimi, LlamaCpp, Minimax, Mistral, OpenAiChat, Openrouter,
    Qwen, Sglang, Vllm, Xai,
};

fn ask(messages: Value) -> Value {
    json!({"model": "m", "messages": messages})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn calls(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "type": "function", "function": {"name": "a", "arguments": "{}"}}))
        .collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "1"})
}

fn dangling() -> Value {
    ask(json!([user("go"), calls(&["c1", "c2"]), result("c1"), user("and?")]))
}

fn orphan() -> Value {
    ask(json!([user("go"), result("c9")]))
}

fn complete() -> Value {
    ask(json!([user("go"), calls(&["c1", "c2"]), result("c2"), result("c1")]))
}

fn offer(tool: Value) -> Value {
    json!({"model": "m", "messages": [user("go")], "tools": [{"type": "function", "function": tool}]})
}

fn choice(choice: Value) -> Value {
    let mut body = offer(json!({"name": "a", "parameters": {"type": "object"}}));
    body["tool_choice"] = choice;
    body
}

#[test]
fn dangling_calls_are_refused_in_each_providers_words() {
    verify(vec![
        bad(
            OpenAiChat,
            dangling(),
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: c2",
        ),
        bad(
            DeepseekV4,
            dangling(),
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
        ),
        bad(
            Kimi,
            dangling(),
            "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: c2",
        ),
        bad(
            Qwen,
            dangling(),
            "<400> InternalError.Algo.InvalidParameter: An assistant message with \"tool_calls\" must be followed by tool messages responding to each \"tool_call_id\". The following tool_call_ids did not have response messages: message[3].role",
        ),
        bad(
            Minimax,
            dangling(),
            "invalid params, tool call result does not follow tool call (2013)",
        ),
        bad(
            LlamaCpp,
            ask(json!([user("go"), calls(&["c1"])])),
            "Cannot continue an assistant message that contains tool calls.",
        ),
    ]);
}

#[test]
fn orphan_results_are_refused_in_each_providers_words() {
    verify(vec![
        bad(
            OpenAiChat,
            orphan(),
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ),
        bad(
            DeepseekR1,
            orphan(),
            "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        ),
        bad(
            Qwen,
            orphan(),
            "<400> InternalError.Algo.InvalidParameter: messages with role \"tool\" must be a response to a preceeding message with \"tool_calls\".",
        ),
        bad(Minimax, orphan(), "invalid params, tool result's tool id(c9) not found (2013)"),
    ]);
}

#[test]
fn servers_without_a_pairing_check_take_any_history() {
    for rules in [Vllm, Sglang, Openrouter, Glm, Xai, LlamaCpp] {
        accepted(rules, false, &orphan());
        accepted(rules, false, &dangling());
    }
}

#[test]
fn complete_histories_are_accepted_whatever_the_order_of_results() {
    for rules in [OpenAiChat, DeepseekV4, DeepseekR1, Kimi, Qwen, Minimax] {
        accepted(rules, false, &complete());
    }
}

#[test]
fn openai_names_the_parameter_and_the_code() {
    let violation = check(OpenAiChat, &dangling(), facts(false)).unwrap_err();
    let error = refuse(OpenAiChat, &violation, "r").body["error"].clone();
    assert_eq!(error["param"], "messages.[3].role");
    assert_eq!(error["code"], Value::Null);
    let violation = check(OpenAiChat, &offer(json!({"name": "a b"})), facts(false)).unwrap_err();
    let error = refuse(OpenAiChat, &violation, "r").body["error"].clone();
    assert_eq!(
        (&error["param"], &error["code"]),
        (&json!("tools[0].function.name"), &json!("invalid_value"))
    );
}

#[test]
fn openai_limits_have_their_texts() {
    let long = "i".repeat(41);
    let strict = |schema: Value| offer(json!({"name": "a", "strict": true, "parameters": schema}));
    let mut many = ask(json!([user("go")]));
    many["tools"] = json!(vec![json!({"type": "function", "function": {"name": "a"}}); 129]);
    let mut object_arguments = complete();
    object_arguments["messages"][1]["tool_calls"][0]["function"]["arguments"] = json!({});
    verify(vec![
        bad(
            OpenAiChat,
            ask(json!([user("go"), calls(&[&long]), result(&long)])),
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
        ),
        bad(
            OpenAiChat,
            offer(json!({"name": "a.b"})),
            "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        ),
        bad(
            OpenAiChat,
            offer(json!({"name": "a", "description": "d".repeat(1025)})),
            "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1025 instead.",
        ),
        bad(
            OpenAiChat,
            many,
            "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
        ),
        bad(
            OpenAiChat,
            strict(json!({"type": "object", "properties": {}})),
            "Invalid schema for function 'a': In context=(), 'additionalProperties' is required to be supplied and to be false.",
        ),
        bad(
            OpenAiChat,
            strict(json!({"type": "object", "additionalProperties": false, "required": ["p"],
                "properties": {"p": {"type": "object", "additionalProperties": false, "properties": {"q": {}}}}})),
            "Invalid schema for function 'a': In context=('properties', 'p'), 'required' is required to be supplied and to be an array including every key in properties. Missing 'q'.",
        ),
        bad(
            OpenAiChat,
            object_arguments,
            "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
        ),
        bad(
            OpenAiChat,
            ask(json!([])),
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        ),
        bad(
            OpenAiChat,
            ask(json!([{"role": "robot", "content": ""}])),
            "Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
        ),
        bad(
            OpenAiChat,
            choice(json!("sometimes")),
            "Invalid value: 'sometimes'. Supported values are: 'none', 'auto', and 'required'.",
        ),
    ]);
}

#[test]
fn forced_choices_while_thinking_are_refused_in_each_providers_words() {
    let named = choice(json!({"type": "function", "function": {"name": "a"}}));
    verify(vec![
        bad_thinking(
            DeepseekV4,
            choice(json!("required")),
            "Thinking mode does not support this tool_choice",
        ),
        bad_thinking(
            Kimi,
            choice(json!("required")),
            "tool_choice 'required' is incompatible with thinking enabled",
        ),
        bad_thinking(
            Kimi,
            named.clone(),
            "tool_choice 'specified' is incompatible with thinking enabled",
        ),
        bad_thinking(
            Qwen,
            named,
            "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
        ),
        bad(Glm, choice(json!("required")), "Tool choice must be auto"),
    ]);
    for rules in [DeepseekV4, Kimi, Qwen] {
        accepted(rules, false, &choice(json!("required")));
        accepted(rules, true, &choice(json!("auto")));
    }
}

fn replay(reasoning: Option<&str>) -> Value {
    let mut body = complete();
    if let Some(text) = reasoning {
        body["messages"][1]["reasoning_content"] = json!(text);
    }
    body
}

#[test]
fn reasoning_must_come_back_where_the_provider_says_so() {
    let deepseek = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    verify(vec![
        bad_thinking(DeepseekV4, replay(None), deepseek),
        bad_thinking(DeepseekV4, replay(Some("")), deepseek),
        bad_thinking(
            Kimi,
            replay(None),
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
        ),
        bad_thinking(
            DeepseekR1,
            replay(Some("hm")),
            "The `reasoning_content` field is not allowed in the input messages: remove it from messages[1].",
        ),
    ]);
    accepted(DeepseekV4, true, &replay(Some("hm")));
    accepted(DeepseekV4, false, &replay(None));
    accepted(Kimi, true, &replay(Some("")));
    accepted(DeepseekR1, true, &replay(None));
}

#[test]
fn roles_and_names_are_refused_in_each_providers_words() {
    verify(vec![
        bad(
            DeepseekV4,
            ask(json!([{"role": "developer", "content": "x"}])),
            "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`, `latest_reminder` at line 1 column 44",
        ),
        bad(
            Kimi,
            offer(json!({"name": "1a"})),
            "function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes",
        ),
        bad(
            Minimax,
            offer(json!({"name": "a"})),
            "invalid params, function parameters is empty (2013)",
        ),
        bad(LlamaCpp, choice(json!("sometimes")), "Invalid tool_choice: sometimes"),
        bad(Groq, complete(), "requested tool does not exist"),
        bad(
            Xai,
            ask(json!([user("go"), {"role": "assistant", "content": null}])),
            "Invalid request content: Each message must have at least one content element.",
        ),
    ]);
}

#[test]
fn arguments_that_are_not_json_poison_the_history() {
    let mut body = ask(json!([user("go"), calls(&["c1"]), result("c1")]));
    body["messages"][1]["tool_calls"][0]["function"]["arguments"] = json!("{\"a\":");
    verify(vec![
        bad(
            Minimax,
            body.clone(),
            "invalid params, invalid function arguments json string, tool_call_id: c1 (2013)",
        ),
        Case {
            status: 500,
            ..bad(
                LlamaCpp,
                body,
                "Failed to parse tool call arguments as JSON: EOF while parsing a value at line 1 column 5",
            )
        },
    ]);
}

fn mistral(messages: Value) -> (String, String, String) {
    let violation = check(Mistral, &ask(messages), facts(false)).unwrap_err();
    let body = refuse(Mistral, &violation, "r").body;
    let field = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
    (field("message"), field("type"), field("code"))
}

fn owned(message: &str, kind: &str, code: &str) -> (String, String, String) {
    (message.to_owned(), kind.to_owned(), code.to_owned())
}

#[test]
fn mistral_wants_nine_characters_and_its_own_order() {
    let order = "invalid_request_message_order";
    let nine = "abcdef123";
    assert_eq!(
        mistral(json!([user("go"), calls(&["call_1"]), result("call_1")])),
        owned(
            "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
            "invalid_function_call",
            "3280"
        )
    );
    assert_eq!(
        mistral(json!([user("go"), calls(&[nine]), result(nine), user("and?")])),
        owned("Unexpected role 'user' after role 'tool'", order, "3230")
    );
    assert_eq!(
        mistral(json!([user("go"), result(nine)])),
        owned("Unexpected role 'tool' after role 'user'", order, "3230")
    );
    assert_eq!(
        mistral(json!([user("go"), calls(&[nine, "abcdef124"]), result(nine)])),
        owned("Not the same number of function calls and responses", order, "3230")
    );
    assert_eq!(
        mistral(json!([user("go"), {"role": "assistant", "content": "well"}])),
        owned(
            "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
            order,
            "3230"
        )
    );
}

#[test]
fn mistral_refuses_fields_it_does_not_know() {
    let mut body = ask(json!([user("go"), calls(&["abcdef123"]), result("abcdef123")]));
    body["messages"][1]["reasoning_content"] = json!("hm");
    let violation = check(Mistral, &body, facts(false)).unwrap_err();
    let refusal = refuse(Mistral, &violation, "r");
    assert_eq!(refusal.status, 422);
    assert_eq!(refusal.body["message"]["detail"][0]["type"], "extra_forbidden");
    assert_eq!(
        refusal.body["message"]["detail"][0]["loc"],
        json!(["body", "messages", 1, "assistant", "reasoning_content"])
    );
}
