//! Schema bodies of every kind: no bytes panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let _ = rest_json::decode_new_property_key(body);
    let _ = rest_json::decode_update_property_key(body);
    let _ = rest_json::decode_new_vertex_label(body);
    let _ = rest_json::decode_update_vertex_label(body);
    let _ = rest_json::decode_new_edge_label(body);
    let _ = rest_json::decode_update_edge_label(body);
    let _ = rest_json::decode_new_index_label(body);
});
