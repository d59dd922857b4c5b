//! Ranks of dialects: how well one answer fits a dialect.
//!
//! Whether the endpoint works does not matter here, only whether it understood the request.

use crate::dialect::{ApiError, DialectId, Envelope, is_reply};
use crate::transport::{Exchange, RecordedExchange, Response};

/// How strongly an answer suggests that the endpoint speaks a dialect, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// Nothing at this path, or something that is not this dialect.
    Foreign,
    /// No answer came.
    Silent,
    /// The path is there, but the model is not.
    OtherModels,
    /// A refusal or failure that any path might give: no key, a limit, an outage.
    Vague,
    /// A refusal by something that understood the request.
    Understood,
    /// A reply in the dialect.
    Replied,
}

/// How the endpoint answered when a dialect was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct DialectAnswer {
    /// The one that was tried.
    pub dialect: DialectId,
    /// How strongly it suggests this dialect.
    pub rank: Rank,
    /// What came back, for people.
    pub said: String,
    /// What was sent and came back; `None` where nothing came in time.
    pub exchange: Option<RecordedExchange>,
}

impl DialectAnswer {
    /// Judges an exchange that was tried at this path.
    pub(super) fn of(dialect: DialectId, path: &str, exchange: Exchange) -> Self {
        let (rank, said) = match exchange.response() {
            Ok(response) => of_response(dialect, path, response),
            Err(error) => (Rank::Silent, error.to_string()),
        };
        let exchange = RecordedExchange::from(exchange).shorten();
        Self { dialect, rank, said, exchange: Some(exchange) }
    }

    /// Nothing came within the time that was given.
    pub(super) fn nothing(dialect: DialectId) -> Self {
        Self::without_exchange(dialect, Rank::Silent, "no answer in time")
    }

    /// Something that is known without an answer.
    pub(super) fn without_exchange(
        dialect: DialectId,
        rank: Rank,
        said: impl Into<String>,
    ) -> Self {
        Self { dialect, rank, said: said.into(), exchange: None }
    }
}

fn of_response(dialect: DialectId, path: &str, response: &Response) -> (Rank, String) {
    let json = response.json().ok();
    let reply = json.as_ref().filter(|_| response.is_success());
    if reply.is_some_and(|body| is_reply(dialect, body)) {
        return (Rank::Replied, "a reply".to_owned());
    }
    let error = ApiError::from_response(response.status, Vec::new(), &response.text());
    let said = format!("{}: {}", response.status, error.message);
    if response.is_success() {
        // Gateways put errors into a success, too.
        let is_error = json.as_ref().and_then(ApiError::in_payload).is_some();
        return (if is_error { Rank::Vague } else { Rank::Foreign }, said);
    }
    (rank_of(&error, path), said)
}

fn rank_of(error: &ApiError, path: &str) -> Rank {
    let told = error.envelope != Envelope::Unknown;
    match error.status {
        404 if told && is_about_a_model(&error.message, path) => Rank::OtherModels,
        400 | 422 if told => Rank::Understood,
        401..=403 | 408 | 409 | 413 | 429 | 498 | 500..=599 => Rank::Vague,
        _ => Rank::Foreign,
    }
}

/// Whether a "not found" is about the model and not about the path, which may hold its name too.
fn is_about_a_model(message: &str, path: &str) -> bool {
    const ABOUT_PATHS: [&str; 4] = ["invalid url", "cannot post", "no route", "unknown path"];
    let lower = message.to_ascii_lowercase();
    let about_path = message.contains(path) || ABOUT_PATHS.iter().any(|text| lower.contains(text));
    !about_path && lower.contains("model")
}

#[cfg(test)]
mod tests {
    use super::DialectId::{AnthropicMessages, Gemini, Ollama, OpenAiChat, OpenAiResponses};
    use super::*;
    use crate::transport::Body;

    fn rank_for(dialect: DialectId, status: u16, body: &str) -> Rank {
        let path = match dialect {
            Gemini => "/v1beta/models/m:generateContent",
            _ => "/v1/x",
        };
        let body = Body::Whole(body.to_owned());
        of_response(dialect, path, &Response { status, headers: Vec::new(), body }).0
    }

    #[test]
    fn each_dialects_reply_is_its_own() {
        let replies = [
            (OpenAiChat, r#"{"choices":[{"message":{"content":"hi"}}]}"#),
            (AnthropicMessages, r#"{"type":"message","content":[],"stop_reason":"end_turn"}"#),
            (OpenAiResponses, r#"{"object":"response","output":[],"status":"completed"}"#),
            (Gemini, r#"{"candidates":[{"content":{"parts":[]}}]}"#),
            (Ollama, r#"{"message":{"role":"assistant","content":"hi"},"done":true}"#),
        ];
        for (spoken, body) in replies {
            for (asked, _) in replies {
                let expected = if asked == spoken { Rank::Replied } else { Rank::Foreign };
                assert_eq!(rank_for(asked, 200, body), expected, "{asked} ranked {spoken}");
            }
        }
    }

    #[test]
    fn a_missing_model_is_no_missing_path() {
        for (dialect, body) in [
            (
                OpenAiChat,
                r#"{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}"#,
            ),
            (
                AnthropicMessages,
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#,
            ),
            (
                Gemini,
                r#"{"error":{"code":404,"message":"models/m is not found for API version v1beta"}}"#,
            ),
            (Ollama, r#"{"error":"model 'm' not found"}"#),
        ] {
            assert_eq!(rank_for(dialect, 404, body), Rank::OtherModels, "{body}");
        }
        for body in [
            "404 page not found",
            "",
            "<html><title>model zoo</title></html>",
            r#"{"detail":"Not Found"}"#,
            r#"{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}"#,
            r#"{"error":{"message":"Invalid URL (POST /v1beta/models/m:generateContent)"}}"#,
            r#"{"message":"Cannot POST /v1beta/models/m:generateContent"}"#,
            r#"{"error":{"message":"/v1beta/models/m:generateContent was not found"}}"#,
        ] {
            assert_eq!(rank_for(Gemini, 404, body), Rank::Foreign, "{body}");
        }
        assert_eq!(rank_for(OpenAiChat, 405, r#"{"detail":"Method Not Allowed"}"#), Rank::Foreign);
    }

    #[test]
    fn refusals_say_more_than_outages_and_pages_say_nothing() {
        let nested = r#"{"error":{"message":"max_tokens is too small"}}"#;
        for (status, body, rank) in [
            (400, nested, Rank::Understood),
            (422, r#"{"detail":[{"loc":["body"],"msg":"x"}]}"#, Rank::Understood),
            (400, "Bad Request", Rank::Foreign),
            (401, nested, Rank::Vague),
            (403, "<html>no</html>", Rank::Vague),
            (429, nested, Rank::Vague),
            (502, "<html>bad gateway</html>", Rank::Vague),
            (200, nested, Rank::Vague),
            (200, "<!doctype html>", Rank::Foreign),
            (200, "{}", Rank::Foreign),
            (418, "", Rank::Foreign),
        ] {
            assert_eq!(rank_for(OpenAiChat, status, body), rank, "{status} {body}");
        }
    }
}
