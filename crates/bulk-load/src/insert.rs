//! Sends one batch. A batch the server refuses for its data is halved, and the halves halved, until only the bad
//! elements are left out: with one bad element in 500 that takes about 20 requests, not 500.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use api_client::{Client, ClientError, ElementKind};
use bytes::Bytes;

use crate::rejects::Rejection;

/// One element ready to be sent, and the row it came from.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    pub(crate) json: String,
    pub(crate) line: u64,
    pub(crate) raw: Arc<str>,
}

/// Elements of one label from one file.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) kind: ElementKind,
    /// Which entry of the summary they belong to.
    pub(crate) label: usize,
    pub(crate) struct_index: usize,
    pub(crate) file: Arc<Path>,
    /// Sending them twice is the same as once: the server does not make up the ids.
    pub(crate) repeatable: bool,
    pub(crate) elements: Vec<Ready>,
}

/// What became of a batch.
#[derive(Debug)]
pub(crate) struct Inserted {
    pub(crate) label: usize,
    pub(crate) struct_index: usize,
    pub(crate) inserted: u64,
    pub(crate) rejected: Vec<Rejection>,
    /// The server refused the whole but took every part: the batch itself was too much for it.
    pub(crate) too_big: bool,
}

/// A failure that is not the data's fault, with what was being sent.
#[derive(Debug)]
pub(crate) struct InsertFailed {
    pub(crate) doing: String,
    pub(crate) source: ClientError,
    /// Elements of the batch already stored, and those found bad, before the failure.
    pub(crate) done: Inserted,
}

/// Sends a batch, leaving out the elements the server refuses.
pub(crate) async fn insert(client: &Client, batch: &Batch, check_vertex: bool) -> Result<Inserted, Box<InsertFailed>> {
    let mut done = Inserted {
        label: batch.label,
        struct_index: batch.struct_index,
        inserted: 0,
        rejected: Vec::new(),
        too_big: false,
    };
    let mut open: Vec<Range<usize>> = Vec::from([Range { start: 0, end: batch.elements.len() }]);
    while let Some(range) = open.pop() {
        let part = batch.elements.get(range.clone()).unwrap_or_default();
        if part.is_empty() {
            continue;
        }
        match send(client, batch, part, check_vertex).await {
            Ok(()) => done.inserted += part.len() as u64,
            Err(error) if error.is_bad_data() => match part {
                [bad] => done.rejected.push(Rejection {
                    file: Arc::clone(&batch.file),
                    line: bad.line,
                    reason: format!("the server refused it: {}", error.server_message().unwrap_or("no reason given")),
                    raw: Arc::clone(&bad.raw),
                }),
                _ => {
                    done.too_big = true;
                    open.extend(halves(range));
                }
            },
            Err(source) => {
                let doing = format!("cannot insert {} elements of {}", part.len(), place(batch, part));
                return Err(Box::new(InsertFailed { doing, source, done }));
            }
        }
    }
    done.too_big &= done.rejected.is_empty();
    Ok(done)
}

/// The second half first, since the list is worked off from its end: rejections then come in the order of the file.
fn halves(range: Range<usize>) -> [Range<usize>; 2] {
    let middle = range.start + range.len() / 2;
    [middle..range.end, range.start..middle]
}

fn place(batch: &Batch, part: &[Ready]) -> String {
    let lines = part.first().map_or(0, |e| e.line)..=part.last().map_or(0, |e| e.line);
    format!("{}, lines {} to {}", batch.file.display(), lines.start(), lines.end())
}

async fn send(client: &Client, batch: &Batch, part: &[Ready], check_vertex: bool) -> Result<(), ClientError> {
    let bytes = part.iter().map(|element| element.json.len() + 1).sum::<usize>() + 1;
    let mut body = String::with_capacity(bytes);
    for element in part {
        body.push(if body.is_empty() { '[' } else { ',' });
        body.push_str(&element.json);
    }
    body.push(']');
    let body = Bytes::from(body);
    let ids = match batch.kind {
        ElementKind::Vertex => client.add_vertices(body, batch.repeatable).await?,
        ElementKind::Edge => client.add_edges(body, check_vertex).await?,
    };
    if ids.len() == part.len() {
        return Ok(());
    }
    let reason = format!("{} elements were sent, the server answered with {} ids", part.len(), ids.len());
    Err(ClientError::Reply { request: format!("the insert of {}", place(batch, part)), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_cover_the_range_with_the_first_half_last() {
        assert_eq!(halves(0..5), [2..5, 0..2]);
        assert_eq!(halves(3..5), [4..5, 3..4]);
    }
}
