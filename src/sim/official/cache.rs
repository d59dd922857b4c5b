//! Prompt caches: how much of a request its service has read before, as `usage` tells it.
//!
//! Nothing is kept. What was sent before follows from the request alone: everything up to the last turn of
//! the model was the request that this turn answered. So the counts are the same whenever a conversation is
//! repeated, and a first request is never read from a cache. Tokens are shared out by the length of the JSON.
//!
//! - `OpenAI` and Gemini look up prefixes by themselves, from 1,024 tokens on; `OpenAI` in steps of 128:
//!   <https://platform.openai.com/docs/guides/prompt-caching>, <https://ai.google.dev/gemini-api/docs/caching>
//! - Anthropic writes and reads up to the blocks that are marked with `cache_control`:
//!   <https://docs.claude.com/en/docs/build-with-claude/prompt-caching>

use serde_json::{Map, Value, json};

/// Shorter prompts are not cached.
const LEAST: u64 = 1024;
/// `OpenAI` counts in steps.
const STEP: u64 = 128;

/// Puts the count into a `usage` of chat completions or responses.
pub(super) fn count_openai(usage: &mut Value, request: &Value) {
    let (turns, total, details) = match request.get("messages") {
        Some(_) => ("messages", "prompt_tokens", "prompt_tokens_details"),
        None => ("input", "input_tokens", "input_tokens_details"),
    };
    let Some(all) = usage.get(total).and_then(Value::as_u64) else { return };
    let cached = Prompt::of(request, &["tools", "instructions"], turns).repeated_tokens(all);
    let cached = cached / STEP * STEP;
    if cached >= LEAST
        && let Some(details) = entry(usage, details)
    {
        details.insert("cached_tokens".to_owned(), json!(cached));
    }
}

/// Puts the count into the `usageMetadata` of a reply or a chunk.
pub(super) fn count_gemini(reply: &mut Value, request: &Value) {
    let Some(usage) = reply.get_mut("usageMetadata") else { return };
    let Some(all) = usage.get("promptTokenCount").and_then(Value::as_u64) else { return };
    let prompt = Prompt::of(request, &["tools", "systemInstruction"], "contents");
    let cached = prompt.repeated_tokens(all);
    if cached >= LEAST
        && let Value::Object(usage) = usage
    {
        usage.insert("cachedContentTokenCount".to_owned(), json!(cached));
    }
}

/// Puts the counts into the `usage` of a message. `input_tokens` leaves out what the cache is told for.
pub(super) fn count_anthropic(usage: &mut Value, request: &Value) {
    let Some(all) = usage.get("input_tokens").and_then(Value::as_u64) else { return };
    let prompt = Prompt::of(request, &["tools", "system"], "messages");
    let Some(mark) = prompt.last_mark().filter(|mark| prompt.tokens(mark.end, all) >= LEAST) else {
        return;
    };
    let read = prompt.tokens(mark.end.min(prompt.repeated), all);
    let written = prompt.tokens(mark.end, all) - read;
    let (short, long) = if mark.is_long { (0, written) } else { (written, 0) };
    let Value::Object(usage) = usage else { return };
    usage.extend(object([
        ("input_tokens", json!(all - read - written)),
        ("cache_read_input_tokens", json!(read)),
        ("cache_creation_input_tokens", json!(written)),
        (
            "cache_creation",
            json!({"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long}),
        ),
    ]));
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The object under a key, made where it is missing.
fn entry<'a>(object: &'a mut Value, key: &str) -> Option<&'a mut Map<String, Value>> {
    object.as_object_mut()?.entry(key).or_insert_with(|| json!({})).as_object_mut()
}

/// A request as a sequence of blocks, in the order that a cache reads them.
struct Prompt<'a> {
    blocks: Vec<(&'a Value, usize)>,
    /// Where the request ended that the last turn of the model answers.
    repeated: usize,
}

/// A block that is marked, and where it ends.
struct Mark {
    end: usize,
    is_long: bool,
}

impl<'a> Prompt<'a> {
    fn of(request: &'a Value, first: &[&str], turns: &str) -> Self {
        let mut prompt = Self { blocks: Vec::new(), repeated: 0 };
        for value in first.iter().filter_map(|key| request.get(key)) {
            prompt.add(value);
        }
        let mut was_model = false;
        for turn in request.get(turns).and_then(Value::as_array).into_iter().flatten() {
            let is_model = is_of_model(turn);
            if is_model && !was_model {
                prompt.repeated = prompt.len();
            }
            was_model = is_model;
            prompt.add(turn.get("content").unwrap_or(turn));
        }
        prompt
    }

    fn add(&mut self, value: &'a Value) {
        let blocks = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for block in blocks {
            let end = self.len() + block.to_string().len();
            self.blocks.push((block, end));
        }
    }

    fn len(&self) -> usize {
        self.blocks.last().map_or(0, |(_, end)| *end)
    }

    /// What so many bytes from the beginning are of all these tokens.
    fn tokens(&self, end: usize, all: u64) -> u64 {
        let wide = |bytes: usize| u128::try_from(bytes).unwrap_or(u128::MAX);
        let share = u128::from(all) * wide(end) / wide(self.len().max(1));
        u64::try_from(share).unwrap_or(all)
    }

    fn repeated_tokens(&self, all: u64) -> u64 {
        self.tokens(self.repeated, all)
    }

    fn last_mark(&self) -> Option<Mark> {
        self.blocks.iter().rev().find_map(|(block, end)| {
            let mark = block.get("cache_control").filter(|mark| !mark.is_null())?;
            Some(Mark { end: *end, is_long: mark.get("ttl").is_some_and(|ttl| ttl == "1h") })
        })
    }
}

/// Whether the model said this, in any dialect.
fn is_of_model(turn: &Value) -> bool {
    let is = |key: &str, words: &[&str]| {
        turn.get(key).and_then(Value::as_str).is_some_and(|found| words.contains(&found))
    };
    is("role", &["assistant", "model"])
        || is("type", &["function_call", "custom_tool_call", "reasoning"])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long() -> String {
        "word ".repeat(4000)
    }

    fn chat(turns: &[Value]) -> Value {
        let mut usage = json!({"prompt_tokens": 6000, "completion_tokens": 5});
        count_openai(&mut usage, &json!({"messages": turns}));
        usage["prompt_tokens_details"]["cached_tokens"].clone()
    }

    #[test]
    fn what_was_sent_before_the_last_turn_of_the_model_is_cached_in_steps() {
        let user = json!({"role": "user", "content": long()});
        let model = json!({"role": "assistant", "content": "ok"});
        let result = json!({"role": "tool", "tool_call_id": "a", "content": long()});
        assert_eq!(chat(std::slice::from_ref(&user)), Value::Null);
        let cached = chat(&[user.clone(), model, result]).as_u64().unwrap();
        assert!((2900..=3000).contains(&cached) && cached.is_multiple_of(128), "{cached}");
        let short = json!({"role": "user", "content": "hi"});
        assert_eq!(
            chat(&[short, json!({"role": "assistant", "content": "ok"}), user]),
            Value::Null
        );
    }

    #[test]
    fn items_of_responses_and_contents_of_gemini_count_as_well() {
        let items = json!({"input": [{"role": "user", "content": long()},
            {"type": "reasoning"}, {"type": "function_call", "arguments": "{}"},
            {"type": "function_call_output", "output": "x"}]});
        let mut usage = json!({"input_tokens": 6000});
        count_openai(&mut usage, &items);
        assert!(usage["input_tokens_details"]["cached_tokens"].as_u64().unwrap() > 5000, "{usage}");
        let contents = json!({"contents": [{"role": "user", "parts": [{"text": long()}]},
            {"role": "model", "parts": []}, {"role": "user", "parts": [{"text": "x"}]}]});
        let mut reply = json!({"usageMetadata": {"promptTokenCount": 6000}});
        count_gemini(&mut reply, &contents);
        let cached = &reply["usageMetadata"]["cachedContentTokenCount"];
        assert!(cached.as_u64().unwrap() > 5000, "{reply}");
    }

    #[test]
    fn marked_blocks_are_written_once_and_then_read() {
        let marked = json!({"type": "text", "text": long(),
                            "cache_control": {"type": "ephemeral", "ttl": "1h"}});
        let user = json!({"role": "user", "content": [marked]});
        let model = json!({"role": "assistant", "content": [{"type": "text", "text": "ok"}]});
        let count = |turns: &[&Value]| {
            let mut usage = json!({"input_tokens": 6000});
            count_anthropic(&mut usage, &json!({"system": "be brief", "messages": turns}));
            ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
                .map(|key| usage[key].as_u64().unwrap_or_default())
        };
        let [fresh, read, written] = count(&[&user]);
        assert_eq!((fresh + read + written, read), (6000, 0));
        assert!(written > 5900, "{written}");
        let [fresh, read, written] = count(&[&user, &model, &user]);
        assert_eq!(fresh + read + written, 6000);
        assert!(read > 2900 && written > 2900, "{read} read, {written} written");
        let unmarked = json!({"role": "user", "content": long()});
        assert_eq!(count(&[&unmarked, &model, &unmarked]), [6000, 0, 0]);
    }
}
