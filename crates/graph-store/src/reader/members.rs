//! Which vertices there are of a label, as numbers.

use std::sync::Arc;

use adjacency::Table;
use graph_access::{AccessError, Lookup};
use graph_model::LabelId;
use store_error::StoreError;

use crate::read::view::View;
use crate::reader::port;

/// See [`graph_access::NumberedRead::members`]: of a label whose vertices do not expire.
pub(crate) fn members(view: View<'_>, table: &Table, label: LabelId) -> Result<Option<Arc<[u32]>>, AccessError> {
    port::check(view)?;
    if let Some(numbers) = table.members(label) {
        return Ok(Some(view.graph.unless_cleared(numbers)?));
    }
    // Before anything is read.
    let ticket = table.ticket_of_members();
    let max = table.members_max();
    let limit = Some(u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1));
    let lookup = Lookup { label: Some(label), properties: Some(Vec::new()), limit, ..Lookup::default() };
    let mut found = port::find_vertices(view, lookup)?;
    let (mut ids, mut batch) = (Vec::new(), Vec::new());
    loop {
        found.next_batch(&mut batch, graph_access::limits::ROWS_PER_BATCH)?;
        if batch.is_empty() {
            break;
        }
        ids.extend(batch.drain(..).map(|vertex| vertex.id));
        if ids.len() > max {
            return Ok(None);
        }
    }
    let numbers: Option<Vec<u32>> = ids.iter().map(|id| table.number(id)).collect();
    let numbers = numbers.ok_or(StoreError::TooManyVertices)?;
    if let Some(ticket) = ticket {
        table.publish_members(label, ticket, &numbers);
    }
    Ok(Some(numbers.into()))
}
