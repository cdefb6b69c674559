//! Batch updates against a plain model: every strategy on stored, new and repeated elements, vertices and edges alike.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use graph_access::Budget;
use graph_host::{HostedGraph, Store, StoreOptions};
use graph_maintenance::check_indexes;
use graph_model::{Cardinality, DataType, IdStrategy, Properties, Value, VertexId};
use graph_schema::{
    EdgeRecord, ElementError, IndexType, Literal, NewEdge, NewEdgeLabel, NewIndexLabel, NewPropertyKey, NewVertex,
    NewVertexLabel, UpdateStrategy,
};
use graph_store::{Pending, StoreError, Wait};
use kv::MemoryEngine;
use proptest::prelude::*;

const KEYS: [(&str, DataType, Cardinality); 5] = [
    ("count", DataType::Int, Cardinality::Single),
    ("when", DataType::Date, Cardinality::Single),
    ("list", DataType::Int, Cardinality::List),
    ("set", DataType::Int, Cardinality::Set),
    ("note", DataType::Text, Cardinality::Single),
];

/// What the model knows of an element: the values of each key, in order; of a single one just one.
type Known = BTreeMap<usize, Vec<i64>>;

/// A record: which element, and values by key.
type Record = (u8, BTreeMap<usize, Vec<i64>>);

fn strategies_of(key: usize) -> Vec<UpdateStrategy> {
    use UpdateStrategy::*;
    match key {
        0 => vec![Sum, Bigger, Smaller, Override],
        1 => vec![Bigger, Smaller, Override],
        2 | 3 => vec![Union, Intersection, Append, Eliminate, Override],
        _ => vec![Override],
    }
}

fn record() -> impl Strategy<Value = Record> {
    let values = (0..KEYS.len(), prop::collection::vec(-3i64..4, 1..4));
    (0u8..4, prop::collection::vec(values, 0..4)).prop_map(|(element, values)| {
        let trimmed = values.into_iter().map(|(key, mut values)| {
            if KEYS[key].2 == Cardinality::Single {
                values.truncate(1);
            }
            (key, if key == 3 { distinct(values) } else { values })
        });
        (element, trimmed.collect())
    })
}

fn strategies() -> impl Strategy<Value = Vec<(usize, UpdateStrategy)>> {
    let one = (0..KEYS.len()).prop_flat_map(|key| (Just(key), prop::sample::select(strategies_of(key))));
    prop::collection::vec(one, 1..5).prop_map(|all| all.into_iter().collect::<BTreeMap<_, _>>().into_iter().collect())
}

fn distinct(values: Vec<i64>) -> Vec<i64> {
    let mut seen = BTreeSet::new();
    values.into_iter().filter(|value| seen.insert(*value)).collect()
}

fn merged(key: usize, strategy: UpdateStrategy, old: &[i64], new: &[i64]) -> Vec<i64> {
    use UpdateStrategy::*;
    let joined = [old, new].concat();
    match strategy {
        Sum => vec![old[0] + new[0]],
        Bigger => vec![old[0].max(new[0])],
        Smaller => vec![old[0].min(new[0])],
        Union => distinct(joined),
        Intersection => distinct(old.iter().filter(|value| new.contains(value)).copied().collect()),
        Append if key == 3 => distinct(joined),
        Append => joined,
        Eliminate => old.iter().filter(|value| !new.contains(value)).copied().collect(),
        Override => new.to_vec(),
    }
}

fn merge_into(known: &mut Known, values: &Known, strategies: &[(usize, UpdateStrategy)]) {
    for (key, new) in values {
        let strategy = strategies.iter().find(|(named, _)| named == key).map_or(UpdateStrategy::Override, |(_, s)| *s);
        let value = match known.get(key) {
            Some(old) => merged(*key, strategy, old, new),
            None => new.clone(),
        };
        known.insert(*key, value);
    }
}

/// What the request makes of the model: records of one element are merged first, what is stored then.
fn update(model: &mut BTreeMap<u8, Known>, records: &[Record], strategies: &[(usize, UpdateStrategy)]) {
    let mut request: BTreeMap<u8, Known> = BTreeMap::new();
    for (element, values) in records {
        merge_into(request.entry(*element).or_default(), values, strategies);
    }
    for (element, values) in request {
        merge_into(model.entry(element).or_default(), &values, strategies);
    }
}

fn given(values: &Known) -> Vec<(Cow<'static, str>, Literal<'static>)> {
    let literal = |key: usize, value: i64| match KEYS[key].1 {
        DataType::Text => Literal::Text(value.to_string().into()),
        _ => Literal::Integer(value),
    };
    let pair = |(key, values): (&usize, &Vec<i64>)| {
        let value = match KEYS[*key].2 {
            Cardinality::Single => literal(*key, values[0]),
            _ => Literal::Array(values.iter().map(|value| literal(*key, *value)).collect()),
        };
        (Cow::Borrowed(KEYS[*key].0), value)
    };
    values.iter().map(pair).collect()
}

fn known(graph: &HostedGraph, properties: &Properties) -> Known {
    let catalogue = graph.catalogue();
    let number = |value: &Value| match value {
        Value::Int(number) => i64::from(*number),
        Value::Date(number) => *number,
        Value::Text(text) => text.parse().unwrap(),
        other => unreachable!("{other:?}"),
    };
    let position = |id| KEYS.iter().position(|key| key.0 == catalogue.property_key(id).unwrap().name);
    properties
        .iter()
        .filter_map(|(id, value)| Some((position(id)?, value.items().iter().map(number).collect())))
        .collect()
}

fn subject(scattered: bool) -> (Store, Arc<HostedGraph>) {
    let engine: Arc<dyn kv::Engine> = if scattered {
        Arc::new(kv::conformance::ScatteredEngine::open(key_codec::tables::TABLES))
    } else {
        Arc::new(MemoryEngine::open(key_codec::tables::TABLES))
    };
    let store = Store::open(engine, StoreOptions::default()).unwrap();
    let graph = store.graph("hugegraph").unwrap();
    let names: Vec<String> = KEYS.iter().map(|key| key.0.to_owned()).collect();
    for (name, data_type, cardinality) in KEYS {
        graph.schema().create_property_key(&NewPropertyKey::new(name, data_type, cardinality)).unwrap();
    }
    let label = NewVertexLabel {
        id_strategy: Some(IdStrategy::CustomizeNumber),
        properties: names.clone(),
        nullable_keys: names.clone(),
        ..NewVertexLabel::new("v")
    };
    graph.schema().create_vertex_label(&label).unwrap();
    let other = NewVertexLabel { id_strategy: label.id_strategy, ..NewVertexLabel::new("w") };
    graph.schema().create_vertex_label(&other).unwrap();
    let edge = NewEdgeLabel { properties: names.clone(), nullable_keys: names, ..NewEdgeLabel::new("e", "v", "v") };
    graph.schema().create_edge_label(&edge).unwrap();
    for new in [
        NewIndexLabel::on_vertices("v_count", "v", IndexType::Range, &["count"]),
        NewIndexLabel::on_vertices("v_set", "v", IndexType::Secondary, &["set"]),
        NewIndexLabel {
            on_vertices: false,
            ..NewIndexLabel::on_vertices("e_count", "e", IndexType::Range, &["count"])
        },
        NewIndexLabel {
            on_vertices: false,
            ..NewIndexLabel::on_vertices("e_list", "e", IndexType::Secondary, &["list"])
        },
    ] {
        let (_, _, task) = graph.jobs().create_index_label(&new).unwrap();
        while !graph.jobs().task(task).unwrap().status.is_final() {
            std::thread::yield_now();
        }
    }
    (store, graph)
}

fn vertex((element, values): &Record) -> NewVertex<'static> {
    NewVertex { label: Some("v".into()), id: Some(Literal::Integer(i64::from(*element))), properties: given(values) }
}

fn edge((element, values): &Record) -> EdgeRecord<'static> {
    let end = |n: u8| Some(Literal::Integer(i64::from(n)));
    EdgeRecord {
        id: None,
        edge: NewEdge {
            label: Some("e".into()),
            source: end(element % 2),
            source_label: None,
            target: end(*element),
            target_label: None,
            properties: given(values),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_graph_holds_what_the_strategies_make(
        requests in prop::collection::vec((prop::collection::vec(record(), 1..6), strategies()), 1..5),
    ) {
        let (_store, graph) = subject(requests.len() % 2 == 1);
        let mut model: BTreeMap<u8, Known> = BTreeMap::new();
        for (records, strategies) in &requests {
            let named: Vec<_> =
                strategies.iter().map(|(key, strategy)| (Cow::Borrowed(KEYS[*key].0), *strategy)).collect();
            let vertices: Vec<_> = records.iter().map(vertex).collect();
            let edges: Vec<_> = records.iter().map(edge).collect();
            let answered =
                graph.writer().update_vertices(&vertices, &named, Wait::Never).and_then(Pending::wait).unwrap();
            let edges =
                graph.writer().update_edges(&edges, &named, false, Wait::Never).and_then(Pending::wait).unwrap();
            update(&mut model, records, strategies);
            let touched: BTreeSet<u8> = records.iter().map(|record| record.0).collect();
            prop_assert_eq!(answered.len(), touched.len());
            prop_assert_eq!(edges.len(), touched.len());
            for vertex in answered.iter() {
                let stored = graph.reader().vertex(&vertex.id).unwrap().unwrap();
                prop_assert_eq!(&stored, vertex);
            }
            for edge in edges.iter() {
                let stored = graph.reader().edge(&edge.id).unwrap().unwrap();
                prop_assert_eq!(&stored, edge);
            }
        }
        let report = check_indexes(&graph, false, &Budget::unlimited(), &mut |_| ()).unwrap();
        prop_assert_eq!(report.total(), 0, "{:?}", report);
        let has = |model: &BTreeMap<u8, Known>, key|
            model.values().any(|known| known.get(&key).is_some_and(|v| !v.is_empty()));
        prop_assert_eq!(report.entries > 0, [0, 2, 3].into_iter().any(|key| has(&model, key)));
        for (element, expected) in &model {
            let stored = graph.reader().vertex(&VertexId::Number(i64::from(*element))).unwrap().unwrap();
            prop_assert_eq!(&known(&graph, &stored.properties), expected);
            let id = graph.writer().update_edges(
                &[edge(&(*element, Known::new()))],
                &[("note".into(), UpdateStrategy::Override)],
                false,
                Wait::Never,
            ).and_then(Pending::wait).unwrap().remove(0).id;
            prop_assert_eq!(&known(&graph, &graph.reader().edge(&id).unwrap().unwrap().properties), expected);
        }
    }
}

#[test]
fn a_request_is_done_as_a_whole_or_not_at_all_and_the_error_says_where() {
    let (_store, graph) = subject(true);
    let sum = [(Cow::Borrowed("count"), UpdateStrategy::Sum)];
    let counted = |element, count| vertex(&(element, Known::from([(0, vec![count])])));
    let write =
        |records: &[NewVertex<'_>]| graph.writer().update_vertices(records, &sum, Wait::Never).and_then(Pending::wait);
    write(&[counted(1, i64::from(i32::MAX))]).unwrap();
    for (records, at) in [
        (vec![counted(0, 1), counted(1, 1)], 1),
        (vec![counted(0, i64::from(i32::MAX)), counted(2, 1), counted(0, 1), counted(2, 1)], 2),
        (vec![counted(0, 1), NewVertex { id: None, ..counted(2, 1) }], 1),
    ] {
        match write(&records) {
            Err(StoreError::Element { index, error }) => assert_eq!(index, Some(at), "{error}"),
            other => unreachable!("{other:?}"),
        }
        assert!(graph.reader().vertex(&VertexId::Number(0)).unwrap().is_none());
    }
    let other = NewVertex { label: Some("w".into()), properties: vec![], ..counted(1, 1) };
    let error = write(&[other]).unwrap_err();
    assert!(
        matches!(&error, StoreError::Element { error, .. } if matches!(**error, ElementError::LabelDiffers { .. })),
        "{error}"
    );
}

#[test]
fn edges_without_ends_are_refused_when_asked_to_look() {
    let (_store, graph) = subject(true);
    let strategies = [(Cow::Borrowed("count"), UpdateStrategy::Sum)];
    let records = [edge(&(0, Known::new())), edge(&(1, Known::new()))];
    let update = |check| graph.writer().update_edges(&records, &strategies, check, Wait::Never).and_then(Pending::wait);
    graph
        .writer()
        .update_vertices(&[vertex(&(0, Known::new()))], &strategies, Wait::Never)
        .and_then(Pending::wait)
        .unwrap();
    assert!(matches!(update(true), Err(StoreError::EndNotFound { index: Some(1), .. })));
    assert_eq!(update(false).unwrap().len(), 2);
}

/// Threads add to the same counter at once: none of the additions is lost.
#[test]
fn concurrent_sums_add_up() {
    let (_store, graph) = subject(true);
    let sum = [(Cow::Borrowed("count"), UpdateStrategy::Sum)];
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let records =
                        [vertex(&(0, Known::from([(0, vec![1])]))), vertex(&(1, Known::from([(0, vec![2])])))];
                    graph.writer().update_vertices(&records, &sum, Wait::Allowed).and_then(Pending::wait).unwrap();
                }
            });
        }
    });
    for (id, expected) in [(0, 200), (1, 400)] {
        let stored = graph.reader().vertex(&VertexId::Number(id)).unwrap().unwrap();
        assert_eq!(known(&graph, &stored.properties), Known::from([(0, vec![expected])]));
    }
}
