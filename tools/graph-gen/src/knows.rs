//! Acquaintances: degrees after the percentile curve of a large social network, partners found in three sorted passes.
//!
//! Memory: each person has as many slots of 4 bytes as it wants friends, in one vector; nothing else grows with the
//! edges. Dates are not stored: [`Friends::since_ms`] computes them from the pair. Start at [`Friends::find`].

use crate::clock::Clock;
use crate::draw::{Draw, Stream, mix, rounded, scale_by_bits};
use crate::error::GenError;
use crate::files::{Table, Tables};
use crate::limits::{BLOCK, DAY_MS, FRIENDS_MAX, GAP_MS};
use crate::person::{Person, Persons};

/// Degrees at percentiles 0, 5, 10, 20, ..., 90, 95, 99, 100 of a network with mean [`CURVE_MEAN`].
const CURVE: [(u32, f64); 14] = [
    (0, 0.0),
    (5, 3.5),
    (10, 10.0),
    (20, 25.0),
    (30, 42.0),
    (40, 66.0),
    (50, 99.0),
    (60, 139.0),
    (70, 204.0),
    (80, 283.0),
    (90, 447.0),
    (95, 674.0),
    (99, 1_029.0),
    (100, 5_000.0),
];
/// Mean of [`CURVE`], straight between the percentiles.
const CURVE_MEAN: f64 = 201.3;
/// Parts of the wanted degree, in percent, reached after each pass: same university, same interest, anybody.
const GOALS: [u32; 3] = [45, 90, 100];

/// Mean degree (both directions counted) of a network of `persons`: N^(0.512 - 0.028 log10 N), rounded.
pub(crate) fn mean_degree(persons: u32) -> u32 {
    let n = f64::from(persons);
    // Rounding to a whole number hides the last bits in which `powf` and `log10` may differ between platforms.
    rounded(n.powf(0.512 - 0.028 * n.log10()))
}

/// The friends of everybody.
pub(crate) struct Friends {
    /// Start of each person's slots, and the end of the last one's.
    starts: Vec<usize>,
    filled: Vec<u16>,
    slots: Vec<u32>,
    seed: u64,
}

impl Friends {
    /// Finds friends for all persons; `block_done` is called after each block with the persons handled so far (3 times
    /// all persons).
    pub(crate) fn find(seed: u64, persons: &Persons, mut block_done: impl FnMut(u64)) -> Friends {
        let mut friends = Friends::with_slots(seed, persons.len());
        let mut order: Vec<u32> = (0..persons.len()).collect();
        let mut handled = 0;
        for (pass, goal_percent) in (0_u64..).zip(GOALS) {
            order.sort_unstable_by_key(|&at| (sort_key(seed, pass, at, persons.get(at)), at));
            for (number, block) in (0_u64..).zip(order.chunks(BLOCK)) {
                let mut draw = Draw::new(seed, Stream::Friends, pass << 32 | number);
                friends.pair_block(block, goal_percent, &mut draw);
                handled += block.len() as u64;
                block_done(handled);
            }
        }
        for at in 0..persons.len() {
            let (start, end) = friends.range(at);
            if let Some(slots) = friends.slots.get_mut(start..end) {
                slots.sort_unstable();
            }
        }
        friends
    }

    fn with_slots(seed: u64, count: u32) -> Friends {
        let scale = f64::from(mean_degree(count)) / CURVE_MEAN;
        let mut starts = Vec::with_capacity(count as usize + 1);
        let mut total = 0;
        starts.push(0);
        for at in 0..count {
            total += wanted_degree(seed, at, scale).min(count - 1) as usize;
            starts.push(total);
        }
        Friends { starts, filled: vec![0; count as usize], slots: vec![0; total], seed }
    }

    /// Pairs the persons of a sorted block with others at geometric distances, until they have `goal_percent` of their
    /// friends.
    fn pair_block(&mut self, block: &[u32], goal_percent: u32, draw: &mut Draw) {
        for (position, &person) in block.iter().enumerate() {
            let goal = self.goal(person, goal_percent);
            let mut distance = 0;
            while self.degree(person) < goal {
                // The last pass looks at everybody of the block in turn, so that few wishes stay open.
                distance += if goal_percent < 100 { 1 + draw.coin_run() as usize } else { 1 };
                if distance >= block.len() {
                    break;
                }
                let Some(&other) = block.get((position + distance) % block.len()) else { break };
                if self.degree(other) < self.goal(other, goal_percent) && !self.knows(person, other) {
                    self.push(person, other);
                    self.push(other, person);
                }
            }
        }
    }

    fn goal(&self, person: u32, percent: u32) -> usize {
        (self.wanted(person) * percent as usize).div_ceil(100)
    }

    #[expect(clippy::indexing_slicing, reason = "`starts` has one entry more than there are persons")]
    fn wanted(&self, person: u32) -> usize {
        self.starts[person as usize + 1] - self.starts[person as usize]
    }

    #[expect(clippy::indexing_slicing, reason = "`filled` has one entry for each person")]
    fn degree(&self, person: u32) -> usize {
        usize::from(self.filled[person as usize])
    }

    #[expect(clippy::indexing_slicing, reason = "`starts` has one entry more than there are persons")]
    fn range(&self, person: u32) -> (usize, usize) {
        let start = self.starts[person as usize];
        (start, start + self.degree(person))
    }

    fn knows(&self, a: u32, b: u32) -> bool {
        let (few, other) = if self.degree(a) <= self.degree(b) { (a, b) } else { (b, a) };
        self.of(few).contains(&other)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "callers push only below the wanted degree, which is the number of slots"
    )]
    fn push(&mut self, person: u32, friend: u32) {
        let (_, end) = self.range(person);
        self.slots[end] = friend;
        self.filled[person as usize] += 1;
    }

    /// A person's friends, in the order of their ids.
    pub(crate) fn of(&self, person: u32) -> &[u32] {
        let (start, end) = self.range(person);
        self.slots.get(start..end).unwrap_or_default()
    }

    /// Writes the friendships in which the person has the smaller id.
    pub(crate) fn write(
        &self,
        at: u32,
        persons: &Persons,
        clock: Clock,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        let id = persons.id(at);
        for &friend in self.of(at).iter().filter(|&&friend| friend > at) {
            let since_ms = self.since_ms(at, friend, persons, clock);
            tables.row(Table::PersonKnows).number(id).number(persons.id(friend)).number(since_ms).end()?;
        }
        Ok(())
    }

    /// When two friends met: after both joined, sooner rather than later, at least a day before the end.
    pub(crate) fn since_ms(&self, a: u32, b: u32, persons: &Persons, clock: Clock) -> u64 {
        let both_here = persons.get(a).created_ms.max(persons.get(b).created_ms) + GAP_MS;
        let pair = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        let left = clock.end_ms.saturating_sub(both_here + DAY_MS);
        let bits = mix(self.seed, pair);
        both_here + scale_by_bits(scale_by_bits(left, bits), mix(bits, pair))
    }
}

/// How many friends a person would like: a percentile drawn uniformly, then a degree inside it.
fn wanted_degree(seed: u64, at: u32, scale: f64) -> u32 {
    let mut draw = Draw::new(seed, Stream::Degree, u64::from(at));
    let percent = f64::from(draw.below(1 << 20)) / f64::from(1 << 20) * 100.0;
    let degree = CURVE
        .iter()
        .zip(CURVE.iter().skip(1))
        .find(|(_, (high, _))| percent < f64::from(*high))
        .map_or(0.0, |((low, from), (high, to))| {
            from + (to - from) * (percent - f64::from(*low)) / f64::from(high - low)
        });
    rounded(degree * scale).clamp(1, FRIENDS_MAX)
}

/// What puts similar persons next to each other in a pass.
fn sort_key(seed: u64, pass: u64, at: u32, person: &Person) -> u64 {
    match pass {
        0 => {
            let study = person.university.map_or(0xFFFF, u64::from);
            (study << 32) | (u64::from(person.class_year) << 16) | u64::from(person.country)
        }
        1 => (u64::from(person.main_interest) << 16) | u64::from(person.country),
        _ => mix(seed, u64::from(at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::Dictionary;

    #[test]
    fn the_mean_degree_follows_the_formula() {
        for (persons, mean) in [(1_700, 23), (11_000, 41), (73_000, 67), (499_000, 102), (1, 1)] {
            assert_eq!(mean_degree(persons), mean, "{persons}");
        }
    }

    #[test]
    fn the_mean_of_the_curve_is_as_stated() {
        let mean: f64 = CURVE
            .iter()
            .zip(CURVE.iter().skip(1))
            .map(|((low, from), (high, to))| f64::from(high - low) / 100.0 * (from + to) / 2.0)
            .sum();
        assert!((mean - CURVE_MEAN).abs() < 0.5, "{mean}");
    }

    #[test]
    fn friendship_is_mutual_without_repeats_and_near_the_mean() {
        let (clock, dictionary) = (Clock::new(3), Dictionary::new());
        for count in [1_u32, 2, 3, 50, 2_000] {
            let persons = Persons::new(5, u64::from(count), clock, &dictionary);
            let friends = Friends::find(5, &persons, |_| {});
            let mut sum = 0;
            for person in 0..count {
                let list = friends.of(person);
                assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "a friend twice");
                assert!(list.iter().all(|&friend| friend != person && friends.of(friend).contains(&person)));
                sum += list.len();
            }
            if count == 2_000 {
                let (mean, wanted) = (sum as f64 / f64::from(count), f64::from(mean_degree(count)));
                assert!((mean - wanted).abs() / wanted < 0.15, "mean {mean}, formula {wanted}");
            }
        }
    }
}
