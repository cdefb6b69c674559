//! Limits that are not settings, each with its reason.

use std::time::Duration;

/// Plans of queries that are kept: programs send the same few texts, with parameters.
pub(crate) const PLANS_MAX: usize = 1_000;

/// The longest text whose plan is kept: longer ones are made by programs, and do not come again.
pub(crate) const PLAN_TEXT_BYTES_MAX: usize = 16 * 1024;

/// Rows that are computed at once.
pub(crate) const ROWS_PER_BATCH: usize = 256;

/// Bytes of a plan in the log of slow queries from which on no further operator is written.
pub(crate) const PLAN_LINE_BYTES_MAX: usize = 2_000;

/// How long a task may take: nobody waits for it, and it can be cancelled.
pub(crate) const JOB_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// Bytes of a result that is kept with its task: as many as an answer may have unless the settings say otherwise.
pub(crate) const JOB_RESULT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How often a running task looks whether it is to stop.
pub(crate) const JOB_LOOK: Duration = Duration::from_millis(200);

/// Graphs whose figures, and plans by them, are kept.
pub(crate) const PLANNED_GRAPHS_MAX: usize = 32;

/// Plans by the figures of one graph that are kept.
pub(crate) const GRAPH_PLANS_MAX: usize = 250;
