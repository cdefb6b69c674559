//! Stopping the writes of all servers over a store while files under it are copied.

use std::time::Duration;

use kv::KvError;

use super::Store;
use crate::cluster::Cluster;
use graph_store::StoreError;

impl Store {
    /// Has all servers over the store end the writes at work and refuse others with [`StoreError::Frozen`], until
    /// [`Self::thaw`], until `length` is over, or until this one is dead. On return nobody writes.
    ///
    /// # Errors
    /// [`StoreError::ServerBehind`] where one does not stop, [`StoreError::ChangeBusy`], [`StoreError::Frozen`] where
    /// they have stopped already; [`KvError::Unsupported`] on an engine that only this process uses. Then they go on.
    pub fn freeze(&self, length: Duration) -> Result<(), StoreError> {
        self.cluster("a freeze (make a backup instead)")?.freeze(length)
    }

    /// Lets them write again. Whether this server began the freeze and none has written since: then what was copied
    /// meanwhile is of one moment.
    ///
    /// # Errors
    /// [`KvError::Unsupported`], those of storage.
    pub fn thaw(&self) -> Result<bool, StoreError> {
        self.cluster("the end of a freeze")?.thaw()
    }

    /// For how much longer writes are refused because of a freeze, at most.
    #[must_use]
    pub fn frozen_for(&self) -> Option<Duration> {
        self.host.cluster.as_ref().and_then(|cluster| cluster.frozen_for())
    }

    fn cluster(&self, operation: &'static str) -> Result<&Cluster, StoreError> {
        let engine = self.engine().name();
        self.host.cluster.as_deref().ok_or_else(|| KvError::Unsupported { engine, operation }.into())
    }
}
