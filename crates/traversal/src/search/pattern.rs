//! Which kind of step may follow which, and vertices together with how much of the pattern is done.

use graph_model::Direction;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::{Node, Step};

/// How much of a pattern is done.
pub(crate) type State = u32;

/// A vertex in a state: its number. With one state the number of the vertex itself.
pub(crate) type Place = u32;

/// The moves from each state, in one direction of the search.
#[derive(Debug)]
pub(crate) struct Moves {
    /// The kinds of steps.
    pub(crate) steps: Vec<Step>,
    /// For each state: a kind of step that may be taken, and the state after it.
    pub(crate) from: Vec<Vec<(usize, State)>>,
    /// Whether they are made from the targets on, back along the path.
    pub(crate) backwards: bool,
}

/// A pattern that paths must fit: an automaton over kinds of steps.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Moves from the sources on.
    pub(crate) forward: Moves,
    /// Moves from the targets on, back along the path.
    pub(crate) backward: Moves,
    /// The state at the sources.
    pub(crate) start: State,
    /// States at which a path may end.
    pub(crate) accepting: Vec<State>,
}

impl Pattern {
    /// Any number of steps of one kind: `forward` as walked from the sources, `backward` as walked from the targets.
    pub(crate) fn one(forward: Step, backward: Step) -> Self {
        let moves = |step, backwards| Moves { steps: vec![step], from: vec![vec![(0, 0)]], backwards };
        Self { forward: moves(forward, false), backward: moves(backward, true), start: 0, accepting: vec![0] }
    }

    /// Steps of one kind after the other, each once up to this many times.
    pub(crate) fn template(steps: &[(Step, u32)]) -> Self {
        let mut transitions: Vec<(State, usize, State)> = Vec::new();
        // The states with which the step before may be over, and the state of the last repetition so far.
        let (mut entries, mut state): (Vec<State>, State) = (vec![0], 0);
        for (at, (_, times)) in steps.iter().enumerate() {
            let first = state + 1;
            transitions.extend(entries.iter().map(|entry| (*entry, at, first)));
            transitions.extend((first..first + times.saturating_sub(1)).map(|state| (state, at, state + 1)));
            state += (*times).max(1);
            entries = (first..=state).collect();
        }
        let empty = || vec![Vec::new(); state as usize + 1];
        let (mut forward, mut backward) = (empty(), empty());
        for (from, step, to) in transitions {
            for (moves, from, to) in [(&mut forward, from, to), (&mut backward, to, from)] {
                if let Some(moves) = moves.get_mut(from as usize) {
                    moves.push((step, to));
                }
            }
        }
        let walked = steps.iter().map(|(step, _)| step.clone()).collect();
        let back = steps.iter().map(|(step, _)| step.reversed()).collect();
        Self {
            forward: Moves { steps: walked, from: forward, backwards: false },
            backward: Moves { steps: back, from: backward, backwards: true },
            start: 0,
            accepting: entries,
        }
    }

    /// How many states there are.
    pub(crate) fn states(&self) -> usize {
        self.forward.from.len()
    }

    /// Whether every step is walked in both directions of its edges.
    pub(crate) fn is_undirected(&self) -> bool {
        self.forward.steps.iter().all(|step| step.direction == Direction::Both)
    }
}

/// Numbers for vertices in states.
#[derive(Debug)]
pub(crate) struct Places {
    /// `None`: there is one state.
    numbered: Option<IndexSet<(Node, State), FxBuildHasher>>,
}

impl Places {
    pub(crate) fn new(states: usize) -> Self {
        Self { numbered: (states > 1).then(IndexSet::default) }
    }

    /// The number of a vertex in a state.
    pub(crate) fn place(&mut self, node: Node, state: State) -> Place {
        match &mut self.numbered {
            None => node.0,
            Some(places) => u32::try_from(places.insert_full((node, state)).0).unwrap_or(Place::MAX),
        }
    }

    /// The vertex and the state of a number.
    pub(crate) fn get(&self, place: Place) -> (Node, State) {
        match &self.numbered {
            None => (Node(place), 0),
            Some(places) => places.get_index(place as usize).copied().unwrap_or((Node(0), 0)),
        }
    }

    /// The vertex of a number.
    pub(crate) fn node(&self, place: Place) -> Node {
        self.get(place).0
    }

    /// Whether the number of a vertex in a state is that of the vertex.
    pub(crate) fn are_nodes(&self) -> bool {
        self.numbered.is_none()
    }

    /// Bytes that a number takes.
    pub(crate) fn bytes(&self) -> usize {
        if self.numbered.is_some() { crate::limits::PLACE_BYTES } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a sequence of steps fits.
    fn fits(pattern: &Pattern, steps: &[usize]) -> bool {
        let mut states = vec![pattern.start];
        for step in steps {
            states = states
                .iter()
                .flat_map(|state| &pattern.forward.from[*state as usize])
                .filter(|(taken, _)| taken == step)
                .map(|(_, to)| *to)
                .collect();
        }
        states.iter().any(|state| pattern.accepting.contains(state))
    }

    #[test]
    fn each_step_of_a_template_comes_once_to_so_many_times() {
        let pattern = Pattern::template(&[(Step::default(), 2), (Step::default(), 1), (Step::default(), 3)]);
        assert_eq!(pattern.states(), 7);
        for good in [&[0, 1, 2][..], &[0, 0, 1, 2], &[0, 1, 2, 2, 2], &[0, 0, 1, 2, 2, 2]] {
            assert!(fits(&pattern, good), "{good:?}");
        }
        for bad in [&[][..], &[0], &[0, 1], &[0, 0, 0, 1, 2], &[0, 1, 1, 2], &[0, 1, 2, 2, 2, 2], &[1, 2], &[0, 2]] {
            assert!(!fits(&pattern, bad), "{bad:?}");
        }
    }

    #[test]
    fn places_have_numbers() {
        let mut places = Places::new(1);
        assert_eq!((places.place(Node(7), 0), places.get(7)), (7, (Node(7), 0)));
        let mut places = Places::new(3);
        assert_eq!((places.place(Node(7), 2), places.place(Node(7), 1), places.place(Node(7), 2)), (0, 1, 0));
        assert_eq!(places.get(1), (Node(7), 1));
    }
}
