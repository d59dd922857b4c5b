//! Cassette: a transport that answers from recorded exchanges, without a network.
//!
//! A call is recognised by its content and not by its order, because a suite asks many things at the
//! same time; equal requests are answered in the order they were recorded, and the last answer is
//! repeated. A call that was never recorded fails with [`TransportError::NotRecorded`], which tells
//! where the nearest recorded request differs.
//!
//! - `key`: when two requests are the same
//! - `difference`: where two JSON values differ
//! - `recut`: a recorded stream in other pieces than the recorded ones

mod difference;
mod key;
mod recut;

pub use difference::JsonDifference;
pub(crate) use difference::{difference_size, differences};
pub(crate) use key::RequestKey;
pub use recut::{Piecing, Recut, cut_short, recut};

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::{BoxFuture, ready};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::{HttpCall, Method, SentRequest};
use super::error::TransportError;
use super::exchange::{Body, Exchange, HttpOutcome, Response, TimedFrame, Timing};
use super::{Judge, Transport};
use crate::secret::Scrubber;
use crate::wire::{Frame, Framing, WireError};

/// How streams are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Playback {
    /// With the frames as they were recorded.
    AsRecorded,
    /// Written to bytes, cut into pieces at places that the seed chooses, and read again.
    Recut {
        /// Where the places come from.
        seed: u64,
    },
    /// Ending too early, at a place that the seed chooses.
    CutShort {
        /// Where the place comes from.
        seed: u64,
    },
}

/// The recorded request that is most like one that was not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Nearest {
    /// Its method.
    pub method: Method,
    /// Its path and query.
    pub path: String,
    /// Where the new body differs from its body.
    pub differences: Vec<JsonDifference>,
}

/// Recorded exchanges, played back.
#[derive(Debug)]
pub(crate) struct Cassette {
    /// One per distinct request, in the order they were first recorded.
    answers: Vec<RecordedAnswers>,
    places: Arc<HashMap<RequestKey, usize>>,
    playback: Playback,
}

/// The exchanges of one request.
#[derive(Debug, Default)]
struct RecordedAnswers {
    exchanges: Vec<Arc<Exchange>>,
    played: AtomicUsize,
}

impl RecordedAnswers {
    fn request(&self) -> Option<&SentRequest> {
        self.exchanges.first().map(|exchange| &exchange.request)
    }

    fn is_played(&self) -> bool {
        self.played.load(Ordering::Relaxed) > 0
    }

    /// The next exchange; the last one again when all were played.
    fn next(&self) -> Option<&Exchange> {
        let turn = self.played.fetch_add(1, Ordering::Relaxed);
        self.exchanges.get(turn).or(self.exchanges.last()).map(|exchange| &**exchange)
    }
}

impl Cassette {
    /// A cassette of these exchanges, which were recorded in this order.
    pub(crate) fn new(
        exchanges: impl IntoIterator<Item = Arc<Exchange>>,
        playback: Playback,
    ) -> Self {
        let (mut answers, mut places) = (Vec::<RecordedAnswers>::new(), HashMap::new());
        for exchange in exchanges {
            let place = *places.entry(RequestKey::of(&exchange.request)).or_insert(answers.len());
            answers.resize_with(answers.len().max(place + 1), RecordedAnswers::default);
            if let Some(recorded) = answers.get_mut(place) {
                recorded.exchanges.push(exchange);
            }
        }
        Self { answers, places: Arc::new(places), playback }
    }

    /// The same exchanges from the beginning, played in another way.
    #[must_use]
    pub(crate) fn rewound(&self, playback: Playback) -> Self {
        let fresh = |recorded: &RecordedAnswers| RecordedAnswers {
            exchanges: recorded.exchanges.clone(),
            ..RecordedAnswers::default()
        };
        let answers = self.answers.iter().map(fresh).collect();
        Self { answers, places: Arc::clone(&self.places), playback }
    }

    /// The recorded requests that nobody has asked for yet.
    pub(crate) fn unplayed(&self) -> impl Iterator<Item = &SentRequest> {
        self.answers
            .iter()
            .filter(|recorded| !recorded.is_played())
            .filter_map(RecordedAnswers::request)
    }

    fn answer(&self, request: SentRequest) -> Exchange {
        let place = self.places.get(&RequestKey::of(&request));
        let recorded =
            place.and_then(|place| self.answers.get(*place)).and_then(RecordedAnswers::next);
        match recorded {
            Some(exchange) => play(exchange, self.playback),
            None => self.fail_unrecorded(request),
        }
    }

    fn fail_unrecorded(&self, request: SentRequest) -> Exchange {
        let error = TransportError::NotRecorded { nearest: self.nearest(&request).map(Box::new) };
        let outcome = HttpOutcome::Failed { error, partial: None };
        Exchange::single(request, outcome, Timing::default())
    }

    /// The request with the smallest differences: preferably of the same call, about the same model,
    /// and not asked for by anybody else.
    fn nearest(&self, request: &SentRequest) -> Option<Nearest> {
        let ranked = || {
            self.answers.iter().filter_map(|answers| {
                let recorded = answers.request()?;
                let is_other_call =
                    recorded.method != request.method || recorded.path() != request.path();
                let is_other_model = model(recorded) != model(request);
                Some(((is_other_call, is_other_model, answers.is_played()), recorded))
            })
        };
        let best = ranked().map(|(rank, _)| rank).min()?;
        let candidates = ranked().filter(|(rank, _)| *rank == best);
        let compared =
            candidates.map(|(_, recorded)| (recorded, body_differences(recorded, request)));
        let (recorded, differences) =
            compared.min_by_key(|(_, differences)| difference_size(differences))?;
        let (method, path) = (recorded.method, recorded.path());
        Some(Nearest { method, path, differences })
    }
}

fn model(request: &SentRequest) -> Option<&Value> {
    request.body.as_ref().and_then(|body| body.get("model"))
}

fn body_differences(old: &SentRequest, new: &SentRequest) -> Vec<JsonDifference> {
    let body = |request: &SentRequest| request.body.clone().map(Value::from).unwrap_or_default();
    differences(&body(old), &body(new))
}

/// The exchange as it is played. Only complete streams are touched.
fn play(recorded: &Exchange, playback: Playback) -> Exchange {
    let mut exchange = recorded.clone();
    let framing = recorded.request.framing.unwrap_or(Framing::Sse);
    let HttpOutcome::Answered(Response { body: Body::Frames(timed), .. }) = &mut exchange.outcome
    else {
        return exchange;
    };
    let frames: Vec<Frame> = timed.iter().map(|timed| timed.frame.clone()).collect();
    let read = match playback {
        Playback::AsRecorded => return exchange,
        Playback::Recut { seed } => recut(framing, &frames, seed).frames,
        Playback::CutShort { seed } => cut_short(framing, &frames, seed).frames,
    };
    match read {
        Ok(frames) => *timed = without_times(frames),
        Err(error) => exchange.outcome = unreadable(error),
    }
    exchange
}

fn without_times(frames: Vec<Frame>) -> Vec<TimedFrame> {
    frames.into_iter().map(|frame| TimedFrame { at_ms: 0, frame }).collect()
}

fn unreadable(error: WireError) -> HttpOutcome {
    HttpOutcome::Failed { error: error.into(), partial: None }
}

impl Transport for Cassette {
    fn redact(&self, call: &HttpCall) -> SentRequest {
        SentRequest::redacted(call, &Scrubber::default())
    }

    fn send<'a>(&'a self, call: &'a HttpCall, _judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
        Box::pin(ready(self.answer(self.redact(call))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::by_status;
    use super::*;

    fn call(body: Value) -> HttpCall {
        HttpCall::post("http://here.test:81/v1/chat?alt=sse".parse().unwrap(), body)
    }

    fn exchange(body: Value, answer: Body) -> Arc<Exchange> {
        let mut request = SentRequest::redacted(&call(body), &Scrubber::default());
        request.url = request.url.replace("http://here.test:81", "sim:");
        let response = Response { status: 200, headers: Vec::new(), body: answer };
        Arc::new(Exchange::single(request, HttpOutcome::Answered(response), Timing::default()))
    }

    fn whole(text: &str) -> Body {
        Body::Whole(text.to_owned())
    }

    async fn text(cassette: &Cassette, body: Value) -> String {
        let exchange = cassette.send(&call(body), &by_status).await;
        exchange.response().map_or_else(ToString::to_string, |response| response.text().into())
    }

    #[tokio::test]
    async fn a_call_is_known_by_its_content_whatever_the_host_and_the_order_of_keys() {
        let takes =
            [exchange(json!({"a": 1, "b": [2]}), whole("x")), exchange(json!(1), whole("y"))];
        let cassette = Cassette::new(takes, Playback::AsRecorded);
        assert_eq!(text(&cassette, json!(1)).await, "y");
        assert_eq!(cassette.unplayed().count(), 1);
        assert_eq!(text(&cassette, json!({"b": [2], "a": 1})).await, "x");
        assert_eq!(cassette.unplayed().count(), 0);
    }

    #[tokio::test]
    async fn equal_requests_are_answered_in_the_order_they_were_recorded() {
        let takes = ["one", "two"].map(|answer| exchange(json!({}), whole(answer)));
        let cassette = Cassette::new(takes, Playback::AsRecorded);
        for expected in ["one", "two", "two"] {
            assert_eq!(text(&cassette, json!({})).await, expected);
        }
    }

    #[tokio::test]
    async fn a_call_that_was_not_recorded_tells_where_the_nearest_one_differs() {
        let near = json!({"model": "m", "tools": [{"name": "t", "strict": true}], "n": 1});
        let far = json!({"model": "m", "messages": []});
        let takes = [far, near].map(|body| exchange(body, whole("")));
        let cassette = Cassette::new(takes, Playback::AsRecorded);
        let changed = json!({"model": "m", "tools": [{"name": "t"}], "n": 2});
        let exchange = cassette.send(&call(changed), &by_status).await;
        let Err(TransportError::NotRecorded { nearest: Some(nearest) }) = exchange.response()
        else {
            panic!("{exchange:?}");
        };
        let at = |path: &str, old, new| JsonDifference { path: path.to_owned(), old, new };
        let expected = [
            at("tools[0].strict", Some(json!(true)), None),
            at("n", Some(json!(1)), Some(json!(2))),
        ];
        assert_eq!(nearest.differences, expected);
        assert_eq!(nearest.path, "/v1/chat?alt=sse");
    }

    #[tokio::test]
    async fn the_request_of_another_model_is_near_only_if_there_is_no_better_one() {
        let takes = [json!({"model": "a", "n": 1}), json!({"model": "b", "x": 0, "y": 0})];
        let takes = takes.map(|body| exchange(body, whole("")));
        let cassette = Cassette::new(takes, Playback::AsRecorded);
        let nearest = |body: Value| {
            cassette.nearest(&cassette.redact(&call(body))).unwrap().differences.len()
        };
        assert_eq!(nearest(json!({"model": "b", "n": 1})), 3);
        assert_eq!(nearest(json!({"model": "c", "n": 1})), 1);
    }

    #[tokio::test]
    async fn streams_are_recut_and_cut_short_and_other_bodies_are_not() {
        let frames = ["{\"a\":\"é\"}", "{}", "[DONE]"].map(Frame::data);
        let body = Body::Frames(without_times(frames.to_vec()));
        for playback in [Playback::Recut { seed: 7 }, Playback::CutShort { seed: 7 }] {
            let takes = [exchange(json!(1), body.clone()), exchange(json!(2), whole("{}"))];
            let cassette = Cassette::new(takes, playback);
            let stream = cassette.send(&call(json!(1)), &by_status).await;
            let same = stream.response().unwrap().body == body;
            assert_eq!(same, matches!(playback, Playback::Recut { .. }), "{stream:?}");
            assert_eq!(text(&cassette, json!(2)).await, "{}");
        }
    }
}
