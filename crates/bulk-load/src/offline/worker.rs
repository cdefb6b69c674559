//! One thread of an offline load: takes parts of source files, makes rows of the store from them, and sorts these in
//! its share of the memory.

use std::fs::File;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use api_client::ElementKind;
use graph_model::Edge;
use graph_schema::{NewEdge, NewVertex};
use graph_store::{Encoder, StoreError};
use kv::{Engine, Operation, WriteBatch};
use sorted_runs::{RunMeta, SortedSection, Sorter};

use super::chunks::{Chunk, Chunks};
use super::foreign::{StoredElement, StoredRows};
use super::journal::{Counts, Cover, Portion, RejectedRow};
use super::rows::FastPlan;
use crate::error::LoadError;
use crate::limits::{
    CHECKED_EDGES_PER_TURN, ELEMENTS_PER_REPORT, ELEMENTS_PER_TURN, OFFLINE_BATCH_BYTES_MAX, REJECTED_PER_PORTION_MAX,
};
use crate::parse::FileJob;
use crate::reader::Record;

/// A report of a thread.
pub(crate) enum Report {
    /// Bytes read and elements made since the last report.
    Progress {
        bytes: u64,
        elements: u64,
        rejected: u64,
    },
    /// A portion to be recorded once its files are on disk.
    Finished(Box<Portion>, Vec<File>),
    /// A portion whose rows are still in memory: to be recorded once they are in the store.
    InMemory(Box<Portion>, Vec<SortedSection>),
    Failed(LoadError),
}

/// State shared by all threads.
pub(crate) struct Shared<'a> {
    pub(crate) engine: &'a dyn Engine,
    pub(crate) chunks: Chunks,
    /// Elements of another store instead of chunks.
    pub(crate) stored: Option<Box<dyn StoredRows + 'a>>,
    pub(crate) labels: usize,
    pub(crate) check_vertex: bool,
    /// Elements of a batch; `None` to sort.
    pub(crate) batch: Option<usize>,
    /// Memory of one thread for sorting.
    pub(crate) memory_bytes: usize,
    pub(crate) work_dir: PathBuf,
    pub(crate) next_run: AtomicU64,
    /// Rows were written to a file, so not all fit into memory.
    pub(crate) spilled: AtomicBool,
    pub(crate) stop: AtomicBool,
}

/// A row as the makers see it.
#[derive(Clone, Copy)]
pub(crate) enum Row<'r> {
    /// The cells of a plain line, and the line.
    Plain { cells: &'r [&'r str], line: &'r str, number: LineNumber<'r> },
    /// Read in the general way.
    Record(&'r Record),
}

impl Row<'_> {
    /// The number of its line, and its text.
    fn place(self) -> (u64, Arc<str>) {
        match self {
            Self::Plain { line, number, .. } => (number.get(), Arc::from(line)),
            Self::Record(record) => (record.line, Arc::clone(&record.raw)),
        }
    }
}

/// The number of a line: counted only when it is asked for, since only rejected rows need it.
#[derive(Clone, Copy)]
pub(crate) struct LineNumber<'r> {
    pub(crate) before_chunk: &'r dyn Fn() -> u64,
    pub(crate) in_chunk: u64,
}

impl LineNumber<'_> {
    pub(crate) fn get(self) -> u64 {
        (self.before_chunk)() + self.in_chunk
    }
}

/// An edge whose ends are still to be looked up.
struct Unchecked {
    edge: Edge,
    /// Its operations in the batch.
    operations: (usize, usize),
    label: usize,
    struct_index: usize,
    file: Arc<Path>,
    line: u64,
    raw: Arc<str>,
}

pub(crate) struct Worker<'a> {
    pub(crate) shared: &'a Shared<'a>,
    encoder: Encoder<'a>,
    jobs: Vec<FileJob>,
    /// By job and maker.
    plans: Vec<Vec<Option<FastPlan>>>,
    reports: SyncSender<Report>,
    batch: WriteBatch,
    elements_in_batch: usize,
    unchecked: Vec<Unchecked>,
    sorter: Sorter,
    scratch: String,
    portion: Portion,
    files: Vec<File>,
    storing: Duration,
    /// A batch was written since the last portion was handed over.
    committed: bool,
    elements_told: u64,
    elements: u64,
    rejected_told: u64,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(
        shared: &'a Shared<'a>,
        encoder: Encoder<'a>,
        jobs: Vec<FileJob>,
        reports: SyncSender<Report>,
    ) -> Self {
        let plans =
            jobs.iter().map(|job| job.makers.iter().map(|maker| FastPlan::of(&maker.builder)).collect()).collect();
        Self {
            shared,
            encoder,
            jobs,
            plans,
            reports,
            batch: WriteBatch::new(),
            elements_in_batch: 0,
            unchecked: Vec::new(),
            sorter: Sorter::new(),
            scratch: String::new(),
            portion: empty(shared.labels),
            files: Vec::new(),
            storing: Duration::ZERO,
            committed: false,
            elements_told: 0,
            elements: 0,
            rejected_told: 0,
        }
    }

    /// Processes chunks until there are none left.
    pub(crate) fn run(mut self) {
        let outcome = self.work();
        if let Err(Failure::Because(error)) = outcome {
            // Without a receiver the load has already failed.
            drop(self.reports.send(Report::Failed(error)));
        }
    }

    fn work(&mut self) -> Result<(), Failure> {
        if let Some(rows) = &self.shared.stored {
            self.take_stored(&**rows)?;
        }
        while let Some(chunk) = self.shared.chunks.next() {
            self.read_chunk(&chunk)?;
        }
        self.end()
    }

    /// Hands over the rest: as it is in memory, if all rows of the phase have fitted there, else as a run.
    fn end(&mut self) -> Result<(), Failure> {
        if self.shared.batch.is_some() || self.shared.spilled.load(Ordering::Relaxed) {
            self.store_all()?;
            return self.hand_over();
        }
        self.store_batch()?;
        self.progress(0)?;
        let began = Instant::now();
        let sections = self.sorter.sort();
        self.storing += began.elapsed();
        let portion = Box::new(self.take_portion());
        self.tell(Report::InMemory(portion, sections))
    }

    /// Takes elements of another store, as many as are left for this thread.
    fn take_stored(&mut self, rows: &dyn StoredRows) -> Result<(), Failure> {
        let mut failure = None;
        let read = rows.read(&mut |element| match self.stored(&element) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        });
        match failure {
            Some(failure) => Err(failure),
            None => read.map_err(|error| LoadError::Stored(error).into()),
        }
    }

    fn stored(&mut self, element: &StoredElement) -> Result<(), Failure> {
        let label = match element {
            StoredElement::Vertex(vertex) => {
                self.encoder.stored_vertex(vertex, &mut self.batch);
                0
            }
            StoredElement::Edge(edge) => {
                self.encoder.stored_edge(edge, &mut self.batch);
                1
            }
        };
        self.elements_in_batch += 1;
        self.elements += 1;
        if let Some(counts) = self.portion.labels.get_mut(label) {
            (counts.read, counts.inserted) = (counts.read + 1, counts.inserted + 1);
        }
        if self.elements_in_batch >= self.turn() || self.batch.bytes() >= OFFLINE_BATCH_BYTES_MAX {
            self.store_batch()?;
            self.may_write_run()?;
            if self.elements - self.elements_told >= ELEMENTS_PER_REPORT {
                self.progress(0)?;
            }
        }
        Ok(())
    }

    pub(crate) fn job(&self, file: usize) -> Option<&FileJob> {
        self.jobs.get(file)
    }

    /// Makes what a row gives, by all mappings of its source.
    pub(crate) fn row(&mut self, file: usize, row: Row<'_>) -> Result<(), Failure> {
        let (makers, elements) = self.jobs.get(file).map_or((0, None), |job| (job.makers.len(), job.elements));
        if let Some(label) = elements {
            self.portion.labels.get_mut(label).into_iter().for_each(|counts| counts.read += 1);
            match row {
                Row::Plain { line, .. } => self.add(file, label, line, row)?,
                Row::Record(record) => self.add(file, label, &record.raw, row)?,
            }
        }
        for maker in 0..makers {
            self.make(file, maker, row)?;
        }
        if self.elements_in_batch >= self.turn() || self.batch.bytes() >= OFFLINE_BATCH_BYTES_MAX {
            self.store_batch()?;
        }
        Ok(())
    }

    fn turn(&self) -> usize {
        match self.shared.batch {
            Some(elements) => elements,
            None if self.shared.check_vertex => CHECKED_EDGES_PER_TURN,
            None => ELEMENTS_PER_TURN,
        }
    }

    fn make(&mut self, file: usize, maker: usize, row: Row<'_>) -> Result<(), Failure> {
        let label = self.jobs.get(file).and_then(|job| job.makers.get(maker)).map_or(0, |maker| maker.label);
        if let Some(counts) = self.portion.labels.get_mut(label) {
            counts.read += 1;
        }
        let before = (self.batch.len(), self.batch.bytes());
        let fast = self.make_fast(file, maker, row);
        debug_assert!(
            fast.is_some() || before == (self.batch.len(), self.batch.bytes()),
            "a refused element leaves nothing"
        );
        if let Some(edge) = fast {
            self.made(file, label, edge, before.0, row);
            return Ok(());
        }
        self.make_slowly(file, maker, label, row)
    }

    /// The fast way; `None` where the row is not plain, or something is wrong with it.
    fn make_fast(&mut self, file: usize, maker: usize, row: Row<'_>) -> Option<Option<Edge>> {
        let Row::Plain { cells, .. } = row else { return None };
        let plan = self.plans.get(file)?.get(maker)?.as_ref()?;
        let coercion = self.jobs.get(file)?.makers.get(maker)?.builder.coercion();
        match plan {
            FastPlan::Vertex(plan) => {
                let new = plan.make(cells, coercion)?;
                self.encoder.vertex(&new, &mut self.batch).ok().map(|_| None)
            }
            FastPlan::Edge(plan) => {
                let new = plan.make(cells, coercion, &mut self.scratch)?;
                self.encoder.edge(&new, &mut self.batch).ok().map(Some)
            }
        }
    }

    /// The way of an online load: JSON, read as the server reads it.
    fn make_slowly(&mut self, file: usize, maker: usize, label: usize, row: Row<'_>) -> Result<(), Failure> {
        let Some(job) = self.jobs.get_mut(file) else { return Ok(()) };
        let owned;
        let record = match row {
            Row::Record(record) => record,
            Row::Plain { cells, line, number } => {
                let names = job.header.clone().unwrap_or_else(|| Vec::new().into());
                let values = cells.iter().map(|cell| serde_json::Value::from(*cell)).collect();
                owned = Record { line: number.get(), raw: line.into(), names, values };
                &owned
            }
        };
        let made = match job.makers.get_mut(maker) {
            Some(maker) => maker.builder.build(record),
            None => Ok(Vec::new()),
        };
        match made {
            Err(reason) => self.reject_row(file, Some(label), record.line, &record.raw, reason),
            Ok(texts) => {
                if texts.is_empty()
                    && let Some(counts) = self.portion.labels.get_mut(label)
                {
                    counts.skipped += 1;
                }
                for text in texts {
                    self.add(file, label, &text, Row::Record(record))?;
                }
            }
        }
        Ok(())
    }

    /// Adds an element, given as JSON that was made of a row or is the row.
    fn add(&mut self, file: usize, label: usize, json: &str, row: Row<'_>) -> Result<(), Failure> {
        let Some(kind) = self.jobs.get(file).map(|job| job.kind) else { return Ok(()) };
        let before = self.batch.len();
        match self.encode_json(kind, json.as_bytes()) {
            Ok(edge) => self.made(file, label, edge, before, row),
            Err(Refused::Row(reason)) => {
                let (line, raw) = row.place();
                self.reject_row(file, Some(label), line, &raw, format!("the store refused it: {reason}"));
            }
            Err(Refused::Storage(error)) => return Err(LoadError::graph("cannot make rows", error).into()),
        }
        Ok(())
    }

    fn encode_json(&mut self, kind: ElementKind, text: &[u8]) -> Result<Option<Edge>, Refused> {
        let unreadable = |error: rest_json::DecodeError| Refused::Row(error.to_string());
        match kind {
            ElementKind::Vertex => {
                let new: NewVertex<'_> = rest_json::decode_vertex(text).map_err(unreadable)?;
                self.encoder.vertex(&new, &mut self.batch).map(|_| None).map_err(Refused::from)
            }
            ElementKind::Edge => {
                let new: NewEdge<'_> = rest_json::decode_edge(text).map_err(unreadable)?;
                self.encoder.edge(&new, &mut self.batch).map(Some).map_err(Refused::from)
            }
        }
    }

    /// Counts an element whose rows are in the batch from operation `first` on.
    fn made(&mut self, file: usize, label: usize, edge: Option<Edge>, first: usize, row: Row<'_>) {
        self.elements_in_batch += 1;
        self.elements += 1;
        if let Some(counts) = self.portion.labels.get_mut(label) {
            counts.inserted += 1;
        }
        if let (true, Some(edge), Some(job)) = (self.shared.check_vertex, edge, self.jobs.get(file)) {
            let (line, raw) = row.place();
            self.unchecked.push(Unchecked {
                edge,
                operations: (first, self.batch.len()),
                label,
                struct_index: job.struct_index,
                file: Arc::clone(&job.path),
                line,
                raw,
            });
        }
    }

    /// Rejects a row.
    pub(crate) fn reject_row(&mut self, file: usize, label: Option<usize>, line: u64, raw: &Arc<str>, reason: String) {
        match label.and_then(|label| self.portion.labels.get_mut(label)) {
            Some(counts) => counts.rejected += 1,
            None => self.portion.unreadable += 1,
        }
        if let Some(job) = self.jobs.get(file) {
            let (struct_index, file) = (job.struct_index, job.path.to_path_buf());
            self.portion.rejected.push(RejectedRow { struct_index, file, line, reason, raw: raw.to_string() });
        }
    }

    /// Rejects the edges of the batch whose ends do not exist, and returns their operations.
    fn check_ends(&mut self) -> Result<Vec<(usize, usize)>, Failure> {
        let unchecked = std::mem::take(&mut self.unchecked);
        if unchecked.is_empty() {
            return Ok(Vec::new());
        }
        let (edges, rows): (Vec<Edge>, Vec<_>) = unchecked
            .into_iter()
            .map(|one| (one.edge, (one.operations, one.label, one.struct_index, one.file, one.line, one.raw)))
            .unzip();
        let mut refused = Vec::new();
        let portion = &mut self.portion;
        let mut taken_back = 0;
        self.encoder
            .check_ends(&edges, &mut |at, error| {
                let Some((operations, label, struct_index, file, line, raw)) = rows.get(at) else { return };
                refused.push(*operations);
                taken_back += 1;
                if let Some(counts) = portion.labels.get_mut(*label) {
                    counts.inserted -= 1;
                    counts.rejected += 1;
                }
                portion.rejected.push(RejectedRow {
                    struct_index: *struct_index,
                    file: file.to_path_buf(),
                    line: *line,
                    reason: format!("the store refused it: {error}"),
                    raw: raw.to_string(),
                });
            })
            .map_err(|error| LoadError::graph("cannot look up the ends of edges", error))?;
        self.elements -= taken_back;
        Ok(refused)
    }

    /// Passes the rows of the batch to the sorter or to the store.
    fn store_batch(&mut self) -> Result<(), Failure> {
        let refused = self.check_ends()?;
        self.elements_in_batch = 0;
        if self.shared.batch.is_some() {
            return self.commit_batch(&refused);
        }
        let mut refused = refused.into_iter().peekable();
        for (at, operation) in self.batch.iter().enumerate() {
            while refused.next_if(|(_, end)| *end <= at).is_some() {}
            if refused.peek().is_some_and(|(first, _)| *first <= at) {
                continue;
            }
            if let Operation::Put { table, key, value } = operation {
                self.sorter.push(table, key.as_bytes(), value);
            }
        }
        self.batch.clear();
        Ok(())
    }

    fn commit_batch(&mut self, refused: &[(usize, usize)]) -> Result<(), Failure> {
        let mut batch = std::mem::take(&mut self.batch);
        if !refused.is_empty() {
            let mut kept = WriteBatch::new();
            for (at, operation) in batch.iter().enumerate() {
                if let Operation::Put { table, key, value } = operation
                    && !refused.iter().any(|(first, end)| (*first..*end).contains(&at))
                {
                    kept.put_key(table, key, value);
                }
            }
            batch = kept;
        }
        let began = Instant::now();
        self.shared.engine.commit(batch).map_err(|error| LoadError::store("cannot write a batch", error))?;
        self.storing += began.elapsed();
        self.committed = true;
        Ok(())
    }

    /// Called between two records, at byte `at` of a chunk that was begun at byte `from`: a position from which a load
    /// could resume. Returns where the part not yet handed over begins.
    pub(crate) fn may_hand_over(&mut self, file: usize, from: u64, at: u64) -> Result<u64, Failure> {
        let full = self.sorter.bytes() >= self.shared.memory_bytes
            || self.portion.rejected.len() >= REJECTED_PER_PORTION_MAX
            || self.committed && self.batch.is_empty();
        if !full || at == from {
            return Ok(from);
        }
        self.store_all()?;
        self.portion.covers.push(Cover { file, start: from, end: at });
        self.hand_over()?;
        Ok(at)
    }

    /// Writes a run where memory is full, in the middle of a part that can only be handed over as a whole.
    pub(crate) fn may_write_run(&mut self) -> Result<(), Failure> {
        if self.sorter.bytes() >= self.shared.memory_bytes {
            self.store_all()?;
        }
        Ok(())
    }

    /// A chunk was read to its end.
    pub(crate) fn chunk_ended(&mut self, chunk: &Chunk, from: u64) -> Result<(), Failure> {
        self.portion.covers.push(Cover { file: chunk.file, start: from, end: chunk.end });
        if self.shared.batch.is_some() || self.sorter.bytes() >= self.shared.memory_bytes {
            self.store_all()?;
            self.hand_over()?;
        }
        Ok(())
    }

    /// Flushes everything in memory: to a run, or to the store.
    fn store_all(&mut self) -> Result<(), Failure> {
        if !self.batch.is_empty() {
            self.store_batch()?;
        }
        if self.sorter.bytes() == 0 {
            return Ok(());
        }
        let began = Instant::now();
        self.shared.spilled.store(true, Ordering::Relaxed);
        let number = self.shared.next_run.fetch_add(1, Ordering::Relaxed);
        let path = self.shared.work_dir.join(RunMeta::file_name(number));
        let written = self.sorter.write(&path, number);
        let (meta, file) = written.map_err(|error| LoadError::work_in(&path, "write", error))?;
        self.portion.runs.push(meta);
        self.files.push(file);
        self.storing += began.elapsed();
        Ok(())
    }

    /// Hands over a finished portion. Everything in it has been flushed.
    fn hand_over(&mut self) -> Result<(), Failure> {
        let portion = Box::new(self.take_portion());
        let files = std::mem::take(&mut self.files);
        self.tell(Report::Finished(portion, files))
    }

    fn take_portion(&mut self) -> Portion {
        let mut portion = std::mem::replace(&mut self.portion, empty(self.shared.labels));
        portion.storing_ms = u64::try_from(self.storing.as_millis()).unwrap_or(u64::MAX);
        self.storing = Duration::ZERO;
        self.committed = false;
        self.rejected_told = 0;
        portion
    }

    /// Reports progress; fails when the load has ended.
    pub(crate) fn progress(&mut self, bytes: u64) -> Result<(), Failure> {
        if self.shared.stop.load(Ordering::Relaxed) {
            return Err(Failure::Elsewhere);
        }
        let elements = self.elements.saturating_sub(self.elements_told);
        self.elements_told = self.elements_told.max(self.elements);
        let now = self.portion.rejected_rows();
        let rejected = now.saturating_sub(self.rejected_told);
        self.rejected_told = now;
        self.tell(Report::Progress { bytes, elements, rejected })
    }

    fn tell(&self, report: Report) -> Result<(), Failure> {
        self.reports.send(report).map_err(|_| Failure::Elsewhere)
    }
}

/// Why a thread ends early.
pub(crate) enum Failure {
    /// Another one has failed, or the load was cancelled.
    Elsewhere,
    /// An error of this thread.
    Because(LoadError),
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::Because(error)
    }
}

enum Refused {
    Row(String),
    Storage(StoreError),
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Kv(_) | StoreError::Corrupt(_) => Self::Storage(error),
            other => Self::Row(other.to_string()),
        }
    }
}

fn empty(labels: usize) -> Portion {
    Portion { labels: vec![Counts::default(); labels], ..Portion::default() }
}

/// The number of line ends in the first bytes of a file.
pub(crate) fn lines_before(path: &Path, end: u64) -> std::io::Result<u64> {
    let mut file = File::open(path)?.take(end);
    let mut buffer = vec![0; crate::limits::BLOCK_BYTES];
    let mut lines = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(lines);
        }
        lines += memchr::memchr_iter(b'\n', buffer.get(..read).unwrap_or_default()).count() as u64;
    }
}
