//! Loads of a whole graph.

use std::path::Path;
use std::time::{Duration, Instant};

use graph_gen::{Content, SnbOptions};
use load_test::{Cancel, ProcessProbe};
use property_store::{BulkLoad, BulkOptions, BulkSummary, Check, PropertyStore, StoreOptions};

use crate::batches::{Batch, Batches};
use crate::limits::{INGEST_PIECE, SAMPLE_RECORDS};
use crate::measure::real;
use crate::result::{GraphFigures, LoadRow, Mode, PropertyResult};
use crate::speed::{Course, tenths_per_s};
use crate::{BenchError, Place, Watcher, disk};

/// What graph to load, and how.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// What the generator makes.
    pub network: SnbOptions,
    /// Name of the scale factor, for the report; may be empty.
    pub scale_factor: String,
    /// Each is a load of its own, into an empty store.
    pub modes: Vec<Mode>,
    /// Memory of sorted ingest, in bytes.
    pub sort_memory_bytes: usize,
}

/// Loads the graph in each of the modes. Modes an engine has not are left out with a note.
pub(crate) fn run(
    options: &GraphOptions,
    place: &mut dyn Place,
    watcher: &mut dyn Watcher,
    cancel: &Cancel,
    result: &mut PropertyResult,
) -> Result<(), BenchError> {
    for mode in &options.modes {
        let engine = place.fresh().map_err(BenchError::Open)?;
        if *mode == Mode::SortedIngest && !engine.capabilities().sorted_ingest {
            result
                .notes
                .push(format!("the engine {} takes no sorted rows, so there is no load by ingest", engine.name()));
            continue;
        }
        let store = PropertyStore::open(engine, StoreOptions::default())?;
        let mut load = Load {
            store: &store,
            mode: *mode,
            options,
            scratch: place.scratch(),
            watcher,
            cancel,
            start: Instant::now(),
            probe: ProcessProbe::of(std::process::id()),
            rss_peak: None,
            expected: result.graph.as_ref().map_or(0, |graph| graph.nodes + graph.edges),
            seen: 0,
        };
        let (mut row, mut graph) = load.run()?;
        row.disk_bytes = place.folder().map(disk::bytes);
        graph.records_stored = check(&store, *mode, &graph, result.graph.as_ref(), watcher)?;
        result.graph = Some(graph);
        result.loads.push(row);
        if cancel.is_cancelled() {
            return Err(BenchError::Interrupted);
        }
    }
    Ok(())
}

/// Counts what is stored: as many as were loaded, and as many as by other ways. Gives the number.
fn check(
    store: &PropertyStore,
    mode: Mode,
    graph: &GraphFigures,
    before: Option<&GraphFigures>,
    watcher: &mut dyn Watcher,
) -> Result<u64, BenchError> {
    watcher.progress(&format!("{mode}: counting"), 0, 0);
    let nodes = store.nodes().count()?;
    if nodes != graph.nodes {
        return Err(BenchError::Wrong { what: format!("nodes after {mode}"), expected: graph.nodes, found: nodes });
    }
    let found = nodes + store.edges().count()?;
    let expected = if graph.records_stored > 0 { Some(graph.records_stored) } else { None };
    for expected in expected.into_iter().chain(before.map(|before| before.records_stored)) {
        if found != expected {
            return Err(BenchError::Wrong { what: format!("records after {mode}"), expected, found });
        }
    }
    Ok(found)
}

/// One load under way.
struct Load<'a> {
    store: &'a PropertyStore,
    mode: Mode,
    options: &'a GraphOptions,
    scratch: &'a Path,
    watcher: &'a mut dyn Watcher,
    cancel: &'a Cancel,
    start: Instant,
    probe: Option<ProcessProbe>,
    rss_peak: Option<u64>,
    /// Records that a load before this one had; 0: not known.
    expected: u64,
    seen: u64,
}

/// What the storing side found.
#[derive(Default)]
struct Stored {
    course: Course,
    records: u64,
    bytes: u64,
    busy: Duration,
}

impl<'a> Load<'a> {
    fn run(&mut self) -> Result<(LoadRow, GraphFigures), BenchError> {
        let network = &self.options.network;
        let piece = match self.mode {
            Mode::Batches(records) => records,
            Mode::SortedIngest => INGEST_PIECE,
        };
        let (generated, mut stored, load) = std::thread::scope(|scope| {
            let batches = Batches::start(scope, network, piece);
            let outcome = match self.mode {
                Mode::Batches(_) => self.store_batches(&batches).map(|stored| (stored, None)),
                Mode::SortedIngest => self.sort_batches(&batches).map(|(stored, load)| (stored, Some(load))),
            };
            let generated = batches.finish();
            // A store that fails makes the generator stop: it is the reason.
            let (stored, load) = outcome?;
            Ok::<_, BenchError>((generated?, stored, load))
        })?;
        let mut merging = Course::default();
        let summary = load.map(|load| self.merge(load, &mut merging, &mut stored)).transpose()?;
        let before = Instant::now();
        self.store.sync()?;
        stored.busy += before.elapsed();
        let total = self.start.elapsed();
        let courses = [&stored.course, &merging];
        let courses = if summary.is_some() { &courses[..] } else { courses.get(..1).unwrap_or_default() };
        let row = LoadRow {
            mode: self.mode,
            records: stored.records,
            total_s: total.as_secs_f64(),
            generate_s: generated.busy.as_secs_f64(),
            store_s: stored.busy.as_secs_f64(),
            records_per_s: real(stored.records) / total.as_secs_f64(),
            tenths_per_s: tenths_per_s(stored.records, courses),
            disk_bytes: None,
            rss_peak_bytes: self.rss_peak,
        };
        let graph = GraphFigures {
            scale_factor: self.options.scale_factor.clone(),
            persons: network.persons,
            seed: network.seed,
            ids_only: network.content == Content::IdsOnly,
            nodes: generated.summary.vertices(),
            edges: generated.summary.edges(),
            records_stored: summary.map_or(0, |summary| summary.stored),
            bytes: stored.bytes,
        };
        Ok((row, graph))
    }

    fn store_batches(&mut self, batches: &Batches<'_>) -> Result<Stored, BenchError> {
        let mut stored = Stored::default();
        while let Some(batch) = batches.next() {
            let before = Instant::now();
            stored.course.note(stored.records, before.duration_since(self.start));
            self.store.nodes().extend_raw(batch.nodes(), Check::Trust)?;
            self.store.edges().extend_raw(batch.edges(), Check::Trust)?;
            self.count(&batch, before, &mut stored)?;
            batches.give_back(batch);
        }
        stored.course.note(stored.records, self.start.elapsed());
        Ok(stored)
    }

    fn sort_batches(&mut self, batches: &Batches<'_>) -> Result<(Stored, BulkLoad<'a>), BenchError> {
        let options = BulkOptions {
            memory_bytes: self.options.sort_memory_bytes,
            scratch: self.scratch.to_path_buf(),
            ..BulkOptions::default()
        };
        let store = self.store;
        let mut load = BulkLoad::begin(store, options)?;
        let mut stored = Stored::default();
        while let Some(batch) = batches.next() {
            let before = Instant::now();
            stored.course.note(stored.records, before.duration_since(self.start));
            batch.nodes().try_for_each(|(id, bytes)| load.node(id, bytes, Check::Trust))?;
            batch.edges().try_for_each(|(ends, bytes)| load.edge(ends, bytes, Check::Trust))?;
            self.count(&batch, before, &mut stored)?;
            batches.give_back(batch);
        }
        stored.course.note(stored.records, self.start.elapsed());
        Ok((stored, load))
    }

    fn merge(
        &mut self,
        load: BulkLoad<'_>,
        course: &mut Course,
        stored: &mut Stored,
    ) -> Result<BulkSummary, BenchError> {
        let before = Instant::now();
        course.note(0, before.duration_since(self.start));
        let summary = load.finish(&mut |merged| {
            course.note(merged, self.start.elapsed());
            self.sample();
            self.watcher.progress(&format!("{}: merging", self.mode), merged, stored.records);
        })?;
        course.note(summary.stored, self.start.elapsed());
        stored.busy += before.elapsed();
        Ok(summary)
    }

    fn count(&mut self, batch: &Batch, before: Instant, stored: &mut Stored) -> Result<(), BenchError> {
        stored.busy += before.elapsed();
        stored.records += batch.len() as u64;
        stored.bytes += batch.bytes() as u64;
        if stored.records - self.seen >= SAMPLE_RECORDS {
            self.seen = stored.records;
            self.sample();
            self.watcher.progress(&self.mode.to_string(), stored.records, self.expected);
            if self.cancel.is_cancelled() {
                return Err(BenchError::Interrupted);
            }
        }
        Ok(())
    }

    fn sample(&mut self) {
        self.rss_peak = self.rss_peak.max(self.probe.as_ref().and_then(ProcessProbe::rss_bytes));
    }
}
