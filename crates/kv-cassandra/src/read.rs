//! Reading: single rows and many.

use futures::{StreamExt, TryStreamExt, stream};
use kv::{Key, Keys, KvError, TableId};

use crate::client::Client;
use crate::error::unexpected;
use crate::limits::{PARTITIONS_PER_REQUEST, REQUESTS_PER_CALL, ROWS_PER_REQUEST};
use crate::statements::Ask;

const WHAT: &str = "reading";

/// Values by their position in a list of keys.
type Values = Vec<(usize, Option<Vec<u8>>)>;

/// The value of a key.
pub(crate) async fn get(client: &Client, table: TableId, key: Key<'_>) -> Result<Option<Vec<u8>>, KvError> {
    let statement = client.statement(table, Ask::Get).await?;
    if key.partition().is_empty() {
        return Ok(None);
    }
    let values = (key.partition(), key.row());
    let answer = client.request(WHAT, || client.session.execute_unpaged(statement, values)).await?;
    let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
    let row: Option<(Option<&[u8]>,)> = rows.maybe_first_row().map_err(|error| unexpected(WHAT, &error))?;
    Ok(row.map(|(value,)| value.unwrap_or_default().to_vec()))
}

/// The values of many keys, in their order. A request asks for rows of one partition, or for the row without a name of
/// several; all are under way at once, up to a bound.
pub(crate) async fn multi_get(client: &Client, table: TableId, keys: &Keys) -> Result<Vec<Option<Vec<u8>>>, KvError> {
    client.statement(table, Ask::Get).await?;
    let mut order: Vec<(usize, Key<'_>)> = keys.iter().enumerate().collect();
    order.sort_by_key(|(_, key)| *key);
    let (single, others): (Vec<_>, Vec<_>) = order.into_iter().partition(|(_, key)| key.row().is_empty());
    let of_rows = others
        .chunk_by(|(_, a), (_, b)| a.partition() == b.partition())
        .flat_map(|partition| partition.chunks(ROWS_PER_REQUEST));
    let requests: Vec<&[(usize, Key<'_>)]> = single.chunks(PARTITIONS_PER_REQUEST).chain(of_rows).collect();
    let mut values = vec![None; keys.len()];
    let mut answers = stream::iter(requests)
        .map(|asked| async move {
            match asked {
                [(at, key)] => Ok(vec![(*at, get(client, table, *key).await?)]),
                [(_, first), ..] if first.row().is_empty() => get_partitions(client, table, asked).await,
                _ => get_rows(client, table, asked).await,
            }
        })
        .buffer_unordered(REQUESTS_PER_CALL);
    while let Some(found) = answers.try_next().await? {
        for (at, value) in found {
            if let Some(slot) = values.get_mut(at) {
                *slot = value;
            }
        }
    }
    Ok(values)
}

/// Rows of one partition, sorted and perhaps repeated.
async fn get_rows(client: &Client, table: TableId, asked: &[(usize, Key<'_>)]) -> Result<Values, KvError> {
    let Some((_, first)) = asked.first() else { return Ok(Values::new()) };
    if first.partition().is_empty() {
        return Ok(Values::new());
    }
    let statement = client.statement(table, Ask::GetRows).await?;
    let mut names: Vec<&[u8]> = asked.iter().map(|(_, key)| key.row()).collect();
    names.dedup();
    let values = (first.partition(), &names);
    let answer = client.request(WHAT, || client.session.execute_unpaged(statement, &values)).await?;
    let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
    let mut found = Values::with_capacity(asked.len());
    // Both come in the order of rows.
    let mut left = asked.iter().peekable();
    for row in rows.rows::<(&[u8], Option<&[u8]>)>().map_err(|error| unexpected(WHAT, &error))? {
        let (row, value) = row.map_err(|error| unexpected(WHAT, &error))?;
        while let Some((at, key)) = left.next_if(|(_, key)| key.row() <= row) {
            if key.row() == row {
                found.push((*at, Some(value.unwrap_or_default().to_vec())));
            }
        }
    }
    Ok(found)
}

/// The rows without a name of several partitions, sorted and perhaps repeated.
async fn get_partitions(client: &Client, table: TableId, asked: &[(usize, Key<'_>)]) -> Result<Values, KvError> {
    let statement = client.statement(table, Ask::GetPartitions).await?;
    let mut names: Vec<&[u8]> = asked.iter().map(|(_, key)| key.partition()).filter(|name| !name.is_empty()).collect();
    names.dedup();
    let values = (&names, &[][..] as &[u8]);
    let answer = client.request(WHAT, || client.session.execute_unpaged(statement, &values)).await?;
    let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
    let mut found = Values::with_capacity(asked.len());
    // They come in an order of the node's choice.
    for row in rows.rows::<(&[u8], Option<&[u8]>)>().map_err(|error| unexpected(WHAT, &error))? {
        let (partition, value) = row.map_err(|error| unexpected(WHAT, &error))?;
        let first = asked.partition_point(|(_, key)| key.partition() < partition);
        for (at, _) in asked.iter().skip(first).take_while(|(_, key)| key.partition() == partition) {
            found.push((*at, Some(value.unwrap_or_default().to_vec())));
        }
    }
    Ok(found)
}
