//! Values of a property, or labels, of all elements of a scan: each once, standing for as many elements as have it.

use std::collections::VecDeque;

use graph_access::{Cursor, Lookup};
use graph_model::{ErrorKind, LabelId, Properties, PropertyKeyId};
use indexmap::IndexMap;
use query_plan::{Grouping, Scan};
use query_value::Value;
use rustc_hash::FxBuildHasher;

use super::find::{find_edges, find_vertices, lookups, of_edge, of_vertex};
use crate::context::Cx;
use crate::error::Result;
use crate::semantics;
use crate::storage::{self, Wanted};
use crate::traverser::Traverser;

type Counts = IndexMap<Value, u64, FxBuildHasher>;

/// All of them, in the order in which they are found.
pub(super) fn read(cx: &Cx<'_>, scan: &Scan, grouping: &Grouping) -> Result<VecDeque<Traverser>> {
    let counts = match grouping {
        Grouping::Label => match labels(cx, scan)? {
            Some(counts) => counts,
            None => elements(cx, scan, grouping)?,
        },
        _ => elements(cx, scan, grouping)?,
    };
    Ok(counts.into_iter().map(|(value, bulk)| Traverser { bulk, ..cx.fresh(value) }).collect())
}

/// How many elements each label has, of which none is read; none: they must be read.
fn labels(cx: &Cx<'_>, scan: &Scan) -> Result<Option<Counts>> {
    let (graph, catalogue) = (cx.read(), &cx.catalogue);
    if catalogue.is_auto() {
        return Ok(None);
    }
    let is_wanted = |name: &str| scan.labels.as_ref().is_none_or(|names| names.iter().any(|wanted| wanted == name));
    let mut counts = Counts::default();
    if scan.is_edges {
        for label in catalogue.edge_labels().filter(|label| is_wanted(&label.name)) {
            if catalogue.edge_labels_under(label.id) == [label.id] {
                add(&mut counts, Value::from(label.name.as_str()), graph.count_edges(Some(label.id))?)?;
            }
        }
        return Ok(Some(counts));
    }
    for label in catalogue.vertex_labels().filter(|label| is_wanted(&label.name)) {
        match graph.count_vertices(Some(label.id)) {
            // It can be read with all others only.
            Err(error) if error.kind == ErrorKind::NoIndex => return Ok(None),
            count => add(&mut counts, Value::from(label.name.as_str()), count?)?,
        }
    }
    Ok(Some(counts))
}

/// Counts what elements have, one by one.
fn elements(cx: &Cx<'_>, scan: &Scan, grouping: &Grouping) -> Result<Counts> {
    let mut groups = Groups { cx, grouping, key: key(cx, grouping), counts: Counts::default() };
    for lookup in lookups(cx, scan) {
        // What is stored under a key is found without an element.
        let lookup = Lookup { without_ids: matches!(groups.key, Key::Stored(_)), ..lookup };
        let is_wanted = |label: LabelId| lookup.label.is_none_or(|wanted| wanted == label);
        if scan.is_edges {
            groups.read(&mut *find_edges(cx.read(), &lookup)?, |groups, edge| match groups.key {
                _ if !is_wanted(edge.id.label) => Ok(()),
                Key::Stored(key) => groups.add_stored(&edge.properties, key),
                Key::Any => groups.add_element(&of_edge(cx, edge)),
            })?;
        } else {
            groups.read(&mut *find_vertices(cx.read(), &lookup)?, |groups, vertex| match groups.key {
                _ if !is_wanted(vertex.label) => Ok(()),
                Key::Stored(key) => groups.add_stored(&vertex.properties, key),
                Key::Any => groups.add_element(&of_vertex(cx, vertex)),
            })?;
        }
    }
    Ok(groups.counts)
}

/// How a value is found in an element.
#[derive(Clone, Copy)]
enum Key {
    /// It is stored under this key; none: no element has one.
    Stored(Option<PropertyKeyId>),
    /// As any step finds it.
    Any,
}

fn key(cx: &Cx<'_>, grouping: &Grouping) -> Key {
    match grouping {
        // An auto graph keeps more with a property than its value, and algorithms add values of their own.
        Grouping::First(name) | Grouping::All(name) if !cx.catalogue.is_auto() && cx.computed.is_empty() => {
            Key::Stored(cx.catalogue.shown_key_named(name).map(|key| key.id))
        }
        _ => Key::Any,
    }
}

struct Groups<'c, 'g> {
    cx: &'c Cx<'g>,
    grouping: &'c Grouping,
    key: Key,
    counts: Counts,
}

impl Groups<'_, '_> {
    fn read<T>(&mut self, cursor: &mut dyn Cursor<T>, mut add: impl FnMut(&mut Self, T) -> Result<()>) -> Result<()> {
        let mut batch = Vec::new();
        loop {
            cursor.next_batch(&mut batch, self.cx.batch)?;
            if batch.is_empty() {
                return Ok(());
            }
            batch.drain(..).try_for_each(|element| add(self, element))?;
            self.cx.read().check()?;
            self.cx.may_hold(u64::try_from(self.counts.len()).unwrap_or(u64::MAX))?;
        }
    }

    fn add_stored(&mut self, properties: &Properties, key: Option<PropertyKeyId>) -> Result<()> {
        match key.and_then(|key| properties.get(key)) {
            Some(value) => add(&mut self.counts, storage::property_value(value), 1),
            None => Ok(()),
        }
    }

    fn add_element(&mut self, traverser: &Traverser) -> Result<()> {
        let (value, stored) = (&traverser.value, traverser.stored.as_ref());
        let (name, all) = match self.grouping {
            Grouping::Label => {
                let label = storage::label_of(self.cx, value, stored)?;
                return label.map_or(Ok(()), |label| add(&mut self.counts, Value::String(label), 1));
            }
            Grouping::First(name) => (name, false),
            Grouping::All(name) => (name, true),
        };
        let mut found = Vec::new();
        storage::properties(self.cx, value, stored, std::slice::from_ref(name), Wanted::Values, &mut found)?;
        found.truncate(if all { found.len() } else { 1 });
        found.into_iter().try_for_each(|value| add(&mut self.counts, value, 1))
    }
}

fn add(counts: &mut Counts, value: Value, count: u64) -> Result<()> {
    if count > 0 {
        semantics::add_bulk(counts.entry(value).or_default(), count)?;
    }
    Ok(())
}
