//! The speed of the text parser on a long argument, whole and in four-byte pieces.

#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::Value;
use toolprobe::textcall::{Catalog, Options, Parser};

const ROUNDS: usize = 15;
const PIECE: usize = 4;

/// Writes a call of one family with this argument.
type Write<'a> = &'a dyn Fn(&str) -> String;

/// A line of program text with quotes, brackets and tags.
const SOURCE: &str =
    "    if items[i] != \"none\" { total += items[i] * rate; } // it's <b>fine</b>\n";

fn main() {
    println!(
        "{:<22} {:>12} {:>14} {:>14} {:>14} {:>10}",
        "family", "whole MB/s", "pieces MB/s", "serde_json", "pieces/whole", "1M/512K"
    );
    let json = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let hermes = |text: &str| {
        let arguments = format!("{{\"code\":{}}}", json(text));
        format!("<tool_call>{{\"name\":\"f\",\"arguments\":{arguments}}}</tool_call>")
    };
    let qwen3_coder = |text: &str| {
        let parameter = format!("<parameter=code>\n{text}\n</parameter>");
        format!("<tool_call><function=f>{parameter}</function></tool_call>")
    };
    let glm47 = |text: &str| {
        let value = format!("<arg_value>{text}</arg_value>");
        format!("<tool_call>f<arg_key>code</arg_key>{value}</tool_call>")
    };
    let pythonic = |text: &str| format!("<|python_start|>[f(code={})]<|python_end|>", json(text));
    let families: [(&str, Write<'_>, &str); 7] = [
        ("hermes", &hermes, SOURCE),
        ("qwen3-coder", &qwen3_coder, SOURCE),
        ("glm47", &glm47, SOURCE),
        ("llama4-pythonic", &pythonic, SOURCE),
        // Texts that are full of what might be the end.
        ("hermes, hostile", &hermes, "\"}} "),
        ("qwen3-coder, hostile", &qwen3_coder, "</parameter>x</function> "),
        ("glm47, hostile", &glm47, "</arg_value>x</tool_call> "),
    ];
    // A large block, given back once, makes the allocator keep what the rounds give back: else half of
    // them measure the kernel's page faults.
    drop(black_box(vec![0_u8; 16 << 20]));
    let (mut cut, mut growth) = (0.0_f64, 0.0_f64);
    for (family, call, unit) in families {
        let text = |size: usize| call(&unit.repeat(size / unit.len()));
        let (to_whole, to_half) = report(family, &text(1 << 20), &text(1 << 19));
        (cut, growth) = (cut.max(to_whole), growth.max(to_half));
    }
    println!("measured text-pieces {cut:.3}");
    println!("measured text-growth {:.3}", growth.log2());
}

/// Prints a row, and gives the time of pieces against that of the whole and of half the pieces.
fn report(family: &str, text: &str, half: &str) -> (f64, f64) {
    let (cut, half_cut) = (cut(text), cut(half));
    let whole = best_of(|| read(&[text]));
    let pieces = best_of(|| read(&cut));
    let half_pieces = best_of(|| read(&half_cut));
    let plain = serde_json::to_string(text).unwrap_or_default();
    let serde = best_of(|| drop(black_box(serde_json::from_str::<Value>(&plain))));
    let to_whole = pieces.as_secs_f64() / whole.as_secs_f64();
    let to_half = pieces.as_secs_f64() / half_pieces.as_secs_f64();
    let speed = |time: Duration| megabytes(text) / time.as_secs_f64();
    println!(
        "{family:<22} {:>12.0} {:>14.0} {:>14.0} {:>14.2} {:>10.2}",
        speed(whole),
        speed(pieces),
        speed(serde),
        to_whole,
        to_half,
    );
    (to_whole, to_half)
}

/// The text as a stream brings it. Cutting is the sender's work and not timed.
fn cut(mut text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while let Some((head, tail)) = text.split_at_checked(PIECE) {
        pieces.push(head);
        text = tail;
    }
    pieces.push(text);
    pieces
}

fn read(pieces: &[&str]) {
    let catalog = Catalog::default();
    let mut parser = Parser::new(&catalog, Options::default());
    let mut events = Vec::new();
    for piece in pieces {
        let found = parser.push(piece);
        if !found.is_empty() {
            events.extend(found);
        }
    }
    events.extend(parser.finish());
    assert!(!black_box(events).is_empty());
}

fn best_of(mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..ROUNDS).map(time).min().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "sizes here are far below 2^52")]
fn megabytes(text: &str) -> f64 {
    text.len() as f64 / 1e6
}
