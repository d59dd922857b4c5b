//! What of a request only its body shows: where instructions stand, which turns there are, images and
//! files, the marks of caches, and what each seal belongs to.

use std::collections::BTreeSet;

use serde_json::Value;

/// The types of parts that hold an image, a sound or a file.
const MEDIA_TYPES: [&str; 8] = [
    "image_url",
    "input_image",
    "image",
    "input_audio",
    "video_url",
    "file",
    "input_file",
    "document",
];

/// The keys that hold one where parts have no type.
const MEDIA_KEYS: [&str; 5] = ["inlineData", "inline_data", "fileData", "file_data", "images"];

/// The keys that hold a seal.
const SEAL_KEYS: [&str; 4] =
    ["thoughtSignature", "thought_signature", "signature", "encrypted_content"];

/// The keys that hold what a seal belongs to.
const SEALED_KEYS: [&str; 3] = ["functionCall", "text", "thinking"];

/// The least length of data that is known again in another dialect.
const TELLING: usize = 32;

/// The messages of a conversation, whatever the dialect calls them.
fn messages(body: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["messages", "input", "contents"];
    lists.into_iter().filter_map(|key| body.get(key)?.as_array()).flatten()
}

/// Who says a message, or what kind of item it is.
fn speaker(message: &Value) -> &str {
    let text = |key: &str| message.get(key).and_then(Value::as_str);
    text("role").or_else(|| text("type")).unwrap_or_default()
}

fn is_instruction(message: &Value) -> bool {
    ["system", "developer"].contains(&speaker(message))
}

/// The rank of each system and developer message, and how many other messages stand before it.
pub(super) fn instructions(body: &Value) -> Vec<(&str, usize)> {
    let (mut before, mut found) = (0, Vec::new());
    for message in messages(body) {
        if is_instruction(message) {
            found.push((speaker(message), before));
        } else {
            before += 1;
        }
    }
    found
}

/// Who speaks in each message, instructions and reasoning aside.
pub(super) fn turns(body: &Value) -> Vec<&str> {
    let spoken = messages(body).filter(|it| !is_instruction(it));
    spoken.map(speaker).filter(|kind| *kind != "reasoning").collect()
}

/// The names by which results say what they belong to, in dialects without ids.
pub(super) fn result_names(body: &Value) -> Vec<&Value> {
    let parts = messages(body).filter_map(|it| it.get("parts")?.as_array()).flatten();
    let responses = parts.filter_map(|part| part.get("functionResponse")?.get("name"));
    responses.chain(messages(body).filter_map(|it| it.get("tool_name"))).collect()
}

/// The parts that hold an image, a sound or a file.
pub(super) fn media(body: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    for message in messages(body) {
        walk(message, &mut |value| {
            let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
            if MEDIA_TYPES.contains(&kind) {
                found.push(value);
            }
            found.extend(MEDIA_KEYS.iter().filter_map(|key| value.get(key)));
        });
    }
    found
}

/// Whether the data of every image, sound and file of a body stands somewhere in another.
pub(super) fn holds_media(body: &Value, other: &Value) -> bool {
    let mut data = Vec::new();
    for part in media(body) {
        walk(part, &mut |value| data.extend(value.as_str().filter(|it| it.len() >= TELLING)));
    }
    let text = other.to_string();
    let is_there = |data: &str| text.contains(data.rsplit("base64,").next().unwrap_or(data));
    data.into_iter().all(is_there)
}

/// The marks of a cache, each with its place: the list that it stands in, and how many tools, blocks of
/// instructions or blocks of messages are before it there. Which message a block is in does not matter.
pub(super) fn cache_marks(body: &Value) -> BTreeSet<(&str, usize, String)> {
    let mut marks = BTreeSet::new();
    for key in ["tools", "system", "messages", "input", "contents"] {
        let items = body.get(key).and_then(Value::as_array).into_iter().flatten();
        for (place, block) in items.flat_map(blocks).enumerate() {
            walk(block, &mut |value| {
                let mark = value.get("cache_control").filter(|it| !it.is_null());
                marks.extend(mark.map(|mark| (key, place, sorted(mark))));
            });
        }
    }
    marks
}

/// The blocks of a message; a message without a list of them, a tool or a block is one itself.
fn blocks(item: &Value) -> Vec<&Value> {
    let role = item.get("role");
    match item.get("content").and_then(Value::as_array) {
        Some(blocks) if role.is_some() => blocks.iter().collect(),
        _ => vec![item],
    }
}

/// Every seal, with what it belongs to.
pub(super) fn sealed(body: &Value) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    walk(body, &mut |value| {
        let belongs: String =
            SEALED_KEYS.iter().filter_map(|key| value.get(key)).map(sorted).collect();
        let seals = SEAL_KEYS.iter().filter_map(|key| value.get(key)?.as_str());
        found.extend(seals.filter(|it| !it.is_empty()).map(|it| (it.to_owned(), belongs.clone())));
    });
    found
}

/// Whether a stream is to end with what it used.
pub(super) fn asks_usage(body: &Value) -> bool {
    body.pointer("/stream_options/include_usage").and_then(Value::as_bool).unwrap_or(false)
}

/// A value as text, whatever the order of its keys.
pub(super) fn sorted(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

fn walk<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        Value::Object(fields) => fields.values().for_each(|value| walk(value, visit)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn instructions_are_known_by_rank_and_place() {
        let body =
            json!({"messages": [{"role": "system"}, {"role": "user"}, {"role": "developer"}]});
        assert_eq!(instructions(&body), [("system", 0), ("developer", 1)]);
        assert_eq!(turns(&body), ["user"]);
    }

    #[test]
    fn data_of_an_image_is_known_again_in_another_dialect() {
        let data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
        let url = format!("data:image/png;base64,{data}");
        let chat = json!({"messages": [{"role": "user", "content": [{"type": "image_url",
            "image_url": {"url": url}}]}]});
        let gemini = json!({"contents": [{"parts": [{"inlineData": {"data": data}}]}]});
        assert_eq!((media(&chat).len(), media(&gemini).len()), (1, 1));
        assert!(holds_media(&chat, &gemini) && holds_media(&gemini, &chat));
        assert!(!holds_media(&chat, &json!({"contents": []})));
    }

    #[test]
    fn a_mark_of_a_cache_has_a_place_that_joined_messages_keep() {
        let mark = json!({"type": "ephemeral"});
        let marked = json!({"type": "text", "text": "b", "cache_control": mark});
        let plain = json!({"type": "text", "text": "a"});
        let two = json!({"messages": [{"role": "user", "content": "a"},
            {"role": "user", "content": [marked]}]});
        let one = json!({"messages": [{"role": "user", "content": [plain, marked]}]});
        let moved = json!({"messages": [{"role": "user", "content": [marked, plain]}]});
        assert_eq!(cache_marks(&two), cache_marks(&one));
        assert_ne!(cache_marks(&two), cache_marks(&moved));
    }

    #[test]
    fn a_seal_belongs_to_its_call() {
        let body = |name: &str| {
            json!({"contents": [{"parts": [{"functionCall": {"name": name},
                "thoughtSignature": "s"}]}]})
        };
        assert_eq!(sealed(&body("f")), sealed(&body("f")));
        assert_ne!(sealed(&body("f")), sealed(&body("g")));
    }
}
