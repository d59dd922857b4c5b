//! Writer of frames: the server's side of the framings, for the simulator and for replayed streams.
//!
//! What a framing cannot express is written in the nearest way: see [`FrameWriter::write`].

use super::{Frame, Framing};

/// How lines of server-sent events end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum LineEnd {
    /// LF.
    #[default]
    Lf,
    /// CR and LF.
    CrLf,
    /// CR.
    Cr,
}

impl LineEnd {
    fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// How server-sent events are spelled; every spelling reads back as the same frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SseStyle {
    /// How lines end.
    pub line_end: LineEnd,
    /// Whether a space follows the colon. A value that begins with a space gets one regardless.
    pub space: bool,
}

impl Default for SseStyle {
    fn default() -> Self {
        Self { line_end: LineEnd::Lf, space: true }
    }
}

/// Writes the frames of one stream, one by one.
#[derive(Debug)]
pub(crate) struct FrameWriter {
    framing: Framing,
    style: SseStyle,
    array: ArrayPosition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArrayPosition {
    BeforeFirst,
    AfterFirst,
}

impl FrameWriter {
    /// A writer in the usual spelling.
    pub(crate) fn new(framing: Framing) -> Self {
        Self { framing, style: SseStyle::default(), array: ArrayPosition::BeforeFirst }
    }

    /// A writer of server-sent events in another spelling.
    pub(crate) fn sse(style: SseStyle) -> Self {
        Self { style, ..Self::new(Framing::Sse) }
    }

    /// The bytes of the next frame.
    ///
    /// Server-sent events have no way to say a CR inside data (it becomes an LF, as one line each)
    /// or a line end in an event name (it becomes a space). The JSON framings have no event names,
    /// and a line end between tokens becomes a space in NDJSON; a comment becomes blank space, as
    /// the keep-alives of such servers are.
    pub(crate) fn write(&mut self, frame: &Frame) -> Vec<u8> {
        match (self.framing, frame) {
            (Framing::Sse, Frame::Event { event, data }) => self.sse_event(event.as_deref(), data),
            (Framing::Sse, Frame::Comment(text)) => self.sse_comment(text),
            (Framing::Ndjson, Frame::Event { data, .. }) => format!("{}\n", on_one_line(data)),
            (Framing::JsonArray, Frame::Event { data, .. }) => self.array_element(data),
            (Framing::Ndjson | Framing::JsonArray, Frame::Comment(_)) => "\n".to_owned(),
        }
        .into_bytes()
    }

    /// The bytes that end the stream: the bracket of an array, nothing elsewhere.
    pub(crate) fn finish(self) -> Vec<u8> {
        match (self.framing, self.array) {
            (Framing::JsonArray, ArrayPosition::BeforeFirst) => b"[]".to_vec(),
            (Framing::JsonArray, ArrayPosition::AfterFirst) => b"\n]".to_vec(),
            (Framing::Sse | Framing::Ndjson, _) => Vec::new(),
        }
    }

    fn sse_event(&self, event: Option<&str>, data: &str) -> String {
        let mut text = String::with_capacity(data.len() + 32);
        if let Some(event) = event {
            self.field(&mut text, "event", &on_one_line(event));
        }
        for line in lines(data) {
            self.field(&mut text, "data", line);
        }
        text.push_str(self.style.line_end.as_str());
        text
    }

    fn sse_comment(&self, comment: &str) -> String {
        let mut text = String::new();
        for line in lines(comment) {
            self.field(&mut text, "", line);
        }
        text.push_str(self.style.line_end.as_str());
        text
    }

    fn field(&self, text: &mut String, name: &str, value: &str) {
        text.push_str(name);
        text.push(':');
        if self.style.space || value.starts_with(' ') {
            text.push(' ');
        }
        text.push_str(value);
        text.push_str(self.style.line_end.as_str());
    }

    /// Google's array ends each element with a line of its own: the bracket follows a line end, as errors
    /// quoted in google-gemini/gemini-cli#19817 show it.
    fn array_element(&mut self, data: &str) -> String {
        match std::mem::replace(&mut self.array, ArrayPosition::AfterFirst) {
            ArrayPosition::BeforeFirst => format!("[{data}"),
            ArrayPosition::AfterFirst => format!("\n,\r\n{data}"),
        }
    }
}

/// The bytes of a whole stream.
pub fn write_all(framing: Framing, frames: &[Frame]) -> Vec<u8> {
    let mut writer = FrameWriter::new(framing);
    let mut bytes: Vec<u8> = frames.iter().flat_map(|frame| writer.write(frame)).collect();
    bytes.extend(writer.finish());
    bytes
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(framing: Framing, frames: &[Frame]) -> String {
        String::from_utf8(write_all(framing, frames)).unwrap()
    }

    #[test]
    fn events_are_spelled_as_providers_spell_them() {
        let frames = [Frame::named("ping", "{}"), Frame::data("a\nb"), Frame::Comment("hi".into())];
        let text = "event: ping\ndata: {}\n\ndata: a\ndata: b\n\n: hi\n\n";
        assert_eq!(written(Framing::Sse, &frames), text);
    }

    #[test]
    fn every_line_end_in_data_begins_a_new_data_line() {
        let text = "data: a\ndata: b\ndata: c\ndata: \n\n";
        assert_eq!(written(Framing::Sse, &[Frame::data("a\r\nb\rc\n")]), text);
    }

    #[test]
    fn an_array_has_its_brackets_and_commas_whatever_its_length() {
        let text = |frames: &[Frame]| written(Framing::JsonArray, frames);
        assert_eq!(text(&[]), "[]");
        assert_eq!(text(&[Frame::data("1")]), "[1\n]");
        assert_eq!(text(&[Frame::data("1"), Frame::data("{}")]), "[1\n,\r\n{}\n]");
    }

    #[test]
    fn ndjson_keeps_each_value_on_its_line() {
        assert_eq!(written(Framing::Ndjson, &[Frame::data("{\n}"), Frame::data("1")]), "{ }\n1\n");
    }
}
