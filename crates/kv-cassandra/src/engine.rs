//! The engine: the calls of the storage interface, each carried to the runtime that speaks to the cluster.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kv::{
    Capabilities, Commit, Cursor, Engine, Entry, GoOn, Guards, Key, Keys, KvError, Partitions, Read, RowRange, Run,
    Statistic, TableId, TableSpec, WriteBatch, successor,
};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use crate::client::Client;
use crate::cursor::PageCursor;
use crate::intent::finish_unfinished;
use crate::limits::{
    INTENT_AGE_IN_TIMEOUTS, INTENT_SWEEP_INTERVAL, PENDING_BYTES_MAX, RUNTIME_THREADS, VALUE_BYTES_MAX,
};
use crate::many::Scan;
use crate::options::CassandraOptions;
use crate::page::{From, Rest, Source, partitions};
use crate::ranges::{BEFORE_ALL, LAST, TokenRange, token_of};
use crate::statements::Ask;
use crate::statistics::{memory, statistics};
use crate::{read, schema, send, swap, write};

/// A store in a keyspace of a cluster.
///
/// Calls block their thread for as long as the cluster takes, at most for the request timeout with each request;
/// [`Engine::submit`] does not. Dropping it waits for what was submitted.
pub struct CassandraEngine {
    client: Arc<Client>,
    pending: Arc<Pending>,
    runtime: Arc<Background>,
    handle: tokio::runtime::Handle,
}

/// Batches that are submitted and not yet written.
struct Pending {
    bytes: AtomicUsize,
    batches: Arc<Semaphore>,
}

impl Default for Pending {
    fn default() -> Self {
        Self { bytes: AtomicUsize::new(0), batches: Arc::new(Semaphore::new(SLOTS)) }
    }
}

/// Slots of running batches, one each; the engine may close once all are free.
const SLOTS: usize = 1 << 20;

impl CassandraEngine {
    /// Connects, creates the keyspace and tables if they are missing, and finishes interrupted writes.
    ///
    /// # Errors
    /// [`KvError::Unavailable`] when no contact point answers in time, [`KvError::NotAStore`] when the keyspace holds
    /// something else, [`KvError::Other`] for options that make no sense, a refused user, a missing right, and a
    /// replication factor larger than the cluster.
    pub fn open(options: &CassandraOptions, tables: &'static [TableSpec]) -> Result<Self, KvError> {
        options.check()?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(RUNTIME_THREADS)
            .thread_name("kv-cassandra")
            .enable_all()
            .build()
            .map_err(|error| KvError::Io { action: "starting the runtime for Cassandra", detail: error.to_string() })?;
        let handle = runtime.handle().clone();
        let runtime = Arc::new(Background(Some(runtime)));
        let client = Arc::new(wait(&handle, schema::open(options, tables))?);
        // Everything that is complete, however young: doing it again while its writer does is harmless.
        if let Err(error) = wait(&handle, finish_unfinished(&client, Duration::ZERO)) {
            tracing::warn!(%error, "could not look for interrupted writes; trying again later");
        }
        handle.spawn(sweep(Arc::downgrade(&client), client.options.request_timeout));
        Ok(Self { client, pending: Arc::default(), runtime, handle })
    }

    /// Writes a batch as an intent and stops there, like a writer that dies half-way; for tests.
    #[doc(hidden)]
    pub fn leave_intent(&self, batch: &WriteBatch) -> Result<(), KvError> {
        let writes: Vec<kv::Operation<'_>> = batch.iter().collect();
        let body = crate::intent::encode(&writes);
        let timestamp = self.client.clock.next();
        self.wait(crate::intent::put(&self.client, &body, timestamp)).map(drop)
    }

    fn wait<T>(&self, call: impl Future<Output = T>) -> T {
        wait(&self.handle, call)
    }

    fn cursor(&self, rest: Rest) -> PageCursor {
        PageCursor::start(Arc::clone(&self.client), self.handle.clone(), rest)
    }

    async fn delete(&self, table: TableId, prefix: &[u8], timestamp: i64) -> Result<(), KvError> {
        let spec = TableSpec::find(self.client.tables, table)?;
        if is_partition(spec, prefix) {
            return self.delete_partition(table, prefix, timestamp).await;
        }
        partitions(&self.client, table, |found: Vec<Vec<u8>>| async move {
            let calls = found
                .iter()
                .filter(|partition| partition.starts_with(prefix))
                .map(|partition| self.delete_partition(table, partition, timestamp));
            send::all(calls.collect()).await
        })
        .await
    }

    async fn delete_partition(&self, table: TableId, partition: &[u8], timestamp: i64) -> Result<(), KvError> {
        let client = &self.client;
        let mut statement = client.statement(table, Ask::DeletePartition).await?.clone();
        statement.set_timestamp(Some(timestamp));
        client
            .request("deleting a partition", || client.session.execute_unpaged(&statement, (partition,)))
            .await
            .map(drop)
    }
}

/// Whether a prefix is a whole partition, and not the beginning of others.
fn is_partition(spec: &TableSpec, prefix: &[u8]) -> bool {
    let len = Some(prefix.len());
    !prefix.is_empty() && (spec.partition_len)(prefix) == len && (spec.partition_len)(&successor(prefix)) == len
}

/// A runtime whose drop does not block, since it may be dropped in a task of another runtime.
struct Background(Option<Runtime>);

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Blocks the calling thread, which may belong to another runtime.
fn wait<T>(handle: &tokio::runtime::Handle, call: impl Future<Output = T>) -> T {
    let _inside = handle.enter();
    futures::executor::block_on(call)
}

/// Looks for interrupted writes of any process at intervals, until the engine is dropped.
async fn sweep(client: std::sync::Weak<Client>, request_timeout: Duration) {
    loop {
        tokio::time::sleep(INTENT_SWEEP_INTERVAL).await;
        let Some(client) = client.upgrade() else { return };
        if let Err(error) = finish_unfinished(&client, request_timeout * INTENT_AGE_IN_TIMEOUTS).await {
            tracing::warn!(%error, "could not finish interrupted writes; trying again later");
        }
    }
}

impl Read for CassandraEngine {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        let value = self.wait(read::get(&self.client, table, key))?;
        if let Some(value) = &value {
            found(value);
        }
        Ok(value.is_some())
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        let values = self.wait(read::multi_get(&self.client, table, keys))?;
        for (at, value) in values.iter().enumerate() {
            found(at, value.as_deref());
        }
        Ok(())
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        TableSpec::find(self.client.tables, table)?;
        let is_empty = range.partition.is_empty() || range.end.is_some_and(|end| end <= range.start);
        let from = if range.start.is_empty() { From::Start } else { From::At(range.start.to_vec()) };
        let source = Source::Rows { partition: range.partition.to_vec(), from, before: range.end.map(<[u8]>::to_vec) };
        Ok(Box::new(self.cursor(Rest::new(table, Vec::new(), (!is_empty).then_some(source)))))
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        let spec = TableSpec::find(self.client.tables, table)?;
        // The start of a run is a key without a partition, before all others.
        let after = after.filter(|key| !key.partition().is_empty());
        let mut sources = Vec::new();
        if is_partition(spec, prefix) {
            let of = after.filter(|key| key.partition() == prefix);
            let from = of.map_or(From::Start, |key| From::After(key.row().to_vec()));
            sources.push(Source::Rows { partition: prefix.to_vec(), from, before: None });
            return Ok(Box::new(self.cursor(Rest::new(table, Vec::new(), sources))));
        }
        let mut after_token = BEFORE_ALL;
        if let Some(key) = after {
            let token = token_of(key.partition()).value();
            let partition = key.partition().to_vec();
            sources.push(Source::Rows {
                partition: partition.clone(),
                from: From::After(key.row().to_vec()),
                before: None,
            });
            sources.push(Source::SameToken { token, after: partition });
            after_token = token;
        }
        sources.push(Source::Probe(TokenRange { after: after_token, upto: LAST }));
        Ok(Box::new(self.cursor(Rest::new(table, prefix.to_vec(), sources))))
    }

    fn scan_each(
        &self,
        partitions: Partitions<'_>,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        for (table, _) in partitions.lists() {
            TableSpec::find(self.client.tables, *table)?;
        }
        let mut scan = Scan::new(&self.client, &self.handle, partitions);
        let mut at = 0;
        while let Some(mut rows) = scan.rows(at)? {
            let mut next = at + 1;
            while let Some(entry) = rows.next()? {
                if let GoOn::AtPartition(to) = visit(at, entry) {
                    next = next.max(to);
                    break;
                }
            }
            at = next;
        }
        Ok(())
    }
}

impl Engine for CassandraEngine {
    fn name(&self) -> &'static str {
        "cassandra"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            atomic_across_partitions: false,
            snapshot_reads: false,
            ordered_partitions: false,
            cheap_prefix_delete: false,
            persistent: true,
            shared: true,
            remote: true,
            sorted_ingest: false,
        }
    }

    fn submit(&self, mut batch: WriteBatch) -> Commit {
        let guards = batch.take_guards();
        let refused = |guards: Guards, error| {
            guards.refuse();
            Commit::done(Err(error))
        };
        if let Err(error) = write::check(&self.client, &batch) {
            return refused(guards, error);
        }
        if batch.is_empty() {
            guards.release(true);
            return Commit::done(Ok(()));
        }
        let place = match self.pending.take(batch.bytes()) {
            Ok(place) => place,
            Err(error) => return refused(guards, error),
        };
        let Ok(permit) = Arc::clone(&self.pending.batches).try_acquire_owned() else {
            self.pending.bytes.fetch_sub(place, Ordering::Relaxed);
            return refused(guards, KvError::Unavailable { detail: format!("{SLOTS} batches wait for Cassandra") });
        };
        let (sender, commit) = Commit::pending();
        let client = Arc::clone(&self.client);
        let pending = Arc::clone(&self.pending);
        client.figures.pending_bytes.fetch_add(place as u64, Ordering::Relaxed);
        self.handle.spawn(async move {
            let units = client.planned(|planner| planner.units(&batch));
            let outcome = write::write(&client, &units).await;
            client.figures.pending_bytes.fetch_sub(place as u64, Ordering::Relaxed);
            pending.bytes.fetch_sub(place, Ordering::Relaxed);
            drop(units);
            drop(batch);
            guards.release(outcome.is_ok());
            sender.send(outcome);
            drop(permit);
        });
        commit
    }

    fn compare_and_swap(
        &self,
        table: TableId,
        key: Key<'_>,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<bool, KvError> {
        let table_name = TableSpec::find(self.client.tables, table)?.name;
        if let Some(new) = new
            && new.len() > VALUE_BYTES_MAX
        {
            return Err(KvError::ValueTooLong { table: table_name, bytes: new.len(), limit_bytes: VALUE_BYTES_MAX });
        }
        self.wait(swap::swap(&self.client, table, key, expected, new))
    }

    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError> {
        Ok(Box::new(self))
    }

    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        let spec = TableSpec::find(self.client.tables, table)?;
        if prefix.is_empty() {
            return Err(KvError::EmptyPrefix { table: spec.name });
        }
        let timestamp = self.client.clock.next();
        self.wait(self.delete(table, prefix, timestamp))
    }

    /// Nodes do this by themselves; a client cannot trigger it.
    fn compact(&self, table: TableId, _prefix: &[u8]) -> Result<(), KvError> {
        TableSpec::find(self.client.tables, table).map(drop)
    }

    fn split(&self, table: TableId, prefix: &[u8], _target_bytes: u64) -> Result<Vec<Run>, KvError> {
        TableSpec::find(self.client.tables, table)?;
        let bytes = self.wait(schema::table_bytes(&self.client, table))?;
        Ok(vec![Run { start: prefix.to_vec(), bytes }])
    }

    fn writes_completed_late(&self) -> u64 {
        self.client.figures.intents_repaired.load(Ordering::Relaxed)
    }

    fn write_clock(&self) -> u64 {
        u64::try_from(self.client.clock.last()).unwrap_or_default()
    }

    fn follow_clock(&self, moment: u64) {
        self.client.clock.follow(i64::try_from(moment).unwrap_or_default());
    }

    fn priority_lane(&self) -> Option<Arc<dyn Engine>> {
        Some(Arc::new(Self {
            client: Arc::new(self.client.priority_lane()),
            pending: Arc::default(),
            runtime: Arc::clone(&self.runtime),
            handle: self.handle.clone(),
        }))
    }

    /// Acknowledged writes are in the commit logs of enough replicas; the nodes' setting `commitlog_sync` determines
    /// when those are synced, and a client cannot.
    fn sync(&self) -> Result<(), KvError> {
        Ok(())
    }

    fn statistics(&self) -> Vec<Statistic> {
        statistics(&self.client)
    }

    fn memory(&self) -> Vec<Statistic> {
        memory(&self.client)
    }
}

impl Pending {
    /// Reserves the bytes of a batch, if the limit allows.
    fn take(&self, bytes: usize) -> Result<usize, KvError> {
        let room = |pending: usize| Some(pending + bytes).filter(|all| pending == 0 || *all <= PENDING_BYTES_MAX);
        match self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room) {
            Ok(_) => Ok(bytes),
            Err(pending) => Err(KvError::Unavailable {
                detail: format!(
                    "{pending} bytes of batches wait for Cassandra, which is too slow for them; at most \
                     {PENDING_BYTES_MAX} may wait"
                ),
            }),
        }
    }
}

impl Drop for CassandraEngine {
    fn drop(&mut self) {
        // Every batch has a deadline, so this ends.
        let slots = u32::try_from(SLOTS).unwrap_or(u32::MAX);
        drop(self.wait(self.pending.batches.acquire_many(slots)));
    }
}
