//! Answers: which answer each request gets.

use super::*;

#[test]
fn the_model_name_picks_the_file_and_the_path_must_fit() {
    let desk = Desk::new(&[("talker", CHAT), ("claude", MESSAGES)]);
    assert_eq!(desk.post("/v1/chat/completions", &hello("talker")).status, 200);
    assert_eq!(desk.post("/chat/completions", &hello("talker")).status, 200);
    assert_eq!(desk.post("/v1/messages", &hello("claude")).status, 200);

    let unknown = desk.post("/v1/chat/completions", &hello("nobody"));
    assert_eq!(unknown.status, 404);
    assert_eq!(body_of(&unknown)["error"]["code"], "model_not_found");

    let elsewhere = desk.post("/v1/chat/completions", &hello("claude"));
    assert_eq!(elsewhere.status, 404);
    assert_eq!(
        body_of(&elsewhere)["error"]["message"],
        "This model is only supported in v1/messages and not in v1/chat/completions."
    );
}

#[test]
fn unknown_paths_and_methods_are_refused() {
    let desk = Desk::new(&[("talker", CHAT)]);
    let lost = desk.post("/v1/embeddings", &hello("talker"));
    assert_eq!(lost.status, 404);
    assert_eq!(body_of(&lost)["error"]["message"], "Invalid URL (POST /v1/embeddings)");
    let read = desk.ask("GET", "/v1/chat/completions", &[], b"");
    assert_eq!((read.status, header(&read, "allow")), (405, Some("POST")));
}

#[test]
fn bodies_that_cannot_be_read_are_refused_in_the_dialects_envelope() {
    let mut desk = Desk::new(&[("claude", MESSAGES)]);
    let broken = desk.ask("POST", "/v1/messages", &[], b"{");
    assert_eq!((broken.status, &body_of(&broken)["type"]), (400, &json!("error")));
    desk.options.body_limit = 10;
    let long = desk.post("/v1/messages", &hello("claude"));
    assert_eq!(long.status, 413);
    assert_eq!(body_of(&long)["error"]["type"], "request_too_large");
}

#[test]
fn violations_come_in_the_words_of_the_models_own_provider() {
    let desk = Desk::new(&[("kimi", "dialect = \"openai-chat\"\nrules = \"kimi\"")]);
    let body = json!({"model": "kimi", "messages": [
        {"role": "tool", "tool_call_id": "x", "content": "1"}]});
    let refused = desk.post("/v1/chat/completions", &body);
    assert_eq!(refused.status, 400);
    assert_eq!(
        body_of(&refused),
        json!({"error": {"message": "tool_call_id x is not found", "type": "invalid_request_error"}})
    );
}

#[test]
fn no_key_is_needed_unless_one_is_set() {
    let mut desk = Desk::new(&[("claude", MESSAGES)]);
    let version = ("anthropic-version", "2026-10-21");
    let body = hello("claude").to_string();
    let status = |desk: &Desk, key: &[(&str, &str)], url: &str| {
        let headers: Vec<_> = [version].iter().chain(key).copied().collect();
        desk.ask("POST", url, &headers, body.as_bytes()).status
    };
    assert_eq!(status(&desk, &[], "/v1/messages"), 200);
    desk.options.api_key = Some("k1".to_owned());
    assert_eq!(status(&desk, &[], "/v1/messages"), 401);
    assert_eq!(status(&desk, &[("x-api-key", "k2")], "/v1/messages"), 401);
    for key in [("x-api-key", "k1"), ("authorization", "Bearer k1"), ("x-goog-api-key", "k1")] {
        assert_eq!(status(&desk, &[key], "/v1/messages"), 200, "{key:?}");
    }
    assert_eq!(status(&desk, &[], "/v1/messages?key=k1"), 200);
}

#[test]
fn anthropic_wants_a_version_and_takes_any() {
    let desk = Desk::new(&[("claude", MESSAGES)]);
    let refused = desk.ask("POST", "/v1/messages", &[], hello("claude").to_string().as_bytes());
    assert_eq!(refused.status, 400);
    assert_eq!(body_of(&refused)["error"]["message"], "anthropic-version: header is required");
}

#[test]
fn streams_have_the_dialects_content_type_and_the_providers_headers() {
    let desk = Desk::new(&[("claude", MESSAGES)]);
    let mut body = hello("claude");
    body["stream"] = json!(true);
    let streamed = desk.post("/v1/messages", &body);
    assert_eq!(header(&streamed, "content-type"), Some("text/event-stream; charset=utf-8"));
    assert!(header(&streamed, "request-id").unwrap().starts_with("req_"));
    let Payload::Pieces(pieces) = &streamed.payload else { panic!("not in pieces") };
    assert!(pieces.len() > 3, "each frame is a piece of its own");
    let text = String::from_utf8(pieces.concat()).unwrap();
    assert!(text.starts_with("event: message_start\n"), "{text}");
    assert!(text.trim_end().ends_with("data: {\"type\":\"message_stop\"}"), "{text}");
}

#[test]
fn the_same_request_gets_the_same_ids() {
    let desk = Desk::new(&[("claude", MESSAGES)]);
    let [first, second] = [(); 2].map(|()| desk.post("/v1/messages", &hello("claude")));
    assert_eq!(first, second);
    assert!(body_of(&first)["id"].as_str().unwrap().starts_with("msg_01"));
}

#[test]
fn a_rate_limited_model_answers_the_second_time() {
    let desk = Desk::new(&[(
        "limited",
        "dialect = \"openai-chat\"\nhttp_quirks = [{ rate-limited = { retry_after = 2 } }]",
    )]);
    let first = desk.post("/v1/chat/completions", &hello("limited"));
    assert_eq!((first.status, header(&first, "retry-after")), (429, Some("2")));
    assert_eq!(body_of(&first)["error"]["code"], "rate_limit_exceeded");
    assert_eq!(desk.post("/v1/chat/completions", &hello("limited")).status, 200);
    let mut other = hello("limited");
    other["max_tokens"] = json!(50);
    assert_eq!(desk.post("/v1/chat/completions", &other).status, 429);
}

#[test]
fn other_faults_come_as_the_file_says() {
    let quirk = |quirk: &str| format!("{CHAT}\nhttp_quirks = [{quirk}]");
    let desk = Desk::new(&[
        ("flapping", &quirk("{ flapping = { status = 500 } }")),
        ("down", &quirk("{ down = { status = 503 } }")),
        ("page", &quirk("\"web-page\"")),
        ("binary", &quirk("\"not-utf8\"")),
        ("flood", &quirk("{ flood = { bytes = 1000 } }")),
        ("hangs", &quirk("\"hangs\"")),
        ("cuts", &quirk("\"cuts-body\"")),
    ]);
    let ask = |model: &str| desk.post("/v1/chat/completions", &hello(model));
    assert_eq!((ask("flapping").status, ask("flapping").status), (500, 200));
    assert_eq!((ask("down").status, ask("down").status), (503, 503));
    assert_eq!(header(&ask("page"), "content-type"), Some("text/html; charset=utf-8"));
    assert!(String::from_utf8(bytes(&ask("binary"))).is_err());
    assert_eq!(ask("flood").payload, Payload::Flood(1000));
    assert_eq!(ask("hangs").payload, Payload::Silence);
    assert_eq!(ask("cuts").ending, Ending::Cut);
}

#[test]
fn a_stream_can_be_ignored_or_hung_up_after() {
    let quirk = |quirk: &str| format!("{MESSAGES}\nhttp_quirks = [\"{quirk}\"]");
    let desk = Desk::new(&[
        ("ignores", &quirk("stream-ignored")),
        ("closes", &quirk("closes-after-stream")),
    ]);
    let ask = |model: &str| {
        let mut body = hello(model);
        body["stream"] = json!(true);
        desk.post("/v1/messages", &body)
    };
    assert_eq!(body_of(&ask("ignores"))["type"], "message");
    assert_eq!(ask("closes").ending, Ending::Closed);
    assert_eq!(desk.post("/v1/messages", &hello("closes")).ending, Ending::Kept);
}

#[test]
fn listings_hold_the_models_of_their_dialect() {
    let desk = Desk::new(&[
        ("talker", CHAT),
        ("claude", MESSAGES),
        ("gem", "dialect = \"gemini\""),
        ("llama", "dialect = \"ollama\"\nchat_template = \"{{ .Prompt }}\""),
        ("cpp", "dialect = \"openai-chat\"\nrules = \"llama-cpp\"\nchat_template = \"T\""),
    ]);
    let get = |url: &str, headers: &[(&str, &str)]| body_of(&desk.ask("GET", url, headers, b""));
    let openai = get("/v1/models", &[]);
    assert_eq!(
        (&openai["data"][0]["id"], &openai["data"][1]["id"]),
        (&json!("cpp"), &json!("talker"))
    );
    assert_eq!(get("/v1/models", &[("anthropic-version", "x")])["data"][0]["id"], "claude");
    assert_eq!(get("/v1beta/models", &[])["models"][0]["name"], "models/gem");
    assert_eq!(get("/api/tags", &[])["models"][0]["name"], "llama");
    assert_eq!(get("/props?model=cpp", &[])["chat_template"], "T");
    assert_eq!(get("/health", &[])["status"], "ok");
    let show = body_of(&desk.post("/api/show", &json!({"model": "llama"})));
    assert_eq!(show["template"], "{{ .Prompt }}");
    assert_eq!(show["capabilities"], json!(["completion", "tools"]));
}
