//! Finds elements that a map describes, or adds one.

use std::sync::Arc;

use query_plan::merge::{MergeKind, as_map, check, check_changes, check_overrides, shown};
use query_plan::{Argument, Merge, MergeMap, Op, Scan, Target, names};
use query_value::{Cardinality, Comparison, Direction, Enum, Map, Predicate, T, Value};

use super::scan;
use super::write::{ArgumentEval, Once, new_property};
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::storage::{self, NewProperty};
use crate::traverser::Traverser;

pub(super) fn stage<'g>(op: &Op, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let (merge, kind) = match op {
        Op::MergeEdge(merge) => (merge, MergeKind::Edge),
        Op::MergeVertex(merge) => (merge, MergeKind::Vertex),
        _ => return Err(ExecError::unsupported("only vertices and edges are merged")),
    };
    let mut parts = Parts::new(merge, kind, build)?;
    Ok(Box::new(Once::new(merge.is_start, move |cx: &mut Cx<'g>, traverser: Traverser, out: &mut Vec<Traverser>| {
        parts.merge(cx, &traverser, out)
    })))
}

/// A map, given or made for each traverser.
struct MapEval<'g> {
    map: ArgumentEval<'g>,
    cardinality: Option<Cardinality>,
}

impl<'g> MapEval<'g> {
    fn new(map: &MergeMap, build: Build<'g>) -> Result<Self> {
        Ok(Self { map: ArgumentEval::new(&map.map, build)?, cardinality: map.cardinality })
    }

    fn get(&mut self, cx: &mut Cx<'g>, traverser: &Traverser, kind: MergeKind) -> Result<Arc<Map>> {
        Ok(as_map(self.map.need(cx, traverser)?, kind)?)
    }
}

fn out_key() -> Value {
    Value::Enum(Enum::Direction(Direction::Out))
}

fn in_key() -> Value {
    Value::Enum(Enum::Direction(Direction::In))
}

fn token(part: T) -> Value {
    Value::Enum(Enum::T(part))
}

/// The value without a cardinality of its own.
fn bare(value: &Value) -> &Value {
    match value {
        Value::Entry(pair) if matches!(pair.0, Value::Enum(Enum::Cardinality(_))) => &pair.1,
        other => other,
    }
}

/// The properties of a map.
fn properties(map: &Map, cardinality: Option<Cardinality>) -> Result<Vec<NewProperty>> {
    let own = map.iter().filter(|(key, _)| matches!(key, Value::String(_)));
    own.map(|(key, value)| new_property(key, value.clone(), cardinality)).collect()
}

/// A merge in motion.
struct Parts<'g> {
    kind: MergeKind,
    /// None: what comes in is the map.
    search: Option<MapEval<'g>>,
    on_create: Option<MapEval<'g>>,
    on_match: Option<MapEval<'g>>,
    out_vertex: Option<ArgumentEval<'g>>,
    in_vertex: Option<ArgumentEval<'g>>,
    added: Vec<(Value, Value)>,
}

impl<'g> Parts<'g> {
    /// Maps that are known are checked now, as if they were used.
    fn new(merge: &Merge, kind: MergeKind, build: Build<'g>) -> Result<Self> {
        let known = |map: &Option<MergeMap>| match map {
            Some(MergeMap { map: Argument::Value(value), .. }) => as_map(value.clone(), kind).map(Some),
            _ => Ok(None),
        };
        let (search, create) = (known(&merge.search)?, known(&merge.on_create)?);
        for map in [&search, &create].into_iter().flatten() {
            check(map, kind)?;
        }
        if let (Some(search), Some(create)) = (&search, &create) {
            check_overrides(search, create)?;
        }
        if let Some(changes) = known(&merge.on_match)? {
            check_changes(&changes)?;
        }
        let map = |map: &Option<MergeMap>| map.as_ref().map(|map| MapEval::new(map, build)).transpose();
        let end = |map: &Option<MergeMap>| map.as_ref().map(|map| ArgumentEval::new(&map.map, build)).transpose();
        Ok(Self {
            kind,
            search: map(&merge.search)?,
            on_create: map(&merge.on_create)?,
            on_match: map(&merge.on_match)?,
            out_vertex: end(&merge.out_vertex)?,
            in_vertex: end(&merge.in_vertex)?,
            added: merge.added.clone(),
        })
    }

    fn merge(&mut self, cx: &mut Cx<'g>, traverser: &Traverser, out: &mut Vec<Traverser>) -> Result<()> {
        let given = match &mut self.search {
            Some(search) => search.get(cx, traverser, self.kind)?,
            None => as_map(traverser.value.clone(), self.kind)?,
        };
        check(&given, self.kind)?;
        let mut search = self.resolved(cx, traverser, &given)?;
        // What a strategy adds to new elements, those that are found must have.
        for (key, value) in &self.added {
            if !search.contains_key(key) {
                Arc::make_mut(&mut search).insert(key.clone(), value.clone());
            }
        }
        let mut found = Vec::new();
        match self.kind {
            MergeKind::Vertex => scan::read_all(cx, &scan_of(&search, false), &mut found)?,
            MergeKind::Edge => find_edges(cx, &search, &mut found)?,
        }
        if found.is_empty() {
            let added = self.create(cx, traverser, &given, &search)?;
            out.push(traverser.with(added));
            return Ok(());
        }
        for element in found {
            let here = traverser.with(element.value);
            if let Some(on_match) = &mut self.on_match {
                let changes = on_match.get(cx, &here, self.kind)?;
                check_changes(&changes)?;
                let changes = properties(&changes, on_match.cardinality)?;
                if !changes.is_empty() {
                    storage::set_property(cx, &here.value, &changes)?;
                }
            }
            out.push(here);
        }
        Ok(())
    }

    /// A map with vertices in the place of the constants `outV` and `inV`.
    fn resolved(&mut self, cx: &mut Cx<'g>, traverser: &Traverser, map: &Arc<Map>) -> Result<Arc<Map>> {
        let mut resolved = Arc::clone(map);
        let ends = [(out_key(), &mut self.out_vertex, "outV"), (in_key(), &mut self.in_vertex, "inV")];
        for (key, option, name) in ends {
            if !matches!(map.get(&key), Some(Value::Enum(Enum::Merge(_)))) {
                continue;
            }
            let Some(option) = option else {
                let direction = shown(&key);
                return Err(ExecError::evaluation(format!(
                    "option({name}) must be specified if it is used for {direction}"
                )));
            };
            let vertex = match option.need(cx, traverser)? {
                Value::Map(map) => {
                    check(&map, MergeKind::Vertex)?;
                    let mut found = Vec::new();
                    scan::read_all(cx, &scan_of(&map, false), &mut found)?;
                    found.into_iter().next().map(|found| found.value)
                }
                Value::Null => None,
                other => Some(other),
            };
            let missing = || ExecError::evaluation(format!("option({name}) must resolve to a vertex, but found none"));
            Arc::make_mut(&mut resolved).insert(key, vertex.ok_or_else(missing)?);
        }
        Ok(resolved)
    }

    fn create(&mut self, cx: &mut Cx<'g>, traverser: &Traverser, given: &Map, search: &Map) -> Result<Value> {
        let mut all = search.clone();
        let mut new = properties(search, None)?;
        if let Some(on_create) = &mut self.on_create {
            let (create, cardinality) = (on_create.get(cx, traverser, self.kind)?, on_create.cardinality);
            check(&create, self.kind)?;
            check_overrides(given, &create)?;
            let create = self.resolved(cx, traverser, &create)?;
            for (key, value) in create.iter() {
                if search.contains_key(key) {
                    continue;
                }
                if matches!(key, Value::String(_)) {
                    new.push(new_property(key, value.clone(), cardinality)?);
                } else {
                    all.insert(key.clone(), value.clone());
                }
            }
        }
        let label = all.get(&token(T::Label)).map(names::label).transpose()?;
        let label = label.unwrap_or_else(|| self.kind.label().into());
        let id = all.get(&token(T::Id));
        match self.kind {
            MergeKind::Vertex => storage::add_vertex(cx, Some(&label), id, &new),
            MergeKind::Edge => {
                let mut end = |key: Value, name: &str| {
                    let missing = || {
                        let message = format!("{name} Vertex not specified in onCreate - edge cannot be created");
                        ExecError::evaluation(message)
                    };
                    let given = all.get(&key).filter(|given| **given != Value::Null).ok_or_else(missing)?;
                    let gone = || {
                        let id = storage::id_text(given.element_id().unwrap_or(given));
                        ExecError::evaluation(format!("Vertex id could not be resolved from mergeE: {id}"))
                    };
                    vertex(cx, given)?.ok_or_else(gone)
                };
                let (source, target) = (end(out_key(), "Out")?, end(in_key(), "In")?);
                storage::add_edge(cx, &label, id, (&source, &target), &new)
            }
        }
    }
}

/// The vertex that a value names.
fn vertex(cx: &mut Cx<'_>, value: &Value) -> Result<Option<Value>> {
    let found = storage::vertices_by_ids(cx, std::slice::from_ref(value), true)?;
    Ok(found.first().map(|vertex| storage::vertex_value(&cx.catalogue, vertex)))
}

/// What a map asks for; ends of edges are not in it.
fn scan_of(map: &Map, is_edges: bool) -> Scan {
    let mut scan = Scan { is_edges, ..Scan::default() };
    for (key, value) in map {
        match (key, value) {
            (Value::Enum(Enum::T(T::Id)), id) => scan.ids = Some(vec![id.clone()]),
            (Value::Enum(Enum::T(T::Label)), Value::String(label)) => scan.labels = Some(vec![label.clone()]),
            (Value::String(key), value) => {
                let test = Predicate::Compare(Comparison::Eq, bare(value).clone());
                scan.conditions.push((Target::Property(key.clone()), test));
            }
            _ => {}
        }
    }
    scan
}

/// The edges that a map asks for: by id, by an end, or among all.
fn find_edges<'g>(cx: &mut Cx<'g>, search: &Map, out: &mut Vec<Traverser>) -> Result<()> {
    let scan = scan_of(search, true);
    let mut ends = [None, None];
    for (end, key) in ends.iter_mut().zip([out_key(), in_key()]) {
        if let Some(given) = search.get(&key) {
            match vertex(cx, given)? {
                Some(vertex) => *end = Some(vertex),
                None => return Ok(()),
            }
        }
    }
    let [source, target] = &ends;
    let mut found = Vec::new();
    match (&scan.ids, source, target) {
        (None, Some(source), _) => scan::edges_at(cx, &scan, source, Direction::Out, &mut found)?,
        (None, None, Some(target)) => scan::edges_at(cx, &scan, target, Direction::In, &mut found)?,
        _ => scan::read_all(cx, &scan, &mut found)?,
    }
    let is_at = |end: &Option<Value>, id: &Value| end.as_ref().is_none_or(|end| end.element_id() == Some(id));
    out.extend(found.into_iter().filter(|traverser| match &traverser.value {
        Value::Edge(edge) => is_at(source, &edge.source.id) && is_at(target, &edge.target.id),
        _ => false,
    }));
    Ok(())
}
