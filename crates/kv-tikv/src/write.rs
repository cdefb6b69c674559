//! Writing: what becomes of a batch.
//!
//! A batch is an optimistic transaction. It writes without having read, so when another writer has changed one of its
//! keys in the meantime, it is simply retried with a new timestamp. An attempt whose answer was lost, which may or may
//! not have been written, is retried too, so it may be written twice. Locks over its keys (the guards of the batch) are
//! held until the last attempt, so no other holder of these locks can write in between; to everyone else it looks as if
//! the batch arrived a little later. The cluster decides about the first attempt before the second can write, since
//! that finds the locks of the first; an abandoned attempt can never be written after a later one.
//!
//! A swap has read, so it is never repeated after an attempt that may have been written.

use std::sync::atomic::Ordering;

use kv::{Commit, KvError, Operation, WriteBatch};
use tikv_client::transaction::Mutation;
use tikv_client::{Timestamp, Transaction};
use tokio::time::timeout_at;

use crate::error::Trouble;
use crate::layout::{Layout, stored};
use crate::limits::{DELETE_KEYS_MAX, SLOT_BYTES, WAITING_BATCHES_MAX};
use crate::lookups;
use crate::pages::Pages;
use crate::shared::{Attempts, Handed, Shared};

/// Hands over a batch.
pub(crate) fn submit(shared: &Handed, mut batch: WriteBatch) -> Commit {
    let guards = batch.take_guards();
    if let Err(error) = batch.check(shared.layout.tables()) {
        guards.refuse();
        return Commit::done(Err(error));
    }
    if batch.is_empty() {
        guards.release(true);
        return Commit::done(Ok(()));
    }
    let figures = &shared.figures;
    let most = shared.options.in_flight_max.saturating_add(WAITING_BATCHES_MAX);
    if shared.submitted.load(Ordering::Relaxed) >= most {
        guards.refuse();
        return Commit::done(Err(KvError::Unavailable {
            detail: format!("{WAITING_BATCHES_MAX} batches are already waiting for TiKV; nothing was written"),
        }));
    }
    let bytes = batch.bytes();
    shared.submitted.fetch_add(1, Ordering::Relaxed);
    figures.batches.add(1);
    figures.batch_bytes.add(as_u64(bytes));
    let mutations = mutations(&shared.layout, &batch);
    drop(batch);
    let (sender, commit) = Commit::pending();
    let shared = Handed::clone(shared);
    let runtime = shared.runtime.clone();
    runtime.spawn(async move {
        let outcome = write(&shared, mutations, bytes).await;
        guards.release(outcome.is_ok());
        shared.submitted.fetch_sub(1, Ordering::Relaxed);
        shared.figures.batches.remove(1);
        shared.figures.batch_bytes.remove(as_u64(bytes));
        let another_may_follow = outcome.is_ok() && is_divided(bytes);
        sender.send(outcome);
        if another_may_follow {
            shared.begin_ahead().await;
        }
    });
    commit
}

fn as_u64(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

fn mutations(layout: &Layout, batch: &WriteBatch) -> Vec<Mutation> {
    let of = |operation: Operation<'_>| {
        let full = layout.full(operation.table(), operation.key().as_bytes()).into();
        match operation {
            Operation::Put { value, .. } => Mutation::Put(full, stored(value)),
            Operation::Delete { .. } => Mutation::Delete(full),
        }
    };
    batch.iter().map(of).collect()
}

/// Whether the client divides a batch of so many bytes, which then takes two phases.
fn is_divided(bytes: usize) -> bool {
    bytes > SLOT_BYTES
}

/// Writes all of it or nothing.
pub(crate) async fn write(shared: &Shared, mutations: Vec<Mutation>, bytes: usize) -> Result<(), KvError> {
    let mut attempts = Attempts::new(shared, true);
    let _permit = attempts.permit(&shared.writes, shared.slots(bytes)).await?;
    shared.figures.writes.add(1);
    let one_phase = || !is_divided(bytes) && shared.one_phase.load(Ordering::Relaxed);
    let mut transaction =
        if one_phase() { shared.begin(attempts.deadline, true).await } else { shared.begun(attempts.deadline).await };
    loop {
        let outcome = match transaction {
            Ok(transaction) => commit(&attempts, transaction, mutations.clone()).await,
            Err(trouble) => Err(trouble),
        };
        match outcome {
            Ok(()) => return Ok(()),
            Err(trouble) => attempts.again(trouble).await?,
        }
        transaction = shared.begin(attempts.deadline, one_phase()).await;
    }
}

async fn commit(
    attempts: &Attempts<'_>,
    mut transaction: Transaction,
    mutations: Vec<Mutation>,
) -> Result<(), Trouble> {
    transaction.batch_mutate(mutations).await?;
    within(attempts, &mut transaction).await
}

/// Commits within the time there is.
async fn within(attempts: &Attempts<'_>, transaction: &mut Transaction) -> Result<(), Trouble> {
    let failed_before = lookups::failed();
    let outcome = timeout_at(attempts.deadline, transaction.commit()).await.map_err(|_| Trouble::TimeUp)?;
    let sure = lookups::failed() <= failed_before;
    if matches!(outcome, Err(tikv_client::Error::OnePcFailure)) {
        // Its locks are there and would be in the way of the next attempt until they expire.
        drop(timeout_at(attempts.deadline, transaction.rollback()).await);
    }
    match outcome {
        Ok(_) | Err(tikv_client::Error::OnePcFailure) if !sure => Err(Trouble::Unsure),
        outcome => Ok(outcome.map(drop)?),
    }
}

/// Replaces the stored value of a full key, if it is `expected`.
pub(crate) async fn swap(
    shared: &Shared,
    full: Vec<u8>,
    expected: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
) -> Result<bool, KvError> {
    let mut attempts = Attempts::new(shared, true);
    let _permit = attempts.permit(&shared.writes, 1).await?;
    shared.figures.writes.add(1);
    loop {
        match try_swap(shared, &attempts, &full, expected.as_ref(), new.as_ref()).await {
            Ok(swapped) => return Ok(swapped),
            Err(trouble) => attempts.again(trouble).await?,
        }
        if attempts.unknown {
            return Err(attempts.give_up());
        }
    }
}

async fn try_swap(
    shared: &Shared,
    attempts: &Attempts<'_>,
    full: &[u8],
    expected: Option<&Vec<u8>>,
    new: Option<&Vec<u8>>,
) -> Result<bool, Trouble> {
    let mut transaction = shared.begin(attempts.deadline, shared.one_phase.load(Ordering::Relaxed)).await?;
    let found = timeout_at(attempts.deadline, transaction.get(full.to_vec())).await.map_err(|_| Trouble::TimeUp)??;
    if found.as_ref() != expected {
        return Ok(false);
    }
    match new {
        Some(value) => transaction.put(full.to_vec(), value.clone()).await?,
        // Absent before and after: that was read, and there is nothing to write.
        None if found.is_none() => return Ok(true),
        None => transaction.delete(full.to_vec()).await?,
    }
    within(attempts, &mut transaction).await?;
    Ok(true)
}

/// Deletes what is there at a moment from `start` to before `end`, in steps.
pub(crate) async fn delete_range(shared: &Handed, at: Timestamp, start: Vec<u8>, end: Vec<u8>) -> Result<(), KvError> {
    let mut pages = Pages::new(Handed::clone(shared), at, start, end, DELETE_KEYS_MAX).by_regions().keys_only();
    loop {
        let rows = pages.next().await?;
        if rows.is_empty() {
            return Ok(());
        }
        let bytes = rows.iter().map(|(key, _)| key.len()).sum();
        write(shared, rows.into_iter().map(|(key, _)| Mutation::Delete(key.into())).collect(), bytes).await?;
    }
}
