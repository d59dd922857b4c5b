//! What the exchanges with a target let a client see.

use crate::conversation::{Answer, decode_answer};
use crate::dialect::DialectId;
use crate::ir::Digest;
use crate::regress::{AnswerKind, ClientView, SeenAnswer};
use crate::transport::{Body, RecordedExchange, Response};

/// The status by which a server says that the fault is its own. Others of their hundred tell of
/// load, or of what stands behind it.
const INTERNAL: u16 = 500;

/// What the answers in these exchanges show.
pub(super) fn seen(dialect: DialectId, exchanges: &[RecordedExchange]) -> ClientView {
    let answers: Vec<(&Digest, &Response, Answer)> = exchanges
        .iter()
        .filter_map(|exchange| {
            let response = exchange.response().ok()?;
            Some((
                exchange.digest(),
                response,
                decode_answer(dialect.codec(), response, is_stream(response)),
            ))
        })
        .collect();
    let seen: Vec<SeenAnswer<'_>> = answers.iter().filter_map(seen_answer).collect();
    ClientView::of(&seen)
}

fn is_stream(response: &Response) -> bool {
    matches!(response.body, Body::Frames(_))
}

/// What a client can tell apart: a reply, finished or not, a clear refusal, or an internal error.
fn seen_answer<'a>(
    (evidence, response, answer): &'a (&Digest, &Response, Answer),
) -> Option<SeenAnswer<'a>> {
    let what = match answer {
        Answer::Reply(reply) => AnswerKind::Reply(reply),
        Answer::Refused(error) => AnswerKind::Refusal(&error.message),
        Answer::CutShort(_) => AnswerKind::CutShort,
        Answer::Nothing(_) if response.status == INTERNAL => AnswerKind::ServerError,
        Answer::OutputRejected(_) | Answer::Nothing(_) => return None,
    };
    Some(SeenAnswer { evidence, streamed: is_stream(response), what })
}
