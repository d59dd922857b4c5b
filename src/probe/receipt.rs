//! Receipts: the words in a tool result that a model can only repeat if it has read the result.

use serde_json::Value;

use crate::ir::ToolResult;

/// The receipt of a result.
pub(crate) fn receipt(result: &ToolResult) -> Option<&str> {
    result.content.get("receipt").and_then(Value::as_str)
}

/// Whether a text holds a receipt, in any spelling. A receipt is too long to arise by chance when
/// everything but letters and digits is left out.
pub(crate) fn holds(text: &str, receipt: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let receipt = letters(receipt);
    !receipt.is_empty() && letters(text).contains(&receipt)
}
