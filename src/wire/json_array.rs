//! Reader of a JSON array whose elements arrive one by one.
//!
//! A byte machine that knows strings, escapes and nesting, and no more of JSON: the decoder finds out
//! whether an element is a valid value. A trailing comma is tolerated.

use super::line::{utf8, utf8_prefix};
use super::{Frame, WireError, WireLimits};

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

#[derive(Debug)]
pub(super) struct ArrayReader {
    limits: WireLimits,
    state: ArrayState,
    /// The element that has begun and not ended.
    element: Vec<u8>,
    /// The offset of its first byte.
    element_start: u64,
    /// How many bytes came before the one at hand.
    offset: u64,
    #[cfg(test)]
    examined: usize,
}

#[derive(Debug, Clone, Copy)]
enum ArrayState {
    /// Before the opening bracket.
    Start,
    /// An element may begin or the array may end.
    Value,
    /// Inside an object, an array or a string.
    Nested { depth: usize, text: StringState },
    /// Inside a number or a word, which only what follows can end.
    Word,
    /// Between an element and the comma or bracket after it.
    Separator,
    /// After the closing bracket.
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StringState {
    Outside,
    Inside,
    AfterBackslash,
}

impl ArrayReader {
    pub(super) fn new(limits: WireLimits) -> Self {
        Self {
            limits,
            state: ArrayState::Start,
            element: Vec::new(),
            element_start: 0,
            offset: 0,
            #[cfg(test)]
            examined: 0,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<Frame>) -> Result<(), WireError> {
        for byte in bytes {
            self.step(*byte, out)?;
            self.offset += 1;
        }
        Ok(())
    }

    pub(super) fn finish(self, out: &mut Vec<Frame>) -> Result<(), WireError> {
        if !self.element.is_empty() {
            out.push(Frame::data(utf8_prefix(&self.element, self.element_start)?));
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn examined(&self) -> usize {
        self.examined
    }

    fn step(&mut self, byte: u8, out: &mut Vec<Frame>) -> Result<(), WireError> {
        #[cfg(test)]
        {
            self.examined += 1;
        }
        match (self.state, byte) {
            (ArrayState::Nested { depth, text }, _) => self.step_nested(depth, text, byte, out),
            (ArrayState::Word, b',' | b']' | b' ' | b'\t' | b'\r' | b'\n') => {
                self.emit(out)?;
                self.step_between(byte, ArrayState::Separator)
            }
            (ArrayState::Word, _) => self.keep(byte),
            (between, _) => self.step_between(byte, between),
        }
    }

    /// A byte outside of every element.
    fn step_between(&mut self, byte: u8, state: ArrayState) -> Result<(), WireError> {
        self.state = match (state, byte) {
            (_, b' ' | b'\t' | b'\r' | b'\n') => state,
            (ArrayState::Start, b'[') | (ArrayState::Separator, b',') => ArrayState::Value,
            (ArrayState::Start, _) if self.is_byte_order_mark(byte) => ArrayState::Start,
            (ArrayState::Value | ArrayState::Separator, b']') => ArrayState::Done,
            (ArrayState::Value, _) => return self.begin(byte),
            (ArrayState::Start, _) => return Err(self.unexpected(byte, "'['")),
            (ArrayState::Separator, _) => return Err(self.unexpected(byte, "',' or ']'")),
            (_, _) => return Err(self.unexpected(byte, "nothing after the closing ']'")),
        };
        Ok(())
    }

    fn begin(&mut self, byte: u8) -> Result<(), WireError> {
        self.state = match byte {
            b'{' | b'[' => ArrayState::Nested { depth: 1, text: StringState::Outside },
            b'"' => ArrayState::Nested { depth: 0, text: StringState::Inside },
            b'}' | b':' | b',' => return Err(self.unexpected(byte, "a value")),
            _ => ArrayState::Word,
        };
        self.element_start = self.offset;
        self.keep(byte)
    }

    fn step_nested(
        &mut self,
        depth: usize,
        text: StringState,
        byte: u8,
        out: &mut Vec<Frame>,
    ) -> Result<(), WireError> {
        self.keep(byte)?;
        let text = text.after(byte);
        let depth = match byte {
            b'{' | b'[' if text == StringState::Outside => depth + 1,
            b'}' | b']' if text == StringState::Outside => depth.saturating_sub(1),
            _ => depth,
        };
        if depth > self.limits.max_depth {
            return Err(WireError::TooDeep { limit: self.limits.max_depth, offset: self.offset });
        }
        self.state = ArrayState::Nested { depth, text };
        if depth == 0 && text == StringState::Outside {
            self.emit(out)?;
        }
        Ok(())
    }

    fn keep(&mut self, byte: u8) -> Result<(), WireError> {
        let limit = self.limits.max_frame_bytes;
        if self.element.len() >= limit {
            return Err(WireError::FrameTooLarge { limit, offset: self.element_start });
        }
        self.element.push(byte);
        Ok(())
    }

    fn emit(&mut self, out: &mut Vec<Frame>) -> Result<(), WireError> {
        out.push(Frame::data(utf8(&self.element, self.element_start)?));
        self.element.clear();
        self.state = ArrayState::Separator;
        Ok(())
    }

    fn is_byte_order_mark(&self, byte: u8) -> bool {
        usize::try_from(self.offset).is_ok_and(|at| BYTE_ORDER_MARK.get(at) == Some(&byte))
    }

    fn unexpected(&self, byte: u8, expected: &'static str) -> WireError {
        WireError::NotAnArray { offset: self.offset, found: char::from(byte), expected }
    }
}

impl StringState {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Outside, b'"') | (Self::AfterBackslash, _) => Self::Inside,
            (Self::Inside, b'"') => Self::Outside,
            (Self::Inside, b'\\') => Self::AfterBackslash,
            (state, _) => state,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FrameReader, Framing, read_all};
    use super::*;

    fn read(text: &str) -> Result<Vec<Frame>, WireError> {
        read_all(Framing::JsonArray, text.as_bytes())
    }

    #[test]
    fn elements_of_every_kind_are_frames_as_they_stand() {
        let elements = [r#"{"a":[1,{"b":"]},["}]}"#, "[]", r#""x\"],\\""#, "-1.5e3", "null"];
        let text = format!("\u{feff} [{}]\n", elements.join(" ,\r\n"));
        assert_eq!(read(&text).unwrap(), elements.map(Frame::data));
    }

    #[test]
    fn an_element_is_given_before_the_next_byte_comes() {
        let (mut reader, mut frames) = (FrameReader::new(Framing::JsonArray), Vec::new());
        reader.push(b"[{\"a\":1}", &mut frames).unwrap();
        assert_eq!(frames, [Frame::data(r#"{"a":1}"#)]);
    }

    #[test]
    fn an_empty_array_and_an_empty_input_have_no_frames() {
        assert_eq!(read("[ ]").unwrap(), []);
        assert_eq!(read("").unwrap(), []);
    }

    #[test]
    fn a_trailing_comma_is_tolerated() {
        assert_eq!(read("[1,]").unwrap(), [Frame::data("1")]);
    }

    #[test]
    fn a_cut_element_is_delivered_as_far_as_it_came() {
        let cut = [Frame::data("{}"), Frame::data(r#"{"a":"b"#)];
        assert_eq!(read(r#"[{},{"a":"b"#).unwrap(), cut);
    }

    #[test]
    fn what_is_no_array_is_refused_with_the_place() {
        let error = |text| read(text).unwrap_err().to_string();
        assert_eq!(error("{}"), "expected '[' at byte 0 of the JSON array, found '{'");
        assert_eq!(error("[{} {}]"), "expected ',' or ']' at byte 4 of the JSON array, found '{'");
        assert_eq!(error("[1,,2]"), "expected a value at byte 3 of the JSON array, found ','");
        assert!(error("[] x").contains("nothing after the closing ']' at byte 3"));
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!("[{}", "[".repeat(200));
        assert_eq!(read(&deep), Err(WireError::TooDeep { limit: 128, offset: 129 }));
    }

    #[test]
    fn size_and_encoding_errors_name_the_byte() {
        let bytes = b"[1, {\"a\":\"\xff\"}]";
        let result = read_all(Framing::JsonArray, bytes);
        assert_eq!(result, Err(WireError::NotUtf8 { offset: 10 }));
        let limits = WireLimits { max_frame_bytes: 4, ..WireLimits::default() };
        let result = ArrayReader::new(limits).push(b"[1, [2,3]]", &mut Vec::new());
        assert_eq!(result, Err(WireError::FrameTooLarge { limit: 4, offset: 4 }));
    }
}
