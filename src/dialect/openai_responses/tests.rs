//! Does the dialect keep the shared laws, and its own rules beside them?

use proptest::collection::vec;
use proptest::prelude::{Strategy, prop_oneof};
use proptest::strategy::BoxedStrategy;
use serde_json::{Value, json};

use super::CODEC;
use crate::dialect::testing::{
    ChoiceKind, NormalForm, assert_fixtures, assert_laws, frames_to_reply, text, word,
};
use crate::dialect::{Dialect, Route, Stamp};
use crate::ir::{
    CallFormat, Defect, Message, Part, ReasoningField, ReasoningState, Reply, Request, Role, Stop,
    StopKind, ToolSpec, Usage,
};
use crate::wire::Frame;

pub(in crate::dialect) fn form() -> NormalForm {
    NormalForm {
        standing: Some(reasoning_items),
        results: || {
            let parts = vec(text().prop_map(|t| json!({"type": "input_text", "text": t})), 1..3);
            prop_oneof![3 => text().prop_map(Value::from), 1 => parts.prop_map(Value::from)].boxed()
        },
        choices: &[
            ChoiceKind::Auto,
            ChoiceKind::None,
            ChoiceKind::Required,
            ChoiceKind::Named,
            ChoiceKind::AllowedAuto,
            ChoiceKind::AllowedRequired,
        ],
        usage: |usage| Usage {
            cached: usage.cached.or(Some(0)),
            cache_write: usage.cache_write.or(Some(0)),
            reasoning: usage.reasoning.or(Some(0)),
            ..usage
        },
        broken_calls: true,
        tidy_request,
        ..NormalForm::new(CallFormat::OpenAi, stops)
    }
}

fn stops(calls: bool) -> Vec<Stop> {
    let limit = Stop::new(StopKind::MaxTokens, "max_output_tokens");
    if calls {
        return vec![Stop::new(StopKind::ToolUse, "completed"), limit];
    }
    vec![
        Stop::new(StopKind::EndTurn, "completed"),
        Stop::new(StopKind::Refusal, "completed"),
        Stop::new(StopKind::Refusal, "content_filter"),
        limit,
    ]
}

/// A failed result is text.
fn tidy_request(mut request: Request) -> Request {
    for part in request.messages.iter_mut().flat_map(|message| &mut message.parts) {
        if let Part::Result(result) = part
            && result.content.is_array()
        {
            (result.is_error, result.error_code) = (false, None);
        }
    }
    request
}

fn reasoning_items() -> BoxedStrategy<ReasoningState> {
    let texts =
        |kind: &'static str| vec(text().prop_map(move |t| json!({"type": kind, "text": t})), 0..3);
    (word(), texts("summary_text"), texts("reasoning_text"))
        .prop_map(|(id, summary, content)| {
            let mut item = json!({"type": "reasoning", "id": format!("rs_{id}"), "summary": summary,
                                  "encrypted_content": format!("gAAA{id}")});
            if !content.is_empty() {
                item["content"] = json!(content);
            }
            ReasoningState::new(ReasoningField::ReasoningItem, item)
        })
        .boxed()
}

#[test]
fn the_dialect_keeps_the_laws() {
    assert_laws(&CODEC, &form());
}

#[test]
fn fixtures_mean_what_they_say() {
    assert_fixtures(&CODEC);
}

fn ask(messages: Vec<Message>) -> Request {
    Request { model: "m".to_owned(), messages, ..Request::default() }
}

fn decoded(output: &Value) -> Reply {
    let body =
        json!({"id": "resp_1", "object": "response", "status": "completed", "output": output});
    CODEC.decode_reply(&body).unwrap()
}

#[test]
fn a_replayed_turn_is_sent_back_byte_for_byte() {
    let output = json!([
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA", "x": 1},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f",
         "arguments": "{\"b\": 1,  \"a\":2}", "status": "completed"},
    ]);
    let reply = decoded(&output);
    let body = CODEC.encode_request(&ask(vec![Message::assistant(reply.parts)]));
    assert_eq!(body["input"], output);
}

#[test]
fn a_call_that_was_changed_is_not_sent_as_it_came() {
    let mut reply = decoded(&json!([{"type": "function_call", "id": "fc_1", "call_id": "call_1",
                                     "name": "f", "arguments": "{}"}]));
    if let Some(Part::Call(call)) = reply.parts.first_mut() {
        call.input = json!({"a": 1});
    }
    let body = CODEC.encode_request(&ask(vec![Message::assistant(reply.parts)]));
    assert_eq!(
        body["input"],
        json!([{"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{\"a\":1}"}])
    );
}

#[test]
fn requests_are_stateless_unless_the_user_says_otherwise() {
    let mut request = ask(vec![Message::user("hi")]);
    let body = CODEC.encode_request(&request);
    assert_eq!(body["store"], json!(false));
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));

    request.extra.insert("store".to_owned(), json!(true));
    let body = CODEC.encode_request(&request);
    assert_eq!(body["store"], json!(true));
    assert_eq!(CODEC.decode_request(&body, &Route::default()).unwrap(), request);
}

#[test]
fn a_tool_is_flat_and_its_strictness_is_always_told() {
    let mut request = ask(vec![Message::user("hi")]);
    let schema = json!({"type": "object", "properties": {}});
    request.tools.push(ToolSpec::new("f", "d", schema.clone()));
    assert_eq!(
        CODEC.encode_request(&request)["tools"],
        json!([{"type": "function", "name": "f", "description": "d", "parameters": schema,
                "strict": null}])
    );
}

#[test]
fn texts_of_one_message_stay_one_message() {
    let texts = ["a", "b"].map(|text| Part::Text(text.to_owned())).to_vec();
    let request = ask(vec![Message { role: Role::User, parts: texts }]);
    let body = CODEC.encode_request(&request);
    assert_eq!(CODEC.decode_request(&body, &Route::default()).unwrap(), request);
}

#[test]
fn short_forms_of_a_request_are_understood() {
    let body = json!({"model": "m", "input": "hi"});
    let request = CODEC.decode_request(&body, &Route::default()).unwrap();
    assert_eq!(request, ask(vec![Message::user("hi")]));

    let body = json!({"model": "m", "instructions": null, "input": [
        {"role": "developer", "content": "be brief"}, {"role": "user", "content": "hi"}]});
    let request = CODEC.decode_request(&body, &Route::default()).unwrap();
    assert_eq!(request.system.as_deref(), Some("be brief"));
    assert_eq!(request.messages, [Message::user("hi")]);
}

#[test]
fn a_request_that_cannot_be_read_is_refused_with_the_place() {
    for (body, problem) in [
        (json!([]), "body: expected an object"),
        (json!({"model": "m"}), "input: field required"),
        (json!({"input": "x"}), "model: field required"),
        (json!({"model": "m", "input": 3}), "input: expected a string or a list of items"),
        (
            json!({"model": "m", "input": [{"role": "x", "content": ""}]}),
            "input[0].role: 'x' is no role",
        ),
        (json!({"model": "m", "input": [{}]}), "input[0].type: field required"),
        (
            json!({"model": "m", "input": [{"type": "item_reference", "id": "x"}]}),
            "input[0].type: 'item_reference' is not supported",
        ),
        (
            json!({"model": "m", "input": [{"type": "function_call", "name": "f"}]}),
            "input[0].call_id: field required",
        ),
        (
            json!({"model": "m", "input": [{"type": "function_call_output", "call_id": "c"}]}),
            "input[0].output: field required",
        ),
        (
            json!({"model": "m", "input": "x", "tools": [{"type": "function", "function": {}}]}),
            "tools[0].name: field required",
        ),
        (
            json!({"model": "m", "input": "x", "tool_choice": "any"}),
            "tool_choice: 'any' is no tool choice",
        ),
    ] {
        let error = CODEC.decode_request(&body, &Route::default()).unwrap_err();
        assert_eq!(error.to_string(), problem);
    }
}

#[test]
fn a_body_of_another_protocol_is_no_reply() {
    for body in [json!({}), json!({"choices": []}), json!(null), json!({"status": "ok"})] {
        CODEC.decode_reply(&body).unwrap_err();
    }
    let failed = json!({"object": "response", "status": "failed", "error": null, "output": []});
    CODEC.decode_reply(&failed).unwrap_err();
}

/// The events of one call, to be cut short or stripped.
fn call_stream() -> Vec<Value> {
    let reply = decoded(&json!([{"type": "function_call", "id": "fc_1", "call_id": "call_1",
                                 "name": "f", "arguments": "{\"a\":1}", "status": "completed"}]));
    let deltas = crate::dialect::DeltaLength(std::num::NonZeroUsize::new(4).unwrap());
    let frames = CODEC.encode_stream(&reply, &Stamp { created: 1, usage: true }, deltas);
    frames
        .iter()
        .map(|frame| match frame {
            Frame::Event { data, .. } => serde_json::from_str(data).unwrap(),
            Frame::Comment(_) => Value::Null,
        })
        .collect()
}

fn streamed(events: &[Value]) -> Reply {
    let frames: Vec<Frame> = events.iter().map(|event| Frame::data(event.to_string())).collect();
    frames_to_reply(&CODEC, &frames).unwrap()
}

#[test]
fn a_stream_cut_anywhere_is_truncated_and_an_open_call_is_never_a_call() {
    let events = call_stream();
    for length in 0..events.len() {
        let reply = streamed(&events[..length]);
        assert_eq!(reply.stop, Stop::unlabelled(StopKind::Truncated), "{length} events");
        let closed = events[..length]
            .iter()
            .any(|event| event["type"] == "response.function_call_arguments.done");
        assert_eq!(reply.calls().count(), usize::from(closed), "{length} events");
    }
    assert_eq!(streamed(&events).stop.kind, StopKind::ToolUse);
}

#[test]
fn a_parsable_prefix_of_arguments_is_still_a_broken_call() {
    let mut events = call_stream();
    events.truncate(3);
    events.push(json!({"type": "response.function_call_arguments.delta", "sequence_number": 3,
                       "item_id": "fc_1", "output_index": 0, "delta": "{}"}));
    let reply = streamed(&events);
    assert!(matches!(&reply.parts[..], [Part::BrokenCall(call)] if call.arguments == "{}"));
}

#[test]
fn what_a_server_leaves_out_is_recorded_and_survived() {
    let whole = streamed(&call_stream());
    let strip = |key: &str| {
        let mut events = call_stream();
        for event in &mut events {
            event.as_object_mut().unwrap().shift_remove(key);
        }
        streamed(&events)
    };
    let without = |kind: &str| {
        let events: Vec<Value> =
            call_stream().into_iter().filter(|event| event["type"] != kind).collect();
        streamed(&events)
    };
    for (reply, defect) in [
        (strip("output_index"), Defect::OutputIndexMissing),
        (strip("sequence_number"), Defect::SequenceMissing),
        (without("response.function_call_arguments.done"), Defect::ArgumentsDoneMissing),
        (without("response.output_item.done"), Defect::BlockStopMissing),
    ] {
        assert_eq!(reply.parts, whole.parts, "{defect}");
        assert_eq!(reply.defects.iter().collect::<Vec<_>>(), [defect]);
    }
}

#[test]
fn an_id_that_changes_from_event_to_event_does_not_split_a_call() {
    let mut events = call_stream();
    for (n, event) in events.iter_mut().enumerate() {
        if event.get("item_id").is_some() {
            event["item_id"] = json!(format!("opaque{n}"));
        }
    }
    let reply = streamed(&events);
    assert_eq!(reply.calls().count(), 1);
    assert!(reply.defects.contains(Defect::IdChanged));
}

#[test]
fn a_stream_without_item_events_is_read_from_its_last_event() {
    let mut events = call_stream();
    let last = events.pop().unwrap();
    let reply = streamed(&[events.remove(0), last]);
    assert_eq!(reply.calls().count(), 1);
}

#[test]
fn arguments_that_come_only_whole_are_taken_whole() {
    let kept = ["response.created", "response.output_item.added"];
    let mut events = call_stream();
    events.retain(|event| {
        kept.contains(&event["type"].as_str().unwrap())
            || event["type"] == "response.function_call_arguments.done"
    });
    events.push(json!({"type": "response.completed", "sequence_number": 9, "response": {}}));
    let reply = streamed(&events);
    assert_eq!(reply.calls().map(|call| &call.input).collect::<Vec<_>>(), [&json!({"a": 1})]);
    assert_eq!(reply.stop, Stop::new(StopKind::ToolUse, "completed"));
}

#[test]
fn events_after_the_end_change_nothing() {
    let mut events = call_stream();
    events.push(json!({"type": "response.output_item.added", "sequence_number": 99,
                       "output_index": 1, "item": {"type": "function_call", "name": "g"}}));
    let reply = streamed(&events);
    assert_eq!(reply.calls().count(), 1);
    assert!(reply.defects.contains(Defect::EventsAfterEnd));
}
