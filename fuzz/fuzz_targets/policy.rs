//! Policies: any text is read or refused, and what was read can be asked.

#![no_main]

#[path = "../readers/policy.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::read(bytes));
