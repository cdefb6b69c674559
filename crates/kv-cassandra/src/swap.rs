//! Compare and swap, by the cluster's lightweight transactions.

use kv::{Key, KvError, TableId};
use scylla::errors::ExecutionError;
use scylla::value::{CqlValue, Row};
use uuid::Uuid;

use crate::client::{Client, Queue};
use crate::error::{Failure, failure, unexpected};
use crate::statements::Ask;

const WHAT: &str = "a compare and swap";

/// Replaces the value of `key` if it is `expected`; says whether it did.
///
/// An attempt without an answer may have succeeded. Each swap stores a unique token next to the value, so that reading
/// the row, which waits for running swaps, shows the outcome. Only if others have swapped since, or the row was to be
/// deleted, the outcome stays unknown.
pub(crate) async fn swap(
    client: &Client,
    table: TableId,
    key: Key<'_>,
    expected: Option<&[u8]>,
    new: Option<&[u8]>,
) -> Result<bool, KvError> {
    let token = Uuid::new_v4();
    let token = &token.as_bytes()[..];
    let (p, r) = (key.partition(), key.row());
    let (ask, values): (Ask, Vec<&[u8]>) = match (expected, new) {
        (None, Some(new)) => (Ask::SwapIn, vec![p, r, new, token]),
        (Some(expected), Some(new)) => (Ask::Swap, vec![new, token, p, r, expected]),
        (Some(expected), None) => (Ask::SwapOut, vec![p, r, expected]),
        (None, None) => return Ok(read(client, table, key).await?.is_none()),
    };
    let statement = client.statement(table, ask).await?;
    let mut tries = client.tries(WHAT);
    let permit = tries.permit(Queue::Others).await?;
    let mut unknown: Option<ExecutionError> = None;
    let applied = loop {
        match tries.run(client.session.execute_unpaged(statement, &values)).await {
            Ok(answer) => {
                let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
                let row: Row = rows.first_row().map_err(|error| unexpected(WHAT, &error))?;
                match row.columns.first() {
                    Some(Some(CqlValue::Boolean(applied))) => break *applied,
                    _ => return Err(unexpected(WHAT, &"it does not say whether it was applied")),
                }
            }
            Err(error) => match failure(&error) {
                Failure::Final => return Err(tries.refused(&error)),
                Failure::NotDone => tries.pause(&error).await?,
                Failure::Unknown => {
                    tries.pause(&error).await?;
                    unknown = Some(error);
                }
            },
        }
    };
    drop(permit);
    match unknown {
        // An earlier attempt may be the reason why this one was not applied.
        Some(error) if !applied => match (read(client, table, key).await?, new) {
            (Some((_, Some(found))), Some(_)) if found == token => Ok(true),
            _ => Err(tries.gave_up(&error)),
        },
        _ => Ok(applied),
    }
}

/// Value and token of a row.
type Found = (Option<Vec<u8>>, Option<Vec<u8>>);

/// The row, after all running swaps.
async fn read(client: &Client, table: TableId, key: Key<'_>) -> Result<Option<Found>, KvError> {
    let statement = client.statement(table, Ask::SwapRead).await?;
    let values = (key.partition(), key.row());
    let answer = client.request(WHAT, || client.session.execute_unpaged(statement, values)).await?;
    let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
    rows.maybe_first_row().map_err(|error| unexpected(WHAT, &error))
}
