//! What the parts of a store share.

use std::sync::Arc;

use graph_store::{ChangeRight, Peers, Shared, StoreError};
use key_codec::tables::TABLES;
use kv::Engine;
use row_cache::RowCacheEngine;

use crate::cluster::Cluster;
use crate::jobs::{JobRegistry, Scheduler};
use crate::options::StoreOptions;

/// What the parts of a store share. It knows no graphs, which know it.
pub(crate) struct Host {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) options: StoreOptions,
    /// What all graphs share.
    pub(crate) graphs_share: Arc<Shared>,
    /// What the jobs on all graphs share.
    pub(crate) scheduler: Scheduler,
    /// Rows read lately, where other processes can write, too.
    row_cache: Option<Arc<RowCacheEngine>>,
    /// This process among others, where there can be others.
    pub(crate) cluster: Option<Arc<Cluster>>,
}

impl Host {
    pub(crate) fn new(engine: Arc<dyn Engine>, options: StoreOptions, jobs: JobRegistry) -> Result<Self, StoreError> {
        let cluster = Cluster::of(&engine, options.cluster).map(Arc::new);
        let row_cache = cluster.clone().map(|cluster| {
            let alone_since = Box::new(move || cluster.alone_since());
            Arc::new(RowCacheEngine::new(Arc::clone(&engine), TABLES, options.row_cache_bytes, alone_since))
        });
        let engine = row_cache.clone().map_or(engine, |engine| engine as Arc<dyn Engine>);
        let peers = cluster.clone().map(|cluster| -> Arc<dyn Peers> { cluster });
        let graphs_share = Arc::new(Shared::new(Arc::clone(&engine), options.graph.clone(), peers)?);
        let scheduler = Scheduler::new(jobs, cluster.clone());
        Ok(Self { engine, options, graphs_share, scheduler, row_cache, cluster })
    }

    /// The engine for what a round reads: its priority lane, where it has one.
    pub(crate) fn lane(&self) -> &dyn Engine {
        self.cluster.as_ref().map_or(&*self.engine, |cluster| cluster.engine())
    }

    /// See [`RowCacheEngine::end_doubts`].
    pub(crate) fn end_doubts(&self) {
        self.row_cache.iter().for_each(|cache| cache.end_doubts());
    }

    /// Whether other processes can be at work on the store.
    pub(crate) fn is_shared(&self) -> bool {
        self.cluster.is_some()
    }

    /// Refuses to write with what may be out of date.
    pub(crate) fn check_fresh(&self) -> Result<(), StoreError> {
        self.cluster.as_ref().map_or(Ok(()), |cluster| cluster.check_fresh())
    }

    /// The right to change schema or graphs; `None` where there is nobody to share it with.
    pub(crate) fn begin_change(&self) -> Result<Option<Box<dyn ChangeRight + '_>>, StoreError> {
        self.cluster.as_ref().map(|cluster| cluster.begin_change()).transpose()
    }

    /// See [`Peers::wait_for_servers`].
    pub(crate) fn wait_for_servers(&self) -> Result<(), StoreError> {
        self.cluster.as_ref().map_or(Ok(()), |cluster| cluster.wait_for_servers())
    }

    /// Which server this is; 0 where there can be no other.
    pub(crate) fn server(&self) -> u64 {
        self.cluster.as_ref().map_or(0, |cluster| cluster.id())
    }
}
