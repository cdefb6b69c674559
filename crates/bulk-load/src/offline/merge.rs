//! Merging runs: the rows of one section, from all runs, in the order of their keys, into the store's own files.

use std::cmp::Ordering;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use key_codec::tables::TABLES;
use kv::{Engine, SortedRows, TableId, TableSpec};
use sorted_runs::{SectionMeta, SectionReader, SortedRows as RowsInMemory, SortedSection, head_of};

use crate::error::LoadError;
use crate::limits::MERGE_ROWS_PER_REPORT;

/// The rows of a section, in several runs. Later runs come later in the list.
pub(crate) struct MergeJob {
    /// The folder with the runs.
    pub(crate) dir: PathBuf,
    pub(crate) table: TableId,
    pub(crate) prefix: Vec<u8>,
    pub(crate) parts: Vec<Part>,
}

/// The rows of a section that one thread has sorted.
pub(crate) enum Part {
    File(Arc<File>, SectionMeta),
    Memory(Arc<SortedSection>),
}

impl Part {
    pub(crate) fn rows(&self) -> u64 {
        match self {
            Self::File(_, section) => section.rows,
            Self::Memory(section) => section.rows(),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::File(_, section) => section.bytes,
            Self::Memory(section) => section.bytes(),
        }
    }
}

impl MergeJob {
    pub(crate) fn bytes(&self) -> u64 {
        self.parts.iter().map(Part::bytes).sum()
    }
}

enum Rows {
    File(SectionReader),
    Memory(RowsInMemory),
}

impl Rows {
    fn advance(&mut self) -> io::Result<bool> {
        match self {
            Self::File(rows) => rows.advance(),
            Self::Memory(rows) => Ok(rows.advance()),
        }
    }

    fn key(&self) -> &[u8] {
        match self {
            Self::File(rows) => rows.key(),
            Self::Memory(rows) => rows.key(),
        }
    }

    fn value(&self) -> &[u8] {
        match self {
            Self::File(rows) => rows.value(),
            Self::Memory(rows) => rows.value(),
        }
    }
}

/// A run at a row.
struct Cursor {
    reader: Rows,
    head: u128,
    /// Position in the list of runs.
    age: usize,
}

/// Merges a section. Where runs have the same key the row of the last one counts. `report` gets the number of rows
/// written at intervals, and returns whether to continue.
pub(crate) fn merge(
    engine: &dyn Engine,
    job: &MergeJob,
    buffer_bytes: usize,
    report: &mut dyn FnMut(u64) -> Result<(), LoadError>,
) -> Result<SortedRows, LoadError> {
    let failed = |error| LoadError::store("cannot write sorted rows", error);
    let spec = TableSpec::find(TABLES, job.table).map_err(failed)?;
    let mut heap = Heap::open(job, buffer_bytes)?;
    let mut writer = engine.sorted_writer(job.table).map_err(failed)?;
    let mut last: Vec<u8> = Vec::new();
    let (mut unreported, mut any) = (0, false);
    while let Some(cursor) = heap.top() {
        let key = cursor.reader.key();
        if !any || *key != *last {
            any = true;
            last.clear();
            last.extend_from_slice(key);
            writer.put(spec.key(key).map_err(failed)?, cursor.reader.value()).map_err(failed)?;
        }
        unreported += 1;
        if unreported == MERGE_ROWS_PER_REPORT {
            report(std::mem::take(&mut unreported))?;
        }
        heap.advance().map_err(|error| LoadError::work_in(&job.dir, "read sorted rows in", error))?;
    }
    report(unreported)?;
    writer.finish().map_err(failed)
}

/// Runs in the order of their rows, the next one on top.
struct Heap {
    cursors: Vec<Cursor>,
    skipped: usize,
}

impl Heap {
    fn open(job: &MergeJob, buffer_bytes: usize) -> Result<Self, LoadError> {
        let mut heap = Self { cursors: Vec::with_capacity(job.parts.len()), skipped: job.prefix.len() };
        for (age, part) in job.parts.iter().enumerate() {
            let mut reader = match part {
                Part::File(file, section) => Rows::File(SectionReader::open(Arc::clone(file), section, buffer_bytes)),
                Part::Memory(section) => Rows::Memory(RowsInMemory::of(Arc::clone(section))),
            };
            if reader.advance().map_err(|error| LoadError::work_in(&job.dir, "read sorted rows in", error))? {
                let head = heap.head(&reader);
                heap.cursors.push(Cursor { reader, head, age });
            }
        }
        heap.cursors.sort_by(order);
        Ok(heap)
    }

    fn head(&self, reader: &Rows) -> u128 {
        head_of(reader.key().get(self.skipped..).unwrap_or_default())
    }

    fn top(&self) -> Option<&Cursor> {
        self.cursors.first()
    }

    /// Moves the run on top to its next row, and brings the next run to the top.
    fn advance(&mut self) -> io::Result<()> {
        let skipped = self.skipped;
        let Some(top) = self.cursors.first_mut() else { return Ok(()) };
        if top.reader.advance()? {
            top.head = head_of(top.reader.key().get(skipped..).unwrap_or_default());
        } else {
            self.cursors.swap_remove(0);
        }
        let mut at = 0;
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if let (Some(child_cursor), Some(least_cursor)) = (self.cursors.get(child), self.cursors.get(least))
                    && order(child_cursor, least_cursor).is_lt()
                {
                    least = child;
                }
            }
            if least == at {
                return Ok(());
            }
            self.cursors.swap(at, least);
            at = least;
        }
    }
}

/// By key; of the same key the latest run first.
fn order(a: &Cursor, b: &Cursor) -> Ordering {
    a.head.cmp(&b.head).then_with(|| a.reader.key().cmp(b.reader.key())).then(b.age.cmp(&a.age))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use key_codec::tables::VERTEX;
    use key_codec::{GraphNumber, key};
    use kv::{MemoryEngine, Read as _};

    use super::*;
    use sorted_runs::Sorter;

    fn jobs(dir: &Path, runs: &mut [Sorter]) -> Vec<MergeJob> {
        let mut jobs: BTreeMap<(u8, Vec<u8>), Vec<Part>> = BTreeMap::new();
        let (last, runs) = runs.split_last_mut().unwrap();
        for (number, run) in (0..).zip(runs) {
            let path = dir.join(number.to_string());
            let (meta, _) = run.write(&path, number).unwrap();
            let file = Arc::new(File::open(path).unwrap());
            for section in meta.sections {
                let place = (section.table, section.prefix.clone());
                jobs.entry(place).or_default().push(Part::File(Arc::clone(&file), section));
            }
        }
        for section in last.sort() {
            let place = (section.table().0, section.prefix().to_vec());
            jobs.entry(place).or_default().push(Part::Memory(Arc::new(section)));
        }
        jobs.into_iter()
            .map(|((table, prefix), parts)| MergeJob { dir: dir.to_owned(), table: TableId(table), prefix, parts })
            .collect()
    }

    #[test]
    fn many_runs_become_what_a_map_would_hold() {
        let dir = tempfile::tempdir().unwrap();
        let mut expected: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        let mut runs: Vec<Sorter> = (0..7).map(|_| Sorter::new()).collect();
        let mut noise = 1_u64;
        for n in 0..20_000_u32 {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let number = (noise >> 40) % 9_000;
            let id = if n % 3 == 0 {
                graph_model::VertexId::Number(i64::try_from(number).unwrap())
            } else {
                let text = format!("{}:a long beginning they share {number}", 1 + number % 3);
                graph_model::VertexId::from_text(&text).unwrap()
            };
            let mut bytes = Vec::new();
            key::vertex_partition(&mut bytes, GraphNumber(1), &id);
            // Runs are filled one after the other, so the last writer of a key is the one that counts.
            runs[n as usize / 3_000].push(VERTEX, &bytes, &n.to_be_bytes());
            expected.insert(bytes, n.to_be_bytes().to_vec());
        }
        let engine = MemoryEngine::open(TABLES);
        let mut read = 0;
        let mut all = Vec::new();
        for job in jobs(dir.path(), &mut runs) {
            let merged = merge(&engine, &job, 100, &mut |rows| {
                read += rows;
                Ok(())
            });
            all.push(merged.unwrap());
        }
        assert_eq!(all.len(), 4, "numbers and three labels");
        engine.ingest(all).unwrap();
        let mut found = BTreeMap::new();
        let mut cursor = engine.scan_partitions(VERTEX, &[], None).unwrap();
        while let Some(entry) = cursor.next().unwrap() {
            found.insert(entry.key.as_bytes().to_vec(), entry.value.to_vec());
        }
        assert_eq!(found, expected);
        assert!(usize::try_from(read).unwrap() > expected.len());
    }
}
