//! What of a strict schema Cypher calls indexes and constraints, beyond index labels.

use std::sync::Arc;

use graph_model::{LabelId, PropertyKeyId};
use graph_schema::{Catalogue, IndexLabel, IndexType, Status, UserData};

/// The user data of an index label that says which kind of Cypher's it is, as JSON: `"TEXT"`.
pub const INDEX_KIND: &str = "~cypher_index";

/// The user data of an index label that belongs to a constraint: its name, as JSON.
pub const INDEX_OWNER: &str = "~cypher_constraint";

/// What the names of user data begin with that give a property that is not nullable the name of a constraint; their
/// values are numbers of property keys.
pub const REQUIRED_PREFIX: &str = "~cypher_not_null:";

/// A property that every element of a label must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredProperty {
    /// Its name as a constraint.
    pub name: String,
    /// Whether the label is one of vertices.
    pub on_vertices: bool,
    /// The label.
    pub label: LabelId,
    /// The property.
    pub key: PropertyKeyId,
}

/// The name of the constraint that a property is there, where none was given.
#[must_use]
pub fn required_name(label: &str, key: &str) -> String {
    format!("not_null_{label}_{key}")
}

/// The index label in use by which nodes with a label are found, where the values of some keys are known.
#[must_use]
pub fn serving_index(
    catalogue: &Catalogue,
    label: LabelId,
    is_known: impl Fn(&str) -> bool,
) -> Option<&Arc<IndexLabel>> {
    let is_led_by_known = |index: &&Arc<IndexLabel>| {
        let first = index.fields.first().and_then(|key| catalogue.property_key(*key));
        let serves = !matches!(index.index_type, IndexType::Unique | IndexType::Search);
        let is_built = index.status == Status::Created && (index.complete || !catalogue.is_auto());
        serves && is_built && first.is_some_and(|key| is_known(&key.name))
    };
    catalogue.indexes_over(true, label).iter().find(is_led_by_known)
}

/// The properties that elements of a strict graph must have; an auto graph has none.
#[must_use]
pub fn required_properties(catalogue: &Catalogue) -> Vec<RequiredProperty> {
    let mut all = Vec::new();
    if catalogue.is_auto() {
        return all;
    }
    let mut add =
        |on_vertices, label, name: &str, keys: &[PropertyKeyId], nullable: &[PropertyKeyId], data: &UserData| {
            for key in keys.iter().filter(|key| !nullable.contains(key)) {
                let number = key.0.to_string();
                let given = data.0.iter().find(|(own, value)| own.starts_with(REQUIRED_PREFIX) && *value == number);
                let given = given.and_then(|(own, _)| own.strip_prefix(REQUIRED_PREFIX)).map(str::to_owned);
                let Some(property) = catalogue.property_key(*key) else { continue };
                let name = given.unwrap_or_else(|| required_name(name, &property.name));
                all.push(RequiredProperty { name, on_vertices, label, key: *key });
            }
        };
    for label in catalogue.vertex_labels().filter(|label| !label.name.starts_with('~')) {
        add(true, label.id, &label.name, &label.properties, &label.nullable_keys, &label.user_data);
    }
    for label in catalogue.edge_labels().filter(|label| !label.name.starts_with('~')) {
        add(false, label.id, &label.name, &label.properties, &label.nullable_keys, &label.user_data);
    }
    all
}
