//! Edges as they are read, the ids of their targets becoming numbers.

use std::ops::Range;

use graph_model::{IdKind, LabelId, VertexIdRef};
use rustc_hash::FxHashMap;

use crate::ids::Ids;
use crate::limits;

/// Edges in the order in which they were read.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    pub(crate) sources: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    /// Empty where there are none.
    pub(crate) weights: Vec<f64>,
}

/// An edge whose target has no number yet.
struct Waiting {
    source: u32,
    weight: f64,
    kind: IdKind,
    /// Where the bytes of the target's id are.
    id: Range<usize>,
    hash: u64,
    candidate: Option<u32>,
}

/// Edges as they are found. The numbers of their targets are looked up many at a time: each look-up waits for memory,
/// and several can wait at once, but not with the reading of a row between them.
pub(crate) struct Finding<'i> {
    /// Without ids there is no room, and edges are only counted.
    ids: Option<&'i Ids>,
    is_weighted: bool,
    /// Whether edges are counted and not kept though there are ids.
    counts_only: bool,
    edges: Edges,
    counts: FxHashMap<LabelId, u64>,
    /// The label of those that wait.
    label: Option<LabelId>,
    waiting: Vec<Waiting>,
    /// The ids of their targets.
    bytes: Vec<u8>,
}

impl<'i> Finding<'i> {
    pub(crate) fn new(ids: Option<&'i Ids>, is_weighted: bool, counts_only: bool) -> Self {
        Self {
            ids,
            is_weighted,
            counts_only,
            edges: Edges::default(),
            counts: FxHashMap::default(),
            label: None,
            waiting: Vec::with_capacity(limits::LOOK_UPS),
            bytes: Vec::new(),
        }
    }

    /// The edges that come are of this label. `keep`: as of [`add`](Self::add).
    pub(crate) fn begin(&mut self, label: Option<LabelId>, keep: &mut impl FnMut(u64) -> bool) {
        if label.is_some() && label != self.label {
            self.look_up(keep);
            self.label = label;
        }
    }

    /// Adds an edge, if its target is among the ids. `keep` is told the bytes of each edge, and says whether there is
    /// room for it.
    pub(crate) fn add(
        &mut self,
        source: u32,
        target: VertexIdRef<'_>,
        weight: f64,
        keep: &mut impl FnMut(u64) -> bool,
    ) {
        let start = self.bytes.len();
        let mut hash = 0;
        if self.ids.is_some() {
            match target {
                VertexIdRef::Number(number) => self.bytes.extend_from_slice(&number.to_ne_bytes()),
                VertexIdRef::String(text) => self.bytes.extend_from_slice(text),
                VertexIdRef::Uuid(bits) => self.bytes.extend_from_slice(&bits.to_ne_bytes()),
            }
            hash = Ids::hash(target);
        }
        let id = start..self.bytes.len();
        self.waiting.push(Waiting { source, weight, kind: target.kind(), id, hash, candidate: None });
        if self.waiting.len() >= limits::LOOK_UPS {
            self.look_up(keep);
        }
    }

    fn look_up(&mut self, keep: &mut impl FnMut(u64) -> bool) {
        if let Some(ids) = self.ids {
            self.waiting.iter_mut().for_each(|waiting| waiting.candidate = ids.candidate(waiting.hash));
        }
        let mut count = 0;
        for Waiting { source, weight, kind, id, hash, candidate } in &self.waiting {
            let id = self.bytes.get(id.clone()).unwrap_or_default();
            let target = match self.ids {
                Some(ids) => ids.confirmed(*candidate, *hash, id_of(*kind, id)),
                None => Some(0),
            };
            let Some(target) = target else { continue };
            count += 1;
            if self.counts_only || !keep(if self.is_weighted { 16 } else { 8 }) || self.ids.is_none() {
                continue;
            }
            self.edges.sources.push(*source);
            self.edges.targets.push(target);
            if self.is_weighted {
                self.edges.weights.push(*weight);
            }
        }
        self.waiting.clear();
        self.bytes.clear();
        if let Some(label) = self.label.filter(|_| count > 0) {
            *self.counts.entry(label).or_default() += count;
        }
    }

    /// The edges, and how many there are of each label, those without room included.
    pub(crate) fn end(mut self, keep: &mut impl FnMut(u64) -> bool) -> (Edges, FxHashMap<LabelId, u64>) {
        self.look_up(keep);
        let Self { mut edges, counts, waiting, bytes, .. } = self;
        // What shrinks is copied: that takes the most memory of all.
        drop((waiting, bytes));
        edges.sources.shrink_to_fit();
        edges.targets.shrink_to_fit();
        edges.weights.shrink_to_fit();
        (edges, counts)
    }
}

/// An id from its kind and bytes.
fn id_of(kind: IdKind, bytes: &[u8]) -> VertexIdRef<'_> {
    match kind {
        IdKind::Number => VertexIdRef::Number(i64::from_ne_bytes(bytes.try_into().unwrap_or_default())),
        IdKind::String => VertexIdRef::String(bytes),
        IdKind::Uuid => VertexIdRef::Uuid(u128::from_ne_bytes(bytes.try_into().unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use graph_model::VertexId;

    #[test]
    fn targets_of_all_kinds_become_numbers_and_strangers_are_left_out() {
        let all: Vec<VertexId> = (0..2_000)
            .map(|at: u32| match at % 3 {
                0 => VertexId::Number(i64::from(at) - 900),
                1 => VertexId::String(format!("vertex {at}, or so it is called").into()),
                _ => VertexId::Uuid(u128::from(at) << 70),
            })
            .collect();
        let ids = Ids::new(vec![all.clone()], 2);
        let mut finding = Finding::new(Some(&ids), true, false);
        let keep = &mut |bytes| bytes == 16;
        let stranger = VertexId::String("nobody".into());
        for (label, at) in [(1, 3_usize), (2, 7)] {
            finding.begin(Some(LabelId(label)), keep);
            for id in all.iter().step_by(at).chain([&stranger]) {
                finding.add(label, id.into(), 0.5, keep);
            }
        }
        let (edges, counts) = finding.end(keep);
        let wanted: Vec<u32> = (0..2_000).step_by(3).chain((0..2_000).step_by(7)).collect();
        assert_eq!(edges.targets, wanted);
        assert_eq!(edges.weights, vec![0.5; wanted.len()]);
        assert_eq!(edges.sources, [vec![1; 667], vec![2; 286]].concat());
        assert_eq!((counts[&LabelId(1)], counts[&LabelId(2)]), (667, 286));
    }
}
