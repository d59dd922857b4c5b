//! Do encoding and decoding undo each other, streamed or not?

use std::num::NonZeroUsize;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::Value;

use super::form::NormalForm;
use super::{damage, replies, requests};
use crate::dialect::{ApiError, DeltaLength, Dialect, Route, Stamp};
use crate::ir::{Defect, Part, Reply, Request};
use crate::wire::Frame;

const CASES: u32 = 96;
/// Cases for the laws that try many variations of each.
const FEW: u32 = 4;
/// Delta lengths: one character, a few, everything at once.
const PIECES: [usize; 3] = [1, 7, 10_000];

/// Tries every law on generated conversations.
pub(in crate::dialect) fn assert_laws(dialect: &dyn Dialect, form: &NormalForm) {
    for_all(CASES, &requests(form), |request| {
        request_round_trip(dialect, &request, form.routed);
    });
    for_all(CASES, &replies(form), |reply| {
        reply_round_trip(dialect, &reply);
        stream_equals_plain(dialect, &reply);
    });
    for_all(FEW, &requests(form), |request| damage::no_request_panics(dialect, &request));
    for_all(FEW, &replies(form), |reply| damage::cut_streams_are_truncated(dialect, &reply));
    for_all(FEW, &replies(form), |reply| damage::no_reply_panics(dialect, &reply));
}

/// Tries a law on values of a strategy; the same values each time.
fn for_all<S: Strategy>(cases: u32, strategy: &S, law: impl Fn(S::Value)) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng)
        .run(strategy, |value| {
            law(value);
            Ok::<(), TestCaseError>(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

/// `decode_request(encode_request(x)) == x`
pub(in crate::dialect) fn request_round_trip(
    dialect: &dyn Dialect,
    request: &Request,
    routed: bool,
) {
    let body = dialect.encode_request(request);
    let route = if routed {
        Route { model: Some(request.model.clone()), stream: Some(request.stream) }
    } else {
        Route::default()
    };
    let mut decoded =
        dialect.decode_request(&body, &route).unwrap_or_else(|error| panic!("{error} in {body:#}"));
    decoded.messages.iter_mut().for_each(|message| clear_raw(&mut message.parts));
    assert_eq!(&decoded, request, "decoded from {body:#}");
}

/// `decode_reply(encode_reply(x)) == x`
pub(in crate::dialect) fn reply_round_trip(dialect: &dyn Dialect, reply: &Reply) {
    let body = dialect.encode_reply(reply, &stamp());
    let decoded = dialect.decode_reply(&body).unwrap_or_else(|error| panic!("{error} in {body:#}"));
    assert_eq!(bare(decoded), expected(reply), "decoded from {body:#}");
}

/// `decode_stream(encode_stream(x)) == x`, whatever the length of the deltas.
pub(in crate::dialect) fn stream_equals_plain(dialect: &dyn Dialect, reply: &Reply) {
    for length in PIECES {
        let deltas = DeltaLength(NonZeroUsize::new(length).unwrap());
        let frames = dialect.encode_stream(reply, &stamp(), deltas);
        let decoded = frames_to_reply(dialect, &frames)
            .unwrap_or_else(|error| panic!("{error} in {frames:#?}"));
        assert_eq!(bare(decoded), expected(reply), "decoded from {frames:#?}");
    }
}

/// Decodes a whole stream.
pub(in crate::dialect) fn frames_to_reply(
    dialect: &dyn Dialect,
    frames: &[Frame],
) -> Result<Reply, ApiError> {
    let mut decoder = dialect.stream_decoder();
    for frame in frames {
        decoder.push(frame);
    }
    decoder.finish()
}

pub(super) fn stamp() -> Stamp {
    Stamp { created: 1_794_787_200, usage: true }
}

/// What decoding adds to a reply by design: the evidence, and the reason why a call is broken.
pub(super) fn bare(mut reply: Reply) -> Reply {
    clear_raw(&mut reply.parts);
    reply
}

fn expected(reply: &Reply) -> Reply {
    let mut reply = bare(reply.clone());
    if reply.parts.iter().any(|part| matches!(part, Part::BrokenCall(_))) {
        reply.defects.record(Defect::ArgumentsInvalid);
    }
    reply
}

pub(super) fn clear_raw(parts: &mut [Part]) {
    for part in parts {
        match part {
            Part::Call(call) => call.raw = Value::Null,
            Part::BrokenCall(call) => call.problem.clear(),
            Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => {}
        }
    }
}
