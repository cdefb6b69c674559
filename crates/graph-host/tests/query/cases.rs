//! Single cases: tokens, starts of traversals, many ids, what has expired, scans.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use graph_access::{Budget, GraphRead as _, Lookup};
use graph_model::{Edge, IdStrategy, Vertex, VertexId};
use graph_schema::{Conditions, IndexType, Literal, NewIndexLabel, NewPredicate, NewVertex, NewVertexLabel};
use graph_store::{GraphReader, Range, Scan, Shard, StoreError, VertexSelector, Wait, limits};
use jiff::tz::TimeZone;

use crate::fixture::{ALL, Given, INDEXES, conditions, create_index, edges, graph_of, predicate, pulled, vertices};

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
    let select = |selector: VertexSelector| graph.reader().select_vertices(&selector, &Budget::unlimited());
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

#[test]
fn a_token_ends_with_its_index() {
    let elements: Vec<(usize, Given)> = (0..10).map(|_| (0, [0, 1, 0, 0, 0, 0])).collect();
    let (_store, graph) = graph_of(&[(0, INDEXES[1]), (0, INDEXES[7])], &elements, true);
    let asked = conditions(&graph.catalogue(), &[(1, predicate(1, 4, 3, 0))]);
    let page = |token: String| vertices(&graph, Some("person"), &asked, Range::Page { token, limit: Some(3) });
    let token = page(String::new()).unwrap().1.unwrap();
    let task = graph.jobs().remove_index_label("personbyAgeWeight").unwrap();
    while !graph.jobs().task(task).unwrap().status.is_final() {
        std::thread::yield_now();
    }
    assert!(matches!(page(token), Err(StoreError::Page { .. })), "its index is gone");
    assert_eq!(page(String::new()).unwrap().0.len(), 3, "another one serves");
}

#[test]
fn indexes_with_many_elements_are_combined_too() {
    let (_store, graph) = graph_of(&[(0, INDEXES[0]), (0, INDEXES[2])], &[], true);
    let count = i64::try_from(limits::INTERSECT_IDS_MAX).unwrap() + 200;
    for some in (0..count).collect::<Vec<_>>().chunks(300) {
        let new = |n: &i64| NewVertex {
            label: Some("person".into()),
            id: Some(Literal::Integer(*n)),
            properties: vec![
                ("city".into(), Literal::Text(if n % 100 == 7 { "rome".into() } else { "oslo".into() })),
                ("weight".into(), Literal::Float(if n % 50 == 7 { 7.25 } else { 0.0 })),
            ],
        };
        let batch: Vec<NewVertex<'_>> = some.iter().map(new).collect();
        graph.writer().insert_vertices(&batch, Wait::Allowed).unwrap().wait().unwrap();
    }
    let catalogue = graph.catalogue();
    let found = |city: &'static str, weight| {
        let given = [
            (Cow::Borrowed("city"), NewPredicate::Equal(Literal::Text(Cow::Borrowed(city)))),
            (Cow::Borrowed("weight"), NewPredicate::Equal(Literal::Float(weight))),
        ];
        let conditions = catalogue.check_conditions(&given, &TimeZone::UTC).unwrap();
        vertices(&graph, Some("person"), &conditions, ALL).unwrap().0.len()
    };
    let of = |pick: &dyn Fn(i64) -> bool| (0..count).filter(|n| pick(*n)).count();
    assert_eq!(found("rome", 7.25), of(&|n| n % 100 == 7));
    assert_eq!(found("oslo", 7.25), of(&|n| n % 100 == 57));
    assert_eq!(found("oslo", 0.0), of(&|n| n % 50 != 7));
    assert_eq!(found("rome", 0.0), 0);
}

#[test]
fn what_has_expired_is_not_found() {
    let (_store, graph) = graph_of(&[], &[], true);
    let brief = NewVertexLabel {
        id_strategy: Some(IdStrategy::CustomizeNumber),
        properties: vec!["age".to_owned()],
        ttl_ms: 1,
        ..NewVertexLabel::new("brief")
    };
    graph.schema().create_vertex_label(&brief).unwrap();
    create_index(&graph, &NewIndexLabel::on_vertices("briefByAge", "brief", IndexType::Range, &["age"]));
    let properties = vec![("age".into(), Literal::Integer(0))];
    let new = NewVertex { label: Some("brief".into()), id: Some(Literal::Integer(1)), properties };
    graph.writer().insert_vertex(&new, Wait::Allowed).unwrap().wait().unwrap();
    while graph.reader().vertex(&VertexId::Number(1)).unwrap().is_some() {
        std::thread::yield_now();
    }
    let asked = conditions(&graph.catalogue(), &[(1, predicate(1, 8, 1, 0))]);
    assert_eq!(vertices(&graph, Some("brief"), &asked, ALL).unwrap().0, []);
}

#[test]
fn shards_hold_every_element_once() {
    let elements: Vec<(usize, Given)> = (0..300).map(|n| (n % 3, [0, 1, 0, 0, 0, 0])).collect();
    let (_store, graph) = graph_of(&[], &elements, true);
    let scan = |shard: &Shard, range| Scan { start: shard.start.clone(), end: shard.end.clone(), range };
    let (mut vertex_ids, mut edge_ids) = (Vec::new(), Vec::new());
    let shards = graph.reader().vertex_shards(1_000).unwrap();
    assert!(shards.len() > 5, "{shards:?}");
    for shard in &shards {
        let (mut paged, mut token) = (Vec::new(), String::new());
        loop {
            let page = scan(shard, Range::Page { token, limit: Some(7) });
            let listed = graph.reader().scan_vertices(&page, &Budget::unlimited(), &mut |vertex| {
                paged.push(vertex.id.clone());
                ControlFlow::Continue(())
            });
            match listed.unwrap().next {
                Some(next) => token = next,
                None => break,
            }
        }
        let before = vertex_ids.len();
        let listed = graph.reader().scan_vertices(&scan(shard, ALL), &Budget::unlimited(), &mut |vertex| {
            vertex_ids.push(vertex.id.clone());
            ControlFlow::Continue(())
        });
        assert_eq!(listed.unwrap().next, None);
        assert_eq!(paged, vertex_ids[before..]);
    }
    let shards = graph.reader().edge_shards(1_000).unwrap();
    assert!(shards.len() > 5, "{shards:?}");
    for shard in &shards {
        let listed = graph.reader().scan_edges(&scan(shard, ALL), &Budget::unlimited(), &mut |edge| {
            edge_ids.push(edge.id.clone());
            ControlFlow::Continue(())
        });
        listed.unwrap();
    }
    let none = Conditions::default();
    assert_eq!(vertex_ids, vertices(&graph, None, &none, ALL).unwrap().0);
    assert_eq!(edge_ids, edges(&graph, None, &none, ALL).unwrap().0);
    assert_eq!(edge_ids.iter().collect::<BTreeSet<_>>().len(), 100);
    for start in ["AQk", "~AQk", "~", "?"] {
        let wrong = Scan { start: start.to_owned(), end: String::new(), range: ALL };
        let refused = graph.reader().scan_vertices(&wrong, &Budget::unlimited(), &mut |_| ControlFlow::Continue(()));
        assert!(matches!(refused, Err(StoreError::ShardBound { name: "start" })), "{start}");
    }
}

/// Where one shard holds everything, its bounds are HugeGraph's: the first and the last id in the order of its stores.
#[test]
fn the_only_shard_is_bounded_by_ids() {
    let elements: Vec<(usize, Given)> = (0..300).map(|n| (n % 3, [0, 1, 0, 0, 0, 0])).collect();
    let (_store, graph) = graph_of(&[], &elements, true);
    let binary = |id: &VertexId| {
        let mut bytes = Vec::new();
        id.write_binary(&mut bytes);
        bytes
    };
    let between = |start: &str, end: &str| {
        let scan = Scan { start: start.to_owned(), end: end.to_owned(), range: ALL };
        let mut ids = Vec::new();
        let visit = &mut |vertex: &Vertex| {
            ids.push(vertex.id.clone());
            ControlFlow::Continue(())
        };
        graph.reader().scan_vertices(&scan, &Budget::unlimited(), visit).unwrap();
        ids
    };
    let all = vertices(&graph, None, &Conditions::default(), ALL).unwrap().0;
    let mut sorted: Vec<Vec<u8>> = all.iter().map(binary).collect();
    sorted.sort();
    let (first, last) = (sorted.first().unwrap(), sorted.last().unwrap());
    let [shard] = <[Shard; 1]>::try_from(graph.reader().vertex_shards(1 << 30).unwrap()).unwrap();
    assert_eq!(
        (shard.start.clone(), shard.end.clone()),
        (STANDARD.encode(first), STANDARD.encode([&**last, &[0]].concat()))
    );
    assert_eq!(between(&shard.start, &shard.end), all);
    for middle in [&sorted[1], &sorted[100], &[0x85][..].to_vec(), &Vec::new()] {
        let cut = STANDARD.encode(middle);
        let parts = [between("", &cut), between(&cut, "")];
        assert!(middle.is_empty() || parts[0].iter().all(|id| binary(id) < *middle));
        assert!(parts[1].iter().all(|id| binary(id) >= *middle));
        let mut whole: Vec<VertexId> = if middle.is_empty() { parts[1].clone() } else { parts.concat() };
        whole.sort();
        let mut expected = all.clone();
        expected.sort();
        assert_eq!(whole, expected, "the parts on both sides of {middle:?} are everything");
    }
    let [shard] = <[Shard; 1]>::try_from(graph.reader().edge_shards(1 << 30).unwrap()).unwrap();
    let scan = Scan { start: shard.start, end: shard.end, range: ALL };
    let mut found = Vec::new();
    let visit = &mut |edge: &Edge| {
        found.push(edge.id.clone());
        ControlFlow::Continue(())
    };
    graph.reader().scan_edges(&scan, &Budget::unlimited(), visit).unwrap();
    assert_eq!(found, edges(&graph, None, &Conditions::default(), ALL).unwrap().0);
}

#[test]
fn a_look_up_that_is_pulled_is_of_one_moment() {
    let person = |at| (0, [0, at, 9, 9, 9, 9]);
    let (_store, graph) = graph_of(&[(0, INDEXES[1])], &[person(1), person(2), person(3), person(1)], true);
    let conditions = conditions(&graph.catalogue(), &[(1, predicate(1, 4, 3, 0))]);
    let (all, _) = vertices(&graph, Some("person"), &conditions, ALL).unwrap();
    assert_eq!(all.len(), 4);
    let budget = Budget::unlimited();
    let reader = GraphReader::new(&graph, &graph.catalogue(), &budget);
    let label = Some(graph.catalogue().vertex_label_named("person").unwrap().id);
    let mut cursor = reader.find_vertices(Lookup { label, conditions, ..Lookup::default() }).unwrap();
    let mut batch = Vec::new();
    cursor.next_batch(&mut batch, 1).unwrap();
    let mut found: Vec<_> = batch.drain(..).map(|vertex| vertex.id).collect();
    for id in &all {
        graph.writer().delete_vertex(id, Wait::Allowed).unwrap().wait().unwrap();
    }
    found.extend(pulled(&mut *cursor, 2).unwrap().into_iter().map(|vertex| vertex.id));
    assert_eq!(found, all);
}
