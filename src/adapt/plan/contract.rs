//! The contract of each dialect: what every client must do anyway, which is not a correction.

use crate::dialect::DialectId;

/// The malformed histories that a well-behaved endpoint of a dialect refuses.
pub(super) fn refuses_by_contract(dialect: DialectId, shape: &str) -> bool {
    const UNPAIRED: [&str; 3] = ["dangling-call", "missing-result", "orphan-result"];
    let more: &[&str] = match dialect {
        DialectId::AnthropicMessages => &["text-before-results", "tools-omitted"],
        DialectId::OpenAiChat => &["text-before-results"],
        DialectId::OpenAiResponses | DialectId::Gemini => &[],
        DialectId::Ollama => return false,
    };
    UNPAIRED.contains(&shape) || more.contains(&shape)
}

/// Whether a dialect has a field that says that a tool failed.
pub(super) fn marks_errors(dialect: DialectId) -> bool {
    match dialect {
        DialectId::AnthropicMessages | DialectId::Gemini => true,
        DialectId::OpenAiChat | DialectId::OpenAiResponses | DialectId::Ollama => false,
    }
}
