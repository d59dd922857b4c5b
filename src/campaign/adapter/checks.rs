//! Checks that only both ends of an adapter can make: rich requests, the pace of streams, a client that
//! hangs up, and many streams at once.
//!
//! Each request is sent once, without retries, and kept in a journal of its own.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, sleep, timeout};

use super::Pair;
use super::rich::rich_requests;
use super::upstream::{Upstream, UpstreamError};
use crate::conversation::{Answer, ExchangeLog, decode_answer};
use crate::ir::{Digest, Message, Request};
use crate::regress::passage::{PassageView, ReplyAspect};
use crate::sim::{Arrival, Delivery, REPEAT_SLOWLY};
use crate::store::JournalFile;
use crate::target::Connection;
use crate::transport::{
    Body, Exchange, HttpCall, HttpTransport, Journal, RecordedExchange, Scrubber, SizeLimits,
    Standing, Timeouts, Transport, by_status,
};

/// How many words a slow answer has, and one that is hung up on.
const WORDS: usize = 12;
const LONG: usize = 100;

/// The least spread of a direct stream that says anything, in milliseconds.
const LEAST_SPREAD_MS: u64 = 100;

/// The part of the direct spread that a stream through an adapter must have.
const LEAST_PART: u64 = 4;

/// How long the upstream is watched after the client hung up.
const WATCHED: Duration = Duration::from_secs(8);
const LOOK_AGAIN: Duration = Duration::from_millis(30);

/// Sends the checks of one run.
pub(super) struct Checks {
    transport: HttpTransport,
    upstream: Upstream,
    /// A word that no other run uses.
    nonce: String,
}

impl Checks {
    pub(super) fn new(upstream: Upstream, nonce: String) -> Result<Self, UpstreamError> {
        let (timeouts, limits) = (Timeouts::default(), SizeLimits::default());
        let transport = HttpTransport::new(timeouts, limits, Scrubber::default())
            .map_err(|error| UpstreamError::NotTold(error.to_string()))?;
        Ok(Self { transport, upstream, nonce })
    }

    /// Sends the rich requests of one model through the adapter.
    pub(super) async fn send_rich(&self, pair: &Pair, journal: &JournalFile) -> Vec<Exchange> {
        let through = &pair.through;
        let Some(access) = through.target.endpoint.accesses.first() else { return Vec::new() };
        let nonce = format!(
            "{}{}",
            self.nonce,
            Digest::of(&through.target.name).hex().get(..6).unwrap_or_default()
        );
        let mut kept = Vec::new();
        for request in rich_requests(access.dialect, &nonce) {
            kept.extend(self.send(through, &request, journal).await);
        }
        kept
    }

    async fn send(
        &self,
        connection: &Connection,
        request: &Request,
        journal: &JournalFile,
    ) -> Option<Exchange> {
        let mut exchange = self.transport.send(&call(connection, request)?, &by_status).await;
        journal.keep(&mut exchange, Standing::Answered);
        Some(exchange)
    }

    /// Notes where a stream comes at once through the adapter that comes piece by piece directly.
    pub(super) async fn check_pace(
        &self,
        pair: &Pair,
        journal: &JournalFile,
        view: &mut PassageView,
    ) {
        let words = vec![format!("{}pace", self.nonce); WORDS].join(" ");
        let request = slowly(&words);
        let direct = self.send(&pair.direct, &request, journal).await;
        let through = self.send(&pair.through, &request, journal).await;
        let (Some(direct), Some(through)) = (direct, through) else { return };
        let (Some(was), Some(is)) = (spread_ms(&direct), spread_ms(&through)) else { return };
        if was >= LEAST_SPREAD_MS && is * LEAST_PART < was {
            let words = format!("pieces come over {is} ms instead of {was} ms");
            let digest = RecordedExchange::from(through).digest().clone();
            view.note(ReplyAspect::Pace, words, vec![digest]);
        }
    }

    /// Notes where the adapter reads on upstream after its client has hung up.
    pub(super) async fn check_hang_up(
        &self,
        pair: &Pair,
        view: &mut PassageView,
    ) -> Result<(), UpstreamError> {
        let word = format!("{}bye", self.nonce);
        let request = slowly(&vec![word.clone(); LONG].join(" "));
        let Some(call) = call(&pair.through, &request) else { return Ok(()) };
        let before = self.upstream.latest().await?;
        let arrived = {
            let sending = self.transport.send(&call, &by_status);
            tokio::select! {
                _ = sending => None,
                arrived = self.watch(before, &word, |_| true) => Some(arrived?),
            }
        };
        // The request is dropped here, which closes its connection.
        let Some(Some(_)) = arrived else { return Ok(()) };
        let is_over = |arrival: &Arrival| arrival.answer.delivery != Delivery::Underway;
        let end = self.watch(before, &word, is_over).await?;
        if end.is_none_or(|arrival| arrival.answer.delivery == Delivery::Sent) {
            let words = "the stream was read to its end upstream".to_owned();
            view.note(ReplyAspect::HangUp, words, Vec::new());
        }
        Ok(())
    }

    /// The arrival with this word, as soon as it is as told; `None` where that takes too long.
    async fn watch(
        &self,
        after: u64,
        word: &str,
        is_told: impl Fn(&Arrival) -> bool,
    ) -> Result<Option<Arrival>, UpstreamError> {
        let until = Instant::now() + WATCHED;
        while Instant::now() < until {
            let arrivals = self.upstream.arrivals(after).await?;
            let found = arrivals.into_iter().find(|it| it.body.contains(word) && is_told(it));
            if found.is_some() {
                return Ok(found);
            }
            sleep(LOOK_AGAIN).await;
        }
        Ok(None)
    }

    /// Notes where of many streams at once some hold words of another.
    pub(super) async fn check_crowd(
        &self,
        pair: &Pair,
        streams: usize,
        journal: &JournalFile,
        view: &mut PassageView,
    ) {
        let mark = format!("{}of", self.nonce);
        let one = async |number: usize| {
            let word = format!("{mark}{number}x");
            let request = slowly(&vec![word.clone(); WORDS / 2].join(" "));
            let call = call(&pair.through, &request)?;
            let sending = self.transport.send(&call, &by_status);
            let exchange = timeout(Timeouts::default().total, sending).await.ok()?;
            is_foreign(&exchange, pair, &mark, &word).then_some(exchange)
        };
        let mixed: Vec<Exchange> =
            join_all((0..streams).map(one)).await.into_iter().flatten().collect();
        if mixed.is_empty() {
            return;
        }
        let words = format!("{} of {streams} streams at once", mixed.len());
        let mut digests = Vec::new();
        for mut exchange in mixed.into_iter().take(2) {
            journal.keep(&mut exchange, Standing::Answered);
            digests.push(RecordedExchange::from(exchange).digest().clone());
        }
        view.note(ReplyAspect::Owner, words, digests);
    }
}

/// Whether a reply holds a marked word that is not its own.
fn is_foreign(exchange: &Exchange, pair: &Pair, mark: &str, word: &str) -> bool {
    let Some(access) = pair.through.target.endpoint.accesses.first() else { return false };
    let Ok(response) = exchange.response() else { return false };
    let stream = matches!(response.body, Body::Frames(_));
    let answer = decode_answer(access.dialect.codec(), response, stream);
    let (Answer::Reply(reply) | Answer::CutShort(reply)) = answer else { return false };
    let text = reply.text();
    let mut marked = text.split_whitespace().filter(|it| it.starts_with(mark));
    marked.any(|it| it != word && !word.starts_with(it))
}

fn slowly(words: &str) -> Request {
    let text = format!("{REPEAT_SLOWLY}\n{words}");
    Request { messages: vec![Message::user(text)], stream: true, ..Request::default() }
}

fn call(connection: &Connection, request: &Request) -> Option<HttpCall> {
    let access = connection.target.endpoint.accesses.first()?;
    let client = connection.client(access, ExchangeLog::default()).ok()?;
    Some(client.call(request))
}

/// The time between the first and the last frame of a stream.
fn spread_ms(exchange: &Exchange) -> Option<u64> {
    let Body::Frames(frames) = &exchange.response().ok()?.body else { return None };
    let (first, last) = (frames.first()?, frames.last()?);
    Some(last.at_ms.saturating_sub(first.at_ms))
}
