//! Frames: no bytes bring a reader down, and cuts between pieces change nothing.

use toolprobe::wire::{Frame, FrameReader, Framing, WireError, WireLimits, read_all};

const LIMITS: WireLimits = WireLimits { max_frame_bytes: 4096, max_depth: 32 };

fn frames(framing: Framing, bytes: &[u8], piece: usize) -> (Vec<Frame>, Result<(), WireError>) {
    let (mut reader, mut frames) = (FrameReader::with_limits(framing, LIMITS), Vec::new());
    for piece in bytes.chunks(piece.max(1)) {
        if let Err(error) = reader.push(piece, &mut frames) {
            return (frames, Err(error));
        }
    }
    let end = reader.finish(&mut frames);
    (frames, end)
}

/// Reads bytes as frames, whole and in pieces.
pub(crate) fn read(bytes: &[u8]) {
    for framing in [Framing::Sse, Framing::Ndjson, Framing::JsonArray] {
        let _ = read_all(framing, bytes);
        let whole = frames(framing, bytes, bytes.len());
        for piece in [1, 3] {
            let pieces = frames(framing, bytes, piece);
            assert_eq!(pieces.1.is_ok(), whole.1.is_ok(), "{framing:?}: {pieces:?} {whole:?}");
            if whole.1.is_ok() {
                assert_eq!(pieces.0, whole.0, "{framing:?}");
            }
        }
    }
}
