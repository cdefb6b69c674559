//! Hands `gremlin_bytecode` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("gremlin_bytecode", bytes));
