//! Edges in any order into rows, on all threads.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::run::Run;
use crate::{Result, Vertex, limits};

/// Edges in three columns: sources, targets, and weights where they have any.
pub type Columns = (Vec<Vertex>, Vec<Vertex>, Vec<f64>);

/// Edges that become rows.
pub(crate) trait Block: Send + Sync {
    /// Gives each edge: source, target, weight.
    fn each(&self, visit: impl FnMut(Vertex, Vertex, f64));
}

impl Block for Vec<Columns> {
    fn each(&self, mut visit: impl FnMut(Vertex, Vertex, f64)) {
        for (sources, targets, weights) in self {
            if weights.is_empty() {
                sources.iter().zip(targets).for_each(|(source, target)| visit(*source, *target, 1.0));
            } else {
                let edges = sources.iter().zip(targets).zip(weights);
                edges.for_each(|((source, target), weight)| visit(*source, *target, *weight));
            }
        }
    }
}

/// How many blocks edges are cut into to become rows.
pub(crate) fn count(run: &Run<'_>) -> usize {
    run.threads().clamp(1, limits::TRANSPOSED_BLOCKS)
}

/// Parts put into as many blocks as are worked on side by side, in their order.
pub(crate) fn together(parts: Vec<Columns>, run: &Run<'_>) -> Vec<Vec<Columns>> {
    let edges: usize = parts.iter().map(|(sources, ..)| sources.len()).sum();
    let size = edges.div_ceil(count(run)).max(1);
    let mut all: Vec<Vec<Columns>> = Vec::new();
    let mut before = 0;
    for part in parts {
        let at = (before / size).min(count(run) - 1);
        before += part.0.len();
        if all.len() <= at || all.is_empty() {
            all.push(Vec::new());
        }
        if let Some(last) = all.last_mut() {
            last.push(part);
        }
    }
    all
}

/// Where the edges of each vertex begin, their targets, and their weights.
type Rows = (Vec<usize>, Vec<Vertex>, Option<Vec<f64>>);

/// Rows of the edges of blocks, those of a vertex in the order of the blocks. Each block counts on its own, so that it
/// knows where its edges go.
pub(crate) fn rows<B: Block>(vertices: usize, blocks: Vec<B>, weighted: bool, run: &Run<'_>) -> Result<Rows> {
    let mut counts = run.map(blocks.iter().collect(), |block: &B| {
        let mut counts = vec![0_u32; vertices];
        block.each(|source, _, _| counts[source as usize] += 1);
        counts
    })?;
    let mut offsets = Vec::with_capacity(vertices + 1);
    offsets.push(0);
    let mut end = 0;
    for vertex in 0..vertices {
        // From counts to distances from the first edge of the vertex.
        let mut within = 0;
        for counts in &mut counts {
            within += std::mem::replace(&mut counts[vertex], within);
        }
        end += within as usize;
        offsets.push(end);
    }
    let targets: Vec<AtomicU32> = std::iter::repeat_with(AtomicU32::default).take(end).collect();
    let weights: Option<Vec<AtomicU64>> =
        weighted.then(|| std::iter::repeat_with(AtomicU64::default).take(end).collect());
    let parts = blocks.into_iter().zip(counts).collect();
    run.map(parts, |(block, mut next): (B, Vec<u32>)| {
        block.each(|source, target, weight| {
            let source = source as usize;
            let place = offsets[source] + next[source] as usize;
            next[source] += 1;
            targets[place].store(target, Ordering::Relaxed);
            if let Some(weights) = &weights {
                weights[place].store(weight.to_bits(), Ordering::Relaxed);
            }
        });
    })?;
    let targets = targets.into_iter().map(AtomicU32::into_inner).collect();
    let weights = weights.map(|weights| weights.into_iter().map(|it| f64::from_bits(it.into_inner())).collect());
    Ok((offsets, targets, weights))
}
