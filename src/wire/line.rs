//! Splits chunks of bytes into lines.
//!
//! A line is checked for UTF-8 once, when it is whole, so a character may be cut anywhere; line
//! ends are looked for in the new bytes only.

use super::WireError;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// What ends a line. U+2028 and the like never do: they are ordinary characters of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// LF, CRLF or CR, as server-sent events have it.
    LfOrCr,
    /// LF alone; a CR before it stays in the line, where it is white space to JSON.
    Lf,
}

/// Cuts a byte stream into lines.
#[derive(Debug)]
pub(super) struct LineSplitter {
    ends: LineEnds,
    limit: usize,
    /// The line that has begun and not ended.
    partial: Vec<u8>,
    /// The offset of its first byte.
    start: u64,
    /// The last byte was a CR: an LF that follows belongs to the same line end.
    after_cr: bool,
    #[cfg(test)]
    examined: usize,
}

impl LineSplitter {
    /// A splitter that refuses lines of more than `limit` bytes.
    pub(super) fn new(ends: LineEnds, limit: usize) -> Self {
        Self {
            ends,
            limit,
            partial: Vec::new(),
            start: 0,
            after_cr: false,
            #[cfg(test)]
            examined: 0,
        }
    }

    /// Takes the next bytes and calls `take` with each line they complete and its offset.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&str, u64) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        let mut rest = self.skip_second_half_of_crlf(bytes);
        while let Some((piece, end, after)) = self.split_at_end(rest) {
            self.complete(piece, &mut take)?;
            self.start += 1;
            self.after_cr = end == b'\r';
            rest = self.skip_second_half_of_crlf(after);
        }
        self.partial.extend_from_slice(rest);
        self.check_size(self.partial.len())
    }

    /// The input has ended: what is left is the last line, up to a character the end cut through.
    pub(super) fn finish(
        self,
        mut take: impl FnMut(&str, u64) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        if self.partial.is_empty() {
            return Ok(());
        }
        take(strip_mark(utf8_prefix(&self.partial, self.start)?, self.start), self.start)
    }

    fn skip_second_half_of_crlf<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let Some((first, rest)) = bytes.split_first() else { return bytes };
        if std::mem::take(&mut self.after_cr) && *first == b'\n' {
            self.start += 1;
            self.count(1);
            return rest;
        }
        bytes
    }

    fn split_at_end<'b>(&mut self, bytes: &'b [u8]) -> Option<(&'b [u8], u8, &'b [u8])> {
        let end = match self.ends {
            LineEnds::LfOrCr => memchr::memchr2(b'\n', b'\r', bytes),
            LineEnds::Lf => memchr::memchr(b'\n', bytes),
        };
        self.count(end.map_or(bytes.len(), |end| end + 1));
        let (piece, tail) = bytes.split_at_checked(end?)?;
        let (end, after) = tail.split_first()?;
        Some((piece, *end, after))
    }

    /// A line has ended with `piece`; it is copied only if it began in an earlier chunk.
    fn complete(
        &mut self,
        piece: &[u8],
        take: &mut impl FnMut(&str, u64) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        let size = self.partial.len() + piece.len();
        self.check_size(size)?;
        let line = if self.partial.is_empty() {
            piece
        } else {
            self.partial.extend_from_slice(piece);
            &self.partial
        };
        take(strip_mark(utf8(line, self.start)?, self.start), self.start)?;
        self.partial.clear();
        self.start += size as u64;
        Ok(())
    }

    fn check_size(&self, size: usize) -> Result<(), WireError> {
        if size > self.limit {
            return Err(WireError::FrameTooLarge { limit: self.limit, offset: self.start });
        }
        Ok(())
    }

    #[cfg(test)]
    fn count(&mut self, bytes: usize) {
        self.examined += bytes;
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "the counter exists in tests only")]
    fn count(&mut self, _bytes: usize) {}

    #[cfg(test)]
    pub(super) fn examined(&self) -> usize {
        self.examined
    }
}

/// The text of a whole line or element that began at `start`.
pub(super) fn utf8(bytes: &[u8], start: u64) -> Result<&str, WireError> {
    std::str::from_utf8(bytes)
        .map_err(|error| WireError::NotUtf8 { offset: start + error.valid_up_to() as u64 })
}

/// The text of a line or element that the end of the input cut, without half a character.
pub(super) fn utf8_prefix(bytes: &[u8], start: u64) -> Result<&str, WireError> {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => {
            utf8(bytes.get(..error.valid_up_to()).unwrap_or_default(), start)
        }
        _ => utf8(bytes, start),
    }
}

fn strip_mark(line: &str, start: u64) -> &str {
    if start > 0 {
        return line;
    }
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
}
