//! What is fuzzed: each target is a plain function of bytes that panics when something is wrong. `fuzz/` hands the
//! functions to libFuzzer; `tests/replay.rs` runs them over the committed inputs in every `cargo test`.
//!
//! A new target is a function here, a line in [`TARGETS`], a binary of three lines in `fuzz/fuzz_targets/`, and some
//! small inputs in `fuzz/corpus/NAME/`.

#![expect(
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a panic is how a target reports what it found"
)]

mod address;
mod backups;
mod bolt;
mod cypher;
mod elements;
mod graph;
mod gremlin;
mod mapping;
mod stored;
mod text;
mod traversers;

/// Reads bytes; panics on what must not happen.
pub type Target = fn(&[u8]);

/// All targets by name, which is that of the binary and of the folder of inputs.
pub const TARGETS: [(&str, Target); 22] = [
    ("address", address::address),
    ("backup_manifest", backups::backup_manifest),
    ("bolt_messages", bolt::bolt_messages),
    ("conditions", elements::conditions),
    ("cypher_temporal", cypher::cypher_temporal),
    ("cypher_text", cypher::cypher_text),
    ("decode_edges", elements::decode_edges),
    ("decode_schema", elements::decode_schema),
    ("decode_vertices", elements::decode_vertices),
    ("edge_id_text", elements::edge_id_text),
    ("graph_binary", gremlin::graph_binary),
    ("graphson", gremlin::graphson),
    ("gremlin_bytecode", gremlin::gremlin_bytecode),
    ("gremlin_text", gremlin::gremlin_text),
    ("keys", stored::keys),
    ("mapping", mapping::mapping),
    ("pack_stream", bolt::pack_stream),
    ("page_token", graph::page_token),
    ("shard_bound", graph::shard_bound),
    ("tagged_value", stored::tagged_value),
    ("traverser_body", traversers::traverser_body),
    ("vertex_id_literal", elements::vertex_id_literal),
];

/// Runs one target.
///
/// # Panics
/// If there is no target of the name, or if it finds something.
pub fn run(name: &str, bytes: &[u8]) {
    let found = TARGETS.iter().find(|(target, _)| *target == name);
    let (_, target) = found.unwrap_or_else(|| panic!("no target is named {name}"));
    target(bytes);
}
