//! Conditions on properties and predicates: reading any text gives conditions or an error.
#![no_main]

use rest_json::{decode_conditions, parse_predicate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    drop(decode_conditions(text, false));
    drop(decode_conditions(text, true));
    if parse_predicate(text).is_ok() {
        assert!(text.starts_with("P.") && text.ends_with(')'));
    }
});
