//! The hops of a join over a graph: which columns nodes have, which labels relationships.

use cypher_graph::{Accessed, from_access, vertex_id};
use cypher_value::{Text, Value};
use graph_access::{AccessError, Lookup, NumberedRead, drain};
use graph_model::{Direction, LabelId, VertexId};
use pattern_join::{Host, Labelled, Pattern};

use super::super::expand::edge_labels;
use super::super::labels::is_implied;
use crate::Result;
use crate::eval::Cx;
use crate::limits::{JOINED_OWNERS_MAX, LABELLED_FACTOR, LABELLED_LISTED};
use crate::row::Row;
use cypher_plan::{Hop, HopKind, Join, JoinRows, Labels, Slot};

/// A join over a graph.
pub(super) struct Bound {
    /// Nodes that are known at the start, in the order of their columns, which begin with the second one.
    known: Vec<Slot>,
    /// The columns of nodes that are found.
    columns: Vec<(Slot, usize)>,
    pub(super) pattern: Pattern,
    /// Labels that nodes are tested for.
    pub(super) tests: Vec<Labels>,
    /// Whether there can be no relationship of one of the hops.
    pub(super) is_empty: bool,
}

/// The numbers of the nodes that a row starts with.
pub(super) enum Start {
    /// Of all, with room for those that are found.
    Numbers(Vec<u32>),
    /// One of them is no node, so that nothing is found.
    NoNode,
    /// One of them has no number.
    NoNumber,
}

impl Bound {
    /// The numbers of a row, which has a place.
    pub(super) fn start(&self, graph: &dyn NumberedRead, row: &Row, place: u32) -> Start {
        let mut numbers = Vec::with_capacity(self.pattern.width);
        numbers.push(place);
        for slot in &self.known {
            let Value::Node(node) = row.get(*slot) else { return Start::NoNode };
            let Some(number) = graph.number(&vertex_id(&node.id)) else { return Start::NoNumber };
            numbers.push(number);
        }
        numbers.resize(self.pattern.width, 0);
        Start::Numbers(numbers)
    }

    /// The column of a node that the join finds.
    pub(super) fn column(&self, slot: Slot) -> Option<usize> {
        self.columns.iter().find(|(own, _)| *own == slot).map(|(_, column)| *column)
    }
}

/// Time, memory and labels for a join.
pub(super) struct JoinHost<'a, 'c, 'g> {
    pub(super) cx: &'a Cx<'c, 'g>,
    pub(super) graph: &'a dyn NumberedRead,
    pub(super) tests: &'a [Labels],
}

impl JoinHost<'_, '_, '_> {
    /// Lists the nodes with labels where those looked at become many: to read them one by one costs more. Gives up
    /// where there are many times more than were looked at.
    fn list(&self, labels: &Labels, known: &mut Labelled) -> Result<()> {
        let Some(reader) = self.cx.store.reader() else { return Ok(()) };
        let mut left = known.looked_at().saturating_mul(LABELLED_FACTOR);
        for label in self.cx.each_vertex_label(labels, &mut Row::default())? {
            let limit = u64::try_from(left + 1).ok();
            let lookup = Lookup { label: Some(label), properties: Some(Vec::new()), limit, ..Lookup::default() };
            let mut cursor = reader.find_vertices(lookup).accessed()?;
            let mut is_numbered = true;
            let mut count = 0_usize;
            drain(&mut *cursor, |vertex| {
                count += 1;
                match self.graph.number(&vertex.id) {
                    Some(number) => known.add(number),
                    None => is_numbered = false,
                }
                Ok(())
            })
            .accessed()?;
            self.cx.store.tick(count)?;
            if !is_numbered || count > left {
                return Ok(());
            }
            left -= count;
        }
        known.complete();
        Ok(())
    }
}

impl Host for JoinHost<'_, '_, '_> {
    type Error = cypher_value::Error;

    fn failed(&self, error: AccessError) -> Self::Error {
        from_access(error)
    }

    fn tick(&self, work: usize) -> Result<()> {
        self.cx.store.tick(work)
    }

    fn hold(&self, bytes: u64) -> Result<()> {
        self.cx.store.hold(bytes)
    }

    fn release(&self, bytes: u64) {
        self.cx.store.release(bytes);
    }

    fn left(&self) -> u64 {
        self.cx.store.left()
    }

    fn look_at(&self, test: usize, numbers: &[u32], known: &mut Labelled) -> Result<()> {
        let Some(labels) = self.tests.get(test) else { return Ok(()) };
        let before = known.looked_at();
        let new = known.unknown(numbers);
        if LABELLED_LISTED.iter().any(|from| before < *from && known.looked_at() >= *from) {
            self.list(labels, known)?;
            if known.is_complete() {
                return Ok(());
            }
        }
        for chunk in new.chunks(JOINED_OWNERS_MAX) {
            let own = chunk.iter().filter_map(|number| self.graph.id(*number).map(|id| (*number, id.clone())));
            let (numbers, ids): (Vec<u32>, Vec<VertexId>) = own.unzip();
            let found = self.cx.store.with_read(|graph| graph.vertices(&ids))?;
            self.cx.store.tick(found.len())?;
            for (number, vertex) in numbers.into_iter().zip(found) {
                let own = vertex.map(|vertex| self.cx.store.labels_of(vertex.label));
                let own: &[Text] = own.as_deref().unwrap_or_default();
                if self.cx.has(labels, own, &mut Row::default())? {
                    known.add(number);
                }
            }
        }
        self.cx.store.hold(u64::try_from(known.looked_at() - before).unwrap_or(u64::MAX))
    }
}

/// The join over a graph; none where its relationships cannot be told apart by their nodes.
pub(super) fn bind(cx: &Cx<'_, '_>, join: &Join) -> Result<Option<Bound>> {
    let mut row = Row::default();
    for (own, other) in &join.apart {
        if !is_apart(Some(&cx.edge_labels(own, &mut row)?), Some(&cx.edge_labels(other, &mut row)?)) {
            return Ok(None);
        }
    }
    let (mut place, mut known): (Vec<(Slot, usize)>, Vec<Slot>) = (Vec::new(), Vec::new());
    for (at, hop) in join.hops.iter().enumerate() {
        let found = |slot: &Slot| join.hops.iter().take(at).any(|hop| !hop.is_into && hop.to == *slot);
        let own = std::iter::once(hop.from).chain(hop.is_into.then_some(hop.to));
        known.extend(own.filter(|slot| !found(slot)));
    }
    known.sort_unstable();
    known.dedup();
    for slot in &known {
        place.push((*slot, place.len() + 1));
    }
    let mut columns = Vec::new();
    for hop in join.hops.iter().filter(|hop| !hop.is_into) {
        columns.push((hop.to, place.len() + 1));
        place.push((hop.to, place.len() + 1));
    }
    let column = |slot: Slot| place.iter().find(|(own, _)| *own == slot).map_or(0, |(_, column)| *column);
    let mut types = Vec::with_capacity(join.hops.len());
    for hop in &join.hops {
        types.push(edge_labels(cx, hop.types.as_ref(), &mut row)?);
    }
    let narrow: Result<Vec<_>> =
        join.hops.iter().zip(&types).map(|(hop, own)| linked(cx, hop, own, &mut row)).collect();
    let narrow = narrow?;
    if are_comparable(join, &narrow) {
        types = narrow;
    }
    let is_needed = |hop: &Hop| matches!(hop.kind, HopKind::Each | HopKind::Present);
    let is_empty =
        join.hops.iter().zip(&types).any(|(hop, types)| is_needed(hop) && types.as_ref().is_some_and(Vec::is_empty));
    let (mut hops, mut tests) = (Vec::with_capacity(join.hops.len()), Vec::new());
    for (at, hop) in join.hops.iter().enumerate() {
        let Some(own) = types.get(at).cloned() else { continue };
        let mut others = Vec::new();
        for other in &hop.others {
            let (Some(before), Some(before_types)) = (join.hops.get(*other), types.get(*other)) else { continue };
            let is_both = |hop: &Hop| hop.direction == Direction::Both;
            if is_apart(before_types.as_deref(), own.as_deref()) {
                continue;
            }
            if *before_types != own || is_both(before) != is_both(hop) {
                return Ok(None);
            }
            others.push(*other);
        }
        let labels = match &hop.labels {
            Some(labels) if !is_implied(cx, hop.direction, own.as_deref(), labels, &mut row)? => {
                tests.push(labels.clone());
                Some(tests.len() - 1)
            }
            _ => None,
        };
        let kind = match hop.kind {
            HopKind::Each => pattern_join::HopKind::Each,
            HopKind::Present => pattern_join::HopKind::Present,
            HopKind::Absent => pattern_join::HopKind::Absent,
            HopKind::Optional => pattern_join::HopKind::Optional,
        };
        let (from, to, is_into, direction) = (column(hop.from), column(hop.to), hop.is_into, hop.direction);
        hops.push(pattern_join::Hop { from, to, is_into, direction, types: own, others, labels, kind });
    }
    let mut wanted: Vec<usize> = join.nodes.iter().map(|slot| column(*slot)).collect();
    wanted.extend((!join.forgets_rows).then_some(0));
    let different = join.different.iter().map(|(one, other)| (column(*one), column(*other))).collect();
    let is_gathered = join.rows != JoinRows::Each;
    let pattern = Pattern { width: place.len() + 1, hops, different, wanted, is_gathered };
    Ok(Some(Bound { known, columns, pattern, tests, is_empty }))
}

/// Whether no relationship is of types of both.
fn is_apart(one: Option<&[LabelId]>, other: Option<&[LabelId]>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => !one.iter().any(|label| other.contains(label)),
        _ => false,
    }
}

/// Whether the relationships of each hop and those it must differ from are of the same types, or of none in common.
fn are_comparable(join: &Join, types: &[Option<Vec<LabelId>>]) -> bool {
    join.hops.iter().zip(types).all(|(hop, own)| {
        hop.others
            .iter()
            .filter_map(|other| types.get(*other))
            .all(|other| other == own || is_apart(other.as_deref(), own.as_deref()))
    })
}

/// Those types whose relationships the schema lets lead to nodes with the labels of a hop.
fn linked(cx: &Cx<'_, '_>, hop: &Hop, types: &Option<Vec<LabelId>>, row: &mut Row) -> Result<Option<Vec<LabelId>>> {
    let Some(labels) = hop.labels.as_ref().filter(|_| !cx.store.is_auto()) else { return Ok(types.clone()) };
    let links: Vec<(LabelId, LabelId, LabelId)> = {
        let catalogue = cx.store.catalogue();
        let meant = catalogue.edge_labels().filter(|label| types.as_ref().is_none_or(|own| own.contains(&label.id)));
        meant.filter_map(|label| label.link.map(|(source, target)| (label.id, source, target))).collect()
    };
    let mut fitting = Vec::with_capacity(links.len());
    for (label, source, target) in links {
        let ends: &[LabelId] = match hop.direction {
            Direction::Out => &[target],
            Direction::In => &[source],
            Direction::Both => &[source, target],
        };
        let mut fits = false;
        for end in ends {
            fits |= cx.has(labels, &cx.store.labels_of(*end), row)?;
        }
        if fits {
            fitting.push(label);
        }
    }
    Ok(Some(fitting))
}
