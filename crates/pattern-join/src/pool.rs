//! Ways that agree in what is asked for still, gathered.

use hashbrown::HashTable;
use std::hash::Hasher;

use crate::limits::{POOL_PROBE, POOL_REPEATS_MIN, POOL_REPEATS_SHARE};

/// Ways of one stage, each as its numbers and how often it is found.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    pub(crate) numbers: Vec<u32>,
    pub(crate) times: Vec<u64>,
}

impl Ways {
    pub(crate) fn push(&mut self, tuple: &[u32], times: u64) {
        self.numbers.extend_from_slice(tuple);
        self.times.push(times);
    }

    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        u64::try_from(self.numbers.len() * 4 + self.times.len() * 8).unwrap_or(u64::MAX)
    }
}

/// Ways that are to be carried on by a stage.
#[derive(Debug)]
pub(crate) struct Pool {
    /// The columns that are asked for still, by this stage or later; the others are 0 in what is gathered.
    live: Vec<usize>,
    /// Whether it can happen, and pays, that ways agree.
    is_gathering: bool,
    ways: Ways,
    places: HashTable<u32>,
    offered: usize,
}

impl Pool {
    pub(crate) fn new(live: Vec<usize>, is_gathering: bool) -> Self {
        Self { live, is_gathering, ways: Ways::default(), places: HashTable::new(), offered: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.ways.len()
    }

    pub(crate) fn is_gathering(&self) -> bool {
        self.is_gathering
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> u64 {
        let places = if self.is_gathering { self.places.len() * 8 } else { 0 };
        self.ways.bytes().saturating_add(u64::try_from(places).unwrap_or(u64::MAX))
    }

    pub(crate) fn take(&mut self) -> Ways {
        self.places.clear();
        if self.is_gathering && self.offered >= POOL_PROBE {
            self.probe(self.offered / POOL_REPEATS_SHARE);
        }
        self.offered = 0;
        std::mem::take(&mut self.ways)
    }

    /// Ends gathering where fewer of the ways offered agree with another one: it costs more than it saves then.
    fn probe(&mut self, repeats_min: usize) {
        if self.offered - self.ways.len() < repeats_min {
            self.is_gathering = false;
            self.places = HashTable::new();
        }
    }

    pub(crate) fn add(&mut self, tuple: &[u32], times: u64) {
        if self.is_gathering && self.offered == POOL_PROBE {
            self.probe(POOL_REPEATS_MIN);
        }
        if !self.is_gathering {
            self.ways.push(tuple, times);
            return;
        }
        let (width, live) = (tuple.len(), &self.live);
        let hash = hash_of(tuple, live);
        let numbers = &self.ways.numbers;
        let is_same = |place: &u32| {
            let own = numbers.get(*place as usize * width..).unwrap_or_default();
            live.iter().all(|column| own.get(*column) == tuple.get(*column))
        };
        self.offered += 1;
        if let Some(place) = self.places.find(hash, is_same) {
            if let Some(own) = self.ways.times.get_mut(*place as usize) {
                *own = own.saturating_add(times);
            }
            return;
        }
        let place = u32::try_from(self.ways.len()).unwrap_or(u32::MAX);
        let rehash = |place: &u32| hash_of(numbers.get(*place as usize * width..).unwrap_or_default(), live);
        self.places.insert_unique(hash, place, rehash);
        let start = self.ways.numbers.len();
        self.ways.numbers.resize(start + width, 0);
        for column in &self.live {
            if let (Some(own), Some(number)) = (self.ways.numbers.get_mut(start + column), tuple.get(*column)) {
                *own = *number;
            }
        }
        self.ways.times.push(times);
    }
}

fn hash_of(tuple: &[u32], live: &[usize]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    for column in live {
        hasher.write_u32(tuple.get(*column).copied().unwrap_or(0));
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_that_agree_are_one() {
        let mut pool = Pool::new(vec![1], true);
        for (tuple, times) in [([7, 1, 3], 1), ([8, 1, 4], 2), ([7, 2, 3], 5)] {
            pool.add(&tuple, times);
        }
        let ways = pool.take();
        assert_eq!((ways.numbers, ways.times), (vec![0, 1, 0, 0, 2, 0], vec![3, 5]));
        pool.add(&[7, 1, 3], 1);
        assert_eq!(pool.take().times, [1], "what was taken up is forgotten");
    }

    #[test]
    fn where_few_agree_none_is_looked_for() {
        let mut pool = Pool::new(vec![0], true);
        let many = u32::try_from(POOL_PROBE).unwrap();
        (0..many).for_each(|number| pool.add(&[number, 0], 1));
        pool.add(&[0, 0], 1);
        assert!(!pool.is_gathering());
        assert_eq!(pool.len(), POOL_PROBE + 1);
    }

    /// Of many ways some agree at first, and most of them later.
    #[test]
    fn where_as_many_differ_as_are_gathered_they_are_looked_for() {
        let different = 300_000_u64;
        let mut pool = Pool::new(vec![0], true);
        // The mixer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
        let drawn = |n: u64| {
            let mixed = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            u32::try_from((mixed ^ (mixed >> 27)) % different).unwrap()
        };
        (0..4 * different).for_each(|n| pool.add(&[drawn(n), 0], 1));
        assert!(pool.is_gathering() && pool.len() <= 300_000);
        assert_eq!(pool.take().times.iter().sum::<u64>(), 4 * different);
        assert!(pool.is_gathering(), "they are looked for among the next ones, too");
        (0..20_000).for_each(|number| pool.add(&[number, 0], 1));
        pool.take();
        assert!(!pool.is_gathering(), "few of those agreed");
    }
}
