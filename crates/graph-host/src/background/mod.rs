//! The threads of a store: they run tasks, purge what has expired, remove what was dropped, read ahead of walks, and
//! keep in step with other servers.
//!
//! Each has a type that starts it and, dropped, ends it and waits for it.

pub(crate) mod dropped;
pub(crate) mod purge;
pub(crate) mod read_ahead;
pub(crate) mod rounds;
pub(crate) mod task_runner;
