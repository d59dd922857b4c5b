//! Conversation numbers: which conversations have begun, and in which order.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::ir::{Digest, Request};

/// How many conversations are remembered before all are forgotten.
const MOST_KNOWN: usize = 65_536;

/// The first messages that have been seen, by the model and the tools they are about.
#[derive(Debug, Default)]
pub(super) struct ConversationNumbers(Mutex<HashMap<Digest, Vec<Digest>>>);

impl ConversationNumbers {
    /// The number of a request's conversation among those about the same tools, from 0 on. Every
    /// later turn of it has the same number.
    pub(super) fn number(&self, request: &Request) -> usize {
        let about = digest(&(&request.model, &request.tools));
        let opening = digest(&request.messages.first());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.values().map(Vec::len).sum::<usize>() >= MOST_KNOWN {
            known.clear();
        }
        let openings = known.entry(about).or_default();
        openings.iter().position(|one| *one == opening).unwrap_or_else(|| {
            openings.push(opening);
            openings.len() - 1
        })
    }
}

/// The digest of a value. Requests always serialise; an empty text would still be a valid key.
fn digest(value: &impl serde::Serialize) -> Digest {
    Digest::of(serde_json::to_vec(value).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Message;

    fn asking(text: &str, more: usize) -> Request {
        let mut messages = vec![Message::user(text)];
        messages.extend((0..more).map(|_| Message::user("go on")));
        Request { messages, ..Request::default() }
    }

    #[test]
    fn a_conversation_keeps_its_number() {
        let numbers = ConversationNumbers::default();
        assert_eq!(numbers.number(&asking("a", 0)), 0);
        assert_eq!(numbers.number(&asking("b", 0)), 1);
        assert_eq!(numbers.number(&asking("a", 2)), 0);
        assert_eq!(numbers.number(&asking("c", 0)), 2);
    }

    #[test]
    fn another_model_counts_for_itself() {
        let numbers = ConversationNumbers::default();
        numbers.number(&asking("a", 0));
        let other = Request { model: "other".into(), ..asking("b", 0) };
        assert_eq!(numbers.number(&other), 0);
    }
}
