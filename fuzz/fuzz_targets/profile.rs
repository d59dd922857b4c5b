//! Profiles: any file is read or refused; one that was read can be compared, planned from and written.

#![no_main]

#[path = "../readers/profile.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::read(bytes));
