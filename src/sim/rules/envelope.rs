//! Error bodies: the shape that each provider puts its errors into.

use serde_json::{Value, json};

use super::complaint::Violation;

/// The shape of a provider's error bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Envelope {
    /// `{"type": "error", "error": {type, message}, "request_id"}`
    Anthropic,
    /// `{"error": {message, type, param, code}}`
    OpenAi,
    /// As `OpenAi`, with a code always, sent as `application/octet-stream`.
    Deepseek,
    /// `{"error": {message, type}}`
    Moonshot,
    /// As `OpenAi`, with `id` and `request_id` beside it.
    Qwen,
    /// `{"error": {code, message}}` with a number in a string.
    Zai,
    /// Anthropic's, with `http_code` and the provider's number in the text.
    Minimax,
    /// Flat: `{object, message, type, param, code, raw_status_code}`
    Mistral,
    /// Flat: `{code, error}`, both texts.
    Xai,
    /// `{"error": {message, code}}` with the status as number.
    OpenRouter,
    /// Flat: `{message, code}`
    Copilot,
    /// `{"error": {message, type, param, code}}` with the status as number.
    Vllm,
    /// Flat: `{object, message, type, param, code}` with the status as number.
    Sglang,
    /// `{"error": {code, message, type}}` with the status as number.
    LlamaCpp,
    /// `{"error": {code, message, status}}`
    Google,
    /// `{"error": "text"}`
    Ollama,
}

impl Envelope {
    /// The error body for a violation.
    pub(super) fn wrap(self, violation: &Violation, request_id: &str) -> Value {
        let Violation { status, code, param, message, .. } = violation;
        let kind = violation.kind.unwrap_or_else(|| self.word(*status));
        match self {
            Self::Anthropic => json!({"type": "error",
                "error": {"type": kind, "message": message}, "request_id": request_id}),
            Self::OpenAi => json!({"error":
                {"message": message, "type": kind, "param": param, "code": code}}),
            Self::Deepseek => json!({"error": {"message": message, "type": kind, "param": param,
                "code": code.unwrap_or("invalid_request_error")}}),
            Self::Moonshot => json!({"error": {"message": message, "type": kind}}),
            Self::Qwen => json!({"error": {"message": message, "type": kind, "param": param,
                "code": code}, "id": format!("chatcmpl-{request_id}"), "request_id": request_id}),
            Self::Zai => json!({"error": {"code": code.unwrap_or("1210"), "message": message}}),
            Self::Minimax => json!({"type": "error", "error": {"type": kind,
                "message": format!("invalid params, {message} (2013)"),
                "http_code": status.to_string()}, "request_id": request_id}),
            Self::Mistral => {
                let message =
                    violation.detail.as_deref().cloned().unwrap_or_else(|| json!(message));
                json!({"object": "error", "message": message, "type": kind, "param": param,
                    "code": code, "raw_status_code": status})
            }
            Self::Xai => json!({"code": kind, "error": message}),
            Self::OpenRouter => json!({"error": {"message": message, "code": status}}),
            Self::Copilot => json!({"message": message, "code": code.unwrap_or(kind)}),
            Self::Vllm => json!({"error":
                {"message": message, "type": kind, "param": param, "code": status}}),
            Self::Sglang => json!({"object": "error", "message": message, "type": kind,
                "param": param, "code": status}),
            Self::LlamaCpp => json!({"error":
                {"code": status, "message": message, "type": kind}}),
            Self::Google => json!({"error":
                {"code": status, "message": message, "status": kind}}),
            Self::Ollama => json!({"error": message}),
        }
    }

    /// The content type of error bodies.
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Deepseek => "application/octet-stream",
            Self::Ollama | Self::LlamaCpp | Self::Google => "application/json; charset=utf-8",
            _ => "application/json",
        }
    }

    /// The header that carries the request's id, on errors and replies alike.
    pub(super) fn request_id_header(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("request-id"),
            Self::OpenAi | Self::Qwen | Self::Copilot => Some("x-request-id"),
            Self::Deepseek => Some("x-ds-trace-id"),
            Self::Mistral => Some("mistral-correlation-id"),
            Self::OpenRouter => Some("x-generation-id"),
            Self::Moonshot
            | Self::Zai
            | Self::Minimax
            | Self::Xai
            | Self::Vllm
            | Self::Sglang
            | Self::LlamaCpp
            | Self::Google
            | Self::Ollama => None,
        }
    }

    /// The provider's `type` or `status` word for an HTTP status.
    fn word(self, status: u16) -> &'static str {
        match self {
            Self::Google => google_word(status),
            Self::Vllm | Self::Sglang => match status {
                401 => "AuthenticationError",
                404 => "NotFoundError",
                400..500 => "BadRequestError",
                _ => "InternalServerError",
            },
            Self::LlamaCpp => llama_word(status),
            Self::Minimax if status == 400 => "bad_request_error",
            Self::Xai if status == 400 => "Client specified an invalid argument",
            Self::OpenAi | Self::Deepseek if status == 404 => "invalid_request_error",
            Self::OpenAi if status >= 500 => "server_error",
            _ => anthropic_word(status),
        }
    }
}

fn anthropic_word(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        400..500 => "invalid_request_error",
        _ => "api_error",
    }
}

fn google_word(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        400..500 => "INVALID_ARGUMENT",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "INTERNAL",
    }
}

fn llama_word(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        400..=499 => "invalid_request_error",
        501 => "not_supported_error",
        503 => "unavailable_error",
        _ => "server_error",
    }
}
