//! `rhizome load --offline`: the store it makes is the one a server makes of the same files, whatever happens
//! meanwhile.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use common::{Server, command};
use graph_gen::{Content, SnbOptions};
use key_codec::tables;
use kv::{Read as _, TableId};
use serde_json::json;

/// The tables with elements and what leads to them.
const DATA_TABLES: [TableId; 8] = [
    tables::VERTEX,
    tables::EDGE_OUT,
    tables::EDGE_IN,
    tables::LABEL_INDEX,
    tables::INDEX_EQUAL,
    tables::INDEX_RANGE,
    tables::INDEX_UNIQUE,
    tables::EXPIRY,
];

type Rows = Vec<(u8, Vec<u8>, Vec<u8>)>;

/// Every row of a store that nobody has open.
fn dump(data: &Path) -> Rows {
    let mut settings = rhizome::settings::Settings::load(None, &[]).unwrap();
    settings.storage.data_dir = data.to_path_buf();
    let engine = rhizome::engine::open(&settings.storage).unwrap();
    let mut rows = Vec::new();
    for table in DATA_TABLES {
        let mut cursor = engine.scan_partitions(table, &[], None).unwrap();
        while let Some(row) = cursor.next().unwrap() {
            rows.push((table.0, row.key.as_bytes().to_vec(), row.value.to_vec()));
        }
    }
    rows
}

fn load(sources: &Path, more: &[&str]) -> Output {
    command().arg("load").arg("--mapping").arg(sources.join("mapping.json")).args(more).output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A generated network, in the folder `snb`.
fn network(folder: &Path, persons: u64) -> PathBuf {
    let sources = folder.join("snb");
    let options = SnbOptions::new(persons, 7).with_content(Content::Everything);
    graph_gen::generate(&options, &sources, &mut |_| {}).unwrap();
    sources
}

/// Files of every form, with rows that are wrong in every way, and indexes.
fn mixed(folder: &Path) -> PathBuf {
    let sources = folder.join("mixed");
    std::fs::create_dir_all(&sources).unwrap();
    let write = |name: &str, content: &str| std::fs::write(sources.join(name), content).unwrap();
    write(
        "people.csv",
        "name,age,born,tags\nann,29,1990-01-02,a;b;a\n# a comment\nbob,old,1990-01-02,\nbob,31,1991-02-03,x\n\n\
         too,few\neve,40,1980-13-01,y\n\"dan, the \"\"man\"\"\",50,1970-01-01,\"z\"\nfay,60,1960-01-01,\n",
    );
    write("cities.txt", "7|Rome\n8|Oslo\nx|Nowhere\n9|\n");
    write(
        "lives.json",
        "{\"who\":\"ann\",\"city\":7}\n{\"who\":\"bob\",\"city\":\"8\"}\n\
         {\"who\":\"\",\"city\":7}\nno json\n{\"who\":\"fay\",\"city\":99}\n",
    );
    let mapping = json!({"version": "2.0", "structs": [
        {"id": "people", "input": {"path": "people.csv", "date_format": "yyyy-MM-dd", "time_zone": "UTC",
            "list_format": {"elem_delimiter": ";"}}, "vertices": [{"label": "person"}]},
        {"id": "cities", "input": {"path": "cities.txt", "format": "TEXT", "delimiter": "|", "header": ["id", "title"]},
            "vertices": [{"label": "city", "id": "id", "null_values": [""]}]},
        {"id": "lives", "input": {"path": "lives.json", "format": "JSON"},
            "edges": [{"label": "lives", "source": ["who"], "target": ["city"]}]},
    ]});
    write("mapping.json", &mapping.to_string());
    let key = |name, data_type, cardinality| json!({"name": name, "data_type": data_type, "cardinality": cardinality});
    let schema = json!({
        "propertykeys": [key("name", "TEXT", "SINGLE"), key("age", "INT", "SINGLE"), key("born", "DATE", "SINGLE"),
            key("tags", "TEXT", "SET"), key("title", "TEXT", "SINGLE")],
        "vertexlabels": [
            {"name": "person", "id_strategy": "PRIMARY_KEY", "primary_keys": ["name"],
             "properties": ["name", "age", "born", "tags"], "nullable_keys": ["tags"]},
            {"name": "city", "id_strategy": "CUSTOMIZE_NUMBER", "properties": ["title"], "nullable_keys": ["title"]}],
        "edgelabels": [{"name": "lives", "source_label": "person", "target_label": "city", "properties": []}],
        "indexlabels": [
            {"name": "byAge", "base_type": "VERTEX_LABEL", "base_value": "person", "index_type": "RANGE",
             "fields": ["age"]},
            {"name": "byTitle", "base_type": "VERTEX_LABEL", "base_value": "city", "index_type": "SECONDARY",
             "fields": ["title"]}],
    });
    write("schema.json", &schema.to_string());
    sources
}

/// Loads through a server, and returns its rows and what the loader said.
fn online(folder: &Path, sources: &Path, more: &[&str]) -> (Rows, Output) {
    let data = folder.join("online");
    let server = Server::start(&data, &[]);
    let schema = sources.join("schema.json");
    let rejects = folder.join("online-rejects");
    let arguments =
        ["--server", &server.url, "--schema", schema.to_str().unwrap(), "--rejects", rejects.to_str().unwrap()];
    let output = load(sources, &[&arguments[..], more].concat());
    assert!(server.stop().success());
    (dump(&data), output)
}

fn offline(folder: &Path, name: &str, sources: &Path, more: &[&str]) -> Output {
    let data = folder.join(name);
    let schema = sources.join("schema.json");
    let rejects = folder.join(format!("{name}-rejects"));
    let arguments = [
        "--offline",
        "--data",
        data.to_str().unwrap(),
        "--schema",
        schema.to_str().unwrap(),
        "--rejects",
        rejects.to_str().unwrap(),
    ];
    load(sources, &[&arguments[..], more].concat())
}

/// The rejects of a load: the reasons of the store and of a server differ only in which one rejected the row.
fn rejects(folder: &Path, name: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(folder.join(format!("{name}-rejects"))).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        lines.extend(text.lines().map(|line| format!("{file}: {line}")));
    }
    lines.sort();
    lines
}

#[test]
fn an_offline_load_makes_the_store_a_server_makes() {
    let folder = tempfile::tempdir().unwrap();
    let sources = network(folder.path(), 40);
    let (expected, output) = online(folder.path(), &sources, &[]);
    assert!(output.status.success(), "{}", text(&output));
    for (name, more) in [("sorted", &["--sort-memory", "1MiB"][..]), ("batches", &["--batch-size", "300"])] {
        let output = offline(folder.path(), name, &sources, more);
        assert!(output.status.success(), "{}", text(&output));
        let data = folder.path().join(name);
        assert!(dump(&data) == expected, "{name}: {} and {} rows", dump(&data).len(), expected.len());
        assert!(!data.join("offline-load").exists(), "nothing is left behind");
    }
}

#[test]
fn bad_rows_are_rejected_as_online_and_indexes_are_built() {
    let folder = tempfile::tempdir().unwrap();
    let sources = mixed(folder.path());
    let (expected, output) = online(folder.path(), &sources, &[]);
    assert!(!output.status.success() && text(&output).contains("rows were rejected"), "{}", text(&output));
    let index_rows = expected.iter().filter(|(table, ..)| *table == tables::INDEX_RANGE.0).count();
    assert!(index_rows > 0);
    // Twice: the second load replaces what is there, in an index that is in use.
    for round in 0..2 {
        let output = offline(folder.path(), "sorted", &sources, &[]);
        assert!(!output.status.success(), "{}", text(&output));
        assert!(dump(&folder.path().join("sorted")) == expected, "round {round}: {}", text(&output));
        assert_eq!(rejects(folder.path(), "sorted"), rejects(folder.path(), "online"));
    }
    let output = offline(folder.path(), "sorted", &sources, &["--check-vertex"]);
    assert!(!output.status.success());
    let all = rejects(folder.path(), "sorted");
    let missing = all.iter().find(|line| line.contains("fay")).unwrap_or_else(|| panic!("{all:#?}"));
    assert!(missing.contains("lives.csv: ") && missing.contains(",5,"), "{missing}");
}

#[test]
fn a_store_in_use_and_a_load_nobody_began_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let sources = mixed(folder.path());
    let server = Server::start(&folder.path().join("held"), &[]);
    let output = offline(folder.path(), "held", &sources, &[]);
    assert!(!output.status.success() && text(&output).contains("is in use by process"), "{}", text(&output));
    drop(server);
    let output = offline(folder.path(), "held", &sources, &["--resume"]);
    assert!(!output.status.success() && text(&output).contains("leave out --resume"), "{}", text(&output));
}

/// Killed in every phase and taken up again: nothing is lost, nothing is twice.
#[test]
fn a_killed_load_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let sources = network(folder.path(), 60);
    let output = offline(folder.path(), "whole", &sources, &[]);
    assert!(output.status.success(), "{}", text(&output));
    let expected = dump(&folder.path().join("whole"));
    let whole = String::from_utf8_lossy(&output.stdout).into_owned();

    let data = folder.path().join("killed");
    let journal = data.join("offline-load").join("journal");
    let mut kills = 0;
    for sign in [
        "\"Read\":[\"Vertices\"",
        "\"AllRead\":\"Vertices\"",
        "\"Stored\":\"Vertices\"",
        "\"Read\":[\"Edges\"",
        "\"AllRead\":\"Edges\"",
    ] {
        let resume = if journal.exists() { &["--resume"][..] } else { &[] };
        if kills > 0 && resume.is_empty() {
            break;
        }
        let mut child = command()
            .arg("load")
            .arg("--mapping")
            .arg(sources.join("mapping.json"))
            .arg("--schema")
            .arg(sources.join("schema.json"))
            .args(["--offline", "--sort-memory", "1MiB", "--data"])
            .arg(&data)
            .args(resume)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        loop {
            if std::fs::read_to_string(&journal).is_ok_and(|text| text.contains(sign)) {
                child.kill().unwrap();
                break;
            }
            if child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.wait().unwrap();
        kills += u32::from(journal.exists());
    }
    assert!(kills >= 3, "the load ended before it could be killed");
    if journal.exists() {
        let without = offline(folder.path(), "killed", &sources, &[]);
        assert!(text(&without).contains("continue it with --resume"), "{}", text(&without));
        let output = offline(folder.path(), "killed", &sources, &["--sort-memory", "1MiB", "--resume"]);
        assert!(output.status.success(), "{}", text(&output));
        let resumed = String::from_utf8_lossy(&output.stdout).into_owned();
        let table = |text: &str| -> Vec<String> {
            text.lines()
                .filter(|line| line.starts_with("vertex") || line.starts_with("edge"))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(table(&resumed), table(&whole), "every row is counted once");
    }
    assert!(dump(&data) == expected);
}
