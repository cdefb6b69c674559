//! Writing batches.

use std::sync::atomic::Ordering;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use kv::{KvError, Operation, WriteBatch};
use scylla::statement::batch::{Batch, BatchType};

use crate::client::{Client, Line};
use crate::intent;
use crate::limits::{REQUESTS_PER_CALL, VALUE_BYTES_MAX};
use crate::plan::{Kind, Unit};
use crate::statements::Ask;

/// Checks a batch before anything of it is written.
pub(crate) fn check(client: &Client, batch: &WriteBatch) -> Result<(), KvError> {
    batch.check(client.tables)?;
    for write in batch.iter() {
        let table = kv::TableSpec::find(client.tables, write.table())?.name;
        if write.key().partition().is_empty() {
            return Err(KvError::Other {
                detail: format!("a key for table {table} has no partition, which Cassandra needs"),
            });
        }
        if let Operation::Put { value, .. } = write
            && value.len() > VALUE_BYTES_MAX
        {
            return Err(KvError::ValueTooLong { table, bytes: value.len(), limit_bytes: VALUE_BYTES_MAX });
        }
    }
    Ok(())
}

/// Writes the requests of a batch, all with one timestamp.
pub(crate) async fn write(client: &Client, units: &[Unit<'_>]) -> Result<(), KvError> {
    let timestamp = client.clock.next();
    let calls: Vec<_> = units.iter().map(|unit| write_unit(client, unit, timestamp)).collect();
    all(calls).await
}

/// Does calls at once, up to a bound. After a failure no further one is begun, and those under way are waited for, so that nothing
/// goes on
/// once the outcome is known.
pub(crate) async fn all<F>(calls: Vec<F>) -> Result<(), KvError>
where
    F: Future<Output = Result<(), KvError>>,
{
    let mut waiting = calls.into_iter();
    let mut under_way = FuturesUnordered::new();
    let mut outcome = Ok(());
    loop {
        while outcome.is_ok()
            && under_way.len() < REQUESTS_PER_CALL
            && let Some(call) = waiting.next()
        {
            under_way.push(call);
        }
        match under_way.next().await {
            Some(done) => outcome = outcome.and(done),
            None => return outcome,
        }
    }
}

async fn write_unit(client: &Client, unit: &Unit<'_>, timestamp: i64) -> Result<(), KvError> {
    let figures = &client.figures;
    match unit.kind {
        Kind::Partition => {
            let counter = if unit.writes.len() == 1 { &figures.single_writes } else { &figures.partition_batches };
            counter.fetch_add(1, Ordering::Relaxed);
            send(client, &unit.writes, BatchType::Unlogged, timestamp).await
        }
        Kind::Logged => {
            figures.logged_batches.fetch_add(1, Ordering::Relaxed);
            send(client, &unit.writes, BatchType::Logged, timestamp).await
        }
        Kind::Intent => {
            figures.intents_written.fetch_add(1, Ordering::Relaxed);
            intent::write(client, &unit.writes, timestamp).await
        }
    }
}

/// Sends writes in one request.
pub(crate) async fn send(
    client: &Client,
    writes: &[Operation<'_>],
    kind: BatchType,
    timestamp: i64,
) -> Result<(), KvError> {
    if let [write] = writes {
        let mut statement = client.statement(write.table(), ask(write)).await?.clone();
        statement.set_timestamp(Some(timestamp));
        client
            .request_in(Line::Batches, "writing", || client.session.execute_unpaged(&statement, values(write)))
            .await?;
        return Ok(());
    }
    let mut batch = Batch::new(kind);
    for write in writes {
        batch.append_statement(client.statement(write.table(), ask(write)).await?.clone());
    }
    batch.set_is_idempotent(true);
    batch.set_timestamp(Some(timestamp));
    let values: Vec<Vec<&[u8]>> = writes.iter().map(values).collect();
    client.request_in(Line::Batches, "writing a batch", || client.session.batch(&batch, &values)).await?;
    Ok(())
}

fn ask(write: &Operation<'_>) -> Ask {
    match write {
        Operation::Put { .. } => Ask::Put,
        Operation::Delete { .. } => Ask::Delete,
    }
}

fn values<'a>(write: &Operation<'a>) -> Vec<&'a [u8]> {
    let key = write.key();
    match write {
        Operation::Put { value, .. } => vec![key.partition(), key.row(), value],
        Operation::Delete { .. } => vec![key.partition(), key.row()],
    }
}
