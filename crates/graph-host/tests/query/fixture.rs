//! A graph whose elements have few values, so that conditions meet many of them, and lists read in every way there is.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use graph_access::{AccessError, Budget, Cursor, GraphRead as _, Lookup};
use graph_host::{HostedGraph, Store, StoreOptions};
use graph_model::{Cardinality, DataType, Direction, EdgeId, IdStrategy, Vertex, VertexId};
use graph_schema::{
    Catalogue, Conditions, Frequency, IndexType, Literal, NewEdge, NewEdgeLabel, NewIndexLabel, NewPredicate,
    NewPropertyKey, NewVertex, NewVertexLabel, Status,
};
use graph_store::{EdgeQuery, GraphReader, Range, StoreError, VertexQuery, Wait};
use jiff::tz::TimeZone;
use kv::MemoryEngine;

pub(crate) const KEYS: [(&str, DataType, Cardinality); 6] = [
    ("city", DataType::Text, Cardinality::Single),
    ("age", DataType::Int, Cardinality::Single),
    ("weight", DataType::Double, Cardinality::Single),
    ("day", DataType::Date, Cardinality::Single),
    ("tags", DataType::Text, Cardinality::Set),
    ("bio", DataType::Text, Cardinality::Single),
];

/// Index labels that may be made over each label: none excludes another.
pub(crate) const INDEXES: [Index; 8] = [
    ("byCity", IndexType::Secondary, &["city", "age"]),
    ("byAge", IndexType::Range, &["age"]),
    ("byWeight", IndexType::Range, &["weight"]),
    ("byDay", IndexType::Range, &["day"]),
    ("byTags", IndexType::Secondary, &["tags"]),
    ("byBio", IndexType::Search, &["bio"]),
    ("byCityDay", IndexType::Shard, &["city", "day"]),
    ("byAgeWeight", IndexType::Shard, &["age", "weight"]),
];

/// An index label: its name, type and fields.
pub(crate) type Index = (&'static str, IndexType, &'static [&'static str]);

pub(crate) const LABELS: [&str; 3] = ["person", "thing", "knows"];
/// First sort values of edges: none of them is to be taken for another.
pub(crate) const SORTS: [&str; 3] = ["a", "a!", "ab"];
pub(crate) const CITIES: [&str; 3] = ["oslo", "rome", "rome!"];
pub(crate) const WORDS: [&str; 5] =
    ["graph database", "a HostedGraph of words", "words only", "", "database words graph"];

/// What an element may have: a position in a list of values for each key, beyond the list: nothing.
pub(crate) type Given = [u8; 6];

fn literal(key: usize, at: u8) -> Option<Literal<'static>> {
    let text = |text: &'static str| Literal::Text(Cow::Borrowed(text));
    match (key, at) {
        (0, 0..3) => Some(text(CITIES[usize::from(at)])),
        (1, 0..4) => Some(Literal::Integer(i64::from(at) * 10 - 10)),
        (2, 0..4) => Some(Literal::Float([-0.5, 0.0, -0.0, 7.25][usize::from(at)])),
        (3, 0..3) => Some(text(["2020-01-01", "2020-01-02", "1969-12-31"][usize::from(at)])),
        (4, 0..4) => {
            Some(Literal::Array((0..2).filter(|bit| at >> bit & 1 == 1).map(|bit| text(["x", "y"][bit])).collect()))
        }
        (5, 0..5) => Some(text(WORDS[usize::from(at)])),
        _ => None,
    }
}

fn properties(given: &Given) -> Vec<(Cow<'static, str>, Literal<'static>)> {
    let named = |(key, at): (usize, &u8)| Some((Cow::Borrowed(KEYS[key].0), literal(key, *at)?));
    given.iter().enumerate().filter_map(named).collect()
}

pub(crate) fn predicate(key: usize, kind: u8, a: u8, b: u8) -> NewPredicate<'static> {
    let value = |at: u8| literal(key, at).or_else(|| literal(key, 0)).unwrap();
    match (key, kind) {
        (5, 0..6) => NewPredicate::TextContains(WORDS[usize::from(a) % 5].into()),
        (4, 0..4) => NewPredicate::Contains { value: None, text: ["x", "y", "z"][usize::from(a) % 3].into() },
        (4, 4..6) => NewPredicate::OneOf(vec![Literal::Text("y".into()), Literal::Text("x".into())]),
        (1..4, 0..3) => NewPredicate::Range { low: Bound::Included(value(a)), high: Bound::Excluded(value(b)) },
        (1..4, 3) => NewPredicate::Range { low: Bound::Excluded(value(a)), high: Bound::Unbounded },
        (1..4, 4) => NewPredicate::Range { low: Bound::Unbounded, high: Bound::Included(value(a)) },
        (1..4, 5) => NewPredicate::Outside(value(a), value(b)),
        (1..4, 6) => NewPredicate::NotEqual(value(a)),
        (0..4, 7) => NewPredicate::OneOf(vec![value(a), value(b), value(a)]),
        _ => NewPredicate::Equal(value(a)),
    }
}

fn define(graph: &Arc<HostedGraph>, indexes: &[(usize, Index)]) {
    for (name, data_type, cardinality) in KEYS {
        graph.schema().create_property_key(&NewPropertyKey::new(name, data_type, cardinality)).unwrap();
    }
    graph.schema().create_property_key(&NewPropertyKey::new("name", DataType::Text, Cardinality::Single)).unwrap();
    graph.schema().create_property_key(&NewPropertyKey::new("step", DataType::Int, Cardinality::Single)).unwrap();
    let all: Vec<String> = KEYS.map(|(name, ..)| name.to_owned()).to_vec();
    let person = NewVertexLabel {
        id_strategy: Some(IdStrategy::CustomizeNumber),
        properties: all.clone(),
        nullable_keys: all.clone(),
        ..NewVertexLabel::new("person")
    };
    let mut named = all.clone();
    named.push("name".to_owned());
    let thing = NewVertexLabel {
        primary_keys: vec!["name".to_owned()],
        properties: named,
        nullable_keys: all.clone(),
        ..NewVertexLabel::new("thing")
    };
    graph.schema().create_vertex_label(&person).unwrap();
    graph.schema().create_vertex_label(&thing).unwrap();
    let mut edge_properties = all.clone();
    edge_properties.extend(["name".to_owned(), "step".to_owned()]);
    let knows = NewEdgeLabel {
        frequency: Some(Frequency::Multiple),
        sort_keys: vec!["name".to_owned(), "step".to_owned()],
        properties: edge_properties,
        nullable_keys: all,
        ..NewEdgeLabel::new("knows", "person", "person")
    };
    graph.schema().create_edge_label(&knows).unwrap();
    for (label, (name, index_type, fields)) in indexes {
        let name = format!("{}{name}", LABELS[*label]);
        let new = match label {
            0 | 1 => NewIndexLabel::on_vertices(&name, LABELS[*label], *index_type, fields),
            _ => NewIndexLabel::on_edges(&name, LABELS[*label], *index_type, fields),
        };
        create_index(graph, &new);
    }
}

/// Creates an index label and waits until it is built.
pub(crate) fn create_index(graph: &Arc<HostedGraph>, new: &NewIndexLabel) {
    let (index, _, task) = graph.jobs().create_index_label(new).unwrap();
    while !graph.jobs().task(task).unwrap().status.is_final() {
        std::thread::yield_now();
    }
    assert_eq!(graph.catalogue().index_label(index.id).unwrap().status, Status::Created);
}

pub(crate) fn fill(graph: &HostedGraph, elements: &[(usize, Given)]) {
    for (n, (label, given)) in elements.iter().enumerate() {
        let mut properties = properties(given);
        let number = i64::try_from(n).unwrap();
        match label {
            0 => {
                let id = Some(Literal::Integer(number));
                let new = NewVertex { label: Some("person".into()), id, properties };
                graph.writer().insert_vertex(&new, Wait::Allowed).unwrap().wait().unwrap();
            }
            1 => {
                properties.push(("name".into(), Literal::Text(format!("n{n}").into())));
                let new = NewVertex { label: Some("thing".into()), id: None, properties };
                graph.writer().insert_vertex(&new, Wait::Allowed).unwrap().wait().unwrap();
            }
            _ => {
                properties.push(("name".into(), Literal::Text(SORTS[n % 3].into())));
                properties.push(("step".into(), Literal::Integer(number % 2 - 1)));
                let new = NewEdge {
                    label: Some("knows".into()),
                    source: Some(Literal::Integer(number % 3)),
                    source_label: Some("person".into()),
                    target: Some(Literal::Integer(number)),
                    target_label: Some("person".into()),
                    properties,
                };
                graph.writer().insert_edges(&[new], false, Wait::Allowed).unwrap().wait().unwrap();
            }
        }
    }
}

fn empty(scattered: bool) -> (Store, Arc<HostedGraph>) {
    let engine: Arc<dyn kv::Engine> = if scattered {
        Arc::new(kv::conformance::ScatteredEngine::open(key_codec::tables::TABLES))
    } else {
        Arc::new(MemoryEngine::open(key_codec::tables::TABLES))
    };
    let store = Store::open(engine, StoreOptions::default()).unwrap();
    let graph = store.graph("hugegraph").unwrap();
    (store, graph)
}

pub(crate) fn conditions(catalogue: &Catalogue, asked: &[(usize, NewPredicate<'static>)]) -> Conditions {
    let asked: Vec<_> = asked.iter().map(|(key, predicate)| (Cow::Borrowed(KEYS[*key].0), predicate.clone())).collect();
    catalogue.check_conditions(&asked, &TimeZone::UTC).unwrap()
}

pub(crate) fn vertices(
    graph: &HostedGraph,
    label: Option<&str>,
    conditions: &Conditions,
    range: Range,
) -> Result<(Vec<VertexId>, Option<String>), StoreError> {
    let label = label.map(|name| graph.catalogue().vertex_label_named(name).unwrap().id);
    let mut found = Vec::new();
    let query = VertexQuery { label, conditions: conditions.clone(), range };
    let listed = graph.reader().list_vertices(&query, &Budget::unlimited(), &mut |vertex: &Vertex| {
        found.push(vertex.id.clone());
        ControlFlow::Continue(())
    })?;
    Ok((found, listed.next))
}

pub(crate) fn edges(
    graph: &HostedGraph,
    at: Option<(VertexId, Direction)>,
    conditions: &Conditions,
    range: Range,
) -> Result<(Vec<EdgeId>, Option<String>), StoreError> {
    let label = Some(graph.catalogue().edge_label_named("knows").unwrap().id);
    let mut found = Vec::new();
    let query = EdgeQuery { label, vertex: at, conditions: conditions.clone(), range };
    let listed = graph.reader().list_edges(&query, &Budget::unlimited(), &mut |edge| {
        found.push(edge.id.clone());
        ControlFlow::Continue(())
    })?;
    Ok((found, listed.next))
}

pub(crate) const ALL: Range = Range::Offset { offset: 0, limit: None };

/// The same list at once, in parts by offset, and page by page.
pub(crate) fn in_every_way<T: Clone + Ord + std::fmt::Debug>(
    size: u64,
    list: impl Fn(Range) -> Result<(Vec<T>, Option<String>), StoreError>,
) -> Result<Vec<T>, StoreError> {
    let (all, next) = list(ALL)?;
    assert_eq!(next, None);
    let mut parts = Vec::new();
    loop {
        let offset = parts.len() as u64;
        let (part, _) = list(Range::Offset { offset, limit: Some(size) })?;
        if part.is_empty() {
            break;
        }
        parts.extend(part);
    }
    assert_eq!(parts, all, "by offset");
    let (mut pages, mut token) = (Vec::new(), String::new());
    loop {
        let (page, next) = list(Range::Page { token, limit: Some(size) })?;
        assert!(page.len() as u64 == size || next.is_none(), "a page is full unless it is the last");
        pages.extend(page);
        assert!(pages.len() <= all.len(), "by pages");
        match next {
            Some(next) => token = next,
            None => break,
        }
    }
    assert_eq!(pages, all, "by pages");
    let distinct: BTreeSet<T> = all.iter().cloned().collect();
    assert_eq!(distinct.len(), all.len(), "each once: {all:?}");
    Ok(all)
}

pub(crate) fn graph_of(
    indexes: &[(usize, Index)],
    elements: &[(usize, Given)],
    index_first: bool,
) -> (Store, Arc<HostedGraph>) {
    // Any property of the input will do to choose among engines.
    let (store, graph) = empty(elements.len() % 2 == 1);
    if index_first {
        define(&graph, indexes);
        fill(&graph, elements);
    } else {
        define(&graph, &[]);
        fill(&graph, elements);
        for (label, (name, index_type, fields)) in indexes {
            let name = format!("{}{name}", LABELS[*label]);
            let new = match label {
                0 | 1 => NewIndexLabel::on_vertices(&name, LABELS[*label], *index_type, fields),
                _ => NewIndexLabel::on_edges(&name, LABELS[*label], *index_type, fields),
            };
            create_index(&graph, &new);
        }
    }
    (store, graph)
}

/// The vertices that a look-up through the port gives, in batches of `size`.
pub(crate) fn pulled_vertices(
    graph: &HostedGraph,
    label: Option<&str>,
    conditions: &Conditions,
    size: usize,
) -> Result<Vec<VertexId>, AccessError> {
    let label = label.map(|name| graph.catalogue().vertex_label_named(name).unwrap().id);
    let budget = Budget::unlimited();
    let reader = GraphReader::new(graph, &graph.catalogue(), &budget);
    let lookup = Lookup { label, conditions: conditions.clone(), ..Lookup::default() };
    pulled(&mut *reader.find_vertices(lookup)?, size).map(|found| found.into_iter().map(|found| found.id).collect())
}

/// The same of edges.
pub(crate) fn pulled_edges(
    graph: &HostedGraph,
    conditions: &Conditions,
    size: usize,
) -> Result<Vec<EdgeId>, AccessError> {
    let budget = Budget::unlimited();
    let reader = GraphReader::new(graph, &graph.catalogue(), &budget);
    let lookup = Lookup { label: None, conditions: conditions.clone(), ..Lookup::default() };
    pulled(&mut *reader.find_edges(lookup)?, size).map(|found| found.into_iter().map(|found| found.id).collect())
}

/// Everything a cursor gives, in batches of `size`.
pub(crate) fn pulled<T>(cursor: &mut dyn Cursor<T>, size: usize) -> Result<Vec<T>, AccessError> {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    loop {
        cursor.next_batch(&mut batch, size)?;
        assert!(batch.len() <= size);
        if batch.is_empty() {
            return Ok(all);
        }
        all.append(&mut batch);
    }
}
