//! What runs in the background, recorded as tasks.

pub(crate) mod olap;
pub(crate) mod removal;
pub(crate) mod task;
pub(crate) mod task_queue;
