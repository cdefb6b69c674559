//! Opening and closing.

use std::path::Path;
use std::sync::Arc;

use graph_host::{Store, StoreOptions};
use kv::Engine;

use crate::embedded::{Error, Graph};
use crate::engine;
use crate::settings::{EngineName, Settings};

/// A store of graphs in this process. One process at a time can open a folder.
pub struct Database {
    store: Store,
    default_graph: String,
}

impl Database {
    /// Opens the database in a folder, or makes one there, with the default settings of the server.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let mut settings = Settings::load(None, &[])?;
        settings.storage.engine = EngineName::Rocksdb;
        folder.as_ref().clone_into(&mut settings.storage.data_dir);
        Self::open_with(&settings)
    }

    /// A database that is gone when it is dropped.
    pub fn in_memory() -> Result<Self, Error> {
        let mut settings = Settings::load(None, &[])?;
        settings.storage.engine = EngineName::Memory;
        Self::open_with(&settings)
    }

    /// Opens a database as the settings say; those of the server and of messages play no part.
    pub fn open_with(settings: &Settings) -> Result<Self, Error> {
        Self::from_engine(engine::open(&settings.storage)?, settings.store_options()?)
    }

    fn from_engine(engine: Arc<dyn Engine>, options: StoreOptions) -> Result<Self, Error> {
        let default_graph = options.default_graph.clone();
        Ok(Self { store: Store::open(engine, options)?, default_graph })
    }

    /// The default graph.
    ///
    /// It exists from the first opening on, and nothing removes it, so there is nothing to fail.
    #[must_use]
    pub fn graph(&self) -> Graph<'_> {
        Graph::new(&self.store, &self.default_graph)
    }

    /// Writes everything to the disk and closes the database. Dropping it closes it too, but cannot report an error.
    pub fn close(self) -> Result<(), Error> {
        self.store.engine().sync()?;
        Ok(())
    }
}
