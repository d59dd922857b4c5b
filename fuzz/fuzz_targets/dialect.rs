//! Dialects: bodies, streams and requests of any shape are decoded or refused, and what was decoded can be
//! encoded again.

#![no_main]

#[path = "../readers/dialect.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::read(bytes));
