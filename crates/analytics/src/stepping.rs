//! Distances by weight from one vertex to all: delta-stepping.
//!
//! Vertices wait in buckets by their distance so far, and those of the first bucket go first, on all threads, each with
//! lists of its own. The distances found are the least there are, in whatever order that happens.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::csr::Csr;
use crate::run::Run;
use crate::{AnalyticsError, Result, Vertex, limits};

/// For each vertex the least sum of weights on a way from `source`; infinity where there is none. Delta-stepping
/// (Meyer, Sanders 2003): vertices are settled in buckets of width `delta`. 0: chosen by the weights. Where weights are
/// whole numbers and no distance needs more than 32 bits, distances have 32 bits while they are sought, and `delta` is
/// rounded down to a power of two.
///
/// # Errors
/// [`AnalyticsError::NoVertex`], [`AnalyticsError::Weight`], [`AnalyticsError::Parameter`],
/// [`AnalyticsError::Stopped`].
#[expect(clippy::cast_precision_loss, reason = "below 2^32")]
pub fn distances(out: &Csr, source: Vertex, delta: f64, run: &Run<'_>) -> Result<Vec<f64>> {
    out.check_vertices([&source])?;
    let weights = out.known_weights("sssp", run)?;
    let delta = width(out, weights.greatest, delta)?;
    // That of a way through all vertices, and of the edge behind it.
    let longest = weights.greatest * out.vertices() as f64;
    run.inside(|| {
        if weights.are_whole && longest < f64::from(u32::MAX) {
            let shift = (delta.max(1.0) as u32).ilog2();
            let search = Search::new(out, |distance: u32| u64::from(distance >> shift));
            let far = |own: &AtomicU32| match own.load(Ordering::Relaxed) {
                u32::MAX => f64::INFINITY,
                distance => f64::from(distance),
            };
            return Ok(search.go(source, run)?.iter().map(far).collect());
        }
        let inverse = 1.0 / delta;
        let search = Search::new(out, |distance: f64| (distance * inverse) as u64);
        let found = search.go(source, run)?;
        Ok(found.into_iter().map(|own| f64::from_bits(own.into_inner())).collect())
    })
}

/// The width of buckets.
#[expect(clippy::cast_precision_loss, reason = "a guess")]
fn width(out: &Csr, greatest: f64, delta: f64) -> Result<f64> {
    if delta > 0.0 && delta.is_finite() {
        return Ok(delta);
    }
    if delta != 0.0 {
        return Err(AnalyticsError::parameter("delta must be a number above 0, or 0 for one by the weights"));
    }
    // The greatest weight over the average number of edges, the choice the paper argues for random weights.
    let degree = out.edges() as f64 / out.vertices().max(1) as f64;
    let width = greatest / degree.max(1.0);
    Ok(if width > 0.0 { width } else { 1.0 })
}

/// A distance, which threads look at and lower.
trait Distance: Copy + PartialEq + PartialOrd {
    /// Where it is kept.
    type Cell: Send + Sync;
    const ZERO: Self;
    /// Of what is not reached.
    const NONE: Self;
    fn cell(self) -> Self::Cell;
    fn get(cell: &Self::Cell) -> Self;
    fn set(self, cell: &Self::Cell);
    /// Whether it was greater.
    fn lower(self, cell: &Self::Cell) -> bool;
    /// The distance behind an edge.
    fn behind(self, weight: f64) -> Self;
}

impl Distance for u32 {
    type Cell = AtomicU32;
    const ZERO: Self = 0;
    const NONE: Self = Self::MAX;

    fn cell(self) -> AtomicU32 {
        AtomicU32::new(self)
    }

    fn get(cell: &AtomicU32) -> Self {
        cell.load(Ordering::Relaxed)
    }

    fn set(self, cell: &AtomicU32) {
        cell.store(self, Ordering::Relaxed);
    }

    fn lower(self, cell: &AtomicU32) -> bool {
        cell.fetch_min(self, Ordering::Relaxed) > self
    }

    fn behind(self, weight: f64) -> Self {
        self + weight as Self
    }
}

/// Numbers of 0 or more have the order of their bits.
impl Distance for f64 {
    type Cell = AtomicU64;
    const ZERO: Self = 0.0;
    const NONE: Self = Self::INFINITY;

    fn cell(self) -> AtomicU64 {
        AtomicU64::new(self.to_bits())
    }

    fn get(cell: &AtomicU64) -> Self {
        Self::from_bits(cell.load(Ordering::Relaxed))
    }

    fn set(self, cell: &AtomicU64) {
        cell.store(self.to_bits(), Ordering::Relaxed);
    }

    fn lower(self, cell: &AtomicU64) -> bool {
        cell.fetch_min(self.to_bits(), Ordering::Relaxed) > self.to_bits()
    }

    fn behind(self, weight: f64) -> Self {
        self + weight
    }
}

/// What one thread has found for the bucket at hand and later ones.
struct Waiting {
    /// Of the bucket at hand and those behind it, by their numbers modulo [`limits::BUCKETS`].
    near: Vec<Vec<Vertex>>,
    /// Of buckets further away.
    far: Vec<Vertex>,
    /// The first of these buckets.
    first_far: u64,
    /// What it is working on.
    here: Vec<Vertex>,
    settled: u64,
}

/// The place of a bucket.
fn place(bucket: u64) -> usize {
    (bucket % limits::BUCKETS) as usize
}

impl Waiting {
    fn new() -> Self {
        let near = vec![Vec::new(); limits::BUCKETS as usize];
        Self { near, far: Vec::new(), first_far: u64::MAX, here: Vec::new(), settled: 0 }
    }

    fn add(&mut self, bucket: u64, now: u64, vertex: Vertex) {
        if bucket - now < limits::BUCKETS {
            self.near[place(bucket)].push(vertex);
        } else {
            self.far.push(vertex);
            self.first_far = self.first_far.min(bucket);
        }
    }

    /// The first bucket from this one on that has vertices waiting.
    fn first(&self, now: u64) -> Option<u64> {
        let mut buckets = (0..limits::BUCKETS).filter_map(|behind| now.checked_add(behind));
        buckets.find(|bucket| !self.near[place(*bucket)].is_empty())
    }
}

/// A bucket that threads share.
struct Round<'o> {
    number: u64,
    open: &'o [Vertex],
    /// Those of `open` before this place are taken.
    next: AtomicUsize,
    /// Whether one thread does it all: no other changes what it has looked at.
    is_alone: bool,
    /// Whether others could help.
    has_others: bool,
}

struct Search<'g, D: Distance, B> {
    out: &'g Csr,
    /// The distances so far.
    found: Vec<D::Cell>,
    /// The distances with which the edges of each vertex were looked at last.
    done: Vec<D::Cell>,
    bucket: B,
}

impl<'g, D: Distance, B: Fn(D) -> u64 + Sync> Search<'g, D, B> {
    fn new(out: &'g Csr, bucket: B) -> Self {
        let none = || std::iter::repeat_with(|| D::NONE.cell()).take(out.vertices()).collect();
        Self { out, found: none(), done: none(), bucket }
    }

    fn go(self, source: Vertex, run: &Run<'_>) -> Result<Vec<D::Cell>> {
        D::ZERO.set(&self.found[source as usize]);
        let mut threads: Vec<Waiting> = std::iter::repeat_with(Waiting::new).take(run.threads()).collect();
        let (mut open, mut now) = (vec![source], 0);
        loop {
            // For few vertices, no thread needs to be woken.
            let count = open.len().div_ceil(limits::BUCKET_PART).clamp(1, threads.len());
            let has_others = threads.len() > 1;
            let round = Round { number: now, open: &open, next: 0.into(), is_alone: count == 1, has_others };
            let parts = threads.iter_mut().take(count).collect();
            let done = run.map(parts, |own: &mut Waiting| self.work(&round, own, run))?;
            done.into_iter().collect::<Result<()>>()?;
            run.step("vertices", threads.iter().map(|own| own.settled).sum(), 0)?;
            let near = threads.iter().filter_map(|own| own.first(now)).min();
            let far = threads.iter().filter(|own| !own.far.is_empty()).map(|own| own.first_far).min();
            let is_far_first = far.is_some_and(|far| near.is_none_or(|near| far <= near));
            let Some(bucket) = (if is_far_first { self.nearer(&mut threads, now, near) } else { near }) else { break };
            now = bucket;
            open.clear();
            for own in &mut threads {
                open.append(&mut own.near[place(now)]);
            }
        }
        Ok(self.found)
    }

    /// Puts those far away into buckets, before the first of these has its turn. The first bucket, `near` being the
    /// first of the others.
    fn nearer(&self, threads: &mut [Waiting], now: u64, near: Option<u64>) -> Option<u64> {
        let bucket = |vertex: &Vertex| (self.bucket)(D::get(&self.found[*vertex as usize]));
        // Those that have come nearer meanwhile are settled.
        threads.iter_mut().for_each(|own| own.far.retain(|vertex| bucket(vertex) > now));
        let far = threads.iter().flat_map(|own| &own.far).map(bucket).min();
        let first = near.into_iter().chain(far).min()?;
        for own in threads {
            own.first_far = u64::MAX;
            for vertex in std::mem::take(&mut own.far) {
                own.add(bucket(&vertex), first, vertex);
            }
        }
        Some(first)
    }

    /// What one thread does for a bucket: parts of it, and then what falls into it again.
    fn work(&self, round: &Round<'_>, own: &mut Waiting, run: &Run<'_>) -> Result<()> {
        loop {
            let start = round.next.fetch_add(limits::BUCKET_PART, Ordering::Relaxed);
            let Some(rest) = round.open.get(start..).filter(|rest| !rest.is_empty()) else { break };
            run.check()?;
            rest.iter().take(limits::BUCKET_PART).for_each(|vertex| self.relax(*vertex, round, own));
        }
        let again = place(round.number);
        loop {
            let count = own.near[again].len();
            if count == 0 || (count >= limits::BUCKET_ALONE && round.has_others) {
                return Ok(());
            }
            run.check()?;
            let mut here = std::mem::take(&mut own.here);
            std::mem::swap(&mut here, &mut own.near[again]);
            here.drain(..).for_each(|vertex| self.relax(vertex, round, own));
            own.here = here;
        }
    }

    /// Looks at the edges of a vertex.
    fn relax(&self, vertex: Vertex, round: &Round<'_>, own: &mut Waiting) {
        let distance = D::get(&self.found[vertex as usize]);
        let done = &self.done[vertex as usize];
        if D::get(done) == distance || (self.bucket)(distance) < round.number {
            return;
        }
        distance.set(done);
        own.settled += 1;
        let targets = self.out.targets(vertex as usize);
        match self.out.weights(vertex as usize) {
            Some(weights) => {
                for (target, weight) in targets.iter().zip(weights) {
                    self.reach(*target, distance.behind(*weight), round, own);
                }
            }
            None => targets.iter().for_each(|target| self.reach(*target, distance.behind(1.0), round, own)),
        }
    }

    #[inline]
    fn reach(&self, target: Vertex, distance: D, round: &Round<'_>, own: &mut Waiting) {
        let cell = &self.found[target as usize];
        // Most edges shorten nothing, and looking is cheaper than changing.
        if distance >= D::get(cell) {
            return;
        }
        if round.is_alone {
            distance.set(cell);
        } else if !distance.lower(cell) {
            return;
        }
        own.add((self.bucket)(distance), round.number, target);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By looking at all edges until nothing changes.
    fn plainly(vertices: usize, edges: &[(u32, u32, f64)]) -> Vec<f64> {
        let mut found = vec![f64::INFINITY; vertices];
        found[0] = 0.0;
        for _ in 0..vertices {
            for (from, to, weight) in edges {
                found[*to as usize] = found[*to as usize].min(found[*from as usize] + weight);
            }
        }
        found
    }

    proptest! {
        #[test]
        fn whole_and_other_weights_give_the_least_distances(
            edges in prop::collection::vec((0..20_u32, 0..20_u32, 0..2_000_u32), 0..80),
            scale in prop::sample::select(vec![1.0, 0.1, 1e-300, 1e7, 1e290]),
            delta in prop::sample::select(vec![0.0, 1e-310, 0.5, 3.0, 100.0, 1e9]),
            is_weighted in any::<bool>(),
        ) {
            let of = |weight| if is_weighted { f64::from(weight) * scale } else { 1.0 };
            let edges: Vec<_> = edges.into_iter().map(|(a, b, weight)| (a, b, of(weight))).collect();
            let out = Csr::from_edges(20, &edges, is_weighted).unwrap();
            let wanted = plainly(20, &edges);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            let alone = Run::alone();
            for run in [alone, alone.with_pool(&pool)] {
                prop_assert_eq!(&distances(&out, 0, delta, &run).unwrap(), &wanted);
            }
        }
    }

    #[test]
    fn far_away_vertices_are_found_in_time() {
        // Each edge leads further than the buckets with lists of their own reach.
        let edges: Vec<_> = (0..300).flat_map(|at| [(at, at + 1, 1_000.0), (0, at + 1, 1e6)]).collect();
        let out = Csr::from_edges(301, &edges, true).unwrap();
        let found = distances(&out, 0, 1.0, &Run::alone()).unwrap();
        assert_eq!(found, (0..301).map(|at| f64::from(at) * 1_000.0).collect::<Vec<_>>());
    }
}
