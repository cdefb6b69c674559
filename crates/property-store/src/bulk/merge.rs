//! Sorted runs into the engine: each thread merges the runs within a range of keys.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::os::unix::fs::FileExt as _;
use std::sync::mpsc::{Sender, channel};

use kv::{Engine, Key, SortedRows, TableId};

use crate::PropertyError;
use crate::limits::{BULK_PROGRESS_RECORDS, BULK_READ_BYTES_MAX, BULK_READ_BYTES_MIN};

use super::sort::{LENGTH_BYTES, Runs, SortedRun, failed};

/// All runs of a table, to be merged into the engine.
pub(super) struct Job<'a> {
    pub(super) engine: &'a dyn Engine,
    pub(super) table: TableId,
    pub(super) key_bytes: usize,
    pub(super) runs: &'a Runs,
}

impl Job<'_> {
    /// Merges with this many threads and about this much memory; `progress` gets the number of merged records.
    pub(super) fn run(
        &self,
        threads: usize,
        memory_bytes: usize,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<SortedRows>, PropertyError> {
        let bounds = self.bounds(threads.max(1));
        let readers = (self.runs.runs.len() * (bounds.len() + 1)).max(1);
        let read_bytes = (memory_bytes / readers).clamp(BULK_READ_BYTES_MIN, BULK_READ_BYTES_MAX);
        let (merged, news) = channel();
        std::thread::scope(|scope| {
            let starts = std::iter::once(0).chain(bounds.iter().copied());
            let ends = bounds.iter().copied().map(Some).chain([None]);
            let parts: Vec<_> = starts
                .zip(ends)
                .map(|(start, end)| {
                    let merged = merged.clone();
                    scope.spawn(move || self.merge(start, end, read_bytes, &merged))
                })
                .collect();
            drop(merged);
            let mut total = 0;
            for more in news {
                total += more;
                progress(total);
            }
            let joined = parts.into_iter().map(|part| part.join().unwrap_or_else(|_| Err(self.panicked())));
            joined.collect()
        })
    }

    fn panicked(&self) -> PropertyError {
        PropertyError::Scratch {
            path: self.runs.path.clone(),
            action: "merging sorted records",
            detail: "a merging thread panicked".to_owned(),
        }
    }

    /// Keys that cut the records into parts of about one size, one fewer than there are parts.
    fn bounds(&self, parts: usize) -> Vec<u128> {
        let mut keys: Vec<u128> = self.runs.runs.iter().flat_map(|run| run.marks.iter().map(|mark| mark.key)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut bounds: Vec<u128> =
            (1..parts).filter_map(|part| keys.get(keys.len() * part / parts).copied()).filter(|key| *key > 0).collect();
        bounds.dedup();
        bounds
    }

    fn merge(
        &self,
        start: u128,
        end: Option<u128>,
        read_bytes: usize,
        merged: &Sender<u64>,
    ) -> Result<SortedRows, PropertyError> {
        let mut writer = self.engine.sorted_writer(self.table)?;
        let mut readers = Vec::with_capacity(self.runs.runs.len());
        for run in &self.runs.runs {
            readers.push(RunReader::open(self.runs, run, self.key_bytes, (start, end), read_bytes)?);
        }
        // The least key first; of equal ones that of the latest run, after which the others are passed over.
        let mut next: BinaryHeap<Reverse<(u128, Reverse<usize>)>> =
            readers.iter().enumerate().filter_map(|(at, reader)| Some(Reverse((reader.key?, Reverse(at))))).collect();
        let mut written = 0;
        let mut last = None;
        while let Some(mut top) = next.peek_mut() {
            let Reverse((key, Reverse(at))) = *top;
            let Some(reader) = readers.get_mut(at) else { break };
            if last != Some(key) {
                let bytes = key.to_be_bytes();
                let partition = self.key_bytes.min(8);
                writer.put(Key::new(bytes.get(..self.key_bytes).unwrap_or(&bytes), partition), reader.value())?;
                last = Some(key);
                written += 1;
                if written == BULK_PROGRESS_RECORDS {
                    tell(merged, std::mem::take(&mut written));
                }
            }
            reader.step()?;
            match reader.key {
                Some(key) => top.0.0 = key,
                None => drop(PeekMut::pop(top)),
            }
        }
        tell(merged, written);
        Ok(writer.finish()?)
    }
}

/// Nobody listening any more is fine.
fn tell(merged: &Sender<u64>, records: u64) {
    merged.send(records).unwrap_or_default();
}

/// Reads a range of a run, entry by entry.
struct RunReader<'a> {
    runs: &'a Runs,
    key_bytes: usize,
    /// Of the file: what has not been read yet.
    at: u64,
    file_end: u64,
    end: Option<u128>,
    buffer: Vec<u8>,
    /// Of the buffer: the current record, then what comes after it.
    value: std::ops::Range<usize>,
    /// The current key; `None` at the end of the range.
    key: Option<u128>,
    read_bytes: usize,
}

impl<'a> RunReader<'a> {
    fn open(
        runs: &'a Runs,
        run: &SortedRun,
        key_bytes: usize,
        (start, end): (u128, Option<u128>),
        read_bytes: usize,
    ) -> Result<Self, PropertyError> {
        let before = run.marks.partition_point(|mark| mark.key <= start).saturating_sub(1);
        let at = run.marks.get(before).map_or(run.end, |mark| mark.at);
        let mut reader = Self {
            runs,
            key_bytes,
            at,
            file_end: run.end,
            end,
            buffer: Vec::with_capacity(read_bytes),
            value: 0..0,
            key: None,
            read_bytes,
        };
        reader.step()?;
        while reader.key.is_some_and(|key| key < start) {
            reader.step()?;
        }
        Ok(reader)
    }

    fn value(&self) -> &[u8] {
        self.buffer.get(self.value.clone()).unwrap_or_default()
    }

    fn step(&mut self) -> Result<(), PropertyError> {
        self.key = None;
        let head = self.key_bytes + LENGTH_BYTES;
        if !self.have(head)? {
            return Ok(());
        }
        let start = self.value.end;
        let (key, len) = self.head(start);
        if self.end.is_some_and(|end| key >= end) {
            return Ok(());
        }
        if !self.have(head + len)? {
            return Err(PropertyError::Scratch {
                path: self.runs.path.clone(),
                action: "reading sorted records",
                detail: "a file is shorter than what was written to it".to_owned(),
            });
        }
        let start = self.value.end + head;
        self.value = start..start + len;
        self.key = Some(key);
        Ok(())
    }

    /// The key and the length of the entry at a place of the buffer.
    fn head(&self, start: usize) -> (u128, usize) {
        let mut key = [0; 16];
        let bytes = self.buffer.get(start..start + self.key_bytes).unwrap_or_default();
        key.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        let len = self.buffer.get(start + self.key_bytes..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        (u128::from_be_bytes(key), usize::try_from(u32::from_le_bytes(len)).unwrap_or_default())
    }

    /// Ensures that this many bytes after the current record are in the buffer; false at the end of the run.
    fn have(&mut self, bytes: usize) -> Result<bool, PropertyError> {
        if self.buffer.len() - self.value.end >= bytes {
            return Ok(true);
        }
        self.buffer.drain(..self.value.end);
        self.value = 0..0;
        let left = usize::try_from(self.file_end - self.at).unwrap_or(usize::MAX);
        let wanted = self.read_bytes.max(bytes).saturating_sub(self.buffer.len()).min(left);
        let kept = self.buffer.len();
        self.buffer.resize(kept + wanted, 0);
        let room = self.buffer.get_mut(kept..).unwrap_or_default();
        self.runs
            .file
            .read_exact_at(room, self.at)
            .map_err(|error| failed(&self.runs.path, "reading sorted records", &error))?;
        self.at += wanted as u64;
        Ok(self.buffer.len() >= bytes)
    }
}
