//! Defects on the wire: a lenient decoder records what a model's file declares, and nothing else.

use std::collections::BTreeSet;

use super::conversations::conversations;
use super::{answer, fleet, meaning};
use crate::dialect::{DeltaLength, Stamp};
use crate::ir::{Defect, Reply, Request, Stop, StopKind};
use crate::profile::Status;
use crate::sim::ModelFile;
use crate::sim::expected::ResultKey;
use crate::sim::quirks::{HttpQuirk, distort_body, distort_frames};

fn stamp() -> Stamp {
    Stamp { created: 1_790_000_000, usage: true }
}

/// The reply as a client decodes it from the plain body.
fn plain(model: &ModelFile, reply: &Reply) -> Reply {
    let codec = model.dialect.codec();
    let body = distort_body(codec.encode_reply(reply, &stamp()), model.dialect, &model.wire_quirks);
    codec.decode_reply(&body).unwrap()
}

/// The reply as a client decodes it from the stream; what it lost where the stream carries an error.
fn streamed(model: &ModelFile, reply: &Reply) -> Reply {
    let codec = model.dialect.codec();
    let frames = codec.encode_stream(reply, &stamp(), DeltaLength(model.piece_length));
    let mut decoder = codec.stream_decoder();
    for frame in distort_frames(frames, model.dialect, &model.wire_quirks) {
        decoder.push(&frame);
    }
    decoder
        .finish()
        .unwrap_or_else(|_| Reply::new(Vec::new(), Stop::unlabelled(StopKind::Truncated)))
}

/// The conversations whose replies are worth spelling.
fn spelt() -> impl Iterator<Item = Request> {
    let names = ["echo", "both", "ping", "prose", "result"];
    conversations().into_iter().filter(move |(name, _)| names.contains(name)).map(|(_, r)| r)
}

fn noted(decode: fn(&ModelFile, &Reply) -> Reply, model: &ModelFile) -> BTreeSet<Defect> {
    spelt()
        .flat_map(|r| decode(model, &answer(model, &r)).defects.iter().collect::<Vec<_>>())
        .collect()
}

#[test]
fn a_lenient_decoder_notes_in_plain_replies_what_the_file_declares() {
    let mut wrong = Vec::new();
    for model in fleet().iter() {
        let declared: BTreeSet<Defect> = model.profile.defects.iter().copied().collect();
        let noted = noted(plain, model);
        if noted != declared {
            wrong.push(format!("{}: {noted:?}, not {declared:?}", model.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_lenient_decoder_notes_in_streams_what_the_file_declares() {
    let mut wrong = Vec::new();
    for model in fleet().iter() {
        if model.http_quirks.contains(&HttpQuirk::StreamIgnored) {
            continue;
        }
        let profile = &model.profile;
        let declared: BTreeSet<Defect> =
            profile.defects.iter().chain(&profile.stream_defects).copied().collect();
        let noted = noted(streamed, model);
        if noted != declared {
            wrong.push(format!("{}: {noted:?}, not {declared:?}", model.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_stream_says_the_same_as_the_plain_body_exactly_where_the_file_says_so() {
    let mut wrong = Vec::new();
    for model in fleet().iter() {
        // A body that is not a stream has no frames.
        if model.http_quirks.contains(&HttpQuirk::StreamIgnored) {
            continue;
        }
        let agrees = spelt().all(|request| {
            let reply = answer(model, &request);
            meaning(&plain(model, &reply)) == meaning(&streamed(model, &reply))
        });
        // Where no call works at all, there is nothing for a stream to lose.
        let single = model.profile.results.get(&ResultKey::SingleTool);
        let calls = model.profile.tool_delivery.is_some() && single != Some(&Status::Fail);
        // A stream that is partial says the same, in a way that ordinary clients do not read.
        let is_partial = model.profile.results.get(&ResultKey::Streaming) == Some(&Status::Partial);
        let is_right = model.profile.supports_streaming_tool_use == Some(true) || is_partial;
        if agrees != (is_right || !calls) {
            wrong.push(format!("{}: agrees is {agrees}", model.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_parts_of_a_model_that_have_no_quirk_survive_the_wire() {
    let fleet = fleet();
    for model in fleet.iter().filter(|model| model.wire_quirks.is_empty()) {
        for request in spelt() {
            let reply = answer(model, &request);
            let decoded = plain(model, &reply);
            let texts = (decoded.text(), decoded.calls().count());
            assert_eq!(texts, (reply.text(), reply.calls().count()), "{}", model.name);
        }
    }
}
