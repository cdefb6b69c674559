//! Writing batches.

use std::sync::atomic::Ordering;
use std::time::Instant;

use kv::{KvError, Operation, WriteBatch};
use scylla::statement::batch::BatchType;

use crate::client::Client;
use crate::intent;
use crate::limits::{SLOW_ANSWER, VALUE_BYTES_MAX};
use crate::plan::{Kind, Unit};
use crate::send::{all, send, send_logged};

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

async fn write_unit(client: &Client, unit: &Unit<'_>, timestamp: i64) -> Result<(), KvError> {
    let figures = &client.figures;
    match unit.kind {
        Kind::Partition => {
            let counter = if unit.writes.len() == 1 { &figures.single_writes } else { &figures.partition_batches };
            counter.fetch_add(1, Ordering::Relaxed);
            send(client, &unit.writes, BatchType::Unlogged, timestamp).await
        }
        Kind::Unlogged => {
            figures.unlogged_batches.fetch_add(1, Ordering::Relaxed);
            send(client, &unit.writes, BatchType::Unlogged, timestamp).await
        }
        Kind::Logged => write_logged(client, &unit.writes, timestamp).await,
        Kind::Intent => {
            figures.intents_written.fetch_add(1, Ordering::Relaxed);
            intent::write(client, &unit.writes, timestamp).await
        }
    }
}

/// Writes a group by the cluster's log of batches, or as an intent where that does not work.
///
/// A node that takes a logged batch first writes it to the logs of two other nodes and waits for both. When a node
/// dies, the others choose it for that until they have found it dead, which takes them some 20 s; every batch it is
/// chosen for fails meanwhile, though a majority of the replicas is there. An intent needs nothing but that majority.
/// Both write the same with the same timestamp, so a batch that is completed later changes nothing.
async fn write_logged(client: &Client, writes: &[Operation<'_>], timestamp: i64) -> Result<(), KvError> {
    let (figures, log) = (&client.figures, &client.batch_log);
    let mut tries = client.tries("writing a batch").without_blame();
    if log.may_try() {
        figures.logged_batches.fetch_add(1, Ordering::Relaxed);
        if send_logged(client, writes, timestamp, &mut tries).await? {
            if log.works() {
                tracing::info!("Cassandra's log of batches works again");
            }
            return Ok(());
        }
    }
    let began = Instant::now();
    figures.logged_as_intents.fetch_add(1, Ordering::Relaxed);
    tries.in_time(intent::write(client, writes, timestamp)).await?;
    // Where this took long, too, the cluster is slow, and not its log.
    if tries.any() && began.elapsed() < SLOW_ANSWER && log.fails() {
        tracing::warn!(
            "Cassandra does not answer logged batches, but answers other writes: a node may have died, and the others \
             do not know yet; groups of writes are kept as intents until the log works"
        );
    }
    Ok(())
}
