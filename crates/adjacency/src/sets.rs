//! What a walk remembers of numbers: sets, and numbers by number. Dense arrays where the numbers are small or the
//! members many, else hash tables: the memory depends on the members, not on the largest number.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits;

/// Whether an array up to `number` pays for so many members.
fn is_dense(number: u32, members: usize, factor: usize) -> bool {
    (number as usize) < members.max(limits::DENSE_MEMBERS_MIN).saturating_mul(factor)
}

/// A number for each of some numbers.
#[derive(Clone, Debug, Default)]
pub struct NumberMap {
    /// By number one more than the value; 0 where there is none, so that new memory needs no more than zeros.
    dense: Vec<u32>,
    /// Members beyond `dense`.
    sparse: FxHashMap<u32, u32>,
    len: usize,
}

impl NumberMap {
    /// The value of a number.
    #[must_use]
    #[inline]
    pub fn get(&self, number: u32) -> Option<u32> {
        match self.dense.get(number as usize) {
            Some(value) => value.checked_sub(1),
            None if self.sparse.is_empty() => None,
            None => self.sparse.get(&number).copied(),
        }
    }

    /// The value of a number, `value` where it has none yet; whether it had none. `value` must not be `u32::MAX`.
    #[inline]
    pub fn get_or_insert(&mut self, number: u32, value: u32) -> (u32, bool) {
        if let Some(slot) = self.dense.get_mut(number as usize) {
            if let Some(known) = slot.checked_sub(1) {
                return (known, false);
            }
            *slot = value.wrapping_add(1);
            self.len += 1;
            return (value, true);
        }
        self.insert_beyond(number, value)
    }

    fn insert_beyond(&mut self, number: u32, value: u32) -> (u32, bool) {
        if let Some(known) = self.sparse.get(&number) {
            return (*known, false);
        }
        self.len += 1;
        if !is_dense(number, self.len, limits::DENSE_FACTOR) {
            self.sparse.insert(number, value);
            return (value, true);
        }
        // A power of two, so that growing is rare.
        let longer = (number as usize + 1).max(limits::DENSE_MEMBERS_MIN).next_power_of_two();
        let mut grown = vec![0; longer];
        if let Some(old) = grown.get_mut(..self.dense.len()) {
            old.copy_from_slice(&self.dense);
        }
        self.dense = grown;
        let dense = &mut self.dense;
        self.sparse.retain(|number, value| match dense.get_mut(*number as usize) {
            Some(slot) => {
                *slot = *value + 1;
                false
            }
            None => true,
        });
        if let Some(slot) = self.dense.get_mut(number as usize) {
            *slot = value + 1;
        }
        (value, true)
    }

    /// Bytes of its array, beyond what members of a hash table take.
    #[must_use]
    pub fn array_bytes(&self) -> usize {
        self.dense.capacity() * size_of::<u32>()
    }
}

/// A set of numbers.
#[derive(Clone, Debug, Default)]
pub struct NumberSet {
    words: Vec<u64>,
    sparse: FxHashSet<u32>,
    len: usize,
}

impl NumberSet {
    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a number is a member.
    #[must_use]
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        match self.words.get(number as usize / 64) {
            Some(word) => word >> (number % 64) & 1 == 1,
            None => !self.sparse.is_empty() && self.sparse.contains(&number),
        }
    }

    /// Makes a number a member; whether it was not.
    #[inline]
    pub fn insert(&mut self, number: u32) -> bool {
        if let Some(word) = self.words.get_mut(number as usize / 64) {
            let bit = 1u64 << (number % 64);
            let new = *word & bit == 0;
            *word |= bit;
            self.len += usize::from(new);
            return new;
        }
        self.insert_beyond(number)
    }

    fn insert_beyond(&mut self, number: u32) -> bool {
        if !self.sparse.insert(number) {
            return false;
        }
        self.len += 1;
        if is_dense(number, self.len, limits::DENSE_FACTOR * 32) {
            let longer = (number as usize / 64 + 1).max(self.words.len() / 2 * 3).max(limits::DENSE_MEMBERS_MIN / 64);
            self.words.resize(longer, 0);
            let words = &mut self.words;
            self.sparse.retain(|number| match words.get_mut(*number as usize / 64) {
                Some(word) => {
                    *word |= 1 << (number % 64);
                    false
                }
                None => true,
            });
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// Numbers near each other and far apart.
    fn numbers() -> impl Strategy<Value = Vec<u32>> {
        let number = prop_oneof![0u32..5_000, 0u32..2_000_000, 0u32..(1 << 31)];
        prop::collection::vec(number, 0..3_000)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn they_are_as_maps_and_sets(numbers in numbers()) {
            let (mut map, mut set) = (NumberMap::default(), NumberSet::default());
            let (mut model, mut members) = (BTreeMap::new(), BTreeSet::new());
            for (value, number) in (0..).zip(&numbers) {
                let known = model.get(number).copied();
                model.entry(*number).or_insert(value);
                prop_assert_eq!(map.get_or_insert(*number, value), (known.unwrap_or(value), known.is_none()));
                prop_assert_eq!(set.insert(*number), members.insert(*number));
                prop_assert_eq!(set.len(), members.len());
            }
            for number in numbers.iter().flat_map(|number| [*number, number ^ 1, number ^ 64]) {
                prop_assert_eq!(map.get(number), model.get(&number).copied());
                prop_assert_eq!(set.contains(number), members.contains(&number));
            }
        }
    }

    #[test]
    fn memory_depends_on_the_members() {
        let mut map = NumberMap::default();
        for number in (0..1_000).map(|at| at << 20) {
            map.get_or_insert(number, 1);
        }
        assert!(map.array_bytes() <= 1 << 17, "{}", map.array_bytes());
    }
}
