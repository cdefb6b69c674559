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
    /// Of pairs (from, to) in any order.
    pub(crate) fn new(pairs: impl Iterator<Item = (Place, Place)>) -> Self {
        let mut pairs: Vec<(Place, Place)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        let places = pairs.last().map_or(0, |(from, _)| *from as usize + 1);
        let mut starts = vec![0; places + 1];
        for (from, _) in &pairs {
            if let Some(count) = starts.get_mut(*from as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        Self { starts, heads: pairs.into_iter().map(|(_, to)| to).collect() }
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
