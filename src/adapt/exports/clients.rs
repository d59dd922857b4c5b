//! Agents and gateways: entries of their configuration files.

use serde_json::{Value, json};

use super::facts::Facts;
use super::text::{known, pretty, yaml};
use super::{Comment, Rendered};
use crate::dialect::DialectId;
use crate::profile::CorrectionKind;

type Kinds = &'static [CorrectionKind];

fn strict_json(value: Value, expresses: Kinds) -> Rendered {
    Rendered { body: pretty(&known(value)), comment: Comment::Key, expresses }
}

fn commented_json(value: Value, expresses: Kinds) -> Rendered {
    Rendered { body: pretty(&known(value)), comment: Comment::Mark("//"), expresses }
}

fn as_yaml(value: Value, expresses: Kinds) -> Rendered {
    Rendered { body: yaml(&known(value)), comment: Comment::Mark("#"), expresses }
}

/// An object with one entry, whose key is only known here.
fn keyed(key: &str, value: Value) -> Value {
    Value::Object([(key.to_owned(), value)].into_iter().collect())
}

/// What a setting that sends `reasoning_content` back expresses.
fn replay_of(field: Option<&str>) -> Kinds {
    match field {
        Some("reasoning_content") => &[CorrectionKind::ReasoningReplay],
        _ => &[],
    }
}

pub(super) fn litellm(facts: &Facts<'_>) -> Rendered {
    let prefix = match facts.dialect() {
        DialectId::AnthropicMessages => "anthropic",
        DialectId::OpenAiChat => "openai",
        DialectId::OpenAiResponses => "openai/responses",
        DialectId::Gemini => "gemini",
        DialectId::Ollama => "ollama_chat",
    };
    let name = format!("{prefix}/{}", facts.model());
    let model = json!({
        "model_name": facts.model(),
        "litellm_params": {"model": name, "api_base": facts.endpoint()},
        "model_info": {
            "supports_function_calling": facts.native_tools,
            "supports_parallel_function_calling": facts.parallel,
            "supports_tool_choice": facts.tool_choice,
            "supports_reasoning": facts.reasons,
        },
    });
    as_yaml(json!({"model_list": [model]}), &[CorrectionKind::Parallel])
}

pub(super) fn opencode(facts: &Facts<'_>) -> Rendered {
    let package = match facts.dialect() {
        DialectId::AnthropicMessages => "@ai-sdk/anthropic",
        DialectId::OpenAiResponses => "@ai-sdk/openai",
        DialectId::Gemini => "@ai-sdk/google",
        DialectId::OpenAiChat | DialectId::Ollama => "@ai-sdk/openai-compatible",
    };
    let field = facts.reasoning_field.filter(|it| *it == "reasoning_content");
    let field = field.filter(|_| facts.replays == Some(true));
    let model = json!({
        "tool_call": facts.native_tools,
        "reasoning": facts.reasons,
        "interleaved": field.map(|field| json!({"field": field})),
    });
    let provider = json!({
        "npm": package,
        "options": {"baseURL": facts.endpoint()},
        "models": keyed(facts.model(), model),
    });
    let schema = "https://opencode.ai/config.json";
    let value = json!({"$schema": schema, "provider": keyed(facts.provider(), provider)});
    commented_json(value, replay_of(field))
}

/// Codex speaks the Responses API only.
pub(super) fn codex(facts: &Facts<'_>) -> Rendered {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let id = facts.provider().replace(|c: char| !is_word(c), "-");
    let text = |value: &str| Value::from(value).to_string();
    let note = match facts.dialect() {
        DialectId::OpenAiResponses => "",
        _ => "# Codex speaks the Responses API only, and this was measured over another.\n",
    };
    let body = format!(
        "{note}model = {}\nmodel_provider = {}\n\n[model_providers.{}]\nname = {}\nbase_url = {}\n\
         wire_api = \"responses\"\n",
        text(facts.model()),
        text(&id),
        text(&id),
        text(facts.provider()),
        text(facts.endpoint()),
    );
    Rendered { body, comment: Comment::Mark("#"), expresses: &[] }
}

pub(super) fn pi(facts: &Facts<'_>) -> Rendered {
    let api = match facts.dialect() {
        DialectId::AnthropicMessages => "anthropic-messages",
        DialectId::OpenAiResponses => "openai-responses",
        DialectId::Gemini => "google-generative-ai",
        DialectId::OpenAiChat | DialectId::Ollama => "openai-completions",
    };
    let is_content = facts.reasoning_field == Some("reasoning_content");
    let compat = json!({
        "requiresReasoningContentOnAssistantMessages": facts.replays.filter(|_| is_content),
        "requiresAssistantAfterToolResult": facts.user_after_results.map(|taken| !taken),
        "supportsStrictMode": facts.schema,
    });
    let model = json!({"id": facts.model(), "reasoning": facts.reasons, "compat": compat});
    let provider = json!({"baseUrl": facts.endpoint(), "api": api, "models": [model]});
    let expresses: Kinds = if is_content {
        &[CorrectionKind::ReasoningReplay, CorrectionKind::ResultPlacement]
    } else {
        &[CorrectionKind::ResultPlacement]
    };
    strict_json(json!({"providers": keyed(facts.provider(), provider)}), expresses)
}

pub(super) fn qwen_code(facts: &Facts<'_>) -> Rendered {
    let provider = match facts.dialect() {
        DialectId::AnthropicMessages => "anthropic",
        DialectId::Gemini => "gemini",
        DialectId::OpenAiChat | DialectId::OpenAiResponses | DialectId::Ollama => "openai",
    };
    let model = json!({"id": facts.model(), "baseUrl": facts.endpoint()});
    commented_json(json!({"modelProviders": keyed(provider, json!([model]))}), &[])
}

pub(super) fn zed(facts: &Facts<'_>) -> Rendered {
    let capabilities = json!({
        "tools": facts.native_tools,
        "parallel_tool_calls": facts.parallel,
        "interleaved_reasoning": facts.replays,
        "chat_completions": facts.dialect() == DialectId::OpenAiChat,
    });
    let model = json!({"name": facts.model(), "capabilities": capabilities});
    let provider = json!({"api_url": facts.endpoint(), "available_models": [model]});
    let compatible = keyed(facts.provider(), provider);
    let value = json!({"language_models": {"openai_compatible": compatible}});
    commented_json(value, &[CorrectionKind::Parallel, CorrectionKind::ReasoningReplay])
}

pub(super) fn continue_dev(facts: &Facts<'_>) -> Rendered {
    let provider = match facts.dialect() {
        DialectId::AnthropicMessages => "anthropic",
        DialectId::OpenAiChat | DialectId::OpenAiResponses => "openai",
        DialectId::Gemini => "gemini",
        DialectId::Ollama => "ollama",
    };
    let capabilities =
        facts.native_tools.map(|works| if works { json!(["tool_use"]) } else { json!([]) });
    let unstreamed = facts.streaming.filter(|works| !works);
    let model = json!({
        "name": facts.model(), "provider": provider, "model": facts.model(),
        "apiBase": facts.endpoint(), "capabilities": capabilities,
        "defaultCompletionOptions": unstreamed.map(|stream| json!({"stream": stream})),
    });
    let value = json!({"name": "toolprobe", "version": "1.0.0", "schema": "v1", "models": [model]});
    as_yaml(value, &[CorrectionKind::Streaming])
}

pub(super) fn cline(facts: &Facts<'_>) -> Rendered {
    let has = [
        ("tools", facts.native_tools),
        ("streaming", facts.streaming),
        ("reasoning", facts.reasons),
    ];
    let has = has.iter().filter(|(_, works)| *works == Some(true));
    let capabilities: Vec<&str> = has.map(|(name, _)| *name).collect();
    let value = json!({"id": facts.model(), "name": facts.model(), "capabilities": capabilities});
    strict_json(value, &[CorrectionKind::Streaming])
}

pub(super) fn roo(facts: &Facts<'_>) -> Rendered {
    // The schema requires two keys that nothing here measures: what it takes for unknown models.
    let value = json!({
        "contextWindow": 128_000, "supportsPromptCache": false,
        "preserveReasoning": facts.replays,
    });
    strict_json(value, &[CorrectionKind::ReasoningReplay])
}

pub(super) fn goose(facts: &Facts<'_>) -> Rendered {
    let engine = match facts.dialect() {
        DialectId::AnthropicMessages => "anthropic",
        DialectId::Ollama => "ollama",
        DialectId::OpenAiChat | DialectId::OpenAiResponses | DialectId::Gemini => "openai",
    };
    let value = json!({
        "name": facts.provider(), "engine": engine, "display_name": facts.provider(),
        "api_key_env": "", "base_url": facts.endpoint(),
        "models": [{"name": facts.model(), "context_limit": 128_000}],
        "supports_streaming": facts.streaming,
    });
    strict_json(value, &[CorrectionKind::Streaming])
}

pub(super) fn crush(facts: &Facts<'_>) -> Rendered {
    let kind = match facts.dialect() {
        DialectId::AnthropicMessages => "anthropic",
        DialectId::Gemini => "gemini",
        DialectId::OpenAiResponses => "openai",
        DialectId::OpenAiChat | DialectId::Ollama => "openai-compat",
    };
    let model = json!({"id": facts.model(), "name": facts.model(), "can_reason": facts.reasons});
    let provider = json!({"type": kind, "base_url": facts.endpoint(), "models": [model]});
    let schema = "https://charm.land/crush.json";
    strict_json(json!({"$schema": schema, "providers": keyed(facts.provider(), provider)}), &[])
}

/// Aider edits by text: it has no setting about tools.
pub(super) fn aider(facts: &Facts<'_>) -> Rendered {
    let name = format!("openai/{}", facts.model());
    as_yaml(json!([{"name": name, "streaming": facts.streaming}]), &[CorrectionKind::Streaming])
}

pub(super) fn claude_code_router(facts: &Facts<'_>) -> Rendered {
    let field = facts.reasoning_field.filter(|_| facts.replays == Some(true));
    let replays = field == Some("reasoning_content");
    let transformer = match facts.dialect() {
        DialectId::Gemini => Some("gemini"),
        _ => replays.then_some("deepseek"),
    };
    let provider = json!({
        "name": facts.provider(), "api_base_url": facts.endpoint(), "api_key": "",
        "models": [facts.model()], "transformer": transformer.map(|name| json!({"use": [name]})),
    });
    strict_json(json!({"Providers": [provider]}), replay_of(field))
}
