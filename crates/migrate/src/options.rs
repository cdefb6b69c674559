//! What to migrate, from where, to where.

use std::path::PathBuf;

use api_client::{ClientOptions, ElementKind};
use auth::Accounts;
use bulk_load::{LoadObserver, SilentObserver};
use graph_host::Store;

/// What to read, and how.
#[derive(Clone, Debug)]
pub struct MigrateOptions {
    /// The source: address, graph, credentials, patience.
    pub source: ClientOptions,
    /// The graph of the target.
    pub graph: String,
    /// Folder for what was fetched and for the journal. It takes about as much as the graph's JSON, and is removed at
    /// the end.
    pub work_dir: PathBuf,
    /// Pages that are fetched at the same time.
    pub workers: usize,
    /// Begin from the start even if there is an unfinished migration in the work folder.
    pub restart: bool,
    /// Take the users, groups, targets and what connects them, too.
    pub users: bool,
    /// Compare source and target at the end.
    pub verify: bool,
}

/// What to read from files, and how.
#[derive(Clone, Debug)]
pub struct FilesOptions {
    /// The graph of the target.
    pub graph: String,
    /// Folder for sorted rows until they are stored, and for the journal. It is removed at the end.
    pub work_dir: PathBuf,
    /// Begin from the start even if there is an unfinished migration in the work folder.
    pub restart: bool,
    /// Take the users, groups, targets and what connects them, too.
    pub users: bool,
    /// Compare source and target at the end.
    pub verify: bool,
}

/// A store that this process has open.
#[derive(Clone, Copy)]
pub struct StoreTarget<'a> {
    /// The store. Nobody else writes to it.
    pub store: &'a Store,
    /// Its users, where they are migrated.
    pub accounts: Option<&'a Accounts>,
    /// Memory for sorting, in bytes.
    pub memory_bytes: u64,
    /// Threads that read, sort and compare.
    pub threads: usize,
}

/// Receives the events of a migration. All methods do nothing by default and must return quickly.
pub trait MigrateObserver: Send + Sync {
    /// A step begins, in words.
    fn step(&self, _words: &str) {}
    /// Fetching of a kind begins: so many shards, of which so many are there already.
    fn fetching(&self, _kind: ElementKind, _shards: usize, _done: usize) {}
    /// A page was fetched and is on disk.
    fn fetched(&self, _kind: ElementKind, _elements: u64, _bytes: u64) {}
    /// A shard is there as a whole.
    fn shard(&self, _kind: ElementKind) {}
    /// Elements were sent to a server.
    fn sent(&self, _kind: ElementKind, _elements: u64) {}
    /// Fetching has ended.
    fn fetched_all(&self) {}
    /// Who watches the load into a store.
    fn load(&self) -> &dyn LoadObserver {
        &SilentObserver
    }
}

/// Ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct SilentMigration;

impl MigrateObserver for SilentMigration {}
