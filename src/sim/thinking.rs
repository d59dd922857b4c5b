//! Thinking switches: whether a model reasons on a request.
//!
//! Each provider has request fields of its own that switch reasoning on and off; a field of another
//! provider changes nothing, as it does there.

use serde_json::{Value, json};

use super::model::{ModelFile, RulesId, ThinkingWhen};
use crate::dialect::DialectId;
use crate::ir::{Object, Request};
use crate::profile::ThinkingSwitch;

/// Whether the model reasons before it answers this request.
pub(crate) fn is_thinking(model: &ModelFile, request: &Request) -> bool {
    let asked = || switches(model.rules()).iter().find_map(|switch| switch.read(&request.extra));
    match model.thinking.when {
        ThinkingWhen::Never => false,
        ThinkingWhen::Always => true,
        ThinkingWhen::ByDefault => asked().unwrap_or(true),
        ThinkingWhen::WhenAsked => asked().unwrap_or(false),
    }
}

/// The fields that switch the reasoning of a model on and off; nothing where it cannot be switched.
pub(crate) fn thinking_switch(model: &ModelFile) -> Option<ThinkingSwitch> {
    let switch = switches(model.rules()).first()?;
    match model.thinking.when {
        ThinkingWhen::Never | ThinkingWhen::Always => None,
        ThinkingWhen::ByDefault | ThinkingWhen::WhenAsked => {
            Some(ThinkingSwitch { on: switch.fields(true)?, off: switch.fields(false)? })
        }
    }
}

/// The fields that switch reasoning on and off in a dialect, as its own provider has them.
pub(crate) fn dialect_switch(dialect: DialectId) -> Option<ThinkingSwitch> {
    let switch = switches(RulesId::of(dialect)).first()?;
    Some(ThinkingSwitch { on: switch.fields(true)?, off: switch.fields(false)? })
}

/// A request field that switches reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingField {
    /// `thinking: {"type": "enabled" | "adaptive" | "disabled"}`
    ThinkingType,
    /// `enable_thinking: bool`
    EnableThinking,
    /// `chat_template_kwargs: {"enable_thinking": bool}` or `{"thinking": bool}`
    TemplateArguments,
    /// `reasoning_effort: "none" | …`
    ReasoningEffort,
    /// `reasoning: {"effort": …, "enabled": bool}`
    Reasoning,
    /// `think: bool | "low" | …`
    Think,
    /// `generationConfig.thinkingConfig: {"thinkingBudget": n}` or `{"thinkingLevel": …}`
    ThinkingConfig,
}

fn switches(rules: RulesId) -> &'static [ThinkingField] {
    match rules {
        RulesId::Anthropic
        | RulesId::AnthropicStart
        | RulesId::AnthropicNoModify
        | RulesId::AnthropicSignature
        | RulesId::DeepseekMessages
        | RulesId::Kimi
        | RulesId::Glm
        | RulesId::Minimax => &[ThinkingField::ThinkingType],
        RulesId::DeepseekV4 | RulesId::DeepseekR1 => {
            &[ThinkingField::ThinkingType, ThinkingField::ReasoningEffort]
        }
        RulesId::OpenAiChat
        | RulesId::OpenAiChatLong
        | RulesId::Azure
        | RulesId::Copilot
        | RulesId::Mistral
        | RulesId::Groq
        | RulesId::Xai => &[ThinkingField::ReasoningEffort],
        RulesId::OpenAiResponses | RulesId::Openrouter => {
            &[ThinkingField::Reasoning, ThinkingField::ReasoningEffort]
        }
        RulesId::Gemini | RulesId::Gemini3 => &[ThinkingField::ThinkingConfig],
        RulesId::Ollama => &[ThinkingField::Think],
        RulesId::OllamaChat => &[ThinkingField::ReasoningEffort, ThinkingField::Reasoning],
        RulesId::Qwen => &[ThinkingField::EnableThinking],
        RulesId::Vllm | RulesId::Sglang | RulesId::LlamaCpp => {
            &[ThinkingField::TemplateArguments, ThinkingField::ReasoningEffort]
        }
    }
}

impl ThinkingField {
    /// The field as a request would have it.
    fn fields(self, on: bool) -> Option<Object> {
        let effort = if on { "medium" } else { "none" };
        let fields = match self {
            Self::ThinkingType if on => {
                json!({"thinking": {"type": "enabled", "budget_tokens": 1024}})
            }
            Self::ThinkingType => json!({"thinking": {"type": "disabled"}}),
            Self::EnableThinking => json!({"enable_thinking": on}),
            Self::TemplateArguments => json!({"chat_template_kwargs": {"enable_thinking": on}}),
            Self::ReasoningEffort => json!({"reasoning_effort": effort}),
            Self::Reasoning => json!({"reasoning": {"effort": effort}}),
            Self::Think => json!({"think": on}),
            Self::ThinkingConfig => {
                let budget = if on { -1 } else { 0 };
                json!({"generationConfig": {"thinkingConfig": {"thinkingBudget": budget}}})
            }
        };
        fields.as_object().cloned()
    }

    /// What the field says, if it is there and says anything.
    fn read(self, extra: &Object) -> Option<bool> {
        match self {
            Self::ThinkingType => {
                extra.get("thinking")?.get("type")?.as_str().map(|word| word != "disabled")
            }
            Self::EnableThinking => extra.get("enable_thinking")?.as_bool(),
            Self::TemplateArguments => {
                let arguments = extra.get("chat_template_kwargs")?;
                arguments.get("enable_thinking").or_else(|| arguments.get("thinking"))?.as_bool()
            }
            Self::ReasoningEffort => effort(extra.get("reasoning_effort")?),
            Self::Reasoning => {
                let reasoning = extra.get("reasoning")?;
                let enabled = reasoning.get("enabled").and_then(Value::as_bool);
                enabled.or_else(|| effort(reasoning.get("effort")?))
            }
            Self::Think => {
                let think = extra.get("think")?;
                think.as_bool().or_else(|| effort(think))
            }
            Self::ThinkingConfig => {
                let config = extra.get("generationConfig")?.get("thinkingConfig")?;
                match config.get("thinkingBudget").and_then(Value::as_i64) {
                    Some(budget) => Some(budget != 0),
                    None => config.get("thinkingLevel").map(|_| true),
                }
            }
        }
    }
}

fn effort(word: &Value) -> Option<bool> {
    word.as_str().map(|word| word != "none")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(switch: ThinkingField, extra: &Value) -> Option<bool> {
        switch.read(extra.as_object().unwrap())
    }

    #[test]
    fn what_a_switch_writes_it_reads_as_it_was_meant() {
        for switch in [
            ThinkingField::ThinkingType,
            ThinkingField::EnableThinking,
            ThinkingField::TemplateArguments,
            ThinkingField::ReasoningEffort,
            ThinkingField::Reasoning,
            ThinkingField::Think,
            ThinkingField::ThinkingConfig,
        ] {
            for on in [true, false] {
                assert_eq!(switch.read(&switch.fields(on).unwrap()), Some(on), "{switch:?}");
            }
        }
    }

    #[test]
    fn every_switch_says_on_and_off_and_nothing() {
        let cases = [
            (ThinkingField::ThinkingType, json!({"thinking": {"type": "adaptive"}}), Some(true)),
            (ThinkingField::ThinkingType, json!({"thinking": {"type": "disabled"}}), Some(false)),
            (ThinkingField::EnableThinking, json!({"enable_thinking": false}), Some(false)),
            (
                ThinkingField::TemplateArguments,
                json!({"chat_template_kwargs": {"thinking": true}}),
                Some(true),
            ),
            (ThinkingField::ReasoningEffort, json!({"reasoning_effort": "none"}), Some(false)),
            (ThinkingField::Reasoning, json!({"reasoning": {"effort": "low"}}), Some(true)),
            (ThinkingField::Reasoning, json!({"reasoning": {"summary": "auto"}}), None),
            (ThinkingField::Think, json!({"think": "high"}), Some(true)),
            (ThinkingField::Think, json!({"think": false}), Some(false)),
            (
                ThinkingField::ThinkingConfig,
                json!({"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}),
                Some(false),
            ),
            (ThinkingField::ThinkingConfig, json!({"thinking": {"type": "enabled"}}), None),
        ];
        for (switch, extra, said) in cases {
            assert_eq!(read(switch, &extra), said, "{switch:?} {extra}");
        }
    }
}
