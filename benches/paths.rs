//! The steps of one exchange, each beside the least that it could be: a copy of the bytes, or `serde_json` alone.

#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolprobe::dialect::{DialectId, Route};
use toolprobe::transport::{
    Body, Exchange, HttpCall, HttpOutcome, RecordedExchange, Response, Scrubber, Secret,
    SentRequest, TimedFrame, Timing,
};
use toolprobe::wire::{Frame, FrameReader, Framing, write_all};

/// How often a step is taken in one measurement, and how many of these there are; the best counts.
const STEPS: u32 = 300;
const ROUNDS: usize = 9;

/// Pieces of the stream.
const PIECES: usize = 50;

fn main() {
    println!("{:<44} {:>10} {:>10} {:>8}", "step", "takes", "floor", "ratio");
    let (request, frames) = (request(), frames());
    let codec = DialectId::OpenAiChat.codec();
    let route = Route { model: None, stream: None };
    let meant = codec.decode_request(&request, &route).unwrap();
    let text = request.to_string();
    row(
        "encode a request, against its serde_json",
        || codec.encode_request(&meant).to_string(),
        || request.to_string(),
    );
    let wire = write_all(Framing::Sse, &frames);
    row("cut a stream into frames, against a copy", || cut(&wire), || wire.clone());
    row(
        "decode a stream, against serde_json of its frames",
        || {
            let mut decoder = codec.stream_decoder();
            for frame in &frames {
                decoder.push(frame);
            }
            decoder.finish()
        },
        || frames.iter().map(parse).collect::<Vec<_>>(),
    );
    let scrubber = Scrubber::new([Secret::new("sk-proj-Zk3v9QmTn2WbYx7Lr5Hs8Dc1Fg4Jp6Ua0Ie")]);
    row(
        "look for secrets in a request, against a copy",
        || scrubber.text(text.as_str()),
        || text.clone(),
    );
    let exchange = exchange(&request, &frames);
    row(
        "write and hash an exchange, against its serde_json",
        || RecordedExchange::from(exchange.clone()),
        || (exchange.clone(), serde_json::to_vec(&exchange).unwrap()),
    );
}

/// Prints how long a step takes beside its floor.
fn row<A, B>(step: &str, work: impl FnMut() -> A, floor: impl FnMut() -> B) {
    let (took, least) = (best_of(work), best_of(floor));
    let ratio = took.as_secs_f64() / least.as_secs_f64();
    println!("{step:<52} {:>7.1} µs {:>7.1} µs {ratio:>8.1}", micros(took), micros(least));
}

fn best_of<T>(mut work: impl FnMut() -> T) -> Duration {
    let mut time = |_| {
        let start = Instant::now();
        for _ in 0..STEPS {
            black_box(work());
        }
        start.elapsed() / STEPS
    };
    (0..ROUNDS).map(&mut time).min().unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn request() -> Value {
    let tool = |name: &str| {
        let parameters = json!({
            "type": "object",
            "properties": {"city": {"type": "string", "description": "The city to look up, as people write it."}},
            "required": ["city"],
        });
        json!({"type": "function", "function": {
            "name": name, "description": "Looks something up about a city. It changes nothing.", "parameters": parameters,
        }})
    };
    json!({
        "model": "m",
        "messages": [{"role": "user", "content": "Call `weather` with these values:\n\ncity = \"Osló\"\n"}],
        "tools": [tool("weather"), tool("population"), tool("history")],
        "max_tokens": 1024,
    })
}

fn frames() -> Vec<Frame> {
    let chunk = |piece: usize| {
        let arguments = if piece == 0 { "{\"city\": \"" } else { "o" };
        let call = if piece == 0 {
            json!({"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": arguments}})
        } else {
            json!({"index": 0, "function": {"arguments": arguments}})
        };
        let choice = json!({"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null});
        let chunk = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice],
        });
        Frame::data(chunk.to_string())
    };
    (0..PIECES).map(chunk).collect()
}

fn cut(wire: &[u8]) -> Vec<Frame> {
    let (mut reader, mut frames) = (FrameReader::new(Framing::Sse), Vec::new());
    reader.push(wire, &mut frames).unwrap();
    reader.finish(&mut frames).unwrap();
    frames
}

fn parse(frame: &Frame) -> Value {
    match frame {
        Frame::Event { data, .. } => serde_json::from_str(data).unwrap(),
        Frame::Comment(_) => Value::Null,
    }
}

fn exchange(request: &Value, frames: &[Frame]) -> Exchange {
    let url = "http://127.0.0.1:1/v1/chat/completions".parse().unwrap();
    let call = HttpCall::post(url, request.clone()).streamed(Framing::Sse);
    let timed = frames.iter().map(|frame| TimedFrame { at_ms: 0, frame: frame.clone() });
    let response =
        Response { status: 200, headers: Vec::new(), body: Body::Frames(timed.collect()) };
    Exchange::single(
        SentRequest::redacted(&call, &Scrubber::default()),
        HttpOutcome::Answered(response),
        Timing::default(),
    )
}
