//! The mapping from files to graph elements, in hugegraph-loader's mapping format, version 2.0.
//!
//! Readable by our own loader and by hugegraph-loader, which decides three details: its CSV format accepts only `,` as
//! delimiter, so the format is TEXT (fields split at `|`, no quoting, which is what the data is); paths are relative to
//! the data folder, so it must be started there; and a header may not name a column twice, so the four edge files that
//! do get a `header` of their own and a `skipped_line` that matches their first line.

use serde_json::{Map, Value, json};

use crate::files::{Content, Element, FileSpec};
use crate::schema::{edge_files, key_of, property_columns, vertex_files};

/// Column names given to edge files whose header names both ends alike.
const SOURCE_COLUMN: &str = "source.id";
const TARGET_COLUMN: &str = "target.id";

/// True if the first line of the file has the same name twice.
fn header_repeats(file: &FileSpec) -> bool {
    matches!(file.columns(Content::Everything), [source, target, ..] if !file.is_vertex() && source == target)
}

fn input(file: &FileSpec, content: Content) -> Value {
    let mut input = json!({
        "type": "FILE",
        "path": file.path(),
        "format": "TEXT",
        "delimiter": "|",
        "charset": "UTF-8",
        "date_format": "timestamp",
        "list_format": {"start_symbol": "", "end_symbol": "", "elem_delimiter": ";", "ignored_elems": [""]},
    });
    if header_repeats(file) {
        let line = file.columns(content).join("|").replace('.', "\\.").replace('|', "\\|");
        let mut header = vec![SOURCE_COLUMN, TARGET_COLUMN];
        header.extend(property_columns(file, content));
        if let Value::Object(fields) = &mut input {
            fields.insert("header".to_owned(), json!(header));
            fields.insert("skipped_line".to_owned(), json!({"regex": format!("^{line}$")}));
        }
    }
    input
}

/// Renames of property columns whose key has another name.
fn renames(file: &FileSpec, content: Content) -> Map<String, Value> {
    property_columns(file, content)
        .map(|column| (column, key_of(file, column).name))
        .filter(|(column, key)| column != key)
        .map(|(column, key)| (column.to_owned(), json!(key)))
        .collect()
}

fn vertex_mapping(file: &FileSpec, content: Content) -> Value {
    json!({"label": file.stem, "field_mapping": renames(file, content), "null_values": [""]})
}

fn edge_mapping(file: &FileSpec, content: Content) -> Value {
    let (source, target) = match file.columns(content) {
        [source, target, ..] if source != target => (*source, *target),
        _ => (SOURCE_COLUMN, TARGET_COLUMN),
    };
    let mut fields = renames(file, content);
    fields.insert(source.to_owned(), json!("id"));
    fields.insert(target.to_owned(), json!("id"));
    json!({"label": file.stem, "source": [source], "target": [target], "field_mapping": fields})
}

/// The mapping of all 31 files, vertices first. It also fits the `social_network` folder of LDBC's own generator
/// (CsvComposite, epoch dates).
pub fn mapping_json(content: Content) -> Value {
    let structs: Vec<Value> = vertex_files()
        .into_iter()
        .chain(edge_files())
        .map(|file| {
            let (vertices, edges) = match file.element {
                Element::Vertex => (vec![vertex_mapping(file, content)], vec![]),
                Element::Edge { .. } => (vec![], vec![edge_mapping(file, content)]),
            };
            json!({"id": file.stem, "skip": false, "input": input(file, content), "vertices": vertices, "edges": edges})
        })
        .collect();
    json!({"version": "2.0", "structs": structs})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::schema_json;

    #[test]
    fn mapped_columns_are_the_properties_of_the_labels() {
        for content in [Content::Everything, Content::IdsOnly] {
            mapped_columns_of(content);
        }
    }

    fn mapped_columns_of(content: Content) {
        let (mapping, schema) = (mapping_json(content), schema_json(content));
        let structs = mapping["structs"].as_array().unwrap();
        assert_eq!(structs.len(), 31);
        for (at, file) in vertex_files().into_iter().chain(edge_files()).enumerate() {
            let part = &structs[at];
            let (list, element) = if part["edges"].as_array().unwrap().is_empty() {
                ("vertexlabels", "vertices")
            } else {
                ("edgelabels", "edges")
            };
            let element = &part[element][0];
            let label =
                schema[list].as_array().unwrap().iter().find(|label| label["name"] == element["label"]).unwrap();
            let mut columns: Vec<String> = match part["input"]["header"].as_array() {
                Some(header) => header.iter().map(|name| name.as_str().unwrap().to_owned()).collect(),
                None => file.columns(content).iter().map(|name| (*name).to_owned()).collect(),
            };
            for end in ["source", "target"] {
                if let Some(end) = element[end][0].as_str() {
                    assert!(columns.iter().any(|column| column == end), "{end} is no column of {}", file.stem);
                    assert_eq!(element["field_mapping"][end], "id");
                    columns.retain(|column| column != end);
                }
            }
            let mapped: Vec<Value> = columns
                .iter()
                .map(|column| element["field_mapping"].get(column).cloned().unwrap_or_else(|| json!(column)))
                .collect();
            assert_eq!(json!(mapped), label["properties"], "{}", file.stem);
        }
    }

    #[test]
    fn only_headers_with_repeated_names_are_replaced() {
        let mapping = mapping_json(Content::Everything);
        let replaced: Vec<&str> = mapping["structs"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|part| part["input"].get("header").is_some())
            .map(|part| part["id"].as_str().unwrap())
            .collect();
        assert_eq!(
            replaced,
            [
                "place_isPartOf_place",
                "tagclass_isSubclassOf_tagclass",
                "comment_replyOf_comment",
                "person_knows_person"
            ]
        );
        let knows =
            mapping["structs"].as_array().unwrap().iter().find(|part| part["id"] == "person_knows_person").unwrap();
        assert_eq!(knows["input"]["header"], json!(["source.id", "target.id", "creationDate"]));
        assert_eq!(knows["input"]["skipped_line"]["regex"], r"^Person\.id\|Person\.id\|creationDate$");
    }
}
