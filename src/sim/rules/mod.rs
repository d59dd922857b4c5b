//! What does a provider refuse, and in which words?
//!
//! Works on the raw JSON of a request, as the provider does, because what our own decoder would
//! forgive must not get through. A preset is data: an envelope, words for service faults, and
//! checks with the documented texts in them.
//!
//! - [`presets`](self): which provider has which checks
//! - [`chat`](self), [`anthropic`](self), [`responses`](self), [`gemini`](self), [`ollama`](self):
//!   what is checked, by dialect
//! - [`service`](self): refusals that have nothing to do with the conversation
//! - [`envelope`](self), [`complaint`](self): how it is said
//! - [`raw`](self), [`strict`](self): reading bodies, schemas of strict tools

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

pub use complaint::Violation;
pub use service::Fault;

use serde_json::Value;

use super::{IdStyle, NativeTools, RulesId};
use envelope::Envelope;
use service::Service;

/// Everything that one provider's checks need.
#[derive(Debug)]
struct Rules {
    envelope: Envelope,
    ids: IdStyle,
    service: &'static Service,
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

/// What the checks know besides the body.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The model that was asked for.
    pub model: &'a str,
    /// Whether the model thinks on this request.
    pub thinking: bool,
    /// Whether it could.
    pub can_think: bool,
    /// What becomes of declared tools.
    pub tools: NativeTools,
}

/// A refusal, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// Headers besides the content type.
    pub headers: Vec<(&'static str, String)>,
    /// The content type.
    pub content_type: &'static str,
    /// The body.
    pub body: Value,
}

/// Checks a request body as strictly as the provider does.
pub fn check(rules: RulesId, body: &Value, facts: Facts<'_>) -> Result<(), Violation> {
    let rules = presets::rules(rules);
    rules.service.tools_supported(body, facts)?;
    match rules.checks {
        Checks::Anthropic(mode) => anthropic::run(mode, body, facts),
        Checks::Chat(checks) => chat::run(checks, body, facts),
        Checks::Responses => responses::run(body),
        Checks::Gemini(signatures) => gemini::run(signatures, body),
        Checks::Ollama => ollama::run(body, facts),
    }
}

/// The provider's words for a fault of the service.
pub fn fault(rules: RulesId, fault: &Fault<'_>) -> Violation {
    presets::rules(rules).service.violation(fault)
}

/// Puts a violation into the provider's envelope.
pub fn refuse(rules: RulesId, violation: &Violation, request_id: &str) -> Refusal {
    let envelope = presets::rules(rules).envelope;
    Refusal {
        status: violation.status,
        headers: request_id_header(rules, request_id).into_iter().collect(),
        content_type: envelope.content_type(),
        body: envelope.wrap(violation, request_id),
    }
}

/// The header that carries the request's id, where the provider has one.
pub fn request_id_header(rules: RulesId, request_id: &str) -> Option<(&'static str, String)> {
    let header = presets::rules(rules).envelope.request_id_header()?;
    Some((header, request_id.to_owned()))
}

/// What the provider's call ids look like.
pub fn id_style(rules: RulesId) -> IdStyle {
    presets::rules(rules).ids
}
