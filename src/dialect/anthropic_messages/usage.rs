//! Token counts: `usage`, encoded and decoded.
//!
//! `input_tokens` leaves out what came from or went into the cache; `ir` counts it in.

use serde_json::{Value, json};

use super::super::object::present;
use crate::ir::{Object, Usage};

/// The counts of a `usage` object.
pub(super) fn decode(usage: &Object) -> Usage {
    let count = |key| usage.get(key).and_then(Value::as_u64);
    let cached = count("cache_read_input_tokens");
    let cache_write = count("cache_creation_input_tokens");
    let cache = cached.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    let details = usage.get("output_tokens_details");
    Usage {
        input: count("input_tokens").map(|fresh| fresh.saturating_add(cache)),
        output: count("output_tokens"),
        cached,
        cache_write,
        reasoning: details.and_then(|details| details.get("thinking_tokens")?.as_u64()),
    }
}

/// The whole `usage` object.
pub(super) fn encode(usage: &Usage) -> Object {
    let mut all = encode_input(usage);
    all.extend(encode_output(usage));
    all
}

/// What is known when the reply begins.
pub(super) fn encode_input(usage: &Usage) -> Object {
    let cache = usage.cached.unwrap_or(0).saturating_add(usage.cache_write.unwrap_or(0));
    let fresh = usage.input.map(|input| input.saturating_sub(cache));
    present([
        ("input_tokens", fresh),
        ("cache_creation_input_tokens", usage.cache_write),
        ("cache_read_input_tokens", usage.cached),
    ])
}

/// What is known when the reply has ended.
pub(super) fn encode_output(usage: &Usage) -> Object {
    let mut output = present([("output_tokens", usage.output)]);
    if let Some(reasoning) = usage.reasoning {
        output.insert("output_tokens_details".to_owned(), json!({"thinking_tokens": reasoning}));
    }
    output
}
