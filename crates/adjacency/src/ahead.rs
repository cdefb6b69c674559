//! Which lists will walks ask for next?
//!
//! Those of vertices they have met but not walked from, along the edges they follow. A table remembers which edges
//! walks had to read from storage for more than a few vertices; whoever has time to reads the same of all other
//! vertices that have numbers, so that walks find them in memory. What is read so gives numbers to further vertices:
//! it goes as far as the edges lead, and ends at the bounds of [`Table::next_ahead`](crate::Table::next_ahead).

use std::ops::Range;

use graph_model::{Direction, LabelId};
use parking_lot::Mutex;

use crate::{Wanted, limits};

/// Edges that walks follow.
#[derive(Debug)]
struct Followed {
    direction: Direction,
    labels: Option<Box<[LabelId]>>,
    /// Vertices whose edges were read since walks asked for them.
    vertices: u64,
    /// The number of the next vertex to read them of.
    next: u32,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    followed: Mutex<Vec<Followed>>,
}

/// Vertices whose neighbours along some edges walks are likely to ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadAhead {
    /// The numbers of the vertices.
    pub numbers: Range<u32>,
    direction: Direction,
    labels: Option<Box<[LabelId]>>,
}

impl ReadAhead {
    /// What to read of each.
    #[must_use]
    pub fn wanted(&self) -> Wanted<'_> {
        let limit = Some(limits::READ_AHEAD_EDGES_MAX);
        Wanted { direction: self.direction, labels: self.labels.as_deref(), limit }
    }
}

impl Ahead {
    /// Walks asked for the edges of so many vertices that had to be read.
    pub(crate) fn note(&self, wanted: Wanted<'_>, vertices: usize) {
        // Who wants few edges of each vertex is not helped by many.
        if vertices == 0 || wanted.limit.is_some_and(|limit| limit < limits::READ_AHEAD_EDGES_MAX) {
            return;
        }
        let mut followed = self.followed.lock();
        let is_same = |own: &Followed| own.direction == wanted.direction && own.labels.as_deref() == wanted.labels;
        if let Some(known) = followed.iter_mut().find(|own| is_same(own)) {
            known.vertices += vertices as u64;
        } else if followed.len() < limits::READ_AHEAD_KINDS_MAX {
            let labels = wanted.labels.map(Box::from);
            followed.push(Followed { direction: wanted.direction, labels, vertices: vertices as u64, next: 0 });
        }
    }

    /// What to read next, where vertices have the numbers below `end`; `None`: everything was read once.
    pub(crate) fn next(&self, end: u32) -> Option<ReadAhead> {
        let mut followed = self.followed.lock();
        let is_due = |own: &&mut Followed| own.vertices >= limits::READ_AHEAD_AFTER && own.next < end;
        let due = followed.iter_mut().find(is_due)?;
        let numbers = due.next..due.next.saturating_add(limits::READ_AHEAD_VERTICES).min(end);
        due.next = numbers.end;
        Some(ReadAhead { numbers, direction: due.direction, labels: due.labels.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(label: &[LabelId], limit: Option<u64>) -> Wanted<'_> {
        Wanted { direction: Direction::Out, labels: Some(label), limit }
    }

    #[test]
    fn what_was_read_for_many_is_read_for_all_once() {
        let (ahead, labels) = (Ahead::default(), [LabelId(3)]);
        let few = usize::try_from(limits::READ_AHEAD_AFTER).unwrap() - 1;
        ahead.note(wanted(&labels, None), few);
        assert_eq!(ahead.next(1_000), None, "too few yet");
        ahead.note(wanted(&labels, None), 1);
        let step = limits::READ_AHEAD_VERTICES;
        let first = ahead.next(step + 3).unwrap();
        assert_eq!((first.numbers.clone(), first.wanted().labels), (0..step, Some(&labels[..])));
        assert_eq!(ahead.next(step + 3).unwrap().numbers, step..step + 3);
        assert_eq!(ahead.next(step + 3), None);
        assert_eq!(ahead.next(step + 5).unwrap().numbers, step + 3..step + 5, "more vertices have numbers");
    }

    #[test]
    fn kinds_are_apart_and_few() {
        let ahead = Ahead::default();
        let labels: Vec<LabelId> = (0..).map(LabelId).take(limits::READ_AHEAD_KINDS_MAX + 1).collect();
        for label in labels.chunks(1) {
            ahead.note(wanted(label, None), 1_000);
        }
        ahead.note(wanted(&labels[..1], Some(limits::READ_AHEAD_EDGES_MAX - 1)), 1_000);
        let all: Vec<ReadAhead> = std::iter::from_fn(|| ahead.next(1)).collect();
        let read: Vec<LabelId> = all.iter().flat_map(|one| one.labels.as_deref().unwrap()).copied().collect();
        assert_eq!(read, labels[..limits::READ_AHEAD_KINDS_MAX]);
    }
}
