//! Is a reply that the token limit ended never held against a model, and does every request have a limit?

use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::places::PLACES;
use crate::probe;
use crate::server::{Asked, Script, Server};

/// The most tokens that a request allows, in the field of its dialect.
fn limit(asked: &Asked) -> Option<u64> {
    let body = &asked.body;
    let fields = [
        &body["max_tokens"],
        &body["max_output_tokens"],
        &body["generationConfig"]["maxOutputTokens"],
        &body["options"]["num_predict"],
    ];
    fields.into_iter().find_map(Value::as_u64)
}

/// Prose that goes on until the limit ends it, under a stop reason that does not say so.
fn babble(asked: &Asked) -> Script {
    let (words, used) = ("The tool is a tool that is a", limit(asked).unwrap_or(9));
    let message = json!({"role": "assistant", "content": words});
    let body = match asked.path.as_str() {
        "/v1/chat/completions" => json!({
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": used}
        }),
        "/v1/messages" => json!({
            "type": "message", "role": "assistant", "content": [{"type": "text", "text": words}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": used}
        }),
        "/v1/responses" => json!({
            "object": "response", "status": "completed", "output": [{
                "type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": words}]
            }],
            "usage": {"input_tokens": 9, "output_tokens": used}
        }),
        "/api/chat" => json!({
            "message": message, "done": true, "done_reason": "stop",
            "prompt_eval_count": 9, "eval_count": used
        }),
        _ => json!({
            "candidates": [{
                "content": {"role": "model", "parts": [{"text": words}]}, "finishReason": "STOP"
            }],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": used}
        }),
    };
    Script::json(200, &body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_fills_the_limit_is_cut_whatever_it_says_in_any_dialect() {
    join_all(PLACES.map(async |(path, _)| {
        let server = Server::start(babble).await;
        let verdict = probe(&server.at(path), &["--trials", "1", "--timeout", "20s"]).await;
        let (status, reason) = verdict.result("singleTool");
        assert_eq!((verdict.code, status), (Some(3), "inconclusive"), "{path}: {reason}");
        assert!(reason.contains("token limit"), "{path}: {reason}");
        let defects = verdict.profile["results"]["singleTool"]["defects"].to_string();
        assert!(defects.contains("limit-masked"), "{path}: {defects}");
        assert!(!verdict.statuses().contains(&"fail".to_owned()), "{path}");
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_allows_fewer_tokens_is_asked_for_fewer_in_any_dialect() {
    join_all(PLACES.map(async |(path, healthy)| {
        let server = Server::start(move |asked| match limit(asked) {
            Some(sent) if sent > 600 => {
                let words = format!("max_tokens: {sent} > 600, which is the most output tokens");
                Script::json(400, &json!({"error": {"message": words, "code": 400}}))
            }
            _ => healthy(asked),
        })
        .await;
        let verdict = probe(&server.at(path), &["--trials", "1", "--timeout", "20s"]).await;
        assert_eq!(verdict.code, Some(0), "{path}: {} {:#}", verdict.errors, verdict.profile);
        for result in ["singleTool", "schema", "closedLoop", "parallelTool", "streaming"] {
            assert_eq!(verdict.result(result).0, "pass", "{path}: {result}");
        }
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_has_a_limit_and_a_flag_changes_it() {
    join_all(PLACES.map(async |(path, healthy)| {
        for (args, allowed) in [(&[][..], 1024..=8192), (&["--max-tokens", "77"][..], 77..=77)] {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let kept = Arc::clone(&seen);
            let server = Server::start(move |asked| {
                kept.lock().unwrap().push(limit(asked));
                healthy(asked)
            })
            .await;
            let verdict = probe(&server.at(path), &[&["--trials", "1"], args].concat()).await;
            assert_eq!(verdict.code, Some(0), "{path}: {}", verdict.errors);
            let seen = seen.lock().unwrap();
            // The dialect is told by the path, so that nothing is asked but the suite.
            let is_allowed = |limit: &Option<u64>| limit.is_some_and(|it| allowed.contains(&it));
            assert!(seen.len() > 20 && seen.iter().all(is_allowed), "{path}: {seen:?}");
        }
    }))
    .await;
}
