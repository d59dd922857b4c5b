//! Reader of NDJSON: one JSON value per line.
//!
//! Blank lines are keep-alives and give no frame. Lines are not parsed here; the decoder
//! does that.

use super::line::{LineEnds, LineSplitter};
use super::{Frame, WireError, WireLimits};

#[derive(Debug)]
pub(super) struct NdjsonReader(LineSplitter);

impl NdjsonReader {
    pub(super) fn new(limits: WireLimits) -> Self {
        Self(LineSplitter::new(LineEnds::Lf, limits.max_frame_bytes))
    }

    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<Frame>) -> Result<(), WireError> {
        self.0.push(bytes, |line, _| {
            take_line(line, out);
            Ok(())
        })
    }

    pub(super) fn finish(self, out: &mut Vec<Frame>) -> Result<(), WireError> {
        self.0.finish(|line, _| {
            take_line(line, out);
            Ok(())
        })
    }

    #[cfg(test)]
    pub(super) fn examined(&self) -> usize {
        self.0.examined()
    }
}

fn take_line(line: &str, out: &mut Vec<Frame>) {
    let value = line.trim_matches([' ', '\t', '\r']);
    if !value.is_empty() {
        out.push(Frame::data(value));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Framing, read_all};
    use super::*;

    #[test]
    fn each_line_is_a_frame_and_blank_ones_are_none() {
        let text = "\u{feff}{\"a\":1}\r\n\n \t\r\n{\"b\":\"\u{2028}\"}\n{\"done\":true}";
        let expected = [r#"{"a":1}"#, "{\"b\":\"\u{2028}\"}", r#"{"done":true}"#];
        assert_eq!(read_all(Framing::Ndjson, text.as_bytes()).unwrap(), expected.map(Frame::data));
    }

    #[test]
    fn invalid_utf8_is_an_error_with_its_offset() {
        let result = read_all(Framing::Ndjson, b"{}\n{\"a\":\"\xc3\x28\"}\n");
        assert_eq!(result, Err(WireError::NotUtf8 { offset: 9 }));
    }

    #[test]
    fn an_endless_line_is_refused() {
        let limits = WireLimits { max_frame_bytes: 8, ..WireLimits::default() };
        let result = NdjsonReader::new(limits).push(b"123456789", &mut Vec::new());
        assert_eq!(result, Err(WireError::FrameTooLarge { limit: 8, offset: 0 }));
    }
}
