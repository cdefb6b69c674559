//! The nearest of vertices by vectors: embeddings or properties.

use crate::run::{Run, even};
use crate::similarity::{Pair, better, keep_best};
use crate::{AnalyticsError, Result, Vertex};

/// For each vertex the `top_k` others whose vectors have the least angle to its own, with the cosine, best first, ties
/// by number. Exact: every pair is looked at. `vectors`: `dimensions` numbers for each vertex.
///
/// # Errors
/// [`AnalyticsError::Parameter`], [`AnalyticsError::Stopped`].
pub fn nearest(vectors: &[f32], dimensions: usize, top_k: usize, cutoff: f64, run: &Run<'_>) -> Result<Vec<Pair>> {
    if dimensions == 0 || !vectors.len().is_multiple_of(dimensions) {
        return Err(AnalyticsError::parameter("each vertex must have a vector with the same number of dimensions"));
    }
    let size = vectors.len() / dimensions;
    let mut unit = vectors.to_vec();
    for vector in unit.chunks_exact_mut(dimensions) {
        let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|it| *it /= length);
        }
    }
    let row = |vertex: usize| &unit[vertex * dimensions..(vertex + 1) * dimensions];
    let ranges = even(size, 16);
    let mut found = Vec::with_capacity(size * top_k.min(size.saturating_sub(1)));
    for (wave, ranges) in ranges.chunks(64).enumerate() {
        let parts = run.map(ranges.to_vec(), |range| {
            let mut found = Vec::new();
            let mut best: Vec<Pair> = Vec::new();
            for vertex in range {
                best.clear();
                let mut least = cutoff;
                for other in (0..size).filter(|other| *other != vertex) {
                    let score = f64::from(dot(row(vertex), row(other)));
                    if score < least {
                        continue;
                    }
                    best.push(Pair { vertex: vertex as Vertex, other: other as Vertex, score });
                    if best.len() >= 2 * top_k + 16 {
                        keep_best(&mut best, top_k);
                        least = best.last().map_or(f64::INFINITY, |last| last.score);
                    }
                }
                best.sort_unstable_by(better);
                best.truncate(top_k);
                found.extend_from_slice(&best);
            }
            found
        })?;
        found.extend(parts.into_iter().flatten());
        run.step("vertices", (wave as u64 + 1) * 1_024, size as u64)?;
    }
    Ok(found)
}

/// Eight sums at a time, in an order that does not depend on the machine.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (eights, others) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = eights.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in eights.zip(others) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_those_of_least_angle() {
        let found = nearest(&[1.0, 0.0, 2.0, 0.1, 0.0, 1.0, 0.1, 3.0], 2, 1, -1.0, &Run::alone()).unwrap();
        let pairs: Vec<_> = found.iter().map(|pair| (pair.vertex, pair.other)).collect();
        assert_eq!(pairs, [(0, 1), (1, 0), (2, 3), (3, 2)]);
        assert!(nearest(&[1.0; 5], 2, 1, 0.0, &Run::alone()).is_err());
    }

    #[test]
    fn the_best_of_many_are_kept() {
        let vectors: Vec<f32> = (0..300).flat_map(|at| [(at as f32 * 0.01).cos(), (at as f32 * 0.01).sin()]).collect();
        let found = nearest(&vectors, 2, 2, 0.0, &Run::alone()).unwrap();
        let of = |vertex| found.iter().filter(|pair| pair.vertex == vertex).map(|pair| pair.other).collect::<Vec<_>>();
        let mut near = of(150);
        near.sort_unstable();
        assert_eq!(near, [149, 151]);
        assert_eq!(of(0), [1, 2]);
    }
}
