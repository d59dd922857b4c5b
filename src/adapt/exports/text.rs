//! Text of exported settings: comments, YAML, shell words.

use serde_json::{Value, json};

use super::{Comment, Rendered};

/// Longer words of an endpoint are cut.
const MAX_WORDS: usize = 120;

/// The text with its comments.
pub(super) fn with_comments(rendered: Rendered, comments: &[String]) -> String {
    let Rendered { body, comment, .. } = rendered;
    match comment {
        Comment::Mark(mark) => {
            let lines = comments.iter().map(|words| format!("{mark} {words}"));
            let lines: Vec<String> = lines.chain([body.trim_end().to_owned()]).collect();
            lines.join("\n") + "\n"
        }
        Comment::Key if comments.is_empty() => format!("{}\n", body.trim_end()),
        Comment::Key => {
            let mut value: Value = serde_json::from_str(&body).unwrap_or_default();
            if let Some(map) = value.as_object_mut() {
                map.insert("$comment".to_owned(), json!(comments));
            }
            pretty(&value) + "\n"
        }
    }
}

/// A text that an endpoint or a model wrote, harmless in a comment: one line, no control characters.
pub(super) fn one_line(words: &str) -> String {
    let clean: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_WORDS) {
        Some((cut, _)) => format!("{}…", line.split_at(cut).0),
        None => line,
    }
}

pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// The object without its nulls: what is not known is left to the program's default.
pub(super) fn without_nulls(mut value: Value) -> Value {
    if let Some(map) = value.as_object_mut() {
        map.retain(|_, inner| !inner.is_null());
        for inner in map.values_mut() {
            *inner = without_nulls(inner.take());
        }
    } else if let Some(items) = value.as_array_mut() {
        for item in items {
            *item = without_nulls(item.take());
        }
    }
    value
}

/// Simple YAML: maps, lists and scalars. Strings are written as JSON, which YAML reads.
pub(super) fn yaml(value: &Value) -> String {
    lines(value).join("\n") + "\n"
}

fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) if !map.is_empty() => map.iter().flat_map(entry).collect(),
        Value::Array(items) if !items.is_empty() => items.iter().flat_map(item).collect(),
        scalar => vec![scalar.to_string()],
    }
}

fn entry((key, value): (&String, &Value)) -> Vec<String> {
    if !is_block(value) {
        return vec![format!("{key}: {value}")];
    }
    let inner = lines(value).into_iter().map(|line| format!("  {line}"));
    std::iter::once(format!("{key}:")).chain(inner).collect()
}

fn item(value: &Value) -> Vec<String> {
    let inner = lines(value).into_iter().enumerate();
    inner.map(|(at, line)| format!("{} {line}", if at == 0 { "-" } else { " " })).collect()
}

fn is_block(value: &Value) -> bool {
    value.as_object().is_some_and(|map| !map.is_empty())
        || value.as_array().is_some_and(|items| !items.is_empty())
}

/// A word for a POSIX shell.
pub(super) fn quote_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
