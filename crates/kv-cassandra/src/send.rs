//! Sending writes: some in one request, and several requests at once.

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use kv::{KvError, Operation};
use scylla::statement::batch::{Batch, BatchType};

use crate::client::{Client, Queue, Tries};
use crate::error::{Failure, failure, is_timeout};
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
    let (batch, values) = batch(client, writes, kind, timestamp).await?;
    client.request_in(Queue::Batches, "writing a batch", || client.session.batch(&batch, &values)).await?;
    Ok(())
}

/// Sends writes as a logged batch until it is answered, or fails for good. `false` where a node has taken the batch and
/// nobody answered in time: it may be written, later too.
pub(crate) async fn send_logged(
    client: &Client,
    writes: &[Operation<'_>],
    timestamp: i64,
    tries: &mut Tries<'_>,
) -> Result<bool, KvError> {
    let (batch, values) = batch(client, writes, BatchType::Logged, timestamp).await?;
    let _permit = tries.permit(Queue::Batches).await?;
    loop {
        match tries.run(client.session.batch(&batch, &values)).await {
            Ok(_) => return Ok(true),
            Err(error) if failure(&error) == Failure::Final => return Err(tries.refused(&error)),
            Err(error) if is_timeout(&error) => return Ok(false),
            Err(error) => tries.pause(&error).await?,
        }
    }
}

async fn batch<'a>(
    client: &Client,
    writes: &[Operation<'a>],
    kind: BatchType,
    timestamp: i64,
) -> Result<(Batch, Vec<Vec<&'a [u8]>>), KvError> {
    let mut batch = Batch::new(kind);
    for write in writes {
        batch.append_statement(client.statement(write.table(), ask(write)).await?.clone());
    }
    batch.set_is_idempotent(true);
    batch.set_timestamp(Some(timestamp));
    Ok((batch, writes.iter().map(values).collect()))
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
