//! What the exchanges with a target let a client see.

use crate::conversation::{Answer, decode_answer};
use crate::dialect::DialectId;
use crate::ir::Digest;
use crate::regress::{Answered, Glimpse, Seen};
use crate::transport::{Body, RecordedExchange, Response};

/// The status by which a server says that the fault is its own. Others of their hundred tell of
/// load, or of what stands behind it.
const INTERNAL: u16 = 500;

/// What the answers in these exchanges show.
pub(super) fn seen(dialect: DialectId, exchanges: &[RecordedExchange]) -> Seen {
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
    let glimpses: Vec<Glimpse<'_>> = answers.iter().filter_map(glimpse).collect();
    Seen::of(&glimpses)
}

fn is_stream(response: &Response) -> bool {
    matches!(response.body, Body::Frames(_))
}

/// What a client can tell apart: a reply, finished or not, a clear refusal, or an internal error.
fn glimpse<'a>(
    (evidence, response, answer): &'a (&Digest, &Response, Answer),
) -> Option<Glimpse<'a>> {
    let what = match answer {
        Answer::Reply(reply) => Answered::Reply(reply),
        Answer::Refused(error) => Answered::Refusal(&error.message),
        Answer::CutShort(_) => Answered::CutShort,
        Answer::Nothing(_) if response.status == INTERNAL => Answered::ServerError,
        Answer::OutputRejected(_) | Answer::Nothing(_) => return None,
    };
    Some(Glimpse { evidence, streamed: is_stream(response), what })
}
