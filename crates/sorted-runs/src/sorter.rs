//! Rows in memory until they are sorted, to be written to a file as one run or to be read where they are.

use std::cmp::Ordering;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use key_codec::tables::{TABLES, section_len};
use kv::TableId;
use rustc_hash::FxHashMap;

use crate::run::{RunMeta, RunWriter};

/// Memory of a row in addition to its bytes.
const ENTRY_BYTES: usize = size_of::<Entry>();

/// Collects rows of all tables.
pub struct Sorter {
    sections: Vec<Section>,
    /// Position of a section by table and prefix.
    known: FxHashMap<(u8, Vec<u8>), usize>,
    /// The last section of each table: the next row mostly belongs to it, too.
    last: Vec<usize>,
    bytes: usize,
}

struct Section {
    table: TableId,
    prefix: Vec<u8>,
    /// Keys (without the prefix) and values.
    arena: Vec<u8>,
    entries: Vec<Entry>,
}

/// The rows of a section in the order of their keys, each key once.
pub struct SortedSection(Section);

#[derive(Clone, Copy)]
struct Entry {
    /// The first 16 bytes of the key behind the prefix, filled up with zeros: decides nearly every comparison.
    head: u128,
    at: u32,
    value_len: u32,
    key_len: u16,
}

impl Sorter {
    /// Without rows.
    #[must_use]
    pub fn new() -> Self {
        Self { sections: Vec::new(), known: FxHashMap::default(), last: vec![usize::MAX; TABLES.len()], bytes: 0 }
    }

    /// Bytes of memory in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a row. Keys and values are within the limits of `kv`, and a section holds less than 4 GiB.
    pub fn push(&mut self, table: TableId, key: &[u8], value: &[u8]) {
        let Some(section) = self.section(table, key) else { return };
        let key = key.get(section.prefix.len()..).unwrap_or_default();
        let entry = Entry {
            head: head_of(key),
            at: u32::try_from(section.arena.len()).unwrap_or(u32::MAX),
            value_len: u32::try_from(value.len()).unwrap_or(u32::MAX),
            key_len: u16::try_from(key.len()).unwrap_or(u16::MAX),
        };
        section.entries.push(entry);
        section.arena.extend_from_slice(key);
        section.arena.extend_from_slice(value);
        self.bytes += key.len() + value.len() + ENTRY_BYTES;
    }

    fn section(&mut self, table: TableId, key: &[u8]) -> Option<&mut Section> {
        let last = self.last.get(table.index()).copied().unwrap_or(usize::MAX);
        let fits = self.sections.get(last).is_some_and(|section| key.starts_with(&section.prefix));
        if fits {
            return self.sections.get_mut(last);
        }
        // What key-codec wrote is a key of its table; a key of which it cannot tell is a section of its own.
        let prefix = key.get(..section_len(table, key).unwrap_or_default()).unwrap_or_default();
        let at = *self.known.entry((table.0, prefix.to_vec())).or_insert_with(|| {
            self.sections.push(Section { table, prefix: prefix.to_vec(), arena: Vec::new(), entries: Vec::new() });
            self.sections.len() - 1
        });
        if let Some(slot) = self.last.get_mut(table.index()) {
            *slot = at;
        }
        self.sections.get_mut(at)
    }

    /// Sorts all rows; afterwards there are none. Of rows with the same key the last one counts.
    #[must_use]
    pub fn sort(&mut self) -> Vec<SortedSection> {
        let mut sections = std::mem::take(self).sections;
        sections.sort_by(|a, b| (a.table, &a.prefix).cmp(&(b.table, &b.prefix)));
        let sorted = sections.into_iter().map(|mut section| {
            let arena = &section.arena;
            section.entries.sort_unstable_by(|a, b| order(arena, a, b).then(a.at.cmp(&b.at)));
            section.entries.dedup_by(|later, kept| {
                let same = order(arena, later, kept).is_eq();
                if same {
                    *kept = *later;
                }
                same
            });
            SortedSection(section)
        });
        sorted.collect()
    }

    /// Sorts all rows and writes them; afterwards there are none. Of rows with the same key the last one counts.
    ///
    /// # Errors
    /// That the file cannot be written.
    pub fn write(&mut self, path: &Path, number: u64) -> io::Result<(RunMeta, File)> {
        let sections = self.sort();
        let mut writer = RunWriter::create(path)?;
        let mut metas = Vec::with_capacity(sections.len());
        for section in sections {
            let section = Arc::new(section);
            writer.begin(section.table().0, section.prefix());
            let mut rows = SortedRows::of(section);
            while rows.advance() {
                writer.put(rows.key(), rows.value())?;
            }
            metas.push(writer.end());
        }
        Ok((RunMeta { number, sections: metas }, writer.finish()?))
    }
}

impl SortedSection {
    /// The table of its rows.
    #[must_use]
    pub fn table(&self) -> TableId {
        self.0.table
    }

    /// What all its keys begin with.
    #[must_use]
    pub fn prefix(&self) -> &[u8] {
        &self.0.prefix
    }

    /// How many rows it has.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.0.entries.len() as u64
    }

    /// Bytes of its keys, without what all begin with, and values.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.arena.len() as u64
    }
}

/// Reads the rows of a section in memory.
pub struct SortedRows {
    section: Arc<SortedSection>,
    next: usize,
    key: Vec<u8>,
    value: (usize, usize),
}

impl SortedRows {
    /// A reader before the first row.
    #[must_use]
    pub fn of(section: Arc<SortedSection>) -> Self {
        let key = section.prefix().to_vec();
        Self { section, next: 0, key, value: (0, 0) }
    }

    /// Goes to the next row; false at the end.
    pub fn advance(&mut self) -> bool {
        let Section { prefix, arena, entries, .. } = &self.section.0;
        let Some(entry) = entries.get(self.next) else { return false };
        self.next += 1;
        self.key.truncate(prefix.len());
        self.key.extend_from_slice(key_of(arena, entry));
        let value = entry.at as usize + usize::from(entry.key_len);
        self.value = (value, value + entry.value_len as usize);
        true
    }

    /// The key of the row.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The value of the row.
    #[must_use]
    pub fn value(&self) -> &[u8] {
        self.section.0.arena.get(self.value.0..self.value.1).unwrap_or_default()
    }
}

impl Default for Sorter {
    fn default() -> Self {
        Self::new()
    }
}

/// The first bytes of a key as a number that sorts like them; shorter keys are filled up with zeros.
#[must_use]
pub fn head_of(key: &[u8]) -> u128 {
    if let Some(head) = key.first_chunk::<16>() {
        return u128::from_be_bytes(*head);
    }
    let mut head = [0; 16];
    for (to, from) in head.iter_mut().zip(key) {
        *to = *from;
    }
    u128::from_be_bytes(head)
}

fn key_of<'a>(arena: &'a [u8], entry: &Entry) -> &'a [u8] {
    let at = entry.at as usize;
    arena.get(at..at + usize::from(entry.key_len)).unwrap_or_default()
}

fn order(arena: &[u8], a: &Entry, b: &Entry) -> Ordering {
    a.head.cmp(&b.head).then_with(|| key_of(arena, a).cmp(key_of(arena, b)))
}
