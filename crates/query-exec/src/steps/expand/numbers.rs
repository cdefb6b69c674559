//! Neighbours by numbers: where they are kept in memory, no row is read, no id decoded, and equal ones are counted.

use std::collections::VecDeque;

use adjacency::{NumberLists, NumberMap, NumberSet, Wanted};
use graph_access::NumberedRead;
use graph_model::VertexId;
use query_plan::{Expand, Paths};
use query_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::Cx;
use crate::error::Result;
use crate::limits::VALUES_KEPT_MAX;
use crate::traverser::Traverser;
use crate::{semantics, storage};

/// What the operator remembers between blocks.
#[derive(Default)]
pub(super) struct Numbers {
    /// Neighbours given before, where each is wanted once.
    seen: NumberSet,
    /// Neighbours counted before that were read as rows.
    unnumbered: FxHashSet<VertexId>,
    /// Vertices as values, since many edges lead to the same ones.
    values: FxHashMap<u32, Value>,
}

/// What is taken at once.
#[derive(Clone, Copy)]
pub(super) struct Block<'b> {
    pub(super) expand: &'b Expand,
    pub(super) wanted: Wanted<'b>,
    /// The vertices, each once.
    pub(super) owners: &'b [VertexId],
    /// Where the vertex of each traverser is among them; none: it is no vertex that can have edges.
    pub(super) places: &'b [Option<usize>],
}

impl Numbers {
    pub(super) fn reset(&mut self) {
        self.seen = NumberSet::default();
        self.unnumbered.clear();
    }

    /// Whether a neighbour comes for the first time, where it is not given on.
    pub(super) fn count_number(&mut self, cx: &Cx<'_>, number: u32) -> bool {
        self.seen.insert(number)
            && (self.unnumbered.is_empty()
                || cx
                    .read()
                    .numbered()
                    .and_then(|graph| graph.id(number))
                    .is_none_or(|id| !self.unnumbered.contains(id)))
    }

    /// As [`Self::count_number`], of a neighbour that was read as a row.
    pub(super) fn count_id(&mut self, cx: &Cx<'_>, id: &VertexId) -> bool {
        let number = cx.read().numbered().and_then(|graph| graph.known_number(id));
        number.is_none_or(|number| !self.seen.contains(number)) && self.unnumbered.insert(id.clone())
    }

    /// Whether a neighbour comes for the first time, where it is given on.
    pub(super) fn give_number(&mut self, number: u32) -> bool {
        self.seen.insert(number)
    }

    /// The value of a number; none: the number is unknown.
    fn value(&mut self, cx: &Cx<'_>, graph: &dyn NumberedRead, number: u32, is_once: bool) -> Option<Value> {
        if is_once {
            return graph.id(number).map(|id| storage::vertex_ref(&cx.catalogue, id));
        }
        if let Some(value) = self.values.get(&number) {
            return Some(value.clone());
        }
        let value = storage::vertex_ref(&cx.catalogue, graph.id(number)?);
        if self.values.len() >= VALUES_KEPT_MAX {
            self.values.clear();
        }
        self.values.insert(number, value.clone());
        Some(value)
    }

    /// Takes the whole block, where the graph has numbers; false: it is left as it is.
    pub(super) fn process<'g>(
        &mut self,
        cx: &mut Cx<'g>,
        block: &Block<'_>,
        input: &mut VecDeque<Traverser>,
        out: &mut Vec<Traverser>,
    ) -> Result<bool> {
        let Block { expand, wanted, owners, places } = *block;
        let lists = {
            let Some(graph) = cx.read().numbered() else { return Ok(false) };
            let Some(numbers) = owners.iter().map(|id| graph.number(id)).collect::<Option<Vec<u32>>>() else {
                return Ok(false);
            };
            let mut lists = NumberLists::default();
            read(cx, graph, &numbers, wanted, &mut lists)?;
            lists
        };
        let list = |place: usize| {
            let start = place.checked_sub(1).and_then(|before| lists.ends.get(before)).copied().unwrap_or(0);
            let end = lists.ends.get(place).copied().unwrap_or(start);
            lists.numbers.get(start..end).unwrap_or_default()
        };
        if expand.is_counted && expand.is_distinct {
            for (traverser, place) in input.drain(..).zip(places) {
                let found = place.map_or(&[][..], list);
                cx.tick(u64::try_from(found.len()).unwrap_or(u64::MAX))?;
                let mut new = 0;
                for number in found {
                    new += u64::from(self.count_number(cx, *number));
                }
                if new > 0 {
                    out.push(Traverser { bulk: new, ..traverser });
                }
            }
            return Ok(true);
        }
        if expand.is_counted {
            give_counts(places, |place| u64::try_from(list(place).len()).unwrap_or(u64::MAX), input, out)?;
            return Ok(true);
        }
        // Traversers of which nothing is known but where they are can be counted, unless their order can be observed.
        let merges = cx.is_bulked && !cx.is_lazy && cx.paths == Paths::None;
        let mut at = NumberMap::default();
        let is_distinct = expand.is_distinct;
        for (traverser, place) in input.drain(..).zip(places) {
            let found = place.map_or(&[][..], list);
            cx.tick(u64::try_from(found.len()).unwrap_or(u64::MAX))?;
            let merges = merges && traverser.state.is_none();
            let Some(graph) = cx.read().numbered() else { continue };
            for number in found {
                if is_distinct && !self.give_number(*number) {
                    continue;
                }
                if merges && !is_distinct {
                    let next = u32::try_from(out.len()).unwrap_or(u32::MAX - 1);
                    let (place, is_new) = at.get_or_insert(*number, next);
                    if !is_new && let Some(known) = out.get_mut(place as usize) {
                        semantics::add_bulk(&mut known.bulk, traverser.bulk)?;
                        continue;
                    }
                }
                let Some(value) = self.value(cx, graph, *number, is_distinct) else { continue };
                out.push(traverser.with(value));
            }
            cx.may_hold(u64::try_from(out.len()).unwrap_or(u64::MAX))?;
        }
        Ok(true)
    }
}

/// Replaces the content of `lists` with the neighbours of vertices, as far as the query may hold them.
pub(super) fn read(
    cx: &Cx<'_>,
    graph: &dyn NumberedRead,
    owners: &[u32],
    wanted: Wanted<'_>,
    lists: &mut NumberLists,
) -> Result<()> {
    lists.clear();
    // A number takes four bytes.
    lists.numbers_max = usize::try_from(cx.memory_left() / 4).unwrap_or(usize::MAX).max(1);
    graph.read(owners, wanted, lists)?;
    if lists.is_full() { Err(cx.too_much()) } else { Ok(()) }
}

/// Lets what comes in stand for as many as edges were counted.
pub(super) fn give_counts(
    places: &[Option<usize>],
    count: impl Fn(usize) -> u64,
    input: &mut VecDeque<Traverser>,
    out: &mut Vec<Traverser>,
) -> Result<()> {
    for (mut traverser, place) in input.drain(..).zip(places) {
        let count = place.map_or(0, &count);
        traverser.bulk = semantics::times_bulk(traverser.bulk, count)?;
        if traverser.bulk > 0 {
            out.push(traverser);
        }
    }
    Ok(())
}
