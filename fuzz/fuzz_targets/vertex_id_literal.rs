//! Vertex id literals: what is read is written in a form that reads back the same.
#![no_main]

use graph_model::VertexId;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(id) = VertexId::parse_literal(text) {
        assert_eq!(VertexId::parse_literal(&id.to_string()), Ok(id));
    }
});
