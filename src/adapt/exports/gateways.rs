//! Gateways: entries of their configuration files.

use serde_json::json;

use super::Rendered;
use super::clients::{as_yaml, replay_of, strict_json};
use super::facts::Facts;
use crate::dialect::DialectId;
use crate::profile::CorrectionKind;

/// The name of a model for `LiteLLM`, which says how it is spoken to.
pub(super) fn litellm_name(facts: &Facts<'_>) -> String {
    let prefix = match facts.dialect() {
        DialectId::AnthropicMessages => "anthropic",
        DialectId::OpenAiChat => "openai",
        DialectId::OpenAiResponses => "openai/responses",
        DialectId::Gemini => "gemini",
        DialectId::Ollama => "ollama_chat",
    };
    format!("{prefix}/{}", facts.model())
}

pub(super) fn litellm(facts: &Facts<'_>) -> Rendered {
    let base = match facts.dialect() {
        DialectId::OpenAiChat | DialectId::OpenAiResponses => facts.versioned_base(),
        DialectId::AnthropicMessages | DialectId::Gemini | DialectId::Ollama => facts.bare_base(),
    };
    let model = json!({
        "model_name": facts.model(),
        "litellm_params": {"model": litellm_name(facts), "api_base": base},
        "model_info": {
            "supports_function_calling": facts.native_tools,
            "supports_parallel_function_calling": facts.parallel,
            "supports_tool_choice": facts.tool_choice,
            "supports_reasoning": facts.reasons,
        },
    });
    as_yaml(json!({"model_list": [model]}), &[CorrectionKind::Parallel])
}

/// claude-code-router 2 wants the URL of the call itself, and for Gemini that of the models.
pub(super) fn claude_code_router(facts: &Facts<'_>) -> Rendered {
    let field = facts.reasoning_field.filter(|_| facts.replays == Some(true));
    let (transformer, url) = match facts.dialect() {
        DialectId::Gemini => (Some("gemini"), format!("{}/models/", facts.versioned_base())),
        DialectId::OpenAiResponses => (Some("openai-responses"), facts.call_url()),
        DialectId::AnthropicMessages => (Some("Anthropic"), facts.call_url()),
        DialectId::OpenAiChat | DialectId::Ollama => {
            ((field == Some("reasoning_content")).then_some("deepseek"), facts.call_url())
        }
    };
    let provider = json!({
        "name": facts.provider(), "api_base_url": url, "api_key": "",
        "models": [facts.model()], "transformer": transformer.map(|name| json!({"use": [name]})),
    });
    let speaks = [
        DialectId::OpenAiChat,
        DialectId::OpenAiResponses,
        DialectId::AnthropicMessages,
        DialectId::Gemini,
    ];
    let replays = if transformer == Some("deepseek") { replay_of(field) } else { &[] };
    strict_json(json!({"Providers": [provider]}), replays).with_notes(facts.unspoken(&speaks))
}
