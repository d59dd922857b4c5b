//! Error bodies that are not JSON: what to show of a web page or of plain text.

use serde_json::Value;

/// How much of a body a message quotes, in characters.
const QUOTED: usize = 300;

/// The JSON in a body: the body itself, or the first payload of a stream.
pub(super) fn payload(body: &str) -> Option<Value> {
    serde_json::from_str(body).ok().or_else(|| {
        let data = body.lines().find_map(|line| line.strip_prefix("data:"))?;
        serde_json::from_str(data).ok()
    })
}

/// One line that says what came: a page's title, the start of a text, or that nothing came.
pub(super) fn summary(status: u16, body: &str) -> String {
    let text = one_line(title(body).unwrap_or(body));
    if text.is_empty() { format!("HTTP {status} with an empty body") } else { text }
}

/// Whether no text stands in a body, or in any field of its JSON.
pub(super) fn is_wordless(body: &str) -> bool {
    payload(body).map_or_else(|| body.trim().is_empty(), |json| !has_words(&json))
}

fn has_words(value: &Value) -> bool {
    match value {
        // An envelope's own `type` tells nothing.
        Value::String(text) => !text.trim().is_empty() && text != "error",
        Value::Array(items) => items.iter().any(has_words),
        Value::Object(map) => map.values().any(has_words),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a body is a web page.
pub(super) fn is_page(body: &str) -> bool {
    let start: String = body.trim_start().chars().take(QUOTED).collect();
    let start = start.to_ascii_lowercase();
    start.starts_with('<')
        && ["<!doctype", "<html", "<head", "<body"].iter().any(|tag| start.contains(tag))
}

fn title(body: &str) -> Option<&str> {
    let (_, rest) = body.split_once("<title>")?;
    let (title, _) = rest.split_once("</title>")?;
    Some(title).filter(|title| !title.trim().is_empty())
}

fn one_line(text: &str) -> String {
    // A bound before the split keeps a body of many megabytes from being copied whole.
    let start: String = text.chars().take(4 * QUOTED).collect();
    let words: Vec<&str> = start.split_whitespace().collect();
    words.join(" ").chars().take(QUOTED).collect()
}
