//! The edges walked along, where the answer is to show them.
//!
//! Edges that are read as rows are remembered while they are read. A walk by numbers remembers only from which vertices
//! it went; the edges between the vertices of the answer are looked up at the end.

use std::collections::hash_map::Entry;

use adjacency::Wanted;
use graph_access::NumberedRead;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::adjacency::{Adjacency, RecordedEdge};
use crate::nodes::Nodes;
use crate::{Node, NodeSet, Step, TraversalError};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    /// Reads so far.
    reads: u64,
    /// The last edge read as a row, or the lightest one, for each pair of vertices walked along.
    edges: FxHashMap<(Node, Node), RecordedEdge>,
    walked: Vec<Walked>,
}

/// Vertices walked from by numbers, in one read.
#[derive(Debug)]
struct Walked {
    read: u64,
    backwards: bool,
    step: Step,
    owners: Vec<Node>,
}

/// An edge to look for at its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Asked {
    owner: Node,
    backwards: bool,
    /// The graph's number of the other end.
    other: u32,
    /// For which pair.
    pair: usize,
}

impl Recorded {
    /// Whether nothing was read yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.reads == 0
    }

    /// Remembers the edges of a read of rows; answers how many pairs of vertices are new.
    pub(crate) fn add_rows(&mut self, adjacency: &Adjacency, edges: Vec<RecordedEdge>, backwards: bool) -> usize {
        self.reads += 1;
        let before = self.edges.len();
        let pairs = adjacency.iter().flat_map(|some| some.targets.iter().map(move |target| (some.owner, *target)));
        for ((owner, target), mut edge) in pairs.zip(edges) {
            edge.outgoing ^= backwards;
            edge.met = (backwards, self.reads);
            let pair = if backwards { (target, owner) } else { (owner, target) };
            match self.edges.entry(pair) {
                Entry::Occupied(mut slot) => {
                    // Of parallel edges the last; but the first read of a pair counts, and one on the way there more
                    // than one back.
                    let known = slot.get();
                    let is_same_read = known.met.1 == self.reads;
                    if edge.weight <= known.weight && (is_same_read || (known.met.0 && !backwards)) {
                        slot.insert(edge);
                    }
                }
                Entry::Vacant(slot) => drop(slot.insert(edge)),
            }
        }
        self.edges.len() - before
    }

    /// Remembers from which vertices a read by numbers went; answers how many bytes that takes.
    pub(crate) fn add_walked(&mut self, owners: Vec<Node>, step: &Step, backwards: bool) -> usize {
        self.reads += 1;
        if owners.is_empty() {
            return 0;
        }
        let bytes = size_of::<Walked>() + size_of_val(owners.as_slice());
        self.walked.push(Walked { read: self.reads, backwards, step: step.clone(), owners });
        bytes
    }

    /// The edge remembered as a row for a pair of vertices.
    #[cfg(test)]
    pub(crate) fn row(&self, pair: (Node, Node)) -> Option<&RecordedEdge> {
        self.edges.get(&pair)
    }

    /// The edge walked along for each of some pairs, of which none comes twice; `None` where there was none. `accepts`:
    /// whether both ends of an edge satisfy the vertex conditions of a step.
    pub(crate) fn along(
        &self,
        nodes: &Nodes<'_>,
        pairs: &[(Node, Node)],
        accepts: impl Fn(&Step, Node, Node) -> bool,
    ) -> Result<Vec<Option<RecordedEdge>>, TraversalError> {
        let mut found: Vec<Option<RecordedEdge>> = pairs.iter().map(|pair| self.edges.get(pair).cloned()).collect();
        let Some(graph) = nodes.numbered().filter(|_| !self.walked.is_empty()) else { return Ok(found) };
        let asked = self.asked(nodes, pairs);
        let reads = self.reads_of(&asked);
        let mut edges = Vec::new();
        for asked in asked.chunk_by(|one, other| (one.owner, one.backwards) == (other.owner, other.backwards)) {
            let Some(Asked { owner, backwards, .. }) = asked.first().copied() else { continue };
            let walked = reads.get(&owner).into_iter().flatten().filter_map(|read| self.walked.get(*read));
            for walked in walked.filter(|walked| walked.backwards == backwards) {
                let Some(number) = nodes.number_of(owner) else { continue };
                walked.edges(graph, number, asked, &mut edges)?;
                for edge in edges.drain(..) {
                    let pair = asked.binary_search_by_key(&edge.other, |asked| asked.other).ok();
                    let Some(pair) = pair.and_then(|at| asked.get(at)).map(|asked| asked.pair) else { continue };
                    let (Some((from, to)), Some(slot)) = (pairs.get(pair), found.get_mut(pair)) else { continue };
                    let met = (backwards, walked.read);
                    if slot.as_ref().is_none_or(|known| met <= known.met) && accepts(&walked.step, *from, *to) {
                        let outgoing = edge.outgoing ^ backwards;
                        let (label, sort_values) = (edge.label, edge.sort_values);
                        *slot = Some(RecordedEdge { label, outgoing, sort_values, weight: 0.0, met });
                    }
                }
            }
        }
        Ok(found)
    }

    /// Where the edges of pairs are to be looked for, those of one owner together and sorted by the other end.
    fn asked(&self, nodes: &Nodes<'_>, pairs: &[(Node, Node)]) -> Vec<Asked> {
        let goes_back = self.walked.iter().any(|walked| walked.backwards);
        let mut asked = Vec::with_capacity(pairs.len() * if goes_back { 2 } else { 1 });
        for (pair, (from, to)) in pairs.iter().enumerate() {
            let mut ask = |owner: Node, other: Node, backwards| {
                let other = nodes.number_of(other);
                asked.extend(other.map(|other| Asked { owner, backwards, other, pair }));
            };
            ask(*from, *to, false);
            if goes_back {
                ask(*to, *from, true);
            }
        }
        asked.sort_unstable();
        asked
    }

    /// In which reads the owners were walked from.
    fn reads_of(&self, asked: &[Asked]) -> FxHashMap<Node, SmallVec<[usize; 2]>> {
        let owners: NodeSet = asked.iter().map(|asked| asked.owner).collect();
        let mut reads: FxHashMap<Node, SmallVec<[usize; 2]>> = FxHashMap::default();
        for (read, walked) in self.walked.iter().enumerate() {
            for owner in walked.owners.iter().filter(|owner| owners.contains(**owner)) {
                reads.entry(*owner).or_default().push(read);
            }
        }
        reads
    }
}

impl Walked {
    /// The edges of one of the owners to the ends asked for, as far as they were walked along.
    fn edges(
        &self,
        graph: &dyn NumberedRead,
        number: u32,
        asked: &[Asked],
        edges: &mut Vec<graph_access::NumberedEdge>,
    ) -> Result<(), TraversalError> {
        let labels = self.step.labels();
        let Step { direction, max_degree, .. } = self.step;
        let wanted = Wanted { direction, labels: labels.as_deref(), limit: max_degree };
        let is_wanted = |other: u32| asked.binary_search_by_key(&other, |asked| asked.other).is_ok();
        Ok(graph.edges_between(number, wanted, &is_wanted, edges)?)
    }
}
