//! Secrets, and the scrubber that removes them from texts.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet::{self, Alphabet};
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// What replaces a secret.
pub(super) const SECRET_MARK: &str = "[secret]";

/// Secrets shorter than this are not looked for in texts.
///
/// A key such as `none`, `EMPTY` or `ollama` is a placeholder, and replacing it wherever it occurs
/// would spoil the evidence. Such a value is still never stored from where it was put: headers that
/// carry credentials are redacted by position.
const MIN_SCRUBBED_LEN: usize = 8;

/// What `encodeURIComponent` leaves as it is, besides letters and digits.
const URI_COMPONENT: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A credential. It does not print, and it cannot be serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// A credential, without the white space around it (such as the line end of `$(cat key)`).
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(Arc::from(text.as_ref().trim()))
    }

    /// The credential itself, for the one place that sends it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SECRET_MARK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SECRET_MARK)
    }
}

/// Replaces registered secrets by `[secret]` wherever they stand, in every form a server or a
/// library is likely to echo them in: as they are, escaped for JSON, URL-encoded, base64.
///
/// A secret that a stream hands out in pieces, one per frame, is not recognised: each frame is
/// scrubbed by itself.
#[derive(Clone, Default)]
pub struct Scrubber {
    secrets: Vec<Secret>,
    /// Longest first, so that a form is never left half by a shorter one inside it.
    forms: Vec<String>,
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

    /// Adds a secret; one that is known or too short changes nothing.
    pub fn register(&mut self, secret: &Secret) {
        if secret.expose().len() < MIN_SCRUBBED_LEN || self.secrets.contains(secret) {
            return;
        }
        self.secrets.push(secret.clone());
        self.forms.extend(forms_of(secret.expose()));
        self.forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        self.forms.dedup();
    }

    /// Replaces `text`, which is not secret but differs from run to run, by `alias` in records.
    pub fn rename(&mut self, text: impl Into<String>, alias: impl Into<String>) {
        self.aliases.push((text.into(), alias.into()));
    }

    /// The text without secrets.
    pub fn text(&self, text: impl Into<String>) -> String {
        let secret = self.forms.iter().map(|form| (form.as_str(), SECRET_MARK));
        let renamed = self.aliases.iter().map(|(text, alias)| (text.as_str(), alias.as_str()));
        secret.chain(renamed).fold(text.into(), |text, (form, mark)| {
            if text.contains(form) { text.replace(form, mark) } else { text }
        })
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

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrubber").field("secrets", &self.secrets.len()).finish_non_exhaustive()
    }
}

fn forms_of(secret: &str) -> Vec<String> {
    let quoted = Value::from(secret).to_string();
    let escaped = quoted.trim_matches('"').to_owned();
    let component = utf8_percent_encode(secret, URI_COMPONENT).to_string();
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let mut forms = vec![
        secret.to_owned(),
        escaped.replace('/', "\\/"),
        escaped,
        lower_hex(&component),
        component,
        lower_hex(&form),
        form,
    ];
    for alphabet in [alphabet::STANDARD, alphabet::URL_SAFE] {
        forms.extend((0..3).map(|shift| base64_inside(secret, shift, &alphabet)));
    }
    forms.retain(|form| form.len() >= MIN_SCRUBBED_LEN);
    forms
}

/// `%2F` as `%2f`.
fn lower_hex(encoded: &str) -> String {
    let mut pieces = encoded.split('%');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        let (hex, rest) = piece.split_at_checked(2).unwrap_or((piece, ""));
        text + "%" + &hex.to_ascii_lowercase() + rest
    })
}

/// The characters that a secret alone decides when it stands `shift` bytes (modulo three) into a
/// longer base64 text, as a password does behind `user:`.
fn base64_inside(secret: &str, shift: usize, alphabet: &Alphabet) -> String {
    let engine = GeneralPurpose::new(alphabet, NO_PAD);
    let bytes: Vec<u8> = std::iter::repeat_n(0, shift).chain(secret.bytes()).collect();
    let text = engine.encode(&bytes);
    let shared_at_start = (shift * 8).div_ceil(6);
    let shared_at_end = usize::from(!bytes.len().is_multiple_of(3));
    let end = text.len().saturating_sub(shared_at_end);
    text.get(shared_at_start..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: &str = "sk-test/+a\"b=~9Z";

    fn scrubber() -> Scrubber {
        Scrubber::new([Secret::new(KEY)])
    }

    #[test]
    fn a_secret_prints_as_a_mark() {
        let secret = Secret::new(KEY);
        assert_eq!(
            format!("{secret} {secret:?} {:?}", Some(&secret)),
            "[secret] [secret] Some([secret])"
        );
        assert!(!format!("{:?}", scrubber()).contains("sk-test"));
    }

    #[test]
    fn white_space_around_a_secret_is_dropped() {
        assert_eq!(Secret::new(" key-12345\n").expose(), "key-12345");
    }

    #[test]
    fn every_form_of_a_secret_is_removed() {
        let engine = base64::engine::general_purpose::STANDARD;
        let forms = [
            KEY.to_owned(),
            json!(KEY).to_string(),
            json!(KEY).to_string().replace('/', "\\/"),
            "sk-test%2F%2Ba%22b%3D~9Z".to_owned(),
            "sk-test%2f%2ba%22b%3d~9Z".to_owned(),
            "sk-test%2F%2Ba%22b%3D%7E9Z".to_owned(),
        ];
        for form in forms {
            let scrubbed = scrubber().text(format!("<{form}>"));
            assert!(
                scrubbed.contains(SECRET_MARK) && !scrubbed.contains("9Z"),
                "{form}: {scrubbed}"
            );
        }
        for user in ["", "u:", "us:", "usr:"] {
            let encoded = engine.encode(format!("{user}{KEY}"));
            let scrubbed = scrubber().text(encoded.clone());
            assert!(scrubbed.contains(SECRET_MARK) && scrubbed.len() < 20, "{encoded}: {scrubbed}");
        }
    }

    #[test]
    fn values_are_scrubbed_in_keys_and_strings_at_any_depth() {
        let value = json!({"a": [{"k": format!("x{KEY}y")}, 1, null], (KEY): true});
        let clean = json!({"a": [{"k": "x[secret]y"}, 1, null], "[secret]": true});
        assert_eq!(scrubber().value(value), clean);
    }

    #[test]
    fn placeholders_are_too_short_to_be_looked_for() {
        let scrubber = Scrubber::new(["none", "EMPTY", "ollama"].map(Secret::new));
        assert_eq!(scrubber.text("none of EMPTY ollama"), "none of EMPTY ollama");
    }

    #[test]
    fn a_secret_inside_a_longer_one_does_not_leave_a_rest() {
        let scrubber = Scrubber::new(["abcdefgh", "abcdefghijkl"].map(Secret::new));
        assert_eq!(scrubber.text("abcdefghijkl abcdefgh"), "[secret] [secret]");
    }
}
