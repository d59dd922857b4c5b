//! Receives a body within size limits: pieces and their arrival times in, a [`Body`] out.
//!
//! No I/O. What arrived before an error is kept as evidence.

use super::bounds::{Oversize, SizeLimits};
use super::error::TransportError;
use super::exchange::{Body, TimedFrame};
use super::sniff::{BodyShape, detect_shape, shape_of_empty};
use crate::secret::Scrubber;
use crate::wire::{Frame, FrameReader, Framing};

/// How many bytes of a body beyond the limits are kept as evidence.
const KEPT_OF_OVERSIZE: usize = 64 * 1024;

/// How many bytes more are scrubbed before the beginning is cut off.
const SCRUBBED_BEYOND: usize = 16 * 1024;

/// A reply of this many bytes needs no room of its own.
const SMALL: usize = 64 * 1024;

/// How many bytes are awaited that say whether a body is a stream. Beyond them the content type
/// decides, so that leading blanks are not scanned again for every piece.
const MAX_UNDECIDED: usize = 4096;

/// Receives one body.
#[derive(Debug)]
pub(super) struct Receiver {
    limits: SizeLimits,
    expected: Option<Framing>,
    content_type: Option<String>,
    received: usize,
    state: BodyState,
}

#[derive(Debug)]
enum BodyState {
    /// Not yet known whether it is a stream.
    Undecided(Vec<u8>),
    Whole(Vec<u8>),
    Frames {
        reader: Option<FrameReader>,
        fresh: Vec<Frame>,
        frames: Vec<TimedFrame>,
    },
}

impl Receiver {
    /// A receiver of a stream in the `expected` framing, if the body turns out to be one.
    pub(super) fn new(
        expected: Option<Framing>,
        content_type: Option<String>,
        limits: SizeLimits,
    ) -> Self {
        let state = match expected {
            Some(_) => BodyState::Undecided(Vec::new()),
            None => BodyState::Whole(Vec::new()),
        };
        Self { limits, expected, content_type, received: 0, state }
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, bytes: &[u8], at_ms: u64) -> Result<(), TransportError> {
        self.received += bytes.len();
        match &mut self.state {
            BodyState::Undecided(start) => {
                start.extend_from_slice(bytes);
                self.decide(at_ms)
            }
            BodyState::Whole(body) => {
                self.limits.check(Oversize::Body, self.received)?;
                body.extend_from_slice(bytes);
                Ok(())
            }
            BodyState::Frames { .. } => self.push_frames(bytes, at_ms),
        }
    }

    /// The body has ended.
    pub(super) fn finish(&mut self, at_ms: u64) -> Result<(), TransportError> {
        if let BodyState::Undecided(start) = &mut self.state {
            let start = std::mem::take(start);
            let shape = shape_of_empty(self.content_type.as_deref());
            let shape = if start.trim_ascii().is_empty() { shape } else { BodyShape::Whole };
            self.settle(shape, &start, at_ms)?;
        }
        match &mut self.state {
            BodyState::Frames { reader, fresh, frames } => {
                let end = reader.take().map_or(Ok(()), |reader| reader.finish(fresh));
                let stamped = stamp(fresh, frames, at_ms, &self.limits);
                end?;
                stamped
            }
            BodyState::Whole(body) | BodyState::Undecided(body) => {
                let invalid = |error: std::str::Utf8Error| TransportError::NotUtf8 {
                    offset: error.valid_up_to() as u64,
                };
                std::str::from_utf8(body).map_err(invalid)?;
                self.limits.check_values(body)
            }
        }
    }

    /// What came, without secrets. `oversize` keeps only its beginning.
    pub(super) fn into_body(self, scrubber: &Scrubber, oversize: bool) -> Body {
        let keep = if oversize { KEPT_OF_OVERSIZE } else { usize::MAX };
        // Cut after scrubbing: no half of a secret may stand at the end.
        let searched = keep.saturating_add(SCRUBBED_BEYOND);
        match self.state {
            BodyState::Whole(mut bytes) | BodyState::Undecided(mut bytes) => {
                bytes.truncate(searched);
                let mut text = String::from_utf8(bytes)
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
                if text.starts_with('\u{feff}') {
                    text.remove(0);
                }
                scrubber.pieces(vec![&mut text]);
                cut_to(&mut text, keep);
                Body::Whole(text)
            }
            BodyState::Frames { frames, .. } => {
                let mut frames = first_bytes(frames, searched);
                scrub(&mut frames, scrubber);
                Body::Frames(first_bytes(frames, keep))
            }
        }
    }

    fn decide(&mut self, at_ms: u64) -> Result<(), TransportError> {
        let (Some(framing), BodyState::Undecided(start)) = (self.expected, &mut self.state) else {
            return Ok(());
        };
        match detect_shape(framing, self.content_type.as_deref(), start) {
            BodyShape::Undecided if start.len() <= MAX_UNDECIDED => {
                self.limits.check(Oversize::Body, self.received)
            }
            BodyShape::Undecided => {
                let start = std::mem::take(start);
                self.settle(shape_of_empty(self.content_type.as_deref()), &start, at_ms)
            }
            decided => {
                let start = std::mem::take(start);
                self.settle(decided, &start, at_ms)
            }
        }
    }

    fn settle(&mut self, shape: BodyShape, start: &[u8], at_ms: u64) -> Result<(), TransportError> {
        if let (BodyShape::Frames, Some(framing)) = (shape, self.expected) {
            let reader = Some(FrameReader::with_limits(framing, self.limits.frames()));
            self.state = BodyState::Frames { reader, fresh: Vec::new(), frames: Vec::new() };
            return self.push_frames(start, at_ms);
        }
        self.state = BodyState::Whole(start.to_vec());
        self.limits.check(Oversize::Body, self.received)
    }

    fn push_frames(&mut self, bytes: &[u8], at_ms: u64) -> Result<(), TransportError> {
        let BodyState::Frames { reader: Some(reader), fresh, frames } = &mut self.state else {
            return Ok(());
        };
        self.limits.check(Oversize::Stream, self.received)?;
        let read = reader.push(bytes, fresh);
        let stamped = stamp(fresh, frames, at_ms, &self.limits);
        read?;
        stamped
    }

    /// How many bytes came.
    pub(super) fn received(&self) -> usize {
        self.received
    }

    /// The most bytes that a body may have which comes to so many at least; `None` where that is a small reply.
    pub(super) fn wants_room(&self, coming: usize) -> Option<usize> {
        let whole = match self.state {
            BodyState::Frames { .. } | BodyState::Undecided(_) => Oversize::Stream,
            BodyState::Whole(_) => Oversize::Body,
        };
        (coming > SMALL).then(|| self.limits.of(whole))
    }
}

/// Keeps fresh frames with the time they came at.
fn stamp(
    fresh: &mut Vec<Frame>,
    frames: &mut Vec<TimedFrame>,
    at_ms: u64,
    limits: &SizeLimits,
) -> Result<(), TransportError> {
    for frame in fresh.drain(..) {
        if let Frame::Event { data, .. } = &frame {
            limits.check_values(data.as_bytes())?;
        }
        frames.push(TimedFrame { at_ms, frame });
    }
    limits.check(Oversize::FrameCount, frames.len())
}

fn cut_to(text: &mut String, limit: usize) {
    let end = (0..=limit.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.truncate(end.unwrap_or_default());
}

/// The frames that fit into so many bytes.
fn first_bytes(frames: Vec<TimedFrame>, limit: usize) -> Vec<TimedFrame> {
    let mut size = 0;
    let fits = |timed: &TimedFrame| {
        size += timed.frame.size();
        size <= limit
    };
    frames.into_iter().take_while(fits).collect()
}

/// Frame by frame, and over all frames, because a client joins what stands in them.
fn scrub(frames: &mut [TimedFrame], scrubber: &Scrubber) {
    let (mut names, mut texts) = (Vec::new(), Vec::new());
    for timed in frames {
        match &mut timed.frame {
            Frame::Event { event, data } => {
                names.extend(event);
                texts.push(data);
            }
            Frame::Comment(text) => texts.push(text),
        }
    }
    scrubber.pieces(names);
    scrubber.pieces(texts);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    fn receive(
        expected: Option<Framing>,
        content_type: &str,
        pieces: &[&[u8]],
        limits: SizeLimits,
    ) -> (Result<(), TransportError>, Body) {
        let mut receiver = Receiver::new(expected, Some(content_type.to_owned()), limits);
        let pushed = (0..).zip(pieces).try_for_each(|(at, piece)| receiver.push(piece, at));
        let result = pushed.and_then(|()| receiver.finish(99));
        let oversize = matches!(result, Err(TransportError::TooLarge { .. }));
        let scrubber = Scrubber::new([Secret::new("sk-12345678")]);
        (result, receiver.into_body(&scrubber, oversize))
    }

    fn timed(at_ms: u64, data: &str) -> TimedFrame {
        TimedFrame { at_ms, frame: Frame::data(data) }
    }

    #[test]
    fn frames_carry_the_time_of_the_piece_that_completed_them() {
        let pieces: [&[u8]; 4] = [b"da", b"ta: 1\n", b"\ndata: \xe6", b"\xbc\xa2"];
        let received = receive(Some(Framing::Sse), "text/plain", &pieces, SizeLimits::default());
        assert_eq!(received, (Ok(()), Body::Frames(vec![timed(2, "1"), timed(99, "漢")])));
    }

    #[test]
    fn a_small_reply_needs_no_room_and_a_large_one_that_of_the_largest_of_its_kind() {
        let limits = SizeLimits::default();
        for (expected, largest) in [(None, Oversize::Body), (Some(Framing::Sse), Oversize::Stream)]
        {
            let receiver = Receiver::new(expected, None, limits);
            assert_eq!(receiver.wants_room(SMALL), None);
            assert_eq!(receiver.wants_room(SMALL + 1), Some(limits.of(largest)));
        }
    }

    #[test]
    fn a_stream_that_was_not_given_is_one_text() {
        let pieces: [&[u8]; 2] = [b" \n", b"{\"id\":1}"];
        for content_type in ["application/json", "text/event-stream"] {
            let received =
                receive(Some(Framing::Sse), content_type, &pieces, SizeLimits::default());
            assert_eq!(received, (Ok(()), Body::Whole(" \n{\"id\":1}".into())), "{content_type}");
        }
    }

    #[test]
    fn an_empty_event_stream_is_a_stream_without_frames() {
        let received = receive(Some(Framing::Sse), "text/event-stream", &[], SizeLimits::default());
        assert_eq!(received, (Ok(()), Body::Frames(vec![])));
    }

    #[test]
    fn endless_blank_space_is_decided_by_the_content_type() {
        let blank = b" ".repeat(2 * MAX_UNDECIDED);
        for (content_type, is_whole) in [("text/event-stream", false), ("text/plain", true)] {
            let pieces: [&[u8]; 2] = [&blank, b"\ndata: 1\n\n"];
            let (_, body) =
                receive(Some(Framing::Sse), content_type, &pieces, SizeLimits::default());
            assert_eq!(matches!(body, Body::Whole(_)), is_whole, "{content_type}");
        }
    }

    #[test]
    fn secrets_are_taken_out_of_bodies_and_frames() {
        let whole = receive(None, "text/plain", &[b"bad key sk-12345678"], SizeLimits::default());
        assert_eq!(whole.1, Body::Whole("bad key [secret]".into()));
        let pieces: [&[u8]; 1] = [b"data: sk-12345678\n\n"];
        let frames = receive(Some(Framing::Sse), "text/plain", &pieces, SizeLimits::default());
        assert_eq!(frames.1, Body::Frames(vec![timed(0, "[secret]")]));
        let pieces: [&[u8]; 1] =
            [b"data: {\"delta\":\"sk-123\"}\n\ndata: {\"delta\":\"45678\"}\n\n"];
        let halves = receive(Some(Framing::Sse), "text/plain", &pieces, SizeLimits::default());
        let blank = || timed(0, "{\"delta\":\"[secret]\"}");
        assert_eq!(halves.1, Body::Frames(vec![blank(), blank()]));
    }

    #[test]
    fn bodies_streams_frames_and_their_number_are_bounded() {
        let limits = SizeLimits::default()
            .with(Oversize::Body, 40)
            .with(Oversize::Stream, 90)
            .with(Oversize::Frame, 64)
            .with(Oversize::FrameCount, 3)
            .with(Oversize::Values, 5);
        let error = |expected, piece: &[u8], times| {
            let pieces = vec![piece; times];
            receive(expected, "text/event-stream", &pieces, limits).0.unwrap_err()
        };
        let too_large = |what, limit| TransportError::TooLarge { what, limit };
        assert_eq!(error(None, b"xxxxxxxxxx", 5), too_large(Oversize::Body, 40));
        let sse = Some(Framing::Sse);
        assert_eq!(error(sse, b"data: 1\n\n", 4), too_large(Oversize::FrameCount, 3));
        assert_eq!(
            error(sse, b"data: 12345678901234567890\n\n", 4),
            too_large(Oversize::Stream, 90)
        );
        assert_eq!(error(sse, b"data: 1234567890123456", 3), too_large(Oversize::Frame, 64));
        assert_eq!(error(sse, b"          ", 5), too_large(Oversize::Body, 40));
        assert_eq!(error(None, b"[[[],[]]]", 1), too_large(Oversize::Values, 5));
        assert_eq!(error(sse, b"data: [[[],[]]]\n\n", 1), too_large(Oversize::Values, 5));
    }

    #[test]
    fn invalid_text_is_an_error_with_the_place_and_the_rest_is_evidence() {
        let (result, body) = receive(None, "text/plain", &[b"abc\xff"], SizeLimits::default());
        assert_eq!(result, Err(TransportError::NotUtf8 { offset: 3 }));
        assert_eq!(body, Body::Whole("abc\u{fffd}".into()));
    }

    #[test]
    fn frames_before_an_invalid_one_are_evidence() {
        let pieces: [&[u8]; 1] = [b"data: 1\n\ndata: \xff\n\n"];
        let (result, body) = receive(Some(Framing::Sse), "", &pieces, SizeLimits::default());
        assert_eq!(result, Err(TransportError::NotUtf8 { offset: 15 }));
        assert_eq!(body, Body::Frames(vec![timed(0, "1")]));
    }

    #[test]
    fn no_half_of_a_secret_is_left_where_an_oversize_body_is_cut() {
        let limits = SizeLimits::default().with(Oversize::Body, 200_000);
        let start = "é".repeat(KEPT_OF_OVERSIZE / 2 - 3) + "sk-12345678";
        let rest = vec![b'x'; 150_000];
        let (_, body) = receive(None, "text/plain", &[start.as_bytes(), &rest], limits);
        let Body::Whole(text) = body else { panic!("a stream") };
        assert!(text.len() <= KEPT_OF_OVERSIZE && text.ends_with("é[secre"), "{}", text.len());
    }

    #[test]
    fn only_the_beginning_of_an_oversize_body_is_kept() {
        let limits = SizeLimits::default().with(Oversize::Body, 200_000);
        let piece = vec![b'x'; 150_000];
        let (result, body) = receive(None, "text/plain", &[&piece, &piece], limits);
        assert!(matches!(result, Err(TransportError::TooLarge { .. })));
        assert_eq!(body, Body::Whole("x".repeat(KEPT_OF_OVERSIZE)));
    }
}
