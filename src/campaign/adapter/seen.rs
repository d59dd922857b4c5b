//! What the exchanges with a target let a client see.

use serde_json::Value;
use url::Url;

use crate::conversation::{Answer, decode_answer};
use crate::dialect::{DialectId, Route};
use crate::ir::{Defect, Digest, Reply, Request};
use crate::regress::{AnswerKind, ClientView, SeenAnswer};
use crate::transport::{Body, Exchange, RecordedExchange, Response};

/// The status by which a server says that the fault is its own. Others of their hundred tell of
/// load, or of what stands behind it.
const INTERNAL: u16 = 500;

/// An exchange that was answered, decoded.
struct Decoded<'a> {
    evidence: &'a Digest,
    response: &'a Response,
    answer: Answer,
    emptied: bool,
}

/// What the answers in these exchanges show.
pub(super) fn seen(dialect: DialectId, exchanges: &[RecordedExchange]) -> ClientView {
    let decode = |exchange: &'_ RecordedExchange| -> Option<_> {
        let response = exchange.response().ok()?;
        let answer = decode_answer(dialect.codec(), response, is_stream(response));
        let emptied = answer.reply().is_some_and(|reply| {
            sent_request(dialect, exchange).is_some_and(|sent| has_emptied(reply, &sent))
        });
        Some((answer, emptied))
    };
    let answers: Vec<Decoded<'_>> = exchanges
        .iter()
        .filter_map(|exchange| {
            let (answer, emptied) = decode(exchange)?;
            let response = exchange.response().ok()?;
            Some(Decoded { evidence: exchange.digest(), response, answer, emptied })
        })
        .collect();
    let seen: Vec<SeenAnswer<'_>> = answers.iter().filter_map(seen_answer).collect();
    ClientView::of(&seen)
}

/// The request of an exchange, decoded.
pub(super) fn sent_request(dialect: DialectId, exchange: &Exchange) -> Option<Request> {
    let url = Url::parse(&exchange.request.url).ok()?;
    let route = Route::parse(url.path()).map(|(_, route)| route).unwrap_or_default();
    dialect.codec().decode_request(exchange.request.body.as_ref()?, &route).ok()
}

/// Whether a call has empty arguments, well written, though its tool requires some.
fn has_emptied(reply: &Reply, sent: &Request) -> bool {
    let is_broken = [Defect::ArgumentsEmpty, Defect::ArgumentsAbsent]
        .into_iter()
        .any(|defect| reply.defects.contains(defect));
    let requires = |name: &str| {
        let tool = sent.tools.iter().find(|tool| tool.name == name);
        let required = tool.and_then(|tool| tool.input_schema.get("required")?.as_array());
        required.is_some_and(|required| !required.is_empty())
    };
    let is_empty = |input: &Value| input.as_object().is_some_and(serde_json::Map::is_empty);
    !is_broken && reply.calls().any(|call| is_empty(&call.input) && requires(&call.name))
}

fn is_stream(response: &Response) -> bool {
    matches!(response.body, Body::Frames(_))
}

/// What a client can tell apart: a reply, finished or not, a clear refusal, or an error of the server.
fn seen_answer<'a>(decoded: &'a Decoded<'_>) -> Option<SeenAnswer<'a>> {
    let Decoded { evidence, response, answer, emptied } = decoded;
    let what = match answer {
        Answer::Reply(reply) => AnswerKind::Reply(reply),
        Answer::Refused(error) => AnswerKind::Refusal(&error.message),
        Answer::CutShort(_) => AnswerKind::CutShort,
        Answer::Nothing(_) if response.status == INTERNAL => AnswerKind::ServerError,
        Answer::Nothing(_) if response.status > INTERNAL => AnswerKind::Unavailable,
        Answer::OutputRejected(_) | Answer::Nothing(_) => return None,
    };
    Some(SeenAnswer { evidence, streamed: is_stream(response), what, emptied: *emptied })
}
