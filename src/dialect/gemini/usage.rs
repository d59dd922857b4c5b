//! Token counts: `usageMetadata`, encoded and decoded.
//!
//! `candidatesTokenCount` leaves out the thoughts; `ir` counts them in.

use serde_json::Value;

use super::super::object::present;
use crate::ir::{Object, Usage};

/// The counts of a `usageMetadata` object.
pub(super) fn decode(usage: &Object) -> Usage {
    let count = |key| usage.get(key).and_then(Value::as_u64);
    let reasoning = count("thoughtsTokenCount");
    Usage {
        input: sum(count("promptTokenCount"), count("toolUsePromptTokenCount")),
        output: sum(count("candidatesTokenCount"), reasoning),
        cached: count("cachedContentTokenCount"),
        cache_write: None,
        reasoning,
    }
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    }
}

/// The whole object.
pub(super) fn encode(usage: &Usage) -> Object {
    let reasoning = usage.reasoning.unwrap_or(0);
    present([
        ("promptTokenCount", usage.input),
        ("cachedContentTokenCount", usage.cached),
        ("candidatesTokenCount", usage.output.map(|output| output.saturating_sub(reasoning))),
        ("thoughtsTokenCount", usage.reasoning),
        ("totalTokenCount", sum(usage.input, usage.output)),
    ])
}

/// What is known before the reply has ended.
pub(super) fn encode_input(usage: &Usage) -> Object {
    present([
        ("promptTokenCount", usage.input),
        ("cachedContentTokenCount", usage.cached),
        ("totalTokenCount", usage.input),
    ])
}
