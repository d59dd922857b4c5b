//! Encoded forms of a secret, beside escapes: base64, hexadecimal, lists of bytes.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::alphabet::{self, Alphabet};
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};

use super::MIN_SCRUBBED_LEN;
use super::finder::LEVELS;
use super::unescape::Layer;

/// What may stand between the bytes of a hexadecimal form.
const SEPARATORS: [&str; 6] = ["", " ", ":", "-", ", 0x", ",0x"];

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
        forms.extend((0..3).map(|shift| base64_inside(secret, shift, &alphabet).into_bytes()));
    }
    forms.extend(SEPARATORS.map(|separator| joined_bytes(secret, separator, hex).into_bytes()));
    for separator in [",", ", ", " "] {
        forms.push(joined_bytes(secret, separator, decimal).into_bytes());
    }
    forms.retain(|form| form.len() >= MIN_SCRUBBED_LEN);
    forms.sort();
    forms.dedup();
    forms
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
