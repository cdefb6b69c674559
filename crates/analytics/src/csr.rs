//! Compressed sparse rows: the edges of each vertex next to each other.

use std::ops::Range;
use std::sync::OnceLock;

use crate::blocks::{Block, Columns, count, rows, together};
use crate::limits;
use crate::run::{Run, even};
use crate::{AnalyticsError, Result, Vertex};

/// An edge: source, target, weight.
pub type Edge = (Vertex, Vertex, f64);

/// The rows of some vertices, each edge the other way round.
struct Turned<'c> {
    csr: &'c Csr,
    sources: Range<usize>,
}

impl Block for Turned<'_> {
    fn each(&self, mut visit: impl FnMut(Vertex, Vertex, f64)) {
        for source in self.sources.clone() {
            let (own, targets) = (source as Vertex, self.csr.targets(source));
            match self.csr.weights(source) {
                Some(weights) => targets.iter().zip(weights).for_each(|(to, weight)| visit(*to, own, *weight)),
                None => targets.iter().for_each(|to| visit(*to, own, 1.0)),
            }
        }
    }
}

/// What is known of all weights together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    /// The greatest one, 0 where there is none.
    pub(crate) greatest: f64,
    /// Whether all are whole numbers.
    pub(crate) are_whole: bool,
    /// One that is below 0 or no number.
    wrong: Option<f64>,
}

/// The edges of a graph by the vertex they begin at.
#[derive(Clone, Debug)]
pub struct Csr {
    /// Where the edges of each vertex begin; one more for the end.
    offsets: Vec<usize>,
    targets: Vec<Vertex>,
    /// Of each edge; none: 1 each.
    weights: Option<Vec<f64>>,
    /// Found when first asked for.
    known: OnceLock<Weights>,
}

impl PartialEq for Csr {
    fn eq(&self, other: &Self) -> bool {
        self.offsets == other.offsets && self.targets == other.targets && self.weights == other.weights
    }
}

impl Csr {
    /// Of columns that belong together.
    fn of(offsets: Vec<usize>, targets: Vec<Vertex>, weights: Option<Vec<f64>>) -> Self {
        Self { offsets, targets, weights, known: OnceLock::new() }
    }

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
        Ok(Self::of(offsets, targets, weights))
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
        Ok(Self::of(offsets, targets, weights))
    }

    /// From edges in parts. The edges of a vertex come in the order of the parts. The parts are freed once they are
    /// read.
    ///
    /// # Errors
    /// As [`from_edges`](Self::from_edges), [`AnalyticsError::Parameter`] where columns differ in length, and
    /// [`AnalyticsError::Stopped`].
    pub fn from_columns(vertices: usize, parts: Vec<Columns>, weighted: bool, run: &Run<'_>) -> Result<Self> {
        check_size(vertices)?;
        let checks = run.map(parts.iter().collect(), |(sources, targets, weights): &Columns| {
            if sources.len() != targets.len() || (weighted && weights.len() != sources.len()) {
                return Err(AnalyticsError::parameter("sources, targets and weights must be of the same edges"));
            }
            let wrong = sources.iter().chain(targets).find(|end| **end as usize >= vertices);
            wrong.map_or(Ok(()), |wrong| Err(no_vertex(*wrong, vertices)))
        })?;
        checks.into_iter().collect::<Result<()>>()?;
        let (offsets, targets, weights) = rows(vertices, together(parts, run), weighted, run)?;
        Ok(Self::of(offsets, targets, weights))
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

    /// What is known of the weights; edges without weigh 1. Fails like [`check_weights`](Self::check_weights).
    pub(crate) fn known_weights(&self, algorithm: &'static str, run: &Run<'_>) -> Result<Weights> {
        let known = match self.known.get() {
            Some(known) => *known,
            None => {
                let known = self.weigh(run)?;
                *self.known.get_or_init(|| known)
            }
        };
        known.wrong.map_or(Ok(known), |weight| Err(AnalyticsError::Weight { weight, algorithm }))
    }

    fn weigh(&self, run: &Run<'_>) -> Result<Weights> {
        let Some(weights) = &self.weights else {
            let greatest = if self.targets.is_empty() { 0.0 } else { 1.0 };
            return Ok(Weights { greatest, are_whole: true, wrong: None });
        };
        let parts = run.map(even(weights.len(), limits::PART_WORK), |range| {
            let mut known = Weights { greatest: 0.0, are_whole: true, wrong: None };
            for weight in &weights[range] {
                // Not a number is neither.
                if !(*weight >= 0.0 && weight.is_finite()) {
                    known.wrong = Some(*weight);
                }
                known.greatest = known.greatest.max(*weight);
                known.are_whole &= weight.trunc().to_bits() == weight.to_bits();
            }
            known
        })?;
        let all = Weights { greatest: 0.0, are_whole: true, wrong: None };
        Ok(parts.into_iter().fold(all, |all, part| Weights {
            greatest: all.greatest.max(part.greatest),
            are_whole: all.are_whole && part.are_whole,
            wrong: all.wrong.or(part.wrong),
        }))
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
        let size = self.vertices().div_ceil(count(run)).max(1);
        let turned: Vec<Turned<'_>> =
            even(self.vertices(), size).into_iter().map(|sources| Turned { csr: self, sources }).collect();
        let (offsets, targets, weights) = rows(self.vertices(), turned, self.is_weighted(), run)?;
        Ok(Self::of(offsets, targets, weights))
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
        Ok(Self::of(offsets, targets, weighted.then_some(weights)))
    }

    /// Without loops, with one edge of parallel ones, the lightest; targets ascend.
    ///
    /// # Errors
    /// [`AnalyticsError::Stopped`].
    pub fn simple(&self, run: &Run<'_>) -> Result<Self> {
        self.simple_with(self.is_weighted(), run)
    }

    /// The same, with weights only where `weighted`.
    pub(crate) fn simple_with(&self, weighted: bool, run: &Run<'_>) -> Result<Self> {
        self.rebuilt(run, weighted, |vertex, list| {
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
        self.plain_with(self.is_weighted(), into, run)
    }

    /// The same, with weights only where `weighted`.
    pub(crate) fn plain_with(&self, weighted: bool, into: &Self, run: &Run<'_>) -> Result<Self> {
        self.rebuilt(run, weighted, |vertex, list| {
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

/// Cuts the vertices into ranges with about as many edges each: each is the shortest whose vertices and edges are at
/// least [`limits::PART_WORK`]. Found by bisection: the work before a vertex ascends.
pub(crate) fn balanced(csr: &Csr) -> Vec<Range<usize>> {
    let work = |vertex: usize| vertex + csr.offsets[vertex];
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < csr.vertices() {
        let wanted = work(start) + limits::PART_WORK;
        let (mut low, mut high) = (start + 1, csr.vertices());
        while low < high {
            let middle = low.midpoint(high);
            if work(middle) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        ranges.push(start..low);
        start = low;
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
