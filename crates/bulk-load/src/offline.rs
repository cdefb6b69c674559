//! Loading files straight into an embedded store, without a server.
//!
//! Vertices of all sources come first, then edges, each in two steps. Reading: every thread takes parts of the source
//! files (`chunks.rs`, `read.rs`), makes elements by the rules of an online load (`rows.rs`, `worker.rs`) and collects
//! their rows in its share of the memory (`sorter.rs`); when that is full it is sorted and written to a file, a run
//! (`run.rs`). Storing: the runs are merged section by section into data files of the storage engine (`merge.rs`), and
//! when all of them are there, the engine takes them over. Nothing goes through a log or is written twice. At last
//! index labels are built.
//!
//! A journal records finished steps (`journal.rs`), so an interrupted load can resume at the portion of the sources it
//! was reading, or at the merge. Until the engine has ingested the files of a phase, none of it is in the store, so
//! nothing is loaded twice.
//!
//! With a batch size, rows are committed in batches instead: the plain write path, for comparison and for small
//! additions to large stores.

mod chunks;
mod journal;
mod merge;
mod read;
mod rows;
mod run;
mod sorter;
mod space;
mod state;
mod store;
mod worker;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant, UNIX_EPOCH};

use api_client::ElementKind;
use graph_host::{GraphConf, HostedGraph, Store};
use graph_maintenance::suspend_indexes;
use graph_store::{Graph, StoreError};

use crate::catalogue::Catalogue;
use crate::error::LoadError;
use crate::limits::{REPORTS_WAITING_MAX, SORT_MEMORY_BYTES_MIN, THREAD_MEMORY_BYTES_MAX};
use crate::load::{self, Source};
use crate::mapping_check::read_mapping;
use crate::options::LoadOptions;
use crate::parse::FileJob;
use crate::progress::{LoadObserver, Phase};
use crate::schema_file::SchemaFile;
use crate::summary::{LabelSummary, LoadSummary, OfflineSummary};
use chunks::{Chunks, cut};
use journal::{Identity, Journal, SourceIdentity, Step};
use state::State;
use worker::{Report, Shared, Worker};

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
    let work_dir = options.data_dir.join(WORK_FOLDER);
    let (journal, steps) = open_journal(&work_dir, options, &sources)?;
    let state = State::of(steps);
    let next_run = AtomicU64::new(state.next_run());
    let figures = OfflineSummary { resumed: options.resume, ..OfflineSummary::default() };
    let mut load = Load {
        store,
        graph,
        options,
        observer,
        sources: &sources,
        catalogue,
        labels,
        work_dir,
        journal,
        state,
        next_run,
        started: Instant::now(),
        figures,
        warnings: Vec::new(),
    };
    observer.started(load::plan(&sources));
    let ended = load.run();
    for row in load.state.rejected() {
        rejects.write(row.struct_index, &row.rejection())?;
    }
    rejects.flush()?;
    if let Err(error) = ended {
        // Frees the space of unfinished work, which the next load would remove anyway.
        drop(load.state.remove_strays(&load.work_dir));
        return Err(load.explained(error));
    }
    Ok(load.summary(rejects.written_to()))
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
    sources: &[Source<'_>],
) -> Result<(Journal, Vec<Step>), LoadError> {
    let identity = identity(options, sources)?;
    match (options.resume, Journal::exists(work_dir)) {
        (true, true) => Journal::resume(work_dir, &identity),
        (true, false) => Err(LoadError::NothingToResume { dir: work_dir.to_owned() }),
        (false, true) => Err(LoadError::Journal {
            dir: work_dir.to_owned(),
            reason: "continue it with --resume, or remove the folder to load from the start".to_owned(),
        }),
        (false, false) => Ok((Journal::create(work_dir, &identity)?, Vec::new())),
    }
}

fn identity(options: &OfflineOptions, sources: &[Source<'_>]) -> Result<Identity, LoadError> {
    let path = &options.load.mapping;
    let mapping = std::fs::read_to_string(path).map_err(|error| LoadError::file("read", path, error))?;
    let mut identity = Identity::new(&options.graph, mapping, options.load.check_vertex, options.batch);
    for file in sources.iter().flat_map(Source::files) {
        let modified = std::fs::metadata(&file.path).and_then(|meta| meta.modified());
        let modified = modified.map_err(|error| LoadError::file("read", &file.path, error))?;
        identity.sources.push(SourceIdentity {
            path: file.path.to_path_buf(),
            bytes: file.bytes,
            modified_ms: modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis(),
        });
    }
    Ok(identity)
}

/// A running load.
struct Load<'a> {
    store: &'a Store,
    graph: Arc<HostedGraph>,
    options: &'a OfflineOptions,
    observer: &'a dyn LoadObserver,
    sources: &'a [Source<'a>],
    catalogue: Arc<Catalogue>,
    labels: Vec<LabelSummary>,
    work_dir: PathBuf,
    journal: Journal,
    state: State,
    next_run: AtomicU64,
    started: Instant,
    figures: OfflineSummary,
    warnings: Vec<String>,
}

impl Load<'_> {
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
        let names = |kind| -> Vec<&str> {
            self.labels.iter().filter(|label| label.kind == kind).map(|label| label.label.as_str()).collect()
        };
        if self.state.is_loaded() {
            return Ok(());
        }
        let suspended = suspend_indexes(&self.graph, &names(ElementKind::Vertex), &names(ElementKind::Edge));
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
        let jobs = load::jobs(self.sources, kind_of(phase), &self.labels, &self.catalogue, &self.options.load);
        jobs.map(VecDeque::into)
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
        let threads = self.options.threads.clamp(1, chunks.len().max(1));
        let memory = (self.options.memory_bytes / threads as u64).min(THREAD_MEMORY_BYTES_MAX);
        let graph = Arc::clone(&self.graph);
        let shared = Shared {
            engine: self.store.engine(),
            chunks: Chunks::new(chunks),
            labels: self.labels.len(),
            check_vertex: self.options.load.check_vertex && phase == Phase::Edges,
            batch: self.options.batch,
            memory_bytes: usize::try_from(memory).unwrap_or(usize::MAX),
            work_dir: self.work_dir.clone(),
            next_run: AtomicU64::new(self.next_run.load(Ordering::Relaxed)),
            stop: AtomicBool::new(false),
        };
        let mut jobs = Vec::new();
        for _ in 0..threads {
            jobs.push(self.jobs(phase)?);
        }
        let outcome = std::thread::scope(|scope| {
            let (sender, reports) = sync_channel(REPORTS_WAITING_MAX);
            for jobs in jobs {
                let (shared, sender, encoder) = (&shared, sender.clone(), graph.encoder());
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
        self.step(Step::AllRead(phase), true)
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
        let bytes_of = |phase| load::plan_of(self.sources, kind_of(phase)).bytes;
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
