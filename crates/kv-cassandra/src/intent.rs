//! Groups of writes too large for a batch: logged as an intent first, then applied, then the intent is deleted.
//!
//! An intent is one partition of a separate table, in parts of a size that nodes accept easily. Its writes begin once
//! all parts are acknowledged, so a complete intent may be half applied, and an incomplete one has not begun. Any
//! process that finds a complete intent applies all of it with its original timestamp, which changes nothing that was
//! already applied or has been overwritten since.

use std::sync::atomic::Ordering;
use std::time::Duration;

use kv::{Key, KvError, Operation, TableId, WriteBatch};
use scylla::errors::ExecutionError;
use scylla::response::query_result::QueryRowsResult;
use scylla::statement::Statement;
use scylla::statement::batch::BatchType;
use uuid::Uuid;

use crate::client::{Client, Queue};
use crate::clock::now_micros;
use crate::error::unexpected;
use crate::limits::{INTENT_AGE_IN_TIMEOUTS, INTENT_PART_BYTES};
use crate::send::{all, send};

/// The table of intents.
pub(crate) const TABLE: &str = "kv_intents";

/// Writes a group through an intent.
pub(crate) async fn write(client: &Client, writes: &[Operation<'_>], timestamp: i64) -> Result<(), KvError> {
    let started = tokio::time::Instant::now();
    let id = put(client, &encode(writes), timestamp).await?;
    if started.elapsed() >= client.options.request_timeout * (INTENT_AGE_IN_TIMEOUTS - 1) {
        // A process looking for unfinished intents may be about to mistake this one for that of a dead writer.
        let limit_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        return Err(KvError::Timeout { limit_ms });
    }
    apply(client, writes, timestamp).await?;
    // The group is applied even if deleting the intent fails: applying it again changes nothing.
    if let Err(error) = forget(client, &id, timestamp).await {
        tracing::warn!(%error, "an applied intent could not be deleted; it will be applied again");
    }
    Ok(())
}

/// Writes an intent and returns its id.
pub(crate) async fn put(client: &Client, body: &[u8], timestamp: i64) -> Result<Vec<u8>, KvError> {
    let id = Uuid::new_v4().as_bytes().to_vec();
    let parts: Vec<(i32, &[u8])> = (0..).zip(body.chunks(INTENT_PART_BYTES)).collect();
    let count = i32::try_from(parts.len()).unwrap_or(i32::MAX);
    let text =
        format!("INSERT INTO {}.{TABLE} (id, part, parts, ts, body) VALUES (?, ?, ?, ?, ?)", client.options.keyspace);
    let statement = statement(&text, Some(timestamp));
    let statement = &statement;
    let id_ref = &id[..];
    let calls = parts.into_iter().map(|(part, bytes)| async move {
        let values = (id_ref, part, count, timestamp, bytes);
        client
            .request_in(Queue::Batches, "writing an intent", || client.session.query_unpaged(statement.clone(), values))
            .await
            .map(drop)
    });
    all(calls.collect()).await?;
    Ok(id)
}

async fn apply(client: &Client, writes: &[Operation<'_>], timestamp: i64) -> Result<(), KvError> {
    let requests = client.planned(|planner| planner.apart(writes));
    all(requests.iter().map(|unit| send(client, &unit.writes, BatchType::Unlogged, timestamp)).collect()).await
}

async fn forget(client: &Client, id: &[u8], timestamp: i64) -> Result<(), KvError> {
    // This machine's clock may be behind the clock of the intent's timestamp.
    let later = client.clock.next().max(timestamp.saturating_add(1));
    let statement = statement(&format!("DELETE FROM {}.{TABLE} WHERE id = ?", client.options.keyspace), Some(later));
    client
        .request_in(Queue::Batches, "deleting an intent", || client.session.query_unpaged(statement.clone(), (id,)))
        .await?;
    Ok(())
}

/// An intent without its content.
struct Found {
    id: Vec<u8>,
    parts_found: i32,
    parts: i32,
    timestamp: i64,
}

/// Applies every complete intent older than `age`, and deletes incomplete ones whose writers must have given up;
/// returns the number applied.
pub(crate) async fn finish_unfinished(client: &Client, age: Duration) -> Result<usize, KvError> {
    let age_micros = i64::try_from(age.as_micros()).unwrap_or(i64::MAX);
    let dead = client.options.request_timeout * INTENT_AGE_IN_TIMEOUTS;
    let dead_micros = i64::try_from(dead.as_micros()).unwrap_or(i64::MAX);
    let mut done = 0;
    for found in list(client).await? {
        let older_by = now_micros().saturating_sub(found.timestamp);
        if found.parts_found < found.parts {
            if older_by >= dead_micros {
                tracing::warn!("deleting an incomplete intent; none of it had been applied");
                forget(client, &found.id, found.timestamp).await?;
            }
        } else if older_by >= age_micros {
            let batch = read(client, &found.id).await?;
            let writes: Vec<Operation<'_>> = batch.iter().collect();
            apply(client, &writes, found.timestamp).await?;
            forget(client, &found.id, found.timestamp).await?;
            tracing::info!(writes = writes.len(), "finished a write that had been interrupted");
            client.figures.intents_repaired.fetch_add(1, Ordering::Relaxed);
            done += 1;
        }
    }
    Ok(done)
}

async fn list(client: &Client) -> Result<Vec<Found>, KvError> {
    const WHAT: &str = "looking for unfinished intents";
    let statement = statement(&format!("SELECT id, parts, ts FROM {}.{TABLE}", client.options.keyspace), None);
    let rows = rows(client, WHAT, || client.session.query_unpaged(statement.clone(), ())).await?;
    let mut all: Vec<Found> = Vec::new();
    for row in rows.rows::<(&[u8], i32, i64)>().map_err(|error| unexpected(WHAT, &error))? {
        let (id, parts, timestamp) = row.map_err(|error| unexpected(WHAT, &error))?;
        match all.last_mut() {
            Some(last) if last.id == id => last.parts_found += 1,
            _ => all.push(Found { id: id.to_vec(), parts_found: 1, parts, timestamp }),
        }
    }
    Ok(all)
}

async fn read(client: &Client, id: &[u8]) -> Result<WriteBatch, KvError> {
    const WHAT: &str = "reading an intent";
    let statement = statement(&format!("SELECT body FROM {}.{TABLE} WHERE id = ?", client.options.keyspace), None);
    let rows = rows(client, WHAT, || client.session.query_unpaged(statement.clone(), (id,))).await?;
    let mut body = Vec::new();
    for row in rows.rows::<(&[u8],)>().map_err(|error| unexpected(WHAT, &error))? {
        body.extend_from_slice(row.map_err(|error| unexpected(WHAT, &error))?.0);
    }
    decode(&body).ok_or_else(|| KvError::Corrupt { detail: format!("the intent {id:02x?} in {TABLE} cannot be read") })
}

async fn rows<F>(client: &Client, what: &'static str, attempt: impl FnMut() -> F) -> Result<QueryRowsResult, KvError>
where
    F: Future<Output = Result<scylla::response::query_result::QueryResult, ExecutionError>>,
{
    let answer = client.request(what, attempt).await?;
    answer.into_rows_result().map_err(|error| unexpected(what, &error))
}

fn statement(text: &str, timestamp: Option<i64>) -> Statement {
    let mut statement = Statement::new(text);
    statement.set_is_idempotent(true);
    statement.set_timestamp(timestamp);
    statement
}

/// Each write: table, 1 for a put, lengths of partition, row and value, then their bytes. Numbers are big-endian.
pub(crate) fn encode(writes: &[Operation<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for write in writes {
        let (put, value): (u8, &[u8]) = match write {
            Operation::Put { value, .. } => (1, value),
            Operation::Delete { .. } => (0, &[]),
        };
        body.extend_from_slice(&[write.table().0, put]);
        for bytes in [write.key().partition(), write.key().row(), value] {
            body.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
        }
        body.extend_from_slice(write.key().as_bytes());
        body.extend_from_slice(value);
    }
    body
}

fn decode(mut body: &[u8]) -> Option<WriteBatch> {
    let mut batch = WriteBatch::new();
    while !body.is_empty() {
        let (&[table, put], rest) = body.split_first_chunk()?;
        let (partition, rest) = length(rest)?;
        let (row, rest) = length(rest)?;
        let (value, rest) = length(rest)?;
        let (key, rest) = rest.split_at_checked(partition + row)?;
        let (value, rest) = rest.split_at_checked(value)?;
        match put {
            0 => batch.delete_key(TableId(table), Key::new(key, partition)),
            1 => batch.put_key(TableId(table), Key::new(key, partition), value),
            _ => return None,
        }
        body = rest;
    }
    Some(batch)
}

fn length(body: &[u8]) -> Option<(usize, &[u8])> {
    let (bytes, rest) = body.split_first_chunk()?;
    Some((usize::try_from(u32::from_be_bytes(*bytes)).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intent_is_read_as_it_was_written() {
        let mut batch = WriteBatch::new();
        batch.put_key(TableId(0), Key::new(b"prow", 1), b"value");
        batch.put_key(TableId(3), Key::new(b"p", 1), b"");
        batch.delete_key(TableId(1), Key::new(b"pprow", 2));
        let writes: Vec<Operation<'_>> = batch.iter().collect();
        let body = encode(&writes);
        let again = decode(&body).unwrap();
        assert_eq!(again.iter().collect::<Vec<_>>(), writes);
        for cut in 1..body.len() {
            let partial = decode(&body[..cut]).map_or(0, |batch| batch.len());
            assert!(partial < 3, "cut at {cut}");
        }
        assert!(decode(&[0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).is_none(), "neither put nor delete");
    }
}
