//! Whatever a plan does to a conversation, it can be undone: random conversations, every kind of correction,
//! every dialect, whole replies and streams cut anywhere.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::BoxedStrategy;
use serde_json::{Value, json};

use super::tests::{alternatives, plan, tool, words};
use super::undo::Undo;
use super::{Rewriter, Rewritten};
use crate::dialect::testing::{any_reply, any_request};
use crate::dialect::{DeltaLength, DialectId, Route, Stamp};
use crate::ir::{
    Defect, Layer, Message, Part, ReasoningField, ReasoningState, Reply, Request, Role, ToolChoice,
    ToolResult,
};
use crate::profile::{
    ErrorMarker, Keep, ParallelLimit, Placement, ReasoningTurns, ReasoningUse, Setting, StreamUse,
    ToolOffer,
};
use crate::prompted::{Force, Protocol, ToolDelivery};
use crate::wire::{FrameReader, write_all};

fn any_dialect() -> impl Strategy<Value = DialectId> {
    select(DialectId::ALL.to_vec())
}

/// The tools as they are, forced, taught, in text though they are declared, or not at all.
fn any_delivery() -> BoxedStrategy<Vec<Setting>> {
    let by = |delivery| Setting::Delivery { tools: ToolOffer::By(delivery) };
    let parsing = |format: &str| Setting::Parsing {
        format: format.to_owned(),
        layer: Layer::Content,
        repairs: Vec::new(),
    };
    let taught =
        |protocol: Protocol| vec![by(ToolDelivery::Prompted(protocol)), parsing(protocol.family())];
    let mut all = vec![
        Vec::new(),
        Vec::new(),
        vec![parsing("hermes")],
        vec![by(ToolDelivery::Forced(Force::Required))],
        vec![Setting::Delivery { tools: ToolOffer::None }],
    ];
    all.extend(Protocol::ALL.map(taught));
    select(all).boxed()
}

/// Corrections of every other kind, each there or not.
fn any_settings() -> BoxedStrategy<Vec<Setting>> {
    let reasoning =
        |send| Setting::ReasoningReplay { send, field: None, turns: ReasoningTurns::All };
    let stream = |tool_calls| Setting::Streaming { tool_calls, defects: Vec::new() };
    let places = vec![
        Placement::InCallOrder,
        Placement::BeforeText,
        Placement::BridgeBeforeUser,
        Placement::AsUserText,
    ];
    let one_of = |settings: Vec<Setting>| option::of(select(settings)).boxed();
    let kinds = vec![
        one_of(vec![Setting::Encoding { normalize: vec![Defect::ArgumentsObject] }]),
        one_of(vec![Setting::Schema {
            drop: words(&["enum", "$ref", "minimum-maximum", "oneOf", "additionalProperties"]),
            widen: words(&["integer", "boolean", "array", "nested-object"]),
            split: words(&["anyOf", "oneOf"]),
            check: Vec::new(),
        }]),
        one_of(
            [ParallelLimit::Prompt, ParallelLimit::Switch]
                .map(|by| Setting::Parallel { calls_per_turn: 1, by })
                .to_vec(),
        ),
        one_of([StreamUse::Plain, StreamUse::Accumulate, StreamUse::Streamed].map(stream).to_vec()),
        one_of([ReasoningUse::Verbatim, ReasoningUse::Omit].map(reasoning).to_vec()),
        prop::sample::subsequence(places, 0..=4)
            .prop_map(|rules| (!rules.is_empty()).then_some(Setting::ResultPlacement { rules }))
            .boxed(),
        one_of(vec![Setting::Ids { pattern: String::new(), defects: vec![Defect::IdMissing] }]),
        one_of(vec![Setting::ErrorFeedback { marker: ErrorMarker::Text, retries: 1 }]),
        one_of(vec![Setting::ToolChoice {
            refused: words(&["required", "named", "none"]),
            ignored: Vec::new(),
        }]),
        one_of(vec![Setting::History { keep: vec![Keep::Tools] }]),
    ];
    kinds.prop_map(|settings| settings.into_iter().flatten().collect()).boxed()
}

/// Of several deliveries, the one that the kinds of [`any_settings`] go with.
fn any_plan() -> impl Strategy<Value = Vec<Setting>> {
    (any_delivery(), any_settings()).prop_map(|(mut delivery, settings)| {
        delivery.extend(settings);
        delivery
    })
}

/// A conversation that calls tools which are declared: one that is split among them.
fn any_conversation(dialect: DialectId) -> impl Strategy<Value = Request> {
    any_request(dialect).prop_map(|mut request| {
        if request.tools.is_empty() {
            return request;
        }
        request.tools.extend([tool(), alternatives()]);
        let mut renamed = BTreeSet::new();
        for part in request.messages.iter_mut().flat_map(|message| &mut message.parts) {
            match part {
                Part::Call(call) if call.name.len() % 2 == 0 => {
                    renamed.insert(call.id.clone());
                    call.name = "find".to_owned();
                    call.input = json!({"isbn": call.id.as_str(), "limit": 3});
                }
                Part::Result(result) if renamed.contains(&result.tool_call_id) => {
                    result.name = "find".to_owned();
                }
                _ => {}
            }
        }
        request
    })
}

/// The bytes of a provider that were kept with a call are no part of what is said.
fn without_raw(mut request: Request) -> Request {
    for part in request.messages.iter_mut().flat_map(|message| &mut message.parts) {
        if let Part::Call(call) = part {
            call.raw = Value::Null;
        }
    }
    request
}

fn parts(request: &Request) -> impl Iterator<Item = &Part> {
    request.messages.iter().flat_map(|message| &message.parts)
}

fn reasoning(request: &Request) -> Vec<&ReasoningState> {
    let states = parts(request).filter_map(|part| match part {
        Part::Reasoning(state) => Some(state),
        _ => None,
    });
    states.collect()
}

/// The reasoning that must be on the wire. A signature that belongs to a structured call has no place beside a call in text.
fn sendable<'r>(request: &'r Request, settings: &[Setting]) -> Vec<&'r ReasoningState> {
    let in_text = settings.iter().any(|setting| match setting {
        Setting::Parsing { .. } => true,
        Setting::ResultPlacement { rules } => rules.contains(&Placement::AsUserText),
        _ => false,
    });
    let is_of_call = |state: &&ReasoningState| {
        use ReasoningField::{ExtraContentSignature, ThoughtSignature};
        in_text && matches!(state.field, ExtraContentSignature | ThoughtSignature)
    };
    reasoning(request).into_iter().filter(|state| !is_of_call(state)).collect()
}

fn omits(settings: &[Setting]) -> bool {
    let is_omit =
        |it: &Setting| matches!(it, Setting::ReasoningReplay { send: ReasoningUse::Omit, .. });
    settings.iter().any(is_omit)
}

/// What was sent holds the whole conversation: only reasoning that must not be sent is kept aside.
fn assert_undone(sent: Rewritten, original: &Request, settings: &[Setting]) {
    let aside: Vec<&Part> = sent.undo.iter().flat_map(Undo::kept).collect();
    let is_meant = |part: &&Part| omits(settings) && matches!(part, Part::Reasoning(_));
    assert!(aside.iter().all(is_meant), "{settings:?} took {aside:#?} out of {:#?}", sent.request);
    assert_eq!(without_raw(sent.into_original()), without_raw(original.clone()));
}

/// The endpoint sees the corrected form and no other.
fn assert_corrected(settings: &[Setting], seen: &Request) {
    let is_structured = |part: &Part| matches!(part, Part::Call(_) | Part::Result(_));
    for setting in settings {
        match setting {
            Setting::Delivery { tools: ToolOffer::None } => assert!(seen.tools.is_empty()),
            Setting::Delivery { tools: ToolOffer::By(ToolDelivery::Prompted(_)) } => {
                assert!(seen.tools.is_empty() && !parts(seen).any(is_structured), "{seen:#?}");
            }
            Setting::Schema { drop, .. } => {
                let schemas = serde_json::to_string(&seen.tools).unwrap();
                for keyword in drop {
                    assert!(!schemas.contains(&format!("\"{keyword}\":")), "{keyword}: {schemas}");
                }
            }
            Setting::Parallel { by: ParallelLimit::Switch, .. } => {
                assert!(seen.tools.is_empty() || seen.parallel != Some(true));
            }
            Setting::ReasoningReplay { send: ReasoningUse::Omit, .. } => {
                assert_eq!(reasoning(seen), Vec::<&ReasoningState>::new());
            }
            Setting::ToolChoice { .. } => assert!(
                matches!(
                    seen.tool_choice,
                    None | Some(ToolChoice::Auto | ToolChoice::Allowed { .. })
                ),
                "{:?}",
                seen.tool_choice
            ),
            Setting::ResultPlacement { rules } if rules.contains(&Placement::AsUserText) => {
                assert!(!parts(seen).any(is_structured), "{seen:#?}");
            }
            _ => {}
        }
    }
}

fn ids(request: &Request) -> (Vec<&str>, Vec<&str>) {
    let calls = request.messages.iter().flat_map(Message::calls).map(|call| call.id.as_str());
    let results = parts(request).filter_map(|part| match part {
        Part::Result(result) => Some(result.tool_call_id.as_str()),
        _ => None,
    });
    (calls.collect(), results.collect())
}

/// Every call has an id of its own, and every result that of its call.
fn assert_paired(request: &Request) {
    let (calls, results) = ids(request);
    let distinct: BTreeSet<&str> = calls.iter().copied().collect();
    assert_eq!(distinct.len(), calls.len(), "{calls:?}");
    assert!(results.iter().all(|id| distinct.contains(id)), "{results:?} answer {calls:?}");
}

/// The reply as it arrives: in one piece, and as a stream that is cut at these places.
fn arrive(dialect: DialectId, reply: &Reply, cuts: &[Index]) -> [Reply; 2] {
    let codec = dialect.codec();
    let stamp = Stamp { created: 0, usage: true };
    let plain = codec.decode_reply(&codec.encode_reply(reply, &stamp)).unwrap();
    let length = DeltaLength(NonZeroUsize::MIN.saturating_add(4));
    let bytes = write_all(codec.framing(), &codec.encode_stream(reply, &stamp, length));
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    let (mut reader, mut frames) = (FrameReader::new(codec.framing()), Vec::new());
    for piece in places.windows(2) {
        reader.push(&bytes[piece[0]..piece[1]], &mut frames).unwrap();
    }
    reader.finish(&mut frames).unwrap();
    let mut decoder = codec.stream_decoder();
    for frame in &frames {
        decoder.push(frame);
    }
    [plain, decoder.finish().unwrap()]
}

/// The reply as an endpoint writes it that was taught to call in text.
fn in_text(reply: &Reply, settings: &[Setting]) -> Reply {
    let protocol = settings.iter().find_map(|setting| match setting {
        Setting::Delivery { tools: ToolOffer::By(ToolDelivery::Prompted(protocol)) } => {
            Some(*protocol)
        }
        Setting::Parsing { .. } => Some(Protocol::ToolCall),
        _ => None,
    });
    let Some(protocol) = protocol else { return reply.clone() };
    let mut reply = reply.clone();
    let mut written = String::new();
    reply.parts.retain(|part| match part {
        Part::Call(call) => {
            written.push('\n');
            written.push_str(&protocol.call(call));
            false
        }
        Part::Text(text) => {
            written.push_str(text);
            false
        }
        _ => true,
    });
    reply.parts.push(Part::Text(written));
    reply
}

/// The conversation goes on: what the model said, and a result for each call.
fn answer(request: &Request, reply: &Reply) -> Request {
    let mut next = request.clone();
    let results: Vec<ToolResult> = reply
        .calls()
        .map(|call| ToolResult {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            content: json!(format!("receipt of {}", call.id)),
            is_error: false,
            error_code: None,
        })
        .collect();
    next.messages.push(Message::assistant(reply.parts.clone()));
    if !results.is_empty() {
        next.messages.push(Message::results(results));
    }
    next
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_request_is_made_again_from_what_was_sent_and_the_endpoint_sees_only_the_corrected_form(
        (dialect, request) in any_dialect().prop_flat_map(|it| (Just(it), any_conversation(it))),
        settings in any_plan(),
    ) {
        let sent = Rewriter::new(plan(dialect, settings.clone())).rewrite(&request);
        let body = dialect.codec().encode_request(&sent.request);
        let route = Route { model: Some(request.model.clone()), stream: Some(sent.request.stream) };
        let seen = dialect.codec().decode_request(&body, &route).unwrap();
        assert_corrected(&settings, &seen);
        if !omits(&settings) {
            let (seen, meant) = (sendable(&seen, &settings), sendable(&request, &settings));
            prop_assert_eq!(seen, meant, "{} of {:?}", body, settings);
        }
        assert_paired(&sent.request);
        assert_undone(sent, &request, &settings);
    }

    #[test]
    fn a_reply_comes_back_whole_or_streamed_and_goes_on_with_the_callers_own_ids(
        (dialect, request, reply) in any_dialect()
            .prop_flat_map(|it| (Just(it), any_conversation(it), any_reply(it))),
        settings in any_plan(),
        cuts in prop::collection::vec(any::<Index>(), 0..6),
    ) {
        prop_assume!(!request.tools.is_empty());
        prop_assume!(request.messages.last().is_some_and(|last| last.role != Role::Assistant));
        prop_assume!(!reply.parts.iter().any(|part| matches!(part, Part::BrokenCall(_))));
        prop_assume!(!settings.contains(&Setting::Delivery { tools: ToolOffer::None }));
        let rewriter = Rewriter::new(plan(dialect, settings.clone()));
        let sent = rewriter.rewrite(&request);
        let written = in_text(&reply, &settings);
        for arrived in arrive(dialect, &written, &cuts) {
            let restored = rewriter.restore(&sent, arrived.clone());
            let calls: Vec<_> = restored.calls().map(|call| (&call.name, &call.input)).collect();
            let meant: Vec<_> = reply.calls().map(|call| (&call.name, &call.input)).collect();
            prop_assert_eq!(&calls, &meant, "{:#?}", arrived);
            let states = |reply: &Reply| reasoning(&answer(&Request::default(), reply)).into_iter().cloned().collect::<Vec<_>>();
            prop_assert_eq!(states(&restored), states(&arrived));
            let next = answer(&request, &restored);
            assert_paired(&next);
            let sent = rewriter.rewrite(&next);
            assert_paired(&sent.request);
            assert_undone(sent, &next, &settings);
        }
    }
}

#[test]
fn a_history_that_was_trimmed_makes_no_id_come_twice() {
    let settings = [
        vec![Setting::Ids { pattern: String::new(), defects: vec![Defect::IdMissing] }],
        vec![Setting::Parsing {
            format: "hermes".to_owned(),
            layer: Layer::Content,
            repairs: vec![],
        }],
    ];
    for settings in settings {
        let rewriter = Rewriter::new(plan(DialectId::OpenAiChat, settings));
        let mut request = Request { tools: vec![tool()], ..Request::default() };
        for turn in 0..12 {
            request.messages.push(Message::user("Go."));
            let text = "<tool_call>\n{\"name\": \"book\", \"arguments\": {\"kind\": \"desk\", \"seats\": 2}}\n</tool_call>";
            let says = Reply::new(
                vec![Part::Text(text.to_owned())],
                crate::ir::Stop::unlabelled(crate::ir::StopKind::EndTurn),
            );
            let mut reply = rewriter.restore(&rewriter.rewrite(&request), says);
            if reply.calls().next().is_none() {
                let bare = super::tests::call("", json!({"kind": "desk", "seats": 2}));
                let says = Reply::new(
                    vec![Part::Call(bare)],
                    crate::ir::Stop::unlabelled(crate::ir::StopKind::ToolUse),
                );
                reply = rewriter.restore(&rewriter.rewrite(&request), says);
            }
            request = answer(&request, &reply);
            assert_paired(&request);
            if turn % 3 == 2 {
                request.messages.drain(..3);
            }
        }
    }
}
