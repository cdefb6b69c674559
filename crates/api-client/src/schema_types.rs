//! The part of the server's schema a client needs: names, types, id strategies, keys.
//!
//! Unknown fields are ignored and unknown enum words become `Unknown`, so that a newer server can still be read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Type of a property's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the names are the contract's own words")]
pub enum DataType {
    Object,
    Boolean,
    Byte,
    Int,
    Long,
    Float,
    Double,
    #[default]
    Text,
    Blob,
    Date,
    Uuid,
    #[serde(other)]
    Unknown,
}

/// How many values a property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "UPPERCASE")]
pub enum Cardinality {
    /// One value.
    #[default]
    Single,
    /// Values in order, repeats kept.
    List,
    /// Distinct values.
    Set,
}

/// Where the id of a vertex comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum IdStrategy {
    /// Not said: the server decides by the presence of primary keys.
    #[default]
    Default,
    /// The server makes up a number.
    Automatic,
    /// Computed from the primary key properties.
    PrimaryKey,
    /// A text the client gives.
    CustomizeString,
    /// A number the client gives.
    CustomizeNumber,
    /// A UUID the client gives.
    CustomizeUuid,
}

/// A property key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PropertyKey {
    /// Its name.
    pub name: String,
    /// Type of its values.
    #[serde(default)]
    pub data_type: DataType,
    /// One value or many.
    #[serde(default)]
    pub cardinality: Cardinality,
}

/// A vertex label.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct VertexLabel {
    /// The number the server gave it; begins every primary key id.
    #[serde(default)]
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Where its vertices' ids come from.
    #[serde(default)]
    pub id_strategy: IdStrategy,
    /// Names of its properties.
    #[serde(default)]
    pub properties: Vec<String>,
    /// Its primary keys, in order.
    #[serde(default)]
    pub primary_keys: Vec<String>,
    /// Properties that may be absent.
    #[serde(default)]
    pub nullable_keys: Vec<String>,
    /// Whether vertices can be listed by this label.
    #[serde(default = "yes")]
    pub enable_label_index: bool,
}

/// An edge label.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct EdgeLabel {
    /// The number the server gave it.
    #[serde(default)]
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Label of the source vertices.
    #[serde(default)]
    pub source_label: Option<String>,
    /// Label of the target vertices.
    #[serde(default)]
    pub target_label: Option<String>,
    /// The same pair in the newer form: one object with one entry.
    #[serde(default)]
    pub links: Vec<BTreeMap<String, String>>,
    /// Names of its properties.
    #[serde(default)]
    pub properties: Vec<String>,
    /// Properties that tell apart several edges between the same vertices.
    #[serde(default)]
    pub sort_keys: Vec<String>,
    /// Properties that may be absent.
    #[serde(default)]
    pub nullable_keys: Vec<String>,
    /// Whether edges can be listed by this label.
    #[serde(default = "yes")]
    pub enable_label_index: bool,
}

impl EdgeLabel {
    /// The labels of source and target, from whichever form the server used. `None` for a parent label, which has none.
    #[must_use]
    pub fn ends(&self) -> Option<(&str, &str)> {
        if let (Some(source), Some(target)) = (&self.source_label, &self.target_label) {
            return Some((source, target));
        }
        let (source, target) = self.links.first()?.iter().next()?;
        Some((source, target))
    }
}

/// All of a graph's schema that clients need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Schema {
    /// Property keys.
    #[serde(default)]
    pub propertykeys: Vec<PropertyKey>,
    /// Vertex labels.
    #[serde(default)]
    pub vertexlabels: Vec<VertexLabel>,
    /// Edge labels.
    #[serde(default)]
    pub edgelabels: Vec<EdgeLabel>,
}

fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_and_fields_are_survived() {
        let schema: Schema = serde_json::from_str(
            r#"{"propertykeys":[{"id":1,"name":"p","data_type":"DECIMAL","cardinality":"SET","status":"CREATED"}],
                "edgelabels":[{"id":3,"name":"e","links":[{"a":"b"}],"edgelabel_type":"NORMAL"}],"indexlabels":[]}"#,
        )
        .unwrap();
        assert_eq!(schema.propertykeys[0].data_type, DataType::Unknown);
        assert_eq!(schema.propertykeys[0].cardinality, Cardinality::Set);
        assert_eq!(schema.edgelabels[0].ends(), Some(("a", "b")));
        assert!(schema.edgelabels[0].enable_label_index);
    }
}
