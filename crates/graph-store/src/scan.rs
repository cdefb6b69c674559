//! Reading a whole graph in parts: shards of about one size, and the scan of one.
//!
//! A shard's bounds are opaque texts for clients: Base64 (the alphabet for URLs, no padding) of a version byte and a position in the table,
//! which begins with the graph's number. Vertices are scanned by id, edges by label and source: each edge once.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use graph_model::{Edge, Vertex};
use key_codec::{key, tables, value};
use kv::{Entry, Key, TableId, prefix_end};

use crate::graph::{is_expired, now_ms};
use crate::list::{Listed, Progress, Turn};
use crate::page::{self, Position};
use crate::{Budget, Graph, Range, StoreError, Visit, limits};

const VERSION: u8 = 1;

/// A part of the vertices or of the edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Where it begins.
    pub start: String,
    /// Where it ends, which is where the next one begins.
    pub end: String,
    /// About how many bytes it takes.
    pub length_bytes: u64,
}

/// A part to be scanned. Bounds are those of a [`Shard`], or empty for the first and the last element.
#[derive(Clone, Debug)]
pub struct Scan {
    /// Where to begin.
    pub start: String,
    /// Where to end.
    pub end: String,
    /// Which part of it. By offset, more than [`limits::SCAN_RECORDS_MAX`] elements are an error.
    pub range: Range,
}

impl Graph {
    /// All vertices, in shards of about `target_bytes`.
    pub fn vertex_shards(&self, target_bytes: u64) -> Result<Vec<Shard>, StoreError> {
        self.shards(tables::VERTEX, target_bytes)
    }

    /// All edges, in shards of about `target_bytes`.
    pub fn edge_shards(&self, target_bytes: u64) -> Result<Vec<Shard>, StoreError> {
        self.shards(tables::EDGE_OUT, target_bytes)
    }

    /// Gives the vertices of a part to `visit`, until it breaks off.
    pub fn scan_vertices(
        &self,
        scan: &Scan,
        budget: &Budget,
        visit: &mut dyn FnMut(&Vertex) -> Visit,
    ) -> Result<Listed, StoreError> {
        let now = now_ms();
        self.scan(
            tables::VERTEX,
            scan,
            budget,
            &mut |entry| {
                let (head, properties) = value::read_vertex(entry.value)?;
                if is_expired(head.expires_at_ms, now) {
                    return Ok(None);
                }
                let id = key::read_vertex_key(entry.key)?;
                Ok(Some(Vertex { id, label: head.label, properties, expires_at_ms: head.expires_at_ms }))
            },
            visit,
        )
    }

    /// Gives the edges of a part to `visit`, until it breaks off.
    pub fn scan_edges(
        &self,
        scan: &Scan,
        budget: &Budget,
        visit: &mut dyn FnMut(&Edge) -> Visit,
    ) -> Result<Listed, StoreError> {
        let now = now_ms();
        self.scan(
            tables::EDGE_OUT,
            scan,
            budget,
            &mut |entry| {
                let (expires_at_ms, properties) = value::read_edge(entry.value)?;
                if is_expired(expires_at_ms, now) {
                    return Ok(None);
                }
                Ok(Some(Edge { id: key::read_edge_out_key(entry.key)?, properties, expires_at_ms }))
            },
            visit,
        )
    }

    fn shards(&self, table: TableId, target_bytes: u64) -> Result<Vec<Shard>, StoreError> {
        let runs = self.engine().split(table, &self.prefix(), target_bytes)?;
        let ends = runs.iter().skip(1).map(|run| run.start.clone()).chain(prefix_end(&self.prefix()));
        let shards = runs.iter().zip(ends).map(|(run, end)| Shard {
            start: bound_text(&run.start),
            end: bound_text(&end),
            length_bytes: run.bytes,
        });
        self.unless_cleared(shards.collect())
    }

    fn prefix(&self) -> Vec<u8> {
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, self.number);
        prefix
    }

    /// A position as a client gives it; empty: `otherwise`.
    fn bound(&self, name: &'static str, text: &str, otherwise: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        if text.is_empty() {
            return Ok(otherwise);
        }
        let prefix = self.prefix();
        let bytes = URL_SAFE_NO_PAD.decode(text).ok().filter(|_| text.len() <= limits::PAGE_TOKEN_BYTES_MAX);
        match bytes.as_deref().and_then(|bytes| bytes.split_first()) {
            Some((&VERSION, key)) if key.starts_with(&prefix) || prefix_end(&prefix).is_some_and(|end| end == key) => {
                Ok(key.to_vec())
            }
            _ => Err(StoreError::ShardBound { name }),
        }
    }

    fn scan<E>(
        &self,
        table: TableId,
        scan: &Scan,
        budget: &Budget,
        read: &mut dyn FnMut(Entry<'_>) -> Result<Option<E>, StoreError>,
        visit: &mut dyn FnMut(&E) -> Visit,
    ) -> Result<Listed, StoreError> {
        let prefix = self.prefix();
        let start = self.bound("start", &scan.start, prefix.clone())?;
        let end = self.bound("end", &scan.end, prefix_end(&prefix).unwrap_or_default())?;
        let fingerprint = page::fingerprint(("scan", table.index(), self.number, &start, &end));
        let (mut progress, from) = Progress::new(&scan.range, fingerprint, budget)?;
        let is_paged = matches!(scan.range, Range::Page { .. });
        let first = (start != prefix).then(|| Key::new(&start, 0));
        let mut cursor = self.engine().scan_partitions(table, &prefix, from.as_ref().map(Position::key).or(first))?;
        let mut given = 0;
        if progress.is_empty() {
            return Ok(Listed::default());
        }
        while let Some(entry) = cursor.next()?
            && entry.key.as_bytes() <= &*end
        {
            progress.row()?;
            let Some(element) = read(entry)? else { continue };
            match progress.turn() {
                Turn::Skip => continue,
                Turn::Stop => break,
                Turn::Give => given += 1,
            }
            if !is_paged && given > limits::SCAN_RECORDS_MAX {
                return Err(StoreError::TooManyRecords { limit: limits::SCAN_RECORDS_MAX });
            }
            progress.gave(0, 0, entry.key);
            if visit(&element).is_break() {
                break;
            }
        }
        self.unless_cleared(progress.listed(&scan.range, fingerprint))
    }
}

fn bound_text(key: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode([&[VERSION], key].concat())
}
