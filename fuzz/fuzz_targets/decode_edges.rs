//! Edge bodies: no bytes panic, and the limit holds.
#![no_main]

use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 8;

fuzz_target!(|body: &[u8]| {
    if let Ok(edges) = rest_json::decode_edges(body, LIMIT) {
        assert!((1..=LIMIT).contains(&edges.len()));
    }
    let _ = rest_json::decode_edge(body);
});
