//! What all graphs of a store share, and what they need of the other processes over it.

use std::sync::Arc;

use graph_model::automatic_id::{BLOCK, IdGenerator, RESERVED_MAX};
use key_codec::{GraphNumber, setting_value};
use kv::Engine;
use parking_lot::Mutex;

use crate::core::options::GraphOptions;
use crate::core::stored_settings::{advance_setting, number_up_to, read_setting};
use store_error::StoreError;
use stripe_locks::{Stripes, StripesLock, Wait};

/// Setting of the store: automatic ids below it may have been given out.
pub const IDS_RESERVED: &str = "ids_reserved";

/// The other processes over a store that several share.
pub trait Peers: Send + Sync {
    /// Refuses to write with what may be out of date, and while nobody may. Called before every write.
    ///
    /// # Errors
    /// [`StoreError::Stale`], [`StoreError::Frozen`].
    fn check_fresh(&self) -> Result<(), StoreError>;

    /// Waits for the right to change schema or graphs.
    ///
    /// # Errors
    /// [`StoreError::ChangeBusy`], [`StoreError::Stale`]; those of storage.
    fn begin_change(&self) -> Result<Box<dyn ChangeRight + '_>, StoreError>;

    /// Whether other processes may be writing. What is begun while there are none has ended before another one begins.
    fn has_others(&self) -> bool;

    /// During which period this process knows of all writes, while it does: no other one writes, nor has a write of one
    /// that failed been completed. A later period has a larger number.
    fn alone_since(&self) -> Option<u64>;

    /// Keeps writers of other processes out that ask for some of the same stripes of a graph, until what this returns
    /// is dropped. Waits until they all know of this process; with no stripes, for nothing else. `None` where there is
    /// nothing to hold.
    ///
    /// # Errors
    /// [`StoreError::Contended`] where that takes waiting and `wait` forbids it, [`StoreError::StripesBusy`]; those of
    /// storage.
    fn lock_stripes(&self, graph: GraphNumber, stripes: u64, wait: Wait) -> Result<Option<StripesLock>, StoreError>;

    /// Which process has which stripes of a graph, at some moment before now.
    ///
    /// # Errors
    /// Those of storage.
    fn stripes_seen(&self, graph: GraphNumber) -> Result<StripesSeen, StoreError>;

    /// Whether no other process has had any of these stripes of a graph from the moment of `seen` until now.
    ///
    /// # Errors
    /// Those of storage.
    fn stayed_free(&self, graph: GraphNumber, stripes: u64, seen: &StripesSeen) -> Result<bool, StoreError>;

    /// Waits until no process uses a schema or a graph as it was before the last change.
    ///
    /// # Errors
    /// [`StoreError::ServerBehind`], [`StoreError::Closing`]; those of storage.
    fn wait_for_servers(&self) -> Result<(), StoreError>;
}

/// What is stored of the stripes of a graph at one moment; no two states are the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StripesSeen(pub Option<Vec<u8>>);

/// The right to change schema or graphs, while it is held; dropping it gives it back.
pub trait ChangeRight {
    /// A number that no other change has, nor will have: the version of what it changes.
    fn version(&self) -> u64;
}

/// What all graphs of a store share.
pub struct Shared {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) options: GraphOptions,
    /// The memory of the neighbours kept for walks.
    pub(crate) adjacency: Arc<adjacency::Pool>,
    ids: IdGenerator,
    /// The other processes, where there can be others.
    peers: Option<Arc<dyn Peers>>,
    /// Locks of graphs that another server took away, until their writers have been waited for.
    pub(crate) retired: Mutex<Vec<Stripes>>,
}

/// Writers to graphs that were taken away, still to be waited for.
pub struct RetiredWriters(Vec<Stripes>);

impl RetiredWriters {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits until all of them have committed.
    pub fn wait(&self) {
        self.0.iter().for_each(Stripes::wait);
    }
}

impl Shared {
    /// For the graphs of an engine. `peers`: the other processes, `None` where there can be none.
    ///
    /// # Errors
    /// Those of storage.
    pub fn new(
        engine: Arc<dyn Engine>,
        options: GraphOptions,
        peers: Option<Arc<dyn Peers>>,
    ) -> Result<Self, StoreError> {
        let reserved = match read_setting(&*engine, GraphNumber::STORE, IDS_RESERVED)? {
            Some(bytes) => number_up_to(RESERVED_MAX, setting_value::read_numbers::<1>(&bytes)?)?,
            None => 0,
        };
        let adjacency = Arc::new(adjacency::Pool::new(options.adjacency_cache_bytes));
        Ok(Self { engine, options, adjacency, ids: IdGenerator::new(reserved), peers, retired: Mutex::default() })
    }

    /// A new automatic vertex id.
    pub(crate) fn next_vertex_id(&self, now_ms: i64) -> Result<i64, StoreError> {
        self.ids.next(now_ms, |least| {
            let reserved = advance_setting(&*self.engine, GraphNumber::STORE, IDS_RESERVED, |before| {
                let before = number_up_to(RESERVED_MAX, [before.unwrap_or_default()])?;
                Ok(before.max(least) + BLOCK)
            })?;
            Ok(reserved - BLOCK)
        })
    }

    /// What the neighbours kept for walks take, and how often they were of use.
    #[must_use]
    pub fn adjacency(&self) -> adjacency::Figures {
        self.adjacency.figures()
    }

    /// Whether other processes can be at work on the store.
    pub(crate) fn is_shared(&self) -> bool {
        self.peers.is_some()
    }

    /// Whether other processes may be writing. A writer that finds none must hold its stripes.
    pub(crate) fn alone_since(&self) -> Option<u64> {
        self.peers.as_ref().map_or(Some(0), |peers| peers.alone_since())
    }

    /// See [`Peers`].
    pub(crate) fn has_others(&self) -> bool {
        self.peers.as_ref().is_some_and(|peers| peers.has_others())
    }

    /// See [`Peers::lock_stripes`].
    pub(crate) fn lock_stripes(
        &self,
        graph: GraphNumber,
        stripes: u64,
        wait: Wait,
    ) -> Result<Option<StripesLock>, StoreError> {
        self.peers.as_ref().map_or(Ok(None), |peers| peers.lock_stripes(graph, stripes, wait))
    }

    /// See [`Peers::stripes_seen`]; `None` where there are no others.
    pub(crate) fn stripes_seen(&self, graph: GraphNumber) -> Result<Option<StripesSeen>, StoreError> {
        match &self.peers {
            Some(peers) if peers.has_others() => peers.stripes_seen(graph).map(Some),
            _ => Ok(None),
        }
    }

    /// See [`Peers::stayed_free`].
    pub(crate) fn stayed_free(&self, graph: GraphNumber, stripes: u64, seen: &StripesSeen) -> Result<bool, StoreError> {
        self.peers.as_ref().map_or(Ok(true), |peers| peers.stayed_free(graph, stripes, seen))
    }

    /// Refuses to write with what may be out of date.
    pub(crate) fn check_fresh(&self) -> Result<(), StoreError> {
        self.peers.as_ref().map_or(Ok(()), |peers| peers.check_fresh())
    }

    /// The right to change schema or graphs; `None` where there is nobody to share it with.
    pub(crate) fn begin_change(&self) -> Result<Option<Box<dyn ChangeRight + '_>>, StoreError> {
        self.peers.as_ref().map(|peers| peers.begin_change()).transpose()
    }

    /// See [`Peers::wait_for_servers`].
    pub(crate) fn wait_for_servers(&self) -> Result<(), StoreError> {
        self.peers.as_ref().map_or(Ok(()), |peers| peers.wait_for_servers())
    }

    /// The writers of graphs that were taken away since this was called last.
    #[must_use]
    pub fn take_retired(&self) -> RetiredWriters {
        RetiredWriters(std::mem::take(&mut *self.retired.lock()))
    }
}
