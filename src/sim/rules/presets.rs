//! Presets: the checks, ids and error texts of each provider.

use super::anthropic::ThinkingMode;
use super::chat::{Check, EmptyReasoning, ForcedRule, NameRule, Pairing};
use super::complaint::Complaint;
use super::complaint::Source::{Invented, Page, Seen, Tried};
use super::envelope::Envelope;
use super::gemini::Signatures;
use super::{Checks, Rules, service};
use crate::sim::{IdStyle, RulesId};

pub(super) fn rules(id: RulesId) -> &'static Rules {
    match id {
        // Without thinking blocks there is nothing to check, so any mode would do.
        RulesId::Anthropic | RulesId::AnthropicSignature => &ANTHROPIC_SIGNATURE,
        RulesId::AnthropicStart => &ANTHROPIC_START,
        RulesId::AnthropicNoModify => &ANTHROPIC_NO_MODIFY,
        RulesId::OpenAiChat => &OPENAI_CHAT,
        RulesId::OpenAiChatLong => &OPENAI_CHAT_LONG,
        RulesId::OpenAiResponses => &OPENAI_RESPONSES,
        RulesId::Gemini => &GEMINI,
        RulesId::Gemini3 => &GEMINI_3,
        RulesId::Ollama => &OLLAMA,
        RulesId::OllamaChat => &OLLAMA_CHAT,
        RulesId::DeepseekV4 => &DEEPSEEK_V4,
        RulesId::DeepseekMessages => &DEEPSEEK_MESSAGES,
        RulesId::DeepseekR1 => &DEEPSEEK_R1,
        RulesId::Kimi => &KIMI,
        RulesId::Qwen => &QWEN,
        RulesId::Glm => &GLM,
        RulesId::Minimax => &MINIMAX,
        RulesId::Mistral => &MISTRAL,
        RulesId::Groq => &GROQ,
        RulesId::Xai => &XAI,
        RulesId::Openrouter => &OPENROUTER,
        RulesId::Azure => &AZURE,
        RulesId::Copilot => &COPILOT,
        RulesId::Vllm => &VLLM,
        RulesId::Sglang => &SGLANG,
        RulesId::LlamaCpp => &LLAMA_CPP,
    }
}

const ANTHROPIC_SIGNATURE: Rules = anthropic(ThinkingMode::Signature);
const ANTHROPIC_START: Rules = anthropic(ThinkingMode::Start);
const ANTHROPIC_NO_MODIFY: Rules = anthropic(ThinkingMode::NoModify);

const fn anthropic(mode: ThinkingMode) -> Rules {
    Rules {
        envelope: Envelope::Anthropic,
        ids: IdStyle::Toolu,
        service: &service::ANTHROPIC,
        checks: Checks::Anthropic(mode),
    }
}

const OPENAI_RESPONSES: Rules = Rules {
    envelope: Envelope::OpenAi,
    ids: IdStyle::Call24,
    service: &service::OPENAI,
    checks: Checks::Responses,
};

const GEMINI: Rules = gemini(Signatures::Optional);
const GEMINI_3: Rules = gemini(Signatures::Required);

const fn gemini(signatures: Signatures) -> Rules {
    Rules {
        envelope: Envelope::Google,
        ids: IdStyle::Call8,
        service: &service::GOOGLE,
        checks: Checks::Gemini(signatures),
    }
}

const OLLAMA: Rules = Rules {
    envelope: Envelope::Ollama,
    ids: IdStyle::Call8,
    service: &service::OLLAMA,
    checks: Checks::Ollama,
};

const OLLAMA_CHAT: Rules = Rules {
    envelope: Envelope::OpenAi,
    ids: IdStyle::Call8,
    service: &service::OLLAMA_CHAT,
    checks: Checks::Chat(&[
        Check::Messages,
        Check::ArgumentsJson(Complaint::bad(
            Page("https://github.com/ollama/ollama/blob/main/openai/openai.go"),
            "invalid tool call arguments",
        )),
    ]),
};

const OPENAI_ROLES: Check = Check::Roles(
    &["system", "assistant", "user", "function", "tool", "developer"],
    Complaint::bad(
        Invented, "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    )
    .param("messages[{n}].role")
    .code("invalid_value"),
);
const OPENAI_SILENT: Check = Check::AssistantSays(
    Complaint::bad(Invented, "Invalid value for 'content': expected a string, got null.")
        .param("messages.[{n}].content"),
);
const OPENAI_NAME: Complaint = Complaint::bad(
    Seen("xinnan-tech/xiaozhi-esp32-server#1466"),
    "Invalid 'tools[{n}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
);
const OPENAI_NAMES: Check = Check::ToolNames(NameRule {
    most: 64,
    letter_first: false,
    complaint: OPENAI_NAME.param("tools[{n}].function.name").code("invalid_value"),
});
const OPENAI_ORPHAN: Complaint = Complaint::bad(
    Seen("sdcb/chats#132"), "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
)
.param("messages.[{n}].role");
const OPENAI_PAIRING: Check = Check::Pairing(Pairing {
    missing: Complaint::bad(
        Seen("sdcb/chats#132"), "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    )
    .param("messages.[{n}].role"),
    orphan: OPENAI_ORPHAN,
    unknown: OPENAI_ORPHAN,
});
const OPENAI_CHECKS: &[Check] = &[
    Check::Messages,
    OPENAI_ROLES,
    Check::ContentTypes,
    OPENAI_SILENT,
    Check::ToolCount,
    Check::DescriptionLength,
    OPENAI_NAMES,
    Check::StrictSchemas,
    Check::ToolChoice,
    Check::ArgumentsText,
    Check::IdLength(40),
    OPENAI_PAIRING,
];

/// Without the limit on descriptions, which reports since May 2025 no longer find: run-llama/llama_index#18784.
const OPENAI_LONG_CHECKS: &[Check] = &[
    Check::Messages,
    OPENAI_ROLES,
    Check::ContentTypes,
    OPENAI_SILENT,
    Check::ToolCount,
    OPENAI_NAMES,
    Check::StrictSchemas,
    Check::ToolChoice,
    Check::ArgumentsText,
    Check::IdLength(40),
    OPENAI_PAIRING,
];

const OPENAI_CHAT_LONG: Rules = Rules { checks: Checks::Chat(OPENAI_LONG_CHECKS), ..OPENAI_CHAT };

const OPENAI_CHAT: Rules = Rules {
    envelope: Envelope::OpenAi,
    ids: IdStyle::Call24,
    service: &service::OPENAI,
    checks: Checks::Chat(OPENAI_CHECKS),
};

const AZURE: Rules = Rules { checks: Checks::Chat(OPENAI_CHECKS), ..OPENAI_CHAT };

const COPILOT: Rules = Rules { envelope: Envelope::Copilot, ..OPENAI_CHAT };

const DEEPSEEK_ROLES: Check = Check::Roles(
    &["system", "user", "assistant", "tool", "latest_reminder"],
    Complaint::bad(
        Seen("decolua/9router#773"),
        "Failed to deserialize the JSON body into the target type: messages[{n}].role: unknown variant `{role}`, expected one of `system`, `user`, `assistant`, `tool`, `latest_reminder` at line 1 column {column}",
    ),
);
const DEEPSEEK_NAMES: Check =
    Check::ToolNames(NameRule { most: 64, letter_first: false, complaint: OPENAI_NAME });
const DEEPSEEK_ORPHAN: Complaint = Complaint::bad(
    Seen("itmisx/deepx-code#94"),
    "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
);
const DEEPSEEK_PAIRING: Check = Check::Pairing(Pairing {
    missing: Complaint::bad(
        Seen("ThinkInAIXYZ/deepchat#1078"),
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    ),
    orphan: DEEPSEEK_ORPHAN,
    unknown: DEEPSEEK_ORPHAN,
});

const DEEPSEEK_V4: Rules = Rules {
    envelope: Envelope::Deepseek,
    ids: IdStyle::Call00,
    service: &service::DEEPSEEK,
    checks: Checks::Chat(&[
        Check::Messages,
        DEEPSEEK_ROLES,
        DEEPSEEK_NAMES,
        DEEPSEEK_PAIRING,
        Check::ForcedChoice(
            ForcedRule::WhileThinking,
            Complaint::bad(
                Seen("deepseek-ai/DeepSeek-V3#1376"),
                "Thinking mode does not support this tool_choice",
            ),
        ),
        Check::ReasoningRequired(
            EmptyReasoning::Refused,
            Complaint::bad(
                Seen("crewAIInc/crewAI#5878"),
                "The `reasoning_content` in the thinking mode must be passed back to the API.",
            ),
        ),
    ]),
};

const DEEPSEEK_MESSAGES: Rules =
    Rules { checks: Checks::Anthropic(ThinkingMode::PassedBack), ..DEEPSEEK_V4 };

const DEEPSEEK_R1: Rules = Rules {
    checks: Checks::Chat(&[
        Check::Messages,
        DEEPSEEK_ROLES,
        DEEPSEEK_NAMES,
        DEEPSEEK_PAIRING,
        // That it is refused is documented, the words are not.
        Check::ReasoningForbidden(Complaint::bad(
            Invented,
            "The `reasoning_content` field is not allowed in the input messages: remove it from messages[{n}].",
        )),
    ]),
    ..DEEPSEEK_V4
};

const KIMI: Rules = Rules {
    envelope: Envelope::Moonshot,
    ids: IdStyle::Functions,
    service: &service::OPENAI,
    checks: Checks::Chat(&[
        Check::Messages,
        Check::ToolNames(NameRule {
            most: 64,
            letter_first: true,
            complaint: Complaint::bad(
                Seen("MoonshotAI/kimi-cli#1773"),
                "function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes",
            ),
        }),
        Check::Pairing(Pairing {
            missing: Complaint::bad(
                Seen("MoonshotAI/kimi-cli#2405"),
                "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
            ),
            orphan: Complaint::bad(Invented, "tool_call_id {id} is not found"),
            unknown: Complaint::bad(Invented, "tool_call_id {id} is not found"),
        }),
        Check::ForcedChoice(
            ForcedRule::WhileThinking,
            Complaint::bad(
                Seen("UKGovernmentBEIS/inspect_ai#5152"),
                "tool_choice '{word}' is incompatible with thinking enabled",
            ),
        ),
        Check::ReasoningRequired(
            EmptyReasoning::Accepted,
            Complaint::bad(
                Seen("bytedance/deer-flow#3043"),
                "thinking is enabled but reasoning_content is missing in assistant tool call message at index {n}",
            ),
        ),
    ]),
};

const QWEN_ORPHAN: Complaint = Complaint::bad(
    Seen("philschmid/mcp-openai-gemini-llama-example#5"), "<400> InternalError.Algo.InvalidParameter: messages with role \"tool\" must be a response to a preceeding message with \"tool_calls\".",
)
.code("invalid_parameter_error");

const QWEN: Rules = Rules {
    envelope: Envelope::Qwen,
    ids: IdStyle::Call24,
    service: &service::OPENAI,
    checks: Checks::Chat(&[
        Check::Messages,
        Check::Pairing(Pairing {
            missing: Complaint::bad(
                Seen("QwenLM/qwen-code#606"), "<400> InternalError.Algo.InvalidParameter: An assistant message with \"tool_calls\" must be followed by tool messages responding to each \"tool_call_id\". The following tool_call_ids did not have response messages: message[{n}].role",
            )
            .code("invalid_parameter_error"),
            orphan: QWEN_ORPHAN,
            unknown: QWEN_ORPHAN,
        }),
        Check::ForcedChoice(
            ForcedRule::WhileThinking,
            Complaint::bad(
                Seen("cloudwego/eino#994"), "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
            )
            .code("invalid_parameter_error"),
        ),
    ]),
};

const GLM: Rules = Rules {
    envelope: Envelope::Zai,
    ids: IdStyle::Call24,
    service: &service::OPENAI,
    checks: Checks::Chat(&[
        Check::Messages,
        Check::ForcedChoice(
            ForcedRule::UnlessAuto,
            Complaint::bad(Seen("vectorize-io/hindsight#4246"), "Tool choice must be auto"),
        ),
    ]),
};

const MINIMAX: Rules = Rules {
    envelope: Envelope::Minimax,
    ids: IdStyle::CallFunction,
    service: &service::OPENAI,
    checks: Checks::Chat(&[
        Check::Messages,
        Check::ParametersPresent(Complaint::bad(
            Seen("QwenLM/qwen-code#11834"),
            "function parameters is empty",
        )),
        Check::ArgumentsJson(Complaint::bad(
            Seen("earendil-works/pi#5468"),
            "invalid function arguments json string, tool_call_id: {id}",
        )),
        Check::Pairing(Pairing {
            missing: Complaint::bad(
                Seen("anomalyco/opencode#32609"),
                "tool call result does not follow tool call",
            ),
            orphan: Complaint::bad(
                Seen("MiniMax-AI/MiniMax-M2#76"),
                "tool result's tool id({id}) not found",
            ),
            unknown: Complaint::bad(
                Seen("MiniMax-AI/MiniMax-M2#76"),
                "tool result's tool id({id}) not found",
            ),
        }),
    ]),
};

const MISTRAL_ORDER: &str = "invalid_request_message_order";

const MISTRAL: Rules = Rules {
    envelope: Envelope::Mistral,
    ids: IdStyle::Nine,
    service: &service::MISTRAL,
    checks: Checks::Chat(&[
        Check::Messages,
        Check::KnownFields,
        Check::NineCharacterIds(
            Complaint::bad(
                Seen("zed-industries/zed#53034"), "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.",
            )
            .kind("invalid_function_call")
            .code("3280"),
        ),
        Check::RoleOrder(
            Complaint::bad(Seen("charmbracelet/crush#279"), "Unexpected role '{role}' after role '{before}'")
                .kind(MISTRAL_ORDER)
                .code("3230"),
        ),
        Check::ResultCount(
            Complaint::bad(Seen("camel-ai/camel#1467"), "Not the same number of function calls and responses")
                .kind(MISTRAL_ORDER)
                .code("3230"),
        ),
        Check::LastRole(
            Complaint::bad(
                Seen("0xPlaygrounds/rig#1130"), "Expected last role User or Tool (or Assistant with prefix True) for serving but got {role}",
            )
            .kind(MISTRAL_ORDER)
            .code("3230"),
        ),
    ]),
};

const GROQ: Rules = Rules {
    envelope: Envelope::OpenAi,
    ids: IdStyle::Nine,
    service: &service::GROQ,
    checks: Checks::Chat(&[
        Check::Messages,
        OPENAI_ROLES,
        Check::HistoryToolsDeclared(Complaint::bad(
            Seen("BerriAI/litellm#11001"),
            "requested tool does not exist",
        )),
    ]),
};

const XAI: Rules = Rules {
    envelope: Envelope::Xai,
    ids: IdStyle::Call24,
    service: &service::OPENAI,
    checks: Checks::Chat(&[
        Check::Messages,
        Check::AssistantSays(Complaint::bad(
            Seen("charmbracelet/crush#964"),
            "Invalid request content: Each message must have at least one content element.",
        )),
    ]),
};

const OPENROUTER: Rules = Rules {
    envelope: Envelope::OpenRouter,
    ids: IdStyle::Call24,
    service: &service::OPENROUTER,
    checks: Checks::Chat(&[Check::Messages]),
};

const VLLM: Rules = Rules {
    envelope: Envelope::Vllm,
    ids: IdStyle::ChatcmplTool,
    service: &service::VLLM,
    checks: Checks::Chat(&[Check::Messages]),
};

const SGLANG: Rules = Rules { envelope: Envelope::Sglang, ids: IdStyle::Call24, ..VLLM };

const LLAMA_CPP: Rules = Rules {
    envelope: Envelope::LlamaCpp,
    ids: IdStyle::Bare32,
    service: &service::LLAMA_CPP,
    checks: Checks::Chat(&[
        Check::Messages,
        Check::ToolChoiceWords(
            &["none", "auto", "required"],
            Complaint::bad(
                Page("https://github.com/ggml-org/llama.cpp"),
                "Invalid tool_choice: {word}",
            ),
        ),
        Check::CallAtEnd(Complaint::bad(
            Tried("llama.cpp in xllamacpp 2026.10.11549"),
            "Cannot continue an assistant message that contains tool calls.",
        )),
        Check::ArgumentsJson(Complaint::new(
            Tried("llama.cpp in xllamacpp 2026.10.11549"),
            500,
            "Failed to parse tool call arguments as JSON: {problem}",
        )),
    ]),
};
