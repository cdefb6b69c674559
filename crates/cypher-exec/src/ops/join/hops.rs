//! The hops of a join over a graph: which columns nodes have, which labels relationships.

use std::cell::Cell;

use cypher_graph::{Accessed, Wanted, become_node, from_access, numbered_node, vertex_id};
use cypher_value::{Elements as _, Value};
use graph_access::{AccessError, Lookup, NumberedRead, drain};
use graph_model::{Direction, LabelId, VertexId};
use pattern_join::{Host, Pattern, Tested};

use super::super::expand::edge_labels;
use super::super::labels::is_implied;
use super::super::mend::values_of;
use crate::Result;
use crate::eval::Cx;
use crate::limits::{JOINED_OWNERS_MAX, LABELLED_FACTOR, LABELLED_LISTED};
use crate::row::Row;
use cypher_plan::{Ex, Hop, HopKind, Join, JoinRows, Labels, Slot};

/// A join over a graph.
pub(super) struct Bound {
    /// Nodes that are known at the start, in the order of their columns, which begin with the second one.
    known: Vec<Slot>,
    /// The columns of nodes that are found.
    columns: Vec<(Slot, usize)>,
    pub(super) pattern: Pattern,
    /// What nodes are tested for.
    pub(super) tests: Vec<NodeTest>,
    /// Whether there can be no relationship of one of the hops.
    pub(super) is_empty: bool,
}

/// What a node that is found is tested for.
pub(super) struct NodeTest {
    labels: Option<Labels>,
    conditions: Vec<Ex>,
    /// Where conditions read the node.
    slot: Slot,
    /// What all of it reads.
    wanted: Vec<Wanted>,
    /// How many nodes were read for it.
    read: Cell<usize>,
}

impl NodeTest {
    fn new(labels: Option<Labels>, hop: &Hop) -> Self {
        let mut wanted = values_of(&hop.conditions);
        wanted.extend(labels.is_some().then_some(Wanted::Labels));
        Self { labels, conditions: hop.conditions.clone(), slot: hop.to, wanted, read: Cell::new(0) }
    }

    /// Whether a node meets it. The row has the node that was tested last.
    fn holds(&self, cx: &Cx<'_, '_>, (id, number): (&VertexId, u32), row: &mut Row) -> Result<bool> {
        let node = match row.take(self.slot) {
            Value::Node(mut node) => {
                become_node(&mut node, id, number);
                node
            }
            _ => numbered_node(id, number),
        };
        let has_labels = match &self.labels {
            Some(labels) => cx.has(labels, &cx.store.labels(&node)?, row)?,
            None => true,
        };
        row.set(self.slot, Value::Node(node));
        if !has_labels {
            return Ok(false);
        }
        for condition in &self.conditions {
            if !cx.holds(condition, row)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
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
            let number = node.number.or_else(|| graph.number(&vertex_id(&node.id)));
            let Some(number) = number else { return Start::NoNumber };
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
    pub(super) tests: &'a [NodeTest],
}

impl JoinHost<'_, '_, '_> {
    /// Lists the nodes with labels where those looked at become many: to read them one by one costs more. Gives up
    /// where there are many times more than were looked at.
    fn list(&self, labels: &Labels, known: &mut Tested, read: usize) -> Result<()> {
        let Some(reader) = self.cx.store.reader() else { return Ok(()) };
        let mut left = read.saturating_mul(LABELLED_FACTOR);
        let labels = self.cx.each_vertex_label(labels, &mut Row::default())?;
        for label in &labels {
            let nodes = reader.known_vertex_count(*label).unwrap_or_default();
            if self.graph.members_at_hand(*label).is_none() && nodes > u64::try_from(left).unwrap_or(u64::MAX) {
                return Ok(());
            }
        }
        for label in labels {
            if let Some(members) = self.graph.members_at_hand(label) {
                self.cx.store.tick(members.len())?;
                members.iter().for_each(|number| known.add(*number));
                continue;
            }
            let Some(count) = self.list_label(label, known, left)? else { return Ok(()) };
            left -= count;
        }
        known.complete();
        Ok(())
    }

    /// Reads which nodes have a label, and has the graph keep it; none where there are more than `max`.
    fn list_label(&self, label: LabelId, known: &mut Tested, max: usize) -> Result<Option<usize>> {
        let Some(reader) = self.cx.store.reader() else { return Ok(None) };
        // Before anything is read.
        let ticket = self.graph.members_ticket(label);
        let limit = u64::try_from(max + 1).ok();
        let lookup = Lookup { label: Some(label), properties: Some(Vec::new()), limit, ..Lookup::default() };
        let mut cursor = reader.find_vertices(lookup).accessed()?;
        let (mut is_numbered, mut count) = (true, 0);
        let mut numbers: Vec<u32> = Vec::new();
        drain(&mut *cursor, |vertex| {
            count += 1;
            match self.graph.number(&vertex.id) {
                Some(number) => {
                    known.add(number);
                    numbers.extend(ticket.is_some().then_some(number));
                }
                None => is_numbered = false,
            }
            Ok(())
        })
        .accessed()?;
        self.cx.store.tick(count)?;
        if !is_numbered || count > max {
            return Ok(None);
        }
        if let Some(ticket) = ticket {
            self.graph.keep_members(label, ticket, &numbers);
        }
        Ok(Some(count))
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

    fn look_at(&self, test: usize, numbers: &[u32], known: &mut Tested) -> Result<()> {
        let Some(test) = self.tests.get(test) else { return Ok(()) };
        let before = known.looked_at();
        let new = known.unknown(numbers);
        let mut row = Row::default();
        for chunk in new.chunks(JOINED_OWNERS_MAX) {
            let missing = self.cx.store.missing(chunk, &test.wanted).unwrap_or_else(|| chunk.to_vec());
            let read = test.read.replace(test.read.get() + missing.len());
            if let (Some(labels), []) = (&test.labels, test.conditions.as_slice())
                && LABELLED_LISTED.iter().any(|from| read < *from && test.read.get() >= *from)
            {
                self.list(labels, known, test.read.get())?;
                if known.is_complete() {
                    return Ok(());
                }
            }
            self.cx.store.read_values(&missing, &test.wanted)?;
            self.cx.store.tick(chunk.len())?;
            for number in chunk {
                let Some(id) = self.graph.id(*number) else { continue };
                if test.holds(self.cx, (id, *number), &mut row)? {
                    known.add(*number);
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
    // Labels of a node where a hop starts are known if an earlier one found it.
    let labels_of = |at: usize, slot: Slot| {
        let found = |hop: &&Hop| hop.to == slot && !hop.is_into && hop.kind == HopKind::Each;
        join.hops.iter().take(at).find(found).and_then(|hop| hop.labels.as_ref())
    };
    let narrow: Result<Vec<_>> = join
        .hops
        .iter()
        .zip(&types)
        .enumerate()
        .map(|(at, (hop, own))| linked(cx, (hop, labels_of(at, hop.from)), own, &mut row))
        .collect();
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
            Some(labels) if has_labels(cx, join, &types, (at, labels), &mut row)? => None,
            labels => labels.clone(),
        };
        let test = (labels.is_some() || !hop.conditions.is_empty()).then(|| {
            tests.push(NodeTest::new(labels, hop));
            tests.len() - 1
        });
        let kind = match hop.kind {
            HopKind::Each => pattern_join::HopKind::Each,
            HopKind::Present => pattern_join::HopKind::Present,
            HopKind::Absent => pattern_join::HopKind::Absent,
            HopKind::Optional => pattern_join::HopKind::Optional,
        };
        let (from, to, is_into, direction) = (column(hop.from), column(hop.to), hop.is_into, hop.direction);
        hops.push(pattern_join::Hop { from, to, is_into, direction, types: own, others, test, kind });
    }
    let mut wanted: Vec<usize> = join.nodes.iter().map(|slot| column(*slot)).collect();
    wanted.extend((!join.forgets_rows).then_some(0));
    let different = join.different.iter().map(|(one, other)| (column(*one), column(*other))).collect();
    let is_gathered = join.rows != JoinRows::Each;
    let pattern = Pattern { width: place.len() + 1, hops, different, wanted, is_gathered };
    Ok(Some(Bound { known, columns, pattern, tests, is_empty }))
}

/// Whether the schema gives labels to every node that a hop finds and the join keeps: by the hop's own types, or by
/// those of another one that there must be at the node.
fn has_labels(
    cx: &Cx<'_, '_>,
    join: &Join,
    types: &[Option<Vec<LabelId>>],
    (at, labels): (usize, &Labels),
    row: &mut Row,
) -> Result<bool> {
    let Some(own) = join.hops.get(at) else { return Ok(false) };
    for (place, (hop, types)) in join.hops.iter().zip(types).enumerate() {
        let is_needed = own.kind == HopKind::Each && matches!(hop.kind, HopKind::Each | HopKind::Present);
        let direction = if place == at || (is_needed && hop.to == own.to) {
            hop.direction
        } else if is_needed && hop.from == own.to {
            hop.direction.reversed()
        } else {
            continue;
        };
        if is_implied(cx, direction, types.as_deref(), labels, row)? {
            return Ok(true);
        }
    }
    Ok(false)
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

/// Those types whose relationships the schema lets lead from nodes with labels to nodes with those of a hop.
fn linked(
    cx: &Cx<'_, '_>,
    (hop, from): (&Hop, Option<&Labels>),
    types: &Option<Vec<LabelId>>,
    row: &mut Row,
) -> Result<Option<Vec<LabelId>>> {
    let to = hop.labels.as_ref();
    if (to.is_none() && from.is_none()) || cx.store.is_auto() {
        return Ok(types.clone());
    }
    let links: Vec<(LabelId, LabelId, LabelId)> = {
        let catalogue = cx.store.catalogue();
        let meant = catalogue.edge_labels().filter(|label| types.as_ref().is_none_or(|own| own.contains(&label.id)));
        meant.filter_map(|label| label.link.map(|(source, target)| (label.id, source, target))).collect()
    };
    let mut has = |labels: Option<&Labels>, end: LabelId| {
        labels.map_or(Ok(true), |labels| cx.has(labels, &cx.store.labels_of(end), row))
    };
    let mut fitting = Vec::with_capacity(links.len());
    for (label, source, target) in links {
        let ways: &[(LabelId, LabelId)] = match hop.direction {
            Direction::Out => &[(source, target)],
            Direction::In => &[(target, source)],
            Direction::Both => &[(source, target), (target, source)],
        };
        for (one, other) in ways {
            if has(from, *one)? && has(to, *other)? {
                fitting.push(label);
                break;
            }
        }
    }
    Ok(Some(fitting))
}
