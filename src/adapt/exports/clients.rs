//! Agents: entries of their configuration files.

use serde_json::{Value, json};

use super::facts::Facts;
use super::gateways::litellm_name;
use super::text::{pretty, without_nulls, yaml};
use super::{Comment, Rendered};
use crate::dialect::DialectId;
use crate::profile::CorrectionKind;

type Kinds = &'static [CorrectionKind];

/// The size of a context window that some programs demand and nothing here measures.
pub(super) const CONTEXT: u64 = 128_000;

pub(super) fn strict_json(value: Value, expresses: Kinds) -> Rendered {
    render_body(pretty(&without_nulls(value)), Comment::Key, expresses)
}

pub(super) fn commented_json(value: Value, expresses: Kinds) -> Rendered {
    render_body(pretty(&without_nulls(value)), Comment::Mark("//"), expresses)
}

pub(super) fn as_yaml(value: Value, expresses: Kinds) -> Rendered {
    render_body(yaml(&without_nulls(value)), Comment::Mark("#"), expresses)
}

fn render_body(body: String, comment: Comment, expresses: Kinds) -> Rendered {
    Rendered { body, comment, expresses, notes: Vec::new() }
}

/// An object with one entry, whose key is only known here.
pub(super) fn with_key(key: &str, value: Value) -> Value {
    Value::Object([(key.to_owned(), value)].into_iter().collect())
}

/// What a setting that sends `reasoning_content` back expresses.
pub(super) fn replay_of(field: Option<&str>) -> Kinds {
    match field {
        Some("reasoning_content") => &[CorrectionKind::ReasoningReplay],
        _ => &[],
    }
}

/// The dialects that most agents speak; Ollama's own is missing.
const USUAL: [DialectId; 4] = [
    DialectId::AnthropicMessages,
    DialectId::OpenAiChat,
    DialectId::OpenAiResponses,
    DialectId::Gemini,
];

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
        "options": {"baseURL": facts.versioned_base()},
        "models": with_key(facts.model(), model),
    });
    let schema = "https://opencode.ai/config.json";
    let value = json!({"$schema": schema, "provider": with_key(facts.provider(), provider)});
    commented_json(value, replay_of(field)).with_notes(facts.unspoken(&USUAL))
}

/// Pi sends reasoning back by itself. Its `requiresReasoningContentOnAssistantMessages` adds an empty
/// field to turns that have none, which is not what a model that needs its reasoning asks for.
pub(super) fn pi(facts: &Facts<'_>) -> Rendered {
    let api = match facts.dialect() {
        DialectId::AnthropicMessages => "anthropic-messages",
        DialectId::OpenAiResponses => "openai-responses",
        DialectId::Gemini => "google-generative-ai",
        DialectId::OpenAiChat | DialectId::Ollama => "openai-completions",
    };
    let base = match facts.dialect() {
        DialectId::AnthropicMessages => facts.bare_base(),
        _ => facts.versioned_base(),
    };
    let compat = json!({
        "requiresAssistantAfterToolResult": facts.user_after_results.map(|taken| !taken),
    });
    let model = json!({"id": facts.model(), "reasoning": facts.reasons, "compat": compat});
    let provider = json!({"baseUrl": base, "api": api, "models": [model]});
    let value = json!({"providers": with_key(facts.provider(), provider)});
    strict_json(value, &[CorrectionKind::ResultPlacement]).with_notes(facts.unspoken(&USUAL))
}

pub(super) fn qwen_code(facts: &Facts<'_>) -> Rendered {
    let (provider, base) = match facts.dialect() {
        DialectId::AnthropicMessages => ("anthropic", facts.bare_base()),
        DialectId::Gemini => ("gemini", facts.bare_base()),
        DialectId::OpenAiChat | DialectId::OpenAiResponses | DialectId::Ollama => {
            ("openai", facts.versioned_base())
        }
    };
    let model = json!({"id": facts.model(), "baseUrl": base});
    let speaks = [DialectId::AnthropicMessages, DialectId::OpenAiChat, DialectId::Gemini];
    commented_json(json!({"modelProviders": with_key(provider, json!([model]))}), &[])
        .with_notes(facts.unspoken(&speaks))
}

pub(super) fn continue_dev(facts: &Facts<'_>) -> Rendered {
    let (provider, base) = match facts.dialect() {
        DialectId::AnthropicMessages => ("anthropic", facts.versioned_base()),
        DialectId::OpenAiChat | DialectId::OpenAiResponses => ("openai", facts.versioned_base()),
        DialectId::Gemini => ("gemini", facts.versioned_base()),
        DialectId::Ollama => ("ollama", facts.bare_base()),
    };
    let capabilities =
        facts.native_tools.map(|works| if works { json!(["tool_use"]) } else { json!([]) });
    let unstreamed = facts.streaming.filter(|works| !works);
    let model = json!({
        "name": facts.model(), "provider": provider, "model": facts.model(),
        "apiBase": base, "capabilities": capabilities,
        "defaultCompletionOptions": unstreamed.map(|stream| json!({"stream": stream})),
    });
    let value = json!({"name": "toolprobe", "version": "1.0.0", "schema": "v1", "models": [model]});
    as_yaml(value, &[CorrectionKind::Streaming])
}

/// A capability that is not named counts as missing, so the list stands only where tools were measured.
pub(super) fn cline(facts: &Facts<'_>) -> Rendered {
    let has = [
        ("tools", facts.native_tools),
        ("streaming", facts.streaming),
        ("reasoning", facts.reasons),
    ];
    let has = has.iter().filter(|(_, works)| *works == Some(true));
    let named: Vec<&str> = has.map(|(name, _)| *name).collect();
    let capabilities = facts.native_tools.map(|_| named);
    let value = json!({"id": facts.model(), "name": facts.model(), "capabilities": capabilities});
    strict_json(value, &[CorrectionKind::Streaming])
}

pub(super) fn roo(facts: &Facts<'_>) -> Rendered {
    let value = json!({
        "contextWindow": CONTEXT, "supportsPromptCache": false,
        "preserveReasoning": facts.replays,
    });
    let filled = "required by Roo Code and not measured: contextWindow, supportsPromptCache";
    strict_json(value, &[CorrectionKind::ReasoningReplay]).with_notes(vec![filled.to_owned()])
}

/// Goose takes the URL of the call for its engine `openai`. Its engine `anthropic` always streams, and
/// refuses a file that says otherwise.
pub(super) fn goose(facts: &Facts<'_>) -> Rendered {
    let (engine, base) = match facts.dialect() {
        DialectId::AnthropicMessages => ("anthropic", facts.bare_base()),
        DialectId::Ollama => ("ollama", facts.bare_base()),
        DialectId::OpenAiChat | DialectId::OpenAiResponses | DialectId::Gemini => {
            ("openai", facts.call_url())
        }
    };
    let can_say = engine != "anthropic";
    let value = json!({
        "name": facts.provider(), "engine": engine, "display_name": facts.provider(),
        "api_key_env": "", "base_url": base,
        "models": [{"name": facts.model(), "context_limit": CONTEXT}],
        "supports_streaming": facts.streaming.filter(|_| can_say),
    });
    let expresses: Kinds = if can_say { &[CorrectionKind::Streaming] } else { &[] };
    let speaks = [DialectId::AnthropicMessages, DialectId::OpenAiChat, DialectId::Ollama];
    let filled = "required by Goose and not measured: context_limit".to_owned();
    let shim =
        "GOOSE_TOOLSHIM=1 lets another model write the calls of one that has no native tools";
    let shim = (facts.native_tools == Some(false)).then(|| shim.to_owned());
    let rendered = strict_json(value, expresses).with_notes(facts.unspoken(&speaks));
    rendered.with_notes(vec![filled]).with_notes(shim.into_iter().collect())
}

pub(super) fn crush(facts: &Facts<'_>) -> Rendered {
    let (kind, base) = match facts.dialect() {
        DialectId::AnthropicMessages => ("anthropic", facts.versioned_base()),
        DialectId::Gemini => ("google", facts.bare_base()),
        DialectId::OpenAiResponses => ("openai", facts.versioned_base()),
        DialectId::OpenAiChat | DialectId::Ollama => ("openai-compat", facts.versioned_base()),
    };
    let model = json!({
        "id": facts.model(), "name": facts.model(), "can_reason": facts.reasons.unwrap_or(false),
        "context_window": CONTEXT, "default_max_tokens": 8192, "supports_attachments": false,
        "cost_per_1m_in": 0, "cost_per_1m_out": 0,
        "cost_per_1m_in_cached": 0, "cost_per_1m_out_cached": 0,
    });
    let provider = json!({"type": kind, "base_url": base, "models": [model]});
    let schema = "https://charm.land/crush.json";
    let value = json!({"$schema": schema, "providers": with_key(facts.provider(), provider)});
    let filled = "required by Crush and not measured: context_window, default_max_tokens, \
                  supports_attachments, costs";
    strict_json(value, &[]).with_notes(facts.unspoken(&USUAL)).with_notes(vec![filled.to_owned()])
}

/// Aider edits by text: it has no setting about tools.
pub(super) fn aider(facts: &Facts<'_>) -> Rendered {
    let unstreamed = facts.streaming.filter(|works| !works);
    as_yaml(
        json!([{"name": litellm_name(facts), "streaming": unstreamed}]),
        &[CorrectionKind::Streaming],
    )
}
