//! A stage of a join: a hop to a node that is not known, and what can be tested then.

use adjacency::{NumberLists, Wanted};
use graph_access::NumberedRead;
use graph_model::{Direction, LabelId};
use rustc_hash::FxHashMap;

use crate::host::{Give, Host};
use crate::limits::{MARKED_MAX, PLACES_PER_MARK};
use crate::pattern::HopKind;
use crate::tested::Tested;

/// The columns of the ends of a hop, walked from the first to the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) direction: Direction,
}

impl Ends {
    /// Where a way must lead from a node so that it takes the same relationship as this hop did.
    fn used_from(self, tuple: &[u32], node: u32, direction: Direction) -> Option<u32> {
        let (from, to) = (at(tuple, self.from), at(tuple, self.to));
        let (source, target) = if self.direction == Direction::In { (to, from) } else { (from, to) };
        match direction {
            Direction::Both if from == node => Some(to),
            Direction::Both => (to == node).then_some(from),
            Direction::Out => (source == node).then_some(target),
            Direction::In => (target == node).then_some(source),
        }
    }

    pub(crate) fn reversed(self) -> Self {
        Self { from: self.to, to: self.from, direction: self.direction.reversed() }
    }
}

fn at(tuple: &[u32], column: usize) -> u32 {
    tuple.get(column).copied().unwrap_or(u32::MAX)
}

/// A hop to a node that is not known, the hops whose both ends are known then, and nodes that must differ.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    pub(crate) walk: Option<Walk>,
    pub(crate) checks: Vec<Check>,
    /// Pairs of columns of which neither is the node that is found.
    pub(crate) different: Vec<(usize, usize)>,
    pub(crate) scratch: Vec<u32>,
}

#[derive(Debug)]
pub(crate) struct Walk {
    pub(crate) ends: Ends,
    pub(crate) types: Option<Vec<LabelId>>,
    pub(crate) others: Vec<Ends>,
    pub(crate) test: Option<(usize, Tested)>,
    /// Columns of nodes that the one found must not be.
    pub(crate) unlike: Vec<usize>,
    /// Whether only the number of nodes found matters.
    pub(crate) is_counted: bool,
    pub(crate) kind: HopKind,
}

impl Stage {
    /// Carries some ways on, each `width` numbers, and hands on those found, with how often each is found.
    pub(crate) fn carry_out<H: Host>(
        &mut self,
        host: &H,
        graph: &dyn NumberedRead,
        (taken, times, width): (&[u32], &[u64], usize),
        lists: &mut NumberLists,
        give: &mut Give<'_, H::Error>,
    ) -> Result<(), H::Error> {
        let Self { walk, checks, different, scratch } = self;
        lists.clear();
        let is_apart = |tuple: &[u32]| different.iter().all(|(one, other)| at(tuple, *one) != at(tuple, *other));
        let Some(walk) = walk else {
            for (tuple, times) in taken.chunks_exact(width).zip(times) {
                host.tick(1)?;
                let found = if is_apart(tuple) { checked(host, graph, checks, tuple)? } else { 0 };
                if found > 0 {
                    give(tuple, times.saturating_mul(found))?;
                }
            }
            return Ok(());
        };
        let owners: Vec<u32> = taken.chunks_exact(width).map(|tuple| at(tuple, walk.ends.from)).collect();
        let wanted = Wanted { direction: walk.ends.direction, labels: walk.types.as_deref(), limit: None };
        read(host, graph, &owners, wanted, lists)?;
        if let Some((test, tested)) = &mut walk.test {
            host.look_at(*test, &lists.numbers, tested)?;
        }
        let mut skipped: Vec<u32> = Vec::new();
        for ((tuple, list), times) in taken.chunks_exact(width).zip(lists.iter()).zip(times) {
            host.tick(list.len() + 1)?;
            if !is_apart(tuple) {
                continue;
            }
            let own = at(tuple, walk.ends.from);
            skipped.clear();
            skipped.extend(walk.others.iter().filter_map(|other| other.used_from(tuple, own, walk.ends.direction)));
            if walk.is_counted {
                let found = if checks.is_empty() && walk.test.is_none() {
                    walk.count(tuple, own, list, &skipped)
                } else {
                    let mut found = 0_u64;
                    scratch.clear();
                    scratch.extend_from_slice(tuple);
                    walk.each(own, list, &mut skipped, scratch, &mut |scratch| {
                        found = found.saturating_add(checked(host, graph, checks, scratch)?);
                        Ok(())
                    })?;
                    found
                };
                let found = walk.kind.ways(found);
                if found > 0 {
                    give(tuple, times.saturating_mul(found))?;
                }
                continue;
            }
            scratch.clear();
            scratch.extend_from_slice(tuple);
            walk.each(own, list, &mut skipped, scratch, &mut |scratch| {
                let found = checked(host, graph, checks, scratch)?;
                if found > 0 { give(scratch, times.saturating_mul(found)) } else { Ok(()) }
            })?;
        }
        Ok(())
    }
}

impl Walk {
    /// How many neighbours fit where nothing is asked of them but to be none of some.
    fn count(&self, tuple: &[u32], own: u32, list: &[u32], skipped: &[u32]) -> u64 {
        // A relationship of a node with itself is at both of its ends.
        let is_both = self.ends.direction == Direction::Both;
        let occurrences = |number: u32| {
            let count = list.iter().filter(|other| **other == number).count();
            if is_both && number == own { count / 2 } else { count }
        };
        let loops = if is_both { list.iter().filter(|other| **other == own).count() / 2 } else { 0 };
        let mut found = list.len() - loops;
        let is_unlike = |number: u32| self.unlike.iter().any(|column| at(tuple, *column) == number);
        for (place, column) in self.unlike.iter().enumerate() {
            let number = at(tuple, *column);
            let is_first = self.unlike.iter().take(place).all(|before| at(tuple, *before) != number);
            if is_first {
                found -= occurrences(number);
            }
        }
        let used = skipped.iter().filter(|number| !is_unlike(**number)).count();
        u64::try_from(found.saturating_sub(used)).unwrap_or(u64::MAX)
    }

    /// Each neighbour that fits, in its column.
    fn each<E>(
        &self,
        own: u32,
        list: &[u32],
        skipped: &mut Vec<u32>,
        scratch: &mut [u32],
        give: &mut dyn FnMut(&[u32]) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_both = self.ends.direction == Direction::Both;
        let mut is_second = false;
        for number in list {
            if is_both && *number == own {
                is_second = !is_second;
                if !is_second {
                    continue;
                }
            }
            if !skipped.is_empty()
                && let Some(place) = skipped.iter().position(|skipped| skipped == number)
            {
                skipped.swap_remove(place);
                continue;
            }
            if self.test.as_ref().is_some_and(|(_, tested)| !tested.holds(*number))
                || self.unlike.iter().any(|column| at(scratch, *column) == *number)
            {
                continue;
            }
            if let Some(slot) = scratch.get_mut(self.ends.to) {
                *slot = *number;
            }
            give(scratch)?;
        }
        Ok(())
    }
}

/// The neighbours of some nodes.
fn read<H: Host>(
    host: &H,
    graph: &dyn NumberedRead,
    owners: &[u32],
    wanted: Wanted<'_>,
    lists: &mut NumberLists,
) -> Result<(), H::Error> {
    lists.numbers_max = usize::try_from(host.left() / 8).unwrap_or(usize::MAX).max(1);
    graph.read(owners, wanted, lists).map_err(|error| host.failed(error))?;
    if lists.is_full() { host.hold(host.left().saturating_add(1)) } else { Ok(()) }
}

/// In how many ways the checks can be met.
fn checked<H: Host>(host: &H, graph: &dyn NumberedRead, checks: &mut [Check], tuple: &[u32]) -> Result<u64, H::Error> {
    let mut times = 1_u64;
    for check in checks {
        let found = check.times(host, graph, tuple)?;
        times = times.saturating_mul(check.kind.ways(found));
        if times == 0 {
            break;
        }
    }
    Ok(times)
}

/// A hop between two nodes that are known.
#[derive(Debug)]
pub(crate) struct Check {
    /// Walked from the end that changes less often.
    pub(crate) ends: Ends,
    pub(crate) types: Option<Vec<LabelId>>,
    pub(crate) others: Vec<Ends>,
    pub(crate) kind: HopKind,
    /// The node whose neighbours are listed, and whether they are marked too.
    listed: Option<(u32, bool)>,
    marks: Marks,
    lists: NumberLists,
}

impl Check {
    pub(crate) fn new(ends: Ends, types: Option<Vec<LabelId>>, others: Vec<Ends>, kind: HopKind) -> Self {
        Self { ends, types, others, kind, listed: None, marks: Marks::default(), lists: NumberLists::default() }
    }

    /// How many relationships lead from one end to the other, without those that are used.
    fn times<H: Host>(&mut self, host: &H, graph: &dyn NumberedRead, tuple: &[u32]) -> Result<u64, H::Error> {
        let Ends { from, to, direction } = self.ends;
        let (from, to) = (at(tuple, from), at(tuple, to));
        let mut times = match self.listed {
            Some((listed, is_marked)) if listed == from => {
                // What is looked through again is worth marking.
                if !is_marked {
                    host.tick(self.lists.numbers.len())?;
                    self.marks.set(&self.lists.numbers);
                    self.listed = Some((from, true));
                }
                self.marks.get(to)
            }
            _ => {
                self.lists.clear();
                let wanted = Wanted { direction, labels: self.types.as_deref(), limit: None };
                self.listed = None;
                read(host, graph, &[from], wanted, &mut self.lists)?;
                host.tick(self.lists.numbers.len())?;
                self.listed = Some((from, false));
                let times = self.lists.numbers.iter().filter(|number| **number == to).count();
                u32::try_from(times).unwrap_or(u32::MAX)
            }
        };
        if direction == Direction::Both && from == to {
            times /= 2;
        }
        if times == 0 {
            return Ok(0);
        }
        let used = self.others.iter().filter(|other| other.used_from(tuple, from, direction) == Some(to)).count();
        Ok(u64::from(times).saturating_sub(u64::try_from(used).unwrap_or(u64::MAX)))
    }
}

/// How often numbers are in a list.
#[derive(Debug, Default)]
struct Marks {
    /// For each number the list in which it was seen last, and how often. It grows with what was marked, so that a few
    /// numbers do not pay for as many places as the graph has nodes.
    dense: Vec<(u32, u32)>,
    /// Numbers beyond.
    sparse: FxHashMap<u32, u32>,
    list: u32,
    marked: usize,
}

impl Marks {
    fn set(&mut self, numbers: &[u32]) {
        self.sparse.clear();
        self.list = self.list.wrapping_add(1);
        if self.list == 0 {
            self.dense.clear();
            self.list = 1;
        }
        self.marked = self.marked.saturating_add(numbers.len());
        let paid = self.marked.saturating_mul(PLACES_PER_MARK).min(MARKED_MAX);
        let wanted = numbers.iter().max().map_or(0, |number| *number as usize + 1);
        if wanted > self.dense.len() && paid > self.dense.len() * 2 {
            self.dense.resize(wanted.next_power_of_two().min(paid), (0, 0));
        }
        for number in numbers {
            match self.dense.get_mut(*number as usize) {
                Some((list, count)) => {
                    *count = if *list == self.list { *count + 1 } else { 1 };
                    *list = self.list;
                }
                None => *self.sparse.entry(*number).or_insert(0) += 1,
            }
        }
    }

    fn get(&self, number: u32) -> u32 {
        match self.dense.get(number as usize) {
            Some((list, count)) => {
                if *list == self.list {
                    *count
                } else {
                    0
                }
            }
            None => self.sparse.get(&number).copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_count_the_last_list_wherever_its_numbers_are() {
        let mut marks = Marks::default();
        let far = u32::try_from(MARKED_MAX).unwrap() + 7;
        for round in 0..200_u32 {
            let list = [round, round * 1_000, far, round, far - round];
            marks.set(&list);
            for number in [round, round * 1_000, far, far - round, round + 1, 5_000_000] {
                let expected = list.iter().filter(|own| **own == number).count();
                assert_eq!(marks.get(number) as usize, expected, "{number} in round {round}");
            }
        }
    }

    #[test]
    fn a_few_marks_take_few_places() {
        let mut marks = Marks::default();
        marks.set(&[1_000_000, 2]);
        assert!(marks.dense.len() <= 2 * PLACES_PER_MARK, "{}", marks.dense.len());
        assert_eq!((marks.get(1_000_000), marks.get(2), marks.get(3)), (1, 1, 0));
    }
}
