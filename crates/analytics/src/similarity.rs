//! Vertices with the same neighbours.

use std::cmp::Ordering;

use crate::csr::balanced;
use crate::graph::Graph;
use crate::run::Run;
use crate::{AnalyticsError, Result, Vertex};

/// How alike two sets of neighbours are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Those in both, of those in either (Jaccard 1901).
    Jaccard,
    /// Those in both, of the smaller set.
    Overlap,
    /// Those in both, of the root of the product of the sizes.
    Cosine,
}

impl Measure {
    /// By its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "jaccard" => Some(Self::Jaccard),
            "overlap" => Some(Self::Overlap),
            "cosine" => Some(Self::Cosine),
            _ => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn of(self, both: u32, a: usize, b: usize) -> f64 {
        let both = f64::from(both);
        match self {
            Self::Jaccard => both / (a as f64 + b as f64 - both),
            Self::Overlap => both / a.min(b) as f64,
            Self::Cosine => both / (a as f64 * b as f64).sqrt(),
        }
    }
}

/// Two vertices and how alike they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// One of them.
    pub vertex: Vertex,
    /// The other one.
    pub other: Vertex,
    /// From 0 to 1.
    pub score: f64,
}

/// Which pairs are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarityRules {
    /// How alike.
    pub measure: Measure,
    /// Others for each vertex.
    pub top_k: usize,
    /// The least score.
    pub cutoff: f64,
    /// Neighbours of a vertex at least, to be compared.
    pub degree_min: usize,
}

pub(crate) fn better(a: &Pair, b: &Pair) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.other.cmp(&b.other))
}

/// Keeps the best `count`, best first.
pub(crate) fn keep_best(pairs: &mut Vec<Pair>, count: usize) {
    if count < pairs.len() {
        if count > 0 {
            pairs.select_nth_unstable_by(count - 1, better);
        }
        pairs.truncate(count);
    }
    pairs.sort_unstable_by(better);
}

/// For each vertex those most alike by the targets of their edges, best first, ties by number. `graph` is simple.
///
/// # Errors
/// [`AnalyticsError::Parameter`], [`AnalyticsError::Stopped`].
pub fn similar(graph: &Graph, rules: &SimilarityRules, run: &Run<'_>) -> Result<Vec<Pair>> {
    if !(0.0..=1.0).contains(&rules.cutoff) {
        return Err(AnalyticsError::parameter("cutoff must be from 0 to 1"));
    }
    let (out, into) = (graph.out(), graph.incoming());
    let parts = run.map(balanced(out), |range| {
        let mut counts = vec![0_u32; graph.vertices()];
        let (mut met, mut own, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for vertex in range {
            let degree = out.degree(vertex);
            if degree < rules.degree_min.max(1) || run.check().is_err() {
                continue;
            }
            for target in out.targets(vertex) {
                for other in into.targets(*target as usize) {
                    let count = &mut counts[*other as usize];
                    if *count == 0 {
                        met.push(*other);
                    }
                    *count += 1;
                }
            }
            own.clear();
            for other in met.drain(..) {
                let both = std::mem::take(&mut counts[other as usize]);
                let size = out.degree(other as usize);
                if other as usize == vertex || size < rules.degree_min {
                    continue;
                }
                let score = rules.measure.of(both, degree, size);
                if score >= rules.cutoff {
                    own.push(Pair { vertex: vertex as Vertex, other, score });
                }
            }
            keep_best(&mut own, rules.top_k);
            found.append(&mut own);
        }
        found
    })?;
    run.check()?;
    Ok(parts.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_sets() {
        let run = Run::alone();
        let edges = [(0, 3, 1.0), (0, 4, 1.0), (0, 5, 1.0), (1, 3, 1.0), (1, 4, 1.0), (2, 5, 1.0)];
        let graph = Graph::from_edges(6, &edges, false, &run).unwrap();
        let of = |measure, top_k, cutoff| {
            similar(&graph, &SimilarityRules { measure, top_k, cutoff, degree_min: 1 }, &run).unwrap()
        };
        let pair = |vertex, other, score| Pair { vertex, other, score };
        let third = 1.0 / 3.0;
        let all = [pair(0, 1, 2.0 / 3.0), pair(0, 2, third), pair(1, 0, 2.0 / 3.0), pair(2, 0, third)];
        assert_eq!(of(Measure::Jaccard, 10, 0.0), all);
        assert_eq!(of(Measure::Jaccard, 1, 0.5), [all[0], all[2]]);
        assert_eq!(of(Measure::Overlap, 1, 0.0)[0], pair(0, 1, 1.0));
        assert_eq!(of(Measure::Cosine, 1, 0.0)[0].score, 2.0 / 6.0_f64.sqrt());
        assert_eq!(Measure::named("overlap"), Some(Measure::Overlap));
    }
}
