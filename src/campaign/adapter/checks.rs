//! Checks that only both ends of an adapter can make: rich requests, the pace of streams, a client that
//! hangs up, and many streams at once.
//!
//! Each request is sent once, without retries, and kept in a journal of its own.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, sleep, timeout};

use super::Pair;
use super::rich::{BETA, rich_requests};
use super::upstream::{Upstream, UpstreamError};
use crate::conversation::{Answer, ExchangeLog, decode_answer};
use crate::dialect::DialectId;
use crate::ir::{Digest, Message, Request};
use crate::regress::passage::{PassageView, ReplyAspect};
use crate::sim::{Arrival, Delivery, REPEAT_SLOWLY};
use crate::store::JournalFile;
use crate::target::Connection;
use crate::transport::{
    Body, Exchange, HttpCall, HttpTransport, Journal, RecordedExchange, Scrubber, SizeLimits,
    Standing, Timeouts, Transport, by_status,
};

/// How many words a slow answer has.
const WORDS: usize = 12;

/// How many words streams have that are judged by time, one after the other: on a busy machine a short
/// one may be over, or come at once, whatever the adapter does. What all of them show is the adapter.
const PACED: [usize; 3] = [12, 24, 48];
const HUNG_UP_ON: [usize; 2] = [100, 250];

/// The least spread of a direct stream that says anything, in milliseconds.
const LEAST_SPREAD_MS: u64 = 100;

/// The part of the direct spread that a stream through an adapter must have.
const LEAST_PART: u64 = 4;

/// How long the upstream is watched after the client hung up.
const WATCHED: Duration = Duration::from_secs(30);
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
            let Some(call) = call(through, &request) else { continue };
            let call = match access.dialect {
                DialectId::AnthropicMessages => call.header(BETA.0, BETA.1),
                _ => call,
            };
            kept.extend(self.send_call(call, journal).await);
        }
        kept
    }

    async fn send(
        &self,
        connection: &Connection,
        request: &Request,
        journal: &JournalFile,
    ) -> Option<Exchange> {
        self.send_call(call(connection, request)?, journal).await
    }

    async fn send_call(&self, call: HttpCall, journal: &JournalFile) -> Option<Exchange> {
        let mut exchange = self.transport.send(&call, &by_status).await;
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
        let mut collected = None;
        for length in PACED {
            collected = self.find_collected(pair, length, journal).await;
            if collected.is_none() {
                return;
            }
        }
        if let Some((words, through)) = collected {
            let digest = RecordedExchange::from(through).digest().clone();
            view.note(ReplyAspect::Pace, words, vec![digest]);
        }
    }

    /// A stream that comes at once through the adapter and piece by piece directly, and how fast.
    async fn find_collected(
        &self,
        pair: &Pair,
        length: usize,
        journal: &JournalFile,
    ) -> Option<(String, Exchange)> {
        let words = vec![format!("{}pace", self.nonce); length].join(" ");
        let request = slowly(&words);
        let direct = self.send(&pair.direct, &request, journal).await?;
        let through = self.send(&pair.through, &request, journal).await?;
        let (was, is) = (spread_ms(&direct)?, spread_ms(&through)?);
        let words = format!("pieces come over {is} ms instead of {was} ms");
        (was >= LEAST_SPREAD_MS && is * LEAST_PART < was).then_some((words, through))
    }

    /// Notes where the adapter reads on upstream after its client has hung up.
    pub(super) async fn check_hang_up(
        &self,
        pair: &Pair,
        view: &mut PassageView,
    ) -> Result<(), UpstreamError> {
        for length in HUNG_UP_ON {
            if !self.is_read_on(pair, length).await? {
                return Ok(());
            }
        }
        let words = "the stream was read to its end upstream".to_owned();
        view.note(ReplyAspect::HangUp, words, Vec::new());
        Ok(())
    }

    /// Whether a stream of so many words is read to its end upstream, though its client hangs up as
    /// soon as it has begun.
    async fn is_read_on(&self, pair: &Pair, length: usize) -> Result<bool, UpstreamError> {
        let word = format!("{}bye{length}", self.nonce);
        let request = slowly(&vec![word.clone(); length].join(" "));
        let Some(call) = call(&pair.through, &request) else { return Ok(false) };
        let before = self.upstream.latest().await?;
        let is_underway = |arrival: &Arrival| arrival.answer.delivery == Delivery::Underway;
        // Not before its first piece has come: an adapter that is still about to answer may well give up.
        let Some(begun) = self.transport.begin(&call).await else { return Ok(false) };
        let arrivals = self.upstream.arrivals(before).await?;
        drop(begun);
        if !arrivals.iter().any(|it| it.body.contains(&word) && is_underway(it)) {
            return Ok(false);
        }
        let end = self.watch(before, &word, |arrival| !is_underway(arrival)).await?;
        Ok(end.is_none_or(|arrival| arrival.answer.delivery == Delivery::Sent))
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
    holds_another(&reply.text(), mark, word)
}

/// Whether a text holds a whole marked word, `mark`, digits and an `x`, that is not this one.
fn holds_another(text: &str, mark: &str, word: &str) -> bool {
    let own = word.trim_start_matches(mark);
    text.split(mark).skip(1).any(|rest| {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let whole = digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with('x'));
        whole && rest.get(..=digits) != Some(own)
    })
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

#[cfg(test)]
mod tests {
    use super::holds_another;

    #[test]
    fn a_whole_word_of_another_stream_is_foreign_and_a_piece_or_a_doubled_own_one_is_not() {
        let is_foreign = |text: &str| holds_another(text, "n1of", "n1of17x");
        assert!(is_foreign("n1of17x n1of120x"));
        assert!(!is_foreign("n1of17xn1of17x n1of17x n1of1"));
        assert!(!is_foreign(""));
    }
}
