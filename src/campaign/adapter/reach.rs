//! Reach: whether a request through a gateway arrives at the simulator.
//!
//! Otherwise a gateway with another upstream would be blamed for breaking everything.

use super::upstream::ask_address;
use crate::conversation::{Answer, ExchangeLog, excerpt};
use crate::dialect::call_url;
use crate::ir::{Message, Request};
use crate::sim::served_at;
use crate::target::{Access, Connection, GREETINGS, discover};

/// How much of an unexpected answer is shown.
const SHOWN: usize = 300;

/// What came back instead of the simulator's answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[error(
    "the gateway does not reach the simulator: {request} for '{model}' came back with {came}; start \
     the simulator with `toolprobe sim --addr 127.0.0.1:8089` and make that address the gateway's \
     upstream"
)]
pub(crate) struct NotReached {
    /// What was asked.
    request: String,
    /// The model's name at the gateway.
    model: String,
    /// What came back.
    came: String,
}

/// Greets the model through the gateway and directly, and gives the gateway's access that reaches it.
pub(super) async fn find_access(
    through: &Connection,
    direct: &Connection,
) -> Result<Access, NotReached> {
    let target = &through.target;
    let missed = |request: String, came: String| NotReached {
        request,
        model: target.model.clone(),
        came: excerpt(&came, SHOWN),
    };
    let found = discover(through).await;
    let access = found.map_err(|error| missed("a greeting".to_owned(), error.to_string()))?.access;
    let request = call_url(access.dialect, &access.base_url, &target.model, false)
        .map_or_else(|error| error.to_string(), |url| format!("POST {url}"));
    let expected = match direct.target.endpoint.accesses.first() {
        Some(own) => read_words(greet(direct, own).await).ok(),
        None => None,
    };
    match (read_words(greet(through, &access).await), expected) {
        (Ok(heard), Some(expected))
            if !is_akin(&heard, &expected) && !tells_address(through, &access).await =>
        {
            let came = format!("\"{heard}\", where the simulator says \"{expected}\"");
            Err(missed(request, came))
        }
        (Err(came), Some(_)) => Err(missed(request, came)),
        (Ok(_), _) | (Err(_), None) => Ok(access),
    }
}

/// Whether the simulator answers through the gateway when it is asked by its name: a gateway may change
/// the words of a greeting.
async fn tells_address(through: &Connection, access: &Access) -> bool {
    ask_address(through, access, "reach").await.is_ok_and(|said| served_at(&said).is_some())
}

async fn greet(connection: &Connection, access: &Access) -> Answer {
    let messages = GREETINGS.last().map(|words| Message::user(*words)).into_iter().collect();
    let greeting = Request { messages, ..Request::default() };
    match connection.client(access, ExchangeLog::default()) {
        Ok(endpoint) => endpoint.ask(&greeting).await.answer,
        Err(error) => Answer::Nothing(error.to_string()),
    }
}

/// The words of a reply, or why there is none.
fn read_words(answer: Answer) -> Result<String, String> {
    match answer {
        Answer::Reply(reply) | Answer::CutShort(reply) => Ok(reply.text()),
        Answer::Refused(error) | Answer::OutputRejected(error) => Err(error.to_string()),
        Answer::Nothing(words) => Err(words),
    }
}

/// Whether one holds the other, spaces aside. An adapter may cut something off or put something
/// before it.
fn is_akin(heard: &str, expected: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let (heard, expected) = (plain(heard), plain(expected));
    expected.is_empty()
        || heard.contains(&expected)
        || (!heard.is_empty() && expected.contains(&heard))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulators_words_are_known_again_when_something_was_cut_off_or_added() {
        assert!(is_akin("<think>hm</think>\nI have read it.", "I have read it."));
        assert!(is_akin("I have", "I  have read it."));
        assert!(is_akin("anything", ""));
        assert!(!is_akin("", "I have read it."));
        assert!(!is_akin("Good morning! How can I help?", "I have read it."));
    }
}
