//! Does the reader of event streams find what the standard finds, whatever bytes come, however cut?
//!
//! Fuzzing by mutation: the recorded streams of the dialects are spoiled, cut into pieces and read,
//! and held against a second reader that is too plain to be wrong. `PROPTEST_CASES=200000` in the
//! environment makes it go on for longer; what it finds is kept in `fixtures/sse/regressions.txt`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot read its fixtures has failed"
)]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use toolprobe::wire::{Frame, FrameReader, Framing, WireError, WireLimits};

/// The frames before the first error, and that.
type Outcome = (Vec<Frame>, Result<(), WireError>);

fn read(pieces: &[&[u8]], limit: usize) -> Outcome {
    let limits = WireLimits { max_frame_bytes: limit, ..WireLimits::default() };
    let (mut reader, mut frames) = (FrameReader::with_limits(Framing::Sse, limits), Vec::new());
    for piece in pieces {
        if let Err(error) = reader.push(piece, &mut frames) {
            return (frames, Err(error));
        }
    }
    let end = reader.finish(&mut frames);
    (frames, end)
}

/// The standard's rules, with the whole stream in memory and no thought of speed.
fn plainly(bytes: &[u8], limit: usize) -> Outcome {
    let mut frames = Vec::new();
    let end = interpreted(bytes, limit, &mut frames);
    (frames, end)
}

fn interpreted(bytes: &[u8], limit: usize, frames: &mut Vec<Frame>) -> Result<(), WireError> {
    let (mut event, mut data) = (None, None::<String>);
    for (start, line, ended) in lines(bytes) {
        let offset = start as u64;
        if line.len() > limit {
            return Err(WireError::FrameTooLarge { limit, offset });
        }
        let text = match std::str::from_utf8(line) {
            Ok(text) => text,
            // Half a character at the very end was cut, not wrong.
            Err(error) if !ended && error.error_len().is_none() => {
                std::str::from_utf8(&line[..error.valid_up_to()]).unwrap()
            }
            Err(error) => {
                return Err(WireError::NotUtf8 { offset: offset + error.valid_up_to() as u64 });
            }
        };
        let text = text.strip_prefix('\u{feff}').filter(|_| start == 0).unwrap_or(text);
        let (field, value) = text.split_once(':').unwrap_or((text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        match field {
            "" if text.is_empty() => frames.extend(dispatched(&mut event, &mut data)),
            "" => frames.push(Frame::Comment(value)),
            "event" => event = Some(value).filter(|name| !name.is_empty()),
            "data" => {
                let joined = data.map_or(value.clone(), |before| format!("{before}\n{value}"));
                if joined.len() > limit {
                    return Err(WireError::FrameTooLarge { limit, offset });
                }
                data = Some(joined);
            }
            _ => {}
        }
    }
    frames.extend(dispatched(&mut event, &mut data));
    Ok(())
}

fn dispatched(event: &mut Option<String>, data: &mut Option<String>) -> Option<Frame> {
    let event = event.take();
    data.take().map(|data| Frame::Event { event, data })
}

/// Each line, where it starts, and whether anything ended it.
fn lines(bytes: &[u8]) -> Vec<(usize, &[u8], bool)> {
    let (mut lines, mut start, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => 0,
        };
        if end > 0 {
            lines.push((start, &bytes[start..at], true));
            start = at + end;
        }
        at += end.max(1);
    }
    if start < bytes.len() {
        lines.push((start, &bytes[start..], false));
    }
    lines
}

/// The recorded streams.
static STREAMS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut files = sse_files(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/dialect"));
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
});

fn sse_files(folder: PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inside = |path: PathBuf| if path.is_dir() { sse_files(path) } else { vec![path] };
    entries.flat_map(inside).filter(|file| file.extension().is_some_and(|e| e == "sse")).collect()
}

/// One way of spoiling a stream.
#[derive(Debug, Clone)]
enum Damage {
    Delete(Index, usize),
    Double(Index, usize),
    Insert(Index, &'static [u8]),
    Overwrite(Index, u8),
    Swell(Index, usize),
    Splice(Index, Index, Index),
    LineEnds(&'static [u8]),
}

const SCRAPS: &[&[u8]] = &[
    b"\r",
    b"\n",
    b"\r\n",
    b"\n\r",
    b"\r\r\n\n",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB",
    b"\xFF",
    b"\xC3",
    b"\xE2\x82",
    b"\xF0\x9F\xA6\x80",
    b"\xE2\x80\xA8",
    b"\0",
    b":",
    b": keep-alive\n",
    b"data",
    b"data:",
    b"data: ",
    b"data : x\n",
    b"event: ",
    b"event\n",
    b"id: 7\n",
    b"retry: 10\n",
    b" ",
    b"\t",
];

const LINE_ENDS: &[&[u8]] = &[b"\r", b"\r\n", b"\n\r"];

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        1 => (any::<Index>(), 1..30_usize).prop_map(|(at, n)| Damage::Delete(at, n)),
        1 => (any::<Index>(), 1..60_usize).prop_map(|(at, n)| Damage::Double(at, n)),
        4 => (any::<Index>(), select(SCRAPS)).prop_map(|(at, scrap)| Damage::Insert(at, scrap)),
        1 => any::<(Index, u8)>().prop_map(|(at, byte)| Damage::Overwrite(at, byte)),
        1 => (any::<Index>(), 60..9000_usize).prop_map(|(at, n)| Damage::Swell(at, n)),
        1 => any::<(Index, Index, Index)>().prop_map(|(a, b, c)| Damage::Splice(a, b, c)),
        1 => select(LINE_ENDS).prop_map(Damage::LineEnds),
    ]
}

fn spoiled(stream: &[u8], damage: &[Damage]) -> Vec<u8> {
    let mut bytes = stream.to_vec();
    for step in damage {
        let place = |at: &Index| at.index(bytes.len() + 1);
        let until = |at: usize, n: &usize| (at + n).min(bytes.len());
        let (range, with) = match step {
            Damage::Delete(at, n) => (place(at)..until(place(at), n), Vec::new()),
            Damage::Double(at, n) => {
                (place(at)..place(at), bytes[place(at)..until(place(at), n)].to_vec())
            }
            Damage::Insert(at, scrap) => (place(at)..place(at), scrap.to_vec()),
            Damage::Overwrite(at, byte) => (place(at)..until(place(at), &1), vec![*byte]),
            Damage::Swell(at, n) => (place(at)..place(at), vec![b'x'; *n]),
            Damage::Splice(at, other, from) => {
                let other = &STREAMS[other.index(STREAMS.len())];
                (place(at)..bytes.len(), other[from.index(other.len() + 1)..].to_vec())
            }
            Damage::LineEnds(end) => {
                let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
                (0..bytes.len(), lines.join(*end))
            }
        };
        bytes.splice(range, with);
    }
    bytes
}

/// The bytes as a line for the file of regressions: one character per byte.
fn written(bytes: &[u8]) -> String {
    let text: String = bytes.iter().copied().map(char::from).collect();
    serde_json::to_string(&text).unwrap()
}

fn pieces<'b>(bytes: &'b [u8], cuts: &[Index]) -> Vec<&'b [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

const LIMITS: [usize; 4] = [40, 300, 4000, 16 * 1024 * 1024];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(4000),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn spoiled_streams_read_as_the_plain_reader_reads_them(
        pick in any::<Index>(),
        damage in prop::collection::vec(damage(), 0..7),
        cuts in prop::collection::vec(any::<Index>(), 0..9),
        limit in select(&LIMITS[..]),
    ) {
        let bytes = spoiled(&STREAMS[pick.index(STREAMS.len())], &damage);
        let found = read(&pieces(&bytes, &cuts), limit);
        prop_assert_eq!(found, plainly(&bytes, limit), "limit {}: {}", limit, written(&bytes));
    }
}

#[test]
fn recorded_streams_read_the_same_by_one_byte_and_at_every_split() {
    for stream in STREAMS.iter() {
        let expected = plainly(stream, LIMITS[3]);
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&bytes, LIMITS[3]), expected, "{}", written(stream));
        for cut in 0..stream.len() {
            let (left, right) = stream.split_at(cut);
            assert_eq!(read(&[left, right], LIMITS[3]), expected, "cut at {cut}");
        }
    }
}

#[test]
fn what_once_went_wrong_stays_right() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/sse/regressions.txt");
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let text: String = serde_json::from_str(line).unwrap();
        let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap()).collect();
        for limit in LIMITS {
            let expected = plainly(&bytes, limit);
            assert_eq!(read(&[&bytes], limit), expected, "whole, limit {limit}: {line}");
            for cut in 0..=bytes.len() {
                let (left, right) = bytes.split_at(cut);
                assert_eq!(
                    read(&[left, right], limit),
                    expected,
                    "at {cut}, limit {limit}: {line}"
                );
            }
        }
    }
}

#[test]
fn the_plain_reader_reads_the_example_of_the_standard() {
    let stream =
        b"\xEF\xBB\xBF: hello\n\ndata: first\rdata:second\r\n\nevent: add\ndata\n\ndata:  x";
    let frames = [
        Frame::Comment("hello".to_owned()),
        Frame::data("first\nsecond"),
        Frame::named("add", ""),
        Frame::data(" x"),
    ];
    assert_eq!(plainly(stream, LIMITS[3]), (frames.to_vec(), Ok(())));
}
