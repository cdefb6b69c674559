//! The schema of the source: definitions as they were read, as bodies that make them, and whether those of the target
//! are equal.

use api_client::Client;
use serde_json::{Map, Value, json};

use crate::error::MigrateError;
use crate::target::Target;

/// The lists of definitions, in the order they must be made in.
pub(crate) const LISTS: [&str; 4] = ["propertykeys", "vertexlabels", "edgelabels", "indexlabels"];

/// All definitions of a graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definitions {
    pub(crate) lists: [Vec<Value>; 4],
    /// What is not taken over, and why.
    pub(crate) warnings: Vec<String>,
}

impl Definitions {
    /// Reads those of the source.
    pub(crate) async fn read(client: &Client) -> Result<Self, MigrateError> {
        let mut all = Self::default();
        for (list, into) in LISTS.into_iter().zip(&mut all.lists) {
            let read = client.definitions(list).await;
            *into = read.map_err(MigrateError::source(format!("reading the {list}")))?;
        }
        all.leave_out();
        Ok(all)
    }

    /// Those read from files.
    pub(crate) fn of(lists: [Vec<Value>; 4], warnings: Vec<String>) -> Self {
        let mut all = Self { lists, warnings };
        all.leave_out();
        all
    }

    /// Makes those that the target has not; returns how many.
    pub(crate) fn make_in(&self, target: &mut dyn Target) -> Result<usize, MigrateError> {
        let mut made = 0;
        for (list, definitions) in LISTS.into_iter().zip(&self.lists) {
            let there = target.definitions(list)?;
            for definition in definitions {
                let name = name_of(definition);
                match there.iter().find(|other| name_of(other) == name) {
                    None => {
                        target.define(list, &body_of(definition))?;
                        made += 1;
                    }
                    Some(other) => {
                        if let Some(reason) = difference(list, definition, other) {
                            let reason = format!("the target has another one of this name: {reason}");
                            return Err(MigrateError::Definition { what: format!("{list} {name}"), reason });
                        }
                    }
                }
            }
        }
        Ok(made)
    }

    /// Leaves out what has no elements of its own: what is being removed, and results of analyses.
    fn leave_out(&mut self) {
        let warnings = &mut self.warnings;
        for (list, definitions) in LISTS.into_iter().zip(&mut self.lists) {
            definitions.retain(|definition| {
                let name = name_of(definition);
                let word = |field: &str| definition.get(field).and_then(Value::as_str).unwrap_or_default();
                let reason = match (word("status"), word("write_type")) {
                    ("DELETING" | "UNDELETED", _) => "it is being removed",
                    (_, "OLAP_COMMON" | "OLAP_SECONDARY" | "OLAP_RANGE") => "values of analyses are not migrated",
                    _ => return true,
                };
                warnings.push(format!("{list} \"{name}\" is left out: {reason}"));
                false
            });
            // Parents before their sub labels, otherwise in the order of their ids.
            definitions.sort_by_key(|definition| {
                (definition.get("edgelabel_type").and_then(Value::as_str) != Some("PARENT"), id_of(definition))
            });
        }
    }

    /// The names of labels of a list whose elements have a time to live.
    pub(crate) fn with_ttl(&self, vertices: bool) -> Vec<&str> {
        let [_, vertex_labels, edge_labels, _] = &self.lists;
        let labels = if vertices { vertex_labels } else { edge_labels };
        let is_mortal = |label: &&Value| label.get("ttl").and_then(Value::as_i64).is_some_and(|ttl| ttl > 0);
        labels.iter().filter(is_mortal).map(name_of).collect()
    }
}

/// The name of a definition.
pub(crate) fn name_of(definition: &Value) -> &str {
    definition.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn id_of(definition: &Value) -> i64 {
    definition.get("id").and_then(Value::as_i64).unwrap_or_default()
}

/// The body that makes a definition, with its id.
pub(crate) fn body_of(definition: &Value) -> Value {
    let mut body = match definition {
        Value::Object(fields) => fields.clone(),
        _ => Map::new(),
    };
    for field in ["status", "index_labels"] {
        body.remove(field);
    }
    // The same pair in two forms.
    if body.get("source_label").is_some_and(Value::is_string) {
        body.remove("links");
    }
    Value::Object(body)
}

/// What differs between a definition of the source and one of the same name in the target.
pub(crate) fn difference(list: &str, source: &Value, target: &Value) -> Option<String> {
    let fields: &[&str] = match list {
        "propertykeys" => &["id", "data_type", "cardinality"],
        "vertexlabels" => &["id", "id_strategy", "primary_keys", "properties", "nullable_keys", "ttl"],
        "edgelabels" => &["id", "ends", "frequency", "sort_keys", "properties", "nullable_keys", "ttl"],
        _ => &["id", "base_type", "base_value", "index_type", "fields"],
    };
    let differs = fields.iter().find(|field| value_of(source, field) != value_of(target, field))?;
    Some(format!("its {differs} is {} in the source, {} there", value_of(source, differs), value_of(target, differs)))
}

/// A field in a form that two servers share.
fn value_of(definition: &Value, field: &str) -> Value {
    let value = definition.get(field).cloned().unwrap_or(Value::Null);
    match field {
        "properties" | "nullable_keys" => {
            let mut names: Vec<String> = value
                .as_array()
                .map(|names| names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
                .unwrap_or_default();
            names.sort_unstable();
            json!(names)
        }
        "primary_keys" | "sort_keys" if value.is_null() => json!([]),
        "ttl" => json!(value.as_i64().unwrap_or_default()),
        "index_type" => match value.as_str() {
            Some(range) if range.starts_with("RANGE") => json!("RANGE"),
            _ => value,
        },
        "ends" => {
            let pair = |source: &Value, target: &Value| json!([source, target]);
            match (definition.get("source_label"), definition.get("target_label")) {
                (Some(source), Some(target)) if source.is_string() => pair(source, target),
                _ => definition.get("links").cloned().filter(|links| *links != json!([])).unwrap_or(Value::Null),
            }
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_keep_ids_and_user_data() {
        let read = json!({"id": 4, "name": "e", "source_label": "a", "target_label": "b", "links": [{"a": "b"}],
            "status": "CREATED", "index_labels": ["i"], "user_data": {"~create_time": "x", "k": 1}});
        let expected = json!({"id": 4, "name": "e", "source_label": "a", "target_label": "b",
            "user_data": {"~create_time": "x", "k": 1}});
        assert_eq!(body_of(&read), expected);
    }

    #[test]
    fn what_two_servers_write_differently_is_equal() {
        let old = json!({"id": 1, "name": "e", "source_label": "a", "target_label": "b", "frequency": "SINGLE",
            "sort_keys": [], "properties": ["x", "y"], "nullable_keys": []});
        let new = json!({"id": 1, "name": "e", "source_label": "a", "target_label": "b", "links": [{"a": "b"}],
            "frequency": "SINGLE", "properties": ["y", "x"], "ttl": 0, "status": "CREATED"});
        assert_eq!(difference("edgelabels", &old, &new), None);
        let index = |kind: &str| json!({"id": 1, "index_type": kind, "fields": ["x"]});
        assert_eq!(difference("indexlabels", &index("RANGE_INT"), &index("RANGE")), None);
        assert!(difference("indexlabels", &index("SEARCH"), &index("RANGE")).is_some());
    }

    #[test]
    fn differences_are_named() {
        let label = |id: i64| json!({"id": id, "name": "person", "id_strategy": "PRIMARY_KEY"});
        let text = difference("vertexlabels", &label(1), &label(3)).unwrap();
        assert_eq!(text, "its id is 1 in the source, 3 there");
    }

    #[test]
    fn what_is_left_out_is_said_and_parents_come_first() {
        let mut all = Definitions::default();
        all.lists[0] =
            vec![json!({"id": 2, "name": "rank", "write_type": "OLAP_RANGE"}), json!({"id": 1, "name": "n"})];
        all.lists[1] = vec![json!({"id": 1, "name": "gone", "status": "DELETING"})];
        all.lists[2] = vec![
            json!({"id": 1, "name": "sub", "edgelabel_type": "SUB"}),
            json!({"id": 9, "name": "parent", "edgelabel_type": "PARENT"}),
        ];
        all.leave_out();
        assert_eq!(all.lists[0].len(), 1);
        assert!(all.lists[1].is_empty());
        assert_eq!(all.lists[2].iter().map(name_of).collect::<Vec<_>>(), ["parent", "sub"]);
        assert_eq!(all.warnings.len(), 2);
    }
}
