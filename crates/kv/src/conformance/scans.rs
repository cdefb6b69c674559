//! Cases: order, ranges, prefixes.

use super::{COUNTED, Harness, TERMINATED, add, all_keys, drain, get, put};
use crate::{Entry, GoOn, Key, Keys, Partitions, Read, RowRange, TableId, WriteBatch};

fn rows_of(read: &dyn Read, partition: &[u8], start: &[u8], end: Option<&[u8]>) -> Vec<Vec<u8>> {
    let range = RowRange { partition, start, end };
    drain(read.scan(TERMINATED, range).expect("scan"))
        .into_iter()
        .map(|(found, row, _)| {
            assert_eq!(found, partition);
            row
        })
        .collect()
}

/// Rows sort as unsigned bytes, shorter before longer.
pub fn rows_come_in_byte_order(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let rows: [&[u8]; 9] = [b"", b"\0", b"\0\0", b"\0\xFF", b"a", b"a\0", b"\x7F", b"\x80", b"\xFF\xFF\xFF"];
    for row in rows.iter().rev() {
        put(&*engine, TERMINATED, b"p\0", row, b"");
    }
    assert_eq!(rows_of(&*engine, b"p\0", b"", None), rows);
    assert_eq!(rows_of(&*engine.snapshot().expect("snapshot"), b"p\0", b"", None), rows);
}

/// A scan stays in its partition, however alike its neighbours are.
pub fn partitions_do_not_bleed(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let partitions: [&[u8]; 6] = [b"\x01\0", b"p\0", b"pp\0", b"q\0", b"\xFF\0", b"\xFF\xFF\0"];
    for partition in partitions {
        put(&*engine, TERMINATED, partition, b"\0", partition);
        put(&*engine, TERMINATED, partition, b"\xFF\xFF", partition);
    }
    for partition in partitions {
        assert_eq!(rows_of(&*engine, partition, b"", None), [b"\0".to_vec(), b"\xFF\xFF".to_vec()]);
    }
    assert!(rows_of(&*engine, b"o\0", b"", None).is_empty());
    assert!(rows_of(&*engine, b"\xFF\xFF\xFF\0", b"", None).is_empty());

    let full = [&[0xFF][..], &[0xFF; 255]].concat();
    put(&*engine, COUNTED, &full, b"\xFF", b"last of all");
    put(&*engine, COUNTED, &[0], b"\xFF", b"first of all");
    let rows = drain(engine.scan(COUNTED, RowRange::all(&full)).expect("scan"));
    assert_eq!(rows, [(full, vec![0xFF], b"last of all".to_vec())]);
    let rows = drain(engine.scan(COUNTED, RowRange::all(&[0])).expect("scan"));
    assert_eq!(rows, [(vec![0], vec![0xFF], b"first of all".to_vec())]);
}

/// The start is included, the end is not; bounds need not exist; an empty or reversed range is empty.
pub fn row_ranges_have_exact_bounds(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    for row in [b"b", b"d", b"f"] {
        put(&*engine, TERMINATED, b"p\0", row, b"");
    }
    put(&*engine, TERMINATED, b"q\0", b"a", b"");
    let range = |start: &[u8], end: Option<&[u8]>| {
        let rows = rows_of(&*engine, b"p\0", start, end);
        String::from_utf8(rows.concat()).expect("letters")
    };
    assert_eq!(range(b"", None), "bdf");
    assert_eq!(range(b"b", None), "bdf");
    assert_eq!(range(b"b\0", None), "df");
    assert_eq!(range(b"c", Some(b"f")), "d");
    assert_eq!(range(b"", Some(b"f\0")), "bdf");
    assert_eq!(range(b"d", Some(b"d")), "");
    assert_eq!(range(b"f", Some(b"b")), "");
    assert_eq!(range(b"", Some(b"")), "");
    assert_eq!(range(b"g", None), "");
    assert_eq!(range(b"\xFF\xFF", None), "");
}

/// A prefix selects whole partitions; `after` resumes behind a key, wherever it is.
pub fn partition_scans_take_a_prefix_and_resume(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let mut batch = WriteBatch::new();
    for partition in ["a", "ab", "abc", "ac", "b", "\u{7f}"] {
        for row in [&b"1"[..], b"2"] {
            add(&mut batch, TERMINATED, &[partition.as_bytes(), &[0]].concat(), row, partition.as_bytes());
        }
    }
    engine.commit(batch).expect("commit");
    let scan = |prefix: &[u8], after: Option<&[u8]>| -> Vec<Vec<u8>> {
        let after = after.map(|key| Key::new(key, key.len().saturating_sub(1)));
        drain(engine.scan_partitions(TERMINATED, prefix, after).expect("scan"))
            .into_iter()
            .map(|(partition, row, value)| {
                assert_eq!(partition, [&value[..], &[0]].concat());
                [partition, row].concat()
            })
            .collect()
    };
    assert_eq!(scan(b"", None).len(), 12);
    assert_eq!(scan(b"ab", None).len(), 4);
    assert_eq!(scan(b"ab\0", None), [b"ab\x001".to_vec(), b"ab\x002".to_vec()]);
    assert_eq!(scan(b"x", None).len(), 0);
    for prefix in [&b""[..], b"ab"] {
        let all = scan(prefix, None);
        for (index, key) in all.iter().enumerate() {
            assert_eq!(scan(prefix, Some(key)), all[index + 1..], "after {key:?}");
        }
    }
    if engine.capabilities().ordered_partitions {
        assert!(scan(b"", None).is_sorted());
        assert_eq!(scan(b"ab", Some(b"a\x001")).len(), 4, "a key before the prefix");
        assert_eq!(scan(b"ab", Some(b"b\x001")).len(), 0, "a key behind the prefix");
        assert_eq!(scan(b"ab", Some(b"ab\x001gone"))[0], b"ab\x002", "a key that is not there any more");
    }
}

/// Partitions are visited in the order of the list, including absent and repeated ones; a visitor can skip to a later
/// one.
pub fn many_partitions_are_scanned_in_one_call(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    for partition in [&b"a\0"[..], b"aa\0", b"b\0", b"\xFF\0"] {
        for row in [&b""[..], b"1", b"2"] {
            put(&*engine, TERMINATED, partition, row, partition);
        }
    }
    let list: [&[u8]; 7] = [b"b\0", b"a\0", b"none\0", b"\xFF\0", b"\xFF\xFF\0", b"a\0", b"aa\0"];
    let mut partitions = Keys::new();
    for partition in list {
        partitions.push(|b| b.extend_from_slice(partition), |_| ());
    }
    let scan = |read: &dyn Read, go_on: &dyn Fn(usize, &[u8]) -> GoOn| {
        let mut found = Vec::new();
        let visit = &mut |at: usize, entry: Entry<'_>| {
            assert_eq!((entry.key.partition(), entry.value), (list[at], list[at]));
            found.push((at, entry.key.row().to_vec()));
            go_on(at, entry.key.row())
        };
        read.scan_each(Partitions::of(&[(TERMINATED, &partitions)]), visit).expect("scan");
        found
    };
    let rows = |at: usize| [&b""[..], b"1", b"2"].map(|row| (at, row.to_vec()));
    let all = [rows(0), rows(1), rows(3), rows(5), rows(6)].concat();
    assert_eq!(scan(&*engine, &|_, _| GoOn::Next), all);
    assert_eq!(scan(&*engine.snapshot().expect("snapshot"), &|_, _| GoOn::Next), all);
    let skipping = |at: usize, row: &[u8]| match (at, row) {
        (0, b"1") => GoOn::AtPartition(3),
        (3, b"") => GoOn::AtPartition(0),
        (5, _) => GoOn::AtPartition(usize::MAX),
        _ => GoOn::Next,
    };
    let some = [&rows(0)[..2], &rows(3)[..1], &rows(5)[..1]].concat();
    assert_eq!(scan(&*engine, &skipping), some);
}

/// Partitions of several tables come as one list, whose positions a visitor may jump to from any of them.
pub fn many_partitions_of_several_tables_come_in_the_order_asked(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let mut batch = WriteBatch::new();
    for (table, value) in [(TERMINATED, b"t"), (COUNTED, b"c")] {
        for (partition, row) in [(b"\x01a", b"1"), (b"\x01a", b"2"), (b"\x01b", b"1")] {
            let partition = if table == TERMINATED { &[partition[1], 0] } else { partition };
            add(&mut batch, table, partition, row, value);
        }
    }
    engine.commit(batch).expect("commit");
    let keys = |list: &[&[u8]]| {
        let mut keys = Keys::new();
        list.iter().for_each(|partition| keys.push(|b| b.extend_from_slice(partition), |_| ()));
        keys
    };
    let terminated = keys(&[b"a\0", b"none\0", b"b\0"]);
    let counted = keys(&[b"\x01b", b"\x01a"]);
    let lists = [(TERMINATED, &terminated), (COUNTED, &counted), (TERMINATED, &terminated)];
    let scan = |read: &dyn Read, go_on: &dyn Fn(usize) -> GoOn| {
        let mut found = Vec::new();
        let visit = &mut |at: usize, entry: Entry<'_>| {
            found.push(format!("{at}{}{}", entry.value.escape_ascii(), entry.key.row().escape_ascii()));
            go_on(at)
        };
        read.scan_each(Partitions::of(&lists), visit).expect("scan");
        found.join(" ")
    };
    let all = "0t1 0t2 2t1 3c1 4c1 4c2 5t1 5t2 7t1";
    assert_eq!(scan(&*engine, &|_| GoOn::Next), all);
    assert_eq!(scan(&*engine.snapshot().expect("snapshot"), &|_| GoOn::Next), all);
    let over_lists = |at| match at {
        0 => GoOn::AtPartition(4),
        4 => GoOn::AtPartition(7),
        _ => GoOn::Next,
    };
    assert_eq!(scan(&*engine, &over_lists), "0t1 4c1 7t1");
    assert_eq!(scan(&*engine, &|_| GoOn::AtPartition(usize::MAX)), "0t1");
}

/// Few rows in most of very many partitions, hundreds in some, none in others: an engine that reads several at once
/// must not lose what had no room.
pub fn many_partitions_of_all_sizes_are_scanned_as_a_whole(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let sizes: Vec<u16> = (0..700_u16)
        .map(|n| match n {
            n if n % 97 == 0 => 450,
            100..=140 => 30,
            n => n % 4,
        })
        .collect();
    let mut partitions = Keys::new();
    for (n, size) in (0_u16..).zip(&sizes) {
        let partition = [&[2][..], &n.to_be_bytes()].concat();
        partitions.push(|bytes| bytes.extend_from_slice(&partition), |_| ());
        let mut batch = WriteBatch::new();
        for row in 0..*size {
            add(&mut batch, COUNTED, &partition, &row.to_be_bytes(), &n.to_be_bytes());
        }
        engine.commit(batch).expect("commit");
    }
    let scan = |rows_max: u16| {
        let mut found = vec![0_u16; sizes.len()];
        let visit = &mut |at: usize, entry: Entry<'_>| {
            let count = &mut found[at];
            assert_eq!(entry.key.row(), count.to_be_bytes(), "of partition {at}");
            *count += 1;
            if *count < rows_max { GoOn::Next } else { GoOn::AtPartition(at + 1) }
        };
        engine.scan_each(Partitions::of(&[(COUNTED, &partitions)]), visit).expect("scan");
        found
    };
    assert_eq!(scan(u16::MAX), sizes);
    assert_eq!(scan(120), sizes.iter().map(|size| *size.min(&120)).collect::<Vec<_>>());
}

/// Thousands of rows, over many partitions, deleted ones in between.
pub fn scans_of_many_rows_are_complete(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    for block in 0..20_u8 {
        let mut batch = WriteBatch::new();
        for n in 0..250_u16 {
            add(&mut batch, COUNTED, &[1, block], &n.to_be_bytes(), &[block]);
            if n % 5 == 0 {
                batch.delete_key(COUNTED, Key::new(&[&[1, block][..], &n.to_be_bytes()].concat(), 2));
            }
        }
        engine.commit(batch).expect("commit");
    }
    assert_eq!(all_keys(&*engine, COUNTED).len(), 4_000);
    for block in 0..20_u8 {
        let rows = drain(engine.scan(COUNTED, RowRange::all(&[1, block])).expect("scan"));
        assert_eq!(rows.len(), 200);
        assert!(rows.iter().all(|(_, _, value)| value == &[block]));
    }
    let mut cursor = engine.scan(COUNTED, RowRange::all(&[1, 3])).expect("scan");
    assert_eq!(cursor.next().expect("next").map(|entry| entry.key.row().to_vec()), Some(vec![0, 1]));
}

/// What begins with the prefix goes, its neighbours stay.
pub fn delete_prefix_is_exact(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let partitions: [&[u8]; 7] = [b"aa\0", b"ab\0", b"ab\x01\0", b"ab\xFF\0", b"abc\0", b"ac\0", b"b\0"];
    for partition in partitions {
        put(&*engine, TERMINATED, partition, b"", b"");
        put(&*engine, TERMINATED, partition, b"\xFF\xFF", b"");
    }
    engine.delete_prefix(TERMINATED, b"zzz").expect("nothing to delete is fine");
    engine.delete_prefix(TERMINATED, b"ab\0").expect("delete");
    assert_eq!(all_keys(&*engine, TERMINATED).len(), 12, "one whole partition");
    engine.delete_prefix(TERMINATED, b"ab").expect("delete");
    engine.delete_prefix(TERMINATED, b"ab").expect("again is fine");
    let left: [&[u8]; 6] = [b"aa\0", b"aa\0\xFF\xFF", b"ac\0", b"ac\0\xFF\xFF", b"b\0", b"b\0\xFF\xFF"];
    assert_eq!(all_keys(&*engine, TERMINATED), left);
    assert!(engine.delete_prefix(TERMINATED, b"").is_err(), "an empty prefix is refused");
    assert_eq!(all_keys(&*engine, TERMINATED), left);
}

/// Giving back room does not change what is read, whatever the prefix covers and whatever was deleted there.
pub fn compacting_changes_nothing(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    let value = vec![7; 1000];
    for partition in [b"aa\0", b"ab\0", b"ac\0"] {
        for row in 0..200u8 {
            put(&*engine, TERMINATED, partition, &[row], &value);
            put(&*engine, COUNTED, &[1, row], partition, &value);
        }
    }
    engine.delete_prefix(TERMINATED, b"ab").expect("delete");
    put(&*engine, TERMINATED, b"aa\0", &[3], b"new");
    let before = [TERMINATED, COUNTED].map(|table| all_keys(&*engine, table));
    let snapshot = engine.snapshot().expect("snapshot");
    for prefix in [&b"a"[..], b"ab", b"aa\0", b"zz", b"\xFF", b""] {
        engine.compact(TERMINATED, prefix).expect("compact");
        engine.compact(COUNTED, prefix).expect("compact");
        assert_eq!([TERMINATED, COUNTED].map(|table| all_keys(&*engine, table)), before, "{prefix:?}");
    }
    if engine.capabilities().snapshot_reads {
        assert_eq!([TERMINATED, COUNTED].map(|table| all_keys(&*snapshot, table)), before, "a snapshot stays as it is");
    }
    assert_eq!(get(&*engine, TERMINATED, b"aa\0", &[3]).as_deref(), Some(&b"new"[..]));
    assert_eq!(get(&*engine, TERMINATED, b"ab\0", &[3]), None);
    assert!(engine.compact(TableId(9), b"a").is_err(), "an unknown table is refused");
}

/// A prefix of 0xFF bytes only has no successor.
pub fn delete_prefix_up_to_the_last_byte(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    for partition in [&b"\xFE\xFF\0"[..], b"\xFF\0", b"\xFF\xFE\0", b"\xFF\xFF\0", b"\xFF\xFF\xFF\xFF\0"] {
        put(&*engine, TERMINATED, partition, b"\xFF\xFF\xFF", b"");
    }
    engine.delete_prefix(TERMINATED, b"\xFF\xFF").expect("delete");
    let left: [&[u8]; 3] = [b"\xFE\xFF\0\xFF\xFF\xFF", b"\xFF\0\xFF\xFF\xFF", b"\xFF\xFE\0\xFF\xFF\xFF"];
    assert_eq!(all_keys(&*engine, TERMINATED), left);
    engine.delete_prefix(TERMINATED, b"\xFF").expect("delete");
    assert_eq!(all_keys(&*engine, TERMINATED).len(), 1);
    engine.delete_prefix(TERMINATED, b"\xFF").expect("nothing left to delete is fine");
}

/// A deleted prefix can be written again at once.
pub fn writing_after_delete_prefix(harness: &mut dyn Harness) {
    let engine = harness.fresh();
    put(&*engine, TERMINATED, b"p\0", b"1", b"old");
    put(&*engine, TERMINATED, b"p\0", b"2", b"old");
    engine.delete_prefix(TERMINATED, b"p").expect("delete");
    put(&*engine, TERMINATED, b"p\0", b"1", b"new");
    assert_eq!(get(&*engine, TERMINATED, b"p\0", b"1"), Some(b"new".to_vec()));
    assert_eq!(get(&*engine, TERMINATED, b"p\0", b"2"), None);
    assert_eq!(rows_of(&*engine, b"p\0", b"", None), [b"1"]);
}

/// Runs follow each other, begin at the prefix and hold each row once.
pub fn runs_hold_every_row_once(harness: &mut dyn Harness) {
    let mut engine = harness.fresh();
    let mut batch = WriteBatch::new();
    for block in 0..40_u8 {
        for n in 0..50_u16 {
            add(&mut batch, COUNTED, &[2, block % 4, block], &n.to_be_bytes(), &[block; 64]);
        }
    }
    engine.commit(batch).expect("commit");
    if engine.capabilities().persistent {
        drop(engine);
        engine = harness.reopen();
    }
    for (prefix, count) in [(&[][..], 2_000), (&[2, 1], 500), (&[2, 3, 7], 50), (&[9], 0)] {
        for target in [0, 1_000, 10_000, u64::MAX] {
            let runs = engine.split(COUNTED, prefix, target).expect("split");
            assert_eq!(runs.first().map(|run| &*run.start), Some(prefix));
            assert!(runs.is_sorted_by(|a, b| a.start < b.start), "{runs:?}");
            assert!(target < u64::MAX || runs.len() == 1, "{runs:?}");
            let mut seen = 0;
            for (at, run) in runs.iter().enumerate() {
                // Only a key that was read may be gone on after where partitions have no order; there is one run then.
                let after = (at > 0).then(|| Key::new(&run.start, 0));
                let rows = drain(engine.scan_partitions(COUNTED, prefix, after).expect("scan"));
                let end = runs.get(at + 1).map(|next| &next.start);
                let is_inside =
                    |(p, r, _): &&(Vec<u8>, Vec<u8>, Vec<u8>)| end.is_none_or(|end| [&p[..], r].concat() <= *end);
                seen += rows.iter().filter(is_inside).count();
            }
            assert_eq!(seen, count, "runs of {target} bytes of {prefix:?}");
        }
    }
}
