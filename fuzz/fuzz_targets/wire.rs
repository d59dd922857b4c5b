//! Frames: no bytes bring a reader down, and cuts between pieces change nothing.

#![no_main]

#[path = "../readers/wire.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::read(bytes));
