//! Finding by properties: whatever index labels there are and whatever is asked, a query gives what a look at every element gives, at once,
//! part by part and page by page; or says which index is missing.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use graph_model::{Cardinality, DataType, EdgeId, IdStrategy, Properties, Vertex, VertexId};
use graph_schema::{
    Catalogue, Conditions, Frequency, IndexType, Literal, NewEdge, NewEdgeLabel, NewIndexLabel, NewPredicate,
    NewPropertyKey, NewVertex, NewVertexLabel, Predicate, Status,
};
use graph_store::{
    Budget, EdgeQuery, Graph, Range, Store, StoreError, StoreOptions, VertexQuery, VertexSelector, Wait,
};
use jiff::tz::TimeZone;
use kv::MemoryEngine;
use proptest::prelude::*;
use proptest::sample::subsequence;

const KEYS: [(&str, DataType, Cardinality); 6] = [
    ("city", DataType::Text, Cardinality::Single),
    ("age", DataType::Int, Cardinality::Single),
    ("weight", DataType::Double, Cardinality::Single),
    ("day", DataType::Date, Cardinality::Single),
    ("tags", DataType::Text, Cardinality::Set),
    ("bio", DataType::Text, Cardinality::Single),
];

/// Index labels that may be made over each label: no one stands in the way of another.
const INDEXES: [(&str, IndexType, &[&str]); 8] = [
    ("byCity", IndexType::Secondary, &["city", "age"]),
    ("byAge", IndexType::Range, &["age"]),
    ("byWeight", IndexType::Range, &["weight"]),
    ("byDay", IndexType::Range, &["day"]),
    ("byTags", IndexType::Secondary, &["tags"]),
    ("byBio", IndexType::Search, &["bio"]),
    ("byCityDay", IndexType::Shard, &["city", "day"]),
    ("byAgeWeight", IndexType::Shard, &["age", "weight"]),
];

const LABELS: [&str; 3] = ["person", "thing", "knows"];
const CITIES: [&str; 3] = ["oslo", "rome", "rome!"];
const WORDS: [&str; 5] = ["graph database", "a Graph of words", "words only", "", "database words graph"];

/// What an element may have: a position in a list of values for each key, beyond the list: nothing.
type Given = [u8; 6];

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

fn predicate(key: usize, kind: u8, a: u8, b: u8) -> NewPredicate<'static> {
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

fn define(graph: &Arc<Graph>, indexes: &[(usize, (&str, IndexType, &[&str]))]) {
    for (name, data_type, cardinality) in KEYS {
        graph.create_property_key(&NewPropertyKey::new(name, data_type, cardinality)).unwrap();
    }
    graph.create_property_key(&NewPropertyKey::new("name", DataType::Text, Cardinality::Single)).unwrap();
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
    graph.create_vertex_label(&person).unwrap();
    graph.create_vertex_label(&thing).unwrap();
    let mut edge_properties = all.clone();
    edge_properties.push("name".to_owned());
    let knows = NewEdgeLabel {
        frequency: Some(Frequency::Multiple),
        sort_keys: vec!["name".to_owned()],
        properties: edge_properties,
        nullable_keys: all,
        ..NewEdgeLabel::new("knows", "person", "person")
    };
    graph.create_edge_label(&knows).unwrap();
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
fn create_index(graph: &Arc<Graph>, new: &NewIndexLabel) {
    let (index, _, task) = graph.create_index_label(new).unwrap();
    while !graph.task(task).unwrap().status.is_final() {
        std::thread::yield_now();
    }
    assert_eq!(graph.catalogue().index_label(index.id).unwrap().status, Status::Created);
}

fn fill(graph: &Graph, elements: &[(usize, Given)]) {
    for (n, (label, given)) in elements.iter().enumerate() {
        let mut properties = properties(given);
        let number = i64::try_from(n).unwrap();
        match label {
            0 => {
                let id = Some(Literal::Integer(number));
                let new = NewVertex { label: Some("person".into()), id, properties };
                graph.insert_vertex(&new, Wait::Allowed).unwrap().wait().unwrap();
            }
            1 => {
                properties.push(("name".into(), Literal::Text(format!("n{n}").into())));
                let new = NewVertex { label: Some("thing".into()), id: None, properties };
                graph.insert_vertex(&new, Wait::Allowed).unwrap().wait().unwrap();
            }
            _ => {
                properties.push(("name".into(), Literal::Text(["a", "b"][n % 2].into())));
                let new = NewEdge {
                    label: Some("knows".into()),
                    source: Some(Literal::Integer(number % 3)),
                    source_label: Some("person".into()),
                    target: Some(Literal::Integer(number)),
                    target_label: Some("person".into()),
                    properties,
                };
                graph.insert_edges(&[new], false, Wait::Allowed).unwrap().wait().unwrap();
            }
        }
    }
}

fn empty() -> (Store, Arc<Graph>) {
    let engine = Arc::new(MemoryEngine::open(key_codec::tables::TABLES));
    let store = Store::open(engine, StoreOptions::default()).unwrap();
    let graph = store.graph("hugegraph").unwrap();
    (store, graph)
}

fn conditions(catalogue: &Catalogue, asked: &[(usize, NewPredicate<'static>)]) -> Conditions {
    let asked: Vec<_> = asked.iter().map(|(key, predicate)| (Cow::Borrowed(KEYS[*key].0), predicate.clone())).collect();
    catalogue.check_conditions(&asked, &TimeZone::UTC).unwrap()
}

/// What the index over a text is asked for, by the words themselves.
fn shares_a_word(text: &str, words: &str) -> bool {
    let words_of = |text: &str| text.to_lowercase().split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
    let (text, words) = (words_of(text), words_of(words));
    text.intersection(&words).any(|word| !word.is_empty())
}

fn meets(catalogue: &Catalogue, conditions: &Conditions, properties: &Properties) -> bool {
    let bio = catalogue.property_key_named("bio").unwrap().id;
    conditions.iter().all(|condition| match &condition.predicate {
        Predicate::TextContains(words) => match properties.get(bio) {
            Some(graph_model::Value::Text(text)) => shares_a_word(text, words),
            _ => false,
        },
        _ => condition.matches(properties),
    })
}

/// Whether the indexes of a label cover all conditions, judged without the planner.
fn covered(catalogue: &Catalogue, on_vertices: bool, label: &str, conditions: &Conditions) -> bool {
    let id = if on_vertices {
        catalogue.vertex_label_named(label).unwrap().id
    } else {
        catalogue.edge_label_named(label).unwrap().id
    };
    conditions.iter().all(|condition| {
        catalogue.indexes_over(on_vertices, id).iter().any(|index| {
            let Some(at) = index.fields.iter().position(|field| *field == condition.key) else { return false };
            let named = |predicate: &Predicate| {
                matches!(predicate, Predicate::Equal(_) | Predicate::OneOf(_) | Predicate::ContainsAny(_))
            };
            let empty =
                matches!(&condition.predicate, Predicate::Equal(graph_model::Value::Set(items)) if items.is_empty());
            let before =
                index.fields[..at].iter().all(|field| conditions.get(*field).is_some_and(|it| named(&it.predicate)));
            let own = match index.index_type {
                IndexType::Secondary => named(&condition.predicate) && !empty,
                IndexType::Range | IndexType::Shard => {
                    !matches!(condition.predicate, Predicate::TextContains(_) | Predicate::ContainsAny(_)) && !empty
                }
                IndexType::Search => matches!(condition.predicate, Predicate::TextContains(_)),
                IndexType::Unique => false,
            };
            before && own
        })
    })
}

fn vertices(
    graph: &Graph,
    label: Option<&str>,
    conditions: &Conditions,
    range: Range,
) -> Result<(Vec<VertexId>, Option<String>), StoreError> {
    let label = label.map(|name| graph.catalogue().vertex_label_named(name).unwrap().id);
    let mut found = Vec::new();
    let query = VertexQuery { label, conditions: conditions.clone(), range };
    let listed = graph.list_vertices(&query, &Budget::unlimited(), &mut |vertex: &Vertex| {
        found.push(vertex.id.clone());
        ControlFlow::Continue(())
    })?;
    Ok((found, listed.next))
}

fn edges(
    graph: &Graph,
    at: Option<(VertexId, graph_model::Direction)>,
    conditions: &Conditions,
    range: Range,
) -> Result<(Vec<EdgeId>, Option<String>), StoreError> {
    let label = Some(graph.catalogue().edge_label_named("knows").unwrap().id);
    let mut found = Vec::new();
    let query = EdgeQuery { label, vertex: at, conditions: conditions.clone(), range };
    let listed = graph.list_edges(&query, &Budget::unlimited(), &mut |edge| {
        found.push(edge.id.clone());
        ControlFlow::Continue(())
    })?;
    Ok((found, listed.next))
}

const ALL: Range = Range::Offset { offset: 0, limit: None };

/// The same list at once, in parts by offset, and page by page.
fn in_every_way<T: Clone + Ord + std::fmt::Debug>(
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

type Asked = Vec<(usize, NewPredicate<'static>)>;

fn asked() -> impl Strategy<Value = Asked> {
    let one = (0..KEYS.len(), 0u8..9, 0u8..5, 0u8..5).prop_map(|(key, kind, a, b)| (key, predicate(key, kind, a, b)));
    prop::collection::vec(one, 1..4)
}

fn elements() -> impl Strategy<Value = Vec<(usize, Given)>> {
    prop::collection::vec((0..3usize, prop::array::uniform6(0u8..5)), 1..40)
}

fn indexes() -> impl Strategy<Value = Vec<(usize, (&'static str, IndexType, &'static [&'static str]))>> {
    let all: Vec<_> = (0..3).flat_map(|label| INDEXES.map(|index| (label, index))).collect();
    let count = all.len();
    subsequence(all, count / 3..=count)
}

fn graph_of(
    indexes: &[(usize, (&str, IndexType, &[&str]))],
    elements: &[(usize, Given)],
    index_first: bool,
) -> (Store, Arc<Graph>) {
    let (store, graph) = empty();
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn queries_give_what_a_look_at_every_element_gives(
        indexes in indexes(), elements in elements(), questions in prop::collection::vec((asked(), 0..3usize), 1..12),
        size in 1u64..6, index_first in any::<bool>(),
    ) {
        let (_store, graph) = graph_of(&indexes, &elements, index_first);
        let catalogue = graph.catalogue();
        let (everything, _) = vertices(&graph, None, &Conditions::default(), ALL).unwrap();
        let everything: Vec<Vertex> = graph.vertices(&everything).unwrap().into_iter().flatten().collect();
        let (all_edges, _) = edges(&graph, None, &Conditions::default(), ALL).unwrap();
        let all_edges: Vec<_> = graph.edges(&all_edges).unwrap().into_iter().flatten().collect();
        for (asked, label) in questions {
            let conditions = conditions(&catalogue, &asked);
            let meets = |properties: &Properties| meets(&catalogue, &conditions, properties);
            let label = LABELS.get(label).copied().filter(|label| *label != "knows");
            let found = in_every_way(size, |range| vertices(&graph, label, &conditions, range));
            let possible = LABELS[..2].iter().filter(|name| label.is_none_or(|label| label == **name))
                .all(|name| covered(&catalogue, true, name, &conditions));
            match found {
                Ok(found) => {
                    prop_assert!(possible, "{conditions:?} are not covered");
                    let of_label = |vertex: &&Vertex| {
                        label.is_none_or(|label| catalogue.vertex_label(vertex.label).unwrap().name == label)
                    };
                    let expected: BTreeSet<_> = everything.iter().filter(of_label)
                        .filter(|vertex| meets(&vertex.properties)).map(|vertex| vertex.id.clone()).collect();
                    prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{:?} of {:?}", conditions, label);
                }
                Err(StoreError::NoIndex { .. }) => prop_assert!(!possible, "{conditions:?} are covered"),
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
            let expected: BTreeSet<_> =
                all_edges.iter().filter(|edge| meets(&edge.properties)).map(|edge| edge.id.clone()).collect();
            match in_every_way(size, |range| edges(&graph, None, &conditions, range)) {
                Ok(found) => {
                    prop_assert!(covered(&catalogue, false, "knows", &conditions), "{conditions:?} are not covered");
                    prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{:?} of edges", conditions);
                }
                Err(StoreError::NoIndex { .. }) => prop_assert!(!covered(&catalogue, false, "knows", &conditions)),
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
        }
    }

    #[test]
    fn edges_of_a_vertex_are_compared_one_by_one(elements in elements(), asked in asked(), size in 1u64..4, sort in 0..3usize) {
        let (_store, graph) = graph_of(&[], &elements, true);
        let catalogue = graph.catalogue();
        let mut asked: Vec<_> = asked.iter().filter(|(key, _)| *key != 5)
            .map(|(key, predicate)| (Cow::Borrowed(KEYS[*key].0), predicate.clone())).collect();
        if let Some(sort) = ["a", "b"].get(sort) {
            asked.push(("name".into(), NewPredicate::Equal(Literal::Text((*sort).into()))));
        }
        let conditions = catalogue.check_conditions(&asked, &TimeZone::UTC).unwrap();
        let all = edges(&graph, None, &Conditions::default(), ALL).unwrap().0;
        let all: Vec<_> = graph.edges(&all).unwrap().into_iter().flatten().collect();
        for id in (0..3).map(VertexId::Number) {
            let found = in_every_way(size, |range| edges(&graph, Some((id.clone(), graph_model::Direction::Out)), &conditions, range));
            let expected: BTreeSet<_> = all.iter().filter(|edge| edge.id.source == id && conditions.matches(&edge.properties))
                .map(|edge| edge.id.clone()).collect();
            prop_assert_eq!(found.unwrap().into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }

    /// Pages go on where they ended, whatever is deleted and inserted in between.
    #[test]
    fn pages_survive_writes_in_between(elements in elements(), size in 1u64..4, deleted in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let (_store, graph) = graph_of(&[(0, INDEXES[1]), (1, INDEXES[1])], &elements, true);
        let catalogue = graph.catalogue();
        let conditions = conditions(&catalogue, &[(1, predicate(1, 4, 3, 0))]);
        let (all, _) = vertices(&graph, None, &conditions, ALL).unwrap();
        let (first, next) = vertices(&graph, None, &conditions, Range::Page { token: String::new(), limit: Some(size) }).unwrap();
        let mut gone = BTreeSet::new();
        for index in deleted {
            if let Some(id) = all.get(index.index(all.len().max(1))).filter(|id| gone.insert((*id).clone())) {
                graph.delete_vertex(id, Wait::Allowed).unwrap().wait().unwrap();
            }
        }
        let mut found = first.clone();
        let mut next = next;
        while let Some(token) = next {
            let (page, after) = vertices(&graph, None, &conditions, Range::Page { token, limit: Some(size) }).unwrap();
            found.extend(page);
            next = after;
        }
        let expected: Vec<_> = all.iter().filter(|id| first.contains(id) || !gone.contains(*id)).cloned().collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_token_belongs_to_its_query_and_its_index() {
    let elements: Vec<(usize, Given)> = (0..10).map(|_| (0, [0, 1, 0, 0, 0, 0])).collect();
    let (_store, graph) = graph_of(&[(0, INDEXES[1]), (0, INDEXES[0])], &elements, true);
    let catalogue = graph.catalogue();
    let age = conditions(&catalogue, &[(1, predicate(1, 4, 3, 0))]);
    let city = conditions(&catalogue, &[(0, predicate(0, 8, 0, 0))]);
    let page = |conditions: &Conditions, token: &str| {
        vertices(&graph, Some("person"), conditions, Range::Page { token: token.to_owned(), limit: Some(3) })
    };
    let token = page(&age, "").unwrap().1.unwrap();
    assert_eq!(page(&age, &token).unwrap().0.len(), 3);
    assert!(matches!(page(&city, &token), Err(StoreError::Page { .. })));
    let all = vertices(&graph, None, &age, Range::Page { token, limit: Some(3) });
    assert!(matches!(all, Err(StoreError::Page { .. })));
}

#[test]
fn vertices_to_start_at_are_selected() {
    let elements: Vec<(usize, Given)> = (0..10).map(|n| (n % 2, [0, 1, 0, 0, 0, 0])).collect();
    let (_store, graph) = graph_of(&[(0, INDEXES[1])], &elements, true);
    let catalogue = graph.catalogue();
    let select = |selector: VertexSelector| {
        let selected = graph.select_vertices(&selector, &Budget::unlimited());
        selected.map(|vertices| vertices.into_iter().map(|vertex| vertex.id).collect::<Vec<_>>())
    };
    let number = VertexId::Number;
    let ids = vec![number(4), number(0), number(4), number(77)];
    assert_eq!(select(VertexSelector::Ids(ids)).unwrap(), [number(4), number(0)]);
    assert!(matches!(select(VertexSelector::Ids(vec![number(77)])), Err(StoreError::NothingSelected)));
    let person = Some(catalogue.vertex_label_named("person").unwrap().id);
    let matching = |asked: &[(usize, NewPredicate<'static>)], label| {
        select(VertexSelector::Matching { label, conditions: conditions(&catalogue, asked) })
    };
    assert_eq!(matching(&[(1, predicate(1, 8, 1, 0))], person).unwrap().len(), 5);
    assert_eq!(matching(&[], person).unwrap().len(), 5);
    assert!(matches!(matching(&[(1, predicate(1, 8, 2, 0))], person), Err(StoreError::NothingSelected)));
    assert!(matches!(matching(&[(1, predicate(1, 8, 1, 0))], None), Err(StoreError::NoIndex { .. })));
    let thing = catalogue.vertex_label_named("thing").unwrap().id;
    let names = vec![Literal::Text("n1".into()), Literal::Text("n3".into()), Literal::Text("gone".into())];
    let given = [(Cow::Borrowed("name"), NewPredicate::OneOf(names))];
    let conditions = catalogue.check_conditions(&given, &TimeZone::UTC).unwrap();
    let found = select(VertexSelector::Matching { label: Some(thing), conditions }).unwrap();
    let id = |name: &str| VertexId::String(format!("{}:{name}", thing.0).into());
    assert_eq!(found, [id("n1"), id("n3")]);
}
