//! Loading files straight into an embedded store, without a server.
//!
//! Vertices of all sources come first, then edges, each in two steps. Reading: every thread takes parts of the source
//! files (`chunks.rs`, `read.rs`), makes elements by the rules of an online load (`rows.rs`, `worker.rs`) and collects
//! their rows in its share of the memory (crate `sorted-runs`); when that is full it is sorted and written to a file, a
//! run there, and what is left at the end is sorted and stays in memory, if there is no run. Storing: all of it is
//! merged section by section into data files of the storage engine (`merge.rs`), and when all of them are there, the
//! engine takes them over. Nothing goes through a log. At last index labels are built.
//!
//! A journal records finished steps (`journal.rs`), so an interrupted load can resume at the portion of the sources it
//! was reading, or at the merge. What stayed in memory is recorded once the store has it; until then it would be read
//! again. Until the engine has ingested the files of a phase, none of it is in the store, so nothing is loaded twice.
//!
//! With a batch size, rows are committed in batches instead: the plain write path, for comparison and for small
//! additions to large stores.
//!
//! [`load_elements`] takes files whose lines are elements as the REST API answers them, instead of rows and a mapping
//! (`elements.rs`), and [`load_stored`] elements that another store holds (`stored.rs`); everything behind the reading
//! is the same.

mod chunks;
mod elements;
mod foreign;
mod journal;
mod merge;
mod read;
mod rows;
mod space;
mod state;
mod store;
mod stored;
mod worker;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant, UNIX_EPOCH};

use api_client::ElementKind;
use graph_host::{GraphConf, HostedGraph, Store};
use graph_maintenance::{Ingested, suspend_indexes};
use graph_store::{Graph, StoreError};

use crate::catalogue::Catalogue;
use crate::error::LoadError;
use crate::limits::{REPORTS_WAITING_MAX, SORT_MEMORY_BYTES_MIN, THREAD_MEMORY_BYTES_MAX};
use crate::load::{self, Source};
use crate::mapping_check::read_mapping;
use crate::options::LoadOptions;
use crate::parse::FileJob;
use crate::progress::{LoadObserver, Phase};
use crate::rejects::Rejects;
use crate::schema_file::SchemaFile;
use crate::source::SourceFile;
use crate::summary::{LabelSummary, LoadSummary, OfflineSummary};
use chunks::{Chunks, cut};
use journal::{Identity, Journal, SourceIdentity, Step};
use sorted_runs::SortedSection;
use state::State;
use worker::{Report, Shared, Worker};

pub use elements::ElementFiles;
pub use foreign::{StoredElement, StoredElements, StoredRows};
pub use stored::load_stored;

/// Folder inside the data folder for the state of an offline load.
const WORK_FOLDER: &str = "offline-load";

/// How to load into an embedded store.
#[derive(Clone, Debug)]
pub struct OfflineOptions {
    /// Files, rejects and checks. Options of a server are ignored.
    pub load: LoadOptions,
    /// The graph; created if it does not exist.
    pub graph: String,
    /// The store's folder. Runs and the journal are in a folder inside it, so that they take room where the store does.
    pub data_dir: PathBuf,
    /// Memory for rows that are not sorted yet, in bytes, of all threads together.
    pub memory_bytes: u64,
    /// Threads that read and store.
    pub threads: usize,
    /// Commit batches of this many elements instead of sorting all rows.
    pub batch: Option<usize>,
    /// Resume an interrupted load.
    pub resume: bool,
}

/// Loads files into a graph of a store that this process has open, as the mapping says. Bad rows go to the rejects
/// folder and do not stop the load; the rules are those of [`crate::load()`].
///
/// A unique index label that the elements contradict is not built, and the summary says so; an online load would reject
/// the rows instead.
///
/// Elements replace stored ones with the same id. Where two rows have the same id, either may be the one that stays,
/// but both ends of an edge see the same one. Nobody else may write to the store meanwhile.
///
/// # Errors
/// [`LoadError`]. The store then holds the phases that were finished (with a batch size: the batches), and the same
/// call with `resume` continues; [`LoadError::DiskFull`] says how much space that needs.
pub fn load_offline(
    store: &Store,
    options: &OfflineOptions,
    observer: &dyn LoadObserver,
) -> Result<LoadSummary, LoadError> {
    let ended = run(store, options, observer);
    observer.finished();
    ended
}

fn run(store: &Store, options: &OfflineOptions, observer: &dyn LoadObserver) -> Result<LoadSummary, LoadError> {
    check(store, options)?;
    let mapping = read_mapping(&options.load.mapping)?;
    let sources = load::find_sources(&mapping, &options.load)?;
    let schema = options.load.schema.as_deref().map(|path| Ok((path, SchemaFile::read(path)?))).transpose()?;
    let graph = graph_of(store, &options.graph)?;
    if let Some((path, schema)) = &schema {
        schema.create_in(&graph, path)?;
    }
    let catalogue = Arc::new(catalogue_of(&graph)?);
    let labels = load::labels(&sources);
    // Building every job once shows all mistakes in the mapping before anything is written.
    for kind in [ElementKind::Vertex, ElementKind::Edge] {
        load::jobs(&sources, kind, &labels, &catalogue, &options.load)?;
    }
    // Before anything else is written: it refuses a folder with sources in it, and removes what an earlier load
    // rejected.
    let mut rejects = load::rejects(&mapping, &sources, &options.load)?;
    let work = Work::Mapped { sources: &sources, catalogue };
    let mut load = Load::start(store, graph, options, observer, (work, labels), &identity(options, &sources)?)?;
    observer.started(load::plan(&sources));
    load.carry_out(&mut rejects)?;
    Ok(load.summary(rejects.written_to()))
}

/// Loads files of elements into a graph of a store that this process has open, whose schema is there already. The
/// summary has one line for vertices and one for edges. With `resume`, an interrupted load is continued if there is
/// one.
///
/// Ids of a label with automatic ids are taken as they are where the graph's mode is RESTORING.
///
/// # Errors
/// As of [`crate::load_offline()`].
pub fn load_elements(
    store: &Store,
    files: &ElementFiles,
    options: &OfflineOptions,
    observer: &dyn LoadObserver,
) -> Result<LoadSummary, LoadError> {
    let run = || {
        check(store, options)?;
        let files = elements::Files::find(files)?;
        let graph = graph_of(store, &options.graph)?;
        let mut rejects = files.rejects(&options.load)?;
        let mut identity = Identity::new(&options.graph, "elements".to_owned(), false, options.batch);
        identity.sources = files.all().map(identity_of).collect::<Result<_, _>>()?;
        let resume = options.resume && Journal::exists(&options.data_dir.join(WORK_FOLDER));
        let options = OfflineOptions { resume, ..options.clone() };
        let labels = [(ElementKind::Vertex, "vertices"), (ElementKind::Edge, "edges")];
        let labels = labels.map(|(kind, name)| LabelSummary::new(kind, name)).into();
        let mut load = Load::start(store, graph, &options, observer, (Work::Elements(&files), labels), &identity)?;
        observer.started(files.plan(None));
        load.carry_out(&mut rejects)?;
        Ok(load.summary(rejects.written_to()))
    };
    let ended = run();
    observer.finished();
    ended
}

fn check(store: &Store, options: &OfflineOptions) -> Result<(), LoadError> {
    load::check_options(&options.load)?;
    let wrong = |option, reason: String| Err(LoadError::Option { option, reason });
    let capabilities = store.engine().capabilities();
    if !capabilities.persistent || options.batch.is_none() && !capabilities.sorted_ingest {
        return wrong(
            "offline",
            format!("the storage engine {} does not support offline loads", store.engine().name()),
        );
    }
    if options.batch == Some(0) {
        return wrong("batch_size", "it must be at least 1".into());
    }
    if options.memory_bytes < SORT_MEMORY_BYTES_MIN {
        return wrong("sort_memory", format!("it must be at least {SORT_MEMORY_BYTES_MIN} bytes"));
    }
    Ok(())
}

fn graph_of(store: &Store, name: &str) -> Result<Arc<HostedGraph>, LoadError> {
    let found = match store.graph(name) {
        Err(StoreError::GraphNotFound { .. }) => store.create_graph(name, &GraphConf::new()),
        found => found,
    };
    let graph = found.map_err(|error| LoadError::graph("cannot open the graph", error))?;
    if graph.is_auto() {
        let reason = format!("'{name}' has schema.mode=auto, whose schema is made by online writes: load it online");
        return Err(LoadError::Option { option: "offline", reason });
    }
    Ok(graph)
}

/// The graph's schema as the builders look it up: the form in which a server would answer it.
fn catalogue_of(graph: &Graph) -> Result<Catalogue, LoadError> {
    let mut text = Vec::new();
    rest_json::write_schema(&mut text, &graph.catalogue(), rest_json::Dialect::Current);
    let schema = serde_json::from_slice(&text);
    let schema = schema.map_err(|error| LoadError::Defect { place: "the schema", reason: error.to_string() })?;
    Ok(Catalogue::new(schema))
}

fn open_journal(
    work_dir: &Path,
    options: &OfflineOptions,
    identity: &Identity,
) -> Result<(Journal, Vec<Step>), LoadError> {
    match (options.resume, Journal::exists(work_dir)) {
        (true, true) => Journal::resume(work_dir, identity),
        (true, false) => Err(LoadError::NothingToResume { dir: work_dir.to_owned() }),
        (false, true) => Err(LoadError::Journal {
            dir: work_dir.to_owned(),
            reason: "continue it with --resume, or remove the folder to load from the start".to_owned(),
        }),
        (false, false) => Ok((Journal::create(work_dir, identity)?, Vec::new())),
    }
}

fn identity(options: &OfflineOptions, sources: &[Source<'_>]) -> Result<Identity, LoadError> {
    let path = &options.load.mapping;
    let mapping = std::fs::read_to_string(path).map_err(|error| LoadError::file("read", path, error))?;
    let mut identity = Identity::new(&options.graph, mapping, options.load.check_vertex, options.batch);
    identity.sources = sources.iter().flat_map(Source::files).map(identity_of).collect::<Result<_, _>>()?;
    Ok(identity)
}

fn identity_of(file: &SourceFile) -> Result<SourceIdentity, LoadError> {
    let modified = std::fs::metadata(&file.path).and_then(|meta| meta.modified());
    let modified = modified.map_err(|error| LoadError::file("read", &file.path, error))?;
    Ok(SourceIdentity {
        path: file.path.to_path_buf(),
        bytes: file.bytes,
        modified_ms: modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis(),
    })
}

/// What is loaded.
enum Work<'a> {
    /// Rows of files, by a mapping.
    Mapped { sources: &'a [Source<'a>], catalogue: Arc<Catalogue> },
    /// Elements as the REST API has them.
    Elements(&'a elements::Files),
    /// Elements of another store.
    Stored(&'a dyn StoredElements),
}

/// A running load.
struct Load<'a> {
    store: &'a Store,
    graph: Arc<HostedGraph>,
    options: &'a OfflineOptions,
    observer: &'a dyn LoadObserver,
    work: Work<'a>,
    labels: Vec<LabelSummary>,
    work_dir: PathBuf,
    journal: Journal,
    state: State,
    next_run: AtomicU64,
    started: Instant,
    figures: OfflineSummary,
    warnings: Vec<String>,
    in_memory: InMemory,
    /// All that is ingested, where there was nothing before.
    ingested: Option<Ingested>,
}

/// What was read of a phase and never written to a run.
#[derive(Default)]
struct InMemory {
    sections: Vec<SortedSection>,
    /// What the journal hears once the rows are in the store: until then they would have to be read again.
    steps: Vec<Step>,
}

impl<'a> Load<'a> {
    /// A load of something into labels, from its journal on.
    fn start(
        store: &'a Store,
        graph: Arc<HostedGraph>,
        options: &'a OfflineOptions,
        observer: &'a dyn LoadObserver,
        (work, labels): (Work<'a>, Vec<LabelSummary>),
        identity: &Identity,
    ) -> Result<Self, LoadError> {
        let work_dir = options.data_dir.join(WORK_FOLDER);
        let (journal, steps) = open_journal(&work_dir, options, identity)?;
        let state = State::of(steps);
        let next_run = AtomicU64::new(state.next_run());
        let figures = OfflineSummary { resumed: options.resume, ..OfflineSummary::default() };
        let (started, warnings) = (Instant::now(), Vec::new());
        let ingested = if options.batch.is_none() { Ingested::into_empty(&graph) } else { Ok(None) };
        let ingested = ingested.map_err(|error| LoadError::graph("cannot read the graph", error))?;
        Ok(Self {
            store,
            graph,
            options,
            observer,
            work,
            labels,
            work_dir,
            journal,
            state,
            next_run,
            started,
            figures,
            warnings,
            in_memory: InMemory::default(),
            ingested,
        })
    }

    /// Runs it, and writes down what was rejected, however it ends.
    fn carry_out(&mut self, rejects: &mut Rejects) -> Result<(), LoadError> {
        let ended = self.finish();
        for row in self.state.rejected() {
            rejects.write(row.struct_index, &row.rejection())?;
        }
        rejects.flush()?;
        ended
    }

    /// Runs it where nothing is rejected.
    fn finish(&mut self) -> Result<(), LoadError> {
        self.run().map_err(|error| {
            // Frees the space of unfinished work, which the next load would remove anyway.
            drop(self.state.remove_strays(&self.work_dir));
            self.explained(error)
        })
    }

    fn run(&mut self) -> Result<(), LoadError> {
        self.state.remove_strays(&self.work_dir)?;
        self.suspend_indexes()?;
        for phase in [Phase::Vertices, Phase::Edges] {
            let kind = kind_of(phase);
            if self.labels.iter().any(|label| label.kind == kind) && !self.state.phase(phase).stored {
                self.observer.phase(phase);
                self.read(phase)?;
                self.store(phase)?;
            }
        }
        self.build_indexes()?;
        if let Some(ingested) = &self.ingested {
            let recorded = ingested.record(&self.graph);
            recorded.map_err(|error| LoadError::graph("cannot note the numbers of elements", error))?;
        }
        let synced = self.store.engine().sync();
        synced.map_err(|error| LoadError::store("cannot sync the store to disk", error))?;
        std::fs::remove_dir_all(&self.work_dir)
            .map_err(|error| LoadError::work_in(&self.work_dir, "remove the folder", error))
    }

    fn step(&mut self, step: Step, durable: bool) -> Result<(), LoadError> {
        self.journal.add(&step, durable)?;
        self.state.add(step);
        Ok(())
    }

    /// Disables the index labels that the load would make incorrect.
    fn suspend_indexes(&mut self) -> Result<(), LoadError> {
        if self.state.is_loaded() {
            return Ok(());
        }
        let of_kind = |kind| -> Vec<String> {
            match &self.work {
                Work::Mapped { .. } => {
                    self.labels.iter().filter(|label| label.kind == kind).map(|label| label.label.clone()).collect()
                }
                Work::Elements(_) | Work::Stored(_) => elements::labels_of(&self.graph, kind),
            }
        };
        let (vertices, edges) = (of_kind(ElementKind::Vertex), of_kind(ElementKind::Edge));
        let vertices: Vec<&str> = vertices.iter().map(String::as_str).collect();
        let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
        let suspended = suspend_indexes(&self.graph, &vertices, &edges);
        let suspended = suspended.map_err(|error| LoadError::graph("cannot disable indexes", error))?;
        if suspended.is_empty() { Ok(()) } else { self.step(Step::Suspended(suspended), true) }
    }

    fn build_indexes(&mut self) -> Result<(), LoadError> {
        let began = Instant::now();
        for name in self.state.unbuilt() {
            self.observer.indexing(&name);
            match self.graph.jobs().build_index(&name) {
                Ok(()) => {}
                Err(error @ StoreError::IndexNotBuilt { .. }) => self.warnings.push(error.to_string()),
                Err(error) => return Err(LoadError::graph("cannot build an index", error)),
            }
            self.step(Step::Built(name), true)?;
        }
        self.figures.indexing += began.elapsed();
        Ok(())
    }

    fn jobs(&self, phase: Phase) -> Result<Vec<FileJob>, LoadError> {
        let kind = kind_of(phase);
        match &self.work {
            Work::Mapped { sources, catalogue } => {
                load::jobs(sources, kind, &self.labels, catalogue, &self.options.load).map(VecDeque::into)
            }
            Work::Elements(files) => Ok(files.jobs(kind)),
            Work::Stored(_) => Ok(Vec::new()),
        }
    }

    /// Reads the rest of a phase.
    fn read(&mut self, phase: Phase) -> Result<(), LoadError> {
        if self.state.phase(phase).all_read {
            return Ok(());
        }
        let began = Instant::now();
        let mut chunks = Vec::new();
        for (at, job) in self.jobs(phase)?.iter().enumerate() {
            let cut = cut(&job.path, job.bytes, &job.input, at, &self.state.phase(phase).covers);
            chunks.extend(cut.map_err(|error| LoadError::file("read", &job.path, error))?);
        }
        // Files that cannot be split take longest.
        chunks.sort_by_key(|chunk| std::cmp::Reverse(chunk.end - chunk.start));
        let stored = match &self.work {
            Work::Stored(elements) => Some(elements.rows(kind_of(phase)).map_err(LoadError::Stored)?),
            _ => None,
        };
        let parts = if stored.is_some() { usize::MAX } else { chunks.len().max(1) };
        let threads = self.options.threads.clamp(1, parts);
        let memory = (self.options.memory_bytes / threads as u64).min(THREAD_MEMORY_BYTES_MAX);
        let graph = Arc::clone(&self.graph);
        let shared = Shared {
            engine: self.store.engine(),
            chunks: Chunks::new(chunks),
            stored,
            labels: self.labels.len(),
            check_vertex: self.options.load.check_vertex && phase == Phase::Edges,
            batch: self.options.batch,
            memory_bytes: usize::try_from(memory).unwrap_or(usize::MAX),
            work_dir: self.work_dir.clone(),
            next_run: AtomicU64::new(self.next_run.load(Ordering::Relaxed)),
            spilled: AtomicBool::new(!self.state.phase(phase).runs.is_empty()),
            stop: AtomicBool::new(false),
        };
        let mut jobs = Vec::new();
        for _ in 0..threads {
            let encoder = graph.encoder().map_err(|error| LoadError::graph("cannot begin to load", error))?;
            jobs.push((self.jobs(phase)?, encoder));
        }
        let outcome = std::thread::scope(|scope| {
            let (sender, reports) = sync_channel(REPORTS_WAITING_MAX);
            for (jobs, encoder) in jobs {
                let (shared, sender) = (&shared, sender.clone());
                scope.spawn(move || Worker::new(shared, encoder, jobs, sender).run());
            }
            drop(sender);
            let outcome = self.take_reports(phase, &reports);
            shared.stop.store(true, Ordering::Relaxed);
            drop(reports);
            outcome
        });
        self.next_run.store(shared.next_run.load(Ordering::Relaxed), Ordering::Relaxed);
        self.figures.reading += began.elapsed();
        let sorting = Duration::from_millis(std::mem::take(&mut self.state.phase_mut(phase).storing_ms));
        self.figures.sorting += sorting / u32::try_from(threads).unwrap_or(u32::MAX);
        outcome?;
        self.keep_step(Step::AllRead(phase));
        if self.in_memory.sections.is_empty() {
            self.record_kept_steps(true)?;
        }
        Ok(())
    }

    /// Lets the journal hear of steps that were kept.
    fn record_kept_steps(&mut self, durable: bool) -> Result<(), LoadError> {
        let steps = std::mem::take(&mut self.in_memory.steps);
        steps.iter().try_for_each(|step| self.journal.add(step, durable))
    }

    /// Takes a step that the journal hears of later.
    fn keep_step(&mut self, step: Step) {
        self.in_memory.steps.push(step.clone());
        self.state.add(step);
    }

    fn take_reports(&mut self, phase: Phase, reports: &Receiver<Report>) -> Result<(), LoadError> {
        let mut rejected_seen = self.state.rejected_rows();
        for report in reports {
            match report {
                Report::Progress { bytes, elements, rejected } => {
                    self.state.phase_mut(phase).bytes_read += bytes;
                    self.observer.bytes_read(bytes);
                    self.observer.inserted(elements);
                    if rejected > 0 {
                        self.observer.rejected(rejected);
                        rejected_seen += rejected;
                    }
                }
                Report::Finished(portion, files) => {
                    for file in files {
                        let synced = file.sync_data();
                        synced.map_err(|error| LoadError::work_in(&self.work_dir, "write runs in", error))?;
                    }
                    let durable = !portion.runs.is_empty();
                    self.step(Step::Read(phase, *portion), durable)?;
                }
                Report::InMemory(portion, sections) => {
                    self.keep_step(Step::Read(phase, *portion));
                    self.in_memory.sections.extend(sections);
                }
                Report::Failed(error) => return Err(error),
            }
            self.check_rejects(rejected_seen.max(self.state.rejected_rows()))?;
        }
        Ok(())
    }

    fn check_rejects(&self, rejected: u64) -> Result<(), LoadError> {
        match self.options.load.rejects_max {
            Some(rejects_max) if rejected > rejects_max => Err(LoadError::TooManyRejects {
                rejected,
                rejects_max,
                inserted: self.state.counts(self.labels.len()).iter().map(|counts| counts.inserted).sum(),
                rejects_dir: self.options.load.rejects(),
            }),
            _ => Ok(()),
        }
    }

    /// The error of a full disk, with the space needed to resume.
    fn explained(&self, error: LoadError) -> LoadError {
        if !error.is_disk_full() {
            return error;
        }
        let bytes_of = |phase| match &self.work {
            Work::Mapped { sources, .. } => load::plan_of(sources, kind_of(phase)).bytes,
            Work::Elements(files) => files.plan(Some(kind_of(phase))).bytes,
            Work::Stored(elements) => elements.bytes(),
        };
        let needed_bytes = self.state.room_needed(bytes_of(Phase::Vertices), bytes_of(Phase::Edges));
        let free_bytes = space::free(&self.options.data_dir).unwrap_or_default();
        LoadError::DiskFull { path: self.options.data_dir.clone(), needed_bytes, free_bytes }
    }

    fn summary(mut self, rejects_dir: Option<PathBuf>) -> LoadSummary {
        for (label, counts) in self.labels.iter_mut().zip(self.state.counts(usize::MAX)) {
            (label.read, label.inserted) = (counts.read, counts.inserted);
            (label.rejected, label.skipped) = (counts.rejected, counts.skipped);
        }
        self.figures.store_bytes = space::used(&self.options.data_dir);
        LoadSummary {
            labels: self.labels,
            rows_unreadable: self.state.unreadable(),
            elapsed: self.started.elapsed(),
            dry_run: false,
            rejects_dir,
            warnings: self.warnings,
            offline: Some(self.figures),
        }
    }
}

fn kind_of(phase: Phase) -> ElementKind {
    match phase {
        Phase::Vertices => ElementKind::Vertex,
        Phase::Edges => ElementKind::Edge,
    }
}
