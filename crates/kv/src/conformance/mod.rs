//! The suite every engine runs: what callers rely on, as tests.
//!
//! An engine's tests implement [`Harness`] and say `kv::conformance_suite!(harness);` once; every case becomes a test
//! of its own. Cases consult [`crate::Capabilities`] and check only what the engine promises. A new promise in the
//! documentation of [`crate::Engine`] needs a case here.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a test suite fails by panicking; which of these occur depends on how clippy was asked"
)]

pub mod concurrency;
pub mod ingest;
pub mod model;
pub mod points;
pub mod scans;
use crate::{Cursor, Engine, Key, Read, TableId, TableSpec, WriteBatch};

/// Ranged, partitions end with a zero byte.
pub const TERMINATED: TableId = TableId(0);
/// Ranged, partitions begin with their length in one byte.
pub const COUNTED: TableId = TableId(1);
/// Single rows: all of a key is partition.
pub const POINTS: TableId = TableId(2);

/// The tables the suite opens engines with.
pub static TABLES: &[TableSpec] = &[
    TableSpec {
        name: "terminated",
        partition_len: |key| Some(key.iter().position(|b| *b == 0)? + 1),
        ranged: true,
        reread: true,
    },
    TableSpec {
        name: "counted",
        partition_len: |key| Some(usize::from(*key.first()?) + 1).filter(|len| *len <= key.len()),
        ranged: true,
        reread: true,
    },
    TableSpec { name: "points", partition_len: |key| Some(key.len()), ranged: false, reread: true },
];

/// How the suite gets at an engine.
pub trait Harness {
    /// An empty engine with [`TABLES`]. The one from before, if any, has been dropped.
    fn fresh(&mut self) -> Box<dyn Engine>;

    /// The engine again with the content the last one had when it was dropped. Only called for persistent engines.
    fn reopen(&mut self) -> Box<dyn Engine> {
        self.fresh()
    }
}

/// A case: a test of an engine.
pub type Case = fn(&mut dyn Harness);

macro_rules! cases {
    ($dollar:tt $($module:ident: $($name:ident)*;)*) => {
        /// All cases with their names, for engines whose tests are not plain functions.
        #[must_use]
        pub fn cases() -> &'static [(&'static str, Case)] {
            &[$($((stringify!($name), $module::$name as Case),)*)*]
        }

        /// Makes one `#[test]` of every case; the argument is an expression that makes a
        /// [`Harness`](crate::conformance::Harness), followed by attributes of the tests, if any (`; #[ignore = "needs
        /// a server"]`).
        #[macro_export]
        macro_rules! conformance_suite {
            ($dollar harness:expr $dollar(; #[$dollar attribute:meta])*) => {
                $($(
                    #[test]
                    $dollar(#[$dollar attribute])*
                    fn $name() {
                        $crate::conformance::$module::$name(&mut $dollar harness);
                    }
                )*)*
            };
        }
    };
}

cases! { $
    points: put_get_overwrite_delete last_write_of_a_batch_wins empty_values_and_empty_rows tables_are_apart
        multi_get_keeps_order multi_get_of_many_keys large_values limits_are_enforced an_empty_batch_is_written
        unknown_tables_are_refused rows_read_before_are_read_as_they_are_now reopening_keeps_everything
        statistics_say_something;
    scans: rows_come_in_byte_order partitions_do_not_bleed row_ranges_have_exact_bounds
        partition_scans_take_a_prefix_and_resume many_partitions_are_scanned_in_one_call
        many_partitions_of_several_tables_come_in_the_order_asked
        many_partitions_of_all_sizes_are_scanned_as_a_whole
        scans_of_many_rows_are_complete delete_prefix_is_exact runs_hold_every_row_once
        delete_prefix_up_to_the_last_byte writing_after_delete_prefix compacting_changes_nothing;
    concurrency: snapshots_do_not_move scans_do_not_see_later_writes batches_are_seen_whole
        concurrent_writers_lose_nothing later_submissions_win guards_are_held_until_the_write
        swaps_compare_first concurrent_swaps_all_count reads_of_a_row_never_go_back;
    ingest: sorted_rows_are_read_like_written_ones ingested_rows_replace_and_are_replaced rows_of_several_writers_join
        what_is_not_sorted_is_refused rows_are_seen_only_after_the_ingest ingested_rows_survive_a_restart
        ingest_is_seen_whole;
    model: random_operations_match_a_map;
}

// After the macro that its tests use.
mod scattered;

pub use scattered::ScatteredEngine;

fn put(engine: &dyn Engine, table: TableId, partition: &[u8], row: &[u8], value: &[u8]) {
    let mut batch = WriteBatch::new();
    add(&mut batch, table, partition, row, value);
    engine.commit(batch).expect("commit");
}

fn add(batch: &mut WriteBatch, table: TableId, partition: &[u8], row: &[u8], value: &[u8]) {
    batch.put(table, |b| b.extend_from_slice(partition), |b| b.extend_from_slice(row), |b| b.extend_from_slice(value));
}

fn get(read: &dyn Read, table: TableId, partition: &[u8], row: &[u8]) -> Option<Vec<u8>> {
    let bytes = [partition, row].concat();
    let mut value = None;
    let found =
        read.get(table, Key::new(&bytes, partition.len()), &mut |found| value = Some(found.to_vec())).expect("get");
    assert_eq!(found, value.is_some(), "get says whether it called back");
    value
}

/// Everything a cursor yields: partition, row, value.
fn drain(mut cursor: Box<dyn Cursor + '_>) -> Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    while let Some(entry) = cursor.next().expect("cursor") {
        rows.push((entry.key.partition().to_vec(), entry.key.row().to_vec(), entry.value.to_vec()));
    }
    assert!(cursor.next().expect("cursor").is_none(), "a cursor at its end stays there");
    rows
}

/// The keys of everything in a table, partition and row together, sorted.
fn all_keys(read: &dyn Read, table: TableId) -> Vec<Vec<u8>> {
    let rows = drain(read.scan_partitions(table, b"", None).expect("scan"));
    let mut keys: Vec<Vec<u8>> = rows.into_iter().map(|(partition, row, _)| [partition, row].concat()).collect();
    keys.sort();
    keys
}
