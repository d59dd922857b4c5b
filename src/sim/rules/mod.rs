//! Request checks: what a provider refuses, and in which words.
//!
//! The checks read the raw JSON of a request, as the provider does, because our own decoder forgives
//! what a provider refuses. A preset is data: an envelope, texts for service faults, and checks with the
//! provider's texts, each of which names its source.
//!
//! - `presets`: which provider has which checks
//! - `chat`, `anthropic`, `responses`, `gemini`, `ollama`: what is checked, by dialect
//! - `service`: refusals that have nothing to do with the conversation
//! - `envelope`, `complaint`: how it is said
//! - `raw`, `strict`: reading bodies, schemas of strict tools

mod anthropic;
mod chat;
mod complaint;
mod envelope;
mod gemini;
mod ollama;
mod presets;
mod raw;
mod responses;
mod service;
mod strict;
#[cfg(test)]
mod tests;

pub(crate) use complaint::Violation;
pub(crate) use service::ServiceFault;

use serde_json::Value;

use super::{IdStyle, NativeTools, RulesId};
use envelope::Envelope;
use service::ServiceTexts;

/// Everything that one provider's checks need.
#[derive(Debug)]
struct Rules {
    envelope: Envelope,
    ids: IdStyle,
    service: &'static ServiceTexts,
    checks: Checks,
}

#[derive(Debug)]
enum Checks {
    Anthropic(anthropic::ThinkingMode),
    Chat(&'static [chat::Check]),
    Responses,
    Gemini(gemini::Signatures),
    Ollama,
}

/// What the checks know in addition to the body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestFacts<'a> {
    /// The model that was asked for.
    pub model: &'a str,
    /// Whether the model thinks on this request.
    pub thinking: bool,
    /// Whether it could.
    pub can_think: bool,
    /// What becomes of declared tools.
    pub tools: NativeTools,
    /// The header that asks for features in beta; empty where there is none.
    pub betas: &'a str,
}

/// A refusal, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// Headers besides the content type.
    pub headers: Vec<(&'static str, String)>,
    /// The header that says what the body is.
    pub content_type: &'static str,
    /// The error in the provider's own shape.
    pub body: Value,
}

/// Checks a request body as strictly as the provider does.
pub(crate) fn check(
    rules: RulesId,
    body: &Value,
    facts: RequestFacts<'_>,
) -> Result<(), Violation> {
    let rules = presets::rules(rules);
    rules.service.check_tools_supported(body, facts)?;
    match rules.checks {
        Checks::Anthropic(mode) => anthropic::run(mode, body, facts),
        Checks::Chat(checks) => chat::run(checks, body, facts),
        Checks::Responses => responses::run(body),
        Checks::Gemini(signatures) => gemini::run(signatures, body),
        Checks::Ollama => ollama::run(body, facts),
    }
}

/// `OpenAI`'s words for a custom tool whose grammar cannot be read.
pub(super) fn refuse_grammar(n: usize, why: &str) -> Violation {
    responses::refuse_grammar(n, why)
}

/// The provider's words for a fault of the service.
pub(crate) fn fault(rules: RulesId, fault: &ServiceFault<'_>) -> Violation {
    presets::rules(rules).service.violation(fault)
}

/// Puts a violation into the provider's envelope.
pub(crate) fn refuse(rules: RulesId, violation: &Violation, request_id: &str) -> Refusal {
    let envelope = presets::rules(rules).envelope;
    Refusal {
        status: violation.status,
        headers: request_id_header(rules, request_id).into_iter().collect(),
        content_type: envelope.content_type(),
        body: envelope.wrap(violation, request_id),
    }
}

/// The header that carries the request's id, where the provider has one.
pub(crate) fn request_id_header(
    rules: RulesId,
    request_id: &str,
) -> Option<(&'static str, String)> {
    let header = presets::rules(rules).envelope.request_id_header()?;
    Some((header, request_id.to_owned()))
}

/// What the provider's call ids look like.
pub(crate) fn id_style(rules: RulesId) -> IdStyle {
    presets::rules(rules).ids
}
