//! Properties of all framings: the same frames at any chunking, round trips, linear work.

use proptest::prelude::*;

use super::{Frame, FrameReader, FrameWriter, Framing, LineEnd, SseStyle, WireError, write_all};

const FRAMINGS: [Framing; 3] = [Framing::Sse, Framing::Ndjson, Framing::JsonArray];

type FramesRead = (Vec<Frame>, Result<(), WireError>);

fn read_in_chunks<'b>(framing: Framing, chunks: impl IntoIterator<Item = &'b [u8]>) -> FramesRead {
    let (mut reader, mut frames) = (FrameReader::new(framing), Vec::new());
    for chunk in chunks {
        if let Err(error) = reader.push(chunk, &mut frames) {
            return (frames, Err(error));
        }
    }
    let end = reader.finish(&mut frames);
    (frames, end)
}

fn cut_at(bytes: &[u8], mut cuts: Vec<usize>) -> Vec<&[u8]> {
    cuts.sort_unstable();
    let (mut chunks, mut from) = (Vec::new(), 0);
    for cut in cuts {
        let cut = cut.min(bytes.len());
        chunks.push(&bytes[from..cut]);
        from = cut;
    }
    chunks.push(&bytes[from..]);
    chunks
}

/// A JSON object as text; strings hold line separators, quotes, backslashes and wide characters.
fn payload() -> impl Strategy<Value = String> {
    let text = prop_oneof![any::<String>(), "[\"\\\\\\]\\[{},:\r\n\u{2028}é漢🦀 ]{0,12}"];
    (text, prop::collection::vec(any::<i32>(), 0..3))
        .prop_map(|(text, numbers)| serde_json::json!({ "t": text, "n": numbers }).to_string())
}

fn sse_frame() -> impl Strategy<Value = Frame> {
    prop_oneof![
        (prop::option::of("[a-z_.]{1,12}"), payload())
            .prop_map(|(event, data)| Frame::Event { event, data }),
        "[^\r\n\u{0}]{0,20}(\n[^\r\n]{0,9}){0,3}".prop_map(Frame::data),
        "[^\r\n]{0,20}".prop_map(Frame::Comment),
    ]
}

fn style() -> impl Strategy<Value = SseStyle> {
    let ends = prop::sample::select(vec![LineEnd::Lf, LineEnd::CrLf, LineEnd::Cr]);
    (ends, any::<bool>()).prop_map(|(line_end, space)| SseStyle { line_end, space })
}

/// Bytes dense in everything the machines have a state for.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let dense = prop::sample::select(b"\r\n\r\n:: data{}[]\",\\\xef\xbb\xbf\xff\xc3\xa9".to_vec());
    prop::collection::vec(dense, 0..80)
}

proptest! {
    #[test]
    fn events_written_in_any_spelling_read_back_at_any_cuts(
        frames in prop::collection::vec(sse_frame(), 0..6),
        style in style(),
        cuts in prop::collection::vec(0_usize..600, 0..12),
    ) {
        let mut writer = FrameWriter::sse(style);
        let bytes: Vec<u8> = frames.iter().flat_map(|frame| writer.write(frame)).collect();
        prop_assert_eq!(read_in_chunks(Framing::Sse, cut_at(&bytes, cuts)), (frames, Ok(())));
    }

    #[test]
    fn json_framings_read_back_at_any_cuts(
        payloads in prop::collection::vec(payload(), 0..6),
        cuts in prop::collection::vec(0_usize..600, 0..12),
    ) {
        let frames: Vec<Frame> = payloads.into_iter().map(Frame::data).collect();
        for framing in [Framing::Ndjson, Framing::JsonArray] {
            let bytes = write_all(framing, &frames);
            let read = read_in_chunks(framing, cut_at(&bytes, cuts.clone()));
            prop_assert_eq!(read, (frames.clone(), Ok(())));
        }
    }

    #[test]
    fn any_bytes_read_the_same_whole_by_one_byte_and_at_every_split(bytes in noise()) {
        for framing in FRAMINGS {
            let whole = read_in_chunks(framing, [bytes.as_slice()]);
            prop_assert_eq!(&read_in_chunks(framing, bytes.chunks(1)), &whole);
            for cut in 0..=bytes.len() {
                let (left, right) = bytes.split_at(cut);
                prop_assert_eq!(&read_in_chunks(framing, [left, right]), &whole);
            }
        }
    }

    #[test]
    fn array_elements_are_what_a_json_parser_finds(values in prop::collection::vec(payload(), 0..5)) {
        let text = format!("[{}]", values.join(","));
        let (frames, end) = read_in_chunks(Framing::JsonArray, [text.as_bytes()]);
        prop_assert_eq!(end, Ok(()));
        let parsed: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        let found: Vec<Frame> = parsed.iter().map(|v| Frame::data(v.to_string())).collect();
        prop_assert_eq!(frames, found);
    }
}

/// Work is counted, not timed: each byte is looked at once however it arrives.
#[test]
fn no_byte_is_looked_at_twice_whatever_the_chunking() {
    let frames = [Frame::data(r#"{"text":"漢字 \" ] } x"}"#), Frame::data("[1,[2,3]]")];
    for framing in FRAMINGS {
        let bytes = write_all(framing, &frames);
        for size in [1, 2, 7, bytes.len()] {
            let mut reader = FrameReader::new(framing);
            for chunk in bytes.chunks(size) {
                reader.push(chunk, &mut Vec::new()).unwrap();
            }
            assert_eq!(reader.examined(), bytes.len(), "{framing:?} by {size}");
        }
    }
}

/// The worst case of a reader that rescans: one frame of many chunks that never ends.
#[test]
fn an_unfinished_frame_is_not_scanned_again_for_each_chunk() {
    for (framing, start) in FRAMINGS.into_iter().zip(["data: ", "\"", "[\""]) {
        let mut reader = FrameReader::new(framing);
        reader.push(start.as_bytes(), &mut Vec::new()).unwrap();
        for _ in 0..10_000 {
            reader.push(b"x", &mut Vec::new()).unwrap();
        }
        assert_eq!(reader.examined(), start.len() + 10_000, "{framing:?}");
    }
}
