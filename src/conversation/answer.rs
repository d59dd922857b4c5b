//! Answers: a reply, a refusal, or nothing that says anything about the endpoint.
//!
//! The one place that separates infrastructure from capability. Only a reply and a refusal are
//! findings; everything else leaves the question open.

use super::token_limit;
use crate::dialect::{ApiError, Envelope};
use crate::ir::{Reply, StopKind};

/// The words for a stream that did not come to its end.
pub(crate) const CUT_SHORT: &str = "the stream ended before the reply did";

/// What one request led to.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The model answered.
    Reply(Box<Reply>),
    /// The stream ended before the reply did: nothing in it may be acted on.
    CutShort(Box<Reply>),
    /// The endpoint understood the request and clearly said no.
    Refused(Box<ApiError>),
    /// The model answered with what the server itself could not read as a call.
    OutputRejected(Box<ApiError>),
    /// An answer that says nothing about the endpoint (status, timeout, not the protocol), in words.
    Nothing(String),
}

impl Answer {
    /// Decides what an error of the endpoint means.
    pub fn of_error(error: ApiError) -> Self {
        match classify(&error) {
            Class::Refusal => Self::Refused(Box::new(error)),
            Class::OutputRejected => Self::OutputRejected(Box::new(error)),
            Class::Infrastructure => Self::Nothing(describe(&error)),
        }
    }

    /// Decides whether a decoded reply is complete.
    pub(super) fn of_reply(reply: Reply) -> Self {
        match reply.stop.kind {
            StopKind::Truncated => Self::CutShort(Box::new(reply)),
            _ => Self::Reply(Box::new(reply)),
        }
    }

    /// The same answer with its reply changed, where it has one.
    pub(super) fn map_reply(self, change: impl FnOnce(Reply) -> Reply) -> Self {
        match self {
            Self::Reply(reply) => Self::Reply(Box::new(change(*reply))),
            Self::CutShort(reply) => Self::CutShort(Box::new(change(*reply))),
            other => other,
        }
    }

    /// Why there is no reply to judge; `None` where there is one.
    pub fn miss(&self) -> Option<Miss> {
        Some(match self {
            Self::Reply(_) => return None,
            Self::Nothing(words) => Miss::Open(words.clone()),
            Self::Refused(error) => Miss::Clear(format!("refused: {error}")),
            Self::OutputRejected(error) => {
                Miss::Clear(format!("the server could not read the model's output: {error}"))
            }
            Self::CutShort(_) => Miss::Clear(CUT_SHORT.to_owned()),
        })
    }

    /// Whether it is a reply that the token limit ended, said or not.
    pub fn is_cut_by_limit(&self) -> bool {
        self.reply().is_some_and(token_limit::is_at_limit)
    }

    /// The finished reply, if there is one.
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Reply(reply) => Some(reply),
            Self::CutShort(_) | Self::Refused(_) | Self::OutputRejected(_) | Self::Nothing(_) => {
                None
            }
        }
    }
}

/// Why there is no reply to judge, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    /// Nothing can be concluded.
    Open(String),
    /// The endpoint or the model failed, clearly: a finding, if the control passed.
    Clear(String),
}

enum Class {
    Refusal,
    OutputRejected,
    Infrastructure,
}

fn classify(error: &ApiError) -> Class {
    let status = effective_status(error);
    if error.failed_generation.is_some() && status == 400 {
        return Class::OutputRejected;
    }
    match status {
        400 | 422 if is_about_the_request(error) => Class::Refusal,
        500..=599 if blames_the_output(&error.message) => Class::OutputRejected,
        _ => Class::Infrastructure,
    }
}

/// Whether a refusal can be about what was asked: not a gateway's page, not an empty body, and not the
/// trouble of an account or a service.
fn is_about_the_request(error: &ApiError) -> bool {
    !error.is_page() && !error.is_wordless() && error.service_trouble().is_none()
}

/// Errors inside a 200 often carry the status they would have had.
fn effective_status(error: &ApiError) -> u16 {
    if error.status != 200 {
        return error.status;
    }
    let told = error.code.as_deref().and_then(|code| code.parse().ok());
    match (told, error.kind.as_deref()) {
        (Some(status @ 400..=599), _) => status,
        (_, Some("invalid_request_error" | "INVALID_ARGUMENT" | "BadRequestError")) => 400,
        _ => 503,
    }
}

/// Words by which servers say that they could not read the model's own call. Words about the
/// arguments of a call in the *history* blame the request, and so are not among them.
const OUTPUT_BLAMED: [&str; 6] = [
    "model produced output that does not match",
    "error parsing tool call",
    "failed to parse tool call output",
    "could not parse the model's output",
    "output could not be parsed",
    "failed to parse the generated",
];

fn blames_the_output(message: &str) -> bool {
    let message = message.to_lowercase();
    OUTPUT_BLAMED.iter().any(|words| message.contains(words))
        || (["parse", "parsing", "parsable"].iter().any(|word| message.contains(word))
            && ["model output", "generated output", "generation", "model's output"]
                .iter()
                .any(|word| message.contains(word)))
}

fn describe(error: &ApiError) -> String {
    match error.service_trouble() {
        Some(trouble) => format!("{trouble}: {}", describe_status(error)),
        None => describe_status(error),
    }
}

fn describe_status(error: &ApiError) -> String {
    let said = excerpt(&error.message, 200);
    match (error.envelope, error.status) {
        (Envelope::Unknown, 200) => format!("the answer is not the protocol: {said}"),
        (_, 200) => format!("an error inside a successful answer: {said}"),
        (_, status) if said.is_empty() => format!("HTTP {status}"),
        (_, status) => format!("HTTP {status}: {said}"),
    }
}

/// The start of a text on one line.
pub(crate) fn excerpt(text: &str, characters: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(characters) {
        Some((cut, _)) => format!("{}…", line.get(..cut).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Answer {
        Answer::of_error(ApiError::from_response(status, Vec::new(), body))
    }

    #[test]
    fn infrastructure_is_never_a_refusal() {
        for status in [401, 402, 403, 404, 408, 429, 500, 502, 503, 504, 529] {
            let answer = answer(status, r#"{"error":{"message":"no"}}"#);
            assert!(matches!(answer, Answer::Nothing(_)), "{status}: {answer:?}");
        }
    }

    #[test]
    fn a_clear_no_is_a_refusal() {
        for status in [400, 422] {
            let answer = answer(status, r#"{"error":{"message":"messages.1: missing"}}"#);
            assert!(matches!(answer, Answer::Refused(_)), "{status}: {answer:?}");
        }
    }

    #[test]
    fn trouble_of_the_account_and_an_empty_body_are_no_refusal() {
        let credit = r#"{"error":{"message":"Your credit balance is too low","type":"invalid_request_error"}}"#;
        for body in [credit, "", "  ", "{}", "null", r#"{"error":{"message":"","code":400}}"#] {
            let answer = answer(400, body);
            assert!(matches!(answer, Answer::Nothing(_)), "{body}: {answer:?}");
        }
        let Answer::Nothing(words) = answer(400, credit) else { panic!("no refusal") };
        assert!(words.starts_with("the account has no credit: HTTP 400"), "{words}");
    }

    #[test]
    fn the_models_own_output_is_a_finding_even_as_an_http_error() {
        let groq = r#"{"error":{"message":"Failed to call a function.","code":"tool_use_failed","failed_generation":"<function=f>"}}"#;
        assert!(matches!(answer(400, groq), Answer::OutputRejected(_)));
        let llama = r#"{"error":{"code":500,"message":"The model produced output that does not match the expected peg-native format","type":"server_error"}}"#;
        assert!(matches!(answer(500, llama), Answer::OutputRejected(_)));
    }

    #[test]
    fn bad_arguments_in_the_history_do_not_blame_the_model() {
        let body = r#"{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON: x","type":"server_error"}}"#;
        assert!(matches!(answer(500, body), Answer::Nothing(_)));
    }

    #[test]
    fn an_error_inside_a_success_counts_by_the_status_it_tells() {
        let told = |body: &str| {
            Answer::of_error(ApiError::in_payload(&serde_json::from_str(body).unwrap()).unwrap())
        };
        let overloaded = told(r#"{"error":{"code":502,"message":"upstream"}}"#);
        assert!(matches!(overloaded, Answer::Nothing(_)), "{overloaded:?}");
        let refused = told(r#"{"error":{"code":400,"message":"bad role"}}"#);
        assert!(matches!(refused, Answer::Refused(_)), "{refused:?}");
    }

    #[test]
    fn a_page_is_a_gateway_that_speaks_whatever_its_status() {
        let page = "<html>\r\n<head><title>400 Bad Request</title></head></html>";
        assert!(matches!(answer(400, page), Answer::Nothing(_)));
        assert!(matches!(answer(400, "<think> is not allowed"), Answer::Refused(_)));
    }

    #[test]
    fn html_is_not_the_protocol() {
        let Answer::Nothing(words) = answer(200, "<html><body>Welcome</body></html>") else {
            panic!("a page is not an answer");
        };
        assert!(words.starts_with("the answer is not the protocol"), "{words}");
    }
}
