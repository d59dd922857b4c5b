//! Exchanges for tests of what is kept.

use serde_json::json;

use super::super::RunFolder;
use crate::ir::Digest;
use crate::transport::{
    Body, Exchange, HttpCall, HttpOutcome, Journal as _, RecordedExchange, Response, Scrubber,
    SentRequest, Standing, Timing,
};

/// A question and its answer.
pub(super) fn exchange(question: u64, answer: &str) -> Exchange {
    let url = "http://127.0.0.1:1/v1/chat".parse().unwrap();
    let call = HttpCall::post(url, json!({"question": question}));
    let body = Body::Whole(answer.to_owned());
    Exchange::single(
        SentRequest::redacted(&call, &Scrubber::default()),
        HttpOutcome::Answered(Response { status: 200, headers: Vec::new(), body }),
        Timing { first_byte_ms: Some(3), total_ms: 9 },
    )
}

/// Keeps some exchange with a target in a run, and gives its address.
pub(crate) fn keep_exchange(run: &RunFolder, target: &str) -> Digest {
    let mut exchange = exchange(1, "yes");
    let journal = run.evidence().begin(target);
    journal.keep(&mut exchange, Standing::Answered);
    journal.close().unwrap();
    RecordedExchange::from(exchange).digest().clone()
}
