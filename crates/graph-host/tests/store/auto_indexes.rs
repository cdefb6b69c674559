//! Indexes of auto graphs: what they lead to is what a look at every element finds, whatever the types of values, the
//! labels and the moment at which they are made.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use graph_access::{Budget, GraphRead, GraphWrite as _, Lookup, drain};
use graph_host::{GraphConf, HostedGraph, Store};
use graph_model::{ErrorKind, LabelId, TaskStatus, Value, VertexId};
use graph_schema::{
    Condition, Conditions, Declaration, IndexType, Interval, Literal, NewIndexLabel, NewVertex, Predicate,
};
use graph_store::{GraphReader, Range, StoreError, VertexQuery, Visit, Wait};
use proptest::prelude::*;
use tagged_value::{Builder, Entry, EntryId, Meta, Token, put_entries};

use crate::fixture::*;

const LABELS: [&str; 4] = ["person", "agent::person", "person::robot", "other"];

fn auto() -> (Store, Arc<HostedGraph>) {
    let store = open(&memory()).unwrap();
    let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
    let graph = store.create_graph("a", &conf).unwrap();
    let keys = ["name", "age"];
    graph
        .schema()
        .declare(&Declaration { vertex_labels: &LABELS[..1], edge_labels: &[], property_keys: &keys })
        .unwrap();
    (store, graph)
}

/// Values that share places, lie beside each other, or are of no order.
fn pool() -> Vec<Box<[u8]>> {
    const WHOLE: i64 = 9_007_199_254_740_992;
    let long = "x".repeat(600);
    let tokens = [
        Token::Int(1),
        Token::Long(1),
        Token::Double(1.0),
        Token::BigDecimal { scale: 1, unscaled: &[10] },
        Token::Double(0.1),
        Token::BigDecimal { scale: 1, unscaled: &[1] },
        Token::Float(0.1),
        Token::Long(WHOLE),
        Token::Long(WHOLE + 1),
        Token::Double(-0.0),
        Token::Byte(0),
        Token::Double(f64::NAN),
        Token::Double(f64::INFINITY),
        Token::BigInteger(&[1; 20]),
        Token::String("1"),
        Token::String(""),
        Token::String("a"),
        Token::String("a\0b"),
        Token::String("ab"),
        Token::String("\u{FFFD}"),
        Token::String("\u{1F600}"),
        Token::String(&long),
        Token::Char('a'),
        Token::Uuid(7),
        Token::Bool(true),
        Token::Bool(false),
        Token::DateTime { seconds: -5, nanos: 7, offset_seconds: 3600 },
        Token::DateTime { seconds: -5, nanos: 7, offset_seconds: 0 },
        Token::Duration { seconds: -5, nanos: 7 },
        Token::Bytes(&[1]),
        Token::Null,
    ];
    let mut all: Vec<Box<[u8]>> = tokens.into_iter().map(|token| Builder::encode(token).unwrap()).collect();
    let mut list = Builder::new();
    list.list(|inner| inner.put(Token::Int(1))).unwrap();
    all.push(list.finish().unwrap());
    all
}

/// What a vertex has under a key.
fn cell(values: &[Box<[u8]>]) -> Literal<'static> {
    let entry = |(at, value)| Entry { id: EntryId::Ordinal(at), value, meta: Meta::default() };
    let entries = (0..).zip(values.iter().map(|value| &**value)).map(entry);
    Literal::Tagged(Cow::Owned(put_entries(entries).unwrap().into()))
}

fn one(token: Token<'_>) -> Literal<'static> {
    Literal::Tagged(Cow::Owned(Builder::encode(token).unwrap().into()))
}

fn index(name: &str, index_type: IndexType, base: &str, fields: &[&str]) -> NewIndexLabel {
    NewIndexLabel {
        id: None,
        name: name.to_owned(),
        on_vertices: true,
        base: base.to_owned(),
        index_type,
        fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        user_data: graph_schema::UserData::default(),
        rebuild: true,
        check_exist: true,
    }
}

fn build(graph: &HostedGraph, new: &NewIndexLabel) -> TaskStatus {
    let (_, _, task) = graph.jobs().create_index_label(new).unwrap();
    ended(graph, task).status
}

fn found(read: &dyn GraphRead, lookup: Lookup) -> Result<Vec<graph_model::Vertex>, ErrorKind> {
    let mut all = Vec::new();
    let mut cursor = read.find_vertices(lookup).map_err(|error| error.kind)?;
    drain(&mut *cursor, |vertex| {
        all.push(vertex);
        Ok::<_, graph_access::AccessError>(())
    })
    .unwrap();
    Ok(all)
}

/// Compares what indexes lead to with all vertices, for a label and for the sets with it.
fn compare(read: &dyn GraphRead, conditions: &Conditions) {
    let catalogue = Arc::clone(read.catalogue());
    let mut every = Vec::new();
    drain(&mut *read.scan_vertices(None).unwrap(), |vertex| {
        every.push(vertex);
        Ok::<_, graph_access::AccessError>(())
    })
    .unwrap();
    for (label, among_others) in LABELS.iter().flat_map(|name| [(*name, false), (*name, true)]) {
        let Some(id) = catalogue.vertex_label_named(label).map(|label| label.id) else { continue };
        let names = |id: LabelId| catalogue.vertex_label(id).unwrap().name.clone();
        let is_meant = |own: LabelId| own == id || (among_others && names(own).split("::").any(|part| part == label));
        let wanted: BTreeSet<VertexId> = every
            .iter()
            .filter(|vertex| is_meant(vertex.label) && conditions.matches(&vertex.properties))
            .map(|vertex| vertex.id.clone())
            .collect();
        let lookup = Lookup { label: Some(id), among_others, conditions: conditions.clone(), ..Lookup::default() };
        match found(read, lookup) {
            Err(kind) => assert_eq!(kind, ErrorKind::NoIndex),
            Ok(met) => {
                assert!(label != "other", "no index is over it");
                let ids: Vec<VertexId> = met.iter().map(|vertex| vertex.id.clone()).collect();
                let once: BTreeSet<VertexId> = ids.iter().cloned().collect();
                assert_eq!(once.len(), ids.len(), "each once: {ids:?}");
                assert!(met.iter().all(|vertex| is_meant(vertex.label)), "{label} {among_others}: {met:?}");
                let matching = met.iter().filter(|vertex| conditions.matches(&vertex.properties));
                let matching: BTreeSet<VertexId> = matching.map(|vertex| vertex.id.clone()).collect();
                assert_eq!(matching, wanted, "{label} {among_others}: {conditions:?}");
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Put { id: i64, label: usize, names: Vec<usize>, ages: Vec<usize> },
    Delete(i64),
    Index(usize),
    Drop(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let values = || prop::collection::vec(0usize..32, 0..4);
    prop_oneof![
        8 => (1i64..9, 0usize..4, values(), values())
            .prop_map(|(id, label, names, ages)| Step::Put { id, label, names, ages }),
        1 => (1i64..9).prop_map(Step::Delete),
        1 => (0usize..4).prop_map(Step::Index),
        1 => (0usize..4).prop_map(Step::Drop),
    ]
}

fn predicate() -> impl Strategy<Value = Predicate> {
    let value = || (0usize..32).prop_map(|at| Value::Any(pool().swap_remove(at)));
    let bound = || {
        (value(), 0u8..3).prop_map(|(value, kind)| match kind {
            0 => Bound::Included(value),
            1 => Bound::Excluded(value),
            _ => Bound::Unbounded,
        })
    };
    prop_oneof![
        value().prop_map(Predicate::Equal),
        prop::collection::vec(value(), 1..4).prop_map(Predicate::OneOf),
        (bound(), bound()).prop_map(|(low, high)| Predicate::Range(Interval { low, high })),
    ]
}

fn new_vertex(id: i64, label: usize, names: &[usize], ages: &[usize]) -> NewVertex<'static> {
    let pool = pool();
    let of = |key: &'static str, values: &[usize]| {
        let values: Vec<_> = values.iter().map(|at| pool[*at].clone()).collect();
        (!values.is_empty()).then(|| (key, cell(&values)))
    };
    let given: Vec<_> = [of("name", names), of("age", ages)].into_iter().flatten().collect();
    NewVertex { properties: properties(&given), ..vertex(LABELS[label], Some(Literal::Integer(id))) }
}

fn indexes() -> [NewIndexLabel; 4] {
    [
        index("by_name", IndexType::Range, "person", &["name"]),
        index("by_age", IndexType::Secondary, "person", &["age"]),
        index("by_both", IndexType::Shard, "person", &["age", "name"]),
        index("of_agents", IndexType::Range, "agent", &["age"]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn they_lead_to_what_a_look_at_every_vertex_finds(
        steps in prop::collection::vec(step(), 1..30),
        name in prop::option::of(predicate()),
        age in prop::option::of(predicate()),
        committed in any::<bool>(),
    ) {
        let (_store, graph) = auto();
        let budget = Budget::unlimited();
        let mut unit = graph.transaction(&budget);
        for step in &steps {
            match step {
                Step::Put { id, label, names, ages } => {
                    unit.declare(&Declaration { vertex_labels: &[LABELS[*label]], ..Declaration::default() }).unwrap();
                    unit.insert_vertex(&new_vertex(*id, *label, names, ages)).unwrap();
                }
                Step::Delete(id) => drop(unit.delete_vertex(&VertexId::Number(*id))),
                Step::Index(at) => {
                    let new = &indexes()[*at];
                    if graph.catalogue().index_label_named(&new.name).is_none() {
                        prop_assert_eq!(build(&graph, new), TaskStatus::Success);
                    }
                }
                Step::Drop(at) => {
                    if let Ok(task) = graph.jobs().remove_index_label(&indexes()[*at].name) {
                        prop_assert_eq!(ended(&graph, task).status, TaskStatus::Success);
                    }
                }
            }
            if committed {
                Box::new(std::mem::replace(&mut unit, graph.transaction(&budget))).commit().unwrap();
            }
        }
        let catalogue = graph.catalogue();
        let key = |name| catalogue.property_key_named(name).unwrap().id;
        let given = [("name", &name), ("age", &age)].into_iter().filter_map(|(key, own)| Some((key, own.clone()?)));
        let conditions: Conditions =
            given.map(|(name, predicate)| Condition { key: key(name), predicate }).collect();
        if !conditions.is_empty() {
            compare(&unit, &conditions);
        }
        Box::new(unit).commit().unwrap();
        if !conditions.is_empty() {
            compare(&GraphReader::new(&graph, &graph.catalogue(), &budget), &conditions);
        }
        if !conditions.is_empty() {
            compare_pages(&graph, &conditions);
        }
        let report = graph_maintenance::check_indexes(&graph, false, &budget, &mut |_| ()).unwrap();
        prop_assert_eq!(report.total(), 0, "{:?}", report.examples);
    }
}

/// Compares lists, page by page, with all vertices.
fn compare_pages(graph: &HostedGraph, conditions: &Conditions) {
    for name in LABELS {
        let Some(label) = graph.catalogue().vertex_label_named(name).map(|label| label.id) else { continue };
        let mut met = Vec::new();
        let mut token = String::new();
        loop {
            let range = Range::Page { token, limit: Some(2) };
            let query = VertexQuery { label: Some(label), conditions: conditions.clone(), range };
            let mut visit = |vertex: &graph_model::Vertex| {
                met.push(vertex.id.clone());
                Visit::Continue(())
            };
            match graph.reader().list_vertices(&query, &Budget::unlimited(), &mut visit).unwrap().next {
                Some(next) => token = next,
                None => break,
            }
        }
        let of_label = listed_vertices(graph, Some(label)).unwrap().into_iter();
        let wanted = of_label.filter(|vertex| conditions.matches(&vertex.properties)).map(|vertex| vertex.id);
        let once: BTreeSet<VertexId> = met.iter().cloned().collect();
        assert_eq!((once.len(), once), (met.len(), wanted.collect()), "{name}: {conditions:?}");
    }
}

#[test]
fn a_unique_index_takes_equal_numbers_of_all_types_and_all_sets_with_its_label_as_one() {
    let (_store, graph) = auto();
    assert_eq!(build(&graph, &index("one", IndexType::Unique, "person", &["name"])), TaskStatus::Success);
    let put = |id: i64, label: &'static str, token: Token<'_>| {
        graph.schema().declare(&Declaration { vertex_labels: &[label], ..Declaration::default() }).unwrap();
        let new =
            NewVertex { properties: properties(&[("name", one(token))]), ..vertex(label, Some(Literal::Integer(id))) };
        insert(&graph, &[new]).map(drop)
    };
    let is_taken = |outcome: Result<(), StoreError>| matches!(outcome, Err(StoreError::UniqueConflict { .. }));
    put(1, "person", Token::Int(1)).unwrap();
    assert!(is_taken(put(2, "agent::person", Token::Double(1.0))));
    assert!(is_taken(put(2, "person", Token::BigDecimal { scale: 2, unscaled: &[100] })));
    put(2, "other", Token::Int(1)).unwrap();
    put(3, "person", Token::String("1")).unwrap();
    put(4, "person", Token::Long(9_007_199_254_740_992)).unwrap();
    put(5, "person", Token::Long(9_007_199_254_740_993)).unwrap();
    put(6, "person", Token::Double(f64::NAN)).unwrap();
    put(7, "person", Token::Double(f64::NAN)).unwrap();
    insert(&graph, &[vertex("person", Some(Literal::Integer(8))), vertex("person", Some(Literal::Integer(9)))])
        .unwrap();
    // A vertex may be written again, and gives its place up with its value, its label or itself.
    put(1, "agent::person", Token::Long(1)).unwrap();
    put(1, "other", Token::Int(1)).unwrap();
    put(10, "person", Token::Int(1)).unwrap();
    assert!(is_taken(put(1, "person", Token::Int(1))));
    graph.writer().delete_vertex(&VertexId::Number(10), Wait::Allowed).unwrap().wait().unwrap();
    put(1, "person", Token::Int(1)).unwrap();
    let several = [Token::Int(20), Token::Int(21)].map(|token| Builder::encode(token).unwrap());
    let both = NewVertex {
        properties: properties(&[("name", cell(&several))]),
        ..vertex("person", Some(Literal::Integer(20)))
    };
    insert(&graph, std::slice::from_ref(&both)).unwrap();
    assert!(is_taken(put(22, "person", Token::Int(21))), "each of several values has a place");
    let error = put(22, "person", Token::Int(20)).unwrap_err();
    assert!(error.to_string().contains("name=20"), "{error}");
    let digits = vec![1; 2_000];
    let long = put(23, "person", Token::BigInteger(&digits)).unwrap_err();
    assert!(matches!(long, StoreError::TooManyTokens { count: 2_000, .. }), "{long}");
    // Elements that are there already must have different values too.
    assert_eq!(build(&graph, &index("ages", IndexType::Unique, "person", &["age"])), TaskStatus::Success);
    assert_eq!(build(&graph, &index("others", IndexType::Unique, "other", &["name"])), TaskStatus::Success);
    put(30, "other", Token::Bool(true)).unwrap();
    let same = NewVertex {
        properties: properties(&[("age", one(Token::Int(5)))]),
        ..vertex("other", Some(Literal::Integer(31)))
    };
    let again = NewVertex { id: Some(Literal::Integer(32)), ..same.clone() };
    insert(&graph, &[same, again]).unwrap();
    assert_eq!(build(&graph, &index("other_ages", IndexType::Unique, "other", &["age"])), TaskStatus::Failed);
    let report = graph_maintenance::check_indexes(&graph, false, &Budget::unlimited(), &mut |_| ()).unwrap();
    assert_eq!(report.total(), 0, "{:?}", report.examples);
}

#[test]
fn what_cannot_be_an_index_is_refused_and_what_it_names_is_made() {
    let (store, graph) = auto();
    for (new, part) in [
        (index("i", IndexType::Search, "person", &["name"]), "SEARCH"),
        (index("i", IndexType::Range, "a::b", &["name"]), "set of labels"),
        (index("i", IndexType::Range, "person", &[]), "at least one"),
        (index("i", IndexType::Shard, "person", &["name", "name"]), "named twice"),
        (NewIndexLabel { rebuild: false, ..index("i", IndexType::Range, "person", &["name"]) }, "rebuild"),
    ] {
        let error = graph.jobs().create_index_label(&new).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(build(&graph, &index("new", IndexType::Range, "nobody", &["nothing"])), TaskStatus::Success);
    assert!(graph.catalogue().vertex_label_named("nobody").is_some());
    assert!(graph.catalogue().property_key_named("nothing").is_some());
    let repeated = graph.jobs().create_index_label(&index("again", IndexType::Range, "nobody", &["nothing"]));
    assert!(repeated.unwrap_err().to_string().contains("repeats"));
    // It is there again when the graph is read again, over labels that came before and after it.
    graph.schema().declare(&Declaration { vertex_labels: &["a::nobody"], ..Declaration::default() }).unwrap();
    let stored = graph_store::stored_catalogue::read_catalogue(graph.engine(), graph.number()).unwrap();
    assert_eq!(stored, *graph.catalogue());
    for name in ["nobody", "a::nobody"] {
        let label = stored.vertex_label_named(name).unwrap().id;
        assert_eq!(stored.indexes_over(true, label).len(), 1, "{name}");
    }
    drop(store);
}
