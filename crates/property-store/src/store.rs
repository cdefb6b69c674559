//! Opening a store.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use kv::{Engine, Key, WriteBatch};
use parking_lot::RwLock;
use rustc_hash::FxHasher;

use crate::keys::SETTINGS;
use crate::limits::{FETCH_THREADS_MAX, STRIPES};
use crate::{EdgeEnds, PropertyError, RecordKey, Records, record};

/// Row of the settings table: format version, then 0 for directed, 1 for undirected edges.
const FORMAT: &[u8] = b"format";

/// Whether (1, 2) and (2, 1) are two edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// They are.
    #[default]
    Directed,
    /// They are one.
    Undirected,
}

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Self::Directed => "directed",
            Self::Undirected => "undirected",
        }
    }
}

/// What may be done through a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Everything.
    #[default]
    ReadWrite,
    /// Reading; writes are refused with [`PropertyError::ReadOnly`].
    ReadOnly,
}

/// How a store is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreOptions {
    /// Fixed when the store is made; opening it otherwise later is an error.
    pub direction: Direction,
    /// What may be done.
    pub access: Access,
}

/// Records of nodes and edges in one engine. Shared between threads.
pub struct PropertyStore {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) options: StoreOptions,
    pub(crate) stripes: Box<[RwLock<()>]>,
    /// Threads that one batch get may use.
    pub(crate) fetch_threads: usize,
}

impl PropertyStore {
    /// Opens the store in an engine that was opened with [`crate::TABLES`]; makes one in an empty engine. What is
    /// stored stays.
    ///
    /// # Errors
    /// [`PropertyError::NotFound`] for a read-only store that does not exist, [`PropertyError::FormatVersion`],
    /// [`PropertyError::Direction`], [`PropertyError::Engine`].
    pub fn open(engine: Arc<dyn Engine>, options: StoreOptions) -> Result<Self, PropertyError> {
        let wanted = u8::from(options.direction == Direction::Undirected);
        let mut stored = None;
        engine.get(SETTINGS, Key::new(FORMAT, FORMAT.len()), &mut |bytes| stored = Some(bytes.to_vec()))?;
        match stored.as_deref() {
            Some([record::VERSION, direction]) if *direction == wanted => {}
            Some([record::VERSION, _]) => {
                let found = match options.direction {
                    Direction::Directed => Direction::Undirected,
                    Direction::Undirected => Direction::Directed,
                };
                return Err(PropertyError::Direction { found: found.name(), wanted: options.direction.name() });
            }
            Some([found, ..]) if *found != record::VERSION => {
                return Err(PropertyError::FormatVersion { found: *found, supported: record::VERSION });
            }
            Some(bytes) => {
                return Err(PropertyError::Damaged { detail: format!("the settings are {bytes:02x?}") });
            }
            None if options.access == Access::ReadOnly => return Err(PropertyError::NotFound),
            None => {
                let mut batch = WriteBatch::new();
                batch.put(
                    SETTINGS,
                    |b| b.extend_from_slice(FORMAT),
                    |_| (),
                    |v| v.extend_from_slice(&[record::VERSION, wanted]),
                );
                engine.commit(batch)?;
            }
        }
        let fetch_threads = if engine.capabilities().remote {
            1
        } else {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(FETCH_THREADS_MAX)
        };
        Ok(Self { engine, options, stripes: (0..STRIPES).map(|_| RwLock::default()).collect(), fetch_threads })
    }

    /// The records of nodes, by id.
    #[must_use]
    pub fn nodes(&self) -> Records<'_, u64> {
        Records::new(self)
    }

    /// The records of edges, by their ends.
    #[must_use]
    pub fn edges(&self) -> Records<'_, EdgeEnds> {
        Records::new(self)
    }

    /// Makes everything written so far survive a power failure, whatever the engine's durability.
    ///
    /// # Errors
    /// [`PropertyError::Engine`].
    pub fn sync(&self) -> Result<(), PropertyError> {
        Ok(self.engine.sync()?)
    }

    /// The key under which a record is kept: of an undirected edge both orders have one.
    pub(crate) fn normal<K: RecordKey>(&self, key: K) -> K {
        if self.options.direction == Direction::Undirected { key.undirected() } else { key }
    }

    pub(crate) fn stripe_of(&self, key: &[u8]) -> usize {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        usize::try_from(hasher.finish() % self.stripes.len() as u64).unwrap_or_default()
    }
}
