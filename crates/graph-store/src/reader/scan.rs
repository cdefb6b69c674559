//! Reading a whole graph in parts: shards of about one size, and the scan of one.
//!
//! Vertices are scanned by id, edges by label and source: each edge once. A shard's bounds are opaque texts for
//! clients, of two kinds:
//!
//! - Positions in the table, where there are several shards: `~`, then Base64 (the alphabet for URLs, no padding) of a
//!   version byte and the position, which begins with the graph's number.
//! - Ids of elements as HugeGraph's stores have them (`graph_model`'s `binary.rs`) in Base64, where one shard holds all
//!   elements and these are few: the first one and, with a zero byte behind it, the last one, in the order of these
//!   bytes. That is what HugeGraph answers, so small graphs can be compared with it. A scan between such bounds reads
//!   all elements and gives out those in between: with one shard it needs them all anyway, and bounds that HugeGraph
//!   gave out mean the same here.

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use graph_model::{Edge, Vertex};
use graph_schema::Catalogue;
use key_codec::{key, tables, value};
use kv::{Cursor, Entry, Key, TableId, prefix_end};

use crate::core::clock::{is_expired, now_ms};
use crate::read::page::{self, Position};
use crate::read::progress::{Listed, Progress, Turn};
use crate::read::progress::{Range, Visit};
use crate::read::source::{Source, visit_all};
use crate::reader::Reader;
use store_error::StoreError;

use crate::limits;
use graph_access::Budget;

const VERSION: u8 = 1;

/// What a bound that is a position begins with: nothing in Base64 does.
const POSITION: char = '~';

/// The binary ids of two elements.
type FirstAndLast = (Vec<u8>, Vec<u8>);

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

impl Reader<'_> {
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
        self.scan(tables::VERTEX, scan, budget, live_vertex, visit)
    }

    /// Gives the edges of a part to `visit`, until it breaks off.
    pub fn scan_edges(
        &self,
        scan: &Scan,
        budget: &Budget,
        visit: &mut dyn FnMut(&Edge) -> Visit,
    ) -> Result<Listed, StoreError> {
        self.scan(tables::EDGE_OUT, scan, budget, live_edge, visit)
    }

    fn shards(&self, table: TableId, target_bytes: u64) -> Result<Vec<Shard>, StoreError> {
        let runs = self.graph.engine().split(table, &self.prefix(), target_bytes)?;
        if let [run] = runs.as_slice()
            && let Some((first, last)) = self.outermost(table)?
        {
            let (start, end) = (STANDARD.encode(first), STANDARD.encode([&*last, &[0]].concat()));
            return self.graph.unless_cleared(vec![Shard { start, end, length_bytes: run.bytes }]);
        }
        let ends = runs.iter().skip(1).map(|run| run.start.clone()).chain(prefix_end(&self.prefix()));
        let shards = runs.iter().zip(ends).map(|(run, end)| Shard {
            start: position_text(&run.start),
            end: position_text(&end),
            length_bytes: run.bytes,
        });
        self.graph.unless_cleared(shards.collect())
    }

    /// The least and the greatest of the binary ids in a table; `None` where it has no elements, or too many to look
    /// at.
    fn outermost(&self, table: TableId) -> Result<Option<FirstAndLast>, StoreError> {
        let catalogue = self.graph.catalogue();
        let mut found: Option<FirstAndLast> = None;
        let mut id = Vec::new();
        let mut cursor = self.graph.engine().scan_partitions(table, &self.prefix(), None)?;
        let mut read = 0;
        while let Some(entry) = cursor.next()? {
            read += 1;
            if read > limits::SHARD_IDS_READ_MAX {
                return Ok(None);
            }
            binary_id(&mut id, table, entry.key, &catalogue)?;
            match &mut found {
                None => found = Some((id.clone(), id.clone())),
                Some((first, _)) if id < *first => first.clone_from(&id),
                Some((_, last)) if id > *last => last.clone_from(&id),
                Some(_) => {}
            }
        }
        Ok(found)
    }

    fn prefix(&self) -> Vec<u8> {
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, self.graph.number);
        prefix
    }

    /// What the bounds of a scan mean.
    fn part(&self, scan: &Scan) -> Result<Part, StoreError> {
        let prefix = self.prefix();
        let end = prefix_end(&prefix).unwrap_or_default();
        let mut part = Part { start: prefix.clone(), end, from: Bound::Unbounded, to: Bound::Unbounded };
        match read_bound("start", &scan.start, &prefix)? {
            Some(Given::Position(key)) => part.start = key,
            Some(Given::Id(bytes)) => part.from = Bound::Included(bytes),
            None => {}
        }
        match read_bound("end", &scan.end, &prefix)? {
            Some(Given::Position(key)) => part.end = key,
            Some(Given::Id(bytes)) => part.to = Bound::Excluded(bytes),
            None => {}
        }
        Ok(part)
    }

    fn scan<E>(
        &self,
        table: TableId,
        scan: &Scan,
        budget: &Budget,
        read: Decode<E>,
        visit: &mut dyn FnMut(&E) -> Visit,
    ) -> Result<Listed, StoreError> {
        let part = self.part(scan)?;
        let fingerprint = page::fingerprint(("scan", table.index(), self.graph.number, &part));
        let (mut progress, from) = Progress::new(&scan.range, fingerprint, budget)?;
        let given_max = match scan.range {
            Range::Page { .. } => u64::MAX,
            Range::Offset { .. } => limits::SCAN_RECORDS_MAX,
        };
        let prefix = self.prefix();
        let first = (part.start != prefix).then(|| Key::new(&part.start, 0));
        let after = from.as_ref().map(Position::key).or(first);
        let rows = self.graph.engine().scan_partitions(table, &prefix, after)?;
        if progress.is_empty() {
            return Ok(Listed::default());
        }
        let (catalogue, now_ms) = (self.graph.catalogue(), now_ms());
        let mut source = PartOfTable { rows, table, part, catalogue, read, now_ms, given: 0, given_max };
        visit_all(&mut source, &mut progress, visit)?;
        self.graph.unless_cleared(progress.listed(&scan.range, fingerprint))
    }
}

/// Decodes an element; `None` where it has expired.
type Decode<E> = fn(Entry<'_>, i64) -> Result<Option<E>, StoreError>;

fn live_vertex(entry: Entry<'_>, now_ms: i64) -> Result<Option<Vertex>, StoreError> {
    let (head, properties) = value::read_vertex(entry.value)?;
    if is_expired(head.expires_at_ms, now_ms) {
        return Ok(None);
    }
    let id = key::read_vertex_key(entry.key)?;
    Ok(Some(Vertex { id, label: head.label, properties, expires_at_ms: head.expires_at_ms }))
}

fn live_edge(entry: Entry<'_>, now_ms: i64) -> Result<Option<Edge>, StoreError> {
    let (expires_at_ms, properties) = value::read_edge(entry.value)?;
    if is_expired(expires_at_ms, now_ms) {
        return Ok(None);
    }
    Ok(Some(Edge { id: key::read_edge_out_key(entry.key)?, properties, expires_at_ms }))
}

/// The elements of a part of a table.
struct PartOfTable<'a, E> {
    rows: Box<dyn Cursor + 'a>,
    table: TableId,
    part: Part,
    catalogue: Arc<Catalogue>,
    read: Decode<E>,
    now_ms: i64,
    /// Elements given, and how many may be.
    given: u64,
    given_max: u64,
}

impl<E> Source<E> for PartOfTable<'_, E> {
    fn next(&mut self, progress: &mut Progress) -> Result<Option<E>, StoreError> {
        let mut id = Vec::new();
        while let Some(entry) = self.rows.next()?
            && entry.key.as_bytes() <= &*self.part.end
        {
            progress.row()?;
            if self.part.is_between_ids() {
                binary_id(&mut id, self.table, entry.key, &self.catalogue)?;
                if !self.part.ids().contains(&*id) {
                    continue;
                }
            }
            let Some(element) = (self.read)(entry, self.now_ms)? else { continue };
            match progress.turn() {
                Turn::Skip => continue,
                Turn::Stop => break,
                Turn::Give => self.given += 1,
            }
            if self.given > self.given_max {
                return Err(StoreError::TooManyRecords { limit: self.given_max });
            }
            progress.gave(0, 0, entry.key);
            return Ok(Some(element));
        }
        Ok(None)
    }
}

/// What is to be scanned: a range of keys, and of ids within it.
#[derive(Hash)]
struct Part {
    start: Vec<u8>,
    end: Vec<u8>,
    from: Bound<Vec<u8>>,
    to: Bound<Vec<u8>>,
}

impl Part {
    fn is_between_ids(&self) -> bool {
        (&self.from, &self.to) != (&Bound::Unbounded, &Bound::Unbounded)
    }

    fn ids(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.from.as_ref().map(Vec::as_slice), self.to.as_ref().map(Vec::as_slice))
    }
}

/// A bound as a client gives it.
enum Given {
    /// A key.
    Position(Vec<u8>),
    /// The binary id of an element, or any other bytes to compare such ids with.
    Id(Vec<u8>),
}

/// Reads a bound; `None` where there is none.
fn read_bound(name: &'static str, text: &str, prefix: &[u8]) -> Result<Option<Given>, StoreError> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || StoreError::ShardBound { name };
    if text.len() > limits::PAGE_TOKEN_BYTES_MAX {
        return Err(wrong());
    }
    let Some(position) = text.strip_prefix(POSITION) else {
        // A plus sign that was not escaped arrives as a space.
        let bytes = STANDARD.decode(text.replace(' ', "+")).map_err(|_| wrong())?;
        return Ok(Some(Given::Id(bytes)));
    };
    let bytes = URL_SAFE_NO_PAD.decode(position).map_err(|_| wrong())?;
    match bytes.split_first() {
        Some((&VERSION, key)) if key.starts_with(prefix) || prefix_end(prefix).is_some_and(|end| end == key) => {
            Ok(Some(Given::Position(key.to_vec())))
        }
        _ => Err(wrong()),
    }
}

/// Puts the binary id of the element at a key of `VERTEX` or `EDGE_OUT` into `out`.
fn binary_id(out: &mut Vec<u8>, table: TableId, at: Key<'_>, catalogue: &Catalogue) -> Result<(), StoreError> {
    out.clear();
    if table == tables::VERTEX {
        key::read_vertex_key(at)?.write_binary(out);
    } else {
        let id = key::read_edge_out_key(at)?;
        let parent = catalogue.edge_label(id.label).map_or(id.label, |label| label.parent_or_self());
        id.write_binary(parent, out);
    }
    Ok(())
}

fn position_text(key: &[u8]) -> String {
    format!("{POSITION}{}", URL_SAFE_NO_PAD.encode([&[VERSION], key].concat()))
}
