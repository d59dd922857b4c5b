//! Recutting: a recorded stream, read again in other pieces or cut short.
//!
//! Networks cut anywhere: inside a character, between CR and LF, in the middle of a number. A seed
//! chooses the spelling and the places, so that a failure can be repeated.

use crate::wire::{Frame, FrameReader, FrameWriter, Framing, LineEnd, SseStyle, WireError};

/// The longest piece, in bytes.
const LONGEST_PIECE: u64 = 24;

/// Every so many seeds, all pieces are single bytes.
const SINGLE_BYTES_EVERY: u64 = 4;

/// The pieces that a stream arrives in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piecing {
    /// The bytes after which there is a cut, ascending; for a stream that is cut short, the last is
    /// its end.
    pub cuts: Vec<usize>,
    /// How many bytes the whole stream has.
    pub length: usize,
}

/// A stream after other cuts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recut {
    /// The pieces it came in.
    pub piecing: Piecing,
    /// What was read.
    pub frames: Result<Vec<Frame>, WireError>,
}

/// The whole stream in other pieces. Some cut goes through a character and some through a CRLF,
/// where the stream has them.
pub fn recut(framing: Framing, frames: &[Frame], seed: u64) -> Recut {
    let bytes = write(framing, frames, seed);
    let cuts = choose_cuts(&bytes, seed);
    let frames = read(framing, &bytes, &cuts);
    Recut { piecing: Piecing { cuts, length: bytes.len() }, frames }
}

/// The stream with its end missing, down to the whole last event.
pub fn cut_short(framing: Framing, frames: &[Frame], seed: u64) -> Recut {
    let bytes = write(framing, frames, seed);
    let mut dice = Dice::of(seed, &bytes);
    let end = dice.below(bytes.len());
    let kept = bytes.get(..end).unwrap_or_default();
    let frames = read(framing, kept, &[]);
    Recut { piecing: Piecing { cuts: vec![end], length: bytes.len() }, frames }
}

fn write(framing: Framing, frames: &[Frame], seed: u64) -> Vec<u8> {
    let line_end = match seed % 3 {
        0 => LineEnd::CrLf,
        1 => LineEnd::Lf,
        _ => LineEnd::Cr,
    };
    let mut writer = match framing {
        Framing::Sse => FrameWriter::sse(SseStyle { line_end, space: seed.is_multiple_of(2) }),
        Framing::Ndjson | Framing::JsonArray => FrameWriter::new(framing),
    };
    let mut bytes: Vec<u8> = frames.iter().flat_map(|frame| writer.write(frame)).collect();
    bytes.extend(writer.finish());
    bytes
}

fn choose_cuts(bytes: &[u8], seed: u64) -> Vec<usize> {
    if seed.is_multiple_of(SINGLE_BYTES_EVERY) {
        return (1..bytes.len()).collect();
    }
    let mut dice = Dice::of(seed, bytes);
    let mut cuts = Vec::new();
    let mut at = dice.piece();
    while at < bytes.len() {
        cuts.push(at);
        at += dice.piece();
    }
    let pairs = || bytes.windows(2).zip(1..);
    let inside_characters: Vec<usize> = pairs()
        .filter(|(pair, _)| pair.last().is_some_and(|byte| is_continuation(*byte)))
        .map(|it| it.1)
        .collect();
    let inside_line_ends: Vec<usize> =
        pairs().filter(|(pair, _)| *pair == b"\r\n").map(|it| it.1).collect();
    cuts.extend(dice.one_of(&inside_characters));
    cuts.extend(dice.one_of(&inside_line_ends));
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

fn read(framing: Framing, bytes: &[u8], cuts: &[usize]) -> Result<Vec<Frame>, WireError> {
    let (mut reader, mut frames) = (FrameReader::new(framing), Vec::new());
    let mut from = 0;
    for to in cuts.iter().copied().chain([bytes.len()]) {
        reader.push(bytes.get(from..to).unwrap_or_default(), &mut frames)?;
        from = to;
    }
    reader.finish(&mut frames)?;
    Ok(frames)
}

/// A seeded random generator (splitmix64). The statistics tests of `regress` have their own, because
/// `regress` does not use `transport`.
struct Dice(u64);

impl Dice {
    /// Every stream has dice of its own, so that one seed does not cut all of them alike.
    fn of(seed: u64, bytes: &[u8]) -> Self {
        let fnv = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(0xcbf2_9ce4_8422_2325, fnv) ^ seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below this one; 0 below 0.
    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.roll() % limit).unwrap_or_default()
    }

    fn piece(&mut self) -> usize {
        usize::try_from(self.roll() % LONGEST_PIECE + 1).unwrap_or(1)
    }

    fn one_of(&mut self, places: &[usize]) -> Option<usize> {
        places.get(self.below(places.len())).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAMINGS: [Framing; 3] = [Framing::Sse, Framing::Ndjson, Framing::JsonArray];

    fn frames() -> Vec<Frame> {
        let texts = ["{\"a\": \"grüße 漢字 🦀\"}", "{\"b\": [1, 2, {\"c\": null}]}", "{}"];
        texts.map(Frame::data).to_vec()
    }

    #[test]
    fn a_stream_reads_the_same_whatever_its_pieces() {
        for framing in FRAMINGS {
            for seed in 0..64 {
                let recut = recut(framing, &frames(), seed);
                assert_eq!(recut.frames, Ok(frames()), "{framing:?}, seed {seed}: {recut:?}");
            }
        }
    }

    #[test]
    fn every_seed_cuts_inside_a_character_and_inside_a_line_end() {
        for seed in (0..60).step_by(3) {
            let bytes = write(Framing::Sse, &frames(), seed);
            let cuts = choose_cuts(&bytes, seed);
            let cut = |what: &dyn Fn(&[u8]) -> bool| {
                cuts.iter().any(|at| bytes.get(at - 1..=*at).is_some_and(what))
            };
            assert!(cut(&|pair| pair == b"\r\n"), "seed {seed}: {cuts:?}");
            assert!(cut(&|pair| is_continuation(pair[1])), "seed {seed}: {cuts:?}");
        }
    }

    #[test]
    fn the_same_seed_cuts_at_the_same_places_and_another_one_elsewhere() {
        let cuts = |seed| recut(Framing::Sse, &frames(), seed).piecing;
        assert_eq!(cuts(5), cuts(5));
        assert_ne!(cuts(5).cuts, cuts(17).cuts);
    }

    #[test]
    fn a_stream_that_is_cut_short_never_gives_a_frame_that_was_not_sent_but_a_torn_last_one() {
        for framing in FRAMINGS {
            for seed in 0..200 {
                let short = cut_short(framing, &frames(), seed);
                let read = short.frames.clone().unwrap();
                let whole = read.iter().zip(&frames()).filter(|(read, sent)| read == sent).count();
                assert!(read.len() <= whole + 1, "{framing:?}, seed {seed}: {short:?}");
                assert!(short.piecing.cuts[0] < short.piecing.length);
            }
        }
    }

    #[test]
    fn a_stream_without_frames_can_be_cut_too() {
        for framing in FRAMINGS {
            assert_eq!(recut(framing, &[], 1).frames, Ok(vec![]));
            assert_eq!(cut_short(framing, &[], 1).frames, Ok(vec![]));
        }
    }
}
