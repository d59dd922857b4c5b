//! Zed: `language_models` in `settings.json`, where each protocol has a section of its own.

use serde_json::{Value, json};

use super::Rendered;
use super::clients::{CONTEXT, commented_json, with_key};
use super::facts::Facts;
use crate::dialect::DialectId;
use crate::profile::CorrectionKind;

pub(super) fn zed(facts: &Facts<'_>) -> Rendered {
    let (section, expresses): (Value, &'static [CorrectionKind]) = match facts.dialect() {
        DialectId::OpenAiChat | DialectId::OpenAiResponses => {
            (compatible(facts), &[CorrectionKind::Parallel, CorrectionKind::ReasoningReplay])
        }
        DialectId::AnthropicMessages => (models("anthropic", facts, json!({})), &[]),
        DialectId::Gemini => (models("google", facts, json!({})), &[]),
        DialectId::Ollama => {
            let known = json!({
                "supports_tools": facts.native_tools, "supports_thinking": facts.reasons,
            });
            (models("ollama", facts, known), &[])
        }
    };
    let filled = format!("required by Zed and not measured: max_tokens ({CONTEXT})");
    commented_json(json!({"language_models": section}), expresses).with_notes(vec![filled])
}

/// A section that takes the endpoint and its models.
fn models(section: &str, facts: &Facts<'_>, known: Value) -> Value {
    let mut model = json!({"name": facts.model(), "max_tokens": CONTEXT});
    if let (Some(model), Value::Object(known)) = (model.as_object_mut(), known) {
        model.extend(known);
    }
    with_key(section, json!({"api_url": facts.bare_base(), "available_models": [model]}))
}

/// Capabilities must be whole: what was not measured has Zed's own default.
fn compatible(facts: &Facts<'_>) -> Value {
    let capabilities = json!({
        "tools": facts.native_tools.unwrap_or(true), "images": false,
        "parallel_tool_calls": facts.parallel.unwrap_or(false), "prompt_cache_key": false,
        "chat_completions": facts.dialect() == DialectId::OpenAiChat,
        "interleaved_reasoning": facts.replays,
    });
    let model = json!({"name": facts.model(), "max_tokens": CONTEXT, "capabilities": capabilities});
    let provider = json!({"api_url": facts.versioned_base(), "available_models": [model]});
    with_key("openai_compatible", with_key(facts.provider(), provider))
}
