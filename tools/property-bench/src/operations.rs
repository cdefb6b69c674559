//! Single operations, as the page's first tables have them: one-field records `{"i": "i + 1"}`.

use std::sync::Arc;

use kv::Engine;
use load_test::Cancel;
use property_store::record::Encoder;
use property_store::{BulkLoad, BulkOptions, Check, EdgeEnds, PropertyStore, RecordKey, Records, StoreOptions};

use crate::limits::{COLD_BATCHES, COLD_GETS, FILL_BATCH, PAGE_KEYS, PAGE_RECORDS, WARM_UP_GETS};
use crate::measure::Sample;
use crate::result::{Kind, Operation, OperationRow, PropertyResult, State};
use crate::{BenchError, Place, Watcher, disk};

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct OperationOptions {
    /// Nodes, and as many edges, that are stored before.
    pub stored: u64,
    /// Warm calls of single operations; a tenth of it of batches.
    pub calls: usize,
}

impl Default for OperationOptions {
    fn default() -> Self {
        Self { stored: 1_000_000, calls: 20_000 }
    }
}

/// Fills a store, then measures each operation cold and warm.
pub(crate) fn run(
    options: &OperationOptions,
    place: &mut dyn Place,
    watcher: &mut dyn Watcher,
    cancel: &Cancel,
    result: &mut PropertyResult,
) -> Result<(), BenchError> {
    let engine = place.fresh().map_err(BenchError::Open)?;
    let capabilities = engine.capabilities();
    let mut store = open(engine)?;
    fill(&store, options.stored, place, watcher, cancel)?;
    result.stored_records = options.stored;
    if capabilities.persistent {
        drop(store);
        for operation in ORDER {
            for kind in [Kind::Nodes, Kind::Edges] {
                watcher.progress(&format!("{}, {}, cold", operation.name(), kind.name()), 0, 0);
                let store = open(cold(place, result)?)?;
                result.operations.push(measure_kind(&store, options, (operation, kind, State::Cold), cancel)?);
            }
        }
        store = open(place.reopen().map_err(BenchError::Open)?)?;
    } else {
        result.notes.push("an engine in memory is never cold".to_owned());
    }
    warm_up(&store, options, capabilities.remote, watcher, cancel)?;
    for operation in ORDER {
        for kind in [Kind::Nodes, Kind::Edges] {
            watcher.progress(&format!("{}, {}, warm", operation.name(), kind.name()), 0, 0);
            result.operations.push(measure_kind(&store, options, (operation, kind, State::Warm), cancel)?);
        }
    }
    Ok(())
}

/// The engine newly opened, with nothing of its data files in the system's cache, as far as that can be had.
fn cold(place: &mut dyn Place, result: &mut PropertyResult) -> Result<Arc<dyn Engine>, BenchError> {
    if !place.folder().is_some_and(disk::forget) {
        let note = "cold: only newly opened; the data files may have been in the system's cache";
        if !result.notes.iter().any(|known| known == note) {
            result.notes.push(note.to_owned());
        }
    }
    place.reopen().map_err(BenchError::Open)
}

/// Reads first, so that writes do not make them slower or faster.
const ORDER: [Operation; 5] =
    [Operation::GetAll, Operation::BatchGet, Operation::InsertRaw, Operation::PutRaw, Operation::ExtendRaw];

fn open(engine: Arc<dyn Engine>) -> Result<PropertyStore, BenchError> {
    Ok(PropertyStore::open(engine, StoreOptions::default())?)
}

/// The record of a number, as the page has it: a field with the next number.
fn encode(encoder: &mut Encoder, number: u64, out: &mut Vec<u8>) {
    encoder.integer("i", i64::try_from(number + 1).unwrap_or_default()).finish_into(out);
}

/// The edge of a number.
fn edge(number: u64) -> EdgeEnds {
    (number, number + 1)
}

fn fill(
    store: &PropertyStore,
    stored: u64,
    place: &dyn Place,
    watcher: &mut dyn Watcher,
    cancel: &Cancel,
) -> Result<(), BenchError> {
    let mut encoder = Encoder::default();
    let scratch = place.scratch().to_path_buf();
    let mut load = match BulkLoad::begin(store, BulkOptions { scratch, ..BulkOptions::default() }) {
        Ok(load) => Some(load),
        Err(property_store::PropertyError::NoIngest { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let mut arena = Vec::new();
    let mut start = 0;
    while start < stored {
        let end = stored.min(start + FILL_BATCH as u64);
        let mut records = Vec::with_capacity(FILL_BATCH);
        arena.clear();
        for number in start..end {
            let from = arena.len();
            encode(&mut encoder, number, &mut arena);
            records.push((number, from..arena.len()));
        }
        let bytes = |range: &std::ops::Range<usize>| arena.get(range.clone()).unwrap_or_default();
        if let Some(load) = &mut load {
            for (number, range) in &records {
                load.node(*number, bytes(range), Check::Trust)?;
                load.edge(edge(*number), bytes(range), Check::Trust)?;
            }
        } else {
            store.nodes().extend_raw(records.iter().map(|(number, range)| (*number, bytes(range))), Check::Trust)?;
            store
                .edges()
                .extend_raw(records.iter().map(|(number, range)| (edge(*number), bytes(range))), Check::Trust)?;
        }
        start = end;
        watcher.progress("storing records", start, stored);
        if cancel.is_cancelled() {
            return Err(BenchError::Interrupted);
        }
    }
    if let Some(load) = load {
        load.finish(&mut |_| ())?;
    }
    Ok(store.sync()?)
}

/// Reads what will be read: everything where it comes from this machine, some where it comes over a network.
fn warm_up(
    store: &PropertyStore,
    options: &OperationOptions,
    remote: bool,
    watcher: &mut dyn Watcher,
    cancel: &Cancel,
) -> Result<(), BenchError> {
    watcher.progress("warming up", 0, 0);
    if remote {
        let mut keys = Numbers::new(options.stored);
        drop(Sample::take(WARM_UP_GETS, cancel, |_| {
            let number = keys.random();
            store.nodes().get_all(number)?;
            store.edges().get_all(edge(number))?;
            Ok(())
        })?);
    } else {
        // Twice, as a block that was read once may be dropped again before one that was read twice.
        for _ in 0..2 {
            store.nodes().count()?;
            store.edges().count()?;
        }
    }
    Ok(())
}

fn measure_kind(
    store: &PropertyStore,
    options: &OperationOptions,
    what: (Operation, Kind, State),
    cancel: &Cancel,
) -> Result<OperationRow, BenchError> {
    match what.1 {
        Kind::Nodes => measure(store.nodes(), |number| number, options, what, cancel),
        Kind::Edges => measure(store.edges(), edge, options, what, cancel),
    }
}

fn measure<K: RecordKey>(
    records: Records<'_, K>,
    key: impl Fn(u64) -> K,
    options: &OperationOptions,
    (operation, kind, state): (Operation, Kind, State),
    cancel: &Cancel,
) -> Result<OperationRow, BenchError> {
    let (singles, batches) = match state {
        State::Cold => (COLD_GETS, COLD_BATCHES),
        State::Warm => (options.calls, (options.calls / 10).max(COLD_BATCHES)),
    };
    let mut numbers = Numbers::new(options.stored);
    let mut encoder = Encoder::default();
    // Keys that no other row wrote: behind all stored ones, each row at a place of its own.
    let mut new = options.stored + NEW_KEYS * (operation as u64 * 4 + kind as u64 * 2 + state as u64);
    let mut written = |bytes: &mut Vec<u8>| {
        bytes.clear();
        encode(&mut encoder, new, bytes);
        new += 1;
        new - 1
    };
    let mut bytes = Vec::new();
    let wrong = |found: u64, expected: u64| {
        let what = format!("records that {} found among {}", operation.name(), kind.name());
        Err(BenchError::Wrong { what, expected, found })
    };
    let (sample, each) = match operation {
        Operation::GetAll => {
            let get = |_| match records.get_all(key(numbers.spread()))? {
                Some(_) => Ok(()),
                None => wrong(0, 1),
            };
            (Sample::take(singles, cancel, get)?, 1)
        }
        Operation::BatchGet => {
            let mut calls: Vec<Vec<K>> = Vec::new();
            for _ in 0..batches.min(KEY_LISTS_MAX) {
                calls.push((0..PAGE_KEYS).map(|_| key(numbers.random())).collect());
            }
            let get = |at: usize| {
                let keys = calls.get(at % calls.len()).map_or(&[][..], Vec::as_slice);
                let found = records.batch_get(keys)?;
                let found = found.iter().filter(|record| record.is_some()).count();
                if found == keys.len() { Ok(()) } else { wrong(found as u64, keys.len() as u64) }
            };
            (Sample::take(batches, cancel, get)?, PAGE_KEYS)
        }
        Operation::InsertRaw => {
            let insert = |_| {
                let number = written(&mut bytes);
                Ok(records.insert_raw(key(number), &bytes, Check::Trust).map(drop)?)
            };
            (Sample::take(if state == State::Cold { PAGE_RECORDS } else { singles }, cancel, insert)?, 1)
        }
        Operation::PutRaw => {
            let put = |_| {
                let number = written(&mut bytes);
                Ok(records.extend_raw([(key(number), &bytes[..])], Check::Trust)?)
            };
            (Sample::take(if state == State::Cold { PAGE_RECORDS } else { singles }, cancel, put)?, 1)
        }
        Operation::ExtendRaw => {
            let mut batch = vec![(0, Vec::new()); PAGE_RECORDS];
            let extend = |_| {
                for (number, bytes) in &mut batch {
                    *number = written(bytes);
                }
                let raw = batch.iter().map(|(number, bytes)| (key(*number), &bytes[..]));
                Ok(records.extend_raw(raw, Check::Trust)?)
            };
            (Sample::take(batches, cancel, extend)?, PAGE_RECORDS)
        }
    };
    let calls = sample.calls();
    let times = sample.times(each as u64);
    Ok(OperationRow { operation, kind, state, calls, records_per_call: each as u64, times })
}

/// Between the first new keys of two rows.
const NEW_KEYS: u64 = 1 << 32;

/// Different lists of keys that a row of batch gets uses in turn: they are made before the clock runs.
const KEY_LISTS_MAX: usize = 100;

/// Numbers of stored records, the same in every run.
struct Numbers {
    below: u64,
    state: u64,
    at: u64,
}

impl Numbers {
    fn new(below: u64) -> Self {
        Self { below: below.max(1), state: 0x9E37_79B9_7F4A_7C15, at: 0 }
    }

    /// Any of them (xorshift).
    fn random(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % self.below
    }

    /// One far from those before it, in no order that a disk would like: multiples of the golden ratio.
    fn spread(&mut self) -> u64 {
        self.at += 1;
        let part = (u128::from(self.at.wrapping_mul(0x9E37_79B9_7F4A_7C15)) * u128::from(self.below)) >> 64;
        u64::try_from(part).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread() {
        let mut numbers = Numbers::new(1000);
        let mut seen: Vec<u64> = (0..100).map(|_| numbers.spread()).collect();
        seen.sort_unstable();
        let widest = seen.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
        let narrowest = seen.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap();
        assert!(widest <= 20 && narrowest >= 3, "{narrowest} to {widest}");
        assert!((0..1000).all(|_| numbers.random() < 1000));
    }
}
