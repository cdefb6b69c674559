//! A storage engine whose calls have spans.
//!
//! It passes everything on to the engine inside. Where the request at hand is sampled, a call has a span, up to
//! [`STORAGE_SPANS_MAX`](crate::limits::STORAGE_SPANS_MAX) of a trace; calls and rows are counted in any case. A scan
//! lasts from its first row to its last, with what is done between them.

use std::sync::Arc;

use kv::{
    Capabilities, Checkpoint, Commit, Cursor, Engine, Entry, GoOn, Key, Keys, KvError, Partitions, Read, RowRange, Run,
    SortedRows, SortedWriter, Statistic, TableId, WriteBatch, WriteLog,
};
use opentelemetry::trace::Span as _;
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::Span;

use crate::place::Work;

/// An engine with spans. `E` may be any engine, `Arc<dyn Engine>` included.
#[derive(Debug)]
pub struct TracedEngine<E> {
    inner: E,
}

impl<E: Engine> TracedEngine<E> {
    /// Wraps `inner`.
    pub fn new(inner: E) -> Self {
        Self { inner }
    }
}

/// A call for a request that is sampled, until it is dropped.
struct Call {
    context: Context,
    span: Option<Span>,
    rows: u64,
}

impl Call {
    fn begin(name: &'static str) -> Option<Self> {
        Context::map_current(|context| {
            let span = context.get::<Work>()?.storage(name, context);
            Some(Self { context: context.clone(), span, rows: 0 })
        })
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(work) = self.context.get::<Work>() {
            work.note_rows(self.rows);
        }
        if let Some(span) = &mut self.span {
            span.set_attribute(KeyValue::new("rhizome.storage.rows", i64::try_from(self.rows).unwrap_or(i64::MAX)));
        }
    }
}

fn note(call: &mut Option<Call>, rows: u64) {
    if let Some(call) = call {
        call.rows += rows;
    }
}

struct TracedRead<R> {
    inner: R,
}

struct TracedCursor<'a> {
    inner: Box<dyn Cursor + 'a>,
    call: Option<Call>,
}

impl Cursor for TracedCursor<'_> {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        let entry = self.inner.next()?;
        if entry.is_some() {
            note(&mut self.call, 1);
        }
        Ok(entry)
    }
}

/// [`Read`] with spans for a type that has `inner`.
macro_rules! read_with_spans {
    () => {
        fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
            let mut call = Call::begin("storage get");
            let is_there = self.inner.get(table, key, found)?;
            note(&mut call, u64::from(is_there));
            Ok(is_there)
        }

        fn multi_get(
            &self,
            table: TableId,
            keys: &Keys,
            found: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> Result<(), KvError> {
            let mut call = Call::begin("storage multi_get");
            note(&mut call, keys.len() as u64);
            self.inner.multi_get(table, keys, found)
        }

        fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
            let call = Call::begin("storage scan");
            let inner = self.inner.scan(table, range)?;
            Ok(if call.is_some() { Box::new(TracedCursor { inner, call }) } else { inner })
        }

        fn scan_partitions<'a>(
            &'a self,
            table: TableId,
            prefix: &[u8],
            after: Option<Key<'_>>,
        ) -> Result<Box<dyn Cursor + 'a>, KvError> {
            let call = Call::begin("storage scan_partitions");
            let inner = self.inner.scan_partitions(table, prefix, after)?;
            Ok(if call.is_some() { Box::new(TracedCursor { inner, call }) } else { inner })
        }

        fn scan_each(
            &self,
            partitions: Partitions<'_>,
            visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
        ) -> Result<(), KvError> {
            let Some(call) = Call::begin("storage scan_each") else {
                return self.inner.scan_each(partitions, visit);
            };
            let mut call = Some(call);
            self.inner.scan_each(partitions, &mut |at, entry| {
                note(&mut call, 1);
                visit(at, entry)
            })
        }
    };
}

impl<E: Engine> Read for TracedEngine<E> {
    read_with_spans!();
}

impl Read for TracedRead<Box<dyn Read + '_>> {
    read_with_spans!();
}

impl<E: Engine> Engine for TracedEngine<E> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn submit(&self, mut batch: WriteBatch) -> Commit {
        // The batch is dropped when it has been written, by whichever thread that is.
        if let Some(call) = Call::begin("storage write") {
            batch.hold(Box::new(call));
        }
        self.inner.submit(batch)
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), KvError> {
        let _call = Call::begin("storage write");
        self.inner.commit(batch)
    }

    fn compare_and_swap(
        &self,
        table: TableId,
        key: Key<'_>,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<bool, KvError> {
        let _call = Call::begin("storage compare_and_swap");
        self.inner.compare_and_swap(table, key, expected, new)
    }

    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError> {
        Ok(Box::new(TracedRead { inner: self.inner.snapshot()? }))
    }

    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        let _call = Call::begin("storage delete_prefix");
        self.inner.delete_prefix(table, prefix)
    }

    fn compact(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        self.inner.compact(table, prefix)
    }

    fn split(&self, table: TableId, prefix: &[u8], target_bytes: u64) -> Result<Vec<Run>, KvError> {
        let _call = Call::begin("storage split");
        self.inner.split(table, prefix, target_bytes)
    }

    fn sorted_writer<'a>(&'a self, table: TableId) -> Result<Box<dyn SortedWriter + 'a>, KvError> {
        self.inner.sorted_writer(table)
    }

    fn ingest(&self, rows: Vec<SortedRows>) -> Result<(), KvError> {
        self.inner.ingest(rows)
    }

    fn writes_completed_late(&self) -> u64 {
        self.inner.writes_completed_late()
    }

    fn write_clock(&self) -> u64 {
        self.inner.write_clock()
    }

    fn follow_clock(&self, moment: u64) {
        self.inner.follow_clock(moment);
    }

    fn log(&self) -> Option<&dyn WriteLog> {
        self.inner.log()
    }

    fn priority_lane(&self) -> Option<Arc<dyn Engine>> {
        self.inner.priority_lane()
    }

    fn sync(&self) -> Result<(), KvError> {
        self.inner.sync()
    }

    fn check_writable(&self) -> Result<(), KvError> {
        self.inner.check_writable()
    }

    fn checkpoint(&self) -> Result<Checkpoint, KvError> {
        self.inner.checkpoint()
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.inner.statistics()
    }

    fn memory(&self) -> Vec<Statistic> {
        self.inner.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kv::MemoryEngine;
    use kv::conformance::{Harness, TABLES};

    struct Plain;

    impl Harness for Plain {
        fn fresh(&mut self) -> Box<dyn Engine> {
            let inner: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
            Box::new(TracedEngine::new(inner))
        }
    }

    mod suite {
        kv::conformance_suite!(super::Plain);
    }
}
