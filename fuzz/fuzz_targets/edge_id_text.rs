//! Hands `edge_id_text` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("edge_id_text", bytes));
