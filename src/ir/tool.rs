//! Tools, the calls to them, and their results.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The id that pairs a call with its result, exactly as the endpoint issued it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(String);

impl CallId {
    /// Takes an id as it stands on the wire.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id as it stands on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ToolSpec {
    /// The name the model must use.
    pub name: String,
    /// What the tool does, in words.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// The provider's strict mode: asked for, refused, or left to its default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
}

impl ToolSpec {
    /// A tool without a strict mode of its own.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
    ) -> Self {
        Self { name: name.into(), description: description.into(), input_schema, strict: None }
    }
}

/// Which format a call arrived in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CallFormat {
    /// A `tool_use` content block.
    Anthropic,
    /// `tool_calls`, `function_call` or a Responses item (Ollama's objects too).
    #[serde(rename = "openai")]
    OpenAi,
    /// A `functionCall` part.
    Gemini,
    /// Tags in text.
    Xml,
    /// JSON in text, with or without markers.
    JsonText,
}

/// Where in a reply a call stood: which layer kept it or lost it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// In the field the protocol has for it.
    Structured,
    /// In the visible text: the model called, the server did not parse it.
    Content,
    /// In the reasoning: the model called before it had stopped thinking.
    Reasoning,
}

/// A complete call with arguments that are valid JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The endpoint's id, or one made up where the format carries none.
    pub id: CallId,
    /// The tool's name as the model wrote it, offered or not.
    pub name: String,
    /// The arguments; an object in every well-behaved reply.
    pub input: Value,
    /// The format the call arrived in.
    pub format: CallFormat,
    /// The provider's own bytes for this call, for evidence and for verbatim replay.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub raw: Value,
}

impl ToolCall {
    /// A call that no endpoint has sent, so that there are no bytes of it to keep.
    pub fn new(id: CallId, name: impl Into<String>, input: Value, format: CallFormat) -> Self {
        Self { id, name: name.into(), input, format, raw: Value::Null }
    }

    /// The endpoint's id; `None` where it sent none and one was made up.
    pub(crate) fn given_id(&self) -> Option<&str> {
        let id = self.id.as_str();
        self.raw.to_string().contains(id).then_some(id)
    }
}

/// A call that was attempted but whose arguments are not JSON. It must never be executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenCall {
    /// The endpoint's id, or one made up where it sent none.
    pub id: CallId,
    /// The tool's name as far as it arrived.
    pub name: String,
    /// The argument text as received.
    pub arguments: String,
    /// Why it is not a call, fit to be sent back to the model.
    pub problem: String,
}

/// What running a call gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call this answers.
    pub tool_call_id: CallId,
    /// The called tool's name: Gemini and Ollama pair results with calls by it.
    pub name: String,
    /// What the tool returned; text in most dialects.
    pub content: Value,
    /// Whether the tool failed.
    pub is_error: bool,
    /// A code a program or a model can act on (`SCHEMA_VALIDATION_FAILED`, `ENOENT`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
}

impl ToolResult {
    /// What a call gave that did not fail.
    pub fn success(tool_call_id: CallId, name: impl Into<String>, content: Value) -> Self {
        let name = name.into();
        Self { tool_call_id, name, content, is_error: false, error_code: None }
    }
}
