//! The Leiden algorithm: communities that are connected within.

use crate::communities::{Around, Communities, CommunityRules, Level, labelled, move_vertices, renumber, value_of};
use crate::csr::Csr;
use crate::random::Random;
use crate::run::Run;
use crate::{Result, Vertex};

/// How much chance there is in merging within a community: the value of the paper.
const RANDOMNESS: f64 = 0.01;

/// Leiden: like Louvain, but what becomes a vertex of the next level is a well connected part of a community (Traag,
/// Waltman, van Eck 2019). `plain`: a plain graph. On one thread; the same seed gives the same result.
///
/// # Errors
/// [`crate::AnalyticsError::Parameter`], [`crate::AnalyticsError::Weight`], [`crate::AnalyticsError::Stopped`].
pub fn leiden(plain: &Csr, rules: &CommunityRules, run: &Run<'_>) -> Result<Communities> {
    rules.check(plain)?;
    let mut random = Random::new(rules.seed, 0x1E1D);
    let mut best = labelled(plain, (0..plain.vertices() as Vertex).collect(), rules.resolution, 0)?;
    for trial in 0..rules.trials {
        let (labels, levels) = trial_of(plain, rules, &mut random, run)?;
        let found = labelled(plain, labels, rules.resolution, levels)?;
        if trial == 0 || found.modularity > best.modularity {
            best = found;
        }
        run.step("trials", trial + 1, rules.trials)?;
    }
    Ok(best)
}

/// One search, from vertices that are alone: whole passes, each starting from the communities of the one before, until
/// one gains nothing. The labels and the levels.
fn trial_of(plain: &Csr, rules: &CommunityRules, random: &mut Random, run: &Run<'_>) -> Result<(Vec<Vertex>, u64)> {
    let (total, size) = (plain.total_weight(), plain.vertices());
    let quality = (total, rules.resolution);
    let mut labels: Vec<Vertex> = (0..size as Vertex).collect();
    let (mut levels, mut last) = (0, f64::NEG_INFINITY);
    while total > 0.0 && levels < rules.levels_max {
        let mut level = Level::first(plain);
        let mut communities = labels.clone();
        // Which vertex of the level each vertex of the graph is in.
        let mut inside: Vec<Vertex> = (0..size as Vertex).collect();
        loop {
            move_vertices(&level, &mut communities, quality, random, run)?;
            levels += 1;
            run.step("levels", levels, rules.levels_max)?;
            let count = renumber(&mut communities);
            if count == level.len() || levels >= rules.levels_max {
                break;
            }
            let mut parts = refined(&level, &communities, quality, random, run)?;
            let count = renumber(&mut parts);
            let mut next = vec![0; count];
            communities.iter().zip(&parts).for_each(|(community, part)| next[*part as usize] = *community);
            // Each vertex of the next level begins in the community that its parts are in.
            let is_same = count == level.len();
            inside.iter_mut().for_each(|own| *own = parts[*own as usize]);
            level = level.merged(&parts, count, run)?;
            communities = next;
            if is_same {
                break;
            }
        }
        inside.iter().zip(&mut labels).for_each(|(own, label)| *label = communities[*own as usize]);
        let count = renumber(&mut labels);
        let value = value_of(&Level::first(plain).merged(&labels, count, run)?, quality);
        if value - last < rules.tolerance {
            break;
        }
        last = value;
    }
    Ok((labels, levels))
}

/// Parts of communities: each vertex begins alone and may join a part of its own community around it, by chance among
/// those that do not lose, if both are well connected to the rest of the community.
fn refined(
    level: &Level<'_>,
    communities: &[Vertex],
    (total, resolution): (f64, f64),
    random: &mut Random,
    run: &Run<'_>,
) -> Result<Vec<Vertex>> {
    let size = level.len();
    let mut sums = vec![0.0; size];
    communities.iter().zip(&level.strengths).for_each(|(own, strength)| sums[*own as usize] += strength);
    let mut parts: Vec<Vertex> = (0..size as Vertex).collect();
    let mut strengths = level.strengths.clone();
    // The weight from each part to the rest of its community.
    let mut outward: Vec<f64> = (0..size)
        .map(|vertex| {
            let inner = level.rows.weighted(vertex).filter(|(other, _)| communities[*other] == communities[vertex]);
            inner.map(|(_, weight)| weight).sum()
        })
        .collect();
    let mut members = vec![1_u32; size];
    let mut order: Vec<Vertex> = (0..size as Vertex).collect();
    random.shuffle(&mut order);
    let mut around = Around::new(size);
    // Gains are compared in units of the average weight, so that chance means the same whatever weights are.
    #[expect(clippy::cast_precision_loss, reason = "an average")]
    let scale = RANDOMNESS * total / level.rows.edges().max(1) as f64;
    let (mut gains, mut steps) = (Vec::new(), 0);
    for vertex in order {
        run.tick(&mut steps)?;
        let at = vertex as usize;
        let (community, strength) = (communities[at] as usize, level.strengths[at]);
        let is_connected = |own: f64, outward: f64| outward >= resolution * own * (sums[community] - own) / total;
        if members[parts[at] as usize] != 1 || !is_connected(strength, outward[at]) {
            continue;
        }
        for (other, weight) in level.rows.weighted(at) {
            if communities[other] as usize == community {
                around.add(parts[other], weight);
            }
        }
        gains.clear();
        let mut most: f64 = 0.0;
        for part in around.seen.iter().copied().filter(|part| *part != vertex) {
            let own = strengths[part as usize];
            let gain = around.weight(part) - resolution * strength * own / total;
            if gain >= 0.0 && is_connected(own, outward[part as usize]) {
                most = most.max(gain);
                gains.push((part, gain));
            }
        }
        let chances = || gains.iter().map(|(part, gain)| (*part, f64::exp((gain - most) / scale)));
        let mut left = random.unit() * chances().map(|(_, chance)| chance).sum::<f64>();
        let mut chosen = None;
        for (part, chance) in chances() {
            chosen = Some(part);
            left -= chance;
            if left < 0.0 {
                break;
            }
        }
        if let Some(part) = chosen {
            let (to, between) = (part as usize, around.weight(part));
            parts[at] = part;
            members[at] -= 1;
            members[to] += 1;
            strengths[to] += strength;
            strengths[at] = 0.0;
            outward[to] += outward[at] - 2.0 * between;
        }
        around.clear();
    }
    Ok(parts)
}
