//! Edges between places as lists of successors.

use crate::search::pattern::Place;

/// The successors of each place, sorted and without repetitions.
#[derive(Debug, Default)]
pub(crate) struct Arcs {
    /// Where the successors of each place begin; one more at the end.
    starts: Vec<usize>,
    heads: Vec<Place>,
}

impl Arcs {
    /// Of pairs (from, to) in any order: they are put in their rows by counting, and each row is sorted.
    pub(crate) fn new(pairs: impl Iterator<Item = (Place, Place)> + Clone) -> Self {
        let (mut starts, mut count) = (Vec::new(), 0);
        for (from, _) in pairs.clone() {
            // The count of a row is kept where the row after the next one begins, for what is done below.
            let at = from as usize + 2;
            if starts.len() <= at {
                starts.resize((at + 1).max(starts.len() / 2 * 3), 0);
            }
            if let Some(row) = starts.get_mut(at) {
                *row += 1;
            }
            count += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        // Now the place after each holds where its row begins; it moves on as the row is filled, to where it ends.
        let mut heads = vec![0; count];
        for (from, to) in pairs {
            if let Some(next) = starts.get_mut(from as usize + 1) {
                if let Some(head) = heads.get_mut(*next) {
                    *head = to;
                }
                *next += 1;
            }
        }
        let mut arcs = Self { starts, heads };
        arcs.sort_rows();
        arcs
    }

    /// Sorts each row and leaves out what it has twice.
    fn sort_rows(&mut self) {
        let (mut start, mut kept) = (0, 0);
        for end in self.starts.iter_mut().skip(1) {
            let row = start..*end;
            start = *end;
            if let Some(row) = self.heads.get_mut(row.clone()) {
                row.sort_unstable();
            }
            let mut last = None;
            for at in row {
                let Some(head) = self.heads.get(at).copied() else { break };
                if last.replace(head) != Some(head) {
                    if let Some(slot) = self.heads.get_mut(kept) {
                        *slot = head;
                    }
                    kept += 1;
                }
            }
            *end = kept;
        }
        self.heads.truncate(kept);
    }

    /// The successors of a place.
    pub(crate) fn of(&self, place: Place) -> &[Place] {
        let at = place as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => self.heads.get(*start..*end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Whether an edge leads from one place to another.
    pub(crate) fn has(&self, from: Place, to: Place) -> bool {
        self.of(from).binary_search(&to).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successors_are_sorted_and_unique() {
        let arcs = Arcs::new([(3, 1), (0, 2), (3, 0), (0, 2), (1, 1)].into_iter());
        assert_eq!(
            (arcs.of(0), arcs.of(1), arcs.of(2), arcs.of(3), arcs.of(4)),
            (&[2][..], &[1][..], &[][..], &[0, 1][..], &[][..])
        );
        assert!(arcs.has(3, 1) && !arcs.has(1, 3) && !arcs.has(9, 9));
        assert!(Arcs::new([].into_iter()).of(0).is_empty());
    }
}
