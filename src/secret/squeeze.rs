//! Texts without their white space: secrets that were wrapped, spaced out or written in UTF-16.
//!
//! MIME breaks base64 into lines, dumps put blanks between digits, and UTF-16 that is read as bytes has a
//! NUL behind each letter. Each byte of the result remembers where it stood.

use std::ops::Range;

use super::unescape::Layer;

/// A text without white space, NULs and characters that take no room.
#[derive(Debug, Default)]
pub(super) struct Squeezed {
    pub(super) bytes: Vec<u8>,
    /// Where each byte stood in the original.
    places: Vec<Range<usize>>,
}

impl Squeezed {
    /// A layer without its gaps; `None` where it has none.
    pub(super) fn of(layer: &Layer) -> Option<Self> {
        let mut out = Self::default();
        let mut at = 0;
        while let Some(byte) = layer.bytes.get(at) {
            let gap = gap_length(layer.bytes.get(at..).unwrap_or_default());
            if gap == 0
                && let (Some(start), Some(end)) = (layer.starts.get(at), layer.starts.get(at + 1))
            {
                out.bytes.push(*byte);
                out.places.push(*start..*end);
            }
            at += gap.max(1);
        }
        (out.bytes.len() < layer.bytes.len()).then_some(out)
    }

    /// Where a span of the squeezed text stands in the original. What follows it is not part of it.
    pub(super) fn origin(&self, found: &Range<usize>) -> Option<Range<usize>> {
        let first = self.places.get(found.start)?;
        let last = self.places.get(found.end.checked_sub(1)?)?;
        Some(first.start..last.end)
    }
}

/// The bytes alone of a text without its gaps; `None` where it has none.
pub(super) fn squeeze_bytes(text: &[u8]) -> Option<Vec<u8>> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(at) = rest.iter().position(|byte| opens_gap(*byte)) {
        let (plain, gap) = rest.split_at(at);
        out.extend_from_slice(plain);
        let length = gap_length(gap);
        out.extend_from_slice(gap.get(..usize::from(length == 0)).unwrap_or_default());
        rest = gap.get(length.max(1)..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    (out.len() < text.len()).then_some(out)
}

/// Whether a gap can begin with this byte: a blank, or the first byte of a character outside ASCII.
fn opens_gap(byte: u8) -> bool {
    byte <= b' ' || byte >= 0xc2
}

/// How many bytes of a gap open a text.
fn gap_length(text: &[u8]) -> usize {
    match text {
        [0 | b' ' | b'\t' | b'\n' | b'\r', ..] => 1,
        // No-break space, soft hyphen.
        [0xc2, 0xa0 | 0xad, ..] => 2,
        // Spaces of all widths, joiners and marks of direction; invisible operators; variation selectors; byte order
        // mark; the spaces of Mongolian and of Chinese, Japanese and Korean.
        [0xe2, 0x80, 0x80..=0x8f | 0xa8..=0xaf, ..]
        | [0xe2, 0x81, 0x9f..=0xaf, ..]
        | [0xef, 0xb8, 0x80..=0x8f, ..]
        | [0xef, 0xbb, 0xbf, ..]
        | [0xe1, 0xa0, 0x8e, ..]
        | [0xe3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_left_out_and_places_are_kept() {
        let squeezed = Squeezed::of(&Layer::plain("a \0b\u{200b}c  d".as_bytes(), 5)).unwrap();
        assert_eq!(squeezed.bytes, b"abcd");
        assert_eq!(squeezed.origin(&(1..3)), Some(8..13));
        assert!(Squeezed::of(&Layer::plain(b"abcd", 0)).is_none());
    }

    #[test]
    fn the_bytes_alone_are_the_same() {
        let gaps = "\u{a0}x\u{ad}\u{180e}ä\u{2003}\u{2060}€\u{3000}y\u{fe0f}\u{feff}";
        for text in ["a \0b\u{200b}c  d", gaps, "\u{2060}", " ", "", "ab"] {
            let squeezed = Squeezed::of(&Layer::plain(text.as_bytes(), 0)).map(|it| it.bytes);
            assert_eq!(squeeze_bytes(text.as_bytes()), squeezed, "{text:?}");
        }
    }
}
