//! Model files: what the file of a simulated model may say.
//!
//! ```toml
//! about = "Qwen3-Coder behind a server without its parser: the call stays in content."
//! provenance = "documented"
//! source = "https://github.com/ollama/ollama/issues/18530"
//! dialect = "openai-chat"
//! rules = "vllm"
//! text_form = "qwen3-coder"
//!
//! [profile]
//! toolCallFormat = "xml"
//! parser = "qwen3-coder"
//! # … the profile a probe must find, see `ExpectedProfile`
//! ```
//!
//! The file's name is the model's name. Nothing in the code asks for a model by name.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::expected::ExpectedProfile;
use super::pace::Pace;
use super::quirks::{HttpQuirk, ModelQuirk, WireQuirk};
use super::routes::OtherRoute;
use crate::dialect::DialectId;
use crate::ir::ReasoningField;
use crate::prompted::Protocol;

/// One simulated model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// The name that requests use: the file's name without its extension.
    #[serde(skip)]
    pub name: String,
    /// One sentence for `list`: which behaviour this model stands for.
    pub about: String,
    /// Where the behaviour is known from.
    pub provenance: Provenance,
    /// The page, thread or section that shows the behaviour; required unless it is invented.
    #[serde(default)]
    pub source: Option<String>,
    /// The protocol it speaks.
    pub dialect: DialectId,
    /// Which provider's request checks apply; the dialect's own where nothing is said.
    #[serde(default)]
    pub rules: Option<RulesId>,
    /// What becomes of the tools that a request declares.
    #[serde(default)]
    pub tools: NativeTools,
    /// The textual form that native calls come out in, when the server does not parse them.
    #[serde(default)]
    pub text_form: TextForm,
    /// The text protocols it follows when a system prompt teaches them.
    #[serde(default)]
    pub follows: Vec<Protocol>,
    /// Whether it reasons before it answers, and where that is put.
    #[serde(default)]
    pub thinking: Thinking,
    /// How the model misbehaves.
    #[serde(default)]
    pub quirks: Vec<ModelQuirk>,
    /// How the server misspells bodies and streams.
    #[serde(default)]
    pub wire_quirks: Vec<WireQuirk>,
    /// How the server misbehaves as an HTTP peer.
    #[serde(default)]
    pub http_quirks: Vec<HttpQuirk>,
    /// Characters per streamed delta.
    #[serde(default = "default_piece_length")]
    pub piece_length: NonZeroUsize,
    /// How long a stream takes to its first frame and between frames; no wait where nothing is said.
    #[serde(default)]
    pub pace: Pace,
    /// Further paths on which the same server offers the model, in another dialect.
    #[serde(default)]
    pub also: Vec<OtherRoute>,
    /// The chat template that the server tells about itself, where its kind of server does.
    #[serde(default)]
    pub chat_template: Option<String>,
    /// The plan that follows from probing it with the full suite: each correction on one line.
    #[serde(default)]
    pub expected_plan: Vec<String>,
    /// The profile that probing this model must yield.
    pub profile: ExpectedProfile,
}

impl ModelFile {
    /// The request checks that apply.
    pub fn rules(&self) -> RulesId {
        self.rules.unwrap_or_else(|| RulesId::of(self.dialect))
    }
}

fn default_piece_length() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(11)
}

/// Where a behaviour, or a file of bytes, is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// Seen on the wire.
    Recorded,
    /// Told by documentation, source code or an issue thread.
    Documented,
    /// Bytes that this simulator sent. Never evidence for what a provider does.
    Simulated,
    /// Made up to cover a case.
    Invented,
}

/// Whose request checks, error bodies, id style and thinking switches apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RulesId {
    /// Anthropic without thinking, or with it and nothing but the general checks.
    Anthropic,
    /// Thinking blocks must lead the assistant turn that holds the open calls.
    AnthropicStart,
    /// Thinking blocks of the latest assistant turn must come back unmodified.
    AnthropicNoModify,
    /// Only the signature of a replayed thinking block is checked.
    AnthropicSignature,
    /// OpenAI chat completions.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// The same without a limit on the length of descriptions.
    #[serde(rename = "openai-chat-long")]
    OpenAiChatLong,
    /// OpenAI responses, with the pairing of calls and reasoning items.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Gemini up to 2.5: signatures are optional.
    Gemini,
    /// Gemini 3: the first call of each step needs its signature.
    #[serde(rename = "gemini-3")]
    Gemini3,
    /// Ollama: hardly any check.
    Ollama,
    /// Ollama's chat completions: the same in `OpenAI`'s envelope.
    OllamaChat,
    /// DeepSeek V4: reasoning of turns with calls must come back.
    DeepseekV4,
    /// DeepSeek V4 over messages: thinking of turns with calls must come back.
    DeepseekMessages,
    /// DeepSeek R1: reasoning must not come back.
    DeepseekR1,
    /// Moonshot: reasoning of turns with calls must be there, if only as `""`.
    Kimi,
    /// Alibaba Model Studio.
    Qwen,
    /// Z.AI: tool choice must be auto.
    Glm,
    /// MiniMax: results must follow at once.
    Minimax,
    /// Mistral: nine-character ids, role order, no unknown message fields.
    Mistral,
    /// Groq: validates the model's output.
    Groq,
    /// xAI chat.
    Xai,
    /// OpenRouter.
    Openrouter,
    /// Azure OpenAI.
    Azure,
    /// GitHub Copilot.
    Copilot,
    /// vLLM.
    Vllm,
    /// SGLang.
    Sglang,
    /// llama.cpp's server.
    LlamaCpp,
}

impl RulesId {
    /// The checks of the provider that a dialect belongs to.
    pub fn of(dialect: DialectId) -> Self {
        match dialect {
            DialectId::AnthropicMessages => Self::Anthropic,
            DialectId::OpenAiChat => Self::OpenAiChat,
            DialectId::OpenAiResponses => Self::OpenAiResponses,
            DialectId::Gemini => Self::Gemini,
            DialectId::Ollama => Self::Ollama,
        }
    }
}

/// What becomes of the tools that a request declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NativeTools {
    /// They reach the model, which calls them.
    #[default]
    Used,
    /// The server accepts and drops them: the model never sees one.
    Ignored,
    /// The server refuses the request.
    Rejected,
}

/// The textual form of a call that the server left in content or reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TextForm {
    /// Calls are structured, as the dialect has them.
    #[default]
    None,
    /// `<tool_call><function=N><parameter=K>V</parameter></function></tool_call>`
    Qwen3Coder,
    /// `<tool_call>{"name": N, "arguments": {…}}</tool_call>`
    Hermes,
    /// The same JSON in a Markdown fence.
    JsonFence,
    /// `<tool_call>N`, then `<arg_key>K</arg_key>` and `<arg_value>V</arg_value>` line by line.
    Glm45,
    /// `<minimax:tool_call><invoke name="N"><parameter name="K">V</parameter></invoke>…`
    MinimaxM2,
    /// `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>N<｜tool▁sep｜>{…}<｜tool▁call▁end｜>…`
    DeepseekV31,
    /// `<｜DSML｜tool_calls><｜DSML｜invoke name="N">…`
    DeepseekV4,
    /// `<|tool_calls_section_begin|><|tool_call_begin|>functions.N:0<|tool_call_argument_begin|>…`
    KimiK2,
    /// `[TOOL_CALLS][{"name": N, "arguments": {…}}]`
    Mistral,
    /// `{"name": N, "parameters": {…}}` as the whole message.
    Llama3Json,
}

/// Whether a model reasons before it answers, and where the reasoning is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Thinking {
    /// When it reasons.
    pub when: ThinkingWhen,
    /// Where the reasoning stands; the dialect's usual field where nothing is said.
    #[serde(default)]
    pub field: Option<ReasoningField>,
}

/// When a model reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkingWhen {
    /// It cannot.
    #[default]
    Never,
    /// It cannot be stopped.
    Always,
    /// Unless the request switches it off.
    ByDefault,
    /// When the request switches it on.
    WhenAsked,
}

impl Thinking {
    /// The field that reasoning is put into.
    pub fn field(self, dialect: DialectId) -> ReasoningField {
        self.field.unwrap_or(match dialect {
            DialectId::AnthropicMessages => ReasoningField::ThinkingBlock,
            DialectId::OpenAiChat => ReasoningField::ReasoningContent,
            DialectId::OpenAiResponses => ReasoningField::ReasoningItem,
            DialectId::Gemini => ReasoningField::ThoughtSignature,
            DialectId::Ollama => ReasoningField::Thinking,
        })
    }
}
