//! From the files of a stopped HugeGraph: no server answers, and nothing becomes JSON on the way. Rows of one store
//! become rows of the other; afterwards the other one is read and compared with what was read of the files.

use std::collections::HashMap;
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use api_client::ElementKind;
use bulk_load::{LoadOptions, OfflineOptions, StoredElement, StoredElements, StoredRows, load_stored};
use graph_maintenance::ElementRows;
use hugegraph_files::{ElementTable, Found, Rows, Source};

use crate::definitions::{Definitions, name_of};
use crate::elements::{Digests, merge, words};
use crate::error::MigrateError;
use crate::limits::{COMMIT_ELEMENTS, WARNINGS_MAX};
use crate::options::{FilesOptions, MigrateObserver, StoreTarget};
use crate::rows::RowSums;
use crate::run::compare;
use crate::store::{InStore, on_threads};
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
        let elements = Elements::new(self.source, self.definitions);
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
            let what = if self.options.verify { "comparing" } else { "counting" };
            self.observer.step(&format!("{what} {}", words(kind)));
            // Nothing was read of what an interrupted migration had loaded already.
            let here = elements.sums(kind).map_or_else(|| self.sums_of_source(kind), Ok)?;
            let there = self.options.verify.then(|| self.sums_of_target(in_store, kind)).transpose()?;
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

    /// Sums over the contents of all elements of the source, read for that alone.
    fn sums_of_source(&self, kind: ElementKind) -> Result<Digests, MigrateError> {
        let elements = Elements::new(self.source, self.definitions);
        let rows = elements.shared(kind)?;
        on_threads(self.target.threads, || rows.each(&mut |_| ControlFlow::Continue(())), |()| ())?;
        Ok(elements.sums(kind).unwrap_or_default())
    }

    /// Likewise of the target.
    fn sums_of_target(&self, in_store: &InStore<'_>, kind: ElementKind) -> Result<Digests, MigrateError> {
        let names = names(self.definitions, kind);
        let failed = |error| MigrateError::store(format!("reading {}", words(kind)))(error);
        let graph = in_store.graph()?;
        let rows = match kind {
            ElementKind::Vertex => ElementRows::of_vertices(graph),
            ElementKind::Edge => ElementRows::of_edges(graph),
        };
        let rows = rows.map_err(failed)?;
        let work = || -> Result<Digests, MigrateError> {
            let mut sums = RowSums::new(&names);
            rows.each(&mut |row| sums.add_stored(row)).map_err(failed)?;
            Ok(sums.by_name())
        };
        let mut all = Digests::new();
        on_threads(self.target.threads, work, |sums| merge(&mut all, &sums))?;
        Ok(all)
    }
}

/// Names of labels by their numbers.
fn names(definitions: &Definitions, kind: ElementKind) -> HashMap<u32, String> {
    let [_, vertex_labels, edge_labels, _] = &definitions.lists;
    let labels = if kind == ElementKind::Vertex { vertex_labels } else { edge_labels };
    let named = labels.iter().filter_map(|label| {
        let id = label.get("id").and_then(serde_json::Value::as_u64)?;
        Some((u32::try_from(id).ok()?, name_of(label).to_owned()))
    });
    named.collect()
}

/// How many rows are not migrated, and why.
#[derive(Default)]
struct LeftOut {
    expired: AtomicU64,
    without_label: AtomicU64,
}

/// All elements of a source, and what was read of them.
struct Elements<'s> {
    source: &'s Source,
    left_out: LeftOut,
    vertices: SumsRead,
    edges: SumsRead,
}

/// Sums over the elements of a kind that were read.
struct SumsRead {
    names: HashMap<u32, String>,
    /// Nothing before the first one was asked for.
    read: Mutex<Option<Digests>>,
}

impl<'s> Elements<'s> {
    fn new(source: &'s Source, definitions: &Definitions) -> Self {
        let none_read = |kind| SumsRead { names: names(definitions, kind), read: Mutex::new(None) };
        let (vertices, edges) = (none_read(ElementKind::Vertex), none_read(ElementKind::Edge));
        Self { source, left_out: LeftOut::default(), vertices, edges }
    }

    fn shared(&self, kind: ElementKind) -> Result<Shared<'_>, MigrateError> {
        let (table, sums) = match kind {
            ElementKind::Vertex => (ElementTable::Vertices, &self.vertices),
            ElementKind::Edge => (ElementTable::Edges, &self.edges),
        };
        *sums.lock() = Some(Digests::new());
        Ok(Shared { rows: self.source.rows(table)?, kind, left_out: &self.left_out, sums })
    }

    /// Sums over all elements of a kind, if its rows were read, to their end.
    fn sums(&self, kind: ElementKind) -> Option<Digests> {
        match kind {
            ElementKind::Vertex => self.vertices.lock().take(),
            ElementKind::Edge => self.edges.lock().take(),
        }
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

impl SumsRead {
    fn lock(&self) -> MutexGuard<'_, Option<Digests>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
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
    sums: &'s SumsRead,
}

impl Shared<'_> {
    /// Gives elements to `take`, as long as there are any for this thread, and adds them to the sums.
    fn each(&self, take: &mut dyn FnMut(StoredElement) -> ControlFlow<()>) -> Result<(), MigrateError> {
        let mut sums = RowSums::new(&self.sums.names);
        match self.kind {
            ElementKind::Vertex => self.rows.vertices(&mut |found| {
                self.pass(found, |vertex| {
                    sums.add_vertex(&vertex);
                    take(StoredElement::Vertex(vertex))
                })
            })?,
            ElementKind::Edge => self.rows.edges(&mut |found| {
                self.pass(found, |edge| {
                    sums.add_edge(&edge);
                    take(StoredElement::Edge(edge))
                })
            })?,
        }
        merge(self.sums.lock().get_or_insert_default(), &sums.by_name());
        Ok(())
    }

    fn pass<T>(&self, found: Found<T>, take: impl FnOnce(T) -> ControlFlow<()>) -> ControlFlow<()> {
        let left_out = match found {
            Found::Element(element) => return take(element),
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
