//! The scrubber: replaces secrets in texts, values and pieces of a stream.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::finder::Finder;
use super::open_words::is_open;
use super::{MIN_SCRUBBED_LEN, SECRET_MARK, Secret, pieces};

/// Replaces registered secrets by `[secret]` wherever they stand, in every form a server or a
/// library is likely to echo them in: in any case, escaped for JSON, HTML or URLs (up to three times),
/// in base64 or hexadecimal, and spread over the frames of a stream.
#[derive(Clone, Default)]
pub struct Scrubber {
    secrets: Vec<Secret>,
    finder: Option<Arc<Finder>>,
    /// Other texts that are replaced, and what replaces them.
    aliases: Vec<(String, String)>,
}

impl Scrubber {
    /// A scrubber for these secrets.
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut scrubber = Self::default();
        for secret in secrets {
            scrubber.register(&secret);
        }
        scrubber
    }

    /// Whether registering a secret would change nothing: it is known, too short or in everybody's mouth.
    pub(crate) fn knows(&self, secret: &Secret) -> bool {
        let text = secret.expose();
        text.len() < MIN_SCRUBBED_LEN || self.secrets.contains(secret) || is_open(text)
    }

    /// Adds a secret; one that is known, too short or in everybody's mouth changes nothing.
    pub fn register(&mut self, secret: &Secret) {
        if self.knows(secret) {
            return;
        }
        self.secrets.push(secret.clone());
        self.finder = Finder::new(&self.secrets).map(Arc::new);
    }

    /// Replaces `text`, which is not secret but differs from run to run, by `alias` in records.
    pub fn rename(&mut self, text: impl Into<String>, alias: impl Into<String>) {
        self.aliases.push((text.into(), alias.into()));
    }

    /// The text without secrets.
    pub fn text(&self, text: impl Into<String>) -> String {
        let text = text.into();
        let clean = match self.borrowed(&text) {
            Cow::Owned(clean) => clean,
            Cow::Borrowed(_) => text,
        };
        self.replace_aliases(clean)
    }

    /// The text without secrets, as it is where it has none. Aliases are left alone.
    pub(super) fn borrowed<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let spans = self.finder.as_ref().map(|finder| finder.spans(text.as_bytes()));
        match spans {
            Some(spans) if !spans.is_empty() => Cow::Owned(blank(text, spans)),
            _ => Cow::Borrowed(text),
        }
    }

    /// The texts without secrets, those included that only all of them together hold.
    pub(crate) fn pieces(&self, mut texts: Vec<&mut String>) {
        let Some(finder) = &self.finder else {
            return texts
                .into_iter()
                .for_each(|text| *text = self.replace_aliases(std::mem::take(text)));
        };
        let borrowed: Vec<&str> = texts.iter().map(|text| text.as_str()).collect();
        let spans = pieces::spans(finder, &borrowed);
        for (text, spans) in texts.iter_mut().zip(spans) {
            if !spans.is_empty() {
                **text = blank(text, spans);
            }
            **text = self.replace_aliases(std::mem::take(*text));
        }
    }

    fn replace_aliases(&self, text: String) -> String {
        self.aliases.iter().fold(text, |text, (name, alias)| {
            if text.contains(name) { text.replace(name, alias) } else { text }
        })
    }

    /// Whether anything in a value is to be replaced.
    pub(crate) fn changes(&self, value: &Value) -> bool {
        let in_text = |text: &str| {
            matches!(self.borrowed(text), Cow::Owned(_))
                || self.aliases.iter().any(|(name, _)| text.contains(name))
        };
        match value {
            Value::String(text) => in_text(text),
            Value::Array(items) => items.iter().any(|item| self.changes(item)),
            Value::Object(fields) => {
                fields.iter().any(|(key, value)| in_text(key) || self.changes(value))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// The value without secrets, in its strings and in its keys.
    pub fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(key, value)| (self.text(key), self.value(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }
}

/// The text with a mark in the place of each span. Spans may overlap and come in any order.
fn blank(text: &str, mut spans: Vec<Range<usize>>) -> String {
    spans.sort_by_key(|span| (span.start, span.end));
    let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
    for Range { start, end } in spans {
        if start >= copied {
            out.push_str(text.get(copied..start).unwrap_or_default());
            out.push_str(SECRET_MARK);
        }
        copied = copied.max(end);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrubber").field("secrets", &self.secrets.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use serde_json::json;

    use super::*;

    const KEY: &str = "sk-test/+a\"b=~9Zq";

    fn scrubber() -> Scrubber {
        Scrubber::new([Secret::new(KEY)])
    }

    fn each(write: impl Fn(char) -> String) -> String {
        KEY.chars().map(write).collect()
    }

    /// Every form by its name.
    fn forms() -> Vec<(&'static str, String)> {
        let percent = each(|c| format!("%{:02X}", u32::from(c)));
        let escaped = each(|c| format!("\\u{:04x}", u32::from(c)));
        let quoted = json!(KEY).to_string();
        vec![
            ("raw", KEY.to_owned()),
            ("upper", KEY.to_uppercase()),
            ("lower", KEY.to_lowercase()),
            ("json", quoted.trim_matches('"').to_owned()),
            ("json, solidus", quoted.trim_matches('"').replace('/', "\\/")),
            ("json, every character", escaped.clone()),
            (
                "json, every other one",
                KEY.chars()
                    .enumerate()
                    .map(|(at, c)| match at % 2 {
                        0 => format!("\\u{:04X}", u32::from(c)),
                        _ if c == '"' => "\\\"".to_owned(),
                        _ => c.to_string(),
                    })
                    .collect(),
            ),
            ("json in json", escaped.replace('\\', "\\\\")),
            ("json in json in json", escaped.replace('\\', "\\\\\\\\")),
            ("html, decimal", each(|c| format!("&#{};", u32::from(c)))),
            ("html, hexadecimal", each(|c| format!("&#x{:x};", u32::from(c)))),
            (
                "html, named",
                KEY.replace('+', "&plus;").replace('"', "&quot;").replace('/', "&sol;"),
            ),
            ("html, twice", KEY.replace('"', "&amp;quot;")),
            ("percent", percent.clone()),
            ("percent, twice", percent.replace('%', "%25")),
            ("percent, some", KEY.replace('/', "%2f").replace('+', "%2B").replace('"', "%22")),
            ("percent in json", percent.replace('%', "\\u0025")),
            ("hex", each(|c| format!("{:02x}", u32::from(c)))),
            ("hex, upper", each(|c| format!("{:02X}", u32::from(c)))),
            ("hex, escaped", each(|c| format!("\\x{:02x}", u32::from(c)))),
            ("wide", each(|c| format!("{c}\0")).trim_end_matches('\0').to_owned()),
            ("broken by spaces", format!("{}\u{200b} {}", &KEY[..5], &KEY[5..])),
            ("broken in json", quoted.trim_matches('"').replace("-t", "\\n-\\u0000t")),
            ("hex, spaced", each(|c| format!("{:02x} ", u32::from(c))).trim().to_owned()),
        ]
    }

    #[test]
    fn every_form_of_a_secret_is_removed_whole() {
        for (name, form) in forms() {
            assert_eq!(scrubber().text(format!("<{form}>")), "<[secret]>", "{name}: {form}");
        }
    }

    #[test]
    fn base64_is_recognised_at_every_alignment() {
        for user in ["", "u:", "us:", "usr:"] {
            let text = format!("{user}{KEY}");
            for encoded in [STANDARD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
                let scrubbed = scrubber().text(encoded.clone());
                let rest = scrubbed.replace(SECRET_MARK, "").len();
                assert!(scrubbed.contains(SECRET_MARK) && rest < 9, "{encoded}: {scrubbed}");
            }
        }
    }

    #[test]
    fn base64_that_is_broken_into_lines_is_recognised() {
        let encoded = STANDARD.encode(format!("usr:{KEY}"));
        let (first, second) = encoded.split_at(14);
        for line_end in ["\n", "\r\n", "\\n", "\\\\r\\\\n"] {
            let scrubbed = scrubber().text(format!("{first}{line_end}{second}"));
            let rest = scrubbed.replace(SECRET_MARK, "").len();
            assert!(scrubbed.contains(SECRET_MARK) && rest < 9, "{line_end:?}: {scrubbed}");
        }
    }

    #[test]
    fn short_secrets_are_not_found_across_words_and_long_ones_keep_what_follows() {
        let scrubber = Scrubber::new(["testtest", "sk-0123456789abcdef"].map(Secret::new));
        assert_eq!(scrubber.text("a test test"), "a test test");
        assert_eq!(scrubber.text("sk-0123456789abcdef \n x"), "[secret] \n x");
    }

    #[test]
    fn a_secret_is_found_wherever_it_stands_in_a_long_text() {
        let escaped = each(|c| format!("%{:02x}", u32::from(c)));
        for before in [0, 100, 65_400, 65_530, 65_600, 200_000] {
            let text = format!("{}{escaped}{}", "\\n".repeat(before / 2), "%41".repeat(9));
            let scrubbed = scrubber().text(text);
            assert!(scrubbed.contains(SECRET_MARK) && !scrubbed.contains("%39%5a"), "{before}");
        }
    }

    #[test]
    fn a_secret_that_looks_escaped_itself_is_found() {
        let scrubber = Scrubber::new([Secret::new("pass%41word\\n")]);
        for text in ["pass%41word\\n", "pass%2541word%5cn", "passAword\n"] {
            assert_eq!(scrubber.text(text), SECRET_MARK, "{text}");
        }
    }

    fn pieces(texts: &[&str]) -> Vec<String> {
        let mut texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Scrubber::new([Secret::new("sk-abcdefgh12345")]).pieces(texts.iter_mut().collect());
        texts
    }

    #[test]
    fn a_secret_that_is_spread_over_frames_leaves_no_half() {
        let delta =
            |text: &str| format!(r#"{{"id":"x","choices":[{{"delta":{{"content":"{text}"}}}}]}}"#);
        let frames = ["Hi sk-abc", "de", "fgh12345!"].map(delta);
        let clean = pieces(&frames.each_ref().map(String::as_str));
        assert_eq!(clean, ["Hi [secret]", "[secret]", "[secret]!"].map(delta));
        let single: Vec<String> =
            "sk-abcdefgh12345".chars().map(|c| delta(&c.to_string())).collect();
        let clean = pieces(&single.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(clean.iter().all(|frame| frame.contains(SECRET_MARK)), "{clean:?}");
    }

    #[test]
    fn interleaved_deltas_are_joined_by_their_index() {
        let delta =
            |index: u8, text: &str| format!(r#"{{"index":{index},"partial_json":"{text}"}}"#);
        let frames = [delta(0, "sk-abcd"), delta(1, "other"), delta(0, "efgh12345")];
        let clean = pieces(&frames.each_ref().map(String::as_str));
        assert_eq!(clean, [delta(0, "[secret]"), delta(1, "other"), delta(0, "[secret]")]);
        let item = |id: &str, text: &str| format!(r#"{{"item_id": "{id}", "delta": "{text}"}}"#);
        let frames = [item("a", "sk-abcd"), item("b", "other"), item("a", "efgh12345")];
        let clean = pieces(&frames.each_ref().map(String::as_str));
        assert_eq!(clean, [item("a", "[secret]"), item("b", "other"), item("a", "[secret]")]);
    }

    #[test]
    fn interleaved_deltas_of_a_stream_in_one_text_are_joined_too() {
        let frame =
            |index: u8, text: &str| format!("data: {{\"index\":{index},\"d\":\"{text}\"}}\n\n");
        let stream =
            |first: &str, last: &str| frame(0, first) + &frame(1, "other") + &frame(0, last);
        let clean = pieces(&[&stream("sk-abcd", "efgh12345")]);
        assert_eq!(clean, [stream("[secret]", "[secret]")]);
    }

    #[test]
    fn strings_of_one_document_and_plain_lines_are_joined_too() {
        let parts = r#"{"content":[{"text":"sk-abcd"},{"text":"efgh12345"}]}"#;
        let clean = r#"{"content":[{"text":"[secret]"},{"text":"[secret]"}]}"#;
        assert_eq!(pieces(&[parts]), [clean]);
        assert_eq!(pieces(&["sk-abcd", "efgh12345"]), ["[secret]", "[secret]"]);
        let events = "data: {\"text\":\"sk-abcd\"}\n\ndata: {\"text\":\"efgh12345\"}\n\n";
        let clean = "data: {\"text\":\"[secret]\"}\n\ndata: {\"text\":\"[secret]\"}\n\n";
        assert_eq!(pieces(&[events]), [clean]);
    }

    #[test]
    fn values_are_scrubbed_in_keys_and_strings_at_any_depth() {
        let value = json!({"a": [{"k": format!("x{KEY}y")}, 1, null], (KEY): true});
        let clean = json!({"a": [{"k": "x[secret]y"}, 1, null], "[secret]": true});
        assert!(scrubber().changes(&value) && !scrubber().changes(&clean));
        assert_eq!(scrubber().value(value), clean);
    }

    #[test]
    fn a_part_of_a_long_secret_is_found_too() {
        let key = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz-ABCD";
        let scrubber = Scrubber::new([Secret::new(key)]);
        for (said, shown) in [
            (&key[..32], "bad key [secret]..."),
            (&key[16..], "bad key [secret]D..."),
            (&key[..40], "bad key [secret]opqrstuv..."),
            ("sk-proj-***ABCD", "bad key sk-proj-***ABCD..."),
        ] {
            assert_eq!(scrubber.text(format!("bad key {said}...")), shown, "{said}");
        }
    }

    #[test]
    fn escapes_inside_base64_and_base64_inside_base64_are_found() {
        let percent =
            KEY.replace('/', "%2F").replace('+', "%2B").replace('"', "%22").replace('=', "%3D");
        let quoted = json!(KEY).to_string().replace('/', "\\u002F").replace('+', "\\u002B");
        let quoted = quoted.replace("\\\"", "\\u0022").replace('=', "\\u003D");
        let plain = json!({ "key": KEY }).to_string();
        for inner in [percent, quoted, plain, STANDARD.encode(format!("me:{KEY}"))] {
            for before in ["", "a", "ab"] {
                let text = STANDARD.encode(format!("{before}{inner}"));
                assert!(scrubber().text(&*text).contains(SECRET_MARK), "{before}{inner}");
            }
        }
    }

    #[test]
    fn json_in_json_in_json_is_undone() {
        let mut text = KEY.to_owned();
        for _ in 0..4 {
            text = json!({ "error": text }).to_string();
            assert!(!scrubber().text(&*text).contains("9Zq"), "{text}");
        }
    }

    #[test]
    fn placeholders_are_too_short_to_be_looked_for() {
        let scrubber = Scrubber::new(["none", "EMPTY", "ollama"].map(Secret::new));
        assert_eq!(scrubber.text("none of EMPTY ollama"), "none of EMPTY ollama");
    }

    #[test]
    fn the_words_of_the_protocols_are_not_looked_for() {
        let scrubber = Scrubber::new(["probe_echo", "function", "2026-11-18"].map(Secret::new));
        let reply = r#"{"type":"function","name":"probe_echo","at":"2026-11-18T00:00:00Z"}"#;
        assert_eq!(scrubber.text(reply), reply);
    }

    #[test]
    fn secrets_inside_and_across_each_other_leave_no_rest() {
        let scrubber = Scrubber::new(["abcdefgh", "abcdefghijkl", "ijklmnop"].map(Secret::new));
        assert_eq!(scrubber.text("abcdefghijkl abcdefgh"), "[secret] [secret]");
        assert_eq!(scrubber.text("abcdefghijklmnop"), "[secret]");
    }

    #[test]
    fn other_names_are_used_where_no_secret_is() {
        let mut scrubber = Scrubber::default();
        scrubber.rename("http://127.0.0.1:5", "sim:");
        assert_eq!(scrubber.text("http://127.0.0.1:5/v1"), "sim:/v1");
        assert!(scrubber.changes(&json!(["http://127.0.0.1:5/v1"])));
    }
}
