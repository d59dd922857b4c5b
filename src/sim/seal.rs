//! Seals: proof that this server issued a reasoning state, and that it is unchanged.
//!
//! Providers sign or encrypt their reasoning state and refuse what they did not issue. A simulated
//! provider does the same without remembering anything: what it issues carries a keyed hash, so
//! that a later request can be checked by itself. The key is not secret; it only keeps a client
//! from passing the check by accident.

use crate::ir::{Digest, Request};

/// Characters of a hash that seals carry: enough to make accidents impossible in practice.
const HALF: usize = 32;
/// Characters of a turn that ids carry: the shortest sealed id has room for these and a mark.
const SHORT: usize = 14;
/// Characters of the mark that says a call came with reasoning.
const MARK: usize = 6;

/// One reply in one conversation: the same request gives the same turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TurnDigest(String);

impl TurnDigest {
    /// The turn that answers this request. Whether it is streamed makes no difference.
    pub(crate) fn of(request: &Request) -> Self {
        let said = serde_json::json!([
            request.model,
            request.system,
            request.messages,
            request.tools,
            request.tool_choice
        ]);
        Self(hash("turn", &said.to_string()))
    }

    /// Lower-case hex digits that only this turn and this purpose give, at most 64.
    pub(crate) fn digits(&self, purpose: &str, length: usize) -> String {
        hash(purpose, &self.0).chars().take(length).collect()
    }

    fn short(&self) -> String {
        self.digits("short", SHORT)
    }

    /// Digits that end a call's id and that [`sealed_turn`] can read back: 22 of them.
    pub(super) fn sealed_digits(&self, index: usize) -> String {
        let head = format!("{}{:02x}", self.short(), index % 256);
        let mark = mark(&head);
        format!("{head}{mark}")
    }

    /// The id of the `reasoning` item of this turn.
    pub(crate) fn reasoning_item_id(&self) -> String {
        reasoning_item_id(&self.short())
    }
}

fn mark(head: &str) -> String {
    hash("reasoned", head).chars().take(MARK).collect()
}

/// The turn that issued a call together with reasoning, read from the call's id. `None` for calls
/// issued without reasoning and for ids from elsewhere.
pub(crate) fn sealed_turn(call_id: &str) -> Option<&str> {
    let (rest, found) = call_id.split_at_checked(call_id.len().checked_sub(MARK)?)?;
    let head = rest.get(rest.len().checked_sub(SHORT + 2)?..)?;
    (found == mark(head)).then(|| head.get(..SHORT))?
}

/// The id of the `reasoning` item that a sealed call came with.
pub(crate) fn reasoning_item_id(sealed_turn: &str) -> String {
    format!("rs_{sealed_turn}{}", half("rs", sealed_turn))
}

/// What a seal is for; it shows in the first characters, as the providers' do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seal {
    /// The signature of an Anthropic thinking block.
    Signature,
    /// The content of an Anthropic redacted block.
    Redacted,
    /// The encrypted content of a Responses reasoning item.
    Encrypted,
    /// A Gemini thought signature.
    Thought,
}

impl Seal {
    /// Four characters each: with the hex digits after them a seal is base64 too, so that clients
    /// which decode and encode the field again give back the same characters.
    fn prefix(self) -> &'static str {
        match self {
            Self::Signature => "EqQB",
            Self::Redacted => "EmwK",
            Self::Encrypted => "gAAA",
            Self::Thought => "CiQB",
        }
    }

    /// The seal over this content.
    pub(crate) fn over(self, content: &str) -> String {
        let body = half(self.prefix(), content);
        let proof = half("proof", &body);
        format!("{}{body}{proof}", self.prefix())
    }

    /// Whether it was issued here, over whatever content.
    pub(crate) fn is_genuine(self, seal: &str) -> bool {
        let halves = seal.strip_prefix(self.prefix()).and_then(|rest| rest.split_at_checked(HALF));
        halves.is_some_and(|(body, proof)| half("proof", body) == proof)
    }

    /// Whether it was issued here over this very content.
    pub(crate) fn vouches_for(self, seal: &str, content: &str) -> bool {
        self.over(content) == seal
    }
}

fn half(purpose: &str, content: &str) -> String {
    hash(purpose, content).chars().take(HALF).collect()
}

fn hash(purpose: &str, content: &str) -> String {
    Digest::of(format!("toolprobe-sim\0{purpose}\0{content}")).hex()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Message;

    fn turn(text: &str) -> TurnDigest {
        TurnDigest::of(&Request { messages: vec![Message::user(text)], ..Request::default() })
    }

    #[test]
    fn a_seal_vouches_for_its_content_and_for_no_other() {
        let seal = Seal::Signature.over("I should call it.");
        assert!(Seal::Signature.vouches_for(&seal, "I should call it."));
        assert!(!Seal::Signature.vouches_for(&seal, "I should not."));
        assert!(Seal::Signature.is_genuine(&seal));
    }

    #[test]
    fn forged_emptied_and_foreign_seals_are_not_genuine() {
        let seal = Seal::Signature.over("x");
        for forged in ["", "EqQB", "EqQBxx", &seal[..40], &format!("{seal}0"), "skip_it"] {
            assert!(!Seal::Signature.is_genuine(forged), "{forged}");
        }
        assert!(!Seal::Encrypted.is_genuine(&seal));
    }

    #[test]
    fn a_seal_is_base64_too() {
        for seal in [Seal::Signature, Seal::Redacted, Seal::Encrypted, Seal::Thought] {
            let text = seal.over("x");
            assert_eq!(text.len() % 4, 0);
            assert!(text.chars().all(|c| c.is_ascii_alphanumeric()));
        }
    }

    #[test]
    fn a_call_names_the_reasoning_item_it_came_with() {
        let turn = turn("hello");
        let id = format!("call_{}", turn.sealed_digits(3));
        let found = sealed_turn(&id).map(reasoning_item_id);
        assert_eq!(found, Some(turn.reasoning_item_id()));
    }

    #[test]
    fn ids_from_elsewhere_name_no_reasoning_item() {
        for id in
            ["", "call_", "call_abc", "call_0123456789abcdef01234567", "functions.é:0", "日本"]
        {
            assert_eq!(sealed_turn(id), None, "{id}");
        }
    }

    #[test]
    fn the_turn_does_not_depend_on_streaming() {
        let request = Request { messages: vec![Message::user("a")], ..Request::default() };
        let streamed = Request { stream: true, ..request.clone() };
        assert_eq!(TurnDigest::of(&request), TurnDigest::of(&streamed));
        assert_ne!(TurnDigest::of(&request), turn("b"));
    }
}
