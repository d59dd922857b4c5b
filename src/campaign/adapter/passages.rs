//! Passages of a run: each exchange through the adapter with what arrived for it upstream.

use std::collections::BTreeSet;

use serde_json::Value;

use super::seen::sent_request;
use super::upstream::as_exchange;
use crate::conversation::{Answer, decode_answer};
use crate::dialect::{ApiError, DialectId};
use crate::profile::ReplyMode;
use crate::regress::passage::{
    BodyShape, Passage, ReplySaid, SeenReply, SeenRequest, Traveller, pair_travellers,
};
use crate::sim::Arrival;
use crate::store::JournalFile;
use crate::transport::{Body, Exchange, Journal, RecordedExchange, Response, Standing};

/// One end of an exchange, decoded.
struct End {
    exchange: RecordedExchange,
    request: SeenRequest,
    reply: Option<SeenReply>,
}

/// The exchanges of a model through the adapter, each with what arrived upstream, which the journal
/// keeps. An exchange that did not arrive, or was not answered at either end, has no passage.
pub(super) fn passages(
    dialect: DialectId,
    exchanges: Vec<Exchange>,
    arrivals: &[Arrival],
    journal: &JournalFile,
) -> Vec<Passage> {
    let left: Vec<End> = exchanges.into_iter().filter_map(|it| End::of(dialect, it)).collect();
    let arrived: Vec<End> =
        arrivals.iter().filter_map(|it| End::of(it.dialect, as_exchange(it))).collect();
    let pairs = pair_travellers(&travellers(&left), &travellers(&arrived));
    let mut arrived: Vec<Option<End>> = arrived.into_iter().map(Some).collect();
    let mut found = Vec::new();
    for (left, place) in left.into_iter().zip(pairs) {
        let arrived = place.and_then(|place| arrived.get_mut(place)?.take());
        found.extend(arrived.and_then(|arrived| passage(left, arrived, journal)));
    }
    found
}

fn passage(left: End, arrived: End, journal: &JournalFile) -> Option<Passage> {
    let mut kept = arrived.exchange.clone().into_exchange();
    journal.keep(&mut kept, Standing::Answered);
    Some(Passage {
        client: left.exchange.digest().clone(),
        upstream: arrived.exchange.digest().clone(),
        replies: (arrived.reply?, left.reply?),
        requests: (left.request, arrived.request),
    })
}

fn travellers(ends: &[End]) -> Vec<Traveller<'_>> {
    ends.iter()
        .map(|end| Traveller { request: &end.request.request, answer: end.reply.as_ref() })
        .collect()
}

impl End {
    fn of(dialect: DialectId, exchange: Exchange) -> Option<Self> {
        let request = sent_request(dialect, &exchange)?;
        let body = exchange.request.body.clone().map_or(Value::Null, Value::from);
        let betas = betas(&exchange.request.headers);
        let request = SeenRequest { dialect, body, request, betas };
        let reply = exchange.response().ok().map(|response| seen_reply(dialect, response));
        Some(Self { exchange: exchange.into(), request, reply })
    }
}

/// The features that headers ask for.
fn betas(headers: &[(String, String)]) -> BTreeSet<String> {
    let beta = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("anthropic-beta"));
    let names = beta.flat_map(|(_, value)| value.split(','));
    names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn seen_reply(dialect: DialectId, response: &Response) -> SeenReply {
    let Response { status, headers, .. } = response;
    let stream = matches!(response.body, Body::Frames(_));
    let mode = if stream { ReplyMode::Streamed } else { ReplyMode::Plain };
    let said = if response.is_success() {
        match decode_answer(dialect.codec(), response, stream) {
            Answer::Reply(reply) => ReplySaid::Reply(reply),
            Answer::Refused(error) | Answer::OutputRejected(error) => ReplySaid::Error(error),
            Answer::CutShort(_) | Answer::Nothing(_) => ReplySaid::Nothing,
        }
    } else {
        let error = ApiError::from_response(*status, headers.clone(), &response.text());
        ReplySaid::Error(Box::new(error))
    };
    let shape = BodyShape::of(&response.text());
    SeenReply { dialect, status: *status, headers: headers.clone(), mode, shape, said }
}
