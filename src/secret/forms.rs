//! Encoded forms of a secret, beside escapes: base64, hexadecimal, lists of bytes, and parts of a long one.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::alphabet::{self, Alphabet};
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};

use super::MIN_SCRUBBED_LEN;
use super::finder::LEVELS;
use super::unescape::Layer;

/// What may stand between the bytes of a hexadecimal form.
const SEPARATORS: [&str; 6] = ["", " ", ":", "-", ", 0x", ",0x"];

/// How long a part of a secret is that is looked for by itself.
const BLOCK: usize = 16;

/// Everything to look for, for one secret. Case and escapes are the search's affair.
pub(super) fn forms_of(secret: &str) -> Vec<Vec<u8>> {
    let mut forms = vec![secret.as_bytes().to_vec()];
    // A secret may hold what looks like an escape itself.
    let mut layer = Layer::plain(secret.as_bytes(), 0);
    for _ in 0..LEVELS {
        let Some(next) = layer.unescape() else { break };
        forms.push(next.bytes.clone());
        layer = next;
    }
    if secret.contains(' ') {
        forms.push(secret.replace(' ', "+").into_bytes());
    }
    for alphabet in [alphabet::STANDARD, alphabet::URL_SAFE] {
        let inside: Vec<String> = base64_forms(secret, &alphabet).collect();
        forms.extend(inside.iter().flat_map(|it| base64_forms(it, &alphabet)).map(String::into));
        forms.extend(inside.into_iter().map(String::into));
    }
    for escape in [escape_for_url, escape_for_json, quote_for_json] {
        forms.extend(base64_forms(&escape(secret), &alphabet::STANDARD).map(String::into));
    }
    forms.extend(blocks(secret).map(<[u8]>::to_vec));
    forms.extend(SEPARATORS.map(|separator| joined_bytes(secret, separator, hex).into_bytes()));
    for separator in [",", ", ", " "] {
        forms.push(joined_bytes(secret, separator, decimal).into_bytes());
    }
    forms.retain(|form| form.len() >= MIN_SCRUBBED_LEN);
    forms.sort();
    forms.dedup();
    forms
}

/// The parts of a long secret: a server may cut what it echoes, or say the half of it elsewhere.
fn blocks(secret: &str) -> impl Iterator<Item = &[u8]> {
    let is_long = secret.len() >= 2 * BLOCK;
    secret.as_bytes().chunks_exact(BLOCK).filter(move |_| is_long)
}

fn escape_for_url(secret: &str) -> String {
    escaped(secret, |out, byte| {
        let _ = write!(out, "%{byte:02X}");
    })
}

fn escape_for_json(secret: &str) -> String {
    escaped(secret, |out, byte| {
        let _ = write!(out, "\\u{byte:04X}");
    })
}

/// As most programs write JSON: only what must be escaped.
fn quote_for_json(secret: &str) -> String {
    secret.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The secret with everything escaped that is no letter, digit or `-_.~`.
fn escaped(secret: &str, escape: impl Fn(&mut String, u8)) -> String {
    let mut out = String::new();
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            escape(&mut out, byte);
        }
    }
    out
}

fn base64_forms(text: &str, alphabet: &Alphabet) -> impl Iterator<Item = String> {
    (0..3).map(|shift| base64_inside(text, shift, alphabet))
}

fn hex(out: &mut String, byte: u8) {
    // Writing to a string does not fail.
    let _ = write!(out, "{byte:02x}");
}

fn decimal(out: &mut String, byte: u8) {
    let _ = write!(out, "{byte}");
}

fn joined_bytes(secret: &str, separator: &str, write: fn(&mut String, u8)) -> String {
    let mut out = String::new();
    for byte in secret.bytes() {
        if !out.is_empty() {
            out.push_str(separator);
        }
        write(&mut out, byte);
    }
    out
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
