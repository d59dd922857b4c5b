//! Is every error on record read for what it is?

use serde_json::json;

use super::Envelope::{Array, Flat, Nested, Text, Unknown};
use super::*;

/// What a body must be read as: envelope, kind, code, param, message.
type Row<'a> = (&'a str, Envelope, Option<&'a str>, Option<&'a str>, Option<&'a str>, &'a str);

/// One row per shape on record; the first column is the body.
const BODIES: &[Row] = &[
    // OpenAI
    (
        r#"{"error":{"message":"m","type":"invalid_request_error","param":"tools[0]","code":"invalid_value"}}"#,
        Nested,
        Some("invalid_request_error"),
        Some("invalid_value"),
        Some("tools[0]"),
        "m",
    ),
    // Anthropic
    (
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#,
        Nested,
        Some("overloaded_error"),
        None,
        None,
        "Overloaded",
    ),
    // MiniMax
    (
        r#"{"type":"error","error":{"type":"bad_request_error","message":"invalid params (2013)","http_code":"400"}}"#,
        Nested,
        Some("bad_request_error"),
        Some("400"),
        None,
        "invalid params (2013)",
    ),
    // llama.cpp, vLLM
    (
        r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
        Nested,
        Some("unavailable_error"),
        Some("503"),
        None,
        "Loading model",
    ),
    // LiteLLM
    (
        r#"{"error":{"message":"Authentication Error","type":"auth_error","param":"None","code":"401"}}"#,
        Nested,
        Some("auth_error"),
        Some("401"),
        None,
        "Authentication Error",
    ),
    (
        r#"{"type":"no_db_connection","message":"No connected db."}"#,
        Flat,
        Some("no_db_connection"),
        None,
        None,
        "No connected db.",
    ),
    // Google
    (
        r#"{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT","details":[{"@type":"t","fieldViolations":[{"field":"tools[0]"}]}]}}"#,
        Nested,
        Some("INVALID_ARGUMENT"),
        Some("400"),
        Some("tools[0]"),
        "bad",
    ),
    (
        r#"[{"error":{"code":429,"message":"exhausted","status":"RESOURCE_EXHAUSTED"}}]"#,
        Array,
        Some("RESOURCE_EXHAUSTED"),
        Some("429"),
        None,
        "exhausted",
    ),
    // SGLang, Mistral
    (
        r#"{"object":"error","message":"m","type":"BadRequestError","param":null,"code":400}"#,
        Flat,
        Some("BadRequestError"),
        Some("400"),
        None,
        "m",
    ),
    (
        r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"reasoning_content"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error","code":null}"#,
        Flat,
        Some("invalid_request_error"),
        None,
        Some("body.messages.1.reasoning_content"),
        "body.messages.1.reasoning_content: Extra inputs are not permitted",
    ),
    // xAI
    (
        r#"{"code":"Client specified an invalid argument","error":"Each message must have content"}"#,
        Flat,
        None,
        Some("Client specified an invalid argument"),
        None,
        "Each message must have content",
    ),
    // Ollama
    (
        r#"{"error":"model \"x\" not found, try pulling it first"}"#,
        Text,
        None,
        None,
        None,
        "model \"x\" not found, try pulling it first",
    ),
    (
        r#"{"error":"unauthorized","signin_url":"https://x"}"#,
        Text,
        None,
        None,
        None,
        "unauthorized",
    ),
    // FastAPI
    (r#"{"detail":"Invalid API key"}"#, Flat, None, None, None, "Invalid API key"),
    (
        r#"{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"},{"loc":["body"],"msg":"x"}]}"#,
        Flat,
        Some("missing"),
        None,
        Some("body.model"),
        "body.model: Field required; body: x",
    ),
    // SiliconFlow
    (r#"{"code":20015,"message":"bad id","data":null}"#, Flat, None, Some("20015"), None, "bad id"),
    // Copilot
    (
        r#"{"message":"slow down","code":"rate_limited"}"#,
        Flat,
        None,
        Some("rate_limited"),
        None,
        "slow down",
    ),
    // Portkey
    (
        r#"{"status":"failure","message":"Something went wrong"}"#,
        Flat,
        Some("failure"),
        None,
        None,
        "Something went wrong",
    ),
    // claude-code-router
    (
        r#"{"type":"error","message":{"error":{"message":"inner","type":"t","code":400}}}"#,
        Nested,
        Some("t"),
        Some("400"),
        None,
        "inner",
    ),
    // Responses: flat and nested error events, the failed response
    (
        r#"{"type":"error","code":"server_error","message":"m","param":null,"sequence_number":3}"#,
        Flat,
        None,
        Some("server_error"),
        None,
        "m",
    ),
    (
        r#"{"type":"error","sequence_number":2,"error":{"type":"t","code":"c","message":"m","param":null}}"#,
        Nested,
        Some("t"),
        Some("c"),
        None,
        "m",
    ),
    (
        r#"{"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"rate_limit_exceeded","message":"m"}}}"#,
        Nested,
        None,
        Some("rate_limit_exceeded"),
        None,
        "m",
    ),
    // OpenRouter: the upstream's own words are kept
    (
        r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"must be passed back\"}}","provider_name":"DeepSeek"}}}"#,
        Nested,
        None,
        Some("400"),
        None,
        "Provider returned error: must be passed back",
    ),
    (
        r#"{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"upstream broke"}}}"#,
        Nested,
        None,
        Some("502"),
        None,
        "Provider returned error: upstream broke",
    ),
    // llama-cpp-python: an empty message says less than the type
    (
        r#"{"error":{"message":"","type":"internal_server_error","param":null,"code":null}}"#,
        Nested,
        Some("internal_server_error"),
        None,
        None,
        "internal_server_error",
    ),
    // An error that answers a stream request
    (
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"m\"}}\n\n",
        Nested,
        Some("api_error"),
        None,
        None,
        "m",
    ),
    // No protocol at all
    (
        "<!DOCTYPE html><html><head><title>502 Bad\n Gateway</title></head></html>",
        Unknown,
        None,
        None,
        None,
        "502 Bad Gateway",
    ),
    ("Internal Server Error", Unknown, None, None, None, "Internal Server Error"),
    ("", Unknown, None, None, None, "HTTP 500 with an empty body"),
    ("{\"error\":", Unknown, None, None, None, "{\"error\":"),
    ("[]", Unknown, None, None, None, "[]"),
    ("{\"unexpected\":true}", Unknown, None, None, None, "{\"unexpected\":true}"),
];

#[test]
fn every_envelope_on_record_is_read() {
    for &(body, envelope, kind, code, param, message) in BODIES {
        let error = ApiError::from_response(500, vec![("a".into(), "b".into())], body);
        let read = (
            error.envelope,
            error.kind.as_deref(),
            error.code.as_deref(),
            error.param.as_deref(),
            error.message.as_str(),
        );
        assert_eq!(read, (envelope, kind, code, param, message), "{body}");
        assert_eq!((error.status, error.body.as_str()), (500, body));
        assert_eq!(error.headers, [("a".to_owned(), "b".to_owned())]);
    }
}

#[test]
fn an_error_inside_a_200_is_the_same_error() {
    for &(body, envelope, _, _, _, message) in BODIES {
        let Ok(payload) = serde_json::from_str::<Value>(body) else { continue };
        let error = ApiError::in_payload(&payload);
        let expected = (envelope != Unknown).then_some((200, envelope, message));
        let read = error.as_ref().map(|e| (e.status, e.envelope, e.message.as_str()));
        assert_eq!(read, expected, "{body}");
    }
}

#[test]
fn a_reply_is_not_an_error() {
    for payload in [
        json!({"id": "r", "object": "response", "status": "completed", "error": null, "output": []}),
        json!({"choices": [{"message": {"content": "an error"}}], "error": null}),
        json!({"choices": [], "code": 0, "message": "", "error": {}}),
        json!({"choices": [{"message": {"content": "x"}}], "code": 0, "message": "success"}),
        json!({"type": "message", "content": [{"type": "text", "text": "x"}]}),
        json!({"message": {"role": "assistant", "content": "error"}, "done": false}),
        json!({"candidates": [], "usageMetadata": {}}),
        json!({"type": "response.output_text.delta", "delta": "error"}),
        json!({"type": "ping"}),
        json!([]),
        json!([{"candidates": []}]),
        json!("error"),
    ] {
        assert_eq!(ApiError::in_payload(&payload), None, "{payload}");
    }
}

#[test]
fn the_models_failed_output_is_kept() {
    let body = r#"{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=f>"}}"#;
    let error = ApiError::from_response(400, Vec::new(), body);
    assert_eq!(error.failed_generation.as_deref(), Some("<function=f>"));
    assert!(error.blames_output());

    let routed =
        json!({"error": {"message": "Provider returned error", "metadata": {"raw": body}}});
    let error = ApiError::in_payload(&routed).unwrap();
    assert_eq!(error.failed_generation.as_deref(), Some("<function=f>"));
}

#[test]
fn unreadable_output_is_told_from_an_outage() {
    let peg = r#"{"error":{"code":500,"message":"The model produced output that does not match the expected peg-native format","type":"server_error"}}"#;
    assert!(ApiError::from_response(500, Vec::new(), peg).blames_output());
    for other in [
        r#"{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON: x","type":"server_error"}}"#,
        "Internal Server Error",
    ] {
        assert!(!ApiError::from_response(500, Vec::new(), other).blames_output(), "{other}");
    }
}
