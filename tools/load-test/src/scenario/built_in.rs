//! The scenarios that come with the tool, as TOML files like those that users write.

/// Names of the built-in scenarios; `schema` is three of them, one after another.
pub const BUILT_IN: [&str; 15] = [
    "schema",
    "single-vertex",
    "single-edge",
    "batch-vertex",
    "batch-edge",
    "batch-edge-unchecked",
    "vertex-by-id",
    "edge-by-id",
    "mixed",
    "neighbours",
    "within-2-hops",
    "within-3-hops",
    "shortest-path",
    "rings-of-3",
    "index-look-up",
];

const PROPERTY_KEYS: &str = include_str!("../scenarios/schema-property-keys.toml");
const VERTEX_LABELS: &str = include_str!("../scenarios/schema-vertex-labels.toml");
const EDGE_LABELS: &str = include_str!("../scenarios/schema-edge-labels.toml");

/// The files of a name; none if it is unknown.
pub(super) fn texts(name: &str) -> Vec<&'static str> {
    match name {
        "schema" => vec![PROPERTY_KEYS, VERTEX_LABELS, EDGE_LABELS],
        "schema-property-keys" => vec![PROPERTY_KEYS],
        "schema-vertex-labels" => vec![VERTEX_LABELS],
        "schema-edge-labels" => vec![EDGE_LABELS],
        "single-vertex" => vec![include_str!("../scenarios/single-vertex.toml")],
        "single-edge" => vec![include_str!("../scenarios/single-edge.toml")],
        "batch-vertex" => vec![include_str!("../scenarios/batch-vertex.toml")],
        "batch-edge" => vec![include_str!("../scenarios/batch-edge.toml")],
        "batch-edge-unchecked" => vec![include_str!("../scenarios/batch-edge-unchecked.toml")],
        "vertex-by-id" => vec![include_str!("../scenarios/vertex-by-id.toml")],
        "edge-by-id" => vec![include_str!("../scenarios/edge-by-id.toml")],
        "mixed" => vec![include_str!("../scenarios/mixed.toml")],
        "neighbours" => vec![include_str!("../scenarios/neighbours.toml")],
        "within-2-hops" => vec![include_str!("../scenarios/within-2-hops.toml")],
        "within-3-hops" => vec![include_str!("../scenarios/within-3-hops.toml")],
        "shortest-path" => vec![include_str!("../scenarios/shortest-path.toml")],
        "rings-of-3" => vec![include_str!("../scenarios/rings-of-3.toml")],
        "index-look-up" => vec![include_str!("../scenarios/index-look-up.toml")],
        _ => Vec::new(),
    }
}
