//! The generator in a thread of its own: rows come out as batches of encoded records, which go back to be filled again.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use graph_gen::{SnbOptions, Summary, stream};
use property_store::EdgeEnds;
use property_store::record::Encoder;

use crate::BenchError;
use crate::limits::{BYTES_ON_THE_WAY, RECORD_BYTES_GUESS};
use crate::rows::{RowKey, encode};

/// Records of nodes or of edges.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    nodes: Vec<(u64, usize)>,
    edges: Vec<(EdgeEnds, usize)>,
    arena: Vec<u8>,
}

impl Batch {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() + self.edges.len()
    }

    /// Bytes of keys and records.
    pub(crate) fn bytes(&self) -> usize {
        self.arena.len() + self.nodes.len() * 8 + self.edges.len() * 16
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = (u64, &[u8])> {
        records(&self.nodes, &self.arena)
    }

    pub(crate) fn edges(&self) -> impl Iterator<Item = (EdgeEnds, &[u8])> {
        records(&self.edges, &self.arena)
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.arena.clear();
    }
}

/// Each key is stored with the end of its record.
fn records<'a, K: Copy>(keys: &'a [(K, usize)], arena: &'a [u8]) -> impl Iterator<Item = (K, &'a [u8])> {
    keys.iter().scan(0, |start, (key, end)| {
        let bytes = arena.get(*start..*end).unwrap_or_default();
        *start = *end;
        Some((*key, bytes))
    })
}

/// What the generator's thread did.
pub(crate) struct Generated {
    /// Rows made, by file.
    pub(crate) summary: Summary,
    /// Time in which it worked, without waiting for the store.
    pub(crate) busy: Duration,
}

/// Batches as they are made. Dropping it ends the generator.
pub(crate) struct Batches<'scope> {
    full: Receiver<Batch>,
    emptied: SyncSender<Batch>,
    thread: ScopedJoinHandle<'scope, Result<Generated, BenchError>>,
}

impl<'scope> Batches<'scope> {
    /// Starts the generator; batches have `records` records of one kind each, the last ones fewer.
    pub(crate) fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        options: &'env SnbOptions,
        records: usize,
    ) -> Batches<'scope> {
        let records = records.max(1);
        let on_the_way = (BYTES_ON_THE_WAY / (records * RECORD_BYTES_GUESS)).clamp(2, 4096);
        let (filled, full) = sync_channel(on_the_way);
        let (emptied, empty) = sync_channel(on_the_way + 2);
        let thread = scope.spawn(move || Maker::new(records, filled, empty).run(options));
        Batches { full, emptied, thread }
    }

    /// The next batch; `None` at the end, or when the generator failed, which [`Self::finish`] tells.
    pub(crate) fn next(&self) -> Option<Batch> {
        self.full.recv().ok()
    }

    /// Gives a batch back to be filled again.
    pub(crate) fn give_back(&self, mut batch: Batch) {
        batch.clear();
        // A generator that has ended, or has enough of them, does not need it.
        drop(self.emptied.try_send(batch));
    }

    /// Waits for the generator's end.
    pub(crate) fn finish(self) -> Result<Generated, BenchError> {
        drop(self.full);
        self.thread.join().unwrap_or(Err(BenchError::Panicked))
    }
}

struct Maker {
    records: usize,
    nodes: Batch,
    edges: Batch,
    filled: SyncSender<Batch>,
    empty: Receiver<Batch>,
    encoder: Encoder,
    waited: Duration,
}

impl Maker {
    fn new(records: usize, filled: SyncSender<Batch>, empty: Receiver<Batch>) -> Self {
        let (nodes, edges, encoder) = Default::default();
        Self { records, nodes, edges, filled, empty, encoder, waited: Duration::ZERO }
    }

    fn run(mut self, options: &SnbOptions) -> Result<Generated, BenchError> {
        let start = Instant::now();
        let mut failed = None;
        let mut taker = |row: graph_gen::StreamedRow<'_>| match self.take(&row) {
            Ok(wanted) => wanted,
            Err(error) => {
                failed = Some(error);
                false
            }
        };
        let summary = stream(options, &mut taker, &mut |_| ());
        if let Some(error) = failed {
            return Err(error);
        }
        let summary = summary?;
        for rest in [std::mem::take(&mut self.nodes), std::mem::take(&mut self.edges)] {
            if rest.len() > 0 && !self.send(rest) {
                return Err(graph_gen::GenError::Stopped.into());
            }
        }
        Ok(Generated { summary, busy: start.elapsed().saturating_sub(self.waited) })
    }

    /// Encodes a row; false when nobody wants more.
    fn take(&mut self, row: &graph_gen::StreamedRow<'_>) -> Result<bool, BenchError> {
        let batch = if row.ends.is_none() { &mut self.nodes } else { &mut self.edges };
        match encode(row, &mut self.encoder, &mut batch.arena)? {
            RowKey::Node(id) => batch.nodes.push((id, batch.arena.len())),
            RowKey::Edge(ends) => batch.edges.push((ends, batch.arena.len())),
        }
        if batch.len() < self.records {
            return Ok(true);
        }
        // None has come back yet: a new one.
        let empty = self.empty.try_recv().unwrap_or_default();
        let full = std::mem::replace(batch, empty);
        Ok(self.send(full))
    }

    fn send(&mut self, batch: Batch) -> bool {
        let before = Instant::now();
        let sent = self.filled.send(batch).is_ok();
        self.waited += before.elapsed();
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_every_row_once_and_are_of_one_kind() {
        let options = SnbOptions::new(30, 5);
        std::thread::scope(|scope| {
            let batches = Batches::start(scope, &options, 1000);
            let (mut nodes, mut edges, mut short) = (0, 0, 0);
            while let Some(batch) = batches.next() {
                assert!(batch.nodes.is_empty() || batch.edges.is_empty());
                short += u32::from(batch.len() < 1000);
                assert!(
                    batch.nodes().chain(batch.edges().map(|(ends, bytes)| (ends.0, bytes))).all(|(_, b)| b[0] == 1)
                );
                nodes += batch.nodes().count() as u64;
                edges += batch.edges().count() as u64;
                batches.give_back(batch);
            }
            let generated = batches.finish().unwrap();
            assert_eq!((nodes, edges), (generated.summary.vertices(), generated.summary.edges()));
            assert!(short <= 2, "{short} batches are not full");
        });
    }

    #[test]
    fn nobody_has_to_take_all() {
        let options = SnbOptions::new(300, 5);
        std::thread::scope(|scope| {
            let batches = Batches::start(scope, &options, 10);
            assert!(batches.next().is_some());
            assert!(matches!(batches.finish(), Err(BenchError::Generate(graph_gen::GenError::Stopped))));
        });
    }
}
