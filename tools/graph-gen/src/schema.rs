//! The graph schema of the files, as create bodies for HugeGraph's REST API and as hugegraph-loader's schema script.
//!
//! Derived from [`FILES`]: a vertex file is a vertex label with primary key `id`, an edge file an edge label; every
//! other column is a property. It fits every LDBC SNB Interactive v1 folder in CsvComposite form with epoch dates, not
//! only ours.

use serde_json::{Value, json};

use crate::files::{Content, Element, FILES, FileSpec};

/// Vertex labels in the order of creation, so that persons get label id 1 and vertex ids like `1:933`.
const VERTEX_LABELS: [&str; 8] = ["person", "post", "comment", "forum", "organisation", "place", "tag", "tagclass"];

/// A property key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// HugeGraph's data type.
    pub(crate) data_type: &'static str,
    pub(crate) cardinality: &'static str,
}

/// The property key of a column of a vertex or edge file.
pub(crate) fn key_of(file: &FileSpec, column: &'static str) -> Key {
    let single = |name, data_type| Key { name, data_type, cardinality: "SINGLE" };
    match (file.stem, column) {
        // A person speaks several languages, a post is in one: two keys, because a key has one cardinality.
        ("person", "language") => Key { name: "speaks", data_type: "TEXT", cardinality: "SET" },
        (_, "email") => Key { name: "email", data_type: "TEXT", cardinality: "SET" },
        (_, "creationDate" | "birthday" | "joinDate") => single(column, "DATE"),
        (_, "length" | "classYear" | "workFrom") => single(column, "INT"),
        _ => single(column, "TEXT"),
    }
}

/// The columns of a file that are properties: all of a vertex file, those after the two ends of an edge file.
pub(crate) fn property_columns(file: &FileSpec, content: Content) -> impl Iterator<Item = &'static str> {
    let ends = match file.element {
        Element::Vertex => 0,
        Element::Edge { .. } => 2,
    };
    file.columns(content).iter().copied().skip(ends)
}

/// Properties that are missing where the field is empty: a post has a text or an image, and texts can be switched off.
fn nullable_keys(label: &str, content: Content) -> &'static [&'static str] {
    match label {
        _ if content == Content::IdsOnly => &[],
        "person" => &["speaks", "email"],
        "post" => &["imageFile", "language", "content"],
        "comment" => &["content"],
        _ => &[],
    }
}

/// Vertex files in the order of [`VERTEX_LABELS`].
pub(crate) fn vertex_files() -> Vec<&'static FileSpec> {
    VERTEX_LABELS.iter().filter_map(|label| FILES.iter().find(|file| file.stem == *label)).collect()
}

/// Edge files in the order of [`FILES`].
pub(crate) fn edge_files() -> Vec<&'static FileSpec> {
    FILES.iter().filter(|file| file.element != Element::Vertex).collect()
}

fn keys(content: Content) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for file in vertex_files().into_iter().chain(edge_files()) {
        for column in property_columns(file, content) {
            let key = key_of(file, column);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys
}

fn property_names(file: &FileSpec, content: Content) -> Vec<&'static str> {
    property_columns(file, content).map(|column| key_of(file, column).name).collect()
}

/// The schema as create bodies, in the shape of HugeGraph's `GET {graph}/schema` answer: `propertykeys`,
/// `vertexlabels`, `edgelabels`, and an empty `indexlabels`. Vertex ids come from the primary key `id` (a text), so
/// they read like `1:933`.
pub fn schema_json(content: Content) -> Value {
    let property_keys: Vec<Value> = keys(content)
        .into_iter()
        .map(|key| json!({"name": key.name, "data_type": key.data_type, "cardinality": key.cardinality}))
        .collect();
    let vertex_labels: Vec<Value> = vertex_files()
        .into_iter()
        .map(|file| {
            json!({
                "name": file.stem,
                "id_strategy": "PRIMARY_KEY",
                "properties": property_names(file, content),
                "primary_keys": ["id"],
                "nullable_keys": nullable_keys(file.stem, content),
            })
        })
        .collect();
    let edge_labels: Vec<Value> = edge_files()
        .into_iter()
        .filter_map(|file| {
            let Element::Edge { source, target } = file.element else { return None };
            Some(json!({
                "name": file.stem,
                "source_label": source,
                "target_label": target,
                "frequency": "SINGLE",
                "properties": property_names(file, content),
                "sort_keys": [],
                "nullable_keys": [],
            }))
        })
        .collect();
    json!({
        "propertykeys": property_keys,
        "vertexlabels": vertex_labels,
        "edgelabels": edge_labels,
        "indexlabels": [],
    })
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// The schema of [`schema_json`] as a script for hugegraph-loader's `--schema` option.
pub fn schema_groovy(content: Content) -> String {
    let mut script = String::from("// Schema of LDBC-like social network data (CSV folders `static` and `dynamic`).\n");
    for key in keys(content) {
        let kind = match key.data_type {
            "DATE" => "asDate",
            "INT" => "asInt",
            _ => "asText",
        };
        let values = if key.cardinality == "SET" { ".valueSet()" } else { "" };
        script.push_str(&format!("schema.propertyKey(\"{}\").{kind}(){values}.ifNotExist().create();\n", key.name));
    }
    for file in vertex_files() {
        script.push_str(&format!(
            "schema.vertexLabel(\"{}\").usePrimaryKeyId().properties({}).primaryKeys(\"id\")",
            file.stem,
            quoted(&property_names(file, content))
        ));
        let nullable = nullable_keys(file.stem, content);
        if !nullable.is_empty() {
            script.push_str(&format!(".nullableKeys({})", quoted(nullable)));
        }
        script.push_str(".ifNotExist().create();\n");
    }
    for file in edge_files() {
        let Element::Edge { source, target } = file.element else { continue };
        script.push_str(&format!(
            "schema.edgeLabel(\"{}\").sourceLabel(\"{source}\").targetLabel(\"{target}\").singleTime()",
            file.stem
        ));
        let properties = property_names(file, content);
        if !properties.is_empty() {
            script.push_str(&format!(".properties({})", quoted(&properties)));
        }
        script.push_str(".ifNotExist().create();\n");
    }
    script
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_label_uses_defined_keys() {
        for content in [Content::Everything, Content::IdsOnly] {
            every_label_of(content);
        }
    }

    fn every_label_of(content: Content) {
        let schema = schema_json(content);
        let names = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
        };
        let keys: Vec<String> =
            schema["propertykeys"].as_array().unwrap().iter().map(|k| k["name"].as_str().unwrap().to_owned()).collect();
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "a key is defined twice");
        assert_eq!(schema["vertexlabels"].as_array().unwrap().len(), 8);
        assert_eq!(schema["edgelabels"].as_array().unwrap().len(), 23);
        for list in ["vertexlabels", "edgelabels"] {
            for label in schema[list].as_array().unwrap() {
                let properties = names(&label["properties"]);
                assert!(properties.iter().all(|name| keys.contains(name)), "{label}");
                assert!(names(&label["nullable_keys"]).iter().all(|name| properties.contains(name)), "{label}");
            }
        }
        assert_eq!(schema["vertexlabels"][0]["name"], "person");
    }

    #[test]
    fn languages_of_persons_and_posts_are_different_keys() {
        let schema = schema_json(Content::Everything);
        let find = |name: &str| {
            schema["propertykeys"].as_array().unwrap().iter().find(|key| key["name"] == name).unwrap()["cardinality"]
                .clone()
        };
        assert_eq!(find("speaks"), "SET");
        assert_eq!(find("language"), "SINGLE");
    }

    #[test]
    fn the_script_defines_what_the_json_defines() {
        let content = Content::IdsOnly;
        let (script, schema) = (schema_groovy(content), schema_json(content));
        for (list, call) in
            [("propertykeys", "propertyKey"), ("vertexlabels", "vertexLabel"), ("edgelabels", "edgeLabel")]
        {
            let elements = schema[list].as_array().unwrap();
            assert_eq!(script.matches(&format!("schema.{call}(")).count(), elements.len());
            for element in elements {
                assert!(script.contains(&format!("schema.{call}(\"{}\")", element["name"].as_str().unwrap())));
            }
        }
    }
}
