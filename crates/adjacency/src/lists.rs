//! What is asked for and what is answered: lists of neighbours of several vertices.

use graph_model::{Direction, LabelId};

/// Which edges of a vertex to follow.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// At which end of its edges the vertex is.
    pub direction: Direction,
    /// Only edges of these labels, in this order, none twice and none a parent label; `None`: of all labels.
    pub labels: Option<&'a [LabelId]>,
    /// At most this many edges of one vertex, over both directions and all labels; `None`: all.
    pub limit: Option<u64>,
}

impl Wanted<'_> {
    /// The directions in the order they are answered; whether edges are outgoing.
    #[must_use]
    pub fn directions(&self) -> &'static [bool] {
        match self.direction {
            Direction::Out => &[true],
            Direction::In => &[false],
            Direction::Both => &[true, false],
        }
    }

    /// The limit as a number of places.
    #[must_use]
    pub fn most(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
    }
}

/// The neighbours of some vertices, one list for each, in the order of the vertices. A vertex that several edges lead
/// to comes as often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberLists {
    /// All lists, one after the other.
    pub numbers: Vec<u32>,
    /// Where each list ends.
    pub ends: Vec<usize>,
    /// Positions of vertices whose list is not at hand and is empty here, in ascending order.
    pub missed: Vec<usize>,
    /// Reading stops once there are more numbers than this; 0: never. See [`Self::is_full`].
    pub numbers_max: usize,
}

impl NumberLists {
    /// Ends the list of a vertex.
    pub fn end_list(&mut self) {
        self.ends.push(self.numbers.len());
    }

    /// Whether there are more numbers than were to be read.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.numbers_max > 0 && self.numbers.len() > self.numbers_max
    }

    /// The lists.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| self.numbers.get(start..*end).unwrap_or_default())
    }

    /// Removes all lists, keeps the room.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.ends.clear();
        self.missed.clear();
    }
}
