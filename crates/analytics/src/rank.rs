//! PageRank and its relatives: how much of a random walk each vertex sees.
//!
//! Pulled over incoming edges: each vertex adds up what its sources have for each of their edges, so no two threads
//! write to one place and the order of additions is that of the rows.

use std::ops::Range;

use crate::csr::balanced;
use crate::graph::Graph;
use crate::run::{Run, even};
use crate::{AnalyticsError, Result, Vertex, limits};

/// How ranks are computed.
#[derive(Clone, Debug)]
pub struct RankRules {
    /// The part of a vertex's rank that goes on along its edges, from 0 to 1.
    pub damping: f64,
    /// Ends when the sum of all changes in an iteration is below this; 0: after `iterations_max`.
    pub tolerance: f64,
    /// Ends after so many iterations at the latest.
    pub iterations_max: u64,
    /// Whether an edge gets a share by its weight; else all edges of a vertex get the same.
    pub weighted: bool,
    /// Where walks begin again; none: anywhere.
    pub sources: Vec<Vertex>,
    /// ArticleRank: a vertex shares as if it had so many edges more as vertices have on average (Li, Willett 2009).
    pub article: bool,
}

impl Default for RankRules {
    fn default() -> Self {
        Self {
            damping: 0.85,
            tolerance: 1e-7,
            iterations_max: limits::ITERATIONS_MAX_DEFAULT,
            weighted: false,
            sources: Vec::new(),
            article: false,
        }
    }
}

/// What an iteration led to.
#[derive(Clone, Debug, PartialEq)]
pub struct Iterated {
    /// A value for each vertex.
    pub values: Vec<f64>,
    /// Iterations done.
    pub iterations: u64,
    /// The sum of all changes in the last one.
    pub change: f64,
    /// Whether it ended because the change was below the tolerance.
    pub converged: bool,
}

impl RankRules {
    fn check(&self, graph: &Graph) -> Result<()> {
        if !(0.0..=1.0).contains(&self.damping) {
            let text = format!("the value of damping must be in range [0, 1], but got {}", self.damping);
            return Err(AnalyticsError::Parameter(text));
        }
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return Err(AnalyticsError::parameter("tolerance must be a number of 0 or more"));
        }
        if self.weighted {
            graph.out().check_weights("pagerank")?;
        }
        graph.out().check_vertices(&self.sources)
    }

    /// What each vertex's rank is multiplied with to get what one edge (of weight 1) carries.
    #[expect(clippy::cast_precision_loss, reason = "ranks are approximate")]
    fn shares(&self, graph: &Graph, run: &Run<'_>) -> Result<Vec<f64>> {
        let out = graph.out();
        let more = if self.article { graph.edges() as f64 / graph.vertices().max(1) as f64 } else { 0.0 };
        let sum = |vertex| match out.weights(vertex).filter(|_| self.weighted) {
            Some(weights) => weights.iter().sum(),
            None => out.degree(vertex) as f64,
        };
        let mut shares = vec![0.0; graph.vertices()];
        run.fill(&even(graph.vertices(), limits::PART_WORK), &mut shares, |range, own| {
            for (sum, own) in range.map(sum).zip(own) {
                *own = if sum > 0.0 { 1.0 / (sum + more) } else { 0.0 };
            }
        })?;
        Ok(shares)
    }
}

/// What an edge carries from one vertex to another. Half the bits are half the memory traffic, which decides the time
/// of an iteration; sums have 64 bits in any case.
trait Carried: Copy + Default + Send + Sync {
    fn of(value: f64) -> Self;
    fn value(self) -> f64;
}

impl Carried for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn value(self) -> f64 {
        self
    }
}

impl Carried for f32 {
    fn of(value: f64) -> Self {
        value as Self
    }

    fn value(self) -> f64 {
        f64::from(self)
    }
}

/// `PageRank`: the ranks add up to 1, and what vertices without outgoing edges have is spread like new walks, evenly
/// or over the sources. (Page, Brin, Motwani, Winograd 1999; the formula is that of LDBC Graphalytics.) With `sources`
/// it is personalised. Ranks are right to about seven digits; with a tolerance below
/// [`limits::RANK_TOLERANCE_OF_32_BITS`], or 0, as far as numbers of 64 bits are.
///
/// # Errors
/// [`AnalyticsError::Parameter`], [`AnalyticsError::NoVertex`], [`AnalyticsError::Weight`],
/// [`AnalyticsError::Stopped`].
pub fn page_rank(graph: &Graph, rules: &RankRules, run: &Run<'_>) -> Result<Iterated> {
    rules.check(graph)?;
    if rules.tolerance < limits::RANK_TOLERANCE_OF_32_BITS {
        return run.inside(|| ranks::<f64>(graph, rules, run));
    }
    run.inside(|| ranks::<f32>(graph, rules, run))
}

#[expect(clippy::cast_precision_loss, reason = "ranks are approximate")]
fn ranks<T: Carried>(graph: &Graph, rules: &RankRules, run: &Run<'_>) -> Result<Iterated> {
    let size = graph.vertices();
    if size == 0 {
        return Ok(Iterated { values: Vec::new(), iterations: 0, change: 0.0, converged: true });
    }
    let ranges = balanced(graph.incoming());
    let shares = rules.shares(graph, run)?;
    let start = starts(size, &rules.sources);
    let even_start = 1.0 / size as f64;
    let begin = |vertex: usize| start.as_ref().map_or(even_start, |start| start[vertex]);
    // The ranks, what the edges of each vertex carry now, and what they carry next; at the same time what those
    // without edges have.
    let mut rank = vec![0.0; size];
    let (mut carried, mut next) = (vec![T::default(); size], vec![T::default(); size]);
    let parts = run.fill_both(&ranges, (&mut rank, &mut carried), |range, rank, carried| {
        let mut lost = 0.0;
        for (vertex, (rank, carried)) in range.zip(rank.iter_mut().zip(carried)) {
            *rank = begin(vertex);
            *carried = T::of(*rank * shares[vertex]);
            lost += if shares[vertex] == 0.0 { *rank } else { 0.0 };
        }
        lost
    })?;
    let mut lost: f64 = parts.iter().sum();
    let (mut iterations, mut change) = (0, f64::INFINITY);
    while iterations < rules.iterations_max && (rules.tolerance == 0.0 || change >= rules.tolerance) {
        let (base, factor) = (1.0 - rules.damping + rules.damping * lost, rules.damping);
        // The ranks themselves are not looked at by others, so that they can change at once.
        let parts = run.fill_both(&ranges, (&mut rank, &mut next), |range, rank, next| {
            let (mut change, mut lost) = (0.0, 0.0);
            for (vertex, (rank, next)) in range.zip(rank.iter_mut().zip(next)) {
                let own = factor * pull(graph, &carried, vertex, rules.weighted) + base * begin(vertex);
                change += (own - *rank).abs();
                *rank = own;
                *next = T::of(own * shares[vertex]);
                lost += if shares[vertex] == 0.0 { own } else { 0.0 };
            }
            (change, lost)
        })?;
        change = parts.iter().map(|part| part.0).sum();
        lost = parts.iter().map(|part| part.1).sum();
        std::mem::swap(&mut carried, &mut next);
        iterations += 1;
        run.step("iterations", iterations, rules.iterations_max)?;
    }
    Ok(Iterated { values: rank, iterations, change, converged: change < rules.tolerance })
}

/// The sum of what comes in at a vertex.
#[inline]
fn pull<T: Carried>(graph: &Graph, carried: &[T], vertex: usize, weighted: bool) -> f64 {
    if weighted {
        return graph.incoming().weighted(vertex).map(|(source, weight)| carried[source].value() * weight).sum();
    }
    // Four sums at a time: additions need not wait for each other.
    let mut sums = [0.0; 4];
    let quads = graph.incoming().targets(vertex).chunks_exact(4);
    let rest = quads.remainder();
    for quad in quads {
        for (sum, source) in sums.iter_mut().zip(quad) {
            *sum += carried[*source as usize].value();
        }
    }
    for (sum, source) in sums.iter_mut().zip(rest) {
        *sum += carried[*source as usize].value();
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Where walks begin, adding up to 1; none: everywhere alike.
#[expect(clippy::cast_precision_loss, reason = "ranks are approximate")]
fn starts(size: usize, sources: &[Vertex]) -> Option<Vec<f64>> {
    if sources.is_empty() {
        return None;
    }
    let mut start = vec![0.0; size];
    let share = 1.0 / sources.len() as f64;
    sources.iter().for_each(|source| start[*source as usize] += share);
    Some(start)
}

/// Iterates `next` (a vertex's new value from all old ones, before scaling), scaling each time, until the values stay.
/// `scale`: from a part of the new values to a number; these are added up, and `finish` makes the divisor of it.
pub(crate) fn iterate(
    ranges: &[Range<usize>],
    mut values: Vec<f64>,
    (tolerance, iterations_max): (f64, u64),
    run: &Run<'_>,
    next: impl Fn(&[f64], usize) -> f64 + Sync,
    scale: impl Fn(&[f64]) -> f64 + Sync,
    finish: impl Fn(f64) -> f64,
) -> Result<Iterated> {
    let mut fresh = vec![0.0; values.len()];
    let (mut iterations, mut change) = (0, f64::INFINITY);
    while iterations < iterations_max && (tolerance == 0.0 || change >= tolerance) {
        let sums = run.fill(ranges, &mut fresh, |range, own| {
            range.zip(own.iter_mut()).for_each(|(vertex, own)| *own = next(&values, vertex));
            scale(own)
        })?;
        let divisor = finish(sums.iter().sum());
        let factor = if divisor > 0.0 { 1.0 / divisor } else { 1.0 };
        let changes = run.fill(ranges, &mut fresh, |range, own| {
            let mut change = 0.0;
            for (vertex, own) in range.zip(own) {
                *own *= factor;
                change += (*own - values[vertex]).abs();
            }
            change
        })?;
        change = changes.iter().sum();
        std::mem::swap(&mut values, &mut fresh);
        iterations += 1;
        run.step("iterations", iterations, iterations_max)?;
    }
    Ok(Iterated { values, iterations, change, converged: change < tolerance })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TinkerPop's modern graph: marko, vadas, lop, josh, ripple, peter.
    fn modern() -> Graph {
        let edges = [(0, 1, 0.5), (0, 3, 1.0), (0, 2, 0.4), (3, 4, 1.0), (3, 2, 0.4), (5, 2, 0.2)];
        Graph::from_edges(6, &edges, true, &Run::alone()).unwrap()
    }

    #[test]
    fn the_modern_graph_has_its_known_ranks() {
        let rules = RankRules { tolerance: 1e-14, iterations_max: 1_000, ..RankRules::default() };
        let found = page_rank(&modern(), &rules, &Run::alone()).unwrap();
        let wanted = [0.113_754_86, 0.145_985_40, 0.304_720_83, 0.145_985_40, 0.175_798_65, 0.113_754_86];
        for (found, wanted) in found.values.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-8, "{found} {wanted}");
        }
        assert!(found.converged);
        assert!((found.values.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn half_the_bits_are_right_to_seven_digits() {
        let edges = crate::kronecker::edges(10, 7, &Run::alone()).unwrap();
        let graph = Graph::from_edges(1 << 10, &edges, false, &Run::alone()).unwrap();
        for sources in [vec![], vec![3, 5]] {
            let half = RankRules { sources, ..RankRules::default() };
            let all = RankRules { tolerance: 1e-14, iterations_max: 1_000, ..half.clone() };
            let [half, all] = [half, all].map(|rules| page_rank(&graph, &rules, &Run::alone()).unwrap());
            assert!(half.converged && all.converged && all.iterations > half.iterations);
            let apart = half.values.iter().zip(&all.values).map(|(one, other)| (one - other).abs());
            assert!(apart.sum::<f64>() < 1e-6);
        }
    }

    #[test]
    fn personal_ranks_stay_near_their_source_and_weights_decide() {
        let rules = RankRules { sources: vec![3], ..RankRules::default() };
        let found = page_rank(&modern(), &rules, &Run::alone()).unwrap().values;
        assert_eq!((found[0], found[1], found[5]), (0.0, 0.0, 0.0));
        assert!((found[2] - found[4]).abs() < 1e-12);
        let weighted = RankRules { weighted: true, ..rules };
        let found = page_rank(&modern(), &weighted, &Run::alone()).unwrap().values;
        assert!((found[2] * 2.5 - found[4]).abs() < 1e-12);
    }

    #[test]
    fn wrong_rules_are_refused() {
        let graph = modern();
        for rules in [
            RankRules { damping: 2.0, ..RankRules::default() },
            RankRules { tolerance: f64::NAN, ..RankRules::default() },
            RankRules { sources: vec![6], ..RankRules::default() },
        ] {
            assert!(page_rank(&graph, &rules, &Run::alone()).is_err());
        }
        let empty = Graph::from_edges(0, &[], false, &Run::alone()).unwrap();
        assert!(page_rank(&empty, &RankRules::default(), &Run::alone()).unwrap().values.is_empty());
    }
}
