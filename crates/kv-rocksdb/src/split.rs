//! Cutting a part of a table into runs of about one size, by RocksDB's estimates.
//!
//! A part is halved at the byte string in the middle between its first and its last key until RocksDB estimates it
//! small enough; small neighbours are merged again. Only files count: rows that are still in memory make runs larger
//! than requested.

use kv::limits::RUNS_MAX;
use kv::{KvError, Run, TableId, prefix_end, successor};
use rocksdb::{Range, ReadOptions};

use crate::limits::SPLIT_DEPTH_MAX;
use crate::store::Store;

/// A part that may be halved: rows after `start`, up to and including `end`.
struct Part {
    start: Vec<u8>,
    end: Vec<u8>,
    depth: usize,
}

pub(crate) fn split(store: &Store, table: TableId, prefix: &[u8], target_bytes: u64) -> Result<Vec<Run>, KvError> {
    let end = match prefix_end(prefix) {
        Some(end) => end,
        None => store.last_key(table)?.map_or_else(|| successor(prefix), |last| successor(&last)),
    };
    let all = Part { start: prefix.to_vec(), end, depth: 0 };
    let total = size(store, table, &all)?;
    // Two neighbours are larger than the target together.
    let target = target_bytes.max(total / (RUNS_MAX as u64 / 2)).max(1);
    let mut runs: Vec<Run> = Vec::new();
    let mut parts = vec![all];
    while let Some(part) = parts.pop() {
        let bytes = size(store, table, &part)?;
        let middle =
            if bytes > target && part.depth < SPLIT_DEPTH_MAX { middle_of(store, table, &part)? } else { None };
        match (middle, runs.last_mut()) {
            (Some(middle), _) => {
                let depth = part.depth + 1;
                parts.push(Part { start: middle.clone(), end: part.end, depth });
                parts.push(Part { start: part.start, end: middle, depth });
            }
            (None, Some(last)) if last.bytes + bytes <= target => last.bytes += bytes,
            (None, _) => runs.push(Run { start: part.start, bytes }),
        }
    }
    Ok(runs)
}

fn size(store: &Store, table: TableId, part: &Part) -> Result<u64, KvError> {
    let sizes = store.database.get_approximate_sizes_cf(store.family(table)?, &[Range::new(&part.start, &part.end)]);
    Ok(sizes.iter().sum())
}

/// A key with rows before (or at) it and after it; `None` where there are not two rows.
fn middle_of(store: &Store, table: TableId, part: &Part) -> Result<Option<Vec<u8>>, KvError> {
    let mut options = ReadOptions::default();
    options.set_total_order_seek(true);
    let mut rows = store.database.raw_iterator_cf_opt(store.family(table)?, options);
    rows.seek(successor(&part.start));
    let first = rows.key().map(<[u8]>::to_vec);
    rows.seek_for_prev(&part.end);
    let last = rows.key().map(<[u8]>::to_vec);
    rows.status().map_err(|error| store.error("reading", error))?;
    Ok(match (first, last) {
        (Some(first), Some(last)) if first < last => Some(middle(&first, &last)),
        _ => None,
    })
}

/// A byte string from `first` (included) to `last` (not included), about half way.
fn middle(first: &[u8], last: &[u8]) -> Vec<u8> {
    let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
    let number = |key: &[u8]| {
        let mut bytes = [0; 8];
        for (to, from) in bytes.iter_mut().zip(key.iter().skip(common)) {
            *to = *from;
        }
        u64::from_be_bytes(bytes)
    };
    let half = number(first).midpoint(number(last));
    let mut middle = first.get(..common).unwrap_or_default().to_vec();
    middle.extend_from_slice(&half.to_be_bytes());
    if *middle < *first || *middle >= *last { first.to_vec() } else { middle }
}

#[cfg(test)]
mod tests {
    use kv::conformance::{COUNTED, TABLES};
    use kv::{Key, WriteBatch};

    use super::*;
    use crate::options::RocksDbOptions;

    #[test]
    fn the_middle_lies_between() {
        let mut keys = vec![Vec::new()];
        for _ in 0..3 {
            let longer: Vec<Vec<u8>> =
                keys.iter().flat_map(|key| [0, 1, 0xFF].map(|byte| [&key[..], &[byte]].concat())).collect();
            keys.extend(longer);
        }
        // Differences beyond the bytes that are halved.
        keys.extend([
            [&[1][..], &[0; 12]].concat(),
            [&[0][..], &[0xFF; 12]].concat(),
            [&[0][..], &[0xFF; 12], &[1]].concat(),
        ]);
        keys.sort();
        keys.dedup();
        for (at, first) in keys.iter().enumerate() {
            for last in &keys[at + 1..] {
                let middle = middle(first, last);
                assert!(*first <= middle && middle < *last, "{first:?} {middle:?} {last:?}");
            }
        }
    }

    #[test]
    fn files_are_cut_into_runs_of_the_size_asked_for() {
        let folder = tempfile::TempDir::new().unwrap();
        let options = RocksDbOptions { path: folder.path().to_path_buf(), ..RocksDbOptions::default() };
        let store = Store::open(&options, TABLES).unwrap();
        let mut batch = WriteBatch::new();
        let mut noise = 1u64;
        for n in 0..20_000u32 {
            let value: Vec<u8> = (0..12)
                .flat_map(|_| {
                    noise ^= noise << 13;
                    noise ^= noise >> 7;
                    noise ^= noise << 17;
                    noise.to_be_bytes()
                })
                .collect();
            let key = [&[30][..], b"a long common beginning of all", &n.to_be_bytes()].concat();
            batch.put_key(COUNTED, Key::new(&key, 31), &value);
        }
        store.write(std::iter::once(&batch), crate::store::Patience::Waits).unwrap();
        store.database.flush_cf(store.family(COUNTED).unwrap()).unwrap();
        let runs = split(&store, COUNTED, &[], 200_000).unwrap();
        let total: u64 = runs.iter().map(|run| run.bytes).sum();
        assert!(total > 1_500_000, "{total} bytes of some 2,000,000");
        assert!((8..40).contains(&runs.len()), "{} runs", runs.len());
        assert!(runs.iter().all(|run| run.bytes <= 200_000), "{runs:?}");
        assert!(runs.is_sorted_by(|a, b| a.start < b.start));
    }
}
