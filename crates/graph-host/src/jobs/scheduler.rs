//! What the jobs on all graphs of a store share.

use std::sync::Arc;

use super::job::JobRegistry;
use super::task_queue::TaskQueue;
use crate::cluster::Cluster;

/// What the jobs on all graphs of a store share.
pub(crate) struct Scheduler {
    /// The kinds of jobs there are.
    pub(super) registry: JobRegistry,
    /// Tasks waiting for their turn.
    pub(crate) queue: TaskQueue,
    /// This server among the others, which run tasks too.
    pub(super) cluster: Option<Arc<Cluster>>,
}

impl Scheduler {
    pub(crate) fn new(registry: JobRegistry, cluster: Option<Arc<Cluster>>) -> Self {
        Self { registry, queue: TaskQueue::default(), cluster }
    }
}
