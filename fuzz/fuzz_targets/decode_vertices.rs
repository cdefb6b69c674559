//! Vertex bodies: no bytes panic, and the limit holds.
#![no_main]

use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 8;

fuzz_target!(|body: &[u8]| {
    if let Ok(vertices) = rest_json::decode_vertices(body, LIMIT) {
        assert!((1..=LIMIT).contains(&vertices.len()));
    }
    let _ = rest_json::decode_vertex(body);
    let _ = rest_json::decode_property_update(body);
});
