//! Random walks with restarts over the edges of one label, back and forth: what is near to a vertex in a bipartite
//! graph.

use graph_model::Direction;

use crate::{Node, NodeMap, NodeSet, Step, Traversal, TraversalError, blocks, limits};

/// How to walk, and what to give.
#[derive(Clone, Debug)]
pub struct PersonalRankRules {
    /// Which edges; its direction is that of the walk's first step.
    pub step: Step,
    /// The probability of going on at each step instead of starting again, above 0 and at most 1.
    pub alpha: f64,
    /// Steps of the walk.
    pub depth: u32,
    /// Whether vertices on the source's side of the edges are given.
    pub same_side: bool,
    /// Whether those on the other side are.
    pub other_side: bool,
}

/// The probability of being at each vertex after a number of steps, in the order vertices were met; without the source
/// and those met in the first step.
pub fn personal_rank(
    traversal: &mut Traversal<'_>,
    source: Node,
    rules: &PersonalRankRules,
) -> Result<Vec<(Node, f64)>, TraversalError> {
    let mut near = Side::new(rules.step.clone());
    let mut far = Side::new(rules.step.reversed());
    near.add(source);
    let mut ranks: NodeMap<f64> = NodeMap::new();
    ranks.insert(source, 1.0);
    let mut direct = NodeSet::new();
    for round in 0..rules.depth {
        let mut next = NodeMap::new();
        near.read(traversal)?;
        far.read(traversal)?;
        // Outgoing edges first, whichever side has them: a vertex may be on both.
        let forwards = rules.step.direction != Direction::In;
        let (first, second) = if forwards { (&near, &far) } else { (&far, &near) };
        first.pass_on(&ranks, &mut next, rules.alpha);
        second.pass_on(&ranks, &mut next, rules.alpha);
        for node in near.newly_reached() {
            far.add(node);
        }
        for node in far.newly_reached() {
            near.add(node);
        }
        *next.get_or_insert_with(source, || 0.0) += 1.0 - rules.alpha;
        if round == 0 {
            for (node, _) in next.iter() {
                direct.insert(node);
            }
        }
        ranks = next;
        traversal.check()?;
    }
    let given = |node: Node| {
        !direct.contains(node)
            && (rules.same_side || !near.members.contains(node))
            && (rules.other_side || !far.members.contains(node))
    };
    Ok(ranks.iter().map(|(node, rank)| (node, *rank)).filter(|(node, _)| given(*node)).collect())
}

/// The vertices on one side of the edges, with where their edges lead.
struct Side {
    step: Step,
    members: NodeSet,
    /// In the order they were added.
    order: Vec<Node>,
    /// Of each vertex, where its neighbours end in `targets`. Shorter than `order` until those added last are read.
    ends: Vec<usize>,
    targets: Vec<Node>,
    /// How many of `targets` have been given as newly reached.
    given: usize,
}

impl Side {
    fn new(step: Step) -> Self {
        Self { step, members: NodeSet::new(), order: Vec::new(), ends: Vec::new(), targets: Vec::new(), given: 0 }
    }

    fn add(&mut self, node: Node) {
        if self.members.insert(node) {
            self.order.push(node);
        }
    }

    /// Reads the edges of the vertices added since.
    fn read(&mut self, traversal: &mut Traversal<'_>) -> Result<(), TraversalError> {
        let new = self.order.get(self.ends.len()..).unwrap_or_default().to_vec();
        for block in blocks(&new) {
            let adjacency = traversal.expand(block, &self.step, None)?;
            traversal.charge(size_of_val(adjacency.targets()) + block.len() * limits::RANKED_VERTEX_BYTES)?;
            for some in adjacency.iter() {
                self.targets.extend_from_slice(some.targets);
                self.ends.push(self.targets.len());
            }
        }
        Ok(())
    }

    /// What was reached since the last call.
    fn newly_reached(&mut self) -> Vec<Node> {
        let new = self.targets.get(self.given..).unwrap_or_default().to_vec();
        self.given = self.targets.len();
        new
    }

    /// Hands on the rank of each vertex in equal parts along its edges.
    fn pass_on(&self, ranks: &NodeMap<f64>, next: &mut NodeMap<f64>, alpha: f64) {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        for (node, (start, end)) in self.order.iter().zip(starts.zip(&self.ends)) {
            let rank = ranks.get(*node).copied().unwrap_or(0.0);
            let targets = self.targets.get(start..*end).unwrap_or_default();
            if targets.is_empty() {
                next.insert(*node, rank);
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "a vertex has far fewer than 2^53 edges")]
            let part = rank * alpha / targets.len() as f64;
            for target in targets {
                *next.get_or_insert_with(*target, || 0.0) += part;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestGraph, id, numbers};

    /// People 1, 2, 3 who like 11, 12, 13, 14: the example of HugeGraph's tests.
    fn likes() -> TestGraph {
        TestGraph::of([(1, 11), (1, 13), (2, 11), (2, 12), (2, 13), (2, 14), (3, 13), (3, 14)])
    }

    fn ranked(source: i64, rules: &PersonalRankRules) -> Vec<(i64, f64)> {
        let graph = likes();
        let mut traversal = graph.traversal();
        let source = traversal.node(id(source)).unwrap();
        let mut ranks = personal_rank(&mut traversal, source, rules).unwrap();
        ranks.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranks.iter().map(|(node, rank)| (numbers(&traversal.ids([node]))[0], *rank)).collect()
    }

    fn rules() -> PersonalRankRules {
        let step = Step { direction: Direction::Out, ..Step::default() };
        PersonalRankRules { step, alpha: 0.9, depth: 50, same_side: true, other_side: true }
    }

    fn assert_ranks(found: &[(i64, f64)], expected: &[(i64, f64)]) {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((vertex, rank), (expected_vertex, expected_rank)) in found.iter().zip(expected) {
            assert_eq!(vertex, expected_vertex, "{found:?}");
            assert!((rank - expected_rank).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn as_hugegraph_ranks_its_example() {
        let all =
            [(2, 0.20657505749890437), (3, 0.09839507219265439), (14, 0.08959757100230095), (12, 0.04589958822642998)];
        assert_ranks(&ranked(1, &rules()), &all);
        assert_ranks(&ranked(1, &PersonalRankRules { other_side: false, ..rules() }), &all[..2]);
        assert_ranks(&ranked(1, &PersonalRankRules { same_side: false, ..rules() }), &all[2..]);
    }

    #[test]
    fn without_restarts_the_walk_is_on_one_side() {
        let ranks = ranked(1, &PersonalRankRules { alpha: 1.0, ..rules() });
        assert_ranks(&ranks[..2], &[(2, 0.5), (3, 0.24999999999999956)]);
        assert!(ranks[2..].iter().all(|(_, rank)| *rank == 0.0));
    }

    #[test]
    fn a_walk_may_begin_at_the_target_side() {
        let rules = PersonalRankRules { step: rules().step.reversed(), alpha: 1.0, depth: 2, ..rules() };
        // 12 is liked by 2 only, who likes all four.
        assert_ranks(&ranked(12, &rules), &[(11, 0.25), (13, 0.25), (14, 0.25)]);
    }
}
