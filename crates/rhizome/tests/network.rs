//! Whole networks through `rhizome generate` and `rhizome load` into a running server, compared with the files they
//! came from.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use api_client::{Client, ElementKind, VertexId};
use common::{Server, optional_data, run};
use serde_json::{Value, json};

/// Rows of each label read back with all their properties.
const SAMPLES: usize = 12;

/// One source of a mapping: its file, its columns, and what a row becomes.
struct Source {
    file: PathBuf,
    label: String,
    is_vertex: bool,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Column to property, where they differ.
    renamed: BTreeMap<String, String>,
}

/// Reads the sources of a mapping with no code of the loader: the first line is the header, values hold no separator.
fn sources(mapping: &Value, base: &Path) -> Vec<Source> {
    let structs = mapping["structs"].as_array().unwrap();
    structs
        .iter()
        .map(|source| {
            let file = base.join(source["input"]["path"].as_str().unwrap());
            let text = std::fs::read_to_string(&file).unwrap();
            let mut lines = text.lines().map(|line| line.split('|').map(str::to_owned).collect::<Vec<_>>());
            let mut columns = lines.next().unwrap();
            if let Some(header) = source["input"]["header"].as_array() {
                columns = header.iter().map(|name| name.as_str().unwrap().to_owned()).collect();
            }
            let vertices = source["vertices"].as_array().filter(|all| !all.is_empty());
            let element = &vertices.or(source["edges"].as_array()).unwrap()[0];
            let renamed = element["field_mapping"].as_object().into_iter().flatten();
            Source {
                file,
                label: element["label"].as_str().unwrap().to_owned(),
                is_vertex: vertices.is_some(),
                columns,
                rows: lines.collect(),
                renamed: renamed.map(|(from, to)| (from.clone(), to.as_str().unwrap().to_owned())).collect(),
            }
        })
        .collect()
}

impl Source {
    fn samples(&self) -> impl Iterator<Item = &Vec<String>> {
        let step = (self.rows.len() / SAMPLES).max(1);
        self.rows.iter().step_by(step)
    }

    /// The properties a row must have become, given the types of the properties.
    fn properties(
        &self,
        row: &[String],
        skip: usize,
        types: &BTreeMap<String, (String, bool)>,
    ) -> BTreeMap<String, Value> {
        let cells = self.columns.iter().zip(row).skip(skip).filter(|(_, text)| !text.is_empty());
        cells
            .map(|(column, text)| {
                let name = self.renamed.get(column).unwrap_or(column).clone();
                let (data_type, many) = &types[&name];
                let value = if *many {
                    text.split(';').map(|item| json!(item)).collect::<Vec<_>>().into()
                } else {
                    typed(data_type, text)
                };
                (name, value)
            })
            .collect()
    }
}

fn typed(data_type: &str, text: &str) -> Value {
    match data_type {
        "TEXT" => json!(text),
        "INT" | "LONG" => json!(text.parse::<i64>().unwrap()),
        "DATE" => {
            let moment = jiff::Timestamp::from_millisecond(text.parse().unwrap()).unwrap();
            json!(moment.strftime("%Y-%m-%d %H:%M:%S.%3f").to_string())
        }
        other => panic!("the networks have no property of type {other}"),
    }
}

/// Equal, but for the order of the values of a set.
fn assert_same(context: &str, found: &Value, expected: &BTreeMap<String, Value>) {
    let found = found.as_object().unwrap();
    let names: BTreeSet<&String> = found.keys().collect();
    assert_eq!(names, expected.keys().collect(), "{context}");
    for (name, expected) in expected {
        let set =
            |value: &Value| value.as_array().map(|items| items.iter().map(Value::to_string).collect::<BTreeSet<_>>());
        match set(expected) {
            Some(items) => assert_eq!(set(&found[name]), Some(items), "{context}, {name}"),
            None => assert_eq!(&found[name], expected, "{context}, {name}"),
        }
    }
}

async fn edges_between(server: &Server, label: &str, source: &str, target: &str) -> Vec<Value> {
    let id: String = Value::from(source).to_string().bytes().map(|b| format!("%{b:02X}")).collect();
    let url =
        format!("{}/graphs/hugegraph/graph/edges?vertex_id={id}&direction=OUT&label={label}&limit=-1", server.url);
    let answer: Value = serde_json::from_slice(&reqwest::get(url).await.unwrap().bytes().await.unwrap()).unwrap();
    answer["edges"].as_array().unwrap().iter().filter(|edge| edge["inV"] == target).cloned().collect()
}

async fn check_samples(server: &Server, client: &Client, source: &Source) {
    let schema: Value = serde_json::from_slice(
        &reqwest::get(format!("{}/graphs/hugegraph/schema", server.url)).await.unwrap().bytes().await.unwrap(),
    )
    .unwrap();
    let types: BTreeMap<String, (String, bool)> = schema["propertykeys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| {
            let many = key["cardinality"] != "SINGLE";
            (key["name"].as_str().unwrap().to_owned(), (key["data_type"].as_str().unwrap().to_owned(), many))
        })
        .collect();
    let vertex_labels = schema["vertexlabels"].as_array().unwrap();
    let label_id = |name: &str| vertex_labels.iter().find(|l| l["name"] == name).unwrap()["id"].as_i64().unwrap();
    for row in source.samples() {
        let context = format!("{}: {row:?}", source.file.display());
        if source.is_vertex {
            let id = VertexId::Text(format!("{}:{}", label_id(&source.label), row[0]));
            let vertex = client.vertex(&id).await.unwrap();
            assert_eq!(vertex["label"], *source.label, "{context}");
            assert_same(&context, &vertex["properties"], &source.properties(row, 0, &types));
        } else {
            let edge_labels = schema["edgelabels"].as_array().unwrap();
            let label = edge_labels.iter().find(|l| l["name"] == *source.label).unwrap();
            let end = |field: &str, id: &str| format!("{}:{id}", label_id(label[field].as_str().unwrap()));
            let (from, to) = (end("source_label", &row[0]), end("target_label", &row[1]));
            let found = edges_between(server, &source.label, &from, &to).await;
            assert_eq!(found.len(), 1, "{context}");
            assert_same(&context, &found[0]["properties"], &source.properties(row, 2, &types));
        }
    }
}

/// Loads a network with the real binary and compares every label's count, and samples, with the files.
fn load_and_compare(schema: &Path, mapping: &Path, base: &Path) {
    let data = tempfile::tempdir().unwrap();
    let rejects = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &[]);
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let arguments = [
        "load",
        "--server",
        &server.url,
        "--schema",
        &text(schema),
        "--mapping",
        &text(mapping),
        "--base-dir",
        &text(base),
        "--rejects",
        &text(rejects.path()),
    ];
    let (status, summary, error) = run(&arguments);
    assert!(status.success(), "{summary}{error}");
    let mapping: Value = serde_json::from_str(&std::fs::read_to_string(mapping).unwrap()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let client = server.client().await;
        let sources = sources(&mapping, base);
        assert_eq!(sources.len(), 31);
        for source in &sources {
            let kind = if source.is_vertex { ElementKind::Vertex } else { ElementKind::Edge };
            let counted = client.count(kind, &source.label, 5000).await.unwrap();
            assert_eq!(counted, source.rows.len() as u64, "{}", source.file.display());
            check_samples(&server, &client, source).await;
        }
    });
    assert!(server.stop().success());
}

#[test]
fn a_generated_network_is_loaded_as_it_is_in_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("snb");
    let (status, text, error) =
        run(&["generate", "snb", "--persons", "60", "--seed", "7", "--out", out.to_str().unwrap()]);
    assert!(status.success(), "{error}");
    assert!(text.contains("rhizome load"), "{text}");
    load_and_compare(&out.join("schema.json"), &out.join("mapping.json"), &out);
}

#[test]
fn the_real_ldbc_network_is_loaded_as_it_is_in_its_files() {
    let Some(data) = optional_data("snb-interactive-v1-tiny") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (schema, mapping) = (folder.path().join("schema.json"), folder.path().join("mapping.json"));
    std::fs::write(&schema, graph_gen::schema_json(graph_gen::Content::Everything).to_string()).unwrap();
    std::fs::write(&mapping, graph_gen::mapping_json(graph_gen::Content::Everything).to_string()).unwrap();
    load_and_compare(&schema, &mapping, &data.join("vanilla"));
}
