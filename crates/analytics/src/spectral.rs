//! Eigenvector and Katz centrality, hubs and authorities.

use crate::csr::{Csr, balanced};
use crate::graph::Graph;
use crate::rank::{Iterated, iterate};
use crate::run::Run;
use crate::{AnalyticsError, Result};

/// The scores of vertices as hubs and as authorities.
#[derive(Clone, Debug, PartialEq)]
pub struct Hits {
    /// How well a vertex points to authorities; adds up to 1.
    pub hubs: Vec<f64>,
    /// How well hubs point to a vertex; adds up to 1.
    pub authorities: Vec<f64>,
    /// Iterations done.
    pub iterations: u64,
    /// Whether it ended because the changes were below the tolerance.
    pub converged: bool,
}

fn sum_of(csr: &Csr, values: &[f64], vertex: usize) -> f64 {
    csr.weighted(vertex).map(|(other, weight)| values[other] * weight).sum()
}

fn check(tolerance: f64) -> Result<()> {
    if tolerance >= 0.0 {
        return Ok(());
    }
    Err(AnalyticsError::parameter("tolerance must be a number of 0 or more"))
}

/// Eigenvector centrality: a vertex's value is in proportion to the sum of those that lead to it (`into`; weights
/// count where there are any), the sum of squares being 1. Power iteration on the matrix plus the identity, which has
/// the same eigenvectors and converges on bipartite graphs too (Bonacich 1972).
///
/// # Errors
/// [`AnalyticsError::Parameter`], [`AnalyticsError::Weight`], [`AnalyticsError::Stopped`].
#[expect(clippy::cast_precision_loss, reason = "scores are approximate")]
pub fn eigenvector(into: &Csr, tolerance: f64, iterations_max: u64, run: &Run<'_>) -> Result<Iterated> {
    check(tolerance)?;
    into.check_weights("eigenvector")?;
    let start = vec![1.0 / (into.vertices().max(1) as f64).sqrt(); into.vertices()];
    let next = |values: &[f64], vertex: usize| values[vertex] + sum_of(into, values, vertex);
    let squares = |part: &[f64]| part.iter().map(|value| value * value).sum();
    iterate(&balanced(into), start, (tolerance, iterations_max), run, next, squares, f64::sqrt)
}

/// Katz centrality: `alpha` times the sum of those that lead to a vertex, plus 1; scaled to a sum of squares of 1 in
/// the end (Katz 1953). It converges for `alpha` below 1 / the greatest eigenvalue.
///
/// # Errors
/// [`AnalyticsError::Parameter`], also where it does not converge; [`AnalyticsError::Weight`],
/// [`AnalyticsError::Stopped`].
pub fn katz(into: &Csr, alpha: f64, (tolerance, iterations_max): (f64, u64), run: &Run<'_>) -> Result<Iterated> {
    check(tolerance)?;
    into.check_weights("katz")?;
    if !(alpha > 0.0 && alpha.is_finite()) {
        return Err(AnalyticsError::parameter("alpha must be a number above 0"));
    }
    let next = |values: &[f64], vertex: usize| alpha.mul_add(sum_of(into, values, vertex), 1.0);
    let start = vec![0.0; into.vertices()];
    let mut found = iterate(&balanced(into), start, (tolerance, iterations_max), run, next, |_| 0.0, |_| 0.0)?;
    if !found.change.is_finite() && into.vertices() > 0 {
        let text = format!("katz does not converge with alpha {alpha}; it must be below 1 / the greatest eigenvalue");
        return Err(AnalyticsError::Parameter(text));
    }
    let length = found.values.iter().map(|value| value * value).sum::<f64>().sqrt();
    if length > 0.0 {
        found.values.iter_mut().for_each(|value| *value /= length);
    }
    Ok(found)
}

/// Hubs and authorities (Kleinberg 1999). Each adds up to 1.
///
/// # Errors
/// [`AnalyticsError::Parameter`], [`AnalyticsError::Weight`], [`AnalyticsError::Stopped`].
#[expect(clippy::cast_precision_loss, reason = "scores are approximate")]
pub fn hits(graph: &Graph, tolerance: f64, iterations_max: u64, run: &Run<'_>) -> Result<Hits> {
    check(tolerance)?;
    graph.out().check_weights("hits")?;
    let size = graph.vertices();
    let mut found = Hits {
        hubs: vec![1.0 / size.max(1) as f64; size],
        authorities: vec![0.0; size],
        iterations: 0,
        converged: false,
    };
    let (by_target, by_source) = (balanced(graph.incoming()), balanced(graph.out()));
    while found.iterations < iterations_max && !found.converged {
        let pass = |ranges: &[_], csr: &Csr, from: &[f64], to: &mut Vec<f64>| -> Result<f64> {
            let before = std::mem::replace(to, vec![0.0; size]);
            let sums = run.fill(ranges, to, |range, own| {
                range.zip(own.iter_mut()).for_each(|(vertex, own)| *own = sum_of(csr, from, vertex));
                own.iter().sum::<f64>()
            })?;
            let sum: f64 = sums.iter().sum();
            if sum > 0.0 {
                to.iter_mut().for_each(|value| *value /= sum);
            }
            Ok(before.iter().zip(to.iter()).map(|(before, now)| (before - now).abs()).sum())
        };
        let one = pass(&by_target, graph.incoming(), &found.hubs, &mut found.authorities)?;
        let other = pass(&by_source, graph.out(), &found.authorities, &mut found.hubs)?;
        found.iterations += 1;
        found.converged = one + other < tolerance;
        run.step("iterations", found.iterations, iterations_max)?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_has_its_known_scores() {
        let run = Run::alone();
        let star: Vec<_> = (1..5).map(|leaf| (0, leaf, 1.0)).collect();
        let graph = Graph::from_edges(5, &star, false, &run).unwrap();
        let plain = graph.plain(&run).unwrap();
        let found = eigenvector(&plain, 1e-14, 1_000, &run).unwrap().values;
        assert!((found[0] - 0.5_f64.sqrt()).abs() < 1e-10);
        assert!((found[4] - 0.125_f64.sqrt()).abs() < 1e-10);
        let katz = katz(&plain, 0.1, (1e-14, 1_000), &run).unwrap().values;
        // x = 1 + 0.4 y, y = 1 + 0.1 x.
        let (x, y) = (1.4 / 0.96, 1.1 + 0.1 * (1.4 / 0.96 - 1.0));
        assert!((katz[0] / katz[1] - x / y).abs() < 1e-10);
        let hits = hits(&graph, 1e-14, 100, &run).unwrap();
        assert_eq!((hits.hubs[0], hits.authorities[0]), (1.0, 0.0));
        assert!((hits.authorities[1] - 0.25).abs() < 1e-12);
    }

    #[test]
    fn katz_beyond_its_bound_is_refused() {
        let run = Run::alone();
        let edges: Vec<_> = (0..9).flat_map(|a| (0..9).map(move |b| (a, b, 1.0))).collect();
        let csr = Csr::from_edges(9, &edges, false).unwrap();
        assert!(katz(&csr, 1.0, (0.0, 2_000), &run).is_err());
    }
}
