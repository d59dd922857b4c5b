//! Reader of server-sent events.
//!
//! The parsing rules of the HTML standard, with two additions: comments are frames (keep-alives are
//! evidence), and an event that the end of the input leaves open is delivered. `id` and `retry` are
//! for reconnecting clients and are dropped, as are unknown fields.

use super::line::{LineEnds, LineSplitter};
use super::{Frame, WireError, WireLimits};

#[derive(Debug)]
pub(super) struct SseReader {
    lines: LineSplitter,
    open: OpenEvent,
}

impl SseReader {
    pub(super) fn new(limits: WireLimits) -> Self {
        let limit = limits.max_frame_bytes;
        Self {
            lines: LineSplitter::new(LineEnds::LfOrCr, limit),
            open: OpenEvent { limit, event: None, data: None },
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<Frame>) -> Result<(), WireError> {
        let Self { lines, open } = self;
        lines.push(bytes, |line, offset| open.take_line(line, offset, out))
    }

    pub(super) fn finish(self, out: &mut Vec<Frame>) -> Result<(), WireError> {
        let Self { lines, mut open } = self;
        lines.finish(|line, offset| open.take_line(line, offset, out))?;
        open.dispatch(out);
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn examined(&self) -> usize {
        self.lines.examined()
    }
}

/// The event whose blank line has not come yet.
#[derive(Debug)]
struct OpenEvent {
    limit: usize,
    event: Option<String>,
    data: Option<String>,
}

impl OpenEvent {
    fn take_line(
        &mut self,
        line: &str,
        offset: u64,
        out: &mut Vec<Frame>,
    ) -> Result<(), WireError> {
        if line.is_empty() {
            self.dispatch(out);
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => out.push(Frame::Comment(value.to_owned())),
            "event" => self.event = (!value.is_empty()).then(|| value.to_owned()),
            "data" => self.append_data(value, offset)?,
            _ => {}
        }
        Ok(())
    }

    fn append_data(&mut self, value: &str, offset: u64) -> Result<(), WireError> {
        let Some(data) = &mut self.data else {
            self.data = Some(value.to_owned());
            return Ok(());
        };
        if data.len() + 1 + value.len() > self.limit {
            return Err(WireError::FrameTooLarge { limit: self.limit, offset });
        }
        data.push('\n');
        data.push_str(value);
        Ok(())
    }

    /// Emits the event; one without any `data` line is dropped.
    fn dispatch(&mut self, out: &mut Vec<Frame>) {
        let event = self.event.take();
        if let Some(data) = self.data.take() {
            out.push(Frame::Event { event, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FrameReader, Framing, read_all};
    use super::*;

    fn read(bytes: impl AsRef<[u8]>) -> Vec<Frame> {
        read_all(Framing::Sse, bytes.as_ref()).unwrap()
    }

    #[test]
    fn lf_crlf_and_cr_all_end_a_line() {
        let expected = [Frame::named("a", "1\n2"), Frame::data("3")];
        for end in ["\n", "\r\n", "\r"] {
            let text = ["event: a", "data: 1", "data: 2", "", "data: 3", "", ""].join(end);
            assert_eq!(read(&text), expected, "{end:?}");
        }
    }

    #[test]
    fn a_crlf_cut_in_half_is_one_line_end() {
        let (mut reader, mut frames) = (FrameReader::new(Framing::Sse), Vec::new());
        reader.push(b"data: 1\r", &mut frames).unwrap();
        reader.push(b"\ndata: 2\r", &mut frames).unwrap();
        assert_eq!(frames, []);
        reader.push(b"\n\r", &mut frames).unwrap();
        assert_eq!(frames, [Frame::data("1\n2")]);
    }

    #[test]
    fn the_space_after_the_colon_is_optional_and_only_one_is_dropped() {
        assert_eq!(read("data:x\n\ndata:  x\n\n"), [Frame::data("x"), Frame::data(" x")]);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_at_the_start_only() {
        let text = "\u{feff}data: 1\n\n\u{feff}data: 2\n\n";
        assert_eq!(read(text), [Frame::data("1")]);
    }

    #[test]
    fn comments_are_frames_in_their_place() {
        let frames = read(": keep-alive\n\ndata: 1\n:inside\ndata: 2\n\n");
        let comment = |text: &str| Frame::Comment(text.to_owned());
        assert_eq!(frames, [comment("keep-alive"), comment("inside"), Frame::data("1\n2")]);
    }

    #[test]
    fn an_event_needs_data_but_the_data_may_be_empty() {
        assert_eq!(read("event: ping\n\ndata: 1\n\ndata\n\n"), [Frame::data("1"), Frame::data("")]);
    }

    #[test]
    fn id_retry_and_unknown_fields_are_dropped() {
        assert_eq!(read("id: 7\nretry: 10\nfoo: bar\nEVENT: x\ndata: 1\n\n"), [Frame::data("1")]);
    }

    #[test]
    fn an_event_without_its_blank_line_is_delivered_at_the_end() {
        assert_eq!(read("event: a\ndata: [DONE]"), [Frame::named("a", "[DONE]")]);
    }

    #[test]
    fn line_and_paragraph_separators_are_ordinary_characters() {
        let data = "a\u{2028}b\u{2029}c\u{85}d\u{b}e";
        assert_eq!(read(format!("data: {data}\n\n")), [Frame::data(data)]);
    }

    #[test]
    fn invalid_utf8_is_an_error_with_its_offset_and_earlier_frames_stay() {
        let (mut reader, mut frames) = (FrameReader::new(Framing::Sse), Vec::new());
        let result = reader.push(b"data: 1\n\ndata: \xff\n\n", &mut frames);
        assert_eq!(result, Err(WireError::NotUtf8 { offset: 15 }));
        assert_eq!(frames, [Frame::data("1")]);
    }

    #[test]
    fn a_character_cut_by_the_end_of_the_input_is_left_out() {
        assert_eq!(read(b"data: a\xe2\x82"), [Frame::data("a")]);
    }

    #[test]
    fn a_frame_beyond_the_limit_is_refused_whether_one_line_or_many() {
        let limits = WireLimits { max_frame_bytes: 16, ..WireLimits::default() };
        for text in
            ["data: 12345678901\n\n", "data: 1234567\ndata: 890123456\n\n", "xxxxxxxxxxxxxxxxx"]
        {
            let mut reader = FrameReader::with_limits(Framing::Sse, limits);
            let result = reader.push(text.as_bytes(), &mut Vec::new());
            assert!(matches!(result, Err(WireError::FrameTooLarge { limit: 16, .. })), "{text}");
        }
    }
}
