//! Limits that are not settings, each with its reason. The settings are in [`crate::Options`].

use std::time::Duration;

/// Bytes of a message before a user is known: credentials and the name of a driver.
pub const LOGON_BYTES_MAX: usize = 64 * 1024;

/// Time a connection has until a user is known.
pub const LOGON_TIME_MAX: Duration = Duration::from_secs(30);

/// Time without a byte after which a connection without a transaction is closed. Drivers keep connections for an hour.
pub const IDLE_TIME_MAX: Duration = Duration::from_secs(2 * 3_600);

/// Messages that are read ahead: more than any driver sends before it reads an answer.
pub const MESSAGES_AHEAD_MAX: usize = 1_024;

/// Bytes that are read at once.
pub(crate) const READ_BYTES: usize = 16 * 1024;

/// Time without progress after which writing to a client is given up: one that does not read must not hold memory.
pub const WRITE_STALL_TIME_MAX: Duration = Duration::from_secs(30);

/// Bytes of rows from which on a connection is told to take them.
pub(crate) const PIECE_BYTES: usize = 32 * 1024;

/// Bytes of rows that wait for the client to take them; the query waits when there are more.
pub const WAITING_BYTES_MAX: usize = 256 * 1024;

/// Time after which answers that are there are sent although more are awaited.
pub(crate) const EARLY: Duration = Duration::from_millis(5);

/// Time without an answer that drivers are told to take for a lost connection, in seconds.
pub(crate) const RECEIVE_TIMEOUT_SECONDS: i64 = 120;

/// Time after which a connection whose query still runs is told that it is not lost.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(45);

/// How long clients may keep what ROUTE answers, in seconds: Neo4j's default.
pub(crate) const ROUTE_SECONDS: i64 = 300;

/// Time that a transaction waiting for its client has once the server shuts down.
pub const SHUTDOWN_TRANSACTION_TIME_MAX: Duration = Duration::from_secs(5);

/// Time for which a transaction that was told to stop is waited for before RESET is answered.
pub const STOP_TIME_MAX: Duration = Duration::from_secs(10);

/// Results of one transaction that are not through.
pub const OPEN_RESULTS_MAX: usize = 64;

/// Pause after a failed accept: the usual reason is that file descriptors have run out, and trying again at once would
/// spin.
pub(crate) const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);
