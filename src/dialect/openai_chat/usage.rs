//! Token counts of a chat completion, encoded and decoded.

use serde_json::{Value, json};

use crate::ir::{Defect, Defects, Object, Usage};

/// Where providers put the number of cached prompt tokens: OpenAI, DeepSeek, Moonshot.
const CACHED: [&str; 3] =
    ["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens", "/cached_tokens"];

/// Reads the counts; generated tokens always include the reasoning ones.
pub(super) fn decode(usage: &Value, defects: &mut Defects) -> Usage {
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    let input = count("/prompt_tokens");
    let completion = count("/completion_tokens");
    let reasoning = count("/completion_tokens_details/reasoning_tokens");
    let apart = excludes_reasoning(input, completion, reasoning, count("/total_tokens"));
    if apart {
        defects.record(Defect::UsageExcludesReasoning);
    }
    let added = reasoning.filter(|_| apart).unwrap_or(0);
    Usage {
        input,
        output: completion.map(|completion| completion.saturating_add(added)),
        cached: CACHED.iter().find_map(|path| count(path)),
        cache_write: count("/prompt_tokens_details/cache_write_tokens"),
        reasoning,
    }
}

/// xAI counts reasoning beside the completion; the total, or a part larger than its whole, tells.
fn excludes_reasoning(
    input: Option<u64>,
    completion: Option<u64>,
    reasoning: Option<u64>,
    total: Option<u64>,
) -> bool {
    let (Some(completion), Some(reasoning @ 1..)) = (completion, reasoning) else { return false };
    let sum = input.unwrap_or(0).saturating_add(completion).saturating_add(reasoning);
    total == Some(sum) || reasoning > completion
}

/// The counts as OpenAI writes them; none when nothing is known.
pub(super) fn encode(usage: &Usage) -> Option<Value> {
    if *usage == Usage::default() {
        return None;
    }
    let mut body = Object::new();
    let mut put = |key: &str, value: Option<Value>| {
        value.map(|value| body.insert(key.to_owned(), value));
    };
    let total = usage.input.zip(usage.output).map(|(input, output)| input.saturating_add(output));
    put("prompt_tokens", usage.input.map(Value::from));
    put("completion_tokens", usage.output.map(Value::from));
    put("total_tokens", total.map(Value::from));
    put("prompt_tokens_details", prompt_details(usage));
    put(
        "completion_tokens_details",
        usage.reasoning.map(|count| json!({"reasoning_tokens": count})),
    );
    Some(Value::Object(body))
}

fn prompt_details(usage: &Usage) -> Option<Value> {
    let details = [("cached_tokens", usage.cached), ("cache_write_tokens", usage.cache_write)]
        .into_iter()
        .filter_map(|(key, count)| Some((key.to_owned(), Value::from(count?))))
        .collect::<Object>();
    (!details.is_empty()).then_some(Value::Object(details))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_are_found_wherever_a_provider_puts_them() {
        for usage in [
            json!({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}),
            json!({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 5}),
            json!({"prompt_tokens": 9, "cached_tokens": 4}),
        ] {
            let decoded = decode(&usage, &mut Defects::default());
            assert_eq!((decoded.input, decoded.cached), (Some(9), Some(4)), "{usage}");
        }
    }

    #[test]
    fn reasoning_counted_beside_the_completion_is_added_to_it() {
        let counts = |completion: u64, total: u64| {
            json!({"prompt_tokens": 307, "completion_tokens": completion, "total_tokens": total,
                   "completion_tokens_details": {"reasoning_tokens": 227}})
        };
        let mut defects = Defects::default();
        assert_eq!(decode(&counts(26, 560), &mut defects).output, Some(253));
        assert!(defects.contains(Defect::UsageExcludesReasoning));

        let mut defects = Defects::default();
        assert_eq!(decode(&counts(253, 560), &mut defects).output, Some(253));
        assert!(defects.is_empty());
    }
}
