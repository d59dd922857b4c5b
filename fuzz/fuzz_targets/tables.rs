//! Other people's tables: telemetry by line, claims about models, URLs and routes.

#![no_main]

#[path = "../readers/tables.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::read(bytes));
