//! Chance that can be repeated: numbers drawn from a seed and the request.
//!
//! A draw depends only on the conversation and on its purpose: not on a clock, the order of requests, or
//! whether the reply is streamed. So a flaky model is reproducible under any concurrency, and differs
//! from trial to trial because the payloads differ. What belongs to a conversation as a whole is drawn from
//! its first message.

use sha2::{Digest, Sha256};

use crate::ir::Request;

/// A source of chance that belongs to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draw {
    source: [u8; 32],
    conversation: [u8; 32],
}

impl Draw {
    /// The source of this request.
    pub(crate) fn of(request: &Request) -> Self {
        let read = (
            &request.model,
            &request.system,
            &request.messages,
            &request.tools,
            &request.tool_choice,
            request.parallel,
        );
        // Requests always serialise; an empty text would still be a valid source.
        let text = serde_json::to_string(&read).unwrap_or_default();
        let opening = serde_json::to_string(&(&request.model, request.messages.first()));
        let conversation = Sha256::digest(opening.unwrap_or_default()).into();
        Self { source: Sha256::digest(text).into(), conversation }
    }

    /// Whether the conversation is in the one half of them all: every turn of it is.
    pub(crate) fn is_in_half(&self) -> bool {
        self.conversation.get(1).is_some_and(|byte| byte % 2 == 1)
    }

    /// A number below `bound` (0 for a bound of 0), the same each time for the same purpose.
    pub(crate) fn number(&self, purpose: &str, bound: u64) -> u64 {
        let bytes = self.bytes(purpose);
        let wide = bytes.iter().take(8).fold(0u64, |sum, byte| (sum << 8) | u64::from(*byte));
        wide.checked_rem(bound).unwrap_or(0)
    }

    /// Whether an event of this probability happens.
    pub(crate) fn happens(&self, purpose: &str, percent: u8) -> bool {
        self.number(purpose, 100) < u64::from(percent)
    }

    /// Lower-case letters and digits, `length` of them.
    pub(crate) fn word(&self, purpose: &str, length: usize) -> String {
        (0u32..)
            .flat_map(|round| self.bytes(&format!("{purpose}/{round}")))
            .map(|byte| char::from_digit(u32::from(byte % 36), 36).unwrap_or('0'))
            .take(length)
            .collect()
    }

    fn bytes(&self, purpose: &str) -> [u8; 32] {
        Sha256::new().chain_update(self.source).chain_update(purpose).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Message;

    fn asking(text: &str) -> Request {
        Request { messages: vec![Message::user(text)], ..Request::default() }
    }

    #[test]
    fn the_same_conversation_draws_the_same_streamed_or_not() {
        let plain = asking("hello");
        let streamed = Request { stream: true, ..plain.clone() };
        assert_eq!(Draw::of(&plain).word("id", 24), Draw::of(&streamed).word("id", 24));
        assert_ne!(Draw::of(&plain).word("id", 24), Draw::of(&asking("hallo")).word("id", 24));
    }

    #[test]
    fn events_happen_about_as_often_as_they_should() {
        let hits = (0..1000)
            .filter(|trial| Draw::of(&asking(&format!("trial {trial}"))).happens("flaky", 30))
            .count();
        assert!((250..350).contains(&hits), "{hits}");
        let draw = Draw::of(&asking("x"));
        assert!(draw.happens("always", 100) && !draw.happens("never", 0));
    }
}
