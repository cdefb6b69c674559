//! Vertices that share most of their neighbours with a given one.

use graph_model::{PropertyKeyId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Node, NodeMap, Step, Traversal, TraversalError, blocks, limits};

/// What counts as similar.
#[derive(Clone, Debug)]
pub struct FusiformRules {
    /// How to get from a vertex to its neighbours.
    pub step: Step,
    /// A source must have at least this many different neighbours.
    pub min_neighbors: u64,
    /// Which part of the source's neighbours a similar vertex must share, above 0 and at most 1.
    pub alpha: f64,
    /// A source with fewer similar vertices has none.
    pub min_similars: usize,
    /// At most this many similar vertices of a source, the most similar first; `None`: all.
    pub top: Option<usize>,
    /// The source and its similar vertices must have at least this many different values of this property between them.
    pub groups: Option<(PropertyKeyId, usize)>,
    /// At most this many vertices are visited.
    pub capacity: Option<u64>,
    /// At most this many sources with similar vertices.
    pub limit: Option<u64>,
}

/// A vertex similar to a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Similar {
    /// The vertex.
    pub node: Node,
    /// Which part of the source's neighbours it shares.
    pub score: f64,
    /// The neighbours shared.
    pub intermediaries: Vec<Node>,
}

/// The vertices similar to each of `sources` that has any, most similar first.
pub fn fusiform_similarity(
    traversal: &mut Traversal<'_>,
    sources: &[Node],
    rules: &FusiformRules,
) -> Result<Vec<(Node, Vec<Similar>)>, TraversalError> {
    let mut found: Vec<(Node, Vec<Similar>)> = Vec::new();
    let mut back = Back { step: rules.step.reversed(), spans: NodeMap::new(), owners: Vec::new() };
    for block in blocks(sources) {
        let adjacency = traversal.expand(block, &rules.step, None)?;
        check_visited(traversal, rules)?;
        for some in adjacency.iter() {
            if rules.limit.is_some_and(|limit| found.len() as u64 >= limit) {
                return Ok(found);
            }
            let mut met = FxHashSet::default();
            let neighbours: Vec<Node> = some.targets.iter().copied().filter(|node| met.insert(*node)).collect();
            if (neighbours.len() as u64) < rules.min_neighbors {
                continue;
            }
            back.read(traversal, &neighbours)?;
            check_visited(traversal, rules)?;
            let similars = similar_to(traversal, some.owner, &neighbours, &back, rules)?;
            if !similars.is_empty() {
                found.push((some.owner, similars));
            }
        }
    }
    Ok(found)
}

/// From which vertices edges lead to neighbours of sources; read once, however many sources a neighbour has.
struct Back {
    step: Step,
    spans: NodeMap<(usize, usize)>,
    owners: Vec<Node>,
}

impl Back {
    fn read(&mut self, traversal: &mut Traversal<'_>, nodes: &[Node]) -> Result<(), TraversalError> {
        let new: Vec<Node> = nodes.iter().copied().filter(|node| !self.spans.contains(*node)).collect();
        for block in blocks(&new) {
            let adjacency = traversal.expand(block, &self.step, None)?;
            traversal.charge(size_of_val(adjacency.targets()) + block.len() * limits::BACK_VERTEX_BYTES)?;
            for some in adjacency.iter() {
                let start = self.owners.len();
                self.owners.extend_from_slice(some.targets);
                self.spans.insert(some.owner, (start, self.owners.len()));
            }
        }
        Ok(())
    }

    fn of(&self, node: Node) -> &[Node] {
        self.spans.get(node).and_then(|(start, end)| self.owners.get(*start..*end)).unwrap_or_default()
    }
}

fn similar_to(
    traversal: &Traversal<'_>,
    source: Node,
    neighbours: &[Node],
    back: &Back,
    rules: &FusiformRules,
) -> Result<Vec<Similar>, TraversalError> {
    let (mut shared, charged) = shared_neighbours(traversal, source, neighbours, back)?;
    #[expect(clippy::cast_precision_loss, reason = "a vertex has far fewer than 2^53 edges")]
    let score = |intermediaries: &Vec<Node>| intermediaries.len() as f64 / neighbours.len() as f64;
    shared.retain(|(_, intermediaries)| score(intermediaries) >= rules.alpha);
    let mut similars: Vec<Similar> = shared
        .into_iter()
        .map(|(node, intermediaries)| Similar { node, score: score(&intermediaries), intermediaries })
        .collect();
    similars.sort_by(|a, b| b.score.total_cmp(&a.score));
    if similars.len() < rules.min_similars {
        similars.clear();
    }
    if let Some(top) = rules.top {
        similars.truncate(top);
    }
    if !similars.is_empty() && !has_groups(traversal, source, &similars, rules)? {
        similars.clear();
    }
    let kept = bytes_of(similars.len(), similars.iter().map(|similar| similar.intermediaries.len()).sum());
    traversal.release(charged.saturating_sub(kept));
    traversal.check()?;
    Ok(similars)
}

/// Bytes of a number of vertices that share a number of neighbours in all.
fn bytes_of(vertices: usize, shared: usize) -> usize {
    vertices * limits::SHARING_VERTEX_BYTES + shared * limits::SHARED_NEIGHBOUR_BYTES
}

/// A vertex with the neighbours it shares with a source.
type Sharing = (Node, Vec<Node>);

/// The vertices that share neighbours with `source`, in the order they are met, each with those it shares; and the
/// bytes charged for it.
fn shared_neighbours(
    traversal: &Traversal<'_>,
    source: Node,
    neighbours: &[Node],
    back: &Back,
) -> Result<(Vec<Sharing>, usize), TraversalError> {
    let mut places: FxHashMap<Node, usize> = FxHashMap::default();
    let mut shared: Vec<Sharing> = Vec::new();
    let mut charged = 0;
    for neighbour in neighbours {
        let owners = back.of(*neighbour);
        let before = shared.len();
        for node in owners.iter().filter(|node| **node != source) {
            let new = shared.len();
            let place = *places.entry(*node).or_insert(new);
            if place == new {
                shared.push((*node, Vec::new()));
            }
            if let Some((_, intermediaries)) = shared.get_mut(place).filter(|(_, i)| i.last() != Some(neighbour)) {
                intermediaries.push(*neighbour);
            }
        }
        let bytes = bytes_of(shared.len() - before, owners.len());
        traversal.charge(bytes)?;
        charged += bytes;
    }
    Ok((shared, charged))
}

fn check_visited(traversal: &Traversal<'_>, rules: &FusiformRules) -> Result<(), TraversalError> {
    let visited = usize::try_from(traversal.counters().vertex_iterations).unwrap_or(usize::MAX);
    traversal.check_capacity(rules.capacity, visited)
}

/// Whether the source and its similar vertices have enough different values of the group property. A vertex without it
/// counts as none.
fn has_groups(
    traversal: &Traversal<'_>,
    source: Node,
    similars: &[Similar],
    rules: &FusiformRules,
) -> Result<bool, TraversalError> {
    let Some((key, least)) = rules.groups else { return Ok(true) };
    let mut values: Vec<Value> = Vec::new();
    let nodes: Vec<Node> = std::iter::once(source).chain(similars.iter().map(|similar| similar.node)).collect();
    for block in blocks(&nodes) {
        for vertex in traversal.vertices(block)?.into_iter().flatten() {
            match vertex.properties.get(key) {
                Some(value) if !values.contains(value) => values.push(value.clone()),
                _ => continue,
            }
            if values.len() >= least {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use graph_model::Direction;

    use super::*;
    use crate::fixture::{TestGraph, id, numbers};

    fn rules() -> FusiformRules {
        FusiformRules {
            step: Step { direction: Direction::Out, ..Step::default() },
            min_neighbors: 8,
            alpha: 0.75,
            min_similars: 1,
            top: None,
            groups: None,
            capacity: None,
            limit: None,
        }
    }

    /// Readers 1, 2 and 3 of the books 101 to 109, 102 to 110 and 103 to 109; reader 1 has read 101 twice.
    fn library() -> TestGraph {
        let books = |reader: i64, from: i64, to: i64| (from..=to).map(move |book| (reader, book));
        TestGraph::of(books(1, 101, 109).chain(books(2, 102, 110)).chain(books(3, 103, 109)).chain([(1, 101)]))
    }

    type Found = Vec<(i64, Vec<(i64, f64, usize)>)>;

    fn found(sources: &[i64], rules: &FusiformRules) -> Result<Found, TraversalError> {
        let graph = library();
        let mut traversal = graph.traversal();
        let sources: Vec<Node> = sources.iter().map(|source| traversal.node(id(*source)).unwrap()).collect();
        let found = fusiform_similarity(&mut traversal, &sources, rules)?;
        let number = |node: Node| numbers(&traversal.ids(&[node]))[0];
        let shown = |similar: &Similar| (number(similar.node), similar.score, similar.intermediaries.len());
        Ok(found.iter().map(|(source, similars)| (number(*source), similars.iter().map(shown).collect())).collect())
    }

    #[test]
    fn similar_vertices_share_enough_neighbours() {
        let both = vec![(2, 8.0 / 9.0, 8), (3, 7.0 / 9.0, 7)];
        assert_eq!(found(&[1], &rules()).unwrap(), [(1, both.clone())]);
        assert_eq!(found(&[1], &FusiformRules { alpha: 0.8, ..rules() }).unwrap(), [(1, both[..1].to_vec())]);
        assert_eq!(found(&[1], &FusiformRules { top: Some(1), ..rules() }).unwrap(), [(1, both[..1].to_vec())]);
        assert_eq!(found(&[1], &FusiformRules { min_similars: 3, ..rules() }).unwrap(), []);
        assert_eq!(found(&[1], &FusiformRules { min_neighbors: 10, ..rules() }).unwrap(), []);
        assert_eq!(found(&[3], &rules()).unwrap(), []);
    }

    #[test]
    fn sources_without_similar_vertices_do_not_count() {
        let all = found(&[3, 1, 2], &rules()).unwrap();
        assert_eq!(all.iter().map(|(source, _)| *source).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(found(&[3, 1, 2], &FusiformRules { limit: Some(1), ..rules() }).unwrap().len(), 1);
    }

    #[test]
    fn capacity_bounds_the_vertices_visited() {
        let error = found(&[1], &FusiformRules { capacity: Some(11), ..rules() }).unwrap_err();
        assert!(matches!(error, TraversalError::Capacity { capacity: 11, .. }), "{error}");
        assert!(found(&[1], &FusiformRules { capacity: Some(13), ..rules() }).is_ok());
    }

    #[test]
    fn vertices_without_the_group_property_make_no_group() {
        let groups = Some((PropertyKeyId(7), 1));
        assert_eq!(found(&[1], &FusiformRules { groups, ..rules() }).unwrap(), []);
    }
}
