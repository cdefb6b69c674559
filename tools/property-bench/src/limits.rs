//! Every bound of a measurement, with its reason.

use std::time::Duration;

/// Records in one batch of "extend" and "insert", and inserts measured cold: the page's number.
pub const PAGE_RECORDS: usize = 100;

/// Keys in one batch get: the page's number.
pub const PAGE_KEYS: usize = 1000;

/// Time that one row of the table may take: an engine over a network needs milliseconds for each call.
pub const ROW_TIME_MAX: Duration = Duration::from_secs(10);

/// Cold gets measured: each reads a block of its own while they are fewer than the blocks of the store.
pub const COLD_GETS: usize = 200;

/// Cold batches measured (gets of 1000, extends of 100): few, since each makes the next less cold.
pub const COLD_BATCHES: usize = 5;

/// Records in one write while a store is filled without sorted ingest.
pub const FILL_BATCH: usize = 1000;

/// Gets before warm rows of an engine whose cache is not in this process.
pub const WARM_UP_GETS: usize = 2000;

/// Bytes of encoded records that are on their way from the generator to the store.
pub const BYTES_ON_THE_WAY: usize = 16 << 20;

/// Records between two looks at the clock and at the memory while a graph is loaded.
pub const SAMPLE_RECORDS: u64 = 50_000;

/// Records in a piece on its way to sorted ingest.
pub const INGEST_PIECE: usize = 10_000;

/// Bytes that a record is thought to have where it is not known yet.
pub const RECORD_BYTES_GUESS: usize = 100;
