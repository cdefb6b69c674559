//! The schema file: create bodies of the REST contract in four lists. What `GET {G}/schema` answers can be used as it
//! is.

use std::path::Path;
use std::sync::Arc;

use api_client::{Client, Schema};
use graph_host::HostedGraph;
use serde_json::{Map, Value};

use crate::error::LoadError;
use crate::limits::INDEX_TASK_TIMEOUT_MS;
use crate::mapping_check::{nearest, read_json};

/// The lists, in the order they must be created in.
const LISTS: [&str; 4] = ["propertykeys", "vertexlabels", "edgelabels", "indexlabels"];

/// Fields the server puts into answers and does not want in create bodies.
const ANSWER_ONLY: [&str; 3] = ["id", "status", "index_labels"];

/// A checked schema file.
#[derive(Debug)]
pub(crate) struct SchemaFile {
    lists: Vec<(&'static str, Vec<Value>)>,
}

impl SchemaFile {
    /// Reads and checks a file.
    pub(crate) fn read(path: &Path) -> Result<Self, LoadError> {
        let wrong = |at: String, reason: String| LoadError::description(path, at, reason);
        let Value::Object(mut root) = read_json(path)? else {
            return Err(wrong(
                "(root)".into(),
                "a JSON object with the lists propertykeys, vertexlabels, edgelabels is expected".into(),
            ));
        };
        if let Some(key) = root.keys().find(|key| !LISTS.contains(&key.as_str())) {
            let hint = nearest(key, LISTS).map(|known| format!("; did you mean \"{known}\"?")).unwrap_or_default();
            return Err(wrong(key.clone(), format!("the key is not known{hint}")));
        }
        let mut lists = Vec::new();
        for name in LISTS {
            let items = match root.remove(name) {
                None => Vec::new(),
                Some(Value::Array(items)) => items,
                Some(_) => return Err(wrong(name.into(), "a list is expected".into())),
            };
            let mut bodies = Vec::with_capacity(items.len());
            for (index, item) in items.into_iter().enumerate() {
                match item {
                    Value::Object(body) if body.get("name").is_some_and(Value::is_string) => bodies.push(cleaned(body)),
                    _ => return Err(wrong(format!("{name}[{index}]"), "an object with a \"name\" is expected".into())),
                }
            }
            lists.push((name, bodies));
        }
        Ok(Self { lists })
    }

    /// The schema it describes, without numbers: for a dry run.
    pub(crate) fn as_schema(&self, path: &Path) -> Result<Schema, LoadError> {
        let object: Map<String, Value> =
            self.lists.iter().map(|(name, bodies)| ((*name).to_owned(), Value::from(bodies.clone()))).collect();
        serde_json::from_value(Value::Object(object))
            .map_err(|error| LoadError::description(path, "(root)", error.to_string()))
    }

    /// Creates what does not exist yet, and waits for indexes to be filled.
    pub(crate) async fn create(&self, client: &Client, path: &Path) -> Result<(), LoadError> {
        for (list, bodies) in &self.lists {
            for (index, body) in bodies.iter().enumerate() {
                let made = match *list {
                    "propertykeys" => client.create_property_key(body, true).await,
                    "vertexlabels" => client.create_vertex_label(body, true).await,
                    "edgelabels" => client.create_edge_label(body, true).await,
                    _ => match client.create_index_label(body, true).await {
                        Ok(task) => client.wait_for_task(task, INDEX_TASK_TIMEOUT_MS).await,
                        Err(error) => Err(error),
                    },
                };
                made.map_err(|source| {
                    let doing = format!("cannot create {list}[{index}] of {}", path.display());
                    LoadError::Server { doing, source }
                })?;
            }
        }
        Ok(())
    }

    /// Creates in an embedded store what does not exist yet there.
    pub(crate) fn create_in(&self, graph: &Arc<HostedGraph>, path: &Path) -> Result<(), LoadError> {
        for (list, bodies) in &self.lists {
            for (index, body) in bodies.iter().enumerate() {
                let name = body.get("name").and_then(Value::as_str).unwrap_or_default();
                create_one(graph, list, name, body.to_string().as_bytes())
                    .map_err(|reason| LoadError::description(path, format!("{list}[{index}]"), reason))?;
            }
        }
        Ok(())
    }
}

/// Creates an element of the schema, unless there is one of its name.
fn create_one(graph: &Arc<HostedGraph>, list: &str, name: &str, body: &[u8]) -> Result<(), String> {
    let unreadable = |error: rest_json::DecodeError| error.to_string();
    let catalogue = graph.catalogue();
    let made = match list {
        "propertykeys" if catalogue.property_key_named(name).is_none() => {
            graph.schema().create_property_key(&rest_json::decode_new_property_key(body).map_err(unreadable)?).map(drop)
        }
        "vertexlabels" if catalogue.vertex_label_named(name).is_none() => {
            graph.schema().create_vertex_label(&rest_json::decode_new_vertex_label(body).map_err(unreadable)?).map(drop)
        }
        "edgelabels" if catalogue.edge_label_named(name).is_none() => {
            graph.schema().create_edge_label(&rest_json::decode_new_edge_label(body).map_err(unreadable)?).map(drop)
        }
        "indexlabels" if catalogue.index_label_named(name).is_none() => {
            graph.jobs().create_index_label(&rest_json::decode_new_index_label(body).map_err(unreadable)?).map(drop)
        }
        _ => Ok(()),
    };
    made.map_err(|error| error.to_string())
}

/// Turns an answer of the server into a create body; a create body stays as it is.
fn cleaned(mut body: Map<String, Value>) -> Value {
    for field in ANSWER_ONLY {
        body.remove(field);
    }
    if body.get("source_label").is_some_and(Value::is_string) {
        body.remove("links");
    }
    if let Some(Value::Object(user_data)) = body.get_mut("user_data") {
        user_data.remove("~create_time");
    }
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<SchemaFile, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("schema.json");
        std::fs::write(&path, value.to_string()).unwrap();
        SchemaFile::read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn an_answer_of_the_server_becomes_create_bodies() {
        let file = read(&json!({"edgelabels": [{"id": 4, "name": "e", "source_label": "a", "target_label": "b",
            "links": [{"a": "b"}], "status": "CREATED", "index_labels": [],
            "user_data": {"~create_time": "x", "k": 1}}]}))
        .unwrap();
        let expected = json!({"name": "e", "source_label": "a", "target_label": "b", "user_data": {"k": 1}});
        assert_eq!(file.lists[2].1, [expected]);
    }

    #[test]
    fn mistakes_are_placed() {
        assert!(read(&json!({"vertexlabel": []})).unwrap_err().contains("did you mean \"vertexlabels\"?"));
        assert!(read(&json!({"propertykeys": [{"name": "a"}, {}]})).unwrap_err().contains("propertykeys[1]"));
        assert!(read(&json!([])).unwrap_err().contains("JSON object"));
    }
}
