//! Does an overlay read like an engine to which its rows were written?

use proptest::prelude::*;

use super::*;
use crate::conformance::ScatteredEngine;
use crate::{Engine, MemoryEngine, Partitions, TableSpec};

static TABLES: &[TableSpec] =
    &[TableSpec { name: "t", partition_len: |key| (key.len() >= 2).then_some(2), ranged: true, reread: false }];
const T: TableId = TableId(0);

/// A write: partition, row, value or deletion.
type Step = (u8, Vec<u8>, Option<u8>);
/// A row: its key and its value.
type Row = (Vec<u8>, Vec<u8>);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let row = prop::collection::vec(prop::sample::select(vec![0, 1, 255]), 0..3);
    prop::collection::vec((0u8..6, row, prop::option::weighted(0.7, any::<u8>())), 0..24)
}

fn partition(number: u8) -> [u8; 2] {
    [number % 2, number / 2]
}

fn batch(steps: &[Step]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for (number, row, value) in steps {
        let key = [&partition(*number), &**row].concat();
        match value {
            Some(value) => batch.put_key(T, Key::new(&key, 2), &[*value]),
            None => batch.delete_key(T, Key::new(&key, 2)),
        }
    }
    batch
}

fn all(mut cursor: Box<dyn Cursor + '_>) -> Vec<Row> {
    let mut rows = Vec::new();
    while let Some(entry) = cursor.next().unwrap() {
        assert_eq!(entry.key.partition().len(), 2);
        rows.push((entry.key.as_bytes().to_vec(), entry.value.to_vec()));
    }
    assert!(cursor.next().unwrap().is_none(), "it stays at its end");
    rows
}

fn check(base: &dyn Engine, stored: &[Step], written: &[Step], keys: &[Step]) {
    base.commit(batch(stored)).unwrap();
    let after = MemoryEngine::open(TABLES);
    after.commit(batch(stored)).unwrap();
    after.commit(batch(written)).unwrap();
    let mut rows = UnitRows::default();
    rows.write(&batch(written));
    let entries = rows.tables.values().flatten();
    assert_eq!(rows.bytes(), entries.map(|row| row.bytes.len()).sum::<usize>());
    assert_eq!(rows.rows(), rows.tables.values().map(BTreeSet::len).sum::<usize>());
    let overlay = Overlay::new(base, &rows);
    for number in 0..6 {
        let partition = partition(number);
        for (start, end) in [(&[][..], None), (&[0], Some(&[1][..])), (&[1], None), (&[1], Some(&[0]))] {
            let range = RowRange { partition: &partition, start, end };
            assert_eq!(all(overlay.scan(T, range).unwrap()), all(after.scan(T, range).unwrap()), "{range:?}");
        }
    }
    for prefix in [&[][..], &[0], &[1, 1]] {
        let everything = all(overlay.scan_partitions(T, prefix, None).unwrap());
        let mut sorted = everything.clone();
        sorted.sort();
        assert_eq!(sorted, all(after.scan_partitions(T, prefix, None).unwrap()));
        for at in 0..everything.len() {
            let last = Key::new(&everything[at].0, 2);
            assert_eq!(all(overlay.scan_partitions(T, prefix, Some(last)).unwrap()), everything[at + 1..]);
        }
    }
    let mut asked = Keys::new();
    for (number, row, _) in keys {
        asked.push(|b| b.extend_from_slice(&partition(*number)), |b| b.extend_from_slice(row));
    }
    let many = |read: &dyn Read| {
        let mut found = Vec::new();
        read.multi_get(T, &asked, &mut |at, value| found.push((at, value.map(<[u8]>::to_vec)))).unwrap();
        found
    };
    assert_eq!(many(&overlay), many(&after));
    for key in asked.iter() {
        let one = |read: &dyn Read| {
            let mut value = None;
            let found = read.get(T, key, &mut |bytes| value = Some(bytes.to_vec())).unwrap();
            assert_eq!(found, value.is_some());
            value
        };
        assert_eq!(one(&overlay), one(&after));
    }
    let mut partitions = Keys::new();
    (0..6).for_each(|number| partitions.push(|b| b.extend_from_slice(&partition(number)), |_| ()));
    // All rows of the first two partitions, the first row of the next ones, and nothing of the last.
    let each = |read: &dyn Read| {
        let mut found = Vec::new();
        let visit = &mut |at, entry: Entry<'_>| {
            found.push((at, entry.key.as_bytes().to_vec(), entry.value.to_vec()));
            match at {
                0 | 1 => GoOn::Next,
                4 => GoOn::AtPartition(usize::MAX),
                _ => GoOn::AtPartition(at + 1),
            }
        };
        read.scan_each(Partitions::of(&[(T, &partitions)]), visit).unwrap();
        found
    };
    assert_eq!(each(&overlay), each(&after));
}

proptest! {
    #[test]
    fn it_reads_like_an_engine_after_the_writes(stored in steps(), written in steps(), keys in steps()) {
        check(&MemoryEngine::open(TABLES), &stored, &written, &keys);
        check(&ScatteredEngine::open(TABLES), &stored, &written, &keys);
    }
}
