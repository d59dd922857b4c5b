//! Errors of endpoints, whatever envelope they come in.
//!
//! - `envelope.rs`: the shapes that errors come in, read into one
//! - `prose.rs`: what to show of a body that is not JSON
//! - `service_trouble.rs`: trouble of the account or the service, by the words for it

mod envelope;
mod prose;
mod service_trouble;
#[cfg(test)]
mod tests;

use serde_json::Value;

use envelope::ErrorFields;
pub use service_trouble::ServiceTrouble;
pub(crate) use service_trouble::{NOT_RECORDED, NOT_RECORDED_END};

/// The shape an error came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Envelope {
    /// `{"error": {"message": …}}`, with or without an outer `type`.
    Nested,
    /// `{"message": …}`, `{"detail": …}` or `{"code": …, "error": "text"}`.
    Flat,
    /// `{"error": "text"}`.
    Text,
    /// Any of these as the one element of an array.
    Array,
    /// Not an error body of any known shape: HTML, plain text, nothing.
    Unknown,
}

/// An endpoint's refusal or failure, with all it came with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// The HTTP status; 200 for an error inside a successful body or stream.
    pub status: u16,
    /// The response headers that were kept.
    pub headers: Vec<(String, String)>,
    /// The shape it came in.
    pub envelope: Envelope,
    /// The provider's `type` or `status` word.
    pub kind: Option<String>,
    /// The provider's code, numbers as text.
    pub code: Option<String>,
    /// The parameter that was at fault.
    pub param: Option<String>,
    /// The text for people; the start of the body when there is none.
    pub message: String,
    /// The model's own output that the server could not use, where it shows it.
    pub failed_generation: Option<String>,
    /// The body as received.
    pub body: String,
}

/// Texts by which servers say that the model's own output could not be read as a call.
const UNREADABLE_OUTPUT: [&str; 3] = [
    "The model produced output that does not match the expected",
    "error parsing tool call",
    "Failed to call a function",
];

/// How many bytes of each text of an error are kept. The evidence holds all of it.
const WORD: usize = 256;
const MESSAGE: usize = 2048;
const TEXT: usize = 64 * 1024;

fn cut(mut text: String, bytes: usize) -> String {
    if text.len() > bytes {
        let boundary = (0..=bytes).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(boundary.unwrap_or_default());
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

impl ApiError {
    /// The error in a body that came with an error status. Always gives one.
    pub fn from_response(status: u16, headers: Vec<(String, String)>, body: &str) -> Self {
        let reading = prose::payload(body).as_ref().and_then(envelope::read);
        let reading = reading.unwrap_or_else(ErrorFields::unknown);
        Self::new(status, headers, body.to_owned(), reading)
    }

    /// The error that a 200 body or a stream's payload holds instead of a reply, if it does.
    pub fn in_payload(payload: &Value) -> Option<Self> {
        let reading = envelope::read_claimed(payload)?;
        Some(Self::new(200, Vec::new(), payload.to_string(), reading))
    }

    /// Whether the server blames what the model wrote, which is a finding and no outage.
    pub fn blames_output(&self) -> bool {
        self.failed_generation.is_some()
            || self.code.as_deref() == Some("tool_use_failed")
            || UNREADABLE_OUTPUT.iter().any(|text| self.message.contains(text))
    }

    /// The trouble of the account or the service that it tells of, if it does.
    pub fn service_trouble(&self) -> Option<ServiceTrouble> {
        service_trouble::of(self)
    }

    /// Whether its body says nothing: no word in it that could be a reason.
    pub fn is_wordless(&self) -> bool {
        prose::is_wordless(&self.body)
    }

    /// Whether it came as a web page: that is a gateway speaking, and not the endpoint.
    pub fn is_page(&self) -> bool {
        self.envelope == Envelope::Unknown && prose::is_page(&self.body)
    }

    fn new(
        status: u16,
        headers: Vec<(String, String)>,
        body: String,
        reading: ErrorFields,
    ) -> Self {
        let ErrorFields { envelope, kind, code, param, message, failed_generation } = reading;
        let message =
            message.or_else(|| kind.clone()).unwrap_or_else(|| prose::summary(status, &body));
        let (word, text) = (|it: Option<String>| it.map(|it| cut(it, WORD)), |it| cut(it, TEXT));
        Self {
            status,
            headers,
            envelope,
            kind: word(kind),
            code: word(code),
            param: word(param),
            message: cut(message, MESSAGE),
            failed_generation: failed_generation.map(text),
            body: text(body),
        }
    }
}
