//! Paths of parts that are repeated: `((a)-[r]->(b) WHERE a.x < b.x){1,3}`.

use std::rc::Rc;
use std::sync::Arc;

use cypher_value::{Node, Relationship, Value};

use super::expand::is_used;
use super::feed::Feed;
use crate::Result;
use crate::eval::{Cx, Operator, Source};
use crate::limits::{BATCH, VALUE_BYTES};
use crate::row::Row;
use cypher_plan::Repeat;

/// The part found once, and what was found before it.
struct Found {
    before: Option<Rc<Self>>,
    /// How often it was found so far.
    count: u64,
    /// The values that are wanted, one for each list.
    values: Vec<Value>,
    relationships: Vec<Arc<Relationship>>,
}

impl Found {
    /// This one and those before it.
    fn all(of: Option<&Rc<Self>>) -> impl Iterator<Item = &Self> {
        std::iter::successors(of.map(Rc::as_ref), |found| found.before.as_deref())
    }
}

/// A node that was reached, and how.
struct Place {
    node: Arc<Node>,
    path: Option<Rc<Found>>,
    /// What it is counted as while it waits.
    bytes: u64,
}

pub(super) struct Repeating<'g> {
    input: Feed<'g>,
    repeat: Arc<Repeat>,
    /// A row, and the places from which the search goes on, the last one first.
    open: Option<(Row, Vec<Place>)>,
}

impl<'g> Repeating<'g> {
    pub(super) fn new(input: Source<'g>, repeat: &Arc<Repeat>) -> Self {
        Self { input: Feed::new(input), repeat: Arc::clone(repeat), open: None }
    }

    /// The row of a path that ends at a place.
    fn give(&self, row: &Row, place: &Place, out: &mut Vec<Row>) {
        let repeat = &*self.repeat;
        if repeat.is_into && !matches!(row.get(repeat.to), Value::Node(node) if *node == place.node) {
            return;
        }
        // The last part found is the first one of a pattern that is searched from its end on.
        let mut parts: Vec<&Found> = Found::all(place.path.as_ref()).collect();
        if !repeat.is_reversed {
            parts.reverse();
        }
        let mut next = row.clone();
        let list = parts.iter().flat_map(|found| &found.relationships);
        next.set(repeat.list, Value::list(list.map(|own| Value::Relationship(Arc::clone(own))).collect()));
        for (at, (_, slot)) in repeat.groups.iter().enumerate() {
            let values = parts.iter().filter_map(|found| found.values.get(at).cloned());
            next.set(*slot, Value::list(values.collect()));
        }
        if !repeat.is_into {
            next.set(repeat.to, Value::Node(Arc::clone(&place.node)));
        }
        out.push(next);
    }

    /// The places that the part leads to from one.
    fn places(&self, cx: &Cx<'_, 'g>, row: &Row, from: &Place) -> Result<Vec<Place>> {
        let repeat = Arc::clone(&self.repeat);
        let mut start = row.clone();
        start.set(repeat.first, Value::Node(Arc::clone(&from.node)));
        let mut source = (cx.build)(&repeat.plan, vec![start]);
        let (mut places, mut rows, mut is_more) = (Vec::new(), Vec::new(), true);
        while is_more {
            is_more = source.next(cx, &mut rows)?;
            cx.store.tick(rows.len() + 1)?;
            for found in rows.drain(..) {
                let mut relationships = Vec::with_capacity(repeat.relationships.len());
                for slot in &repeat.relationships {
                    if let Value::Relationship(own) = found.get(*slot) {
                        relationships.push(Arc::clone(own));
                    }
                }
                let is_known = |own: &Arc<Relationship>| {
                    is_used(own, row, &repeat.others)
                        || Found::all(from.path.as_ref()).any(|found| found.relationships.contains(own))
                };
                let Value::Node(node) = found.get(repeat.last) else { continue };
                if relationships.iter().any(is_known) {
                    continue;
                }
                let values: Vec<Value> = repeat.groups.iter().map(|(slot, _)| found.get(*slot).clone()).collect();
                let bytes = VALUE_BYTES * (4 + (values.len() + relationships.len()) as u64);
                cx.store.hold(bytes)?;
                let count = from.path.as_ref().map_or(0, |path| path.count) + 1;
                let path = Some(Rc::new(Found { before: from.path.clone(), count, values, relationships }));
                places.push(Place { node: Arc::clone(node), path, bytes });
            }
        }
        Ok(places)
    }
}

impl<'g> Operator<'g> for Repeating<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        while out.len() < BATCH {
            let Some((row, mut places)) = self.open.take() else {
                let Some(row) = self.input.row(cx)? else { return Ok(false) };
                if let Value::Node(node) = row.get(self.repeat.from) {
                    let start = Place { node: Arc::clone(node), path: None, bytes: 0 };
                    self.open = Some((row, vec![start]));
                }
                continue;
            };
            let Some(place) = places.pop() else { continue };
            cx.store.release(place.bytes);
            let count = place.path.as_ref().map_or(0, |path| path.count);
            if count >= self.repeat.min && count <= self.repeat.max {
                self.give(&row, &place, out);
            }
            if count < self.repeat.max {
                places.extend(self.places(cx, &row, &place)?.into_iter().rev());
            }
            self.open = Some((row, places));
        }
        Ok(true)
    }
}
