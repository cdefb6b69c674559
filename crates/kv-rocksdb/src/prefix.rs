//! Tells RocksDB where the partition of a key ends, so that its filters can answer "is there anything in this
//! partition?".
//!
//! RocksDB's binding takes plain functions without state, but every table has its own rule. So there is a fixed number
//! of functions, one for each slot, and each slot is given the rule of one table, once in the life of the process.

use std::sync::OnceLock;

use kv::{KvError, TableSpec};
use rocksdb::SliceTransform;

use crate::limits::PREFIX_SLOTS;

/// Tables by slot, taken in order. They are compared by address: they are statics, opened again and again. RocksDB asks
/// for every key it looks for or writes, from all threads, so nothing is locked.
static SLOTS: [OnceLock<&'static TableSpec>; PREFIX_SLOTS] = [const { OnceLock::new() }; PREFIX_SLOTS];

/// The prefix extractor of a table. Its name is stored with every file; files with another name lose their filters, so
/// a change of a table's partitions needs a new number in it.
pub(crate) fn extractor(table: &'static TableSpec) -> Result<SliceTransform, KvError> {
    let slot = slot_of(table)?;
    let (transform, in_domain) = *FUNCTIONS.get(slot).ok_or_else(|| no_slot(table))?;
    Ok(SliceTransform::create(&format!("partition.1.{}", table.name), transform, Some(in_domain)))
}

fn slot_of(table: &'static TableSpec) -> Result<usize, KvError> {
    let taken = SLOTS.iter().position(|slot| std::ptr::eq(*slot.get_or_init(|| table), table));
    taken.ok_or_else(|| no_slot(table))
}

fn no_slot(table: &TableSpec) -> KvError {
    KvError::Other { detail: format!("table {} is one too many: {PREFIX_SLOTS} ranged tables in all", table.name) }
}

type Functions = (fn(&[u8]) -> &[u8], fn(&[u8]) -> bool);

macro_rules! functions {
    ($($slot:literal)*) => { [$((partition::<$slot>, has_partition::<$slot>)),*] };
}

static FUNCTIONS: [Functions; PREFIX_SLOTS] = functions![
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
];

fn partition_len<const SLOT: usize>(key: &[u8]) -> Option<usize> {
    let table = SLOTS.get(SLOT)?.get()?;
    (table.partition_len)(key)
}

fn partition<const SLOT: usize>(key: &[u8]) -> &[u8] {
    partition_len::<SLOT>(key).and_then(|len| key.get(..len)).unwrap_or(key)
}

fn has_partition<const SLOT: usize>(key: &[u8]) -> bool {
    partition_len::<SLOT>(key).is_some()
}

#[cfg(test)]
mod tests {
    use kv::conformance::{COUNTED, TABLES};
    use kv::{Key, Read as _, RowRange, WriteBatch};
    use rocksdb::perf::{PerfContext, PerfMetric, PerfStatsLevel, set_perf_stats};

    use crate::options::RocksDbOptions;
    use crate::store::{Patience, Store};

    #[test]
    fn filters_answer_scans_of_partitions_that_are_not_there() {
        let folder = tempfile::TempDir::new().unwrap();
        let options = RocksDbOptions { path: folder.path().to_path_buf(), ..RocksDbOptions::default() };
        let store = Store::open(&options, TABLES).unwrap();
        let mut batch = WriteBatch::new();
        for n in (0..=u8::MAX).step_by(2) {
            batch.put_key(COUNTED, Key::new(&[1, n, b'r'], 2), b"");
        }
        store.write(std::iter::once(&batch), Patience::Waits).unwrap();
        store.database.flush_cf(store.family(COUNTED).unwrap()).unwrap();

        set_perf_stats(PerfStatsLevel::EnableCount);
        let mut counts = PerfContext::default();
        counts.reset();
        for n in (1..=u8::MAX).step_by(2) {
            assert!(store.scan(COUNTED, RowRange::all(&[1, n])).unwrap().next().unwrap().is_none());
        }
        set_perf_stats(PerfStatsLevel::Disable);
        let spared = counts.metric(PerfMetric::BloomSstMissCount);
        assert!(spared > 100, "of 128 scans the filters answered {spared}");
        for n in (0..=u8::MAX).step_by(2) {
            assert!(store.scan(COUNTED, RowRange::all(&[1, n])).unwrap().next().unwrap().is_some());
        }
    }
}
