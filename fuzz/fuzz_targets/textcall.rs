//! Text formats: no text brings the parser down, and pieces give what the whole gives.

#![no_main]

#[path = "../readers/textcall.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::read(bytes));
