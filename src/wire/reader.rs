//! Reader of frames for every framing, with its limits and its errors.

use super::json_array::ArrayReader;
use super::ndjson::NdjsonReader;
use super::sse::SseReader;
use super::{Frame, Framing};

/// What a reader refuses to hold in memory or to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireLimits {
    /// The largest frame, in bytes.
    pub max_frame_bytes: usize,
    /// The deepest nesting of an array element. The other framings leave nesting to the JSON parser.
    pub max_depth: usize,
}

impl Default for WireLimits {
    fn default() -> Self {
        Self { max_frame_bytes: 16 * 1024 * 1024, max_depth: 128 }
    }
}

/// Why bytes are not a stream of frames. Offsets count bytes from the start of the stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A byte sequence that is not a character.
    #[error("invalid UTF-8 at byte {offset} of the stream")]
    NotUtf8 {
        /// Where the invalid sequence begins.
        offset: u64,
    },
    /// A frame that outgrew [`WireLimits::max_frame_bytes`].
    #[error("the frame at byte {offset} of the stream is larger than {limit} bytes")]
    FrameTooLarge {
        /// In bytes.
        limit: usize,
        /// Where the line or element that passed it begins.
        offset: u64,
    },
    /// An array element nested beyond [`WireLimits::max_depth`].
    #[error("JSON nested deeper than {limit} levels at byte {offset} of the stream")]
    TooDeep {
        /// The limit.
        limit: usize,
        /// Where the level above it begins.
        offset: u64,
    },
    /// A byte that no JSON array has at this place.
    #[error("expected {expected} at byte {offset} of the JSON array, found {found:?}")]
    NotAnArray {
        /// Where it stands.
        offset: u64,
        /// The byte, as a character.
        found: char,
        /// What may stand there.
        expected: &'static str,
    },
}

/// Takes the bytes of one stream as they arrive and gives its frames.
///
/// Frames are appended to the caller's list, so that those before an error are not lost. After an
/// error the reader has nothing more to say: drop it.
///
/// ```
/// use toolprobe::wire::{Frame, FrameReader, Framing};
///
/// let (mut reader, mut frames) = (FrameReader::new(Framing::Sse), Vec::new());
/// reader.push(b"data: {\"a\":", &mut frames)?;
/// assert!(frames.is_empty());
/// reader.push(b"1}\n\n", &mut frames)?;
/// reader.finish(&mut frames)?;
/// assert_eq!(frames, [Frame::data(r#"{"a":1}"#)]);
/// # Ok::<(), toolprobe::wire::WireError>(())
/// ```
#[derive(Debug)]
pub struct FrameReader(FramingReader);

#[derive(Debug)]
enum FramingReader {
    Sse(SseReader),
    Ndjson(NdjsonReader),
    JsonArray(ArrayReader),
}

impl FrameReader {
    /// A reader with the default limits.
    pub fn new(framing: Framing) -> Self {
        Self::with_limits(framing, WireLimits::default())
    }

    /// A reader with other limits.
    pub fn with_limits(framing: Framing, limits: WireLimits) -> Self {
        Self(match framing {
            Framing::Sse => FramingReader::Sse(SseReader::new(limits)),
            Framing::Ndjson => FramingReader::Ndjson(NdjsonReader::new(limits)),
            Framing::JsonArray => FramingReader::JsonArray(ArrayReader::new(limits)),
        })
    }

    /// Takes the next bytes, cut anywhere, and appends the frames that they complete.
    pub fn push(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), WireError> {
        match &mut self.0 {
            FramingReader::Sse(reader) => reader.push(bytes, frames),
            FramingReader::Ndjson(reader) => reader.push(bytes, frames),
            FramingReader::JsonArray(reader) => reader.push(bytes, frames),
        }
    }

    /// The input has ended: appends the frame that was still open, if there is one.
    ///
    /// Lenient on purpose: servers forget the last blank line, and a cut frame is evidence. A cut
    /// JSON object does not parse, so nothing downstream can take it for a whole one; a character
    /// that the cut went through is left out.
    pub fn finish(self, frames: &mut Vec<Frame>) -> Result<(), WireError> {
        match self.0 {
            FramingReader::Sse(reader) => reader.finish(frames),
            FramingReader::Ndjson(reader) => reader.finish(frames),
            FramingReader::JsonArray(reader) => reader.finish(frames),
        }
    }

    /// How many bytes have been looked at, counting each time one was.
    #[cfg(test)]
    pub(super) fn examined(&self) -> usize {
        match &self.0 {
            FramingReader::Sse(reader) => reader.examined(),
            FramingReader::Ndjson(reader) => reader.examined(),
            FramingReader::JsonArray(reader) => reader.examined(),
        }
    }
}

/// All frames of a stream that is already whole.
pub fn read_all(framing: Framing, bytes: &[u8]) -> Result<Vec<Frame>, WireError> {
    let mut frames = Vec::new();
    let mut reader = FrameReader::new(framing);
    reader.push(bytes, &mut frames)?;
    reader.finish(&mut frames)?;
    Ok(frames)
}
