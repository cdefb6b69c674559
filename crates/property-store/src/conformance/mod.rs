//! What the store promises, as tests for every engine.
//!
//! An engine's tests implement [`Harness`] and say `property_store::conformance_suite!(harness);` once; every case
//! becomes a test of its own. Cases ask [`kv::Capabilities`] and check only what the engine can.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a test suite fails by panicking; which of these occur depends on how clippy was asked"
)]

pub mod bulk;
pub mod model;
pub mod operations;

use std::sync::Arc;

use kv::Engine;
use serde_json::{Value, json};

use crate::{PropertyStore, Record, RecordKey, Records, StoreOptions};

/// How the suite gets at an engine that was opened with [`crate::TABLES`].
pub trait Harness {
    /// An empty engine. The one from before, if any, has been dropped.
    fn fresh(&mut self) -> Arc<dyn Engine>;

    /// The engine again with the content the last one had when it was dropped. Only called for persistent engines.
    fn reopen(&mut self) -> Arc<dyn Engine> {
        self.fresh()
    }
}

/// A case: a test of the store on an engine.
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
    operations: insert_returns_what_it_replaced some_fields_of_a_record merge_adds_and_overwrites
        the_later_of_two_in_a_batch_wins_and_raw_is_the_same_bytes what_is_no_record_is_refused_and_nothing_is_written
        scans_see_every_record_once scans_are_in_numeric_order many_keys_in_one_call an_undirected_edge_has_one_record
        reading_only opening_again_keeps_everything another_format_is_refused no_merge_is_lost_among_threads;
    bulk: loaded_records_are_read_like_written_ones the_last_of_many_runs_wins what_is_no_record_is_not_loaded
        a_dropped_load_stores_nothing loads_of_undirected_edges who_cannot_load_says_so;
    model: the_store_is_a_map;
}

fn open(engine: Arc<dyn Engine>) -> PropertyStore {
    PropertyStore::open(engine, StoreOptions::default()).expect("open")
}

#[expect(clippy::needless_pass_by_value, reason = "so that tests read `fields(json!(..))`")]
fn fields(value: Value) -> Record {
    value.as_object().expect("an object").clone()
}

fn one(number: u64) -> Record {
    fields(json!({ "i": number }))
}

fn keys<K: RecordKey>(records: Records<'_, K>, range: impl std::ops::RangeBounds<K>) -> Vec<K> {
    records.scan(range).expect("scan").map(|found| found.expect("a record").0).collect()
}

/// All keys, sorted: for engines without an order.
fn all_keys<K: RecordKey>(records: Records<'_, K>) -> Vec<K> {
    let mut keys = keys(records, ..);
    keys.sort_unstable();
    keys
}
