//! Which writers of a graph wait for which? Stripe locks: writers lock what they read and write, by the hash of vertex
//! ids, until they have committed.
//!
//! - An insert holds the stripes of its vertices (of an edge: both ends) in shared mode: inserts do not exclude each
//!   other.
//! - A read-modify-write, a delete and an insert that touches indexes hold the stripe of their vertex (of an edge: its
//!   source) in exclusive mode.
//! - Who asks for a place in a unique index holds the stripe of its values in exclusive mode.
//! - Removing a label and clearing a graph take all stripes exclusively for a moment, so that every earlier writer has
//!   committed.
//!
//! Where other processes write the same store, who changes what it has read or asks for a place in a unique index has
//! its exclusive stripes to itself among them, too ([`Locks::among_servers`]); other inserts do not ask.
//!
//! Stripes are taken in ascending order, so writers cannot deadlock. The locks travel inside the write batch and are
//! let go by the engine after the write, even when the caller has gone away.

use std::any::Any;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::Arc;

use graph_model::{ElementId, VertexId};
use parking_lot::lock_api::{ArcRwLockReadGuard, ArcRwLockWriteGuard};
use parking_lot::{RawRwLock, RwLock};
use rustc_hash::FxHasher;

/// Number of stripes: one bit each in a [`Mask`].
const STRIPES: u32 = 64;

/// The locks of one graph. A clone is the same locks.
#[derive(Clone, Debug)]
pub struct Stripes {
    locks: Vec<Arc<RwLock<()>>>,
}

/// A set of stripes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mask(u64);

impl Mask {
    /// All stripes.
    pub const ALL: Self = Self(u64::MAX);

    /// Adds the stripe of a vertex.
    pub fn add(&mut self, id: &VertexId) {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(id);
        // The high bits of this hash are its best ones.
        self.0 |= 1 << (hash >> 58);
    }

    /// One bit for each stripe.
    #[must_use]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Adds the stripe of a place in a unique index.
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(bytes);
        self.0 |= 1 << (hash >> 58);
    }

    /// The stripe of a place in a unique index.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut mask = Self::default();
        mask.add_bytes(bytes);
        mask
    }

    /// The stripes every writer of an element holds: of an edge, those of both ends.
    #[must_use]
    pub fn of_element(id: &ElementId) -> Self {
        match id {
            ElementId::Vertex(id) => Self::of(id),
            ElementId::Edge(id) => Self::of(&id.source).union(Self::of(&id.target)),
        }
    }

    /// The stripes of both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The stripe of one vertex.
    #[must_use]
    pub fn of(id: &VertexId) -> Self {
        let mut mask = Self::default();
        mask.add(id);
        mask
    }
}

/// Whether a write may block its thread while another write to the same elements is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// It may.
    Allowed,
    /// It must not: it fails with `StoreError::Contended`, having done nothing, and can be sent
    /// again where waiting is allowed.
    Never,
}

/// The stripes a write needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Locks {
    /// Held together with other inserts. A stripe in both sets is locked exclusively.
    pub shared: Mask,
    /// Held by one writer at a time.
    pub exclusive: Mask,
    /// Whether no writer of another process may hold the exclusive ones, either.
    pub among_servers: bool,
}

impl Locks {
    /// Exclusive locks of some stripes, over all processes.
    #[must_use]
    pub fn exclusive(exclusive: Mask) -> Self {
        Self { exclusive, among_servers: true, ..Self::default() }
    }

    /// The locks of both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            shared: self.shared.union(other.shared),
            exclusive: self.exclusive.union(other.exclusive),
            among_servers: self.among_servers || other.among_servers,
        }
    }
}

/// Stripes that no other process has, until it is dropped, which any thread may do.
pub type StripesLock = Box<dyn Any + Send + Sync>;

/// Held locks; dropping it lets them go.
#[derive(Default)]
pub struct Held {
    /// Those among servers. The first to go, since who comes next here may ask for it again.
    pub among_servers: Option<StripesLock>,
    shared: Vec<ArcRwLockReadGuard<RawRwLock, ()>>,
    exclusive: Vec<ArcRwLockWriteGuard<RawRwLock, ()>>,
    exclusive_mask: Mask,
}

impl Held {
    /// Whether all of these are held exclusively.
    #[must_use]
    pub fn has_exclusively(&self, mask: Mask) -> bool {
        mask.0 & !self.exclusive_mask.0 == 0
    }
}

impl Default for Stripes {
    fn default() -> Self {
        Self { locks: (0..STRIPES).map(|_| Arc::default()).collect() }
    }
}

impl Stripes {
    /// The locks of a graph that nobody writes to.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until every write that began before this call has committed.
    pub fn wait(&self) {
        // One after the other: who came later on a stripe that was let go does not matter.
        self.locks.iter().for_each(|lock| drop(lock.write()));
    }

    /// Memory of the locks of one graph.
    #[must_use]
    pub fn bytes() -> usize {
        // A counted allocation and the pointer to it.
        STRIPES as usize * (size_of::<RwLock<()>>() + 2 * size_of::<usize>() + size_of::<usize>())
    }

    /// Locks `shared` and `exclusive`; a stripe in both is locked exclusively. `None` when that takes waiting and
    /// `wait` forbids it.
    #[must_use]
    pub fn lock(&self, shared: Mask, exclusive: Mask, wait: Wait) -> Option<Held> {
        let mut held = Held { exclusive_mask: exclusive, ..Held::default() };
        for (at, lock) in self.locks.iter().enumerate() {
            let bit = 1u64 << at;
            if exclusive.0 & bit != 0 {
                held.exclusive.push(match wait {
                    Wait::Allowed => lock.write_arc(),
                    Wait::Never => lock.try_write_arc()?,
                });
            } else if shared.0 & bit != 0 {
                held.shared.push(match wait {
                    Wait::Allowed => lock.read_arc(),
                    Wait::Never => lock.try_read_arc()?,
                });
            }
        }
        Some(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_holders_exclude_only_exclusive_ones() {
        let stripes = Stripes::new();
        let mask = Mask::of(&VertexId::Number(1));
        let none = Mask::default();
        let first = stripes.lock(mask, none, Wait::Never);
        assert!(first.is_some());
        assert!(stripes.lock(mask, none, Wait::Never).is_some());
        assert!(stripes.lock(none, mask, Wait::Never).is_none());
        drop(first);
        let writer = stripes.lock(mask, mask, Wait::Never);
        assert!(writer.is_some());
        assert!(stripes.lock(mask, none, Wait::Never).is_none());
        assert!(stripes.lock(none, Mask::ALL, Wait::Never).is_none());
    }

    #[test]
    fn ids_spread_over_stripes() {
        let mut all = Mask::default();
        for number in 0..1000 {
            all.add(&VertexId::Number(number));
        }
        assert!(all.0.count_ones() > 56, "{} of 64 stripes in use", all.0.count_ones());
    }
}
