//! Like the originals: what the providers' own services do beyond their dialects.

use super::*;

const RESPONSES: &str = "dialect = \"openai-responses\"";
const GEMINI: &str = "dialect = \"gemini\"";
const CALL: &str = "Call the tool `look_up` once, with:\n- word = \"fjord\"\n";

fn look_up() -> Value {
    json!({"type": "function", "name": "look_up", "parameters": {"type": "object",
        "properties": {"word": {"type": "string"}}, "required": ["word"]}})
}

fn respond_to(desk: &Desk, input: &Value, tools: &Value) -> Value {
    let body = json!({"model": "gpt", "input": input, "tools": tools});
    let answer = desk.post("/v1/responses", &body);
    assert_eq!(answer.status, 200, "{}", body_of(&answer));
    body_of(&answer)
}

#[test]
fn a_stored_call_can_be_referred_to_and_an_unknown_one_cannot() {
    let desk = Desk::new(&[("gpt", RESPONSES)]);
    let tools = json!([look_up()]);
    let first = respond_to(&desk, &json!(CALL), &tools);
    let call = &first["output"][0];
    let result =
        json!({"type": "function_call_output", "call_id": call["call_id"], "output": "deep"});
    let follow_up = |id: &Value| json!([{"role": "user", "content": CALL}, {"type": "item_reference", "id": id}, result]);
    let second = respond_to(&desk, &follow_up(&call["id"]), &tools);
    let said = second["output"][0]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("deep"), "{said}");

    let continued = json!({"model": "gpt", "input": [result], "tools": tools,
                           "previous_response_id": first["id"]});
    assert_eq!(desk.post("/v1/responses", &continued).status, 200);

    let body = json!({"model": "gpt", "input": follow_up(&json!("fc_unknown"))});
    assert_eq!(desk.post("/v1/responses", &body).status, 404);
}

#[test]
fn tools_of_every_type_are_taken_and_called_in_their_own_form() {
    let desk = Desk::new(&[("gpt", RESPONSES)]);
    let grammar = json!({"type": "grammar", "syntax": "lark", "definition": "start: /.+/"});
    let patch = json!({"type": "custom", "name": "apply_patch", "format": grammar});
    let space =
        json!({"type": "namespace", "name": "books", "description": "d", "tools": [look_up()]});
    let tools = json!([patch, {"type": "web_search"}, space]);
    let asked = json!("Call the tool `apply_patch` once, with:\n- input = \"*** Begin Patch\"\n");
    let custom = respond_to(&desk, &asked, &tools)["output"][0].clone();
    assert_eq!(
        (&custom["type"], &custom["input"]),
        (&json!("custom_tool_call"), &json!("*** Begin Patch"))
    );
    let spaced = respond_to(&desk, &json!(CALL), &tools)["output"][0].clone();
    assert_eq!((&spaced["type"], &spaced["namespace"]), (&json!("function_call"), &json!("books")));

    let added = json!({"type": "additional_tools", "role": "developer", "tools": [look_up()]});
    let input = json!([added, {"role": "user", "content": CALL}]);
    let called = respond_to(&desk, &input, &json!([]))["output"][0].clone();
    assert_eq!(called["name"], "look_up");

    let body = json!({"model": "gpt", "input": "hi", "tools": [{"type": "telepathy"}]});
    assert_eq!(desk.post("/v1/responses", &body).status, 400);
}

#[test]
fn images_are_taken_and_read_past() {
    let desk = Desk::new(&[("gpt", RESPONSES)]);
    let content = json!([{"type": "input_text", "text": "What is this?"},
                         {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]);
    respond_to(&desk, &json!([{"role": "user", "content": content}]), &json!([]));
}

#[test]
fn instructions_in_the_middle_need_their_beta() {
    let desk = Desk::new(&[("claude", MESSAGES)]);
    let mut body = hello("claude");
    body["messages"] =
        json!([{"role": "user", "content": "hello"}, {"role": "system", "content": "Be kind."}]);
    let ask = |beta: &str, body: &Value| {
        let headers = [("anthropic-version", "2023-06-01"), ("anthropic-beta", beta)];
        desk.ask("POST", "/v1/messages?beta=true", &headers, body.to_string().as_bytes()).status
    };
    assert_eq!(ask("effort-2025-11-24", &body), 400);
    assert_eq!(ask("effort-2025-11-24, mid-conversation-system-2026-04-07", &body), 200);
    body["messages"] =
        json!([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hello"}]);
    assert_eq!(ask("mid-conversation-system-2026-04-07", &body), 400, "not as the first message");
}

#[test]
fn google_ends_lines_with_crlf_and_its_array_after_a_line_end() {
    let desk = Desk::new(&[("flash", GEMINI)]);
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "hello"}]}]});
    let text = |url: &str| String::from_utf8(bytes(&desk.post(url, &body))).unwrap();
    let events = text("/v1beta/models/flash:streamGenerateContent?alt=sse");
    assert!(events.ends_with("}\r\n\r\n"), "{events}");
    assert!(!events.replace("\r\n", "").contains('\n'), "{events}");
    let array = text("/v1beta/models/flash:streamGenerateContent");
    assert!(array.starts_with("[{") && array.ends_with("}\n]"), "{array}");
}

#[test]
fn google_refuses_a_role_that_is_neither_user_nor_model() {
    let desk = Desk::new(&[("flash", GEMINI)]);
    let call = json!({"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]});
    let ask = |role: &str| {
        let result = json!({"functionResponse": {"name": "f", "response": {"output": 1}}});
        let contents = json!([{"role": "user", "parts": [{"text": "hi"}]}, call,
                              {"role": role, "parts": [result]}]);
        desk.post("/v1beta/models/flash:generateContent", &json!({"contents": contents})).status
    };
    assert_eq!((ask("user"), ask("function")), (200, 400));
}

fn shipped() -> Desk {
    Desk { fleet: Fleet::embedded().unwrap(), ..Desk::new(&[("x", CHAT)]) }
}

#[test]
fn ollama_serves_its_models_as_chat_completions_too() {
    let desk = shipped();
    let tools = json!([{"type": "function", "function": {"name": "look_up", "parameters":
        look_up()["parameters"]}}]);
    let body = json!({"model": "ollama-thinking", "tools": tools, "tool_choice": "none",
                      "messages": [{"role": "user", "content": CALL}]});
    let reply = body_of(&desk.post("/v1/chat/completions", &body));
    assert_eq!(reply["system_fingerprint"], "fp_ollama");
    let message = &reply["choices"][0]["message"];
    assert!(message["reasoning"].is_string(), "{reply}");
    assert_eq!(message["tool_calls"][0]["function"]["name"], "look_up", "the choice is ignored");
    let listed = body_of(&desk.ask("GET", "/v1/models", &[], b""));
    assert!(listed.to_string().contains("ollama-thinking"));
}

#[test]
fn deepseek_serves_messages_and_wants_its_thinking_back() {
    let desk = shipped();
    let tool = json!({"name": "look_up", "input_schema": look_up()["parameters"]});
    let ask = |messages: Value| {
        let body = json!({"model": "deepseek-v4-thinking", "max_tokens": 500, "tools": [tool],
                          "messages": messages});
        desk.ask("POST", "/anthropic/v1/messages", &[], body.to_string().as_bytes())
    };
    let first = ask(json!([{"role": "user", "content": CALL}]));
    let content = body_of(&first)["content"].clone();
    assert_eq!((first.status, &content[0]["type"]), (200, &json!("thinking")));
    let follow_up = |content: Value| {
        let id = content.as_array().unwrap().last().unwrap()["id"].clone();
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "deep"});
        ask(json!([{"role": "user", "content": CALL}, {"role": "assistant", "content": content},
                   {"role": "user", "content": [result]}]))
    };
    assert_eq!(follow_up(content.clone()).status, 200);
    let calls: Vec<Value> = content.as_array().unwrap().iter().skip(1).cloned().collect();
    let refused = follow_up(json!(calls));
    assert_eq!(refused.status, 400);
    assert_eq!(
        body_of(&refused)["error"]["message"],
        "The `content[].thinking` in the thinking mode must be passed back to the API."
    );
    assert_eq!(desk.post("/v1/messages", &hello("deepseek-v4-thinking")).status, 404);
}

#[test]
fn only_the_older_openai_limits_descriptions() {
    let desk = shipped();
    let ask = |model: &str| {
        let tool =
            json!({"type": "function", "function": {"name": "a", "description": "d".repeat(1025)}});
        let mut body = hello(model);
        body["tools"] = json!([tool]);
        desk.post("/v1/chat/completions", &body).status
    };
    assert_eq!((ask("openai-native"), ask("openai-long-descriptions")), (400, 200));
}
