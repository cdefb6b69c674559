//! Conditions on properties in rights, which are written as those of queries.

use auth::ConditionReader;
use graph_schema::{Catalogue, Conditions};
use graph_store::Graph;
use rest_json::decode_conditions;

/// How the API reads conditions in rights.
pub const CONDITIONS: ConditionReader = ConditionReader { check, read };

fn check(text: &str) -> Result<(), String> {
    decode_conditions(text, false).map(drop).map_err(|error| error.to_string())
}

fn read(text: &str, graph: &Graph, catalogue: &Catalogue) -> Option<Conditions> {
    let given = decode_conditions(text, false).ok()?;
    catalogue.check_conditions(&given, &graph.options().zone).ok()
}
