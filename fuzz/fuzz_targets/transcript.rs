//! Transcripts: any file is read or refused, and what was read can be written again.

#![no_main]

#[path = "../readers/transcript.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::read(bytes));
