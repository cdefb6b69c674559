//! From the files of a stopped HugeGraph: no server answers, and nothing becomes JSON on the way. Rows of one store
//! become rows of the other; afterwards both are read once more and compared.

use std::collections::HashMap;
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use api_client::ElementKind;
use bulk_load::{LoadOptions, OfflineOptions, StoredElement, StoredElements, StoredRows, load_stored};
use graph_model::{Edge, Vertex, VertexId};
use hugegraph_files::{ElementTable, Found, Rows, Source};
use key_codec::value::{put_edge, put_vertex};

use crate::definitions::{Definitions, name_of};
use crate::digest::Digest;
use crate::elements::{Digests, merge, words};
use crate::error::MigrateError;
use crate::limits::{COMMIT_ELEMENTS, WARNINGS_MAX};
use crate::options::{FilesOptions, MigrateObserver, StoreTarget};
use crate::run::compare;
use crate::store::InStore;
use crate::summary::MigrateSummary;
use crate::target::Target as _;
use crate::users::Records;

/// Migrates a graph from the files of a stopped server into a store that this process has open. An interrupted
/// migration of the same files is continued.
///
/// # Errors
/// [`MigrateError`]. The same call can be repeated.
pub fn from_files(
    source: &Source,
    target: StoreTarget<'_>,
    options: &FilesOptions,
    observer: &dyn MigrateObserver,
) -> Result<MigrateSummary, MigrateError> {
    let dir = &options.work_dir;
    if options.restart && dir.exists() {
        std::fs::remove_dir_all(dir).map_err(|error| MigrateError::file("remove", dir, error))?;
    }
    std::fs::create_dir_all(dir).map_err(|error| MigrateError::file("make", dir, error))?;
    let schema = source.schema();
    let definitions = Definitions::of(schema.lists.clone(), schema.warnings.clone());
    tracing::info!(source = source.identity(), "migrating files");
    let mut in_store = InStore::new(target, &options.graph, observer);
    in_store.begin()?;
    let migration = Migration { source, target, options, definitions: &definitions, observer };
    let done = migration.carry_out(&mut in_store);
    // The graph must not stay in this mode, whatever has happened.
    let ended = in_store.end();
    let summary = done?;
    ended?;
    std::fs::remove_dir_all(dir).map_err(|error| MigrateError::file("remove", dir, error))?;
    Ok(summary)
}

struct Migration<'a> {
    source: &'a Source,
    target: StoreTarget<'a>,
    options: &'a FilesOptions,
    definitions: &'a Definitions,
    observer: &'a dyn MigrateObserver,
}

impl Migration<'_> {
    fn carry_out(&self, in_store: &mut InStore<'_>) -> Result<MigrateSummary, MigrateError> {
        let mut summary = MigrateSummary { warnings: self.definitions.warnings.clone(), ..MigrateSummary::default() };
        self.observer.step("taking over the schema");
        summary.defined = self.definitions.make_in(in_store)?;
        let variables = self.source.variables()?;
        for (name, value) in &variables {
            in_store.set_variable(name, value)?;
        }
        summary.variables = variables.len();

        self.observer.step("loading");
        let began = Instant::now();
        let elements = Elements { source: self.source, left_out: LeftOut::default() };
        summary.warnings.extend(self.load(&elements)?);
        elements.warn(&mut summary.warnings);
        summary.loading = began.elapsed();

        if self.options.users {
            self.observer.step("taking over users and rights");
            match self.source.users()? {
                Some(records) => {
                    summary.users = Records::of(records).add_to(in_store, &mut summary.warnings)?;
                }
                None => summary.warnings.push("the source has no users: authentication was never on there".to_owned()),
            }
        }

        let began = Instant::now();
        for kind in [ElementKind::Vertex, ElementKind::Edge] {
            let (what, there) = match self.options.verify {
                true => ("comparing", Some(self.sums_of_target(in_store, kind)?)),
                false => ("counting", None),
            };
            self.observer.step(&format!("{what} {}", words(kind)));
            let here = self.sums_of_source(kind)?;
            summary.labels.extend(compare(self.definitions, kind, &here, there.as_ref()));
        }
        summary.comparing = began.elapsed();
        summary.warnings.truncate(WARNINGS_MAX);
        Ok(summary)
    }

    fn load(&self, elements: &Elements<'_>) -> Result<Vec<String>, MigrateError> {
        let dir = &self.options.work_dir;
        let options = OfflineOptions {
            load: LoadOptions::new(dir.join("elements")),
            graph: self.options.graph.clone(),
            data_dir: dir.clone(),
            memory_bytes: self.target.memory_bytes,
            threads: self.target.threads,
            batch: (!self.target.store.engine().capabilities().sorted_ingest).then_some(COMMIT_ELEMENTS),
            resume: true,
        };
        Ok(load_stored(self.target.store, elements, &options, self.observer.load())?.warnings)
    }

    /// Sums over the contents of all elements of the source.
    fn sums_of_source(&self, kind: ElementKind) -> Result<Digests, MigrateError> {
        let elements = Elements { source: self.source, left_out: LeftOut::default() };
        let rows = elements.shared(kind)?;
        let names = self.names(kind);
        let work = || -> Result<Digests, MigrateError> {
            let mut sums = Sums::new(&names);
            rows.each(&mut |element| {
                match &element {
                    StoredElement::Vertex(vertex) => sums.add_vertex(vertex),
                    StoredElement::Edge(edge) => sums.add_edge(edge),
                }
                ControlFlow::Continue(())
            })?;
            Ok(sums.by_name())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.target.threads.max(1)).map(|_| scope.spawn(work)).collect();
            let mut all = Digests::new();
            for thread in threads {
                let sums = thread.join().unwrap_or_else(|_| Err(MigrateError::Worker("a thread panicked".to_owned())));
                merge(&mut all, &sums?);
            }
            Ok(all)
        })
    }

    /// Likewise of the target.
    fn sums_of_target(&self, in_store: &InStore<'_>, kind: ElementKind) -> Result<Digests, MigrateError> {
        let names = self.names(kind);
        let begin = || Sums::new(&names);
        let sums = in_store
            .scan_all(kind, &begin, &|sums, vertex| sums.add_vertex(vertex), &|sums, edge| sums.add_edge(edge))?;
        let mut all = Digests::new();
        sums.into_iter().for_each(|sums| merge(&mut all, &sums.by_name()));
        Ok(all)
    }

    /// Names of labels by their numbers.
    fn names(&self, kind: ElementKind) -> HashMap<u32, String> {
        let [_, vertex_labels, edge_labels, _] = &self.definitions.lists;
        let labels = if kind == ElementKind::Vertex { vertex_labels } else { edge_labels };
        let named = labels.iter().filter_map(|label| {
            let id = label.get("id").and_then(serde_json::Value::as_u64)?;
            Some((u32::try_from(id).ok()?, name_of(label).to_owned()))
        });
        named.collect()
    }
}

/// How many rows are not migrated, and why.
#[derive(Default)]
struct LeftOut {
    expired: AtomicU64,
    without_label: AtomicU64,
}

/// All elements of a source.
struct Elements<'s> {
    source: &'s Source,
    left_out: LeftOut,
}

impl Elements<'_> {
    fn shared(&self, kind: ElementKind) -> Result<Shared<'_>, MigrateError> {
        let table = match kind {
            ElementKind::Vertex => ElementTable::Vertices,
            ElementKind::Edge => ElementTable::Edges,
        };
        Ok(Shared { rows: self.source.rows(table)?, kind, left_out: &self.left_out })
    }

    fn warn(&self, warnings: &mut Vec<String>) {
        let [expired, without_label] =
            [&self.left_out.expired, &self.left_out.without_label].map(|count| count.load(Ordering::Relaxed));
        if expired > 0 {
            warnings.push(format!("{expired} elements are left out: their time to live is over"));
        }
        if without_label > 0 {
            warnings.push(format!("{without_label} elements are left out: their labels are no longer in the schema"));
        }
    }
}

impl StoredElements for Elements<'_> {
    fn identity(&self) -> String {
        self.source.identity()
    }

    fn bytes(&self) -> u64 {
        self.source.bytes()
    }

    fn rows(&self, kind: ElementKind) -> Result<Box<dyn StoredRows + '_>, Box<dyn Error + Send + Sync>> {
        Ok(Box::new(self.shared(kind)?))
    }
}

/// Elements of a kind, for several threads.
struct Shared<'s> {
    rows: Rows<'s>,
    kind: ElementKind,
    left_out: &'s LeftOut,
}

impl Shared<'_> {
    fn each(&self, take: &mut dyn FnMut(StoredElement) -> ControlFlow<()>) -> Result<(), MigrateError> {
        match self.kind {
            ElementKind::Vertex => self.rows.vertices(&mut |found| self.pass(found, StoredElement::Vertex, take))?,
            ElementKind::Edge => self.rows.edges(&mut |found| self.pass(found, StoredElement::Edge, take))?,
        }
        Ok(())
    }

    fn pass<T>(
        &self,
        found: Found<T>,
        make: fn(T) -> StoredElement,
        take: &mut dyn FnMut(StoredElement) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let left_out = match found {
            Found::Element(element) => return take(make(element)),
            Found::System => return ControlFlow::Continue(()),
            Found::Expired => &self.left_out.expired,
            Found::WithoutLabel => &self.left_out.without_label,
        };
        left_out.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

impl StoredRows for Shared<'_> {
    fn read(&self, take: &mut dyn FnMut(StoredElement) -> ControlFlow<()>) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.each(take)?)
    }
}

/// Sums by the numbers of labels, over elements as they are stored here.
struct Sums<'n> {
    names: &'n HashMap<u32, String>,
    by_number: HashMap<u32, Digest>,
    canonical: Vec<u8>,
}

impl<'n> Sums<'n> {
    fn new(names: &'n HashMap<u32, String>) -> Self {
        Self { names, by_number: HashMap::new(), canonical: Vec::new() }
    }

    fn add_vertex(&mut self, vertex: &Vertex) {
        self.canonical.clear();
        write_id(&mut self.canonical, &vertex.id);
        put_vertex(&mut self.canonical, vertex.label, vertex.expires_at_ms, &vertex.properties);
        self.by_number.entry(vertex.label.0).or_default().add(&self.canonical);
    }

    fn add_edge(&mut self, edge: &Edge) {
        self.canonical.clear();
        write_id(&mut self.canonical, &edge.id.source);
        write_id(&mut self.canonical, &edge.id.target);
        write_bytes(&mut self.canonical, edge.id.sort_values.as_bytes());
        put_edge(&mut self.canonical, edge.expires_at_ms, &edge.properties);
        self.by_number.entry(edge.id.label.0).or_default().add(&self.canonical);
    }

    fn by_name(self) -> Digests {
        let name = |number: u32| self.names.get(&number).cloned().unwrap_or_else(|| format!("label {number}"));
        self.by_number.into_iter().map(|(number, sum)| (name(number), sum)).collect()
    }
}

fn write_id(out: &mut Vec<u8>, id: &VertexId) {
    match id {
        VertexId::Number(number) => {
            out.push(b'n');
            out.extend_from_slice(&number.to_be_bytes());
        }
        VertexId::String(text) => {
            out.push(b't');
            write_bytes(out, text.as_bytes());
        }
        VertexId::Uuid(bits) => {
            out.push(b'u');
            out.extend_from_slice(&bits.to_be_bytes());
        }
    }
}

/// Appends bytes with their number, so that two are never taken for two others.
fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
    out.extend_from_slice(bytes);
}
