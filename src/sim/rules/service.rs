//! How does a provider say that the fault is not in the conversation?

use serde_json::Value;

use super::Facts;
use super::complaint::{Complaint, Violation};
use super::raw::{list, text};
use crate::sim::NativeTools;

/// A fault of the service or of how it was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault<'a> {
    /// No key was sent though one is needed.
    NoKey,
    /// Another key was sent than the one that is accepted.
    WrongKey,
    /// A header that must be there is not.
    NoVersion,
    /// The body is not JSON.
    NotJson,
    /// The body is longer than the server reads.
    TooLarge,
    /// No model has this name.
    NoModel(&'a str),
    /// The model is served on another path.
    OtherPath {
        /// The path that was called, without a leading slash.
        called: &'a str,
        /// The path that would have worked.
        served: &'a str,
    },
    /// The body is JSON but no conversation can be read from it.
    Unreadable(&'a str),
    /// Too many requests.
    RateLimited,
    /// The server failed with this status.
    Failing(u16),
}

/// A provider's words for each fault.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) no_key: Complaint,
    pub(super) wrong_key: Complaint,
    pub(super) not_json: Complaint,
    pub(super) no_model: Complaint,
    pub(super) no_tools: Complaint,
    /// Where a demanded call is refused in other words than offered tools.
    pub(super) no_required_tools: Option<Complaint>,
    pub(super) rate_limited: Complaint,
    pub(super) failing: &'static str,
}

const OTHER_PATH: Complaint =
    Complaint::new(404, "This model is only supported in {served} and not in {called}.")
        .param("model");
const NO_VERSION: Complaint = Complaint::bad("anthropic-version: header is required");
const TOO_LARGE: Complaint =
    Complaint::new(413, "Request exceeds the maximum allowed number of bytes.");
const UNREADABLE: Complaint = Complaint::bad("{problem}");

impl Service {
    pub(super) fn violation(&self, fault: &Fault<'_>) -> Violation {
        match fault {
            Fault::NoKey => self.no_key.about(&[]),
            Fault::WrongKey => self.wrong_key.about(&[]),
            Fault::NoVersion => NO_VERSION.about(&[]),
            Fault::NotJson => self.not_json.about(&[]),
            Fault::TooLarge => TOO_LARGE.about(&[]),
            Fault::NoModel(model) => self.no_model.about(&[("model", model)]),
            Fault::OtherPath { called, served } => {
                OTHER_PATH.about(&[("called", called), ("served", served)])
            }
            Fault::Unreadable(problem) => UNREADABLE.about(&[("problem", problem)]),
            Fault::RateLimited => self.rate_limited.about(&[]),
            Fault::Failing(status) => Complaint::new(*status, self.failing).about(&[]),
        }
    }

    /// Refuses declared tools where the model's file says that the server does.
    pub(super) fn tools_supported(&self, body: &Value, facts: Facts<'_>) -> Result<(), Violation> {
        if facts.tools != NativeTools::Rejected || list(body, "tools").is_empty() {
            return Ok(());
        }
        let required = self.no_required_tools.filter(|_| text(body, "tool_choice") == "required");
        Err(required.unwrap_or(self.no_tools).about(&[("model", facts.model)]))
    }
}

const OPENAI_NO_KEY: &str = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";

pub(super) const OPENAI: Service = Service {
    no_key: Complaint::new(401, OPENAI_NO_KEY).kind("invalid_request_error"),
    wrong_key: Complaint::new(401, "Incorrect API key provided.")
        .kind("invalid_request_error")
        .code("invalid_api_key"),
    not_json: Complaint::bad("We could not parse the JSON body of your request."),
    no_model: Complaint::new(
        404,
        "The model `{model}` does not exist or you do not have access to it.",
    )
    .code("model_not_found"),
    no_tools: Complaint::bad("tools is not supported in this model.").param("tools"),
    no_required_tools: None,
    rate_limited: Complaint::new(429, "Rate limit reached for requests")
        .kind("requests")
        .code("rate_limit_exceeded"),
    failing: "The server had an error while processing your request. Sorry about that!",
};

pub(super) const ANTHROPIC: Service = Service {
    no_key: Complaint::new(401, "x-api-key header is required"),
    wrong_key: Complaint::new(401, "invalid x-api-key"),
    not_json: Complaint::bad("The request body is not valid JSON"),
    no_model: Complaint::new(404, "model: {model}"),
    no_tools: Complaint::bad("'{model}' does not support tool use."),
    no_required_tools: None,
    rate_limited: Complaint::new(
        429,
        "This request would exceed your account's rate limit. Please try again later.",
    ),
    failing: "Internal server error",
};

pub(super) const GOOGLE: Service = Service {
    no_key: Complaint::new(
        403,
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    ),
    wrong_key: Complaint::bad("API key not valid. Please pass a valid API key."),
    not_json: Complaint::bad("Invalid JSON payload received."),
    no_model: Complaint::new(
        404,
        "models/{model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.",
    ),
    no_tools: Complaint::bad("Function calling is not enabled for models/{model}"),
    no_required_tools: None,
    rate_limited: Complaint::new(429, "Resource has been exhausted (e.g. check quota)."),
    failing: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
};

pub(super) const OLLAMA: Service = Service {
    no_key: Complaint::new(401, "unauthorized"),
    wrong_key: Complaint::new(401, "unauthorized"),
    not_json: Complaint::bad("unexpected EOF"),
    no_model: Complaint::new(404, "model \"{model}\" not found, try pulling it first"),
    no_tools: Complaint::bad("registry.ollama.ai/library/{model}:latest does not support tools"),
    no_required_tools: None,
    rate_limited: Complaint::new(429, "too many requests"),
    failing: "server busy, please try again.  maximum pending requests exceeded",
};

pub(super) const DEEPSEEK: Service = Service {
    no_key: Complaint::new(
        401,
        "Authentication Fails (auth header format should be Bearer sk-...)",
    ),
    wrong_key: Complaint::new(401, "Authentication Fails, Your api key is invalid"),
    no_model: Complaint::bad("Model Not Exist"),
    no_tools: Complaint::bad("{model} does not support Function Calling"),
    ..OPENAI
};

pub(super) const MISTRAL: Service = Service {
    no_key: Complaint::new(401, "Unauthorized"),
    wrong_key: Complaint::new(401, "Unauthorized"),
    no_model: Complaint::bad("Invalid model: {model}").kind("invalid_model").code("1500"),
    no_tools: Complaint::bad("Function calling is not enabled for this model")
        .kind("invalid_request_invalid_args")
        .code("3051"),
    ..OPENAI
};

pub(super) const OPENROUTER: Service = Service {
    no_key: Complaint::new(401, "No auth credentials found"),
    wrong_key: Complaint::new(401, "User not found."),
    no_model: Complaint::bad("{model} is not a valid model ID"),
    no_tools: Complaint::new(404, "No endpoints found that support tool use."),
    ..OPENAI
};

pub(super) const GROQ: Service = Service {
    wrong_key: Complaint::new(401, "Invalid API Key")
        .kind("invalid_request_error")
        .code("invalid_api_key"),
    no_tools: Complaint::bad("`tool calling` is not supported with this model"),
    ..OPENAI
};

pub(super) const VLLM: Service = Service {
    no_key: Complaint::new(401, "Unauthorized"),
    wrong_key: Complaint::new(401, "Unauthorized"),
    no_model: Complaint::new(404, "The model `{model}` does not exist."),
    no_tools: Complaint::bad(
        "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
    ),
    no_required_tools: Some(Complaint::bad(
        "tool_choice=\"required\" requires --tool-call-parser to be set",
    )),
    ..OPENAI
};

pub(super) const LLAMA_CPP: Service = Service {
    no_key: Complaint::new(401, "Invalid API Key"),
    wrong_key: Complaint::new(401, "Invalid API Key"),
    no_tools: Complaint::new(500, "tools param requires --jinja flag"),
    failing: "Loading model",
    ..OPENAI
};
