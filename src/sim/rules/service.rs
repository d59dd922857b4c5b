//! Service faults: a provider's words for keys, limits, unknown models and failures.

use serde_json::Value;

use super::RequestFacts;
use super::complaint::Source::{Invented, Page, Seen, Tried};
use super::complaint::{Complaint, Violation};
use super::raw::{list, text};
use crate::sim::NativeTools;

/// A fault of the service or of how it was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceFault<'a> {
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
pub(super) struct ServiceTexts {
    pub(super) no_key: Complaint,
    pub(super) wrong_key: Complaint,
    pub(super) not_json: Complaint,
    pub(super) no_model: Complaint,
    pub(super) no_tools: Complaint,
    /// Where a demanded call is refused in other words than offered tools.
    pub(super) no_required_tools: Option<Complaint>,
    pub(super) rate_limited: Complaint,
    /// Any failure of the server; the status is filled in.
    pub(super) failing: Complaint,
}

const OTHER_PATH: Complaint =
    Complaint::new(Invented, 404, "This model is only supported in {served} and not in {called}.")
        .param("model");
const NO_VERSION: Complaint = Complaint::bad(Invented, "anthropic-version: header is required");
const TOO_LARGE: Complaint = Complaint::new(
    Page("https://docs.claude.com/en/api/errors"),
    413,
    "Request exceeds the maximum allowed number of bytes.",
);
const UNREADABLE: Complaint = Complaint::bad(Invented, "{problem}");

impl ServiceTexts {
    pub(super) fn violation(&self, fault: &ServiceFault<'_>) -> Violation {
        match fault {
            ServiceFault::NoKey => self.no_key.about(&[]),
            ServiceFault::WrongKey => self.wrong_key.about(&[]),
            ServiceFault::NoVersion => NO_VERSION.about(&[]),
            ServiceFault::NotJson => self.not_json.about(&[]),
            ServiceFault::TooLarge => TOO_LARGE.about(&[]),
            ServiceFault::NoModel(model) => self.no_model.about(&[("model", model)]),
            ServiceFault::OtherPath { called, served } => {
                OTHER_PATH.about(&[("called", called), ("served", served)])
            }
            ServiceFault::Unreadable(problem) => UNREADABLE.about(&[("problem", problem)]),
            ServiceFault::RateLimited => self.rate_limited.about(&[]),
            ServiceFault::Failing(status) => self.failing.status(*status).about(&[]),
        }
    }

    /// Refuses declared tools where the model's file says that the server does.
    pub(super) fn check_tools_supported(
        &self,
        body: &Value,
        facts: RequestFacts<'_>,
    ) -> Result<(), Violation> {
        if facts.tools != NativeTools::Rejected || list(body, "tools").is_empty() {
            return Ok(());
        }
        let required = self.no_required_tools.filter(|_| text(body, "tool_choice") == "required");
        Err(required.unwrap_or(self.no_tools).about(&[("model", facts.model)]))
    }
}

const OPENAI_NO_KEY: &str = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";

pub(super) const OPENAI: ServiceTexts = ServiceTexts {
    no_key: Complaint::new(Seen("yihong0618/bilingual_book_maker#137"), 401, OPENAI_NO_KEY)
        .kind("invalid_request_error"),
    wrong_key: Complaint::new(
        Seen("agentscope-ai/agentscope#614"),
        401,
        "Incorrect API key provided.",
    )
    .kind("invalid_request_error")
    .code("invalid_api_key"),
    not_json: Complaint::bad(Invented, "We could not parse the JSON body of your request."),
    no_model: Complaint::new(
        Seen("ksred/GitPilotAI#12"),
        404,
        "The model `{model}` does not exist or you do not have access to it.",
    )
    .code("model_not_found"),
    no_tools: Complaint::bad(Invented, "tools is not supported in this model.").param("tools"),
    no_required_tools: None,
    rate_limited: Complaint::new(Invented, 429, "Rate limit reached for requests")
        .kind("requests")
        .code("rate_limit_exceeded"),
    failing: Complaint::new(
        Invented,
        500,
        "The server had an error while processing your request. Sorry about that!",
    ),
};

pub(super) const ANTHROPIC: ServiceTexts = ServiceTexts {
    no_key: Complaint::new(Seen("n8n-io/n8n#37930"), 401, "x-api-key header is required"),
    wrong_key: Complaint::new(
        Seen("eyaltoledano/claude-task-master#222"),
        401,
        "invalid x-api-key",
    ),
    not_json: Complaint::bad(Invented, "The request body is not valid JSON"),
    no_model: Complaint::new(Invented, 404, "model: {model}"),
    no_tools: Complaint::bad(Invented, "'{model}' does not support tool use."),
    no_required_tools: None,
    rate_limited: Complaint::new(
        Invented,
        429,
        "This request would exceed your account's rate limit. Please try again later.",
    ),
    failing: Complaint::new(Invented, 500, "Internal server error"),
};

pub(super) const GOOGLE: ServiceTexts = ServiceTexts {
    no_key: Complaint::new(
        Seen("PublicAffairs/openai-gemini#92"),
        403,
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    ),
    wrong_key: Complaint::bad(Invented, "API key not valid. Please pass a valid API key."),
    not_json: Complaint::bad(Invented, "Invalid JSON payload received."),
    no_model: Complaint::new(
        Seen("google/adk-python#200"),
        404,
        "models/{model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.",
    ),
    no_tools: Complaint::bad(Invented, "Function calling is not enabled for models/{model}"),
    no_required_tools: None,
    rate_limited: Complaint::new(
        Seen("google-gemini/gemini-cli#2020"),
        429,
        "Resource has been exhausted (e.g. check quota).",
    ),
    failing: Complaint::new(
        Invented,
        500,
        "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
    ),
};

pub(super) const OLLAMA: ServiceTexts = ServiceTexts {
    no_key: Complaint::new(
        Page("https://github.com/ollama/ollama/blob/main/server/routes.go"),
        401,
        "unauthorized",
    ),
    wrong_key: Complaint::new(
        Page("https://github.com/ollama/ollama/blob/main/server/routes.go"),
        401,
        "unauthorized",
    ),
    not_json: Complaint::bad(Invented, "unexpected EOF"),
    no_model: Complaint::new(
        Page("https://github.com/ollama/ollama/blob/main/server/routes.go"),
        404,
        "model \"{model}\" not found, try pulling it first",
    ),
    no_tools: Complaint::bad(
        Page("https://github.com/ollama/ollama/blob/main/server/routes.go"),
        "registry.ollama.ai/library/{model}:latest does not support tools",
    ),
    no_required_tools: None,
    rate_limited: Complaint::new(Invented, 429, "too many requests"),
    failing: Complaint::new(
        Page("https://github.com/ollama/ollama/blob/main/server/routes.go"),
        500,
        "server busy, please try again.  maximum pending requests exceeded",
    ),
};

/// Ollama's words in `OpenAI`'s envelope, with the types of its own compatibility layer.
pub(super) const OLLAMA_CHAT: ServiceTexts = ServiceTexts {
    no_model: OLLAMA.no_model.kind("not_found_error"),
    failing: OLLAMA.failing.kind("api_error"),
    ..OLLAMA
};

pub(super) const DEEPSEEK: ServiceTexts = ServiceTexts {
    no_key: Complaint::new(
        Invented,
        401,
        "Authentication Fails (auth header format should be Bearer sk-...)",
    ),
    wrong_key: Complaint::new(
        Seen("continuedev/continue#11820"),
        401,
        "Authentication Fails, Your api key is invalid",
    ),
    no_model: Complaint::bad(Invented, "Model Not Exist"),
    no_tools: Complaint::bad(
        Seen("dnakov/anon-kode#10"),
        "{model} does not support Function Calling",
    ),
    ..OPENAI
};

pub(super) const MISTRAL: ServiceTexts = ServiceTexts {
    no_key: Complaint::new(Invented, 401, "Unauthorized"),
    wrong_key: Complaint::new(Invented, 401, "Unauthorized"),
    no_model: Complaint::bad(Seen("tmc/langchaingo#1233"), "Invalid model: {model}")
        .kind("invalid_model")
        .code("1500"),
    no_tools: Complaint::bad(Invented, "Function calling is not enabled for this model")
        .kind("invalid_request_invalid_args")
        .code("3051"),
    ..OPENAI
};

pub(super) const OPENROUTER: ServiceTexts = ServiceTexts {
    no_key: Complaint::new(
        Seen("musistudio/claude-code-router#227"),
        401,
        "No auth credentials found",
    ),
    wrong_key: Complaint::new(Seen("continuedev/continue#10532"), 401, "User not found."),
    no_model: Complaint::bad(Invented, "{model} is not a valid model ID"),
    no_tools: Complaint::new(
        Seen("dnakov/anon-kode#2"),
        404,
        "No endpoints found that support tool use.",
    ),
    ..OPENAI
};

pub(super) const GROQ: ServiceTexts = ServiceTexts {
    wrong_key: Complaint::new(Seen("ag5826000/resume-commentor#4"), 401, "Invalid API Key")
        .kind("invalid_request_error")
        .code("invalid_api_key"),
    no_tools: Complaint::bad(Invented, "`tool calling` is not supported with this model"),
    ..OPENAI
};

pub(super) const VLLM: ServiceTexts = ServiceTexts {
    no_key: Complaint::new(Invented, 401, "Unauthorized"),
    wrong_key: Complaint::new(Invented, 401, "Unauthorized"),
    no_model: Complaint::new(Invented, 404, "The model `{model}` does not exist."),
    no_tools: Complaint::bad(
        Page("https://github.com/vllm-project/vllm"),
        "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
    ),
    no_required_tools: Some(Complaint::bad(
        Page("https://github.com/vllm-project/vllm"),
        "tool_choice=\"required\" requires --tool-call-parser to be set",
    )),
    ..OPENAI
};

pub(super) const LLAMA_CPP: ServiceTexts = ServiceTexts {
    no_key: Complaint::new(Tried("llama.cpp in xllamacpp 2026.10.11549"), 401, "Invalid API Key"),
    wrong_key: Complaint::new(
        Tried("llama.cpp in xllamacpp 2026.10.11549"),
        401,
        "Invalid API Key",
    ),
    no_tools: Complaint::new(
        Seen("defilantech/LLMKube#126"),
        500,
        "tools param requires --jinja flag",
    ),
    failing: Complaint::new(Tried("llama.cpp in xllamacpp 2026.10.11549"), 500, "Loading model"),
    ..OPENAI
};
