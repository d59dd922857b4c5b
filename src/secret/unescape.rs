//! Escapes of JSON, HTML, URLs and programming languages, undone in one pass.
//!
//! Which of them a text uses is not known, and servers mix them. Each byte of the result remembers
//! where it came from, so that what is found in it can be blanked in the original.

use std::ops::Range;

use memchr::memchr3_iter;

/// A text with escapes undone.
#[derive(Debug, Clone, Default)]
pub(super) struct Layer {
    pub(super) bytes: Vec<u8>,
    /// Where each byte began in the original, and where the last one ended.
    pub(super) starts: Vec<usize>,
}

impl Layer {
    /// A text as it stands, from this place of the original on.
    pub(super) fn plain(text: &[u8], offset: usize) -> Self {
        Self { bytes: text.to_vec(), starts: (offset..=offset + text.len()).collect() }
    }

    /// The text with one level of escapes undone; `None` where it has none.
    pub(super) fn unescape(&self) -> Option<Self> {
        let mut out = Self::default();
        let has_escapes = undo_escapes(&self.bytes, |piece| match piece {
            Piece::Copied(range) => {
                out.bytes.extend_from_slice(self.bytes.get(range.clone()).unwrap_or_default());
                out.starts.extend_from_slice(self.starts.get(range).unwrap_or_default());
            }
            Piece::Decoded { at, bytes } => {
                out.bytes.extend_from_slice(bytes);
                let start = self.starts.get(at).copied().unwrap_or_default();
                out.starts.extend(bytes.iter().map(|_| start));
            }
        });
        out.starts.extend(self.starts.last());
        has_escapes.then_some(out)
    }
}

/// The bytes alone of a text with one level of escapes undone; `None` where it has none.
pub(super) fn unescape_bytes(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let has_escapes = undo_escapes(text, |piece| {
        out.extend_from_slice(match piece {
            Piece::Copied(range) => text.get(range).unwrap_or_default(),
            Piece::Decoded { bytes, .. } => bytes,
        });
    });
    has_escapes.then_some(out)
}

/// What a text without its escapes is made of.
enum Piece<'a> {
    /// A part of the text as it stands.
    Copied(Range<usize>),
    /// What the escape that begins there stands for.
    Decoded { at: usize, bytes: &'a [u8] },
}

/// Passes the pieces of a text, in order. Nothing is passed of a text without escapes, which gives false.
fn undo_escapes(text: &[u8], mut take: impl FnMut(Piece<'_>)) -> bool {
    let mut copied = 0;
    for at in memchr3_iter(b'\\', b'%', b'&', text) {
        if at < copied {
            continue;
        }
        let Some((decoded, length)) = decode(text.get(at..).unwrap_or_default()) else { continue };
        take(Piece::Copied(copied..at));
        let mut buffer = [0; 4];
        let bytes: &[u8] = match decoded {
            Decoded::Byte(byte) => {
                buffer = [byte, 0, 0, 0];
                buffer.get(..1).unwrap_or_default()
            }
            Decoded::Char(char) => char.encode_utf8(&mut buffer).as_bytes(),
        };
        take(Piece::Decoded { at, bytes });
        copied = at + length;
    }
    if copied > 0 {
        take(Piece::Copied(copied..text.len()));
    }
    copied > 0
}

enum Decoded {
    Byte(u8),
    Char(char),
}

/// What the escape that opens a text stands for, and its length.
fn decode(text: &[u8]) -> Option<(Decoded, usize)> {
    match text {
        [b'%', b'u' | b'U', rest @ ..] => unit(rest, 4).map(|char| (char, 6)),
        [b'%', rest @ ..] => byte(rest, 2, 16).map(|byte| (byte, 3)),
        [b'\\', b'x' | b'X', rest @ ..] => byte(rest, 2, 16).map(|byte| (byte, 4)),
        [b'\\', b'u', b'{', rest @ ..] => {
            let length = rest.iter().take(7).position(|byte| *byte == b'}')?;
            unit(rest, length).map(|char| (char, length + 4))
        }
        [b'\\', b'u', rest @ ..] => unit(rest, 4).map(|char| (char, 6)),
        [b'\\', b'U', rest @ ..] => unit(rest, 8).map(|char| (char, 10)),
        [b'\\', b'0'..=b'3', ..] => byte(text.get(1..)?, 3, 8).map(|byte| (byte, 4)),
        [b'\\', escaped, ..] => {
            let byte = match escaped {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                other if other.is_ascii_punctuation() => *other,
                _ => return None,
            };
            Some((Decoded::Byte(byte), 2))
        }
        [b'&', rest @ ..] => entity(rest).map(|(char, length)| (char, length + 1)),
        _ => None,
    }
}

fn number(text: &[u8], length: usize, radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(text.get(..length)?).ok()?;
    let all = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    all.then(|| u32::from_str_radix(digits, radix).ok())?
}

fn byte(text: &[u8], length: usize, radix: u32) -> Option<Decoded> {
    number(text, length, radix).and_then(|code| u8::try_from(code).ok()).map(Decoded::Byte)
}

fn unit(text: &[u8], length: usize) -> Option<Decoded> {
    number(text, length, 16).and_then(char::from_u32).map(Decoded::Char)
}

/// The longest number and the longest name of an entity.
const ENTITY: usize = 10;

/// A character reference behind its `&`, and its length. The semicolon of a number may be missing.
fn entity(text: &[u8]) -> Option<(Decoded, usize)> {
    let (digits, radix, prefix) = match text {
        [b'#', b'x' | b'X', rest @ ..] => (rest, 16, 2),
        [b'#', rest @ ..] => (rest, 10, 1),
        name => {
            let end = name.iter().take(ENTITY).position(|byte| *byte == b';')?;
            let name = std::str::from_utf8(name.get(..end)?).ok()?;
            let (_, char) = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
            return Some((Decoded::Char(*char), end + 1));
        }
    };
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let length = digits.iter().take(ENTITY).take_while(is_digit).count();
    let char = char::from_u32(number(digits, length, radix)?)?;
    let end = usize::from(digits.get(length) == Some(&b';'));
    Some((Decoded::Char(char), prefix + length + end))
}

/// The names that HTML has for the characters of keys. Case is not told apart here.
const NAMES: &[(&str, char)] = &[
    ("amp", '&'),
    ("apos", '\''),
    ("ast", '*'),
    ("bsol", '\\'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("dash", '-'),
    ("dollar", '$'),
    ("equals", '='),
    ("excl", '!'),
    ("grave", '`'),
    ("gt", '>'),
    ("hat", '^'),
    ("hyphen", '-'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lcub", '{'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lsqb", '['),
    ("lt", '<'),
    ("midast", '*'),
    ("nbsp", ' '),
    ("num", '#'),
    ("percnt", '%'),
    ("period", '.'),
    ("plus", '+'),
    ("quest", '?'),
    ("quot", '"'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rcub", '}'),
    ("rpar", ')'),
    ("rsqb", ']'),
    ("semi", ';'),
    ("sol", '/'),
    ("tilde", '~'),
    ("underbar", '_'),
    ("verbar", '|'),
    ("vert", '|'),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn once(text: &str) -> String {
        let layer = Layer::plain(text.as_bytes(), 0);
        let bytes = layer.unescape().map(|it| it.bytes);
        assert_eq!(unescape_bytes(text.as_bytes()), bytes, "{text}");
        String::from_utf8(layer.unescape().unwrap_or(layer).bytes).unwrap()
    }

    #[test]
    fn the_escapes_of_all_languages_are_undone() {
        for escape in [
            "\\u002B",
            "\\u002b",
            "\\u{2b}",
            "\\U0000002B",
            "\\x2B",
            "\\053",
            "%2B",
            "%2b",
            "%u002B",
            "&#43;",
            "&#x2b;",
            "&#X2B;",
            "&#043;",
            "&#43",
            "&plus;",
            "\\+",
        ] {
            assert_eq!(once(&format!("a{escape}b!")), "a+b!", "{escape}");
        }
    }

    #[test]
    fn what_is_no_escape_stays() {
        for text in ["100%", "%zz", "\\u12", "a & b", "&nothing;", "\\", "&#;", "%", "\\q"] {
            assert_eq!(once(text), text);
        }
    }

    #[test]
    fn each_byte_knows_where_it_came_from() {
        let layer = Layer::plain(b"a%2541", 7).unescape().unwrap().unescape().unwrap();
        assert_eq!(
            (layer.bytes.as_slice(), layer.starts.as_slice()),
            (&b"aA"[..], &[7, 8, 13][..])
        );
    }
}
