//! Loading straight into a store: by sorting and in batches, with a disk that fills up in between.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use api_client::ElementKind;
use bulk_load::{LoadError, LoadOptions, LoadSummary, OfflineOptions, SilentObserver, load_offline};
use graph_access::{Budget, GraphRead};
use graph_gen::{Content, SnbOptions, generate};
use graph_host::{Store, StoreOptions};
use graph_model::LabelId;
use graph_store::GraphReader;
use key_codec::key::read_edge_label;
use key_codec::tables::{EDGE_IN, EDGE_OUT, LABEL_INDEX, TABLES, VERTEX};
use key_codec::value::read_vertex_head;
use kv::{Engine, Fault, FaultEngine, Faults, Key, KvError, MemoryEngine, TableId};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};

type Rows = Vec<(u8, Vec<u8>, Vec<u8>)>;

fn open(data: &Path) -> (Store, Faults) {
    let options = RocksDbOptions { path: data.to_path_buf(), ..RocksDbOptions::default() };
    let engine = FaultEngine::new(RocksDbEngine::open(&options, TABLES).unwrap());
    let faults = engine.faults();
    let mut options = StoreOptions::default();
    options.purge.interval = None;
    (Store::open(Arc::new(engine), options).unwrap(), faults)
}

fn options(sources: &Path, data: &Path) -> OfflineOptions {
    let mut load = LoadOptions::new(sources.join("mapping.json"));
    load.schema = Some(sources.join("schema.json"));
    load.rejects_dir = Some(data.with_extension("rejects"));
    OfflineOptions {
        load,
        graph: "hugegraph".to_owned(),
        data_dir: data.to_path_buf(),
        memory_bytes: 1 << 20,
        threads: 2,
        batch: None,
        resume: false,
    }
}

fn dump(engine: &dyn Engine) -> Rows {
    let mut rows = Vec::new();
    for table in [VERTEX, EDGE_OUT, EDGE_IN, LABEL_INDEX] {
        let mut cursor = engine.scan_partitions(table, &[], None).unwrap();
        while let Some(row) = cursor.next().unwrap() {
            rows.push((table.0, row.key.as_bytes().to_vec(), row.value.to_vec()));
        }
    }
    rows
}

fn network(folder: &Path, content: Content) -> (PathBuf, graph_gen::Summary) {
    let sources = folder.join("snb");
    let made = generate(&SnbOptions::new(30, 1).with_content(content), &sources, &mut |_| {}).unwrap();
    (sources, made)
}

fn inserted(summary: &LoadSummary, kind: ElementKind) -> u64 {
    summary.labels.iter().filter(|label| label.kind == kind).map(|label| label.inserted).sum()
}

/// What a start after a load knows of the numbers of elements, against the rows. `is_known`: without reading them.
fn check_counts(data: &Path, rows: &Rows, is_known: bool) {
    let (store, faults) = open(data);
    let graph = store.graph("hugegraph").unwrap();
    let (budget, catalogue) = (Budget::unlimited(), graph.catalogue());
    let reader = GraphReader::new(&graph, &catalogue, &budget);
    if is_known {
        faults.inject(Fault::FailReads { error: KvError::Closed });
    }
    let count = |table: TableId, label: Option<LabelId>| {
        let of = |(_, key, value): &&(u8, Vec<u8>, Vec<u8>)| match table {
            VERTEX => read_vertex_head(value).unwrap().label,
            _ => read_edge_label(Key::new(key, 0)).unwrap(),
        };
        let rows = rows.iter().filter(|(of, ..)| *of == table.0);
        rows.filter(|row| label.is_none_or(|label| label == of(row))).count() as u64
    };
    let vertices = catalogue.vertex_labels().map(|label| Some(label.id));
    for label in vertices.chain([None]) {
        assert_eq!(reader.count_vertices(label).unwrap(), count(VERTEX, label), "{label:?}");
    }
    let edges = catalogue.edge_labels().map(|label| Some(label.id));
    for label in edges.chain([None]) {
        assert_eq!(reader.count_edges(label).unwrap(), count(EDGE_OUT, label), "{label:?}");
    }
    faults.clear();
}

#[test]
fn sorting_and_batches_make_the_same_store() {
    for content in [Content::Everything, Content::IdsOnly] {
        let folder = tempfile::tempdir().unwrap();
        let (sources, made) = network(folder.path(), content);
        let load = |name: &str, change: &dyn Fn(&mut OfflineOptions)| {
            let data = folder.path().join(name);
            let (store, _) = open(&data);
            let mut options = options(&sources, &data);
            change(&mut options);
            let summary = load_offline(&store, &options, &SilentObserver).unwrap();
            assert_eq!(summary.rejected(), 0, "{summary}");
            assert_eq!(inserted(&summary, ElementKind::Vertex), made.vertices(), "{summary}");
            assert_eq!(inserted(&summary, ElementKind::Edge), made.edges(), "{summary}");
            let rows = dump(store.engine());
            drop(store);
            check_counts(&data, &rows, options.batch.is_none());
            (rows, summary)
        };
        let (sorted, summary) = load("sorted", &|_| {});
        let figures = summary.offline.clone().unwrap();
        assert!(figures.runs > 4 && figures.rows >= summary.inserted(), "{summary}");
        let edges = sorted.iter().filter(|(table, ..)| *table != VERTEX.0).count() as u64;
        assert_eq!(edges, 2 * made.edges());
        let (batches, _) = load("batches", &|options| options.batch = Some(100));
        assert!(batches == sorted);
        let (checked, _) = load("checked", &|options| options.load.check_vertex = true);
        assert!(checked == sorted, "with all ends there, looking them up changes nothing");
    }
}

#[test]
fn a_disk_that_fills_up_stops_the_load_and_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (sources, _) = network(folder.path(), Content::Everything);
    let whole = folder.path().join("whole");
    let (store, _) = open(&whole);
    let expected = load_offline(&store, &options(&sources, &whole), &SilentObserver).unwrap();
    let expected_rows = dump(store.engine());

    for batch in [None, Some(200)] {
        let data = folder.path().join(format!("full-{}", batch.is_some()));
        let mut options = options(&sources, &data);
        options.batch = batch;
        // Everything is there from the start but the elements: what an empty load leaves.
        let (store, faults) = open(&data);
        let graph = store.graph("hugegraph").unwrap();
        let path = data.clone();
        let filled = FullAtEdges { faults: faults.clone(), path };
        let error = load_offline(&store, &options, &filled).unwrap_err();
        let LoadError::DiskFull { needed_bytes, .. } = &error else { panic!("{error}") };
        assert!(*needed_bytes > 0 && error.to_string().contains("--resume"), "{error}");
        drop((graph, store));

        let (store, _) = open(&data);
        let again = load_offline(&store, &options, &SilentObserver).unwrap_err();
        assert!(matches!(again, LoadError::Journal { .. }), "{again}");
        options.resume = true;
        let summary = load_offline(&store, &options, &SilentObserver).unwrap();
        assert!(dump(store.engine()) == expected_rows);
        let counts = |summary: &LoadSummary| -> Vec<_> {
            summary.labels.iter().map(|label| (label.label.clone(), label.read, label.inserted)).collect()
        };
        assert_eq!(counts(&summary), counts(&expected), "every row is counted once");
        let nothing = load_offline(&store, &options, &SilentObserver).unwrap_err();
        assert!(matches!(nothing, LoadError::NothingToResume { .. }), "{nothing}");
    }
}

/// Fills the disk when edges begin.
struct FullAtEdges {
    faults: Faults,
    path: PathBuf,
}

impl bulk_load::LoadObserver for FullAtEdges {
    fn phase(&self, phase: bulk_load::Phase) {
        if phase == bulk_load::Phase::Edges {
            self.faults.inject(Fault::DiskFull { path: self.path.clone() });
        }
    }
}

#[test]
fn an_engine_that_keeps_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (sources, _) = network(folder.path(), Content::IdsOnly);
    let store = Store::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default()).unwrap();
    let error = load_offline(&store, &options(&sources, folder.path()), &SilentObserver).unwrap_err();
    assert!(error.to_string().contains("memory does not support offline loads"), "{error}");
}
