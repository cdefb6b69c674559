//! Sending writes: some in one request, and several requests at once.

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use kv::{KvError, Operation};
use scylla::statement::batch::{Batch, BatchType};

use crate::client::{Client, Queue};
use crate::limits::REQUESTS_PER_CALL;
use crate::statements::Ask;

/// Does calls at once, up to a bound. After a failure no further one is begun, and those under way are waited for, so
/// that none is still running when the outcome is known.
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
            .request_in(Queue::Batches, "writing", || client.session.execute_unpaged(&statement, values(write)))
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
    client.request_in(Queue::Batches, "writing a batch", || client.session.batch(&batch, &values)).await?;
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
