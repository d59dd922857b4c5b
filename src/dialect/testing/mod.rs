//! Does a dialect keep the laws that every dialect must keep?
//!
//! A dialect describes its [`NormalForm`] (the values it can carry without loss) and calls
//! [`assert_laws`] and [`assert_fixtures`]; the laws are then tried on generated conversations and
//! the fixtures of `fixtures/dialect/<id>/` are decoded in every way a network could deliver them.
//!
//! - `form.rs`: what a dialect can carry
//! - `requests.rs`, `replies.rs`, `values.rs`: strategies for conversations in that form
//! - `laws.rs`: the laws; `damage.rs` those about damaged input
//! - `fixtures.rs`: fixtures and what is expected of them

mod damage;
mod fixtures;
mod form;
mod laws;
mod replies;
mod requests;
mod values;

pub(in crate::dialect) use fixtures::assert_fixtures;
#[expect(unused_imports, reason = "for the dialects' own properties beside the shared laws")]
pub(in crate::dialect) use {
    form::{ChoiceKind, NormalForm, Order},
    laws::{
        assert_laws, frames_to_reply, reply_round_trip, request_round_trip, stream_equals_plain,
    },
    replies::replies,
    requests::requests,
    values::{json_object, text, word},
};

use proptest::strategy::BoxedStrategy;

use super::{DialectId, anthropic_messages, gemini, ollama, openai_chat, openai_responses};
use crate::ir::{Reply, Request};

/// Requests that a dialect can carry without loss.
pub(crate) fn any_request(dialect: DialectId) -> BoxedStrategy<Request> {
    requests(&form_of(dialect))
}

/// Replies that a dialect can carry without loss.
pub(crate) fn any_reply(dialect: DialectId) -> BoxedStrategy<Reply> {
    replies(&form_of(dialect))
}

fn form_of(dialect: DialectId) -> NormalForm {
    match dialect {
        DialectId::AnthropicMessages => anthropic_messages::tests::form(),
        DialectId::OpenAiChat => openai_chat::tests::form(),
        DialectId::OpenAiResponses => openai_responses::tests::form(),
        DialectId::Gemini => gemini::tests::form(),
        DialectId::Ollama => ollama::tests::form(),
    }
}
