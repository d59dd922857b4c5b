//! Are conversations understood that are held as text?

use serde_json::{Value, json};

use super::conversations::{ADD, PATH, asking, conversations, tools};
use super::{answer, fleet};
use crate::ir::{Message, Part, Request};
use crate::sim::{ModelFile, Protocol, TextForm, ToolDelivery};
use crate::textcall::{self, Catalog, Options};

fn lesson(protocol: Protocol) -> String {
    let (opener, closer, key) = match protocol {
        Protocol::ToolCall => ("<tool_call>", "</tool_call>", "arguments"),
        Protocol::ToolUse => ("<tool_use>", "</tool_use>", "input"),
        Protocol::TildeFence => ("~~~tool_call", "~~~", "arguments"),
    };
    let described: Vec<Value> = tools()
        .iter()
        .map(|t| json!({"name": t.name, "description": t.description, "input_schema": t.input_schema}))
        .collect();
    format!(
        "You have tools:\n{}\nTo call one, write\n{opener}\n{{\"name\": \"…\", \"{key}\": {{}}}}\n{closer}",
        Value::from(described)
    )
}

#[test]
fn models_follow_the_protocol_they_declare_and_no_other() {
    for model in fleet().iter() {
        for protocol in [Protocol::ToolCall, Protocol::ToolUse, Protocol::TildeFence] {
            let request = Request { system: Some(lesson(protocol)), tools: vec![], ..asking(ADD) };
            let follows = answer(model, &request).text().contains("{\"a\":12,\"b\":30}");
            let declared = model.profile.tool_delivery == Some(ToolDelivery::Prompted(protocol));
            assert_eq!(follows, declared, "{} {protocol:?}", model.name);
        }
    }
}

#[test]
fn a_taught_model_reads_results_that_come_back_as_text() {
    let fleet = fleet();
    let model = fleet.get("taught-tool-call").unwrap();
    let mut request =
        Request { system: Some(lesson(Protocol::ToolCall)), tools: vec![], ..asking(ADD) };
    let called = answer(model, &request).text();
    request.messages.push(Message::assistant(vec![Part::Text(called)]));
    let result = "<tool_response>\n{\"name\": \"add\", \"content\": {\"receipt\": \"qx7\"}}\n</tool_response>";
    request.messages.push(Message::user(result));
    let said = answer(model, &request).text();
    assert!(said.contains("qx7") && !said.contains("<tool_call>"), "{said}");
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
                let family = call.family.replace('_', "-");
                assert_eq!(Some(family), model.profile.parser, "{} {name}", model.name);
            }
        }
    }
}
