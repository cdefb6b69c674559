//! Carrying out a plan: entries are read ahead in rounds, their elements fetched together, compared and given out one
//! by one.

use graph_model::{ElementId, LabelId, VertexId};
use graph_schema::{Conditions, Predicate};
use key_codec::key;
use kv::{Key, KeyBuf, Keys, Read};
use rustc_hash::FxHashSet;

use super::access::Access;
use super::{AMONG_IDS, Element, IN_INDEX};
use crate::read::list::{Progress, Turn};
use crate::read::page::Position;
use crate::{Graph, StoreError, Visit, limits};

/// What carrying out a plan for one label needs.
pub(super) struct Run<'a> {
    graph: &'a Graph,
    read: &'a dyn Read,
    label: LabelId,
    conditions: &'a Conditions,
}

impl<'a> Run<'a> {
    pub(super) fn new(graph: &'a Graph, read: &'a dyn Read, label: LabelId, conditions: &'a Conditions) -> Self {
        Self { graph, read, label, conditions }
    }

    /// Elements with these ids.
    pub(super) fn ids<E: Element>(
        &self,
        ids: &[VertexId],
        start: Option<&Position>,
        progress: &mut Progress,
        visit: &mut dyn FnMut(&E) -> Visit,
    ) -> Result<Visit, StoreError> {
        let first = match start {
            Some(start) => {
                let last = key::read_vertex_key(start.key())?;
                ids.partition_point(|id| *id <= last)
            }
            None => 0,
        };
        for some in ids.get(first..).unwrap_or_default().chunks(limits::LIST_FETCH_VERTICES) {
            let fetched: Vec<E::Id> = some.iter().filter_map(E::id_of_vertex).collect();
            let elements = E::fetch(self.graph, self.read, &fetched)?;
            for (id, element) in some.iter().zip(elements) {
                progress.row()?;
                let Some(element) = element else { continue };
                if element.label() != self.label || !self.conditions.matches(element.properties()) {
                    continue;
                }
                match progress.turn() {
                    Turn::Skip => continue,
                    Turn::Stop => return Ok(Visit::Break(())),
                    Turn::Give => {}
                }
                let mut at = KeyBuf::new();
                key::vertex_partition(at.bytes_mut(), self.graph.number, id);
                at.end_partition();
                progress.gave(AMONG_IDS, self.label.0, at.as_key());
                if visit(&element).is_break() {
                    return Ok(Visit::Break(()));
                }
            }
        }
        Ok(Visit::Continue(()))
    }

    /// Elements that all the indexes lead to, in the order of the driver.
    pub(super) fn indexes<E: Element>(
        &self,
        driver: &Access,
        others: &[Access],
        start: Option<&Position>,
        progress: &mut Progress,
        visit: &mut dyn FnMut(&E) -> Visit,
    ) -> Result<Visit, StoreError> {
        let mut narrowing = Vec::new();
        for other in others {
            if let Some(ids) = self.ids_of(other, progress)? {
                if ids.is_empty() {
                    return Ok(Visit::Continue(()));
                }
                narrowing.push(ids);
            }
        }
        let mut entries = driver.entries(self.read, start.map(Position::key));
        loop {
            let wanted = progress.wanted().min(limits::LIST_FETCH_VERTICES as u64);
            let mut round = Round::<E>::new();
            let mut at_end = false;
            while (round.ids.len() as u64) < wanted {
                progress.row()?;
                let more = entries.next(|range, key, element| {
                    if narrowing.iter().all(|ids| ids.contains(&element)) {
                        round.push(range, key, element);
                    }
                })?;
                if !more {
                    at_end = true;
                    break;
                }
            }
            let flow = self.give(&round, driver, others, progress, visit)?;
            if at_end || flow.is_break() {
                return Ok(flow);
            }
        }
    }

    /// The elements an index leads to, where they are few.
    fn ids_of(&self, access: &Access, progress: &mut Progress) -> Result<Option<FxHashSet<ElementId>>, StoreError> {
        let mut ids = FxHashSet::default();
        let mut entries = access.entries(self.read, None);
        loop {
            progress.row()?;
            let more = entries.next(|_, _, element| {
                ids.insert(element);
            })?;
            if !more {
                return Ok(Some(ids));
            }
            if ids.len() > limits::INTERSECT_IDS_MAX {
                return Ok(None);
            }
        }
    }

    fn give<E: Element>(
        &self,
        round: &Round<E>,
        driver: &Access,
        others: &[Access],
        progress: &mut Progress,
        visit: &mut dyn FnMut(&E) -> Visit,
    ) -> Result<Visit, StoreError> {
        let elements = E::fetch(self.graph, self.read, &round.ids)?;
        for (at, element) in elements.into_iter().enumerate() {
            let (Some(element), Some(range), Some(key)) = (element, round.ranges.get(at), round.keys.get(at)) else {
                continue;
            };
            if !self.accepts(&element, driver, others) || driver.was_met(*range, element.properties()) {
                continue;
            }
            match progress.turn() {
                Turn::Skip => continue,
                Turn::Stop => return Ok(Visit::Break(())),
                Turn::Give => {}
            }
            progress.gave(IN_INDEX, self.label.0, key);
            if visit(&element).is_break() {
                return Ok(Visit::Break(()));
            }
        }
        Ok(Visit::Continue(()))
    }

    /// Whether an element meets all conditions. Words of a text are those of the search index.
    fn accepts<E: Element>(&self, element: &E, driver: &Access, others: &[Access]) -> bool {
        let properties = element.properties();
        element.label() == self.label
            && self.conditions.iter().all(|condition| match condition.predicate {
                Predicate::TextContains(_) => properties.get(condition.key).is_some(),
                _ => condition.matches(properties),
            })
            && std::iter::once(driver).chain(others).all(|access| access.has_token(properties))
    }
}

/// Entries read ahead.
struct Round<E: Element> {
    ids: Vec<E::Id>,
    ranges: Vec<usize>,
    keys: Keys,
}

impl<E: Element> Round<E> {
    fn new() -> Self {
        Self { ids: Vec::new(), ranges: Vec::new(), keys: Keys::new() }
    }

    fn push(&mut self, range: usize, key: Key<'_>, element: ElementId) {
        if let Some(id) = E::id_of(element) {
            self.ids.push(id);
            self.ranges.push(range);
            self.keys.push(|out| out.extend_from_slice(key.partition()), |out| out.extend_from_slice(key.row()));
        }
    }
}
