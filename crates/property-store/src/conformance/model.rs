//! Case: whatever is done, the store is a map.

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use super::{Harness, open};
use crate::{Record, RecordKey, Records};

#[derive(Clone, Debug)]
enum Step {
    Insert(u64, u8),
    Merge(u64, u8),
    Remove(u64),
    Extend(Vec<(u64, u8)>),
    BatchGet(Vec<u64>),
}

/// Ids of a test lie below this, so that several fit in one store.
const IDS: u64 = 1024;

fn step() -> impl Strategy<Value = Step> {
    let id = prop_oneof![0u64..6, 250u64..262];
    prop_oneof![
        (id.clone(), any::<u8>()).prop_map(|(id, value)| Step::Insert(id, value)),
        (id.clone(), any::<u8>()).prop_map(|(id, value)| Step::Merge(id, value)),
        id.clone().prop_map(Step::Remove),
        prop::collection::vec((id.clone(), any::<u8>()), 0..6).prop_map(Step::Extend),
        prop::collection::vec(id, 0..6).prop_map(Step::BatchGet),
    ]
}

fn small(value: u8) -> Record {
    Record::from_iter([(format!("f{}", value % 4), Value::from(value))])
}

/// Random operations on nodes and on edges, compared with a map.
pub fn the_store_is_a_map(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let capabilities = engine.capabilities();
    let store = open(engine);
    let cases = if capabilities.remote { 8 } else { 128 };
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    // Every test has ids of its own, so that nobody must empty the store.
    let base = Cell::new(0);
    let steps = (prop::collection::vec(step(), 0..40), 0u64..262, 0u64..262);
    let outcome = runner.run(&steps, |(steps, from, to)| {
        let start = base.replace(base.get() + IDS);
        let bounds = capabilities.ordered_partitions.then_some((from, to));
        check(store.nodes(), &|id| start + id, &steps, bounds)?;
        check(store.edges(), &|id| (start + id / 8, id % 8), &steps, bounds)
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

fn check<K: RecordKey>(
    records: Records<'_, K>,
    key: &dyn Fn(u64) -> K,
    steps: &[Step],
    bounds: Option<(u64, u64)>,
) -> Result<(), TestCaseError> {
    let mut model: BTreeMap<K, Record> = BTreeMap::new();
    for step in steps {
        match step {
            Step::Insert(id, value) => {
                let old = records.insert(key(*id), &small(*value)).unwrap();
                prop_assert_eq!(old, model.insert(key(*id), small(*value)));
            }
            Step::Merge(id, value) => {
                model.entry(key(*id)).or_default().extend(small(*value));
                prop_assert_eq!(&records.merge(key(*id), &small(*value)).unwrap(), &model[&key(*id)]);
            }
            Step::Remove(id) => prop_assert_eq!(records.remove(key(*id)).unwrap(), model.remove(&key(*id))),
            Step::Extend(batch) => {
                let batch: Vec<(K, Record)> = batch.iter().map(|(id, value)| (key(*id), small(*value))).collect();
                records.extend(batch.iter().map(|(key, record)| (*key, record))).unwrap();
                model.extend(batch);
            }
            Step::BatchGet(ids) => {
                let keys: Vec<K> = ids.iter().map(|id| key(*id)).collect();
                let expected: Vec<Option<Record>> = keys.iter().map(|key| model.get(key).cloned()).collect();
                prop_assert_eq!(records.batch_get(&keys).unwrap(), expected);
            }
        }
    }
    let (first, end) = (key(0), key(IDS));
    let Some((from, to)) = bounds else {
        let mut stored: Vec<(K, Record)> = records.scan(..).unwrap().map(Result::unwrap).collect();
        stored.retain(|(key, _)| (first..end).contains(key));
        stored.sort_unstable_by_key(|(key, _)| *key);
        prop_assert_eq!(stored, model.into_iter().collect::<Vec<_>>());
        return Ok(());
    };
    let stored: Vec<(K, Record)> = records.scan(first..end).unwrap().map(Result::unwrap).collect();
    prop_assert_eq!(stored, model.clone().into_iter().collect::<Vec<_>>());
    let (from, to) = (key(from), key(to));
    let part: Vec<K> = records.scan(from..to).unwrap().map(|found| found.unwrap().0).collect();
    let expected: Vec<K> = if from < to { model.range(from..to).map(|(key, _)| *key).collect() } else { Vec::new() };
    prop_assert_eq!(part, expected);
    Ok(())
}
