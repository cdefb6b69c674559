//! Limits of a store and its jobs, each with its reason.

use std::time::Duration;

/// How long a step that needs all servers to have seen a change waits for one that is alive and has not: longer than
/// any of its requests may take (`server.request_timeout_ms` is 30 s unless set otherwise).
pub const SERVERS_WAIT_MAX: Duration = Duration::from_secs(60);

/// Shortest and longest pause between two looks at what another server does: a fraction of a round, and not all the
/// time.
pub const POLL_PAUSE_MIN: Duration = Duration::from_millis(5);

/// See [`POLL_PAUSE_MIN`].
pub const POLL_PAUSE_MAX: Duration = Duration::from_millis(100);

/// How long a writer waits for stripes that writers of other servers have, and for others to know its server: longer
/// than a server that died is taken to be alive by default.
pub const STRIPES_WAIT_MAX: Duration = Duration::from_secs(10);

/// How long a server keeps stripes after its last writer, should another one come: much longer than a swap takes, and
/// no longer than the next server may notice.
pub const STRIPES_KEPT: Duration = Duration::from_millis(200);

/// Pause between two looks at a row of stripes while this server has some: what a writer of another server waits beyond
/// the write it waits for.
pub const STRIPES_TICK: Duration = Duration::from_millis(10);

/// Swaps of a row of stripes tried in one go. Each failure is the success of another server.
pub const STRIPES_SWAPS_MAX: u32 = 32;

/// How often a server reads the list of graphs and their versions though nothing says that they changed: a write that
/// was reported as failed can have been stored later.
pub const RELOAD_INTERVAL: Duration = Duration::from_secs(10);

/// How long the row of a server that died is kept. One that only was suspended finds itself listed when it goes on.
pub const DEAD_SERVER_KEPT: Duration = Duration::from_secs(3_600);

/// Tasks waiting for their turn in one store. Each holds a schema element in deletion.
pub const TASKS_QUEUED_MAX: usize = 10_000;

/// Bytes of one batch when a graph is copied for a snapshot: large enough that its cost is that of its bytes, and all
/// the memory a copy takes.
pub const COPY_BATCH_BYTES: usize = 1 << 20;

/// Threads for tasks, over all graphs. A task mostly waits for storage; with two, one graph's long task does not hold
/// up the others', and both leave a small machine room to serve requests.
pub const TASK_THREADS: usize = 2;

/// Time between two looks at a task that a caller waits for: short compared with any build of an index, long compared
/// with a look.
pub const TASK_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Variables of one graph. They are for settings of clients, and are listed and counted as a whole.
pub const VARIABLES_MAX: usize = 1_000;

/// Characters of a variable's name: as of names in the schema.
pub const VARIABLE_NAME_CHARS_MAX: usize = 255;

/// Bytes of a variable's value as JSON text. With [`VARIABLES_MAX`] it bounds the list of all.
pub const VARIABLE_BYTES_MAX: usize = 16_384;

/// The pause of the thread that reads ahead, between two looks at whether walks have asked for more.
pub(crate) const READ_AHEAD_PAUSE: Duration = Duration::from_millis(100);

/// How long it reads for the vertices of one go. They take some milliseconds.
pub(crate) const READ_AHEAD_TIME_MAX: Duration = Duration::from_secs(10);

/// Its niceness: the lowest priority there is, since nobody waits for it.
pub(crate) const READ_AHEAD_NICENESS: u8 = 19;
