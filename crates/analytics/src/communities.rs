//! Communities by modularity: how much more weight lies within them than by chance.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::csr::Csr;
use crate::random::Random;
use crate::run::Run;
use crate::{AnalyticsError, Result, Vertex};

/// How communities are searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommunityRules {
    /// Above 1: more and smaller communities (Reichardt, Bornholdt 2006).
    pub resolution: f64,
    /// A pass that raises modularity by less ends the search.
    pub tolerance: f64,
    /// Levels of merging at most.
    pub levels_max: u64,
    /// Decides the order in which vertices move.
    pub seed: u64,
    /// Leiden: searches from the start, of which the best counts.
    pub trials: u64,
}

impl Default for CommunityRules {
    fn default() -> Self {
        Self { resolution: 1.0, tolerance: 1e-7, levels_max: 100, seed: 0, trials: 3 }
    }
}

/// Communities and how good they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Communities {
    /// For each vertex the least number in its community.
    pub labels: Vec<Vertex>,
    /// How many communities.
    pub count: u64,
    /// Their modularity, computed from the graph.
    pub modularity: f64,
    /// Levels of merging.
    pub levels: u64,
}

impl CommunityRules {
    pub(crate) fn check(&self, plain: &Csr) -> Result<()> {
        plain.check_weights("communities")?;
        if self.resolution >= 0.0 && self.resolution.is_finite() && self.tolerance >= 0.0 {
            return Ok(());
        }
        Err(AnalyticsError::parameter("resolution and tolerance must be numbers of 0 or more"))
    }
}

/// The modularity of a partition of a plain graph: the part of the weight within communities, less what it would be by
/// chance times `resolution` (Newman 2004). `labels`: any numbers, equal within a community.
///
/// # Errors
/// [`AnalyticsError::Parameter`] where there is not one label for each vertex.
pub fn modularity(plain: &Csr, labels: &[Vertex], resolution: f64) -> Result<f64> {
    if labels.len() != plain.vertices() {
        return Err(AnalyticsError::parameter("there must be one label for each vertex"));
    }
    let total = plain.total_weight();
    if total <= 0.0 {
        return Ok(0.0);
    }
    let mut sums: FxHashMap<Vertex, f64> = FxHashMap::default();
    let mut order = Vec::new();
    let mut inside = 0.0;
    for (vertex, label) in labels.iter().enumerate() {
        for (other, weight) in plain.weighted(vertex) {
            if labels[other] == *label {
                inside += weight;
            }
        }
        let own: f64 = plain.weighted(vertex).map(|(_, weight)| weight).sum();
        *sums.entry(*label).or_insert_with(|| {
            order.push(*label);
            0.0
        }) += own;
    }
    let chance: f64 = order.iter().filter_map(|label| sums.get(label)).map(|sum| (sum / total) * (sum / total)).sum();
    Ok(inside / total - resolution * chance)
}

/// The weight that leaves communities, of all at their vertices or at the others', whichever is less: for each
/// community, by its label (Kannan, Vempala, Vetta 2004).
///
/// # Errors
/// [`AnalyticsError::Parameter`] where there is not one label for each vertex.
pub fn conductance(plain: &Csr, labels: &[Vertex]) -> Result<Vec<(Vertex, f64)>> {
    if labels.len() != plain.vertices() {
        return Err(AnalyticsError::parameter("there must be one label for each vertex"));
    }
    let total = plain.total_weight();
    let mut sums: std::collections::BTreeMap<Vertex, (f64, f64)> = std::collections::BTreeMap::new();
    for (vertex, label) in labels.iter().enumerate() {
        let own = sums.entry(*label).or_default();
        for (other, weight) in plain.weighted(vertex) {
            own.0 += weight;
            if labels[other] != *label {
                own.1 += weight;
            }
        }
    }
    let share = |(all, out): (f64, f64)| {
        let least = all.min(total - all);
        if least > 0.0 { out / least } else { 0.0 }
    };
    Ok(sums.into_iter().map(|(label, sums)| (label, share(sums))).collect())
}

/// A level of merging: vertices are communities of the level below.
pub(crate) struct Level<'p> {
    pub(crate) rows: Cow<'p, Csr>,
    /// The weight within each vertex, counted from both ends.
    pub(crate) own: Vec<f64>,
    /// All the weight at each vertex.
    pub(crate) strengths: Vec<f64>,
}

impl<'p> Level<'p> {
    pub(crate) fn first(plain: &'p Csr) -> Self {
        let strengths = (0..plain.vertices()).map(|vertex| plain.weighted(vertex).map(|(_, weight)| weight).sum());
        Self { own: vec![0.0; plain.vertices()], strengths: strengths.collect(), rows: Cow::Borrowed(plain) }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.vertices()
    }

    /// Merges the vertices of each community into one. `communities`: consecutive numbers from 0.
    pub(crate) fn merged(&self, communities: &[Vertex], count: usize, run: &Run<'_>) -> Result<Level<'static>> {
        let (starts, members) = members(communities, count);
        let (mut own, mut strengths) = (vec![0.0; count], vec![0.0; count]);
        let (mut degrees, mut targets, mut weights) = (Vec::with_capacity(count), Vec::new(), Vec::new());
        // Not more than there were, and known before: a list that grows takes up to three times its room.
        targets.reserve_exact(self.rows.edges());
        weights.reserve_exact(self.rows.edges());
        let (mut sums, mut seen) = (vec![0.0; count], Vec::new());
        let mut steps = 0;
        for community in 0..count {
            for vertex in &members[starts[community] as usize..starts[community + 1] as usize] {
                let vertex = *vertex as usize;
                run.tick(&mut steps)?;
                own[community] += self.own[vertex];
                strengths[community] += self.strengths[vertex];
                for (other, weight) in self.rows.weighted(vertex) {
                    let other = communities[other];
                    if other as usize == community {
                        own[community] += weight;
                    } else {
                        if sums[other as usize] == 0.0 {
                            seen.push(other);
                        }
                        sums[other as usize] += weight;
                    }
                }
            }
            seen.sort_unstable();
            // An edge of weight 0 can be there twice.
            seen.dedup();
            degrees.push(seen.len() as u32);
            for other in seen.drain(..) {
                targets.push(other);
                weights.push(std::mem::take(&mut sums[other as usize]));
            }
        }
        targets.shrink_to_fit();
        weights.shrink_to_fit();
        let rows = Cow::Owned(Csr::from_rows(&degrees, targets, Some(weights))?);
        Ok(Level { rows, own, strengths })
    }
}

/// The vertices of each community, and where those of each begin in the list.
fn members(communities: &[Vertex], count: usize) -> (Vec<Vertex>, Vec<Vertex>) {
    let mut starts = vec![0; count + 1];
    communities.iter().for_each(|own| starts[*own as usize] += 1);
    let mut end = 0;
    for start in &mut starts {
        end += *start;
        *start = end;
    }
    // Filled from behind, so that each start is where it should be in the end.
    let mut members = vec![0; communities.len()];
    for (vertex, own) in communities.iter().enumerate().rev() {
        let place = &mut starts[*own as usize];
        *place -= 1;
        members[*place as usize] = vertex as Vertex;
    }
    (starts, members)
}

/// The weights from one vertex to the communities around it, without a hash map.
pub(crate) struct Around {
    weights: Vec<f64>,
    pub(crate) seen: Vec<Vertex>,
    is_seen: Vec<bool>,
}

impl Around {
    pub(crate) fn new(communities: usize) -> Self {
        Self { weights: vec![0.0; communities], seen: Vec::new(), is_seen: vec![false; communities] }
    }

    pub(crate) fn add(&mut self, community: Vertex, weight: f64) {
        let at = community as usize;
        if !self.is_seen[at] {
            self.is_seen[at] = true;
            self.seen.push(community);
        }
        self.weights[at] += weight;
    }

    pub(crate) fn weight(&self, community: Vertex) -> f64 {
        self.weights[community as usize]
    }

    pub(crate) fn clear(&mut self) {
        for community in self.seen.drain(..) {
            self.weights[community as usize] = 0.0;
            self.is_seen[community as usize] = false;
        }
    }
}

/// Moves vertices to the community around them that gains most, until none gains: those whose neighbours have moved are
/// looked at again (the queue of Leiden, also used for Louvain). Whether any has moved.
pub(crate) fn move_vertices(
    level: &Level<'_>,
    communities: &mut [Vertex],
    (total, resolution): (f64, f64),
    random: &mut Random,
    run: &Run<'_>,
) -> Result<bool> {
    let size = level.len();
    let mut sums = vec![0.0; size];
    communities.iter().zip(&level.strengths).for_each(|(own, strength)| sums[*own as usize] += strength);
    let mut members = vec![0_u32; size];
    communities.iter().for_each(|own| members[*own as usize] += 1);
    let mut free: Vec<Vertex> = (0..size as Vertex).filter(|own| members[*own as usize] == 0).collect();
    let mut order: Vec<Vertex> = (0..size as Vertex).collect();
    random.shuffle(&mut order);
    let mut queue: std::collections::VecDeque<Vertex> = order.into();
    let mut waits = vec![true; size];
    let mut around = Around::new(size);
    let (mut has_moved, mut steps) = (false, 0);
    while let Some(vertex) = queue.pop_front() {
        run.tick(&mut steps)?;
        let at = vertex as usize;
        waits[at] = false;
        let (before, strength) = (communities[at], level.strengths[at]);
        for (other, weight) in level.rows.weighted(at) {
            around.add(communities[other], weight);
        }
        sums[before as usize] -= strength;
        members[before as usize] -= 1;
        let gain =
            |community: Vertex| around.weight(community) - resolution * strength * sums[community as usize] / total;
        let (mut best, mut most) = (before, gain(before));
        for community in around.seen.iter().copied().filter(|community| *community != before) {
            let own = gain(community);
            if own > most + 1e-12 * total {
                (best, most) = (community, own);
            }
        }
        if most < -1e-12 * total && members[before as usize] > 0 {
            // Alone is better than anywhere.
            best = free.pop().unwrap_or(before);
        }
        around.clear();
        sums[best as usize] += strength;
        members[best as usize] += 1;
        communities[at] = best;
        if best == before {
            continue;
        }
        has_moved = true;
        if members[before as usize] == 0 {
            free.push(before);
        }
        for target in level.rows.targets(at) {
            let other = *target as usize;
            if communities[other] != best && !waits[other] {
                waits[other] = true;
                queue.push_back(*target);
            }
        }
    }
    Ok(has_moved)
}

/// Gives communities consecutive numbers from 0, in the order of their first vertices. How many there are.
pub(crate) fn renumber(communities: &mut [Vertex]) -> usize {
    let mut numbers = vec![Vertex::MAX; communities.len()];
    let mut count = 0;
    for own in communities {
        let number = &mut numbers[*own as usize];
        if *number == Vertex::MAX {
            *number = count;
            count += 1;
        }
        *own = *number;
    }
    count as usize
}

/// What was found, with the least vertex of each community as its label.
pub(crate) fn labelled(plain: &Csr, mut labels: Vec<Vertex>, resolution: f64, levels: u64) -> Result<Communities> {
    let count = renumber(&mut labels);
    let mut least = vec![Vertex::MAX; count];
    for (vertex, own) in labels.iter_mut().enumerate() {
        let least = &mut least[*own as usize];
        *least = (*least).min(vertex as Vertex);
        *own = *least;
    }
    let modularity = modularity(plain, &labels, resolution)?;
    Ok(Communities { labels, count: count as u64, modularity, levels })
}

/// Louvain: vertices move to where modularity gains most, communities become vertices, and again (Blondel, Guillaume,
/// Lambiotte, Lefebvre 2008). `plain`: a plain graph. On one thread; the same seed gives the same result.
///
/// # Errors
/// [`AnalyticsError::Parameter`], [`AnalyticsError::Weight`], [`AnalyticsError::Stopped`].
pub fn louvain(plain: &Csr, rules: &CommunityRules, run: &Run<'_>) -> Result<Communities> {
    rules.check(plain)?;
    let total = plain.total_weight();
    let mut labels: Vec<Vertex> = (0..plain.vertices() as Vertex).collect();
    let mut random = Random::new(rules.seed, 0x100B);
    let (mut level, mut levels) = (Level::first(plain), 0);
    let mut last = f64::NEG_INFINITY;
    while levels < rules.levels_max && total > 0.0 {
        let mut communities: Vec<Vertex> = (0..level.len() as Vertex).collect();
        let has_moved = move_vertices(&level, &mut communities, (total, rules.resolution), &mut random, run)?;
        levels += 1;
        run.step("levels", levels, rules.levels_max)?;
        if !has_moved {
            break;
        }
        let count = renumber(&mut communities);
        labels.iter_mut().for_each(|label| *label = communities[*label as usize]);
        level = level.merged(&communities, count, run)?;
        let value = value_of(&level, (total, rules.resolution));
        if value - last < rules.tolerance {
            break;
        }
        last = value;
    }
    labelled(plain, labels, rules.resolution, levels)
}

/// The modularity of a level whose vertices are communities.
pub(crate) fn value_of(level: &Level<'_>, (total, resolution): (f64, f64)) -> f64 {
    let share = |(own, strength): (&f64, &f64)| own / total - resolution * (strength / total) * (strength / total);
    level.own.iter().zip(&level.strengths).map(share).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    /// Zachary's karate club (1977), vertices from 1.
    pub(crate) fn karate() -> Csr {
        let text = "1-2 1-3 1-4 1-5 1-6 1-7 1-8 1-9 1-11 1-12 1-13 1-14 1-18 1-20 1-22 1-32 2-3 2-4 2-8 2-14 2-18 2-20 \
                    2-22 2-31 3-4 3-8 3-9 3-10 3-14 3-28 3-29 3-33 4-8 4-13 4-14 5-7 5-11 6-7 6-11 6-17 7-17 9-31 9-33 \
                    9-34 10-34 14-34 15-33 15-34 16-33 16-34 19-33 19-34 20-34 21-33 21-34 23-33 23-34 24-26 24-28 \
                    24-30 24-33 24-34 25-26 25-28 25-32 26-32 27-30 27-34 28-34 29-32 29-34 30-33 30-34 31-33 31-34 \
                    32-33 32-34 33-34";
        let edges: Vec<_> = text
            .split_whitespace()
            .filter_map(|pair| pair.split_once('-'))
            .map(|(a, b)| (a.parse::<u32>().unwrap() - 1, b.parse::<u32>().unwrap() - 1, 1.0))
            .collect();
        assert_eq!(edges.len(), 78);
        Graph::from_edges(34, &edges, false, &Run::alone()).unwrap().plain(&Run::alone()).unwrap()
    }

    #[test]
    fn the_karate_club_has_its_known_communities() {
        let (run, plain) = (Run::alone(), karate());
        // The best partition there is has 0.4198 (Brandes et al. 2008).
        let best = |find: fn(&Csr, &CommunityRules, &Run<'_>) -> Result<Communities>| {
            let of = |seed| find(&plain, &CommunityRules { seed, ..CommunityRules::default() }, &run).unwrap();
            (0..10).map(of).map(|it| it.modularity).fold(0.0, f64::max)
        };
        let (louvain, leiden) = (best(louvain), best(crate::leiden::leiden));
        assert!(louvain > 0.41 && louvain < 0.419_8, "{louvain}");
        assert!(leiden > 0.419 && leiden < 0.419_8, "{leiden}");
    }

    #[test]
    fn one_community_has_no_modularity_and_levels_keep_it() {
        let (run, plain) = (Run::alone(), karate());
        assert!(modularity(&plain, &[0; 34], 1.0).unwrap().abs() < 1e-12);
        assert!(modularity(&plain, &[0; 3], 1.0).is_err());
        assert_eq!(conductance(&plain, &[0; 34]).unwrap(), [(0, 0.0)]);
        let labels: Vec<u32> = (0..34).map(|vertex| vertex % 5).collect();
        let exact = modularity(&plain, &labels, 1.0).unwrap();
        let merged = Level::first(&plain).merged(&labels, 5, &run).unwrap();
        assert!((value_of(&merged, (plain.total_weight(), 1.0)) - exact).abs() < 1e-12);
    }

    #[test]
    fn graphs_without_edges_stay_apart() {
        let csr = Csr::from_edges(3, &[], false).unwrap();
        for find in [louvain, crate::leiden::leiden] {
            let found = find(&csr, &CommunityRules::default(), &Run::alone()).unwrap();
            assert_eq!((found.count, found.modularity), (3, 0.0));
        }
    }
}
