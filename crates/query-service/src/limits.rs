//! The bounds of this layer.

use std::time::Duration;

/// Results that are handed on at one time unless a client asks for fewer: enough that a call costs little for each, few
/// enough that the first are seen early.
pub const ROWS_PER_BATCH: usize = 256;

/// Items of a list that a script keeps in a variable or asks of `toList()`: a script that needs more holds the memory
/// of many requests. As many as the elements one query of HugeGraph may read.
pub const LIST_ITEMS_MAX: usize = 800_000;

/// Variables of a session or a script: those people write by hand are a few.
pub const VARIABLES_MAX: usize = 1_000;

/// Sessions at one time unless the settings say otherwise. Each has a thread, which costs some 30 KiB while it waits.
pub const SESSIONS_MAX: usize = 256;

/// Requests of one session that wait for the one before: a driver sends one after the other.
pub const SESSION_REQUESTS_MAX: usize = 16;

/// How long a session may be idle unless the settings say otherwise; its unit is dropped then.
pub const SESSION_IDLE: Duration = Duration::from_secs(600);

/// Bytes of one row of `LOAD CSV` unless the settings say otherwise.
pub const CSV_ROW_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Bytes of a query's text that are kept while it runs, for people to recognize it.
pub const TEXT_BYTES_KEPT: usize = 4_096;

/// Queries that were slow of late, kept for people to look at: some 10 KiB each at the most.
pub const SLOW_QUERIES_KEPT: usize = 100;

/// Bytes of a plan that are kept of such a query.
pub const PLAN_BYTES_KEPT: usize = 4_096;
