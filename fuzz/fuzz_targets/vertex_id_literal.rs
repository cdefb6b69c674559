//! Hands `vertex_id_literal` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("vertex_id_literal", bytes));
