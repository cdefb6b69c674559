//! The engine: the calls of the storage interface.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use kv::{
    Capabilities, Commit, Cursor, Engine, Entry, GoOn, Key, Keys, KvError, Partitions, Read, RowRange, Run, Statistic,
    TableId, TableSpec, WriteBatch,
};
use tikv_client::{Config, Timestamp, TimestampExt, TransactionClient};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::begun::Begun;
use crate::error::brief;
use crate::layout::{Layout, end_of, stored};
use crate::limits::{ANSWER_BYTES_MAX, REGION_BYTES, THREAD_STACK_BYTES};
use crate::options::TikvOptions;
use crate::read::Reader;
use crate::regions::Regions;
use crate::shared::{Handed, Shared};
use crate::{identity, write};

/// How long dropping an engine waits for the client's last messages (the second halves of commits that were
/// acknowledged already; what is not sent is done by the next reader).
const LAST_MESSAGES: Duration = Duration::from_millis(100);

/// A store under a prefix of a TiKV cluster.
///
/// While the cluster cannot be reached, calls are tried again within their time and then fail with
/// [`KvError::Unavailable`]; the engine recovers by itself. Dropping it waits for what was submitted.
pub struct TikvEngine {
    reader: Reader,
    shared: Handed,
    runtime: Arc<Background>,
}

/// A runtime whose drop does not block, which a thread of another runtime must not do.
struct Background(Option<Runtime>);

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl TikvEngine {
    /// Connects to the cluster and takes the prefix, if it is empty or ours.
    ///
    /// # Errors
    /// [`KvError::Unavailable`] when the cluster cannot be reached within the time for it, [`KvError::NotAStore`] for a
    /// prefix of something else (nothing is written there), [`KvError::Other`] for settings that cannot be.
    pub fn open(options: &TikvOptions, tables: &'static [TableSpec]) -> Result<Self, KvError> {
        let engine = Self::connect(options, tables)?;
        let shared = Arc::clone(&engine.shared);
        engine.shared.wait(async move { identity::take(&shared).await })?;
        Ok(engine)
    }

    /// Deletes everything under the prefix, whatever it is. Nobody should have it open. Repeating it is harmless.
    ///
    /// # Errors
    /// Those of [`TikvEngine::open`] and of writing.
    pub fn erase(options: &TikvOptions) -> Result<(), KvError> {
        let engine = Self::connect(options, &[])?;
        let shared = Arc::clone(&engine.shared);
        engine.shared.wait(async move {
            let (start, end) = shared.layout.everything();
            let at = shared.read(None, async |at| Ok(at)).await?;
            write::delete_range(&shared, at, start, end).await
        })
    }

    fn connect(options: &TikvOptions, tables: &'static [TableSpec]) -> Result<Self, KvError> {
        options.check()?;
        let regions = Regions::new(options)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(options.threads)
            .thread_stack_size(THREAD_STACK_BYTES)
            .thread_name("kv-tikv")
            .enable_all()
            .build()
            .map_err(|error| KvError::Io {
                action: "starting the threads of TiKV's client",
                detail: error.to_string(),
            })?;
        let shared = Arc::new(Shared {
            client: connect(&runtime, options)?,
            regions: Arc::new(regions),
            layout: Layout::new(&options.prefix, tables),
            options: options.clone(),
            figures: Arc::default(),
            begun: Begun::default(),
            reads: Semaphore::new(options.in_flight_max),
            writes: Semaphore::new(options.in_flight_max),
            submitted: AtomicUsize::new(0),
            one_phase: Arc::new(AtomicBool::new(options.one_phase_commit)),
            runtime: runtime.handle().clone(),
        });
        Ok(Self { reader: Reader::now(Arc::clone(&shared)), shared, runtime: Arc::new(Background(Some(runtime))) })
    }

    fn table(&self, table: TableId) -> Result<&'static TableSpec, KvError> {
        TableSpec::find(self.shared.layout.tables(), table)
    }
}

/// Finds the cluster within the timeout.
fn connect(runtime: &Runtime, options: &TikvOptions) -> Result<TransactionClient, KvError> {
    let mut config =
        Config::default().with_timeout(options.attempt_timeout).with_grpc_max_decoding_message_size(ANSWER_BYTES_MAX);
    if let Some(tls) = &options.tls {
        config = config.with_security(&tls.ca, &tls.certificate, &tls.key);
    }
    let (endpoints, limit) = (options.pd_endpoints.clone(), options.connect_timeout);
    let (sender, receiver) = oneshot::channel();
    runtime.spawn(async move {
        let client = timeout(limit, async {
            let client = TransactionClient::new_with_config(endpoints, config).await?;
            // PD can be there without a cluster that works.
            client.current_timestamp().await?;
            Ok::<_, tikv_client::Error>(client)
        });
        drop(sender.send(client.await));
    });
    let reason = match receiver.recv() {
        Ok(Ok(Ok(client))) => return Ok(client),
        Ok(Ok(Err(error))) => brief(&error),
        Ok(Err(_)) => "no answer".to_owned(),
        Err(_) => "the client stopped".to_owned(),
    };
    Err(KvError::Unavailable {
        detail: format!(
            "cannot reach TiKV within {} ms, PD at {}: {reason}; are the addresses those of PD (usually port 2379), \
             and {}?",
            limit.as_millis(),
            options.pd_endpoints.join(", "),
            match options.tls {
                Some(_) => "does the cluster speak TLS with certificates of this authority",
                None => "does the cluster speak without TLS",
            }
        ),
    })
}

impl Drop for TikvEngine {
    fn drop(&mut self) {
        let (shared, slots) = (Arc::clone(&self.shared), self.shared.options.in_flight_max);
        let all = u32::try_from(slots).unwrap_or(u32::MAX);
        // Batches wait for slots in order of arrival, so these come after all others.
        let waited = self.shared.wait(async move {
            drop(timeout(shared.options.request_timeout, shared.writes.acquire_many(all)).await);
            if shared.figures.writes.now() > 0 {
                tokio::time::sleep(LAST_MESSAGES).await;
            }
            Ok(())
        });
        if let Err(error) = waited {
            tracing::warn!(%error, "closing TiKV: some batches may not have been written");
        }
    }
}

impl Read for TikvEngine {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        self.reader.get(table, key, found)
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        self.reader.multi_get(table, keys, found)
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.reader.scan(table, range)
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.reader.scan_partitions(table, prefix, after)
    }

    fn scan_each(
        &self,
        partitions: Partitions<'_>,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        self.reader.scan_each(partitions, visit)
    }
}

impl Engine for TikvEngine {
    fn name(&self) -> &'static str {
        "tikv"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            atomic_across_partitions: true,
            snapshot_reads: true,
            ordered_partitions: true,
            cheap_prefix_delete: false,
            persistent: true,
            shared: true,
            remote: true,
            sorted_ingest: false,
        }
    }

    fn submit(&self, batch: WriteBatch) -> Commit {
        write::submit(&self.shared, batch)
    }

    fn compare_and_swap(
        &self,
        table: TableId,
        key: Key<'_>,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<bool, KvError> {
        let mut limits = WriteBatch::new();
        limits.put_key(table, key, new.unwrap_or_default());
        limits.check(self.shared.layout.tables())?;
        let full = self.shared.layout.full(table, key.as_bytes());
        let (expected, new) = (expected.map(stored), new.map(stored));
        let shared = Arc::clone(&self.shared);
        self.shared.wait(async move { write::swap(&shared, full, expected, new).await })
    }

    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError> {
        Ok(Box::new(Reader::snapshot(Arc::clone(&self.shared))?))
    }

    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        let spec = self.table(table)?;
        if prefix.is_empty() {
            return Err(KvError::EmptyPrefix { table: spec.name });
        }
        let start = self.shared.layout.full(table, prefix);
        let end = end_of(&start);
        let shared = Arc::clone(&self.shared);
        self.shared.wait(async move {
            let at = shared.read(None, async |at| Ok(at)).await?;
            write::delete_range(&shared, at, start, end).await
        })
    }

    fn compact(&self, table: TableId, _prefix: &[u8]) -> Result<(), KvError> {
        self.table(table)?;
        let Some(age) = self.shared.options.garbage_age else { return Ok(()) };
        let shared = Arc::clone(&self.shared);
        self.shared.wait(async move {
            let now = shared.read(None, async |at| Ok(at)).await?;
            let until = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            let until = Timestamp { physical: now.physical.saturating_sub(until).max(0), ..now };
            tracing::info!(until = until.version(), "TiKV may garbage-collect what was overwritten or deleted before");
            match shared.client.gc(until).await {
                Ok(_) => Ok(()),
                Err(error) => {
                    Err(KvError::Unavailable { detail: format!("TiKV's garbage collection: {}", brief(&error)) })
                }
            }
        })
    }

    fn split(&self, table: TableId, prefix: &[u8], target_bytes: u64) -> Result<Vec<Run>, KvError> {
        self.table(table)?;
        let start = self.shared.layout.full(table, prefix);
        let shared = Arc::clone(&self.shared);
        let ends = self.shared.wait(async move {
            let end = end_of(&start);
            let mut ends: Vec<Vec<u8>> = Vec::new();
            let mut from = start;
            loop {
                let found = shared.region_ends(&from, &end, crate::limits::REGIONS_AT_ONCE).await?;
                let before = ends.len();
                ends.extend(found.into_iter().filter(|at| *at > from && *at < end));
                match ends.last() {
                    Some(last) if ends.len() > before => from.clone_from(last),
                    _ => return Ok(ends),
                }
            }
        })?;
        let starts: Vec<&[u8]> = ends.iter().map(|end| self.shared.layout.bytes(end)).collect();
        Ok(runs(prefix, &starts, target_bytes))
    }

    fn priority_lane(&self) -> Option<Arc<dyn Engine>> {
        let shared = Arc::new(self.shared.priority_lane());
        Some(Arc::new(Self { reader: Reader::now(Arc::clone(&shared)), shared, runtime: Arc::clone(&self.runtime) }))
    }

    fn sync(&self) -> Result<(), KvError> {
        // A store acknowledges what a majority has in its synced log.
        Ok(())
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.shared.figures.statistics(self.shared.reads.available_permits(), &self.shared.options)
    }

    fn memory(&self) -> Vec<Statistic> {
        self.shared.figures.memory(&self.shared.options)
    }
}

/// Puts regions, which begin at `prefix` and at `starts`, together into runs of about `target_bytes`.
fn runs(prefix: &[u8], starts: &[&[u8]], target_bytes: u64) -> Vec<Run> {
    let regions = starts.len() + 1;
    let of_target = usize::try_from(target_bytes / REGION_BYTES).unwrap_or(usize::MAX);
    let of_run = of_target.max(regions.div_ceil(kv::limits::RUNS_MAX)).max(1);
    std::iter::once(prefix)
        .chain(starts.iter().copied().filter(|start| *start > prefix))
        .enumerate()
        .filter(|(at, _)| at % of_run == 0)
        .map(|(at, start)| {
            let together = of_run.min(regions.saturating_sub(at));
            Run {
                start: start.to_vec(),
                bytes: REGION_BYTES.saturating_mul(u64::try_from(together).unwrap_or(u64::MAX)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_whole_regions() {
        let starts: Vec<[u8; 2]> = (1..=9).map(|n| [7, n]).collect();
        let starts: Vec<&[u8]> = starts.iter().map(<[u8; 2]>::as_slice).collect();
        let of = |target| runs(&[7], &starts, target);
        assert_eq!(of(0).len(), 10);
        assert_eq!(of(u64::MAX), [Run { start: vec![7], bytes: 10 * REGION_BYTES }]);
        let three = of(3 * REGION_BYTES);
        assert_eq!(
            three.iter().map(|run| run.start.clone()).collect::<Vec<_>>(),
            [vec![7], vec![7, 3], vec![7, 6], vec![7, 9]]
        );
        assert_eq!(three.iter().map(|run| run.bytes).sum::<u64>(), 10 * REGION_BYTES);
    }
}
