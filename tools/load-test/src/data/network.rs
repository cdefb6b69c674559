//! The network that walks are measured on: every vertex has the same neighbourhood, so that right answers are known
//! without asking a server.
//!
//! Vertices stand in a circle, and each has edges to those a few random distances further on (a circulant graph). From
//! any vertex a walk meets as many vertices as from vertex 0, and a shortest path depends on the distance only.

use std::collections::{HashSet, VecDeque};

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _, seq};

use crate::error::LoadTestError;

/// The same distances in every run, so that runs can be compared.
const SEED: u64 = 0x7768_6f20_6b6e_6f77;
/// For vertices that cannot be reached.
const UNREACHED: u8 = u8::MAX;

/// The edges of the network, and what walks over them in both directions find.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// How far on edges lead; those from `n` times the vertices on lead as far as the `n`th says.
    distances: Vec<u64>,
    /// Steps from vertex 0 to each vertex.
    steps: Vec<u8>,
    /// Vertices within so many steps of any vertex, itself not counted.
    within: Vec<u64>,
    rings_of_3: u64,
}

impl Network {
    /// A network of so many vertices and edges.
    ///
    /// # Errors
    /// [`LoadTestError::Option`] if vertices cannot have an equal number of edges each, or not so many.
    pub(crate) fn new(vertices: u64, edges: u64) -> Result<Self, LoadTestError> {
        let wrong = |reason| LoadTestError::Option { option: "edges", reason };
        if !edges.is_multiple_of(vertices) {
            let fitting = edges.next_multiple_of(vertices.max(1));
            let reason = format!("{edges}: walks need as many at each vertex; {fitting} would do with {vertices}");
            return Err(wrong(reason));
        }
        // A distance and the one that leads back would be two edges between the same vertices.
        let (each, most) = (edges / vertices, (vertices - 1) / 2);
        if each > most {
            return Err(wrong(format!("{edges}: walks can have {} with {vertices} vertices", most * vertices)));
        }
        let size = |number: u64| usize::try_from(number).map_err(|error| wrong(error.to_string()));
        let mut rng = SmallRng::seed_from_u64(SEED);
        let drawn = seq::index::sample(&mut rng, size(most)?, size(each)?);
        let distances: Vec<u64> = drawn
            .into_iter()
            .map(|drawn| drawn as u64 + 1)
            .map(|distance| if rng.random_bool(0.5) { distance } else { vertices - distance })
            .collect();
        let steps = steps(size(vertices)?, &distances);
        let deepest = steps.iter().copied().filter(|&step| step != UNREACHED).max().unwrap_or(0);
        let mut within = vec![0; usize::from(deepest) + 1];
        for &step in steps.iter().filter(|&&step| (1..UNREACHED).contains(&step)) {
            if let Some(count) = within.get_mut(usize::from(step)) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut within {
            sum += *count;
            *count = sum;
        }
        let rings_of_3 = rings_of_3(vertices, &distances);
        Ok(Self { distances, steps, within, rings_of_3 })
    }

    /// How far on an edge of the `round`th edges of all vertices leads.
    pub(crate) fn distance(&self, round: u64) -> Option<u64> {
        self.distances.get(usize::try_from(round).ok()?).copied()
    }

    /// Vertices within so many steps of any vertex, itself not counted.
    pub(crate) fn within(&self, steps: u64) -> u64 {
        let index = usize::try_from(steps).unwrap_or(usize::MAX).min(self.within.len().saturating_sub(1));
        self.within.get(index).copied().unwrap_or(0)
    }

    /// Vertices of a shortest path of at most so many steps, both ends included; 0 if there is none.
    pub(crate) fn path_vertices(&self, from: u64, to: u64, steps_max: u64) -> u64 {
        let vertices = self.steps.len() as u64;
        let index = usize::try_from((to + vertices - from) % vertices.max(1)).unwrap_or_default();
        match self.steps.get(index) {
            Some(&step) if step != UNREACHED && u64::from(step) <= steps_max => u64::from(step) + 1,
            _ => 0,
        }
    }

    /// Rings of three edges through any vertex.
    pub(crate) fn rings_of_3(&self) -> u64 {
        self.rings_of_3
    }
}

/// Steps from vertex 0 to each, along and against edges.
fn steps(vertices: usize, distances: &[u64]) -> Vec<u8> {
    let mut steps = vec![UNREACHED; vertices];
    let mut queue = VecDeque::from([0_usize]);
    if let Some(first) = steps.first_mut() {
        *first = 0;
    }
    while let Some(vertex) = queue.pop_front() {
        let next = steps.get(vertex).map_or(UNREACHED, |step| step.saturating_add(1));
        if next == UNREACHED {
            continue;
        }
        for distance in distances.iter().filter_map(|&distance| usize::try_from(distance).ok()) {
            for neighbour in [(vertex + distance) % vertices, (vertex + vertices - distance) % vertices] {
                if let Some(step) = steps.get_mut(neighbour).filter(|step| **step == UNREACHED) {
                    *step = next;
                    queue.push_back(neighbour);
                }
            }
        }
    }
    steps
}

/// Pairs of neighbours of vertex 0 that are neighbours of each other.
fn rings_of_3(vertices: u64, distances: &[u64]) -> u64 {
    let near: HashSet<u64> = distances.iter().flat_map(|&distance| [distance, vertices - distance]).collect();
    let mut ordered: Vec<u64> = near.iter().copied().collect();
    ordered.sort_unstable();
    let pairs = ordered.iter().enumerate().flat_map(|(at, one)| ordered.iter().skip(at + 1).map(move |two| two - one));
    pairs.filter(|between| near.contains(between)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The neighbours of a vertex, by its edges in both directions.
    fn neighbours(network: &Network, vertices: u64, vertex: u64) -> HashSet<u64> {
        let around = |distance: &u64| [(vertex + distance) % vertices, (vertex + vertices - distance) % vertices];
        network.distances.iter().flat_map(around).collect()
    }

    #[test]
    fn what_is_known_of_one_vertex_is_true_of_all() {
        let (vertices, network) = (101, Network::new(101, 505).unwrap());
        for start in [0, 1, 50, 100] {
            let near = neighbours(&network, vertices, start);
            assert_eq!(near.len() as u64, network.within(1));
            assert_eq!(network.within(1), 10);
            let mut reached: HashSet<u64> =
                near.iter().flat_map(|&next| neighbours(&network, vertices, next)).collect();
            reached.extend(&near);
            reached.remove(&start);
            assert_eq!(reached.len() as u64, network.within(2));
            let ordered = near.iter().flat_map(|one| near.iter().map(move |two| (one, two)));
            let rings = ordered.filter(|(one, two)| one < two && neighbours(&network, vertices, **one).contains(two));
            assert_eq!(rings.count() as u64, network.rings_of_3());
            for target in 0..vertices {
                let expected = match target {
                    target if target == start => 1,
                    target if near.contains(&target) => 2,
                    target if reached.contains(&target) => 3,
                    _ => 0,
                };
                assert_eq!(network.path_vertices(start, target, 2), expected);
            }
        }
        assert_eq!(network.within(100), vertices - 1);
    }

    #[test]
    fn sizes_that_are_not_equal_for_all_are_refused() {
        let refusal = |vertices, edges| Network::new(vertices, edges).unwrap_err().to_string();
        assert!(refusal(10, 25).contains("30 would do"), "{}", refusal(10, 25));
        assert!(refusal(10, 50).contains("40"), "{}", refusal(10, 50));
    }
}
