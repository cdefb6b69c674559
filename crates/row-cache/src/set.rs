//! A set of the cache: few rows one after the other, in one allocation.

use kv::TableId;

use crate::limits::{ROW_SET_BYTES, ROW_SET_ROWS};

/// Before each row: its table, the length of its key, and the generation of the table when it was read.
pub(crate) const HEAD_BYTES: usize = NAME_BYTES + size_of::<u64>();

/// The part of it that belongs to the key.
const NAME_BYTES: usize = 3;

/// In the place of the generation: the row is being written.
pub(crate) const PENDING: u64 = u64::MAX;

/// Consecutively stored rows, at most one per key.
#[derive(Default)]
pub(crate) struct Set {
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    /// Increases with each write of one of its keys.
    pub(crate) version: u32,
    /// Number of running writes of its keys.
    pub(crate) writing: u32,
    /// Whether rows are being written that may be kept.
    pub(crate) has_pending: bool,
    pub(crate) len: usize,
    tags: [u16; ROW_SET_ROWS],
    /// Where each row ends.
    ends: [u16; ROW_SET_ROWS],
    /// Head, key and value of each row; allocated with the first one.
    pub(crate) bytes: Option<Box<[u8; ROW_SET_BYTES]>>,
}

impl Set {
    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| usize::from(*end))
    }

    /// Position, generation and value of a key.
    fn position(&self, tag: u16, table: TableId, key: &[u8]) -> Option<(usize, u64, &[u8])> {
        let bytes = self.bytes.as_deref()?;
        let tags = self.tags.iter().zip(&self.ends).take(self.len).enumerate();
        for (at, (_, end)) in tags.filter(|(_, (of, _))| **of == tag) {
            let row = bytes.get(self.start(at)..usize::from(*end))?;
            let (head, row) = row.split_at_checked(HEAD_BYTES)?;
            if let Some(generation) = head.strip_prefix(&name(table, key))
                && let Some(value) = row.strip_prefix(key)
            {
                return Some((at, u64::from_le_bytes(*generation.first_chunk()?), value));
            }
        }
        None
    }

    /// The value of a key, if it is of this generation.
    pub(crate) fn find(&self, tag: u16, table: TableId, key: &[u8], generation: u64) -> Option<&[u8]> {
        let (_, of, value) = self.position(tag, table, key)?;
        (of == generation).then_some(value)
    }

    /// Table and generation of each row.
    pub(crate) fn origins(&self) -> impl Iterator<Item = (TableId, u64)> {
        (0..self.len).filter_map(|at| {
            let head = self.bytes.as_deref()?.get(self.start(at)..)?.first_chunk::<HEAD_BYTES>()?;
            let (name, generation) = head.split_at_checked(NAME_BYTES)?;
            Some((TableId(*name.first()?), u64::from_le_bytes(*generation.first_chunk()?)))
        })
    }

    /// Gives pending rows their generation, or removes them where there is none.
    pub(crate) fn settle(&mut self, generation: impl Fn(TableId) -> Option<u64>) {
        self.has_pending = false;
        self.replace_generations(|table, of| if of == PENDING { generation(table) } else { Some(of) });
    }

    /// Removes rows that are of none of the current generations, by table.
    pub(crate) fn remove_stale(&mut self, current: &[u64]) {
        let is_stale = |table: TableId, of| of != PENDING && current.get(table.index()) != Some(&of);
        self.replace_generations(|table, of| (!is_stale(table, of)).then_some(of));
    }

    /// Gives each row the generation that `replace` says, or removes it.
    fn replace_generations(&mut self, replace: impl Fn(TableId, u64) -> Option<u64>) {
        for at in (0..self.len).rev() {
            let start = self.start(at);
            let head = self.bytes.as_deref_mut().and_then(|bytes| bytes.get_mut(start..start + HEAD_BYTES));
            let Some((name, generation)) = head.and_then(|head| head.split_at_mut_checked(NAME_BYTES)) else {
                continue;
            };
            let (Some(table), Some(place)) = (name.first(), generation.first_chunk_mut()) else { continue };
            match replace(TableId(*table), u64::from_le_bytes(*place)) {
                Some(generation) => *place = generation.to_le_bytes(),
                None => self.remove_at(at),
            }
        }
    }

    pub(crate) fn remove(&mut self, tag: u16, table: TableId, key: &[u8]) {
        if let Some((at, ..)) = self.position(tag, table, key) {
            self.remove_at(at);
        }
    }

    fn remove_at(&mut self, at: usize) {
        let (start, end, used) = (self.start(at), self.start(at + 1), self.start(self.len));
        if let Some(bytes) = &mut self.bytes {
            bytes.copy_within(end..used, start);
        }
        self.tags.copy_within(at + 1..self.len, at);
        self.ends.copy_within(at + 1..self.len, at);
        self.len -= 1;
        let gone = u16::try_from(end - start).unwrap_or(u16::MAX);
        for end in self.ends.iter_mut().take(self.len).skip(at) {
            *end -= gone;
        }
    }

    /// Whether a row can come in without another one going.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.len < ROW_SET_ROWS && self.start(self.len) + bytes <= ROW_SET_BYTES
    }

    /// Appends a row that is not in the set and not too long, evicting the oldest ones.
    pub(crate) fn push(&mut self, tag: u16, table: TableId, key: &[u8], generation: u64, value: &[u8]) {
        let bytes = HEAD_BYTES + key.len() + value.len();
        while !self.has_room(bytes) {
            self.remove_at(0);
        }
        let start = self.start(self.len);
        let place = self.bytes.get_or_insert_with(|| Box::new([0; ROW_SET_BYTES]));
        let (Some(place), Some(tag_place), Some(end_place)) =
            (place.get_mut(start..start + bytes), self.tags.get_mut(self.len), self.ends.get_mut(self.len))
        else {
            return;
        };
        let (name_place, place) = place.split_at_mut(NAME_BYTES);
        let (generation_place, place) = place.split_at_mut(HEAD_BYTES - NAME_BYTES);
        let (key_place, value_place) = place.split_at_mut(key.len());
        name_place.copy_from_slice(&name(table, key));
        generation_place.copy_from_slice(&generation.to_le_bytes());
        key_place.copy_from_slice(key);
        value_place.copy_from_slice(value);
        *tag_place = tag;
        *end_place = u16::try_from(start + bytes).unwrap_or(u16::MAX);
        self.len += 1;
    }
}

fn name(table: TableId, key: &[u8]) -> [u8; NAME_BYTES] {
    let [low, high] = u16::try_from(key.len()).unwrap_or(u16::MAX).to_le_bytes();
    [table.0, low, high]
}
