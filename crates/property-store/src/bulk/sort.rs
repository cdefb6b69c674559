//! Records into sorted runs: two buffers fill, a thread sorts full ones and appends them to a file.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use crate::keys::sealed::Bytes as _;
use crate::limits::{BULK_FILE_BUFFER_BYTES, BULK_MARK_BYTES};
use crate::{EdgeEnds, PropertyError};

/// Bytes in a run for each record in addition to key and record: the length.
pub(super) const LENGTH_BYTES: usize = 4;

/// A record that waits: its key (of a node: the id above, zeros below), and where its bytes are.
#[derive(Clone, Copy)]
struct Slot {
    key: u128,
    start: u32,
    len: u32,
}

#[derive(Default)]
struct Buffer {
    slots: Vec<Slot>,
    arena: Vec<u8>,
}

impl Buffer {
    fn bytes(&self) -> usize {
        self.slots.len() * size_of::<Slot>() + self.arena.len()
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.arena.clear();
    }
}

/// A key, and where in the file its entry begins.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) key: u128,
    pub(super) at: u64,
}

/// A sorted run: a part of the file, each key once.
pub(super) struct SortedRun {
    /// Its first entry, and one at regular intervals of bytes.
    pub(super) marks: Vec<Mark>,
    pub(super) end: u64,
}

/// All runs of a table, the later ones with the later records.
pub(super) struct Runs {
    pub(super) file: File,
    pub(super) path: PathBuf,
    pub(super) runs: Vec<SortedRun>,
    length: u64,
    key_bytes: usize,
}

/// Takes records in any order.
pub(super) struct Sorter {
    /// Of nodes, of edges.
    filling: [Buffer; 2],
    buffer_bytes: usize,
    path: PathBuf,
    full: SyncSender<(usize, Buffer)>,
    empty: Receiver<Buffer>,
    thread: JoinHandle<Result<[Runs; 2], PropertyError>>,
}

impl Sorter {
    pub(super) fn start(scratch: &Path, buffer_bytes: usize) -> Result<Self, PropertyError> {
        let file = |key_bytes| -> Result<Runs, PropertyError> {
            let file = tempfile::tempfile_in(scratch).map_err(|error| failed(scratch, "making a file", &error))?;
            Ok(Runs { file, path: scratch.to_path_buf(), runs: Vec::new(), length: 0, key_bytes })
        };
        let tables = [file(u64::KEY_BYTES)?, file(EdgeEnds::KEY_BYTES)?];
        // At most two buffers in addition to those being filled: one being sorted, one on its way there or back.
        let (full, to_sort) = sync_channel(0);
        let (emptied, empty) = channel();
        let thread = std::thread::Builder::new()
            .name("bulk-sort".to_owned())
            .spawn(move || write_runs(tables, &to_sort, &emptied))
            .map_err(|error| failed(scratch, "starting a thread", &error))?;
        Ok(Self {
            filling: Default::default(),
            buffer_bytes: buffer_bytes.min(MAX_BUFFER_BYTES),
            path: scratch.to_path_buf(),
            full,
            empty,
            thread,
        })
    }

    pub(super) fn add_node(&mut self, id: u64, bytes: &[u8]) -> Result<(), PropertyError> {
        self.add(0, u128::from(id) << 64, bytes)
    }

    pub(super) fn add_edge(&mut self, (source, target): EdgeEnds, bytes: &[u8]) -> Result<(), PropertyError> {
        self.add(1, u128::from(source) << 64 | u128::from(target), bytes)
    }

    fn add(&mut self, table: usize, key: u128, bytes: &[u8]) -> Result<(), PropertyError> {
        let Some(buffer) = self.filling.get_mut(table) else { return Ok(()) };
        if bytes.len() > kv::limits::VALUE_BYTES_MAX {
            let limit_bytes = kv::limits::VALUE_BYTES_MAX;
            let table = if table == 0 { "node" } else { "edge" };
            return Err(kv::KvError::ValueTooLong { table, bytes: bytes.len(), limit_bytes }.into());
        }
        let (Ok(start), Ok(len)) = (u32::try_from(buffer.arena.len()), u32::try_from(bytes.len())) else {
            return Err(self.ended());
        };
        buffer.slots.push(Slot { key, start, len });
        buffer.arena.extend_from_slice(bytes);
        if buffer.bytes() < self.buffer_bytes {
            return Ok(());
        }
        let full = std::mem::replace(buffer, self.empty.try_recv().unwrap_or_default());
        if self.full.send((table, full)).is_err() {
            return Err(self.ended());
        }
        Ok(())
    }

    /// Sorts what is left; the runs of nodes and of edges.
    pub(super) fn finish(self) -> Result<[Runs; 2], PropertyError> {
        for (table, buffer) in self.filling.into_iter().enumerate() {
            // A thread that has ended says why below.
            drop(self.full.send((table, buffer)));
        }
        drop(self.full);
        match self.thread.join() {
            Ok(outcome) => outcome,
            Err(_) => Err(PropertyError::Scratch {
                path: self.path,
                action: "sorting",
                detail: "the sorting thread panicked".to_owned(),
            }),
        }
    }

    /// The sorting thread only ends early after an error, which [`Self::finish`] reports; nobody finishes a load that
    /// failed.
    fn ended(&self) -> PropertyError {
        PropertyError::Scratch {
            path: self.path.clone(),
            action: "writing sorted records",
            detail: "an earlier write failed; is the disk full?".to_owned(),
        }
    }
}

/// Positions in a buffer are 32 bits.
const MAX_BUFFER_BYTES: usize = 2 << 30;

fn write_runs(
    mut tables: [Runs; 2],
    full: &Receiver<(usize, Buffer)>,
    emptied: &Sender<Buffer>,
) -> Result<[Runs; 2], PropertyError> {
    for (table, mut buffer) in full {
        if let Some(runs) = tables.get_mut(table) {
            runs.append(&mut buffer)?;
        }
        buffer.clear();
        drop(emptied.send(buffer));
    }
    Ok(tables)
}

impl Runs {
    fn append(&mut self, buffer: &mut Buffer) -> Result<(), PropertyError> {
        // Positions tell which of two records of one key came later.
        buffer.slots.sort_unstable_by_key(|slot| (slot.key, slot.start));
        let key_bytes = self.key_bytes;
        let mut run = SortedRun { marks: Vec::new(), end: self.length };
        let mut out = BufWriter::with_capacity(BULK_FILE_BUFFER_BYTES, &self.file);
        let mut slots = buffer.slots.iter().peekable();
        while let Some(slot) = slots.next() {
            if slots.peek().is_some_and(|next| next.key == slot.key) {
                continue;
            }
            if run.marks.last().is_none_or(|mark| run.end - mark.at >= BULK_MARK_BYTES) {
                run.marks.push(Mark { key: slot.key, at: run.end });
            }
            let start = usize::try_from(slot.start).unwrap_or_default();
            let bytes = buffer.arena.get(start..start + usize::try_from(slot.len).unwrap_or_default());
            let bytes = bytes.unwrap_or_default();
            let key = slot.key.to_be_bytes();
            let mut write = || -> io::Result<()> {
                out.write_all(key.get(..key_bytes).unwrap_or(&key))?;
                out.write_all(&slot.len.to_le_bytes())?;
                out.write_all(bytes)
            };
            write().map_err(|error| failed(&self.path, "writing sorted records", &error))?;
            run.end += (key_bytes + LENGTH_BYTES + bytes.len()) as u64;
        }
        out.flush().map_err(|error| failed(&self.path, "writing sorted records", &error))?;
        drop(out);
        self.length = run.end;
        if !run.marks.is_empty() {
            self.runs.push(run);
        }
        Ok(())
    }
}

pub(super) fn failed(path: &Path, action: &'static str, error: &io::Error) -> PropertyError {
    PropertyError::Scratch { path: path.to_path_buf(), action, detail: error.to_string() }
}
