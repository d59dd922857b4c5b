//! What did the endpoint say was wrong, whatever envelope it said it in?

use serde_json::Value;

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

impl ApiError {
    /// The error in a body that came with an error status. Always gives one.
    pub fn from_response(_status: u16, _headers: Vec<(String, String)>, _body: &str) -> Self {
        unimplemented!()
    }

    /// The error that a 200 body or a stream's payload holds instead of a reply, if it does.
    pub fn in_payload(_payload: &Value) -> Option<Self> {
        unimplemented!()
    }
}
