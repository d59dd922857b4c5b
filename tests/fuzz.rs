//! Fuzzing without a fuzzer: the readers of hostile input on the kept corpus and on what random changes make of it.
//!
//! The readers are those of `fuzz/`, which `ci/fuzz-check` drives with libFuzzer. Here the changes are blind, but they
//! need no other build. `FUZZ_INPUTS=100000 cargo test --test fuzz` goes on for longer; a failure prints its input.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a corpus that cannot be read is a failure"
)]

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::panic::catch_unwind;
use std::path::Path;

#[path = "../fuzz/readers/config.rs"]
mod config;
#[path = "../fuzz/readers/dialect.rs"]
mod dialect;
#[path = "../fuzz/readers/journal.rs"]
mod journal;
#[path = "../fuzz/readers/policy.rs"]
mod policy;
#[path = "../fuzz/readers/profile.rs"]
mod profile;
#[path = "../fuzz/readers/scrub.rs"]
mod scrub;
#[path = "../fuzz/readers/tables.rs"]
mod tables;
#[path = "../fuzz/readers/textcall.rs"]
mod textcall;
#[path = "../fuzz/readers/transcript.rs"]
mod transcript;
#[path = "../fuzz/readers/wire.rs"]
mod wire;

/// Inputs for each reader where the environment says nothing.
const INPUTS: usize = 150;

/// No input is longer.
const LONGEST: usize = 16 * 1024;

/// What hostile input is made of, beside pieces of the corpus.
const TOKENS: [&[u8]; 24] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"\0",
    b"\n\n",
    b"\r",
    b"data: ",
    b"event: ",
    b"null",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"99999999999999999999999999999999",
    b"<tool_call>",
    b"</tool_call>",
    b"<function=",
    b"%25",
    b"\xff",
    b"\xef\xbb\xbf",
];

/// Random numbers that are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        self.0 = self.0.wrapping_add(1);
        usize::try_from(hasher.finish() >> 1).unwrap() % end.max(1)
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &'a [&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        start..(start + 1 + self.below(64)).min(length)
    }

    /// One change of an input.
    fn change(&mut self, input: &mut Vec<u8>, corpus: &[&[u8]]) {
        let at = self.below(input.len() + 1);
        match self.below(7) {
            0 => input.truncate(at),
            1 => drop(input.drain(self.range(input.len()))),
            2 => {
                let piece = input[self.range(input.len())].repeat(1 + self.below(40));
                input.splice(at..at, piece);
            }
            3 => drop(input.splice(at..at, self.pick(&TOKENS).repeat(1 + self.below(3)))),
            4 => {
                let other = self.pick(corpus);
                input.splice(at..at, other[self.range(other.len())].to_vec());
            }
            5 => {
                let byte = u8::try_from(self.below(256)).unwrap();
                input.get_mut(at).into_iter().for_each(|it| *it = byte);
            }
            _ => drop(input.splice(at..at, self.pick(&TOKENS).repeat(200))),
        }
        input.truncate(LONGEST);
    }
}

fn files_in(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.iter().filter(|path| path.is_file()).map(|path| fs::read(path).unwrap()).collect()
}

/// Gives a reader every file of its corpus and of these folders, and then changes of them.
fn read_all(name: &str, read: fn(&[u8]), folders: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = files_in(&root.join("fuzz/corpus").join(name));
    let more = folders.iter().flat_map(|folder| files_in(&root.join("fixtures").join(folder)));
    let corpus: Vec<Vec<u8>> = kept.into_iter().chain(more).collect();
    let corpus: Vec<&[u8]> = corpus.iter().map(|it| &it[..it.len().min(LONGEST)]).collect();
    let count = std::env::var("FUZZ_INPUTS").map_or(INPUTS, |count| count.parse().unwrap());
    let try_input = |input: &[u8]| {
        let result = catch_unwind(|| read(input));
        assert!(result.is_ok(), "{name} fails on b\"{}\"", input.escape_ascii());
    };
    for input in &corpus {
        try_input(input);
    }
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let mut chance = Chance(hasher.finish());
    for _ in 0..count {
        let mut input = chance.pick(&corpus).to_vec();
        for _ in 0..=chance.below(4) {
            chance.change(&mut input, &corpus);
        }
        try_input(&input);
    }
}

#[test]
fn frames_are_read_alike_whole_and_in_pieces() {
    read_all("wire", wire::read, &["sse", "dialect/openai-chat", "dialect/ollama"]);
}

#[test]
fn replies_of_any_shape_are_decoded_or_refused() {
    let all = ["openai-chat", "openai-responses", "anthropic-messages", "gemini", "ollama"];
    let folders = all.map(|id| format!("dialect/{id}"));
    read_all("dialect", dialect::read, &folders.each_ref().map(String::as_str));
}

#[test]
fn texts_are_parsed_alike_whole_and_in_pieces() {
    read_all("textcall", textcall::read, &[]);
}

#[test]
fn configurations_and_policies_are_read_or_refused_in_words() {
    read_all("config", config::read, &[]);
    read_all("policy", policy::read, &[]);
}

#[test]
fn stored_files_are_read_or_refused_in_words() {
    read_all("profile", profile::read, &[]);
    read_all("transcript", transcript::read, &["transcripts"]);
    read_all("journal", journal::read, &[]);
}

#[test]
fn telemetry_and_claims_are_read_or_refused_in_words() {
    read_all("tables", tables::read, &["telemetry"]);
}

#[test]
fn no_text_hides_a_secret() {
    read_all("scrub", scrub::read, &[]);
}
