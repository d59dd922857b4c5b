//! Secrets: no text brings the search down, what holds one loses it, and what was cleaned stays as it is.

#![no_main]

#[path = "../readers/scrub.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::read(bytes));
