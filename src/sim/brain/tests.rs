//! The brain: a well-behaved model reads a conversation as a model would.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::*;
use crate::ir::{Message, ToolChoice, ToolResult, ToolSpec};
use crate::sim::Fleet;

fn tool(name: &str, properties: &Value, required: &[&str]) -> ToolSpec {
    ToolSpec::new(
        name,
        "",
        json!({"type": "object", "properties": properties, "required": required}),
    )
}

fn asking(text: &str) -> Request {
    let integer = json!({"type": "integer"});
    Request {
        messages: vec![Message::user(text)],
        tools: vec![
            tool("get_weather", &json!({"city": {"type": "string"}}), &["city"]),
            tool("add", &json!({"a": integer, "b": integer}), &["a", "b"]),
        ],
        ..Request::default()
    }
}

fn reply(request: &Request) -> Reply {
    static FLEET: LazyLock<Fleet> = LazyLock::new(|| Fleet::embedded().unwrap());
    answer(request, FLEET.get("openai-native").unwrap(), &Draw::of(request))
}

fn calls(request: &Request) -> Vec<(String, Value)> {
    reply(request).calls().map(|call| (call.name.clone(), call.input.clone())).collect()
}

/// Lets the model's calls be made and answered with this.
fn answered(mut request: Request, content: &Value, is_error: bool) -> Request {
    let said = reply(&request);
    let results: Vec<ToolResult> = said
        .calls()
        .map(|call| ToolResult {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            content: content.clone(),
            is_error,
            error_code: None,
        })
        .collect();
    request.messages.push(Message::assistant(said.parts));
    request.messages.push(Message::results(results));
    request
}

const BOTH: &str = "Call the tool `add` once, with:\n- a = 1\n- b = 2\n\nCall the tool `get_weather` once, with:\n- city = \"Oslo\"";

#[test]
fn asked_in_other_words_it_calls_the_tool_that_the_text_names() {
    let found = calls(&asking("Please use get_weather to tell me about city Paris."));
    assert_eq!(found, [("get_weather".to_owned(), json!({"city": "Paris"}))]);
}

#[test]
fn a_question_that_names_no_tool_is_answered_in_prose() {
    let said = reply(&asking("What is the opposite of north?"));
    assert_eq!(said.stop.kind, StopKind::EndTurn);
    assert!(said.calls().next().is_none() && !said.text().is_empty());
}

#[test]
fn tool_choice_is_obeyed() {
    let choose = |text: &str, choice| calls(&Request { tool_choice: Some(choice), ..asking(text) });
    let only_add = || vec!["add".to_owned()];
    assert_eq!(choose("Hi", ToolChoice::Required).len(), 1);
    assert_eq!(choose("Hi", ToolChoice::Named("add".to_owned()))[0].0, "add");
    assert_eq!(choose(BOTH, ToolChoice::None), []);
    assert_eq!(choose(BOTH, ToolChoice::Named("get_weather".to_owned())).len(), 1);
    assert_eq!(
        choose(BOTH, ToolChoice::Allowed { required: false, names: only_add() })[0].0,
        "add"
    );
    assert_eq!(choose("Hi", ToolChoice::Allowed { required: true, names: only_add() })[0].0, "add");
    assert_eq!(choose("Hi", ToolChoice::Allowed { required: false, names: only_add() }), []);
}

#[test]
fn without_parallel_calls_the_second_comes_after_the_first_result() {
    let request = Request { parallel: Some(false), ..asking(BOTH) };
    assert_eq!(calls(&request)[0].0, "add");
    assert_eq!(calls(&request).len(), 1);
    let request = answered(request, &json!({"sum": 3}), false);
    assert_eq!(calls(&request), [("get_weather".to_owned(), json!({"city": "Oslo"}))]);
    let request = answered(request, &json!("rain"), false);
    assert!(reply(&request).text().contains("rain"));
}

#[test]
fn the_answer_holds_what_the_results_said() {
    let request = answered(asking(BOTH), &json!({"receipt": "qx7rk2"}), false);
    let said = reply(&request);
    assert!(said.text().contains("qx7rk2") && said.calls().next().is_none());
}

#[test]
fn a_long_result_is_read_for_what_was_asked() {
    let ask = "Call the tool `add` once, with:\n- a = 1\n- b = 2\n\nThen repeat the receipt.";
    let filler = "x".repeat(20_000);
    let content = json!({"before": filler, "receipt": "qx7rk2", "after": filler});
    let said = reply(&answered(asking(ask), &content, false)).text();
    assert!(said.contains("qx7rk2") && said.len() < 1000, "{}", said.len());
}

#[test]
fn an_error_is_heeded_and_then_the_result_is_told() {
    let ask = "Call the tool `add` once, with:\n- a = \"seven\"\n- b = 2";
    let failure = json!({"is_error": true, "message": "input.a: expected integer, got \"seven\""});
    let request = answered(asking(ask), &failure, true);
    assert_eq!(calls(&request), [("add".to_owned(), json!({"a": 1, "b": 2}))]);
    let request = answered(request, &json!({"sum": 3}), false);
    assert!(reply(&request).text().contains('3'));
}

#[test]
fn a_new_question_after_a_finished_turn_or_a_dangling_call_is_answered_anew() {
    let mut request = answered(asking(BOTH), &json!("ok"), false);
    request.messages.push(Message::assistant(vec![Part::Text("Done.".to_owned())]));
    request.messages.push(Message::user("Thanks. What is a tool?"));
    assert_eq!(calls(&request), []);

    let mut dangling = asking(BOTH);
    dangling.messages.push(Message::assistant(reply(&dangling).parts));
    dangling.messages.push(Message::user("Call the tool `add` once, with:\n- a = 5\n- b = 6"));
    assert_eq!(calls(&dangling), [("add".to_owned(), json!({"a": 5, "b": 6}))]);
}

#[test]
fn text_after_the_results_does_not_hide_them() {
    let mut request = answered(asking(BOTH), &json!({"receipt": "qx7rk2"}), false);
    request.messages.push(Message::user("Well?"));
    assert!(reply(&request).text().contains("qx7rk2"));
}

#[test]
fn a_result_without_its_call_is_still_read() {
    let mut request = asking("Go on.");
    request.messages.push(Message::results([ToolResult::success(
        CallId::new("call_x"),
        "add",
        json!("orphan-5"),
    )]));
    assert!(reply(&request).text().contains("orphan-5"));
}

#[test]
fn a_limit_cuts_the_reply_off() {
    let cut = reply(&Request { max_tokens: Some(3), ..asking(BOTH) });
    assert_eq!(cut.stop.kind, StopKind::MaxTokens);
    assert!(cut.calls().next().is_none());
    let Some(Part::BrokenCall(call)) = cut.parts.first() else { panic!("{:?}", cut.parts) };
    assert!(serde_json::from_str::<Value>(&call.arguments).is_err());

    let prose = reply(&Request { max_tokens: Some(2), ..asking("Hello!") });
    assert_eq!((prose.stop.kind, prose.text().len()), (StopKind::MaxTokens, 8));
}

#[test]
fn ids_are_unique_and_the_same_each_time() {
    let request = asking(BOTH);
    let ids = |reply: Reply| reply.calls().map(|call| call.id.clone()).collect::<Vec<_>>();
    let first = ids(reply(&request));
    assert_eq!(first, ids(reply(&request)));
    assert_ne!(first[0], first[1]);
}
