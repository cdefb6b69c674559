//! Cases: random operations against a map of the standard library.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::{Harness, TERMINATED, add, drain, get};
use crate::{Key, Keys, RowRange, TableId, WriteBatch};

/// Runs of operations tried.
const RUNS: u32 = 40;

/// Partition, row, and the value to put, or `None` to delete.
type Write = (Vec<u8>, Vec<u8>, Option<Vec<u8>>);

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<Write>),
    DeletePrefix(Vec<u8>),
    Scan { partition: Vec<u8>, start: Vec<u8>, end: Option<Vec<u8>> },
    ScanPartitions { prefix: Vec<u8>, after: Option<(Vec<u8>, Vec<u8>)> },
    MultiGet(Vec<(Vec<u8>, Vec<u8>)>),
    Get(Vec<(Vec<u8>, Vec<u8>)>),
    Reopen,
}

/// Few different bytes, the extremes among them, so that keys collide and neighbour each other.
fn bytes(alphabet: &'static [u8], len: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(proptest::sample::select(alphabet), len)
}

fn partition_prefix() -> impl Strategy<Value = Vec<u8>> {
    bytes(&[1, b'a', 0xFF], 0..3)
}

fn partition() -> impl Strategy<Value = Vec<u8>> {
    partition_prefix().prop_map(|mut bytes| {
        bytes.push(0);
        bytes
    })
}

fn row() -> impl Strategy<Value = Vec<u8>> {
    bytes(&[0, b'a', 0xFF], 0..3)
}

fn step() -> impl Strategy<Value = Step> {
    let write = (partition(), row(), proptest::option::weighted(0.7, bytes(&[0, 1, 2], 0..4)));
    let end = proptest::option::of(row());
    let after = proptest::option::of((partition(), row()));
    prop_oneof![
        6 => proptest::collection::vec(write, 1..8).prop_map(Step::Commit),
        1 => prop_oneof![partition(), partition_prefix()]
            .prop_filter("not empty", |prefix| !prefix.is_empty())
            .prop_map(Step::DeletePrefix),
        3 => (partition(), row(), end).prop_map(|(partition, start, end)| Step::Scan { partition, start, end }),
        3 => (partition_prefix(), after).prop_map(|(prefix, after)| Step::ScanPartitions { prefix, after }),
        2 => proptest::collection::vec((partition(), row()), 0..6).prop_map(Step::MultiGet),
        4 => proptest::collection::vec((partition(), row()), 0..6).prop_map(Step::Get),
        1 => Just(Step::Reopen),
    ]
}

/// (partition, row) to value: because partitions delimit themselves, this order is the order of the whole keys.
type Model = BTreeMap<(Vec<u8>, Vec<u8>), Vec<u8>>;
type Rows = Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>;

fn rows_where(model: &Model, keep: impl Fn(&[u8], &[u8]) -> bool) -> Rows {
    model
        .iter()
        .filter(|((partition, row), _)| keep(partition, row))
        .map(|((partition, row), value)| (partition.clone(), row.clone(), value.clone()))
        .collect()
}

/// Whatever is done, in whatever order, the engine answers like an ordered map.
pub fn random_operations_match_a_map(harness: &mut dyn Harness) {
    const TABLE: TableId = TERMINATED;
    let config = Config { cases: RUNS, failure_persistence: None, ..Config::default() };
    let harness = std::cell::RefCell::new(harness);
    let outcome = TestRunner::new(config).run(&proptest::collection::vec(step(), 1..40), |steps| {
        run(&mut **harness.borrow_mut(), TABLE, steps);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn run(harness: &mut dyn Harness, table: TableId, steps: Vec<Step>) {
    let mut engine = harness.fresh();
    let capabilities = engine.capabilities();
    let mut model = Model::new();
    for step in steps {
        match step {
            Step::Commit(writes) => {
                let mut batch = WriteBatch::new();
                for (partition, row, value) in writes {
                    if let Some(value) = value {
                        add(&mut batch, table, &partition, &row, &value);
                        model.insert((partition, row), value);
                    } else {
                        batch.delete_key(table, Key::new(&[&partition[..], &row].concat(), partition.len()));
                        model.remove(&(partition, row));
                    }
                }
                engine.commit(batch).expect("commit");
            }
            Step::DeletePrefix(prefix) => {
                engine.delete_prefix(table, &prefix).expect("delete_prefix");
                model.retain(|(partition, _), _| !partition.starts_with(&prefix));
            }
            Step::Scan { partition, start, end } => {
                let range = RowRange { partition: &partition, start: &start, end: end.as_deref() };
                let expected = rows_where(&model, |found, row| {
                    found == partition && row >= &start[..] && end.as_ref().is_none_or(|end| row < &end[..])
                });
                assert_eq!(drain(engine.scan(table, range).expect("scan")), expected);
            }
            Step::ScanPartitions { prefix, after } if capabilities.ordered_partitions => {
                let bytes = after.as_ref().map(|(partition, row)| [&partition[..], row].concat());
                let key =
                    after.as_ref().zip(bytes.as_ref()).map(|((partition, _), key)| Key::new(key, partition.len()));
                let expected = rows_where(&model, |partition, row| {
                    let later = after.as_ref().is_none_or(|(p, r)| (partition, row) > (&p[..], &r[..]));
                    partition.starts_with(&prefix) && later
                });
                assert_eq!(drain(engine.scan_partitions(table, &prefix, key).expect("scan")), expected);
            }
            Step::Get(rows) => {
                for (partition, row) in rows {
                    assert_eq!(get(&*engine, table, &partition, &row).as_ref(), model.get(&(partition, row)));
                }
            }
            Step::MultiGet(asked) => {
                let mut keys = Keys::new();
                for (partition, row) in &asked {
                    keys.push(|b| b.extend_from_slice(partition), |b| b.extend_from_slice(row));
                }
                let mut answers = Vec::new();
                engine
                    .multi_get(table, &keys, &mut |_, value| answers.push(value.map(<[u8]>::to_vec)))
                    .expect("multi_get");
                let expected: Vec<Option<Vec<u8>>> = asked.iter().map(|key| model.get(key).cloned()).collect();
                assert_eq!(answers, expected);
            }
            Step::Reopen if capabilities.persistent => {
                drop(engine);
                engine = harness.reopen();
            }
            Step::ScanPartitions { .. } | Step::Reopen => {}
        }
    }
    let mut rows = drain(engine.scan_partitions(table, b"", None).expect("scan"));
    rows.sort();
    assert_eq!(rows, rows_where(&model, |_, _| true));
    for ((partition, row), value) in &model {
        assert_eq!(get(&*engine, table, partition, row).as_ref(), Some(value));
    }
}
