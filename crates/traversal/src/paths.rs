//! Paths between vertices: all of them, the nearest, crosspoints, and those that fit a template.

use crate::search::{Ball, Pattern, Places, Rule, Search, Visited, keep};
use crate::{Node, Path, SearchLimits, Step, Traversal, TraversalError, limits};

/// All paths without a repeated vertex from any of `sources` to any of `targets`, shorter ones first. Between a vertex
/// and itself there is none.
pub fn paths(
    traversal: &mut Traversal<'_>,
    (sources, targets): (&[Node], &[Node]),
    step: &Step,
    limits: &SearchLimits,
) -> Result<Vec<Path>, TraversalError> {
    all(traversal, &Pattern::one(step.clone(), step.reversed()), (sources, targets), Rule::Simple, limits)
}

/// Where the ways from two vertices, both walked by the same step, meet; each with a path from the one over that point
/// to the other. The source's way is as long as the target's, or one hop longer.
pub fn crosspoints(
    traversal: &mut Traversal<'_>,
    source: Node,
    target: Node,
    step: &Step,
    limits: &SearchLimits,
) -> Result<Vec<(Node, Path)>, TraversalError> {
    let pattern = Pattern::one(step.clone(), step.clone());
    let paths = all(traversal, &pattern, (&[source], &[target]), Rule::Simple, limits)?;
    let crossing = |path: &Path| path.nodes.get(path.nodes.len() / 2).copied();
    Ok(paths.into_iter().filter_map(|path| Some((crossing(&path)?, path))).collect())
}

/// All paths from any of `sources` to any of `targets` that consist of the given steps, one after the other, each taken
/// at least once and at most as many times as it says; shorter ones first. With `with_ring` a path may pass a vertex
/// several times.
pub fn template_paths(
    traversal: &mut Traversal<'_>,
    (sources, targets): (&[Node], &[Node]),
    steps: &[(Step, u32)],
    with_ring: bool,
    bounds: &TemplateLimits,
) -> Result<Vec<Path>, TraversalError> {
    let longest: u64 = steps.iter().map(|(_, times)| u64::from(*times)).sum();
    if longest > limits::PATTERN_STATES_MAX || steps.iter().any(|(_, times)| *times == 0) {
        let most = limits::PATTERN_STATES_MAX;
        let message =
            format!("'max_times' of each step must be at least 1, and at most {most} in all, but the sum is {longest}");
        return Err(TraversalError::Parameter(message));
    }
    let rule = if with_ring { Rule::Repeating } else { Rule::Simple };
    let depth = u32::try_from(longest).unwrap_or(u32::MAX);
    let limits = SearchLimits { depth, capacity: bounds.capacity, limit: bounds.limit };
    all(traversal, &Pattern::template(steps), (sources, targets), rule, &limits)
}

/// Bounds of a search whose pattern says how long its paths are; `None`: no bound.
#[derive(Clone, Copy, Debug)]
pub struct TemplateLimits {
    /// Visited vertices.
    pub capacity: Option<u64>,
    /// Paths found.
    pub limit: Option<u64>,
}

fn all(
    traversal: &mut Traversal<'_>,
    pattern: &Pattern,
    ends: (&[Node], &[Node]),
    rule: Rule,
    limits: &SearchLimits,
) -> Result<Vec<Path>, TraversalError> {
    let mut paths = Vec::new();
    Search::run(traversal, pattern, ends, rule, limits, &mut |traversal, _, nodes| {
        paths.push(keep(traversal, nodes)?);
        Ok(true)
    })?;
    Ok(paths)
}

/// For each source, each target and each vertex halfway between them (as far from the source as from the target, or one
/// hop further): one path, the shortest over that vertex; shorter ones first.
pub fn nearest_paths(
    traversal: &mut Traversal<'_>,
    (sources, targets): (&[Node], &[Node]),
    step: &Step,
    limits: &SearchLimits,
) -> Result<Vec<Path>, TraversalError> {
    let mut paths = Vec::new();
    let mut pairs = Vec::new();
    for source in 0..sources.len() {
        pairs.extend((0..targets.len()).map(|target| (source, target)));
    }
    meet(traversal, (sources, targets), pairs, step, limits, &mut |path, traversal, _| {
        paths.push(keep(traversal, &path)?);
        Ok(if limits.limit.is_some_and(|limit| paths.len() as u64 >= limit) { Turn::Stop } else { Turn::Next })
    })?;
    Ok(paths)
}

/// A shortest path between each two of `vertices` that are connected, from the one that comes first.
pub fn multi_node_shortest_paths(
    traversal: &mut Traversal<'_>,
    vertices: &[Node],
    step: &Step,
    limits: &SearchLimits,
) -> Result<Vec<Path>, TraversalError> {
    let mut found: Vec<((usize, usize), Path)> = Vec::new();
    let pairs = (0..vertices.len()).flat_map(|first| (first + 1..vertices.len()).map(move |second| (first, second)));
    meet(traversal, (vertices, vertices), pairs.collect(), step, limits, &mut |path, traversal, pair| {
        found.push((pair, keep(traversal, &path)?));
        Ok(Turn::NextPair)
    })?;
    found.sort_by_key(|(pair, _)| *pair);
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Given to [`meet`] for each path, with the positions of its ends.
type Meeting<'m> = &'m mut dyn FnMut(Vec<Node>, &Traversal<'_>, (usize, usize)) -> Result<Turn, TraversalError>;

/// What to look for after a path.
enum Turn {
    /// Other paths of this pair.
    Next,
    /// Paths of the other pairs.
    NextPair,
    /// Nothing.
    Stop,
}

/// Lets a ball grow around each vertex that is part of a pair, and gives a path for each vertex where two of a pair
/// meet with as many hops on both sides, or one more on the first.
fn meet(
    traversal: &mut Traversal<'_>,
    (sources, targets): (&[Node], &[Node]),
    mut pairs: Vec<(usize, usize)>,
    step: &Step,
    limits: &SearchLimits,
    found: Meeting<'_>,
) -> Result<(), TraversalError> {
    let pattern = Pattern::one(step.clone(), step.reversed());
    let mut places = Places::new(1);
    let mut visited = Visited { capacity: limits.capacity, places: 0 };
    let mut around = |nodes: &[Node]| -> Result<Vec<Ball>, TraversalError> {
        nodes.iter().map(|node| Ball::around(traversal, [places.place(*node, 0)], false, &mut visited)).collect()
    };
    let (mut forward, mut backward) = (around(sources)?, around(targets)?);
    for length in 1..=limits.depth {
        let from_source = length % 2 == 1;
        let (balls, moves) =
            if from_source { (&mut forward, &pattern.forward) } else { (&mut backward, &pattern.backward) };
        let mut is_over = true;
        for (at, ball) in balls.iter_mut().enumerate() {
            if pairs.iter().any(|pair| at == if from_source { pair.0 } else { pair.1 }) && !ball.is_complete() {
                ball.grow(traversal, &mut places, moves, None, &mut visited)?;
                is_over = false;
            }
        }
        let mut left = Vec::new();
        for pair in pairs {
            let (Some(ahead), Some(home)) = (forward.get(pair.0), backward.get(pair.1)) else { continue };
            match meet_pair(traversal, ahead, home, length, &mut |path| found(path, traversal, pair))? {
                Turn::Next => left.push(pair),
                Turn::NextPair => {}
                Turn::Stop => return Ok(()),
            }
        }
        pairs = left;
        let cannot_grow = |ball: &Ball| ball.is_complete();
        if pairs.is_empty() || (is_over && forward.iter().chain(&backward).all(cannot_grow)) {
            return Ok(());
        }
        traversal.check()?;
    }
    Ok(())
}

/// The paths of one length over the places where two balls have just met.
fn meet_pair(
    traversal: &Traversal<'_>,
    ahead: &Ball,
    home: &Ball,
    length: u32,
    found: &mut dyn FnMut(Vec<Node>) -> Result<Turn, TraversalError>,
) -> Result<Turn, TraversalError> {
    let (first, second) = (length.div_ceil(2), length / 2);
    let grown = if length % 2 == 1 { ahead } else { home };
    if ahead.radius() != first || home.radius() != second {
        return Ok(Turn::Next);
    }
    for (at, place) in (0u32..).zip(grown.frontier()) {
        if at.is_multiple_of(limits::STEPS_PER_CHECK) {
            traversal.check()?;
        }
        if ahead.hops(*place) != Some(first) || home.hops(*place) != Some(second) {
            continue;
        }
        let mut nodes: Vec<Node> = ahead.way_back(*place).map(Node).collect();
        nodes.reverse();
        nodes.extend(home.way_back(*place).skip(1).map(Node));
        if is_simple(&nodes) {
            match found(nodes)? {
                Turn::Next => {}
                end => return Ok(end),
            }
        }
    }
    Ok(Turn::Next)
}

fn is_simple(nodes: &[Node]) -> bool {
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair.first() != pair.last())
}
