//! Vertices by number: an array that grows without moving, and a hash table of the numbers.

use std::hash::BuildHasher;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use graph_model::{VertexId, VertexIdRef};
use hashbrown::{DefaultHashBuilder, HashTable};
use parking_lot::{Mutex, MutexGuard, RwLock};

use crate::limits;
use crate::marks::{Mark, Marks, Written};
use crate::piece::Piece;
use crate::touched::{Entry, Touched};

/// Places of the first chunk; a power of two. Each eight chunks double what there is, so an eighth is free at most.
const FIRST: u32 = 64;
/// Chunks between two powers of two.
const PER_DOUBLING: u32 = 8;
/// Chunks for all numbers.
const CHUNKS: usize = 26 * PER_DOUBLING as usize;

/// What is known of a vertex beside its id.
#[derive(Default)]
pub(crate) struct Slot {
    near: Mutex<Near>,
    /// Edges written since the lists were looked at last.
    marks: Marks,
}

impl Slot {
    /// Notes that edges of a label are written.
    pub(crate) fn mark(&self, written: Mark) {
        self.marks.set(written);
    }

    /// Its lists, without what was written since they were read; and by how many bytes these have grown by that.
    pub(crate) fn lock(&self) -> (MutexGuard<'_, Near>, usize) {
        let mut near = self.near.lock();
        let written = self.marks.take();
        let grown = if written.is_empty() { 0 } else { near.forget(written) };
        (near, grown)
    }

    /// Notes that its lists are used.
    pub(crate) fn set_used(&self) {
        self.marks.set_used();
    }

    /// Removes all lists, unless they were used since this was asked last; their number and their bytes.
    pub(crate) fn evict(&self) -> Option<(u64, usize)> {
        if self.marks.take_used() {
            return None;
        }
        let Near { out, inward } = std::mem::take(&mut *self.near.lock());
        let lists = [out, inward].into_iter().flatten();
        Some(lists.fold((0, 0), |(count, bytes), piece| (count + 1, bytes + piece.bytes())))
    }
}

/// Its lists: a pointer each, since most vertices of a large graph have none.
#[derive(Default)]
pub(crate) struct Near {
    out: Option<Piece>,
    inward: Option<Piece>,
}

impl Near {
    pub(crate) fn of(&self, outgoing: bool) -> Option<&Piece> {
        if outgoing { self.out.as_ref() } else { self.inward.as_ref() }
    }

    pub(crate) fn put(&mut self, outgoing: bool, piece: Piece) {
        *(if outgoing { &mut self.out } else { &mut self.inward }) = Some(piece);
    }

    /// Removes what is known of edges that were written; answers how many bytes that takes.
    fn forget(&mut self, written: Written) -> usize {
        let before = self.bytes();
        for (outgoing, piece) in [(true, &mut self.out), (false, &mut self.inward)] {
            if let Some(piece) = piece {
                piece.forget(written.of(outgoing));
            }
        }
        self.bytes().saturating_sub(before)
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        [&self.out, &self.inward].into_iter().flatten().map(Piece::bytes).sum()
    }
}

/// Vertices with numbers in a row. Walks need only the slots, so these lie close together.
struct Chunk {
    ids: Box<[OnceLock<VertexId>]>,
    slots: Box<[Slot]>,
}

impl Chunk {
    fn of(places: usize) -> Self {
        Self {
            ids: std::iter::repeat_with(OnceLock::new).take(places).collect(),
            slots: std::iter::repeat_with(Slot::default).take(places).collect(),
        }
    }

    fn bytes(places: usize) -> usize {
        places * (size_of::<OnceLock<VertexId>>() + size_of::<Slot>())
    }
}

/// A number, and a part of the hash of the vertex's id, so that few other ids are looked at, or none.
#[derive(Clone, Copy)]
struct Known {
    number: u32,
    tag: u32,
}

/// See the module.
pub(crate) struct Numbers {
    shards: Box<[RwLock<HashTable<Known>>]>,
    chunks: Box<[OnceLock<Chunk>]>,
    next: AtomicU32,
    bytes: AtomicUsize,
}

/// The chunk of a number, the place in it, and how many places it has.
fn place(number: u32) -> (usize, usize, usize) {
    let position = number.saturating_add(FIRST);
    let power = position.ilog2();
    let size = power - PER_DOUBLING.ilog2();
    let within = (position >> size) % PER_DOUBLING;
    let chunk = (power - FIRST.ilog2()) * PER_DOUBLING + within;
    (chunk as usize, (position & ((1 << size) - 1)) as usize, 1 << size)
}

fn shard_of(hash: u64) -> usize {
    // Neither the lowest bits, which choose the place within a table, nor the highest, which it compares first.
    usize::try_from(hash >> 40).unwrap_or_default() % limits::SHARDS
}

/// Bits of a hash above those by which a table chooses the place, as far as tables grow.
#[expect(clippy::cast_possible_truncation, reason = "a part of the hash is wanted")]
fn tag_of(hash: u64) -> u32 {
    (hash >> 25) as u32
}

impl Numbers {
    pub(crate) fn new() -> Self {
        let numbers = Self {
            shards: std::iter::repeat_with(RwLock::default).take(limits::SHARDS).collect(),
            chunks: std::iter::repeat_with(OnceLock::new).take(CHUNKS).collect(),
            next: AtomicU32::new(0),
            bytes: AtomicUsize::new(0),
        };
        let fixed = size_of_val(&*numbers.shards) + size_of_val(&*numbers.chunks);
        numbers.bytes.store(fixed, Ordering::Relaxed);
        numbers
    }

    /// Memory in bytes, as estimated.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// How many vertices have numbers.
    pub(crate) fn len(&self) -> u32 {
        self.next.load(Ordering::Acquire).min(limits::NUMBERS_MAX)
    }

    pub(crate) fn slot(&self, number: u32) -> Option<&Slot> {
        let (chunk, at, _) = place(number);
        self.chunks.get(chunk)?.get()?.slots.get(at)
    }

    pub(crate) fn id(&self, number: u32) -> Option<&VertexId> {
        let (chunk, at, _) = place(number);
        self.chunks.get(chunk)?.get()?.ids.get(at)?.get()
    }

    fn find_in(&self, shard: &HashTable<Known>, hash: u64, id: VertexIdRef<'_>) -> Option<u32> {
        let tag = tag_of(hash);
        let is =
            |known: &Known| known.tag == tag && self.id(known.number).is_some_and(|of| VertexIdRef::from(of) == id);
        shard.find(hash, is).map(|known| known.number)
    }

    /// The number of a vertex that has one.
    pub(crate) fn find(&self, hash: u64, id: VertexIdRef<'_>) -> Option<u32> {
        let shard = self.shards.get(shard_of(hash))?.read();
        self.find_in(&shard, hash, id)
    }

    /// Notes that edges at vertices are written, for those that have numbers.
    pub(crate) fn mark_all(&self, touched: &mut Touched) {
        // Shard by shard, and all of a shard are found before the first is marked: the processor waits for several of
        // them at a time, which locks and marks in between would not let it.
        let mut found: Vec<(u32, Mark)> = Vec::new();
        for of_shard in
            touched.sorted_by_key(shard_of).chunk_by(|one, other| shard_of(one.hash) == shard_of(other.hash))
        {
            let Some(shard) = of_shard.first().and_then(|of| self.shards.get(shard_of(of.hash))) else { continue };
            found.clear();
            let shard = shard.read();
            for Entry { hash, mark } in of_shard {
                let tag = tag_of(*hash);
                found
                    .extend(shard.iter_hash(*hash).filter(|known| known.tag == tag).map(|known| (known.number, *mark)));
            }
            drop(shard);
            for (number, mark) in &found {
                if let Some(slot) = self.slot(*number) {
                    slot.mark(*mark);
                }
            }
        }
    }

    /// The number of a vertex, given on first sight; `None` where there are no numbers left.
    pub(crate) fn number(&self, hasher: &DefaultHashBuilder, hash: u64, id: &VertexId) -> Option<u32> {
        if let Some(number) = self.find(hash, id.into()) {
            return Some(number);
        }
        let mut shard = self.shards.get(shard_of(hash))?.write();
        if let Some(number) = self.find_in(&shard, hash, id.into()) {
            return Some(number);
        }
        let number = self.next.fetch_add(1, Ordering::AcqRel);
        if number >= limits::NUMBERS_MAX {
            self.next.fetch_sub(1, Ordering::AcqRel);
            return None;
        }
        let (chunk, at, places) = place(number);
        let chunk = self.chunks.get(chunk)?.get_or_init(|| {
            self.bytes.fetch_add(Chunk::bytes(places), Ordering::Relaxed);
            Chunk::of(places)
        });
        chunk.ids.get(at)?.set(id.clone()).ok()?;
        let text = match id {
            VertexId::String(text) if text.is_heap_allocated() => text.capacity(),
            _ => 0,
        };
        let before = shard.capacity();
        shard.insert_unique(hash, Known { number, tag: tag_of(hash) }, |known| {
            self.id(known.number).map_or(0, |id| hasher.hash_one(VertexIdRef::from(id)))
        });
        // A table has an eighth more places than its capacity, of a number, its tag and a byte each.
        let grown = (shard.capacity() - before) * (size_of::<Known>() + 1) * 8 / 7;
        self.bytes.fetch_add(text + grown, Ordering::Relaxed);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use graph_model::LabelId;

    use super::*;

    #[test]
    fn a_vertex_takes_little_more_than_a_cache_line() {
        assert_eq!((size_of::<OnceLock<VertexId>>(), size_of::<Slot>()), (48, 32));
    }

    #[test]
    fn every_number_has_a_place_of_its_own() {
        let mut expected = (0, 0);
        for number in 0..100_000 {
            let (chunk, at, places) = place(number);
            assert_eq!((chunk, at), expected, "{number}");
            expected = if at + 1 == places { (chunk + 1, 0) } else { (chunk, at + 1) };
        }
        let (chunk, at, places) = place(limits::NUMBERS_MAX - 1);
        assert!(chunk < CHUNKS && at < places, "{chunk} {at} {places}");
    }

    #[test]
    fn a_write_marks_each_vertex_whose_id_has_its_hash() {
        let numbers = Numbers::new();
        let hasher = DefaultHashBuilder::default();
        // The third chooses the same shard and the same place of its table.
        let hashes = [7 << 40, 7 << 40, (7 << 40) | (1 << 30)];
        for (id, hash) in (0..).zip(hashes) {
            assert_eq!(numbers.number(&hasher, hash, &VertexId::Number(id)), u32::try_from(id).ok());
        }
        let mut touched = Touched::default();
        touched.push(7 << 40, Mark::of(true, LabelId(1)));
        touched.push(5 << 40, Mark::of(true, LabelId(1)));
        numbers.mark_all(&mut touched);
        let is_marked = |number| numbers.slot(number).is_some_and(|slot| !slot.marks.take().is_empty());
        assert_eq!([0, 1, 2].map(is_marked), [true, true, false]);
    }
}
