//! Conversations held as text: taught protocols, and calls that stay in the text.

use serde_json::{Value, json};

use super::conversations::{ADD, PATH, asking, conversations, tools};
use super::{answer, fleet};
use crate::ir::{CallId, Message, Part, Request, ToolResult};
use crate::prompted::{Protocol, ToolDelivery};
use crate::sim::ModelFile;
use crate::sim::model::TextForm;
use crate::textcall::{self, Catalog, Options};

#[test]
fn models_follow_the_protocol_they_declare_and_no_other() {
    for model in fleet().iter() {
        for protocol in [Protocol::ToolCall, Protocol::ToolUse, Protocol::TildeFence] {
            let request =
                Request { system: Some(protocol.teach(&tools())), tools: vec![], ..asking(ADD) };
            let follows = answer(model, &request).text().contains("{\"a\":12,\"b\":30}");
            let declared = model.profile.tool_delivery == Some(ToolDelivery::Prompted(protocol));
            assert_eq!(follows, declared, "{} {protocol:?}", model.name);
        }
    }
}

#[test]
fn a_taught_model_reads_results_that_come_back_as_text() {
    for model in fleet().iter() {
        let Some(ToolDelivery::Prompted(protocol)) = model.profile.tool_delivery else { continue };
        let system = Some(protocol.teach(&tools()));
        let mut request = Request { system, tools: vec![], ..asking(ADD) };
        let called = answer(model, &request).text();
        let result = ToolResult::success(CallId::new("call_0"), "add", json!({"receipt": "qx7"}));
        request.messages.push(Message::assistant(vec![Part::Text(called)]));
        request.messages.push(Message::user(protocol.results(&[result])));
        let said = answer(model, &request).text();
        assert!(said.contains("qx7") && !said.contains("tool_call"), "{} {said}", model.name);
    }
}

/// Takes turns with results as text, first an error and then a good one.
fn held_as_text(model: &ModelFile) -> String {
    let mut request = asking(PATH);
    let failure = json!({"name": "open", "content": {"is_error": true, "message": "input.path must be an absolute path"}});
    for content in [failure, json!({"name": "open", "content": {"receipt": "qx7"}})] {
        let said = answer(model, &request);
        request.messages.push(Message::assistant(said.parts));
        request
            .messages
            .push(Message::user(format!("<tool_response>\n{content}\n</tool_response>")));
    }
    let written = &request.messages[3];
    let reasoning = written.parts.iter().map(|part| match part {
        Part::Reasoning(state) => state.text(),
        _ => String::new(),
    });
    assert!(
        (written.text() + &reasoning.collect::<String>()).contains("/notes/a.txt"),
        "{}",
        model.name
    );
    answer(model, &request).text()
}

#[test]
fn a_model_whose_calls_stay_text_reads_results_and_errors_as_text() {
    for model in fleet().iter().filter(|model| model.text_form != TextForm::None) {
        assert!(held_as_text(model).contains("qx7"), "{}", model.name);
    }
}

/// What the model wrote, wherever it ended up.
fn written(model: &ModelFile, request: &Request) -> String {
    let reply = answer(model, request);
    reply.reasoning_text() + &reply.text()
}

#[test]
fn calls_left_as_text_are_in_the_format_that_the_profile_names() {
    let catalog = Catalog::new(&tools());
    let good = fleet().get("openai-native").unwrap();
    for (name, request) in conversations() {
        let meant: Vec<Value> =
            answer(good, &request).calls().map(|c| json!([c.name, c.input])).collect();
        for model in fleet().iter().filter(|model| model.text_form != TextForm::None) {
            let parsed = textcall::parse(&written(model, &request), &catalog, Options::default());
            let read: Vec<Value> = parsed.calls().map(|c| json!([c.name, c.input])).collect();
            assert_eq!(read, meant, "{} {name}", model.name);
            for call in parsed.calls() {
                assert_eq!(
                    Some(call.family),
                    model.profile.parser.as_deref(),
                    "{} {name}",
                    model.name
                );
            }
        }
    }
}
