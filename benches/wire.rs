//! How fast are streams cut into frames, and what does a chunking by single bytes cost?

#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use toolprobe::wire::{Frame, FrameReader, Framing, write_all};

const ROUNDS: usize = 5;
const FRAMES: usize = 40_000;

fn main() {
    println!(
        "{:<12} {:>8} {:>14} {:>16} {:>8}",
        "framing", "MB", "whole MB/s", "1 byte MB/s", "ratio"
    );
    for framing in [Framing::Sse, Framing::Ndjson, Framing::JsonArray] {
        let bytes = write_all(framing, &frames());
        let whole = best_of(|| read(framing, &bytes, bytes.len()));
        let single = best_of(|| read(framing, &bytes, 1));
        println!(
            "{:<12} {:>8.1} {:>14.0} {:>16.0} {:>8.1}",
            format!("{framing:?}"),
            megabytes(&bytes),
            megabytes(&bytes) / whole.as_secs_f64(),
            megabytes(&bytes) / single.as_secs_f64(),
            single.as_secs_f64() / whole.as_secs_f64(),
        );
    }
}

fn frames() -> Vec<Frame> {
    let delta = r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\": \"Osló\"}"}}]},"finish_reason":null}]}"#;
    vec![Frame::data(delta); FRAMES]
}

fn read(framing: Framing, bytes: &[u8], chunk: usize) {
    let (mut reader, mut frames) = (FrameReader::new(framing), Vec::with_capacity(FRAMES));
    for chunk in bytes.chunks(chunk) {
        let outcome = reader.push(chunk, &mut frames);
        assert_eq!(outcome, Ok(()));
    }
    assert_eq!(reader.finish(&mut frames), Ok(()));
    assert_eq!(frames.len(), FRAMES);
    black_box(frames);
}

fn best_of(work: impl Fn()) -> Duration {
    (0..ROUNDS).map(|_| timed(&work)).min().unwrap_or_default()
}

fn timed(work: impl Fn()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

#[expect(clippy::cast_precision_loss, reason = "a few megabytes are exact in an f64")]
fn megabytes(bytes: &[u8]) -> f64 {
    bytes.len() as f64 / 1e6
}
