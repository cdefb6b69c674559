//! What all calls share: the client, its threads, and how a call is retried until its deadline.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use kv::KvError;
use tikv_client::transaction::{HeartbeatOption, ResolveLocksOptions};
use tikv_client::{
    Backoff, CheckLevel, RetryOptions, Snapshot, Timestamp, TimestampExt, Transaction, TransactionClient,
    TransactionOptions,
};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout_at};

use crate::begun::Begun;
use crate::error::{Trouble, Verdict, brief, judge, translate};
use crate::layout::Layout;
use crate::limits::{CLIENT_ATTEMPTS_MAX, FIRST_PAUSE, LOCK_LIFE_MS, PAUSE_MAX, PRIORITY_LANE_CALLS, SLOT_BYTES};
use crate::options::TikvOptions;
use crate::regions::Regions;
use crate::statistics::Figures;

/// Pauses of the client itself, in milliseconds: the first and the longest.
const CLIENT_PAUSES_MS: (u64, u64) = (2, 200);
/// Retries of a read by the client itself; after that the call is retried here with a fresh view of the cluster.
const CLIENT_READ_ATTEMPTS: u32 = 6;
/// Retries of a step of a write by the client itself. Enough for a store to restart or a region to elect a leader: the
/// cluster distinguishes a repeated step from a new write, so the outcome stays known.
const CLIENT_WRITE_ATTEMPTS: u32 = 20;

pub(crate) struct Shared {
    pub(crate) client: TransactionClient,
    pub(crate) regions: Arc<Regions>,
    pub(crate) layout: Layout,
    pub(crate) options: TikvOptions,
    pub(crate) figures: Arc<Figures>,
    /// Transactions for the next batches.
    pub(crate) begun: Begun,
    /// Slots for reads.
    pub(crate) reads: Semaphore,
    /// Slots for writes: one per [`SLOT_BYTES`] of a batch.
    pub(crate) writes: Semaphore,
    /// Number of submitted batches not yet written; the priority lane has its own count.
    pub(crate) submitted: AtomicUsize,
    /// Whether to try to commit in one phase.
    pub(crate) one_phase: Arc<AtomicBool>,
    pub(crate) runtime: Handle,
}

impl Shared {
    /// The same with slots of its own.
    pub(crate) fn priority_lane(&self) -> Self {
        Self {
            client: self.client.clone(),
            regions: Arc::clone(&self.regions),
            layout: self.layout.clone(),
            options: TikvOptions { in_flight_max: PRIORITY_LANE_CALLS, ..self.options.clone() },
            figures: Arc::clone(&self.figures),
            begun: Begun::default(),
            reads: Semaphore::new(PRIORITY_LANE_CALLS),
            writes: Semaphore::new(PRIORITY_LANE_CALLS),
            submitted: AtomicUsize::new(0),
            one_phase: Arc::clone(&self.one_phase),
            runtime: self.runtime.clone(),
        }
    }

    /// The number of slots for a batch of this size.
    pub(crate) fn slots(&self, bytes: usize) -> u32 {
        let most = (self.options.in_flight_max / 4).max(1);
        u32::try_from(bytes.div_ceil(SLOT_BYTES).clamp(1, most)).unwrap_or(1)
    }

    /// Runs `work` on the client's threads and waits for it. Callers may be on a thread of another runtime, which could
    /// not block on a future itself.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, KvError>> + Send + 'static,
    ) -> Result<T, KvError> {
        let (sender, receiver) = oneshot::channel();
        self.runtime.spawn(async move { drop(sender.send(work.await)) });
        receiver.recv().unwrap_or(Err(KvError::Closed))
    }

    /// The deadline of a call that begins now.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.options.request_timeout
    }

    /// A timestamp that is after everything acknowledged so far.
    pub(crate) async fn now(&self, deadline: Instant) -> Result<Timestamp, Trouble> {
        match timeout_at(deadline, self.client.current_timestamp()).await {
            Ok(timestamp) => Ok(timestamp?),
            Err(_) => Err(Trouble::NoTimestamp),
        }
    }

    /// A snapshot of the store, a new one for every request, because the client's snapshots cache all they have read.
    pub(crate) fn snapshot(&self, at: Timestamp) -> Snapshot {
        self.client.snapshot(at, transaction_options(CLIENT_READ_ATTEMPTS))
    }

    /// A new transaction.
    pub(crate) async fn begin(&self, deadline: Instant, one_phase: bool) -> Result<Transaction, Trouble> {
        let mut options = transaction_options(CLIENT_WRITE_ATTEMPTS);
        if one_phase {
            options = options.try_one_pc();
        }
        match timeout_at(deadline, self.client.begin_with_options(options)).await {
            Ok(transaction) => Ok(transaction?),
            Err(_) => Err(Trouble::NoTimestamp),
        }
    }

    /// A transaction of two phases for a batch that has read nothing, begun ahead where there is one.
    pub(crate) async fn begun(&self, deadline: Instant) -> Result<Transaction, Trouble> {
        match self.begun.take() {
            Some(transaction) => {
                self.figures.begun_ahead.add(1);
                Ok(transaction)
            }
            None => self.begin(deadline, false).await,
        }
    }

    /// Begins one for a later batch. Where that fails, the batch begins its own.
    pub(crate) async fn begin_ahead(&self) {
        let since = Instant::now();
        if let Ok(transaction) = self.begin(self.deadline(), false).await {
            self.begun.put(since, transaction);
        }
    }

    /// Reads a snapshot at `at` or now, with retries until it succeeds or the deadline passes.
    pub(crate) async fn read<T, F: Future<Output = Result<T, Trouble>>>(
        &self,
        at: Option<Timestamp>,
        mut attempt: impl FnMut(Timestamp) -> F,
    ) -> Result<T, KvError> {
        let mut attempts = Attempts::new(self, false);
        let _permit = attempts.permit(&self.reads, 1).await?;
        self.figures.reads.add(1);
        loop {
            let deadline = attempts.deadline;
            let known = at.clone();
            let one = async {
                let at = match known {
                    Some(at) => at,
                    None => self.now(deadline).await?,
                };
                attempt(at).await
            };
            match timeout_at(deadline, one).await.unwrap_or(Err(Trouble::TimeUp)) {
                Ok(found) => return Ok(found),
                Err(trouble) => attempts.again(trouble).await?,
            }
        }
    }
}

fn transaction_options(attempts: u32) -> TransactionOptions {
    let (first, longest) = CLIENT_PAUSES_MS;
    let retries = RetryOptions::new(
        Backoff::no_jitter_backoff(first, longest, attempts),
        Backoff::no_jitter_backoff(first, longest, CLIENT_ATTEMPTS_MAX),
    );
    TransactionOptions::new_optimistic()
        .retry_options(retries)
        // A transaction is dropped half-way at its deadline; others then clear its locks away.
        .drop_check(CheckLevel::None)
        // No transaction is open for longer than its locks live.
        .heartbeat_option(HeartbeatOption::NoHeartbeat)
}

/// When the transaction began whose lock is in the way while its first key knows nothing of it: broken off in the
/// middle of writing its locks, or still about to.
fn dead_transaction(error: &tikv_client::Error) -> Option<u64> {
    use tikv_client::Error;
    match error {
        Error::TxnNotFound(missing) => Some(missing.start_ts),
        Error::KeyError(key) => key.txn_not_found.as_ref().map(|missing| missing.start_ts),
        Error::ExtractedErrors(all) | Error::MultipleKeyErrors(all) => all.iter().find_map(dead_transaction),
        _ => None,
    }
}

/// The attempts of one call.
pub(crate) struct Attempts<'a> {
    shared: &'a Shared,
    pub(crate) deadline: Instant,
    pause: Duration,
    last: Option<String>,
    writes: bool,
    /// Whether an attempt may have written.
    pub(crate) unknown: bool,
}

impl<'a> Attempts<'a> {
    pub(crate) fn new(shared: &'a Shared, writes: bool) -> Self {
        Self { shared, deadline: shared.deadline(), pause: FIRST_PAUSE, last: None, writes, unknown: false }
    }

    /// Waits for slots.
    pub(crate) async fn permit<'p>(
        &self,
        slots: &'p Semaphore,
        wanted: u32,
    ) -> Result<tokio::sync::SemaphorePermit<'p>, KvError> {
        match timeout_at(self.deadline, slots.acquire_many(wanted)).await {
            Ok(permit) => permit.map_err(|_| KvError::Closed),
            Err(_) => Err(KvError::Unavailable {
                detail: format!(
                    "all {} slots for calls to TiKV were taken for {} ms (storage.tikv.in_flight_max)",
                    self.shared.options.in_flight_max,
                    self.shared.options.request_timeout.as_millis()
                ),
            }),
        }
    }

    /// Waits before the next attempt, or says why there is none.
    pub(crate) async fn again(&mut self, trouble: Trouble) -> Result<(), KvError> {
        let figures = &self.shared.figures;
        match trouble {
            Trouble::TimeUp => {
                self.unknown = true;
                return Err(self.give_up());
            }
            Trouble::NoTimestamp => {
                self.last.get_or_insert_with(|| "PD gave no timestamp".to_owned());
                return Err(self.give_up());
            }
            Trouble::Unsure => {
                self.unknown = true;
                self.last = Some("PD did not say where a key is while the batch was committed".to_owned());
            }
            Trouble::Client(error) => {
                if let Some(start) = dead_transaction(&error) {
                    self.clear(start).await;
                }
                match judge(&error) {
                    Verdict::Final => {
                        figures.failures.add(1);
                        return Err(translate(&error));
                    }
                    Verdict::Conflict => figures.conflicts.add(1),
                    Verdict::NotInOnePhase => {
                        tracing::info!("the cluster does not commit in one phase; using two from now on");
                        self.shared.one_phase.store(false, Ordering::Relaxed);
                    }
                    Verdict::Unknown => self.unknown = true,
                    Verdict::Again => {}
                }
                self.last = Some(brief(&error));
            }
        }
        let pause = self.pause.mul_f64(1.0 - rand::random::<f64>() / 2.0);
        if Instant::now() + pause >= self.deadline {
            return Err(self.give_up());
        }
        figures.retries.add(1);
        sleep(pause).await;
        self.pause = (self.pause * 2).min(PAUSE_MAX);
        Ok(())
    }

    /// Clears away the locks of a transaction that began at `start` and of which nothing is known where its outcome
    /// would be, if it is old enough. The client would do this by itself, but 0.4 looks for that answer in another kind
    /// of error than it arrives in.
    async fn clear(&self, start: u64) {
        let clearing = async {
            let now = self.shared.now(self.deadline).await.ok()?;
            let start = Timestamp::from_version(start);
            if now.physical.saturating_sub(start.physical) < LOCK_LIFE_MS {
                return None;
            }
            let (from, to) = self.shared.layout.everything();
            let options = ResolveLocksOptions::default();
            Some(self.shared.client.cleanup_locks(from..to, &start, options).await)
        };
        match timeout_at(self.deadline, clearing).await {
            Ok(Some(Ok(cleared))) => {
                tracing::info!(
                    locks = cleared.resolved_locks,
                    "cleared away the locks of a transaction that was broken off"
                );
            }
            Ok(Some(Err(error))) => {
                tracing::warn!(
                    error = brief(&error),
                    "cannot clear away the locks of a transaction that was broken off"
                );
            }
            Ok(None) | Err(_) => {}
        }
    }

    /// The error of a call that has no further attempt.
    pub(crate) fn give_up(&self) -> KvError {
        self.shared.figures.failures.add(1);
        let options = &self.shared.options;
        let limit_ms = options.request_timeout.as_millis();
        let outcome = match (self.writes, self.unknown) {
            (false, _) => "",
            (true, false) => "; nothing was written",
            (true, true) => {
                self.shared.figures.unknown_outcomes.add(1);
                "; whether it was written is unknown"
            }
        };
        match &self.last {
            Some(words) => KvError::Unavailable {
                detail: format!(
                    "TiKV (PD at {}): {words}; tried for up to {limit_ms} ms{outcome}",
                    options.pd_endpoints.join(", ")
                ),
            },
            None => KvError::Timeout { limit_ms: u64::try_from(limit_ms).unwrap_or(u64::MAX) },
        }
    }
}

impl Shared {
    /// Where the regions from `start` on end that begin before `end`, at most `limit` of them, in order. The last one
    /// may end behind `end`.
    pub(crate) async fn region_ends(&self, start: &[u8], end: &[u8], limit: u32) -> Result<Vec<Vec<u8>>, KvError> {
        let deadline = self.deadline();
        let mut pause = FIRST_PAUSE;
        loop {
            let status = match timeout_at(deadline, self.regions.ends(start, end, limit)).await {
                Ok(Ok(ends)) => {
                    return Ok(ends.into_iter().map(|at| if at.is_empty() { end.to_vec() } else { at }).collect());
                }
                Ok(Err(status)) => status,
                Err(_) => tonic::Status::deadline_exceeded("no answer in time"),
            };
            if Instant::now() + pause >= deadline {
                self.figures.failures.add(1);
                return Err(KvError::Unavailable {
                    detail: format!(
                        "TiKV (PD at {}): asking for regions: {}",
                        self.options.pd_endpoints.join(", "),
                        status.message()
                    ),
                });
            }
            self.figures.retries.add(1);
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}

/// The shared part, as calls hold it.
pub(crate) type Handed = Arc<Shared>;

#[cfg(test)]
mod tests {
    use tikv_client::{Error, ProtoKeyError};

    use super::dead_transaction;

    #[test]
    fn a_transaction_that_is_not_found_is_found_in_every_kind_of_error() {
        let mut key = ProtoKeyError { txn_not_found: Some(Default::default()), ..Default::default() };
        if let Some(missing) = &mut key.txn_not_found {
            missing.start_ts = 7;
        }
        let of_key = || Error::KeyError(Box::new(key.clone()));
        assert_eq!(dead_transaction(&of_key()), Some(7));
        assert_eq!(dead_transaction(&Error::MultipleKeyErrors(vec![Error::Unimplemented, of_key()])), Some(7));
        assert_eq!(dead_transaction(&Error::ExtractedErrors(vec![of_key()])), Some(7));
        assert_eq!(dead_transaction(&Error::Unimplemented), None);
    }
}
