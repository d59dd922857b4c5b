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
}
