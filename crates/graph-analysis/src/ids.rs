//! The numbers of vertices by their ids.

use std::hash::BuildHasher as _;
use std::thread;

use graph_model::{VertexId, VertexIdRef};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Tables that the ids are spread over, so that threads can fill them side by side.
const TABLES: usize = 16;

/// Bytes of a place in a table: the number, and the byte that the table has of each.
const PLACE_BYTES: u64 = 5;

/// Ids after the last one that are looked at before the tables: edges come in the order of their sources, few of which
/// have none.
const NEAR: usize = 4;

/// Ids, each with its place as its number.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    ids: Vec<VertexId>,
    tables: Vec<HashTable<u32>>,
}

fn hash(id: VertexIdRef<'_>) -> u64 {
    FxBuildHasher.hash_one(id)
}

/// Which table has a hash. The tables use other bits than these of the product.
fn table(hash: u64) -> usize {
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60) as usize
}

/// Ids that a table has room for, where there are so many in all: the tables are not all of one size.
fn capacity(ids: usize) -> usize {
    let share = ids.div_ceil(TABLES);
    share + share / 32 + 4
}

impl Ids {
    /// Of ids in parts, one after the other.
    pub(crate) fn new(parts: Vec<Vec<VertexId>>, threads: usize) -> Self {
        let mut ids = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        parts.into_iter().for_each(|part| ids.extend(part));
        if ids.is_empty() {
            return Self::default();
        }
        let threads = threads.clamp(1, TABLES);
        let mut tables: Vec<HashTable<u32>> = Vec::new();
        tables.resize_with(TABLES, || HashTable::with_capacity(capacity(ids.len())));
        // Thread `t` of `n` fills the tables t, t + n and so on.
        let mut shares: Vec<Vec<(usize, &mut HashTable<u32>)>> = Vec::new();
        shares.resize_with(threads, Vec::new);
        for (at, table) in tables.iter_mut().enumerate() {
            if let Some(share) = shares.get_mut(at % threads) {
                share.push((at, table));
            }
        }
        thread::scope(|scope| {
            for share in shares {
                scope.spawn(|| fill(&ids, share));
            }
        });
        Self { ids, tables }
    }

    /// All ids, in the order of their numbers.
    pub(crate) fn ids(&self) -> &[VertexId] {
        &self.ids
    }

    /// The number of an id.
    pub(crate) fn number(&self, id: VertexIdRef<'_>) -> Option<u32> {
        self.number_of(hash(id), id)
    }

    /// The number of an id that probably comes soon after that of number `last`.
    pub(crate) fn number_after(&self, last: u32, id: VertexIdRef<'_>) -> Option<u32> {
        let near = (last.saturating_add(1)..).zip(self.ids.iter().skip(last as usize + 1).take(NEAR));
        let found = near.into_iter().find(|(_, own)| VertexIdRef::from(*own) == id);
        found.map(|(number, _)| number).or_else(|| self.number(id))
    }

    /// The hash that the look-ups below ask for.
    pub(crate) fn hash(id: VertexIdRef<'_>) -> u64 {
        hash(id)
    }

    /// The first number that an id with this hash may have: for [`confirmed`](Self::confirmed), later. Of many ids this
    /// takes less time, because none waits for the memory of the one before.
    pub(crate) fn candidate(&self, hash: u64) -> Option<u32> {
        self.tables.get(table(hash))?.find(hash, |_| true).copied()
    }

    /// The number of an id, where this is the candidate of its hash.
    pub(crate) fn confirmed(&self, candidate: Option<u32>, hash: u64, id: VertexIdRef<'_>) -> Option<u32> {
        let place = candidate?;
        match self.ids.get(place as usize) {
            Some(own) if VertexIdRef::from(own) == id => Some(place),
            _ => self.number_of(hash, id),
        }
    }

    fn number_of(&self, hash: u64, id: VertexIdRef<'_>) -> Option<u32> {
        let is_it = |place: &u32| self.ids.get(*place as usize).is_some_and(|own| VertexIdRef::from(own) == id);
        self.tables.get(table(hash))?.find(hash, is_it).copied()
    }

    /// Bytes that so many ids take, besides texts of their own.
    pub(crate) fn bytes(ids: u64) -> u64 {
        let room = capacity(usize::try_from(ids).unwrap_or(usize::MAX)) as u64;
        // A table is at most seven eighths full, and its size is a power of two.
        let places = (room * 8).div_ceil(7).next_power_of_two() * TABLES as u64;
        ids * size_of::<VertexId>() as u64 + if ids == 0 { 0 } else { places * PLACE_BYTES }
    }
}

/// Puts the ids of some tables into them.
fn fill(ids: &[VertexId], mut share: Vec<(usize, &mut HashTable<u32>)>) {
    threads::run_anywhere();
    let mut own: [Option<usize>; TABLES] = [None; TABLES];
    for (at, (number, _)) in share.iter().enumerate() {
        if let Some(own) = own.get_mut(*number) {
            *own = Some(at);
        }
    }
    let of = |place: &u32| ids.get(*place as usize).map_or(0, |id| hash(id.into()));
    for (place, id) in (0_u32..).zip(ids) {
        let hash = hash(id.into());
        let at = own.get(table(hash)).copied().flatten();
        if let Some((_, table)) = at.and_then(|at| share.get_mut(at)) {
            table.insert_unique(hash, place, of);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_its_place() {
        let parts: Vec<Vec<VertexId>> = vec![
            (0..3_000).map(|number| VertexId::Number(number << 20)).collect(),
            (0..100).map(|number| VertexId::String(format!("a long name of a vertex, {number}").into())).collect(),
        ];
        let all: Vec<VertexId> = parts.concat();
        for threads in [1, 2, 3, 40] {
            let ids = Ids::new(parts.clone(), threads);
            assert_eq!(ids.ids(), all);
            for (at, id) in all.iter().enumerate() {
                let wanted = u32::try_from(at).ok();
                assert_eq!(ids.number(id.into()), wanted);
                for last in [0, at.saturating_sub(1), at, at.saturating_sub(9), all.len()] {
                    assert_eq!(ids.number_after(u32::try_from(last).unwrap(), id.into()), wanted);
                }
                let hash = Ids::hash(id.into());
                assert_eq!(ids.confirmed(ids.candidate(hash), hash, id.into()), wanted);
                let other = VertexId::Number(1);
                assert_eq!(ids.confirmed(ids.candidate(hash), hash, (&other).into()), None);
            }
            assert_eq!(ids.number(VertexIdRef::from(&VertexId::Number(1))), None);
        }
        assert_eq!(Ids::new(Vec::new(), 2).number(VertexIdRef::from(&VertexId::Number(1))), None);
    }
}
