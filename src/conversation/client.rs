//! Client of one model: encodes requests, sends them, decodes the answers, logs the exchanges.

use std::sync::{Arc, Mutex, PoisonError};

use url::Url;

use super::{Answer, ExchangeLog, decode_answer};
use crate::dialect::{Dialect, DialectId, EndpointError, call_url};
use crate::ir::{Digest, Object, Request};
use crate::transport::{HeaderText, HttpCall, Judgement, RecordedExchange, Response, Transport};

/// How often a stream that ended before its reply did is asked for again.
const TRUNCATED_RETRIES: u32 = 1;

/// Where a model is and what every request to it needs.
#[derive(Debug, Clone)]
pub struct Address {
    /// The protocol it speaks.
    pub dialect: DialectId,
    /// The base that the provider's own SDK takes, or the full path of the call.
    pub base: Url,
    /// The model's name there.
    pub model: String,
    /// The headers of every request, credentials included.
    pub headers: Vec<(String, HeaderText)>,
    /// Further fields of every request's body.
    pub extra: Object,
    /// The most tokens a reply may have.
    pub max_tokens: u64,
}

/// Sends requests to one model.
#[derive(Clone)]
pub struct Client {
    address: Address,
    codec: &'static dyn Dialect,
    plain_url: Url,
    stream_url: Url,
    transport: Arc<dyn Transport>,
    log: ExchangeLog,
}

/// An answer and the evidence for it.
#[derive(Debug, Clone)]
pub struct EvidencedAnswer {
    /// The answer.
    pub answer: Answer,
    /// The exchange, by its digest.
    pub evidence: Digest,
}

impl Client {
    /// A client whose exchanges go over this transport and into this log.
    pub fn new(
        address: Address,
        transport: Arc<dyn Transport>,
        log: ExchangeLog,
    ) -> Result<Self, EndpointError> {
        let url = |stream| call_url(address.dialect, &address.base, &address.model, stream);
        let (plain_url, stream_url) = (url(false)?, url(true)?);
        let codec = address.dialect.codec();
        Ok(Self { address, codec, plain_url, stream_url, transport, log })
    }

    /// The same, encoded and decoded by another implementation of its dialect.
    #[must_use]
    pub fn with_codec(self, codec: &'static dyn Dialect) -> Self {
        Self { codec, ..self }
    }

    /// The protocol it speaks.
    pub fn dialect(&self) -> DialectId {
        self.address.dialect
    }

    /// Sends one request and decodes the answer. A stream that was cut short is asked for once more,
    /// so that a passing fault leaves no mark.
    pub async fn ask(&self, request: &Request) -> EvidencedAnswer {
        let call = self.call(request);
        let mut turn = self.send(&call, request.stream).await;
        for _ in 0..TRUNCATED_RETRIES {
            if !matches!(turn.answer, Answer::CutShort(_)) {
                break;
            }
            turn = self.send(&call, request.stream).await;
        }
        turn
    }

    async fn send(&self, call: &HttpCall, stream: bool) -> EvidencedAnswer {
        let codec = self.codec;
        // The judge's last answer is that of the response which is given back.
        let decoded = Mutex::new(None);
        let judge = |response: &Response| {
            let answer = decode_answer(codec, response, stream);
            let judgement = judgement(response, &answer);
            *decoded.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            judgement
        };
        let exchange = RecordedExchange::from(self.transport.send(call, &judge).await);
        let decoded = decoded.into_inner().unwrap_or_else(PoisonError::into_inner);
        let answer = match exchange.response() {
            Ok(response) => decoded.unwrap_or_else(|| decode_answer(codec, response, stream)),
            Err(error) => Answer::Nothing(error.to_string()),
        };
        let evidence = exchange.digest().clone();
        self.log.push(exchange, &answer);
        EvidencedAnswer { answer, evidence }
    }

    fn call(&self, request: &Request) -> HttpCall {
        let (address, codec) = (&self.address, self.codec);
        let url = if request.stream { &self.stream_url } else { &self.plain_url };
        let mut call = HttpCall::post(url.clone(), codec.encode_request(&self.complete(request)));
        call.headers.clone_from(&address.headers);
        if request.stream { call.streamed(codec.framing()) } else { call }
    }

    /// Adds what the address says about every request.
    fn complete(&self, request: &Request) -> Request {
        let mut request = request.clone();
        request.model.clone_from(&self.address.model);
        request.max_tokens.get_or_insert(self.address.max_tokens);
        for (key, value) in &self.address.extra {
            request.extra.entry(key.clone()).or_insert_with(|| value.clone());
        }
        request
    }
}

/// Whether asking again may help: not against a finding, whatever its status; but against an error
/// that a successful status hides.
fn judgement(response: &Response, answer: &Answer) -> Judgement {
    match answer {
        Answer::Reply(_) | Answer::CutShort(_) | Answer::Refused(_) | Answer::OutputRejected(_) => {
            Judgement::Final
        }
        Answer::Nothing(_) if response.is_success() => Judgement::Transient,
        Answer::Nothing(_) => Judgement::ByStatus,
    }
}
