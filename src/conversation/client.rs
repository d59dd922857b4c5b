//! Client of one model: encodes requests, sends them, decodes the answers, logs the exchanges.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;
use url::Url;

use super::bounds::{is_too_large, within};
use super::usage::check_usage;
use super::{Answer, ExchangeLog, decode_answer, token_limit};
use crate::adapt::apply::{Rewriter, Rewritten};
use crate::adapt::plan::Plan;
use crate::dialect::{Dialect, DialectId, EndpointError, LimitField, Route, call_url};
use crate::ir::{Defect, Digest, Object, Request};
use crate::transport::{
    HeaderText, HttpCall, Judgement, RecordedExchange, Response, SizeLimits, Transport,
    apart_if_long, aside,
};

/// How often a stream is asked for again that ended before its reply did, or had a frame that cannot be read.
const SPOILT_RETRIES: u32 = 1;

/// How often a request is sent again with a token limit as a refusal wants it: in another field, and lower.
const LIMIT_LESSONS: u32 = 2;

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
    /// The field that carries the limit, where it is known not to be the usual one.
    pub limit_field: Option<LimitField>,
    /// How large a reply may be.
    pub limits: SizeLimits,
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
    /// Rewrites what is sent and received, where a plan says so.
    rewriter: Option<Arc<Rewriter>>,
    insists: bool,
    turns: u32,
    /// The field that carries the token limit, once a refusal has named it. Clones share it.
    limit_field: Arc<OnceLock<LimitField>>,
    /// The most tokens that the endpoint allows, once it has refused more. Clones share it.
    most_tokens: Arc<AtomicU64>,
}

/// An answer and the evidence for it.
#[derive(Debug, Clone)]
pub struct EvidencedAnswer {
    /// A reply that was read, or why it could not be.
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
        let known = address.limit_field.or_else(|| LimitField::set_in(&address.extra));
        let limit_field = Arc::new(known.map_or_else(OnceLock::new, OnceLock::from));
        let (rewriter, insists, turns) = (None, false, 1);
        Ok(Self {
            address,
            codec,
            plain_url,
            stream_url,
            transport,
            log,
            rewriter,
            insists,
            turns,
            limit_field,
            most_tokens: Arc::new(AtomicU64::new(u64::MAX)),
        })
    }

    /// The same, encoded and decoded by another implementation of its dialect.
    #[must_use]
    pub fn with_codec(self, codec: &'static dyn Dialect) -> Self {
        Self { codec, ..self }
    }

    /// The same, with every request and reply rewritten as a plan says.
    #[must_use]
    pub fn with_plan(self, plan: Plan) -> Self {
        Self { rewriter: Some(Arc::new(Rewriter::new(plan))), ..self }
    }

    /// What rewrites requests and replies, where a plan does.
    pub fn rewriter(&self) -> Option<&Rewriter> {
        self.rewriter.as_deref()
    }

    /// The same, sending even what the transport has given up: for controls that a verdict waits for.
    #[must_use]
    pub fn insisting(&self) -> Self {
        Self { insists: true, ..self.clone() }
    }

    /// The same for conversations that take so many requests, one after the other.
    #[must_use]
    pub fn expecting(&self, turns: u32) -> Self {
        Self { turns, ..self.clone() }
    }

    /// The same with tools declared in an older field, for a dialect that has one.
    pub fn with_older_schema(&self) -> Option<Self> {
        let codec = self.address.dialect.older_schema_codec()?;
        Some(self.clone().with_codec(codec))
    }

    /// How large a reply may be.
    pub(super) fn limits(&self) -> &SizeLimits {
        &self.address.limits
    }

    /// The protocol it speaks.
    pub fn dialect(&self) -> DialectId {
        self.address.dialect
    }

    /// Sends one request and decodes the answer, both rewritten where there is a plan.
    pub async fn ask(&self, request: &Request) -> EvidencedAnswer {
        let sent = self.rewrite(request);
        let mut answered = self.ask_as_is(&sent.request).await;
        answered.answer = self.restore(&sent, answered.answer);
        answered
    }

    /// The request as it is sent.
    pub(super) fn rewrite(&self, request: &Request) -> Rewritten {
        match &self.rewriter {
            Some(rewriter) => rewriter.rewrite(request),
            None => Rewritten::unchanged(request),
        }
    }

    /// The answer to the request as it was before it was rewritten.
    pub(super) fn restore(&self, sent: &Rewritten, answer: Answer) -> Answer {
        match &self.rewriter {
            Some(rewriter) => answer.map_reply(|reply| rewriter.restore(sent, reply)),
            None => answer,
        }
    }

    /// A stream that was cut short or spoilt is asked for once more, so that a passing fault leaves no mark.
    pub(super) async fn ask_as_is(&self, request: &Request) -> EvidencedAnswer {
        let (mut call, mut allowed) = self.limited_call(request);
        let mut turn = self.send(&call, request.stream).await;
        for _ in 0..LIMIT_LESSONS {
            let has_learnt = self.learn_limit_field(&call, &turn.answer)
                || self.learn_most_tokens(allowed, &turn.answer);
            if !has_learnt {
                break;
            }
            (call, allowed) = self.limited_call(request);
            turn = self.send(&call, request.stream).await;
        }
        for _ in 0..SPOILT_RETRIES {
            if !is_spoilt(&turn.answer) {
                break;
            }
            turn = self.send(&call, request.stream).await;
        }
        token_limit::mark_masked(&mut turn.answer, allowed);
        turn
    }

    /// The call that a request makes, and the most tokens that its reply may have.
    fn limited_call(&self, request: &Request) -> (HttpCall, Option<u64>) {
        let call = self.call(request);
        let allowed = self.allowed_tokens(request, &call);
        (call.with_reply_of(allowed.unwrap_or(self.address.max_tokens)), allowed)
    }

    /// Whether a refusal names another field for the token limit, which is then used from now on.
    fn learn_limit_field(&self, call: &HttpCall, answer: &Answer) -> bool {
        let (Answer::Refused(refusal), Some(sent)) = (answer, &call.body) else { return false };
        if !self.address.dialect.has_two_limit_fields() {
            return false;
        }
        let asked = LimitField::asked_for(sent, refusal);
        asked.is_some_and(|field| *self.limit_field.get_or_init(|| field) == field)
    }

    /// Whether a refusal tells that fewer tokens are allowed, which are then asked for from now on.
    fn learn_most_tokens(&self, sent: Option<u64>, answer: &Answer) -> bool {
        let (Answer::Refused(refusal), Some(sent)) = (answer, sent) else { return false };
        let Some(most) = token_limit::allowed_instead(sent, refusal) else { return false };
        self.most_tokens.fetch_min(most, Relaxed);
        true
    }

    /// The most tokens that a request allows, as far as the endpoint does.
    fn token_limit(&self, request: &Request) -> u64 {
        let wanted = request.max_tokens.unwrap_or(self.address.max_tokens);
        wanted.min(self.most_tokens.load(Relaxed))
    }

    /// The limit of the request; that in the body itself, where further fields may have changed it.
    fn allowed_tokens(&self, request: &Request, call: &HttpCall) -> Option<u64> {
        if request.extra.is_empty() && self.address.extra.is_empty() {
            return Some(self.token_limit(request));
        }
        let route = Route { model: Some(self.address.model.clone()), stream: None };
        let sent = self.codec.decode_request(call.body.as_ref()?, &route);
        sent.ok()?.max_tokens
    }

    async fn send(&self, call: &HttpCall, stream: bool) -> EvidencedAnswer {
        let decode = |response: &Response| {
            aside(response.body.size(), || {
                within(decode_answer(self.codec, response, stream), &self.address.limits)
            })
        };
        // The judge's last answer is that of the response which is given back.
        let decoded = Mutex::new(None);
        let judge = |response: &Response| {
            let answer = decode(response);
            let judgement = judgement(response, &answer);
            *decoded.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            judgement
        };
        let exchange = self.transport.send(call, &judge).await;
        let mut exchange =
            apart_if_long(exchange.size(), || RecordedExchange::from(exchange)).await;
        let decoded = decoded.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut answer = match exchange.response() {
            Ok(response) => decoded.unwrap_or_else(|| decode(response)),
            Err(error) => Answer::Nothing(error.to_string()),
        };
        let used = check_usage(&mut answer, call.most);
        if let (Some(payment), Some(used)) = (exchange.take_payment(), used) {
            payment.settle(used);
        }
        let evidence = exchange.digest().clone();
        // A large reply keeps its room in memory until it is stored.
        let _room = exchange.take_room();
        self.log.push(exchange, &answer);
        EvidencedAnswer { answer, evidence }
    }

    /// The call that a request makes, complete with what every request to this model needs.
    pub(crate) fn call(&self, request: &Request) -> HttpCall {
        let (address, codec) = (&self.address, self.codec);
        let url = if request.stream { &self.stream_url } else { &self.plain_url };
        let mut body = codec.encode_request(&self.complete(request));
        if let Some(field) = self.limit_field.get().filter(|_| codec.id().has_two_limit_fields()) {
            field.carry(&mut body);
        }
        let mut call = HttpCall::post(url.clone(), body);
        call.headers.clone_from(&address.headers);
        call.insists = self.insists;
        call.turns = self.turns;
        if request.stream { call.streamed(codec.framing()) } else { call }
    }

    /// Adds what the address says about every request.
    fn complete(&self, request: &Request) -> Request {
        let mut request = request.clone();
        request.model.clone_from(&self.address.model);
        for (key, value) in &self.address.extra {
            request.extra.entry(key.clone()).or_insert_with(|| value.clone());
        }
        let wanted = self.token_limit(&request) + thinking_budget(&request.extra);
        request.max_tokens = Some(wanted.min(self.most_tokens.load(Relaxed)));
        request
    }
}

/// The tokens of thinking that a request asks for. They count against the limit of the reply, and a
/// limit below them is refused.
pub(crate) fn thinking_budget(extra: &Object) -> u64 {
    let budget = extra.get("thinking").and_then(|thinking| thinking.get("budget_tokens"));
    budget.and_then(Value::as_u64).unwrap_or(0)
}

/// Whether a part of the stream did not arrive as it was meant.
fn is_spoilt(answer: &Answer) -> bool {
    match answer {
        Answer::CutShort(_) => true,
        Answer::Reply(reply) => reply.defects.contains(Defect::FrameInvalid),
        Answer::Refused(_) | Answer::OutputRejected(_) | Answer::Nothing(_) => false,
    }
}

/// Whether asking again may help: not against a finding, whatever its status; but against an error
/// that a successful status hides.
fn judgement(response: &Response, answer: &Answer) -> Judgement {
    match answer {
        Answer::Reply(_) | Answer::CutShort(_) | Answer::Refused(_) | Answer::OutputRejected(_) => {
            Judgement::Final
        }
        Answer::Nothing(words) if is_too_large(words) => Judgement::Final,
        Answer::Nothing(_) if response.is_success() => Judgement::Transient,
        Answer::Nothing(_) => Judgement::ByStatus,
    }
}
