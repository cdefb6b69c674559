//! One graph: its catalogue, its locks, its settings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering};

use arc_swap::{ArcSwap, Guard};
use edge_rows::register;
use element_counts::{Counted, Counts};
use graph_schema::{Catalogue, ElementRules, GraphMode};
use key_codec::key::MetaKind;
use key_codec::{GraphNumber, setting_value};
use kv::{Engine, KvError, Read, WriteBatch};
use parking_lot::{Mutex, MutexGuard};

use crate::core::clock::now_ms;
use crate::core::graph_version::{Version, read_versions};
use crate::core::options::GraphOptions;
use crate::core::shared::Shared;
use crate::core::stored_catalogue::{prepare_analyzers, read_catalogue};
use crate::core::stored_settings::read_named;
use store_error::StoreError;
use stripe_locks::{Held, Locks, Mask, Stripes, Wait};

/// A property graph. Shared between threads; get one from its host for each request, since clearing a graph or
/// resuming its snapshot replaces it.
pub struct Graph {
    pub(crate) name: String,
    pub(crate) number: GraphNumber,
    auto: bool,
    pub(crate) shared: Arc<Shared>,
    catalogue: ArcSwap<Catalogue>,
    schema_lock: Mutex<()>,
    stripes: Stripes,
    /// Neighbours kept for walks. Every write of edges is registered with it.
    neighbours: adjacency::Cache,
    /// Numbers of elements. Every write is registered with them.
    counts: Arc<Counts>,
    mode: AtomicU8,
    reads_all: AtomicBool,
    cleared: AtomicBool,
    /// On shared engines: which version of the catalogue and of the modes this is, 0 where it must be read again.
    version: AtomicU64,
    /// On shared engines: whether writes by an older catalogue may be at work.
    unsettled: AtomicBool,
    /// The number of the graph that has come to be this one by clearing and resuming, while the store was open.
    first_number: AtomicU32,
    /// Everything that expired up to this moment has been removed.
    purged_to_ms: AtomicI64,
}

impl Graph {
    /// A graph with a catalogue that is stored under its number, or is going to be.
    #[must_use]
    pub fn new(name: String, number: GraphNumber, shared: Arc<Shared>, catalogue: Catalogue) -> Self {
        Self::with_counts(name, number, shared, catalogue, Counts::new(number))
    }

    fn with_counts(
        name: String,
        number: GraphNumber,
        shared: Arc<Shared>,
        catalogue: Catalogue,
        counts: Arc<Counts>,
    ) -> Self {
        let auto = catalogue.is_auto();
        let neighbours = adjacency::Cache::new(Arc::clone(&shared.adjacency), shared.is_shared());
        Self {
            name,
            number,
            auto,
            shared,
            neighbours,
            counts,
            catalogue: ArcSwap::from_pointee(catalogue),
            schema_lock: Mutex::default(),
            stripes: Stripes::new(),
            mode: AtomicU8::new(0),
            reads_all: AtomicBool::new(false),
            cleared: AtomicBool::new(false),
            version: AtomicU64::new(0),
            unsettled: AtomicBool::new(false),
            first_number: AtomicU32::new(number.0),
            purged_to_ms: AtomicI64::new(i64::MIN),
        }
    }

    /// A graph as it is stored. Its catalogue is read by `read`.
    ///
    /// # Errors
    /// Those of storage.
    pub fn open(name: String, number: GraphNumber, shared: Arc<Shared>, read: &dyn Read) -> Result<Self, StoreError> {
        let catalogue = read_catalogue(read, number)?;
        prepare_analyzers(&catalogue);
        let counts = if shared.is_shared() { Counts::new(number) } else { Counts::open(&*shared.engine, number)? };
        Ok(Self::with_counts(name, number, shared, catalogue, counts))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its number: what its keys begin with. Clearing a graph gives its name another one.
    #[must_use]
    pub fn number(&self) -> GraphNumber {
        self.number
    }

    /// How elements are treated.
    #[must_use]
    pub fn options(&self) -> &GraphOptions {
        &self.shared.options
    }

    /// The schema as it is now. It does not change while it is held.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.load_full()
    }

    /// Whether its schema is made by its writes ([`graph_schema::SchemaMode::Auto`]); that never changes.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        self.auto
    }

    /// That something is not done with a graph of its mode.
    pub(crate) fn wrong_mode(&self, reason: &'static str) -> StoreError {
        let mode = self.load_catalogue().mode().name();
        StoreError::WrongSchemaMode { graph: self.name.clone(), mode, reason }
    }

    /// The mode set by a loading or restoring tool; not kept over a restart.
    #[must_use]
    pub fn mode(&self) -> GraphMode {
        match self.mode.load(Ordering::Relaxed) {
            1 => GraphMode::Restoring,
            2 => GraphMode::Merging,
            3 => GraphMode::Loading,
            _ => GraphMode::None,
        }
    }

    /// Sets the mode, in all servers over the store.
    pub fn set_mode(&self, mode: GraphMode) -> Result<(), StoreError> {
        self.change_modes(|version| version.mode = mode, || self.put_mode(mode))
    }

    fn put_mode(&self, mode: GraphMode) {
        let code = match mode {
            GraphMode::None => 0,
            GraphMode::Restoring => 1,
            GraphMode::Merging => 2,
            GraphMode::Loading => 3,
        };
        self.mode.store(code, Ordering::Relaxed);
    }

    /// Whether the read mode is `ALL`, in which analytical properties are read too; not kept over a restart.
    #[must_use]
    pub fn reads_all(&self) -> bool {
        self.reads_all.load(Ordering::Relaxed)
    }

    /// Sets the read mode, in all servers over the store.
    pub fn set_reads_all(&self, all: bool) -> Result<(), StoreError> {
        self.change_modes(|version| version.reads_all = all, || self.put_reads_all(all))
    }

    /// Changes the modes: in memory where this process is the only one, else in the store.
    fn change_modes(&self, change: impl FnOnce(&mut Version), set: impl FnOnce()) -> Result<(), StoreError> {
        let Some(changing) = self.shared.begin_change()? else {
            let _one_at_a_time = self.lock_schema()?;
            set();
            return Ok(());
        };
        let _one_at_a_time = self.lock_schema()?;
        self.catch_up()?;
        let mut version = self.version_with(changing.version());
        change(&mut version);
        let mut batch = WriteBatch::new();
        version.put(&mut batch, self.number);
        self.shared.check_fresh()?;
        self.engine().commit(batch)?;
        self.set_version(version);
        Ok(())
    }

    /// Its modes under a version.
    pub fn version_with(&self, number: u64) -> Version {
        Version { number, mode: self.mode(), reads_all: self.reads_all() }
    }

    /// Notes which version this is.
    pub fn set_version(&self, version: Version) {
        self.put_mode(version.mode);
        self.put_reads_all(version.reads_all);
        self.version.store(version.number, Ordering::Release);
        self.unsettled.store(true, Ordering::Release);
    }

    /// Takes over a version from the store, unless this is the same. The catalogue is read by `read`. Nobody else may
    /// change the graph meanwhile.
    pub fn follow(&self, read: &dyn Read, version: Version) -> Result<(), StoreError> {
        if self.version.load(Ordering::Acquire) == version.number {
            return Ok(());
        }
        let mut stored = read_catalogue(read, self.number)?;
        stored.set_reads_analytical(self.reads_all());
        if stored != **self.load_catalogue() {
            prepare_analyzers(&stored);
            self.set_catalogue(stored);
        }
        self.set_version(version);
        Ok(())
    }

    /// Takes over what other servers changed, before it is changed further: with the right to change held.
    pub fn catch_up(&self) -> Result<(), StoreError> {
        let numbers = read_named(self.engine(), MetaKind::Graph, &self.name)?;
        let number = numbers.as_deref().map(setting_value::read_numbers::<1>).transpose()?;
        if number != Some([u64::from(self.number.0)]) {
            return Err(StoreError::GraphCleared { name: self.name.clone() });
        }
        match read_versions(self.engine())?.get(&self.number) {
            Some(version) => self.follow(self.engine(), *version),
            None => Ok(()),
        }
    }

    /// Whether there can be writers with an older catalogue than the current one, until this was called. What was not
    /// read as a `whole` will be read again.
    pub fn take_unsettled(&self, whole: bool) -> bool {
        let unsettled = self.unsettled.swap(false, Ordering::AcqRel);
        if unsettled && !whole {
            self.version.store(0, Ordering::Release);
        }
        unsettled
    }

    /// Turns away every later write, as another server took the graph away.
    pub fn mark_cleared(&self) {
        self.cleared.store(true, Ordering::Release);
        self.shared.retired.lock().push(self.stripes.clone());
    }

    /// Takes the place of a graph: of the same name, with the same modes.
    pub fn replace(&self, old: &Self) {
        self.first_number.store(old.first_number.load(Ordering::Relaxed), Ordering::Relaxed);
        self.put_mode(old.mode());
        self.put_reads_all(old.reads_all());
    }

    /// Whether this is the other graph or has come in its place by clearing and resuming; not one that got its name
    /// after it was dropped.
    pub fn continues(&self, other: &Self) -> bool {
        self.first_number.load(Ordering::Relaxed) == other.first_number.load(Ordering::Relaxed)
    }

    /// The engine it is stored in.
    #[must_use]
    pub fn engine(&self) -> &dyn Engine {
        &*self.shared.engine
    }

    pub(crate) fn load_catalogue(&self) -> Guard<Arc<Catalogue>> {
        self.catalogue.load()
    }

    pub(crate) fn set_catalogue(&self, mut catalogue: Catalogue) {
        catalogue.set_reads_analytical(self.reads_all());
        self.catalogue.store(Arc::new(catalogue));
    }

    /// The catalogue says what is shown, so each request sees one mode.
    fn put_reads_all(&self, all: bool) {
        self.reads_all.store(all, Ordering::Relaxed);
        if self.load_catalogue().reads_analytical() != all {
            self.set_catalogue(Catalogue::clone(&self.load_catalogue()));
        }
    }

    pub(crate) fn rules(&self) -> ElementRules<'_> {
        ElementRules {
            mode: self.mode(),
            zone: &self.options().zone,
            now_ms: now_ms(),
            encode_primary_key_number: self.options().encode_primary_key_number,
        }
    }

    /// Locks the stripes of a write. Refused once the graph is closed.
    pub(crate) fn lock(&self, locks: Locks, wait: Wait) -> Result<Held, StoreError> {
        let mut held = self.stripes.lock(locks.shared, locks.exclusive, wait).ok_or(StoreError::Contended)?;
        let stripes = if locks.among_servers { locks.exclusive } else { Mask::default() };
        held.among_servers = self.shared.lock_stripes(self.number, stripes.bits(), wait)?;
        self.unless_cleared(())?;
        self.shared.check_fresh()?;
        Ok(held)
    }

    /// Waits until every write that began before this call has committed, in all servers over the store.
    ///
    /// # Errors
    /// [`StoreError::ServerBehind`], [`StoreError::Closing`]; those of storage.
    pub fn wait_for_writers(&self) -> Result<(), StoreError> {
        self.wait_for_own_writers();
        self.shared.wait_for_servers()
    }

    /// The same for writes of this process.
    pub fn wait_for_own_writers(&self) {
        self.stripes.wait();
    }

    /// Keeps all writes of elements out while what this returns is held.
    ///
    /// # Errors
    /// [`StoreError::GraphCleared`], [`StoreError::Stale`].
    pub fn pause_writes(&self) -> Result<impl Sized, StoreError> {
        let held = self.stripes.lock(Mask::default(), Mask::ALL, Wait::Allowed).ok_or(StoreError::Contended)?;
        self.shared.check_fresh()?;
        self.unless_cleared(held)
    }

    /// Memory of a graph without its catalogue, in bytes, as estimated.
    #[must_use]
    pub fn own_bytes() -> usize {
        size_of::<Self>() + Stripes::bytes()
    }

    /// Everything that expired up to this moment, in milliseconds since 1970 UTC, has been removed.
    #[must_use]
    pub fn purged_to_ms(&self) -> i64 {
        self.purged_to_ms.load(Ordering::Relaxed)
    }

    /// Notes that everything that expired up to a moment has been removed.
    pub fn set_purged_to_ms(&self, now_ms: i64) {
        self.purged_to_ms.store(now_ms, Ordering::Relaxed);
    }

    /// Whether each read of the store waits for a network.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        self.engine().capabilities().remote
    }

    /// Whether other processes can be at work on the store.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.shared.is_shared()
    }

    /// Turns away every later write, of elements, schema and tasks, and waits for the earlier ones. Reads at work are
    /// turned away at their end.
    pub fn close(&self) {
        let _no_schema_change_at_work = self.schema_lock.lock();
        self.cleared.store(true, Ordering::Release);
        self.wait_for_own_writers();
        self.forget_elements();
    }

    /// Stores what the next start need not find out again. Writes may go on.
    ///
    /// # Errors
    /// [`StoreError::GraphCleared`]; those of storage.
    pub fn keep_counts(&self) -> Result<(), StoreError> {
        if self.is_shared() || !self.counts.is_any_kept() {
            return Ok(());
        }
        let _no_write = self.pause_writes()?;
        Ok(self.counts.keep_record(self.engine())?)
    }

    /// Has the next start know these numbers of elements. Nobody may be writing.
    ///
    /// # Errors
    /// Those of storage.
    pub fn record_counts(&self, counts: &[(Counted, u64)]) -> Result<(), StoreError> {
        Ok(self.counts.record(self.engine(), counts)?)
    }

    /// What a read found, unless the graph was closed meanwhile: some of it may have been gone by then.
    pub fn unless_cleared<T>(&self, found: T) -> Result<T, StoreError> {
        if self.cleared.load(Ordering::Acquire) {
            return Err(StoreError::GraphCleared { name: self.name.clone() });
        }
        Ok(found)
    }

    /// Takes back [`Self::close`].
    pub fn reopen(&self) {
        self.forget_elements();
        self.cleared.store(false, Ordering::Release);
    }

    /// Begins a write of the schema or of a task: one at a time, and none once the graph is closed.
    pub fn lock_schema(&self) -> Result<MutexGuard<'_, ()>, StoreError> {
        let held = self.schema_lock.lock();
        self.shared.check_fresh()?;
        self.unless_cleared(held)
    }

    /// Hands a batch to the engine, with the locks it was made under.
    pub(crate) fn submit(&self, mut batch: WriteBatch, held: Held) -> kv::Commit {
        batch.order_groups();
        register(&self.neighbours, &mut batch, self.is_shared());
        self.counts.register(self.engine(), &mut batch);
        batch.hold(Box::new(held));
        self.engine().submit(batch)
    }

    /// Writes a batch whose locks stay with the caller.
    pub(crate) fn commit(&self, mut batch: WriteBatch) -> Result<(), StoreError> {
        batch.order_groups();
        self.counts.register(self.engine(), &mut batch);
        register(&self.neighbours, &mut batch, self.is_shared());
        Ok(self.engine().commit(batch)?)
    }

    /// The labels of vertices that are known in memory, if any are.
    pub(crate) fn known_labels(&self) -> Option<adjacency::Labels> {
        self.neighbours.labels(self.shared.alone_since()?, self.is_remote())
    }

    /// The table of numbers and neighbours that walks use; `None` where there is none. The first call waits for the
    /// writers at work, so its caller must not be one; who must not `wait` gets none while there are any.
    pub(crate) fn neighbours(&self, wait: Wait) -> Option<Arc<adjacency::Table>> {
        self.neighbours.table(self.shared.alone_since()?, || match wait {
            Wait::Allowed => {
                self.wait_for_own_writers();
                true
            }
            Wait::Never => self.stripes.lock(Mask::default(), Mask::ALL, wait).is_some(),
        })
    }

    /// The table of [`Self::neighbours`], if there is one now; waits for nobody.
    pub(crate) fn known_neighbours(&self) -> Option<Arc<adjacency::Table>> {
        self.neighbours.existing(self.shared.alone_since()?)
    }

    /// How many elements there are: as `count` finds it the first time, and from then on as writes have changed it. Its
    /// caller must not be a writer. Where others write too, it is counted every time; and once more where writes are at
    /// work that the caller must not wait for.
    pub(crate) fn counted(
        &self,
        what: Counted,
        wait: Wait,
        count: impl FnOnce(&dyn Read) -> Result<u64, StoreError>,
    ) -> Result<u64, StoreError> {
        if self.is_shared() || !self.engine().capabilities().snapshot_reads {
            return count(self.engine());
        }
        if let Some(known) = self.counts.known(what) {
            return self.unless_cleared(known);
        }
        let Some(no_write) = self.stripes.lock(Mask::default(), Mask::ALL, wait) else { return count(self.engine()) };
        let (counting, snapshot) = (self.counts.begin(what), self.engine().snapshot()?);
        drop(no_write);
        let found = count(&*snapshot)?;
        if let Some(counting) = counting {
            counting.finish(found);
        }
        Ok(found)
    }

    /// What [`Self::counted`] would say without counting; `None` where it would count.
    pub(crate) fn known_count(&self, what: Counted) -> Option<u64> {
        self.unless_cleared(self.counts.known(what)?).ok().filter(|_| !self.is_shared())
    }

    /// Removes elements by other means than a batch of writes, whose rows nobody else writes meanwhile.
    ///
    /// # Errors
    /// Those of storage, after which some of them may have been removed.
    pub fn remove_rows(&self, remove: impl FnOnce(&dyn Engine) -> Result<(), KvError>) -> Result<(), StoreError> {
        self.counts.forget_record(self.engine())?;
        let outcome = remove(self.engine());
        self.forget_elements();
        // A store that was being closed may have stored them once more.
        self.counts.forget_record(self.engine())?;
        Ok(outcome?)
    }

    /// Forgets neighbours: other processes are about to write.
    pub fn forget_neighbours(&self) {
        self.neighbours.clear();
    }

    /// Keeps neighbours again of what was touched by writes that had failed when this was called last.
    pub fn end_doubts(&self) {
        self.neighbours.end_doubts();
    }

    /// Forgets neighbours and counts: elements were removed by other means than a batch of writes.
    fn forget_elements(&self) {
        self.neighbours.clear();
        self.counts.forget();
    }

    /// Keeps no neighbours and no counts from now on: elements will be written by other means than [`Self::submit`].
    ///
    /// # Errors
    /// Those of storage.
    pub(crate) fn keep_nothing(&self) -> Result<(), StoreError> {
        self.neighbours.turn_off();
        Ok(self.counts.turn_off(self.engine())?)
    }
}
