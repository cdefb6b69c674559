//! What writes. All rows are there before the first is written, so that a clause does not see its own writes.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::sync::Arc;

use cypher_graph::RelationshipContent;
use cypher_value::{Detail, Elements as _, Error, ErrorKind, Map, Node, Text, Value};
use merge_locks::{LOCKS_MAX, Refused};
use rustc_hash::{FxBuildHasher, FxHashSet, FxHasher};

use super::feed::{Feed, rows_of};
use super::rows::Waiting;
use super::table::{ROWS_MIN, Table, by_index, wanted};
use crate::Result;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::limits::BATCH;
use crate::row::Row;
use cypher_plan::{Change, Ex, KeyEx, Make, MakeRelationship, Merge, Plan, Scan, Slot, Step};

pub(super) struct Writing<'g> {
    input: Feed<'g>,
    step: Step,
    done: Option<Waiting>,
}

impl<'g> Writing<'g> {
    pub(super) fn new(input: Source<'g>, step: &Step) -> Self {
        Self { input: Feed::new(input), step: step.clone(), done: None }
    }

    fn write(&mut self, cx: &Cx<'_, 'g>) -> Result<Waiting> {
        let mut rows = self.input.all(cx)?;
        match &self.step {
            Step::Create(makes) => {
                for chunk in rows.chunks_mut(BATCH) {
                    makes.iter().try_for_each(|make| create(cx, make, chunk, None))?;
                    cx.store.tick(chunk.len())?;
                }
            }
            Step::Set(changes) => {
                for row in &mut rows {
                    changes.iter().try_for_each(|one| change(cx, one, row))?;
                    cx.store.tick(1)?;
                }
            }
            Step::Delete(delete) => self::delete(cx, delete.0, &delete.1, &mut rows)?,
            Step::Foreach(foreach) => {
                let (list, slot, plan) = &**foreach;
                for row in &mut rows {
                    each(cx, list, *slot, plan, row)?;
                }
            }
            Step::Merge(step) => {
                keep_others_out(cx, step, &mut rows)?;
                let mut all = Vec::with_capacity(rows.len());
                let mut by_table = ByTable::of(cx, step, rows.len());
                for row in rows {
                    let before = all.len();
                    merge(cx, step, row, &mut by_table, &mut all)?;
                    by_table.iter_mut().try_for_each(|by| by.note(cx, all.get(before..).unwrap_or(&[])))?;
                    cx.store.tick(1)?;
                }
                rows = all;
            }
            _ => {}
        }
        Ok(Waiting(rows.into()))
    }
}

impl<'g> Operator<'g> for Writing<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        if self.done.is_none() {
            self.done = Some(self.write(cx)?);
        }
        Ok(self.done.as_mut().is_some_and(|done| done.give(cx, out)))
    }
}

/// Properties that are to be stored.
fn properties(cx: &Cx<'_, '_>, ex: Option<&Ex>, row: &mut Row, is_merge: bool) -> Result<Vec<(Text, Value)>> {
    let Some(ex) = ex else { return Ok(Vec::new()) };
    if let Ex::Map(pairs) = ex
        && !is_merge
    {
        return listed(cx, pairs, row);
    }
    let map = match cx.eval(ex, row)? {
        Value::Map(map) => map,
        Value::Node(node) => cx.store.node_properties(&node)?,
        Value::Relationship(relationship) => cx.store.relationship_properties(&relationship)?,
        Value::Null => return Ok(Vec::new()),
        other => {
            let message = format!("properties are given as a MAP, not as a {}", other.type_name());
            return Err(Error::type_error(Detail::InvalidArgumentType, message));
        }
    };
    if is_merge && let Some((key, _)) = map.iter().find(|(_, value)| value.is_null()) {
        let message = format!("Cannot merge on a null value: the property `{key}`");
        return Err(Error::new(ErrorKind::SemanticError, Detail::MergeReadOwnWrites, message));
    }
    Ok(map.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// Those of a map that is written out, which need not be made for them.
fn listed(cx: &Cx<'_, '_>, pairs: &[(Text, Ex)], row: &mut Row) -> Result<Vec<(Text, Value)>> {
    let mut own: Vec<(Text, Value)> = Vec::with_capacity(pairs.len());
    for (key, ex) in pairs {
        let value = cx.eval(ex, row)?;
        match own.iter_mut().find(|(other, _)| other == key) {
            Some((_, before)) => *before = value,
            None => own.push((key.clone(), value)),
        }
    }
    own.retain(|(_, value)| !value.is_null());
    Ok(own)
}

fn end(row: &Row, slot: Slot) -> Result<Arc<Node>> {
    match row.get(slot) {
        Value::Node(node) => Ok(Arc::clone(node)),
        other => {
            let message = format!(
                "Failed to create a relationship: the node at one of its ends is missing, a {} is there",
                other.type_name()
            );
            Err(Error::new(ErrorKind::EntityNotFound, Detail::None, message))
        }
    }
}

/// Properties that new elements get beyond those of a pattern, by their slots; they are a MERGE's.
type Additions = Vec<(Slot, Vec<(Text, Value)>)>;

/// Properties of a pattern with those that are added.
fn with_additions(mut own: Vec<(Text, Value)>, slot: Slot, additions: Option<&Additions>) -> Vec<(Text, Value)> {
    let added = additions.into_iter().flatten().filter(|(of, _)| *of == slot).flat_map(|(_, pairs)| pairs);
    for (key, value) in added {
        own.retain(|(own, _)| own != key);
        own.push((key.clone(), value.clone()));
    }
    own.retain(|(_, value)| !value.is_null());
    own
}

/// What ON CREATE sets first, to be stored with the new elements; none where that would change a value of the pattern,
/// by which the element is found again.
fn additions(cx: &Cx<'_, '_>, step: &Merge, row: &mut Row) -> Result<Option<Additions>> {
    let mut all = Additions::new();
    for change in step.on_create.iter().take(step.made_with) {
        let (slot, pairs) = match change {
            Change::Property(Ex::Slot(slot), KeyEx::Name(key), value) => {
                (*slot, vec![(key.clone(), cx.eval(value, row)?)])
            }
            Change::Map(Ex::Slot(slot), value, _) => match cx.eval(value, row)? {
                Value::Map(map) => {
                    (*slot, map.iter().map(|(key, value)| (key.clone(), value.clone())).collect::<Vec<_>>())
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let nodes = step.make.nodes.iter().map(|new| (new.slot, &new.properties));
        let relationships = step.make.relationships.iter().map(|new| (new.slot, &new.properties));
        let own = nodes.chain(relationships).find(|(own, _)| *own == slot).and_then(|(_, ex)| ex.as_ref());
        let own = properties(cx, own, row, true)?;
        if own.iter().any(|(key, value)| pairs.iter().any(|(other, new)| other == key && new != value)) {
            return Ok(None);
        }
        all.push((slot, pairs));
    }
    Ok(Some(all))
}

/// Makes what patterns say, the elements of one place in a pattern for all rows together; `additions`: of a MERGE.
fn create(cx: &Cx<'_, '_>, make: &Make, rows: &mut [Row], additions: Option<&Additions>) -> Result<()> {
    let is_merge = additions.is_some();
    for new in &make.nodes {
        let mut all = Vec::with_capacity(rows.len());
        for row in &mut *rows {
            let labels = cx.label_names(&new.labels, row)?;
            let properties = properties(cx, new.properties.as_ref(), row, is_merge)?;
            all.push((labels, with_additions(properties, new.slot, additions)));
        }
        for (row, node) in rows.iter_mut().zip(cx.store.create_nodes(&all)?) {
            row.set(new.slot, Value::Node(node));
        }
    }
    for new in &make.relationships {
        let mut all = Vec::with_capacity(rows.len());
        for row in &mut *rows {
            all.push(relationship(cx, new, row, additions)?);
        }
        for (row, made) in rows.iter_mut().zip(cx.store.create_relationships(&all)?) {
            row.set(new.slot, Value::Relationship(made));
        }
    }
    Ok(())
}

fn relationship(
    cx: &Cx<'_, '_>,
    new: &MakeRelationship,
    row: &mut Row,
    additions: Option<&Additions>,
) -> Result<RelationshipContent> {
    let kinds = cx.label_names(std::slice::from_ref(&new.label), row)?;
    let [kind] = kinds.as_slice() else {
        let message = format!("a relationship has exactly one type, but {} are given", kinds.len());
        return Err(Error::syntax(Detail::NoSingleRelationshipType, message));
    };
    let properties = properties(cx, new.properties.as_ref(), row, additions.is_some())?;
    let properties = with_additions(properties, new.slot, additions);
    Ok(RelationshipContent {
        kind: kind.clone(),
        source: end(row, new.source)?,
        target: end(row, new.target)?,
        properties,
    })
}

fn change(cx: &Cx<'_, '_>, change: &Change, row: &mut Row) -> Result<()> {
    match change {
        Change::Property(target, key, value) => {
            let target = cx.eval(target, row)?;
            if target.is_null() {
                return Ok(());
            }
            let key = match key {
                KeyEx::Name(name) => name.clone(),
                KeyEx::Dynamic(ex) => match cx.eval(ex, row)? {
                    Value::String(name) => name,
                    other => {
                        let message = format!("the key of a property must be a STRING, not a {}", other.type_name());
                        return Err(Error::type_error(Detail::InvalidArgumentType, message));
                    }
                },
            };
            let value = cx.eval(value, row)?;
            cx.store.set_properties(&target, &[(key, value)], false)
        }
        Change::Map(target, value, is_added) => {
            let target = cx.eval(target, row)?;
            if target.is_null() {
                return Ok(());
            }
            let map: Arc<Map> = match cx.eval(value, row)? {
                Value::Map(map) => map,
                Value::Node(node) => cx.store.node_properties(&node)?,
                Value::Relationship(relationship) => cx.store.relationship_properties(&relationship)?,
                Value::Null if *is_added => return Ok(()),
                Value::Null => Arc::default(),
                other => {
                    let message = format!("SET takes a MAP, NODE or RELATIONSHIP here, not a {}", other.type_name());
                    return Err(Error::type_error(Detail::InvalidArgumentType, message));
                }
            };
            let changes: Vec<(Text, Value)> = map.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            cx.store.set_properties(&target, &changes, !is_added)
        }
        Change::AddLabels(slot, labels) => {
            let labels = cx.label_names(labels, row)?;
            cx.store.change_labels(row.get(*slot), labels, true)
        }
        Change::RemoveLabels(slot, labels) => {
            let labels = cx.label_names(labels, row)?;
            cx.store.change_labels(row.get(*slot), labels, false)
        }
    }
}

fn delete(cx: &Cx<'_, '_>, is_detach: bool, items: &[Ex], rows: &mut [Row]) -> Result<()> {
    let (mut nodes, mut relationships) = (Vec::new(), Vec::new());
    for row in rows {
        for item in items {
            match cx.eval(item, row)? {
                Value::Null => {}
                Value::Node(node) => nodes.push(node),
                Value::Relationship(relationship) => relationships.push(relationship),
                Value::Path(path) => {
                    nodes.extend(path.nodes.iter().cloned());
                    relationships.extend(path.relationships.iter().cloned());
                }
                other => {
                    let message = format!("DELETE takes a NODE, RELATIONSHIP or PATH, not a {}", other.type_name());
                    return Err(Error::type_error(Detail::InvalidArgumentType, message));
                }
            }
        }
    }
    for relationship in &relationships {
        cx.store.tick(1)?;
        cx.store.delete_relationship(relationship)?;
    }
    cx.store.delete_nodes(&nodes, is_detach)
}

fn each(cx: &Cx<'_, '_>, list: &Ex, slot: Slot, plan: &Arc<Plan>, row: &mut Row) -> Result<()> {
    let items = match cx.eval(list, row)? {
        Value::List(items) => items,
        Value::Null => return Ok(()),
        other => {
            let message = format!("FOREACH takes a LIST, not a {}", other.type_name());
            return Err(Error::type_error(Detail::InvalidArgumentType, message));
        }
    };
    for item in items.iter() {
        let mut inner = row.clone();
        inner.set(slot, item.clone());
        run(cx, plan, inner)?;
    }
    Ok(())
}

/// Carries a plan out; answers its rows.
fn run(cx: &Cx<'_, '_>, plan: &Arc<Plan>, row: Row) -> Result<Vec<Row>> {
    rows_of(cx, (cx.build)(plan, vec![row]))
}

/// The nodes among which a MERGE of one node looks, for many rows.
struct ByTable {
    scan: Arc<Scan>,
    /// What follows the scan.
    rest: Arc<Plan>,
    /// Where the node is, found or made.
    slot: Slot,
    table: Option<Table>,
}

impl ByTable {
    /// A table for a step; none where it would not help.
    fn of(cx: &Cx<'_, '_>, step: &Merge, rows: usize) -> Option<Self> {
        let (Step::Scan(scan), rest) = step.find.steps.split_first()? else { return None };
        let is_simple = step.make.relationships.is_empty() && rest.iter().all(|step| !matches!(step, Step::Scan(_)));
        let helps = cx.store.is_auto() && rows > ROWS_MIN && is_simple && !scan.equal.is_empty() && scan.ids.is_none();
        let is_constant = scan.labels.as_ref().is_none_or(cypher_plan::Labels::is_constant);
        if !helps || !is_constant {
            return None;
        }
        let slot = step.make.nodes.first()?.slot;
        Some(Self { scan: Arc::clone(scan), rest: Arc::new(Plan { steps: rest.to_vec() }), slot, table: None })
    }

    /// The rows that are found for a row.
    fn find(&mut self, cx: &Cx<'_, '_>, row: &Row) -> Result<Vec<Row>> {
        let mut row = row.clone();
        let Some(values) = wanted(cx, &self.scan.equal, &mut row)? else { return Ok(Vec::new()) };
        let by_index = by_index(cx, &self.scan, &values, &mut row)?;
        if by_index.is_none() && self.table.is_none() {
            self.table = Some(Table::read(cx, &self.scan, &mut row)?);
        }
        let by_table = || self.table.as_ref().map_or(&[][..], |table| table.get(&values));
        let nodes = by_index.as_deref().unwrap_or_else(by_table);
        let rows = nodes.iter().map(|node| {
            let mut next = row.clone();
            next.set(self.scan.slot, Value::Node(Arc::clone(node)));
            next
        });
        rows_of(cx, (cx.build)(&self.rest, rows.collect()))
    }

    /// Nodes that were made or changed are found by their values from now on.
    fn note(&mut self, cx: &Cx<'_, '_>, rows: &[Row]) -> Result<()> {
        let Some(table) = &mut self.table else { return Ok(()) };
        for row in rows {
            if let Value::Node(node) = row.get(self.slot) {
                table.add(cx, &self.scan, Arc::clone(node))?;
            }
        }
        Ok(())
    }
}

/// Waits until nobody else merges the patterns of the rows. Each pattern has a number of its labels, types, known nodes
/// and values; those of a clause are taken in their order, so that two transactions with the same rows do not meet.
fn keep_others_out(cx: &Cx<'_, '_>, step: &Merge, rows: &mut [Row]) -> Result<()> {
    let Some(merging) = cx.merging else { return Ok(()) };
    let (mut numbers, mut names) = (Vec::with_capacity(rows.len()), FxHashSet::default());
    for row in &mut *rows {
        // What cannot be computed fails when its row is merged.
        numbers.extend(number_of(cx, &step.make, row, &mut names).ok());
        cx.store.tick(1)?;
    }
    numbers.sort_unstable();
    numbers.dedup();
    for number in numbers {
        let taken = merging.lock(number, &mut || cx.store.with_read(|graph| graph.check()));
        taken.map_err(|refused| match refused {
            Refused::Ended(error) => error,
            Refused::Deadlock => {
                let message = "two transactions wait for patterns that the other one merges (deadlock); this one has \
                               ended, run it again";
                Error::new(ErrorKind::Conflict, Detail::None, message)
            }
            Refused::TooMany => {
                let message = format!("a transaction merges at most {LOCKS_MAX} patterns (LOCKS_MAX); use several");
                Error::new(ErrorKind::OutOfMemory, Detail::None, message)
            }
        })?;
    }
    // Others may have committed while this one waited, under names that nobody had used before.
    cx.store.forget_read();
    names.into_iter().try_for_each(|Names { is_node, labels, keys }| cx.store.declare_names(is_node, labels, &keys))
}

/// What a node or a relationship of a pattern is called, and its properties.
#[derive(PartialEq, Eq, Hash)]
struct Names {
    is_node: bool,
    labels: Vec<Text>,
    keys: Vec<Text>,
}

fn number_of(cx: &Cx<'_, '_>, make: &Make, row: &mut Row, names: &mut FxHashSet<Names>) -> Result<u64> {
    let mut hasher = FxHasher::default();
    let mut hash = |is_node: bool, labels: Vec<Text>, ex: Option<&Ex>, row: &mut Row| -> Result<()> {
        let mut pairs = properties(cx, ex, row, true)?;
        pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
        (&labels, &pairs).hash(&mut hasher);
        names.insert(Names { is_node, labels, keys: pairs.into_iter().map(|(key, _)| key).collect() });
        Ok(())
    };
    for new in &make.nodes {
        let mut labels = cx.label_names(&new.labels, row)?;
        labels.sort();
        hash(true, labels, new.properties.as_ref(), row)?;
    }
    for new in &make.relationships {
        hash(false, cx.label_names(std::slice::from_ref(&new.label), row)?, new.properties.as_ref(), row)?;
    }
    for new in &make.relationships {
        // In either direction, as the pattern may have none.
        let mut ends = [row.get(new.source), row.get(new.target)].map(|end| match end {
            Value::Node(node) => FxBuildHasher.hash_one(&node.id),
            _ => 0,
        });
        ends.sort_unstable();
        ends.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn merge(
    cx: &Cx<'_, '_>,
    step: &Merge,
    mut row: Row,
    by_table: &mut Option<ByTable>,
    out: &mut Vec<Row>,
) -> Result<()> {
    let all = step.make.nodes.iter().map(|new| &new.properties);
    for ex in all.chain(step.make.relationships.iter().map(|new| &new.properties)) {
        properties(cx, ex.as_ref(), &mut row, true)?;
    }
    let found = match by_table {
        Some(by_table) => by_table.find(cx, &row)?,
        None => run(cx, &step.find, row.clone())?,
    };
    if !found.is_empty() {
        for mut row in found {
            step.on_match.iter().try_for_each(|one| change(cx, one, &mut row))?;
            out.push(row);
        }
        return Ok(());
    }
    let additions = additions(cx, step, &mut row)?;
    let is_whole = additions.is_some();
    create(cx, &step.make, std::slice::from_mut(&mut row), Some(&additions.unwrap_or_default()))?;
    if let Some((slot, path)) = &step.path {
        let path = cx.eval(path, &mut row)?;
        row.set(*slot, path);
    }
    let left = step.on_create.iter().skip(if is_whole { step.made_with } else { 0 });
    left.into_iter().try_for_each(|one| change(cx, one, &mut row))?;
    out.push(row);
    Ok(())
}
