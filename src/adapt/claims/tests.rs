//! Every shape of table is read, and both kinds of error are found.

use serde_json::{Value, json};

use super::*;
use crate::ir::CallFormat;
use crate::profile::testing::{profile, single_tool};
use crate::profile::{Results, Subject, capabilities};

/// A model whose calls arrive in this layer.
fn calling(layer: Layer) -> Profile {
    let mut single = single_tool(layer);
    single.format = Some(CallFormat::OpenAi);
    let results = Results { single_tool: Some(single), ..Results::default() };
    let subject = Subject { model: "m-1".to_owned(), ..profile().subject };
    Profile { capabilities: capabilities(&results), results, subject, ..profile() }
}

/// Each table, saying yes or no about the tools of `m-1`.
fn tables(says: bool) -> Vec<Value> {
    let named = if says { json!(["completion", "tools"]) } else { json!(["completion"]) };
    vec![
        json!({"acme/m-1": {"supports_function_calling": says}, "other": {"supports_vision": true}}),
        json!({"acme": {"id": "acme", "models": {"m-1": {"id": "m-1", "tool_call": says}}}}),
        json!({"data": [{"id": "acme/M-1", "supported_parameters": named}]}),
        json!({"capabilities": named, "template": "{{ .Prompt }}"}),
        json!({"chat_template": "x", "chat_template_caps": {"supports_tools": says}}),
    ]
}

fn verdict(table: &Value, layer: Layer) -> ClaimVerdict {
    let claims = read_claims(table).unwrap();
    let checks = check_claims(&claims, &calling(layer));
    checks.iter().find(|it| it.claim == Claim::Tools).unwrap().verdict
}

#[test]
fn both_kinds_of_error_are_found_in_every_table() {
    for (yes, no) in tables(true).iter().zip(&tables(false)) {
        assert_eq!(verdict(yes, Layer::Structured), ClaimVerdict::Holds, "{yes}");
        assert_eq!(verdict(yes, Layer::Content), ClaimVerdict::FalseYes, "{yes}");
        assert_eq!(verdict(no, Layer::Structured), ClaimVerdict::FalseNo, "{no}");
        assert_eq!(verdict(no, Layer::Content), ClaimVerdict::Holds, "{no}");
    }
}

#[test]
fn what_was_not_measured_is_neither_true_nor_false() {
    let claims =
        read_claims(&json!({"m-1": {"supports_parallel_function_calling": true}})).unwrap();
    let checks = check_claims(&claims, &calling(Layer::Structured));
    assert_eq!(checks.first().unwrap().verdict, ClaimVerdict::Unmeasured);
    let other = read_claims(&json!({"m-2": {"supports_function_calling": true}})).unwrap();
    assert_eq!(check_claims(&other, &calling(Layer::Structured)), []);
}

#[test]
fn a_file_that_claims_nothing_is_refused() {
    for table in [json!({}), json!([]), json!({"m": {"price": 1}}), json!("x"), Value::Null] {
        assert_eq!(read_claims(&table), Err(BadTable), "{table}");
    }
}

#[test]
fn a_server_that_claims_tools_which_it_does_not_have_is_found_out() {
    let said = |says| [("props", ClaimOf { model: String::new(), claim: Claim::Tools, says })];
    let found = false_claims(&said(true), &calling(Layer::Content));
    assert_eq!((found[0].source.as_str(), found[0].verdict), ("props", ClaimVerdict::FalseYes));
    assert_eq!(false_claims(&said(true), &calling(Layer::Structured)), []);
    let found = false_claims(&said(false), &calling(Layer::Structured));
    assert_eq!(found[0].verdict, ClaimVerdict::FalseNo);
}

#[test]
fn a_template_that_keeps_reasoning_is_no_claim_that_the_model_reasons() {
    let props = json!({"chat_template_caps": {"supports_preserve_reasoning": true}});
    let claims = read_claims(&props).unwrap();
    let checks = check_claims(&claims, &calling(Layer::Structured));
    assert_eq!(checks.first().unwrap().verdict, ClaimVerdict::Unmeasured);
}
