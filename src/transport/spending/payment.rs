//! Payment: what an attempt reserved of the budget, charged when it is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::error::{CloseStage, TransportError};
use super::super::exchange::{Body, HttpOutcome, Response};
use super::super::timeouts::Phase;
use super::budget::{Budget, TokenCount};

/// Bytes of a token, at least on average, over English, code, JSON and most scripts.
const BYTES_PER_TOKEN: usize = 2;

/// Tokens that a server adds to a prompt: the words of a chat template, an instruction about tools.
const ADDED_BY_SERVER: u64 = 1024;

impl TokenCount {
    /// The most tokens that a request with a body of so many bytes can cost, where its reply may have so
    /// many tokens.
    pub fn at_most(body: usize, reply: u64) -> Self {
        let prompt = in_tokens(body).saturating_add(ADDED_BY_SERVER);
        Self { prompt, completion: reply }
    }
}

/// About as many tokens as so many bytes can be, at most.
pub(crate) fn in_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
}

/// What one attempt has reserved. Unless it is settled, it is charged what was expected when it ended,
/// and all of it where it never did.
#[derive(Debug)]
pub(crate) struct Payment {
    budget: Arc<Budget>,
    most: TokenCount,
    expected: TokenCount,
    is_settled: AtomicBool,
}

impl Payment {
    pub(in crate::transport) fn new(budget: Arc<Budget>, most: TokenCount) -> Self {
        Self { budget, most, expected: most, is_settled: AtomicBool::new(false) }
    }

    /// Says how the attempt ended, which limits what it can have cost.
    pub(in crate::transport) fn ended(&mut self, outcome: &HttpOutcome) {
        self.expected = estimate_cost(self.most, outcome);
    }

    /// Charges what it did cost. Once it was settled, nothing changes any more.
    pub(crate) fn settle(&self, used: TokenCount) {
        if !self.is_settled.swap(true, Ordering::Relaxed) {
            self.budget.settle(self.most, used);
        }
    }
}

impl Drop for Payment {
    fn drop(&mut self) {
        self.settle(self.expected);
    }
}

/// The payment of an exchange, which is not part of its record.
#[derive(Debug, Clone, Default)]
pub(crate) struct PaymentSlot(pub(crate) Option<Arc<Payment>>);

/// What an exchange cost says nothing about what was said.
impl PartialEq for PaymentSlot {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What an attempt can have cost, as far as its end tells.
fn estimate_cost(most: TokenCount, outcome: &HttpOutcome) -> TokenCount {
    match outcome {
        HttpOutcome::Answered(response) if response.is_success() => {
            TokenCount { completion: in_tokens(length(response)).min(most.completion), ..most }
        }
        HttpOutcome::Answered(_) => TokenCount::default(),
        HttpOutcome::Failed { error, .. } if is_before_work(error) => TokenCount::default(),
        HttpOutcome::Failed { partial: Some(partial), .. } if !partial.is_success() => {
            TokenCount::default()
        }
        HttpOutcome::Failed { .. } => most,
    }
}

fn length(response: &Response) -> usize {
    match &response.body {
        Body::Whole(text) => text.len(),
        Body::Frames(frames) => frames.iter().map(|timed| timed.frame.size()).sum(),
    }
}

/// Whether a request failed before any model can have seen it.
fn is_before_work(error: &TransportError) -> bool {
    match error {
        TransportError::Dns { .. }
        | TransportError::Connect { .. }
        | TransportError::Tls { .. }
        | TransportError::Timeout { phase: Phase::Connect, .. }
        | TransportError::Closed { stage: CloseStage::BeforeReplyReused, .. }
        | TransportError::Redirect { .. }
        | TransportError::InvalidHeader { .. }
        | TransportError::Budget { .. }
        | TransportError::TokenBudget { .. }
        | TransportError::CostBudget { .. }
        | TransportError::GivenUp { .. }
        | TransportError::NotRecorded { .. } => true,
        TransportError::Timeout { .. }
        | TransportError::Closed { .. }
        | TransportError::NotHttp { .. }
        | TransportError::TooLarge { .. }
        | TransportError::NotUtf8 { .. }
        | TransportError::Decompression { .. }
        | TransportError::NotTheFraming { .. }
        | TransportError::Stopped
        | TransportError::Other { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: TokenCount = TokenCount { prompt: 100, completion: 50 };

    fn answered(status: u16, text: &str) -> HttpOutcome {
        let body = Body::Whole(text.to_owned());
        HttpOutcome::Answered(Response { status, headers: Vec::new(), body })
    }

    fn failed(error: TransportError) -> HttpOutcome {
        HttpOutcome::Failed { error, partial: None }
    }

    #[test]
    fn an_attempt_is_expected_to_cost_what_its_end_allows() {
        let none = TokenCount::default();
        let refused = failed(TransportError::Connect { detail: "refused".to_owned() });
        let cut = TransportError::Closed { stage: CloseStage::MidBody, detail: String::new() };
        let broken = HttpOutcome::Failed {
            error: cut.clone(),
            partial: Some(Response {
                status: 502,
                headers: vec![],
                body: Body::Whole(String::new()),
            }),
        };
        for (outcome, cost) in [
            (answered(200, "four"), TokenCount { completion: 2, ..MOST }),
            (answered(200, &"long ".repeat(99)), MOST),
            (answered(429, "slow down"), none),
            (refused, none),
            (broken, none),
            (failed(cut), MOST),
        ] {
            assert_eq!(estimate_cost(MOST, &outcome), cost, "{outcome:?}");
        }
    }
}
