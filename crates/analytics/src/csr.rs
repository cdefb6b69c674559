//! Compressed sparse rows: the edges of each vertex next to each other.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::limits;
use crate::run::{Run, even};
use crate::{AnalyticsError, Result, Vertex};

/// An edge: source, target, weight.
pub type Edge = (Vertex, Vertex, f64);

/// The edges of a graph by the vertex they begin at.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    /// Where the edges of each vertex begin; one more for the end.
    offsets: Vec<usize>,
    targets: Vec<Vertex>,
    /// Of each edge; none: 1 each.
    weights: Option<Vec<f64>>,
}

impl Csr {
    /// From rows that come in the order of their vertices: how many edges each vertex has, and their targets.
    ///
    /// # Errors
    /// [`AnalyticsError::NoVertex`] for a target that is no vertex, [`AnalyticsError::Parameter`] where lengths differ,
    /// [`AnalyticsError::TooManyVertices`].
    pub fn from_rows(degrees: &[u32], targets: Vec<Vertex>, weights: Option<Vec<f64>>) -> Result<Self> {
        check_size(degrees.len())?;
        let mut offsets = Vec::with_capacity(degrees.len() + 1);
        let mut end = 0;
        offsets.push(end);
        for degree in degrees {
            end += *degree as usize;
            offsets.push(end);
        }
        if end != targets.len() || weights.as_ref().is_some_and(|weights| weights.len() != end) {
            return Err(AnalyticsError::parameter("degrees, targets and weights must be of the same edges"));
        }
        if let Some(target) = targets.iter().find(|target| **target as usize >= degrees.len()) {
            return Err(no_vertex(*target, degrees.len()));
        }
        Ok(Self { offsets, targets, weights })
    }

    /// From edges in any order; those of a vertex stay in this order. `weighted`: whether weights are kept.
    ///
    /// # Errors
    /// [`AnalyticsError::NoVertex`] for an end that is no vertex, [`AnalyticsError::TooManyVertices`].
    pub fn from_edges(vertices: usize, edges: &[Edge], weighted: bool) -> Result<Self> {
        check_size(vertices)?;
        let mut offsets = vec![0; vertices + 1];
        for (source, target, _) in edges {
            let wrong = [source, target].into_iter().find(|end| **end as usize >= vertices);
            if let Some(wrong) = wrong {
                return Err(no_vertex(*wrong, vertices));
            }
            offsets[*source as usize + 1] += 1;
        }
        add_up(&mut offsets);
        let mut next = offsets.clone();
        let mut targets = vec![0; edges.len()];
        let mut weights = weighted.then(|| vec![1.0; edges.len()]);
        for (source, target, weight) in edges {
            let at = &mut next[*source as usize];
            targets[*at] = *target;
            if let Some(weights) = &mut weights {
                weights[*at] = *weight;
            }
            *at += 1;
        }
        Ok(Self { offsets, targets, weights })
    }

    /// From edges in parts, each part three columns: sources, targets, and weights where `weighted`. The edges of a
    /// vertex come in the order of the parts. The parts are freed once they are read.
    ///
    /// # Errors
    /// As [`from_edges`](Self::from_edges), and [`AnalyticsError::Parameter`] where the columns differ in length.
    pub fn from_columns(
        vertices: usize,
        parts: Vec<(Vec<Vertex>, Vec<Vertex>, Vec<f64>)>,
        weighted: bool,
    ) -> Result<Self> {
        check_size(vertices)?;
        let mut offsets = vec![0; vertices + 1];
        for (sources, targets, weights) in &parts {
            if sources.len() != targets.len() || (weighted && weights.len() != sources.len()) {
                return Err(AnalyticsError::parameter("sources, targets and weights must be of the same edges"));
            }
            if let Some(wrong) = sources.iter().chain(targets).find(|end| **end as usize >= vertices) {
                return Err(no_vertex(*wrong, vertices));
            }
            sources.iter().for_each(|source| offsets[*source as usize + 1] += 1);
        }
        add_up(&mut offsets);
        let edges = offsets[vertices];
        let mut next = offsets.clone();
        let (mut all_targets, mut all_weights) = (vec![0; edges], vec![1.0; if weighted { edges } else { 0 }]);
        for (sources, targets, weights) in parts {
            for (at, (source, target)) in sources.iter().zip(&targets).enumerate() {
                let place = &mut next[*source as usize];
                all_targets[*place] = *target;
                if weighted {
                    all_weights[*place] = weights[at];
                }
                *place += 1;
            }
        }
        Ok(Self { offsets, targets: all_targets, weights: weighted.then_some(all_weights) })
    }

    /// How many vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.targets.len()
    }

    /// Whether edges have weights of their own.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// How many edges a vertex has.
    #[inline]
    #[must_use]
    pub fn degree(&self, vertex: usize) -> usize {
        self.offsets[vertex + 1] - self.offsets[vertex]
    }

    /// The targets of a vertex's edges.
    #[inline]
    #[must_use]
    pub fn targets(&self, vertex: usize) -> &[Vertex] {
        &self.targets[self.offsets[vertex]..self.offsets[vertex + 1]]
    }

    /// The weights of a vertex's edges, where they have any.
    #[inline]
    #[must_use]
    pub fn weights(&self, vertex: usize) -> Option<&[f64]> {
        self.weights.as_ref().map(|weights| &weights[self.offsets[vertex]..self.offsets[vertex + 1]])
    }

    /// The targets of a vertex's edges with their weights.
    #[inline]
    pub fn weighted(&self, vertex: usize) -> impl Iterator<Item = (usize, f64)> {
        let weights = self.weights(vertex);
        let with = move |(at, target): (usize, &Vertex)| (*target as usize, weights.map_or(1.0, |weights| weights[at]));
        self.targets(vertex).iter().enumerate().map(with)
    }

    /// The number of the first edge of a vertex.
    #[inline]
    #[must_use]
    pub fn first_edge(&self, vertex: usize) -> usize {
        self.offsets[vertex]
    }

    /// All targets, row by row.
    #[must_use]
    pub fn all_targets(&self) -> &[Vertex] {
        &self.targets
    }

    /// The sum of all weights.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "weights are approximate")]
    pub fn total_weight(&self) -> f64 {
        self.weights.as_ref().map_or(self.edges() as f64, |weights| weights.iter().sum())
    }

    /// Bytes in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        csr_bytes(self.vertices() as u64, self.edges() as u64, self.is_weighted())
    }

    /// Fails where a weight is below 0 or no number.
    pub(crate) fn check_weights(&self, algorithm: &'static str) -> Result<()> {
        let wrong = self.weights.iter().flatten().find(|weight| !(**weight >= 0.0 && weight.is_finite()));
        wrong.map_or(Ok(()), |weight| Err(AnalyticsError::Weight { weight: *weight, algorithm }))
    }

    /// Fails where a number is no vertex.
    pub(crate) fn check_vertices<'v>(&self, numbers: impl IntoIterator<Item = &'v Vertex>) -> Result<()> {
        let wrong = numbers.into_iter().find(|number| **number as usize >= self.vertices());
        wrong.map_or(Ok(()), |number| Err(no_vertex(*number, self.vertices())))
    }

    /// Each edge the other way round. The edges of a vertex come in the order of their sources.
    ///
    /// # Errors
    /// [`AnalyticsError::Stopped`].
    pub fn transposed(&self, run: &Run<'_>) -> Result<Self> {
        // Each block of sources counts on its own, so that each knows where its edges go.
        let blocks = even(self.vertices(), self.vertices().div_ceil(run.threads().min(4)).max(1));
        let mut counts = run.map(blocks.clone(), |block| {
            let mut counts = vec![0_u32; self.vertices()];
            for target in &self.targets[self.offsets[block.start]..self.offsets[block.end]] {
                counts[*target as usize] += 1;
            }
            counts
        })?;
        let mut offsets = Vec::with_capacity(self.vertices() + 1);
        offsets.push(0);
        let mut end = 0;
        for vertex in 0..self.vertices() {
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
            self.weights.as_ref().map(|_| std::iter::repeat_with(AtomicU64::default).take(end).collect());
        let parts = blocks.into_iter().zip(counts).collect();
        run.map(parts, |(block, mut next): (_, Vec<u32>)| {
            for source in block {
                let own = self.weights(source);
                for (at, target) in self.targets(source).iter().enumerate() {
                    let target = *target as usize;
                    let place = offsets[target] + next[target] as usize;
                    next[target] += 1;
                    targets[place].store(source as Vertex, Ordering::Relaxed);
                    if let (Some(weights), Some(own)) = (&weights, own) {
                        weights[place].store(own[at].to_bits(), Ordering::Relaxed);
                    }
                }
            }
        })?;
        let targets = targets.into_iter().map(AtomicU32::into_inner).collect();
        let weights = weights.map(|weights| weights.into_iter().map(|it| f64::from_bits(it.into_inner())).collect());
        Ok(Self { offsets, targets, weights })
    }

    /// Makes rows of new lists: `list` gets a vertex and adds its edges.
    pub(crate) fn rebuilt(
        &self,
        run: &Run<'_>,
        weighted: bool,
        list: impl Fn(usize, &mut Vec<(Vertex, f64)>) + Sync,
    ) -> Result<Self> {
        let parts = run.map(balanced(self), |range| {
            let mut own = Vec::new();
            let (mut degrees, mut targets, mut weights) = (Vec::with_capacity(range.len()), Vec::new(), Vec::new());
            for vertex in range {
                own.clear();
                list(vertex, &mut own);
                degrees.push(own.len());
                targets.extend(own.iter().map(|(target, _)| *target));
                if weighted {
                    weights.extend(own.iter().map(|(_, weight)| *weight));
                }
            }
            (degrees, targets, weights)
        })?;
        let edges = parts.iter().map(|(_, targets, _)| targets.len()).sum();
        let mut offsets = Vec::with_capacity(self.offsets.len());
        let mut targets = Vec::with_capacity(edges);
        let mut weights = Vec::with_capacity(if weighted { edges } else { 0 });
        offsets.push(0);
        let mut end = 0;
        for (degrees, own_targets, own_weights) in parts {
            for degree in degrees {
                end += degree;
                offsets.push(end);
            }
            targets.extend_from_slice(&own_targets);
            weights.extend_from_slice(&own_weights);
        }
        Ok(Self { offsets, targets, weights: weighted.then_some(weights) })
    }

    /// Without loops, with one edge of parallel ones, the lightest; targets ascend.
    ///
    /// # Errors
    /// [`AnalyticsError::Stopped`].
    pub fn simple(&self, run: &Run<'_>) -> Result<Self> {
        self.rebuilt(run, self.is_weighted(), |vertex, list| {
            list.extend(self.weighted(vertex).map(|(target, weight)| (target as Vertex, weight)));
            simplify(vertex, list);
        })
    }

    /// Without directions: each edge from both its ends. `into` is this, transposed. Simple like
    /// [`simple`](Self::simple).
    ///
    /// # Errors
    /// [`AnalyticsError::Stopped`].
    pub fn plain(&self, into: &Self, run: &Run<'_>) -> Result<Self> {
        self.rebuilt(run, self.is_weighted(), |vertex, list| {
            for csr in [self, into] {
                list.extend(csr.weighted(vertex).map(|(target, weight)| (target as Vertex, weight)));
            }
            simplify(vertex, list);
        })
    }

    /// The edges that pass, by source, target and weight.
    ///
    /// # Errors
    /// [`AnalyticsError::Stopped`].
    pub fn filtered(&self, run: &Run<'_>, keep: impl Fn(Edge) -> bool + Sync) -> Result<Self> {
        self.rebuilt(run, self.is_weighted(), |vertex, list| {
            let edges = self.weighted(vertex).map(|(target, weight)| (target as Vertex, weight));
            list.extend(edges.filter(|(target, weight)| keep((vertex as Vertex, *target, *weight))));
        })
    }

    /// All edges, row by row.
    pub fn iter(&self) -> impl Iterator<Item = Edge> {
        (0..self.vertices()).flat_map(move |vertex| {
            self.weighted(vertex).map(move |(target, weight)| (vertex as Vertex, target as Vertex, weight))
        })
    }
}

/// Cuts the vertices into ranges with about as many edges each.
pub(crate) fn balanced(csr: &Csr) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut work) = (0, 0);
    for vertex in 0..csr.vertices() {
        work += 1 + csr.degree(vertex);
        if work >= limits::PART_WORK {
            ranges.push(start..vertex + 1);
            (start, work) = (vertex + 1, 0);
        }
    }
    if start < csr.vertices() {
        ranges.push(start..csr.vertices());
    }
    ranges
}

/// Bytes that rows take.
#[must_use]
pub(crate) fn csr_bytes(vertices: u64, edges: u64, is_weighted: bool) -> u64 {
    (vertices + 1) * 8 + edges * if is_weighted { 12 } else { 4 }
}

fn simplify(vertex: usize, list: &mut Vec<(Vertex, f64)>) {
    list.retain(|(target, _)| *target as usize != vertex);
    list.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)));
    list.dedup_by_key(|(target, _)| *target);
}

fn add_up(offsets: &mut [usize]) {
    let mut sum = 0;
    for offset in offsets {
        sum += *offset;
        *offset = sum;
    }
}

fn no_vertex(number: Vertex, vertices: usize) -> AnalyticsError {
    AnalyticsError::NoVertex { number: u64::from(number), vertices: vertices as u64 }
}

fn check_size(vertices: usize) -> Result<()> {
    if vertices > limits::VERTICES_MAX {
        return Err(AnalyticsError::TooManyVertices { limit: limits::VERTICES_MAX as u64 });
    }
    Ok(())
}
