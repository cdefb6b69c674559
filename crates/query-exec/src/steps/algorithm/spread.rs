//! Algorithms in which vertices pass something on along their edges, round by round.

use query_value::Value;
use query_value::function::{Room, text};
use rustc_hash::FxHashMap;

use super::network::Network;
use crate::context::Cx;
use crate::error::Result;

/// The sum of changes of ranks in a round below which ranks are taken as final.
const RANK_EPSILON: f64 = 0.000_01;

/// A little for the vertex, the rest for its edges.
fn work(targets: usize) -> u64 {
    1 + u64::try_from(targets).unwrap_or(u64::MAX)
}

/// `PageRank` as TinkerPop computes it: each vertex passes `alpha` of its rank on along its edges, and all share what
/// is left and what vertices without edges have, evenly. Ranks begin with `counts`, else with an even share of 1.
///
/// <https://tinkerpop.apache.org/docs/3.8.1/reference/#pagerank-step>
pub(super) fn page_rank(
    cx: &mut Cx<'_>,
    network: &Network,
    alpha: f64,
    times: u64,
    counts: Option<Vec<f64>>,
) -> Result<Vec<f64>> {
    #[expect(clippy::cast_precision_loss, reason = "ranks are approximate")]
    let size = network.len() as f64;
    let mut shared = if counts.is_some() { 0.0 } else { 1.0 };
    let mut ranks = vec![0.0; network.len()];
    let mut incoming = counts.unwrap_or_else(|| vec![0.0; network.len()]);
    let mut round = 0;
    loop {
        round += 1;
        let mut next = vec![0.0; network.len()];
        let (mut change, mut left) = (0.0, shared);
        for (vertex, (rank, received)) in ranks.iter_mut().zip(&incoming).enumerate() {
            let targets = network.targets(vertex);
            cx.tick(work(targets.len()))?;
            let mut new = *received;
            if shared > 0.0 {
                new += shared / size;
                left -= shared / size;
            }
            change += f64::abs(new - *rank);
            *rank = new;
            left += (1.0 - alpha) * new;
            if targets.len() == 0 {
                left += alpha * new;
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "ranks are approximate")]
            let share = alpha * new / targets.len() as f64;
            for target in targets {
                if let Some(received) = next.get_mut(target) {
                    *received += share;
                }
            }
        }
        if change < RANK_EPSILON || round > times {
            return Ok(ranks);
        }
        (incoming, shared) = (next, left);
    }
}

/// The vertices in the order of their ids' texts.
fn by_id(network: &Network) -> Result<(Vec<usize>, Vec<String>)> {
    let name = |vertex: &Value| {
        let id = vertex.element_id().cloned().unwrap_or_default();
        text(&id, &mut Room::new(u64::MAX))
    };
    let names = network.vertices().iter().map(name).collect::<std::result::Result<Vec<_>, _>>()?;
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|a, b| names.get(*a).cmp(&names.get(*b)));
    let mut places = vec![0; names.len()];
    for (place, vertex) in order.iter().enumerate() {
        if let Some(own) = places.get_mut(*vertex) {
            *own = place;
        }
    }
    Ok((places, names))
}

/// Clusters by votes: each vertex joins the cluster that most of its votes are for, its own vote included; of equal
/// ones that with the first id. The clusters are the ids of vertices.
///
/// <https://tinkerpop.apache.org/docs/3.8.1/reference/#peerpressure-step>
pub(super) fn peer_pressure(
    cx: &mut Cx<'_>,
    network: &Network,
    times: u64,
    counts: Option<Vec<f64>>,
) -> Result<Vec<Value>> {
    let size = network.len();
    // Each vertex and each edge may have a vote.
    cx.may_hold(u64::try_from(size.saturating_add(network.edges() / 2)).unwrap_or(u64::MAX))?;
    let strengths = counts.unwrap_or_else(|| vec![1.0; size]);
    let (places, _) = by_id(network)?;
    let mut clusters: Vec<usize> = (0..size).collect();
    for _ in 0..times {
        let mut votes: Vec<FxHashMap<usize, f64>> = vec![FxHashMap::default(); size];
        let own = clusters.iter().zip(&strengths).zip(&mut votes);
        own.for_each(|((cluster, strength), votes)| *votes.entry(*cluster).or_default() += strength);
        for (vertex, (cluster, strength)) in clusters.iter().zip(&strengths).enumerate() {
            let targets = network.targets(vertex);
            cx.tick(work(targets.len()))?;
            for target in targets {
                if let Some(votes) = votes.get_mut(target) {
                    *votes.entry(*cluster).or_default() += strength;
                }
            }
        }
        let mut is_stable = true;
        for (vertex, (cluster, votes)) in clusters.iter_mut().zip(votes).enumerate() {
            let place = |cluster: &usize| std::cmp::Reverse(places.get(*cluster));
            let cast = votes.iter().filter(|(_, strength)| **strength > 0.0);
            let best = cast.max_by(|(a, x), (b, y)| x.total_cmp(y).then_with(|| place(a).cmp(&place(b))));
            let best = best.map_or(vertex, |(best, _)| *best);
            is_stable &= *cluster == best;
            *cluster = best;
        }
        if is_stable {
            break;
        }
    }
    let id = |cluster: usize| network.vertices().get(cluster).and_then(Value::element_id).cloned();
    Ok(clusters.into_iter().map(|cluster| id(cluster).unwrap_or_default()).collect())
}

/// Components: the first of the ids, as texts, that lead to a vertex.
///
/// <https://tinkerpop.apache.org/docs/3.8.1/reference/#connectedcomponent-step>
pub(super) fn components(cx: &mut Cx<'_>, network: &Network) -> Result<Vec<Value>> {
    cx.may_hold(u64::try_from(network.len()).unwrap_or(u64::MAX))?;
    let (mut places, names) = by_id(network)?;
    let mut sorted = vec![0; places.len()];
    for (vertex, place) in places.iter().enumerate() {
        if let Some(own) = sorted.get_mut(*place) {
            *own = vertex;
        }
    }
    let mut pending: Vec<usize> = sorted.iter().rev().copied().collect();
    while let Some(vertex) = pending.pop() {
        let Some(place) = places.get(vertex).copied() else { continue };
        let targets = network.targets(vertex);
        cx.tick(work(targets.len()))?;
        for target in targets {
            if let Some(own) = places.get_mut(target)
                && place < *own
            {
                *own = place;
                pending.push(target);
            }
        }
    }
    let name = |place: usize| sorted.get(place).and_then(|vertex| names.get(*vertex)).cloned().unwrap_or_default();
    Ok(places.into_iter().map(|place| Value::from(name(place))).collect())
}
