//! Receipts: the words in a tool result that a model can only repeat if it has read the result.

use serde_json::Value;

use crate::conversation::{Turn, excerpt};
use crate::ir::{Reply, ToolResult};

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

/// All that was said visibly in answer to results, with calls in the text and without.
pub(crate) fn answer_text(answered: &Turn, reply: &Reply) -> String {
    format!("{} {}", answered.reading.text, reply.text())
}

/// In words, what came in place of an answer from the result.
pub(crate) fn describe_answer(answered: &Turn, receipts: &[&str], reasoning: &str) -> String {
    let text = answered.reading.text.trim();
    if answered.reading.attempted() {
        "called again instead of answering".to_owned()
    } else if receipts.iter().any(|receipt| holds(reasoning, receipt)) {
        "read the result but left the answer in its reasoning".to_owned()
    } else if text.is_empty() {
        "an empty answer".to_owned()
    } else if invents(text, receipts) {
        format!("invented a value: {:?}", excerpt(text, 80))
    } else {
        format!("answered without the result: {:?}", excerpt(text, 80))
    }
}

/// Whether a text holds a word that looks like a receipt.
fn invents(text: &str, receipts: &[&str]) -> bool {
    let lengths: Vec<usize> = receipts.iter().map(|receipt| receipt.len()).collect();
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        lengths.contains(&word.len())
            && word.chars().any(|c| c.is_ascii_digit())
            && word.chars().any(|c| c.is_ascii_alphabetic())
    })
}
