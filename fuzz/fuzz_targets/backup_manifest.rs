//! Hands `backup_manifest` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("backup_manifest", bytes));
