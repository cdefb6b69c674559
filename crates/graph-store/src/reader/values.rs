//! Values of properties, or labels, of vertices by number.

use std::sync::Arc;

use adjacency::{Column, ColumnOf, Table, Ticket, value_of};
use graph_access::{AccessError, limits::ROWS_PER_BATCH};
use graph_model::{PropertyKeyId, Value};
use key_codec::{key, tables, value};
use kv::Keys;

use crate::core::clock::is_expired_now;
use crate::core::fetch::fetch;
use crate::limits::KEPT_VALUE_BYTES_MAX;
use crate::read::view::View;
use crate::reader::port;

/// What a row of a vertex says: when the vertex expires, and its values in the order of the columns.
type Found = (Option<i64>, Vec<Option<Value>>);

/// See [`graph_access::NumberedRead::fill`].
pub(crate) fn fill(
    view: View<'_>,
    table: &Table,
    of: &[ColumnOf],
    numbers: &[u32],
    also: &mut dyn FnMut(usize, usize, Option<&Value>),
) -> Result<(), AccessError> {
    let columns: Vec<Arc<Column>> = of.iter().map(|of| table.column(*of)).collect();
    let properties: Vec<PropertyKeyId> = of.iter().filter_map(|of| property(*of)).collect();
    for (at, chunk) in numbers.chunks(ROWS_PER_BATCH).enumerate() {
        port::check(view)?;
        let tickets: Vec<Option<Ticket>> = chunk.iter().map(|number| table.ticket(*number)).collect();
        let found = read(view, table, (of, &properties), chunk)?;
        for (place, column) in columns.iter().enumerate() {
            let kept = chunk.iter().zip(&tickets).zip(&found).filter_map(|((number, ticket), found)| {
                let (expires_at_ms, value) = match found {
                    Some((expires_at_ms, values)) => (*expires_at_ms, values.get(place).and_then(Option::as_ref)),
                    None => (None, None),
                };
                let is_small = value.is_none_or(|value| value.bytes() <= KEPT_VALUE_BYTES_MAX);
                (expires_at_ms.is_none() && is_small).then_some((*number, (*ticket)?, value))
            });
            table.publish_values(column, kept);
        }
        for (own, found) in found.iter().enumerate() {
            let found = found.as_ref().filter(|(expires_at_ms, _)| !is_expired_now(*expires_at_ms));
            for place in 0..of.len() {
                let value = found.and_then(|(_, values)| values.get(place)?.as_ref());
                also(at * ROWS_PER_BATCH + own, place, value);
            }
        }
    }
    Ok(())
}

fn property(of: ColumnOf) -> Option<PropertyKeyId> {
    match of {
        ColumnOf::Property(key) => Some(key),
        ColumnOf::Label => None,
    }
}

/// Reads the values of vertices in one round.
fn read(
    view: View<'_>,
    table: &Table,
    (of, properties): (&[ColumnOf], &[PropertyKeyId]),
    numbers: &[u32],
) -> Result<Vec<Option<Found>>, AccessError> {
    let mut keys = Keys::new();
    for number in numbers {
        let id = table.id(*number);
        keys.push(|out| id.iter().for_each(|id| key::vertex_partition(out, view.graph.number, id)), |_| ());
    }
    let found = fetch(view.read, tables::VERTEX, &keys, |_, bytes| {
        let head = value::read_vertex_head(bytes)?;
        let own = value::read_vertex_part(bytes, properties)?;
        let value = |of: &ColumnOf| match *of {
            ColumnOf::Label => Some(value_of(head.label)),
            ColumnOf::Property(key) => own.get(key).cloned(),
        };
        Ok(Some((head.expires_at_ms, of.iter().map(value).collect())))
    })?;
    Ok(view.graph.unless_cleared(found)?)
}
