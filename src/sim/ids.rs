//! Id styles: what a call id looks like at each provider.

use serde::{Deserialize, Serialize};

use super::seal::TurnDigest;
use crate::ir::CallId;

/// The shape of the ids a provider issues; a cheap hint to the real backend behind a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum IdStyle {
    /// `toolu_01` and 22 characters.
    Toolu,
    /// `call_` and 24 characters (`OpenAI`, `SGLang`).
    Call24,
    /// `call_00_` and 24 characters, counting in the middle (`DeepSeek`).
    Call00,
    /// `call_` and 8 characters (Ollama).
    Call8,
    /// `call_function_`, 12 characters and the position (`MiniMax`).
    CallFunction,
    /// Nine characters (Mistral, Groq).
    Nine,
    /// 32 characters (llama.cpp).
    Bare32,
    /// `chatcmpl-tool-` and a UUID's digits (vLLM).
    ChatcmplTool,
    /// `functions.NAME:INDEX` (Kimi).
    Functions,
}

/// Whether the reply that holds a call holds reasoning as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reasoned {
    /// It does: the id says so to [`sealed_turn`](super::seal::sealed_turn) where it has room.
    Yes,
    /// It does not.
    No,
}

impl IdStyle {
    /// The id of the call at `index` (counted from 0) of this turn.
    pub(crate) fn call_id(
        self,
        turn: &TurnDigest,
        index: usize,
        name: &str,
        reasoned: Reasoned,
    ) -> CallId {
        let digits = |length| turn.digits(&format!("call {index}"), length);
        let tail = match reasoned {
            Reasoned::Yes => turn.sealed_digits(index),
            Reasoned::No => digits(22),
        };
        CallId::new(match self {
            Self::Toolu => format!("toolu_01{tail}"),
            Self::Call24 => format!("call_{}{tail}", digits(2)),
            Self::Call00 => format!("call_{index:02}_{}{tail}", digits(2)),
            Self::Call8 => format!("call_{}", digits(8)),
            Self::CallFunction => format!("call_function_{}_{}", digits(12), index + 1),
            Self::Nine => digits(9),
            Self::Bare32 => digits(32),
            Self::ChatcmplTool => format!("chatcmpl-tool-{}", digits(32)),
            Self::Functions => format!("functions.{name}:{index}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Request;
    use crate::sim::seal::sealed_turn;

    fn id(style: IdStyle, index: usize, reasoned: Reasoned) -> String {
        style.call_id(&TurnDigest::of(&Request::default()), index, "get_time", reasoned).to_string()
    }

    #[test]
    fn ids_have_the_shapes_that_providers_issue() {
        let shapes = [
            (IdStyle::Toolu, "toolu_01", 30),
            (IdStyle::Call24, "call_", 29),
            (IdStyle::Call00, "call_01_", 32),
            (IdStyle::Call8, "call_", 13),
            (IdStyle::CallFunction, "call_function_", 28),
            (IdStyle::Nine, "", 9),
            (IdStyle::Bare32, "", 32),
            (IdStyle::ChatcmplTool, "chatcmpl-tool-", 46),
            (IdStyle::Functions, "functions.get_time:1", 20),
        ];
        for (style, start, length) in shapes {
            let id = id(style, 1, Reasoned::Yes);
            assert!(id.starts_with(start), "{id}");
            assert_eq!(id.len(), length, "{id}");
        }
    }

    #[test]
    fn only_calls_with_reasoning_say_so() {
        for style in [IdStyle::Toolu, IdStyle::Call24, IdStyle::Call00] {
            assert!(sealed_turn(&id(style, 0, Reasoned::Yes)).is_some(), "{style:?}");
            assert!(sealed_turn(&id(style, 0, Reasoned::No)).is_none(), "{style:?}");
        }
    }

    #[test]
    fn calls_of_one_turn_have_different_ids() {
        for style in [IdStyle::Toolu, IdStyle::Call24, IdStyle::Nine, IdStyle::Call8] {
            for reasoned in [Reasoned::Yes, Reasoned::No] {
                assert_ne!(id(style, 0, reasoned), id(style, 1, reasoned), "{style:?}");
            }
        }
    }
}
