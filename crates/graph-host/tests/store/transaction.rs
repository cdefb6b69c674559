//! Does a transaction show its own writes to its reads, and all of them or none to others?

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use graph_access::{AccessError, Budget, Cursor, EdgeRead, GraphRead as _, GraphWrite as _, Lookup};
use graph_host::HostedGraph;
use graph_maintenance::check_indexes;
use graph_model::{Cardinality, DataType, Direction, EdgeId, ErrorKind, LabelId, Properties, Value, VertexId};
use graph_schema::{Conditions, IndexType, Literal, NewEdge, NewIndexLabel, NewPredicate, NewVertex};
use graph_store::{Transaction, Wait, limits};
use kv::{Fault, FaultEngine, KvError};
use proptest::prelude::*;

use crate::common::{EDGES, LABELS, define_schema};
use crate::fixture::*;
use crate::parked::{ParkedEngine, Rounds};

/// A write: positions of labels, numbers of vertices, values.
#[derive(Clone, Debug)]
enum Step {
    Vertex(usize, u8, Option<i32>),
    Vertices(Vec<(usize, u8, Option<i32>)>),
    Edge(usize, u8, u8, u8),
    Edges(Vec<(usize, u8, u8, u8)>),
    DeleteVertex(usize, u8),
    DeleteEdge(usize, u8, u8, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let (label, n) = (0..LABELS.len(), 0u8..3);
    let edge = (0..EDGES.len(), 0u8..3, 0u8..3, 0u8..2);
    let vertex = (label.clone(), n.clone(), prop::option::of(0..4i32));
    prop_oneof![
        4 => (label.clone(), n.clone(), prop::option::of(0..4i32)).prop_map(|(l, n, v)| Step::Vertex(l, n, v)),
        2 => prop::collection::vec(vertex, 0..5).prop_map(Step::Vertices),
        6 => edge.clone().prop_map(|(l, a, b, s)| Step::Edge(l, a, b, s)),
        2 => prop::collection::vec(edge.clone(), 0..4).prop_map(Step::Edges),
        3 => (label, n).prop_map(|(l, n)| Step::DeleteVertex(l, n)),
        2 => edge.prop_map(|(l, a, b, s)| Step::DeleteEdge(l, a, b, s)),
    ]
}

/// What a graph holds: vertices with their value, edges.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    vertices: BTreeMap<VertexId, Option<i32>>,
    edges: BTreeSet<EdgeId>,
}

/// Numbers of the labels, and ids made with them.
struct Names {
    labels: Vec<LabelId>,
    edge_labels: Vec<LabelId>,
}

impl Names {
    fn new(graph: &HostedGraph) -> Self {
        Self {
            labels: LABELS.iter().map(|name| vertex_label_id(graph, name)).collect(),
            edge_labels: EDGES.iter().map(|(name, ..)| edge_label_id(graph, name)).collect(),
        }
    }

    fn id(&self, label: usize, n: u8) -> VertexId {
        match label {
            0 => string_id(&format!("{}:k{n}", self.labels[0].0)),
            1 => string_id(&format!("name{n}")),
            2 => VertexId::Number(n.into()),
            _ => VertexId::Uuid(n.into()),
        }
    }

    fn edge_id(&self, label: usize, source: u8, target: u8, sort: u8) -> EdgeId {
        let (name, from, to) = EDGES[label];
        let sort_values = if name == "many" { graph_model::encode_number(sort.into()) } else { String::new() };
        let (source, target) = (self.id(from, source), self.id(to, target));
        EdgeId { label: self.edge_labels[label], source, sort_values: sort_values.into(), target }
    }

    /// All ids there can be.
    fn ids(&self) -> Vec<VertexId> {
        (0..LABELS.len()).flat_map(|label| (0..3).map(move |n| self.id(label, n))).collect()
    }
}

impl Model {
    /// All or none.
    fn add_edges(&mut self, names: &Names, all: &[(usize, u8, u8, u8)]) -> bool {
        let ids: Vec<EdgeId> = all.iter().map(|(label, a, b, sort)| names.edge_id(*label, *a, *b, *sort)).collect();
        let ends = ids.iter().flat_map(|id| [&id.source, &id.target]);
        let have_ends = ends.into_iter().all(|end| self.vertices.contains_key(end));
        if have_ends {
            self.edges.extend(ids);
        }
        have_ends
    }

    /// Does a step; false where it is refused.
    fn apply(&mut self, names: &Names, step: &Step) -> bool {
        match *step {
            Step::Vertex(label, n, value) => {
                self.vertices.insert(names.id(label, n), value);
                true
            }
            Step::Vertices(ref all) => {
                self.vertices.extend(all.iter().map(|(label, n, value)| (names.id(*label, *n), *value)));
                true
            }
            Step::Edge(label, a, b, sort) => self.add_edges(names, &[(label, a, b, sort)]),
            Step::Edges(ref all) => self.add_edges(names, all),
            Step::DeleteVertex(label, n) => {
                let id = names.id(label, n);
                let found = self.vertices.remove(&id).is_some();
                if found {
                    self.edges.retain(|edge| edge.source != id && edge.target != id);
                }
                found
            }
            Step::DeleteEdge(label, a, b, sort) => self.edges.remove(&names.edge_id(label, a, b, sort)),
        }
    }
}

fn literal(id: &VertexId) -> Literal<'static> {
    match id {
        VertexId::Number(number) => Literal::Integer(*number),
        VertexId::String(id) => text(id),
        VertexId::Uuid(uuid) => text(&format!("{uuid:032x}")),
    }
}

fn new_vertex(names: &Names, label: usize, n: u8, value: Option<i32>) -> NewVertex<'static> {
    let mut given = Vec::new();
    given.extend(value.map(|value| ("value", Literal::Integer(value.into()))));
    let id = match label {
        0 => {
            given.push(("key", text(&format!("k{n}"))));
            None
        }
        _ => Some(literal(&names.id(label, n))),
    };
    NewVertex { properties: properties(&given), ..vertex(LABELS[label], id) }
}

fn new_edge(names: &Names, label: usize, a: u8, b: u8, sort: u8) -> NewEdge<'static> {
    let (name, from, to) = EDGES[label];
    let end = |label: usize, n| (LABELS[label], literal(&names.id(label, n)));
    let given = if name == "many" { properties(&[("sort", Literal::Integer(sort.into()))]) } else { vec![] };
    NewEdge { properties: given, ..edge(name, end(from, a), end(to, b)) }
}

fn write(unit: &mut Transaction<'_>, names: &Names, step: &Step) -> Result<(), AccessError> {
    match *step {
        Step::Vertex(label, n, value) => unit.insert_vertex(&new_vertex(names, label, n, value)).map(drop),
        Step::Vertices(ref all) => {
            let new: Vec<_> = all.iter().map(|(label, n, value)| new_vertex(names, *label, *n, *value)).collect();
            unit.insert_vertices(&new).map(|written| assert_eq!(written.len(), new.len()))
        }
        Step::Edge(label, a, b, sort) => unit.insert_edge(&new_edge(names, label, a, b, sort)).map(drop),
        Step::Edges(ref all) => {
            let new: Vec<_> = all.iter().map(|(label, a, b, sort)| new_edge(names, *label, *a, *b, *sort)).collect();
            unit.insert_edges(&new).map(|written| assert_eq!(written.len(), new.len()))
        }
        Step::DeleteVertex(label, n) => unit.delete_vertex(&names.id(label, n)),
        Step::DeleteEdge(label, a, b, sort) => unit.delete_edge(&names.edge_id(label, a, b, sort)),
    }
}

fn write_at_once(graph: &HostedGraph, names: &Names, step: &Step) -> bool {
    let (writer, wait) = (graph.writer(), Wait::Allowed);
    let outcome = match *step {
        Step::Vertex(label, n, value) => {
            writer.insert_vertex(&new_vertex(names, label, n, value), wait).and_then(|it| it.wait().map(drop))
        }
        Step::Vertices(ref all) => {
            let new: Vec<_> = all.iter().map(|(label, n, value)| new_vertex(names, *label, *n, *value)).collect();
            writer.insert_vertices(&new, wait).and_then(|it| it.wait().map(drop))
        }
        Step::Edge(label, a, b, sort) => {
            writer.insert_edge(&new_edge(names, label, a, b, sort), wait).and_then(|it| it.wait().map(drop))
        }
        Step::Edges(ref all) => {
            let new: Vec<_> = all.iter().map(|(label, a, b, sort)| new_edge(names, *label, *a, *b, *sort)).collect();
            writer.insert_edges(&new, true, wait).and_then(|it| it.wait().map(drop))
        }
        Step::DeleteVertex(label, n) => writer.delete_vertex(&names.id(label, n), wait).and_then(|it| it.wait()),
        Step::DeleteEdge(label, a, b, sort) => {
            writer.delete_edge(&names.edge_id(label, a, b, sort), wait).and_then(|it| it.wait())
        }
    };
    outcome.is_ok()
}

fn pulled<T>(cursor: Result<Box<dyn Cursor<T> + '_>, AccessError>, rows_max: usize) -> Vec<T> {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    let mut cursor = cursor.unwrap();
    loop {
        cursor.next_batch(&mut batch, rows_max).unwrap();
        if batch.is_empty() {
            return all;
        }
        all.append(&mut batch);
    }
}

fn value(graph: &HostedGraph, properties: &Properties) -> Option<i32> {
    match properties.get(graph.catalogue().property_key_named("value").unwrap().id) {
        Some(Value::Int(value)) => Some(*value),
        _ => None,
    }
}

fn conditions(graph: &HostedGraph, name: &'static str, predicate: NewPredicate<'static>) -> Conditions {
    let asked = [(name.into(), predicate)];
    graph.catalogue().check_conditions(&asked, &jiff::tz::TimeZone::UTC).unwrap()
}

/// Reads everything in every way the port has.
fn read(reader: &dyn graph_access::GraphRead, graph: &HostedGraph, names: &Names, indexed: bool, size: usize) -> Model {
    let mut found = Model::default();
    let vertices = pulled(reader.scan_vertices(None), size);
    for vertex in &vertices {
        let twice = found.vertices.insert(vertex.id.clone(), value(graph, &vertex.properties));
        assert_eq!(twice, None, "{} is given twice", vertex.id);
    }
    let ids = names.ids();
    let by_id: Vec<_> = reader.vertices(&ids).unwrap();
    for (id, vertex) in ids.iter().zip(by_id) {
        assert_eq!(vertex.map(|vertex| value(graph, &vertex.properties)), found.vertices.get(id).copied());
    }
    let of_labels = names.labels.iter().flat_map(|label| pulled(reader.scan_vertices(Some(*label)), size));
    assert_eq!(of_labels.map(|vertex| vertex.id).collect::<BTreeSet<_>>(), found.vertices.keys().cloned().collect());
    let edges = pulled(reader.scan_edges(None), size);
    for edge in &edges {
        assert!(found.edges.insert(edge.id.clone()), "an edge is given twice");
    }
    let all: Vec<EdgeId> = edges.iter().map(|edge| edge.id.clone()).collect();
    assert!(reader.edges(&all).unwrap().iter().all(Option::is_some));
    let owners: Vec<&VertexId> = ids.iter().collect();
    for direction in [Direction::Out, Direction::In] {
        let asked = EdgeRead { direction, labels: None, limit: None, properties: true };
        let rows = pulled(reader.edges_of(&owners, asked), size);
        let around: BTreeSet<_> =
            rows.into_iter().map(|row| row.owner).zip(0..).map(|(_, at): (_, usize)| at).collect();
        assert_eq!(around.len(), found.edges.len(), "edges {direction:?}");
        let rows = pulled(reader.edges_of(&owners, asked), size).into_iter();
        let ids = rows.map(|row| (owners[row.owner].clone(), row)).map(|(owner, row)| row.into_edge(owner).id);
        assert_eq!(ids.collect::<BTreeSet<_>>(), found.edges);
    }
    if indexed {
        let above = NewPredicate::Range { low: Bound::Included(Literal::Integer(2)), high: Bound::Unbounded };
        for (label, predicate) in [(0, above), (1, NewPredicate::Equal(Literal::Integer(2)))] {
            let conditions = conditions(graph, "value", predicate);
            let lookup =
                Lookup { label: Some(names.labels[label]), conditions: conditions.clone(), ..Lookup::default() };
            let met = pulled(reader.find_vertices(lookup), size).into_iter().map(|vertex| vertex.id);
            let of_label = vertices.iter().filter(|vertex| vertex.label == names.labels[label]);
            let expected = of_label.filter(|vertex| conditions.matches(&vertex.properties)).map(|it| it.id.clone());
            assert_eq!(met.collect::<BTreeSet<_>>(), expected.collect());
        }
        let conditions = conditions(graph, "sort", NewPredicate::Equal(Literal::Integer(1)));
        let lookup = Lookup { label: None, conditions: conditions.clone(), ..Lookup::default() };
        let met = pulled(reader.find_edges(lookup), size).into_iter().map(|edge| edge.id);
        let expected = edges.iter().filter(|edge| conditions.matches(&edge.properties)).map(|edge| edge.id.clone());
        assert_eq!(met.collect::<BTreeSet<_>>(), expected.collect());
    }
    found
}

/// What everybody else reads, with index entries that agree with the elements.
fn read_outside(graph: &HostedGraph, names: &Names, indexed: bool, size: usize) -> Model {
    let budget = Budget::unlimited();
    let reader = graph_store::GraphReader::new(graph, &graph.catalogue(), &budget);
    let report = check_indexes(graph, false, &budget, &mut |_| ()).unwrap();
    assert_eq!(report.faults.iter().sum::<u64>(), 0, "{report:?}");
    read(&reader, graph, names, indexed, size)
}

fn graph_with(indexed: bool, scattered: bool) -> (graph_host::Store, std::sync::Arc<HostedGraph>) {
    let store = graph_host::Store::open(crate::common::engine(scattered), Default::default()).unwrap();
    let graph = graph(&store);
    define_schema(&graph);
    if indexed {
        for new in [
            NewIndexLabel::on_vertices("keyed_by_value", "keyed", IndexType::Range, &["value"]),
            NewIndexLabel::on_vertices("named_by_value", "named", IndexType::Secondary, &["value"]),
            NewIndexLabel::on_edges("many_by_sort", "many", IndexType::Secondary, &["sort"]),
        ] {
            let (.., task) = graph.jobs().create_index_label(&new).unwrap();
            ended(&graph, task);
        }
    }
    (store, graph)
}

#[test]
fn an_edge_that_was_taken_back_still_needed_its_ends() {
    let (_store, graph) = graph_with(false, false);
    let names = Names::new(&graph);
    let edge = Step::Edge(0, 1, 2, 0);
    for takes_back in [Step::DeleteVertex(0, 1), Step::DeleteEdge(0, 1, 2, 0)] {
        for vertex in [Step::Vertex(0, 1, None), Step::Vertex(1, 2, None)] {
            assert!(write_at_once(&graph, &names, &vertex));
        }
        let budget = Budget::unlimited();
        let mut unit = graph.transaction(&budget);
        assert!(write(&mut unit, &names, &edge).is_ok() && write(&mut unit, &names, &takes_back).is_ok());
        assert!(write_at_once(&graph, &names, &Step::DeleteVertex(1, 2)));
        assert!(Box::new(unit).commit().is_err(), "{takes_back:?}");
    }
}

#[test]
fn a_vertex_that_is_written_again_still_was_needed_by_an_edge() {
    let (_store, graph) = graph_with(false, false);
    let names = Names::new(&graph);
    for vertex in [Step::Vertex(0, 0, None), Step::Vertex(3, 1, None)] {
        assert!(write_at_once(&graph, &names, &vertex));
    }
    let budget = Budget::unlimited();
    let mut unit = graph.transaction(&budget);
    assert!(write(&mut unit, &names, &Step::Edge(2, 0, 1, 0)).is_ok());
    assert!(write(&mut unit, &names, &Step::Vertex(3, 1, None)).is_ok());
    assert!(write_at_once(&graph, &names, &Step::DeleteVertex(3, 1)));
    assert!(Box::new(unit).commit().is_err());
}

#[test]
fn an_edge_that_comes_after_its_end_was_removed_is_not_there_to_be_removed() {
    let (_store, graph) = graph_with(false, false);
    let names = Names::new(&graph);
    assert!(write_at_once(&graph, &names, &Step::Vertex(2, 0, None)));
    let budget = Budget::unlimited();
    let mut unit = graph.transaction(&budget);
    assert!(write(&mut unit, &names, &Step::DeleteVertex(2, 0)).is_ok());
    assert!(write_at_once(&graph, &names, &Step::Edge(1, 0, 0, 0)));
    assert!(write(&mut unit, &names, &Step::DeleteEdge(1, 0, 0, 0)).is_err());
    Box::new(unit).commit().unwrap();
    assert_eq!(read_outside(&graph, &names, false, 3), Model::default());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Each write is seen by reads of the transaction at once, and by nobody else until it commits.
    #[test]
    fn a_transaction_sees_its_writes_and_others_see_all_or_none(
        before in prop::collection::vec(step(), 0..20), steps in prop::collection::vec((step(), any::<bool>()), 0..20),
        indexed in any::<bool>(), scattered in any::<bool>(), commits in any::<bool>(), size in 1usize..5,
    ) {
        let (_store, graph) = graph_with(indexed, scattered);
        let names = Names::new(&graph);
        let mut outside = Model::default();
        for step in &before {
            prop_assert_eq!(write_at_once(&graph, &names, step), outside.apply(&names, step));
        }
        let budget = Budget::unlimited();
        let mut unit = graph.transaction(&budget);
        let mut inside = outside.clone();
        for (step, is_read) in &steps {
            prop_assert_eq!(write(&mut unit, &names, step).is_ok(), inside.apply(&names, step), "{:?}", step);
            // Before the first read a unit that only inserts has no rows.
            if !is_read {
                continue;
            }
            prop_assert_eq!(&read(&unit, &graph, &names, indexed, size), &inside);
            prop_assert_eq!(&read_outside(&graph, &names, indexed, size), &outside);
        }
        if commits {
            Box::new(unit).commit().unwrap();
            outside = inside;
        } else {
            drop(unit);
        }
        prop_assert_eq!(&read_outside(&graph, &names, indexed, size), &outside);
    }

    /// A commit does what the calls said as if they came then, or nothing where one of them would be refused.
    #[test]
    fn a_commit_is_as_if_its_calls_came_then(
        before in prop::collection::vec(step(), 0..20), steps in prop::collection::vec((any::<bool>(), step()), 0..24),
        indexed in any::<bool>(), scattered in any::<bool>(),
    ) {
        let (_store, graph) = graph_with(indexed, scattered);
        let names = Names::new(&graph);
        let mut outside = Model::default();
        for step in &before {
            prop_assert_eq!(write_at_once(&graph, &names, step), outside.apply(&names, step));
        }
        let budget = Budget::unlimited();
        let mut unit = graph.transaction(&budget);
        let mut calls = Vec::new();
        for (inside, step) in &steps {
            if *inside {
                calls.extend(write(&mut unit, &names, step).is_ok().then_some(step));
            } else {
                prop_assert_eq!(write_at_once(&graph, &names, step), outside.apply(&names, step));
            }
        }
        let mut then = outside.clone();
        let accepted = calls.iter().all(|step| then.apply(&names, step));
        prop_assert_eq!(Box::new(unit).commit().is_ok(), accepted);
        prop_assert_eq!(&read_outside(&graph, &names, indexed, 3), if accepted { &then } else { &outside });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Whoever commits at the same time, edges have both ends and both sides, and index entries agree with elements.
    #[test]
    fn transactions_of_several_threads_leave_a_whole_graph(
        units in prop::collection::vec(prop::collection::vec(step(), 1..8), 160), scattered in any::<bool>(),
    ) {
        let (_store, graph) = graph_with(true, scattered);
        let names = Names::new(&graph);
        let (budget, graph, names) = (&Budget::unlimited(), &graph, &names);
        std::thread::scope(|scope| {
            for units in units.chunks(40) {
                scope.spawn(move || {
                    for steps in units {
                        let mut unit = graph.transaction(budget);
                        // Some are refused, as are some commits.
                        steps.iter().for_each(|step| drop(write(&mut unit, names, step)));
                        drop(Box::new(unit).commit());
                    }
                });
            }
        });
        let left = read_outside(graph, names, true, 7);
        for edge in &left.edges {
            prop_assert!(left.vertices.contains_key(&edge.source) && left.vertices.contains_key(&edge.target));
        }
        let [out, into] = adjacency(graph.engine());
        prop_assert_eq!(out, into);
    }
}

fn numbered(n: i64) -> NewVertex<'static> {
    vertex("numbered", Some(Literal::Integer(n)))
}

fn loops(a: i64, b: i64) -> NewEdge<'static> {
    edge("loops", ("numbered", Literal::Integer(a)), ("numbered", Literal::Integer(b)))
}

#[test]
fn a_transaction_is_one_write_and_a_dropped_one_is_none() {
    let engine = std::sync::Arc::new(ParkedEngine::new(memory()));
    let (_store, graph) = store(&engine);
    define_schema(&graph);
    let budget = Budget::unlimited();
    let before = all_rows(&*engine);
    engine.rounds();
    let mut unit = graph.transaction(&budget);
    (0..50).for_each(|n| drop(unit.insert_vertex(&numbered(n)).unwrap()));
    (0..50).for_each(|n| drop(unit.insert_edge(&loops(n, 49 - n)).unwrap()));
    drop(unit);
    assert_eq!(engine.rounds().writes, 0);
    assert_eq!(all_rows(&*engine), before);
    let mut unit = graph.transaction(&budget);
    (0..50).for_each(|n| drop(unit.insert_vertex(&numbered(n)).unwrap()));
    (0..50).for_each(|n| drop(unit.insert_edge(&loops(n, 49 - n)).unwrap()));
    engine.rounds();
    Box::new(unit).commit().unwrap();
    // The vertices and the edges that are replaced; ends are in the unit.
    assert_eq!(engine.rounds(), Rounds { reads: 2, writes: 1 });
    assert_eq!(listed_edges(&graph, None, None).unwrap().len(), 50);
}

#[test]
fn a_unit_with_more_than_it_keeps_without_rows_is_read_as_a_whole() {
    let (_store, graph) = store(&memory());
    define_schema(&graph);
    let budget = Budget::unlimited();
    let mut unit = graph.transaction(&budget);
    let all: Vec<NewVertex<'_>> = (0..).map(numbered).take(limits::UNREAD_ELEMENTS_MAX).collect();
    unit.insert_vertices(&all).unwrap();
    let edges: Vec<NewEdge<'_>> = (0..10).map(|n| loops(n, n + 1)).collect();
    unit.insert_edges(&edges).unwrap();
    assert_eq!(unit.count_vertices(None).unwrap(), limits::UNREAD_ELEMENTS_MAX as u64);
    assert_eq!(unit.count_edges(None).unwrap(), 10);
    // One end is missing: none of the two is written.
    assert_eq!(unit.insert_edges(&[loops(20, 21), loops(22, -1)]).unwrap_err().kind, ErrorKind::BadInput);
    Box::new(unit).commit().unwrap();
    assert_eq!(listed_edges(&graph, None, None).unwrap().len(), 10);
    assert_eq!(listed_vertices(&graph, None).unwrap().len(), limits::UNREAD_ELEMENTS_MAX);
}

#[test]
fn a_commit_that_fails_has_written_nothing() {
    let engine = std::sync::Arc::new(FaultEngine::new(memory()));
    let (_store, graph) = store(&engine);
    fill(&graph);
    let budget = Budget::unlimited();
    let before = all_rows(&*engine);
    let mut unit = graph.transaction(&budget);
    unit.delete_vertex(&VertexId::Number(1)).unwrap();
    unit.insert_vertex(&numbered(7)).unwrap();
    engine.faults().inject(Fault::FailCommit { nth: 1, error: KvError::Closed });
    let error = Box::new(unit).commit().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert_eq!(all_rows(&*engine), before);
    // Its locks are gone.
    graph.writer().insert_vertex(&numbered(1), Wait::Never).unwrap().wait().unwrap();
}

#[test]
fn what_others_did_meanwhile_can_make_a_commit_fail() {
    let (_store, graph) = store(&memory());
    fill(&graph);
    let budget = Budget::unlimited();
    let delete = |id| graph.writer().delete_vertex(&id, Wait::Allowed).unwrap().wait().unwrap();
    let mut unit = graph.transaction(&budget);
    unit.insert_vertex(&numbered(9)).unwrap();
    unit.insert_edge(&loops(9, 2)).unwrap();
    delete(VertexId::Number(2));
    let error = Box::new(unit).commit().unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadInput);
    assert!(error.message.contains("vertex 2"), "{error}");
    let mut unit = graph.transaction(&budget);
    unit.insert_vertex(&numbered(9)).unwrap();
    unit.delete_vertex(&VertexId::Number(1)).unwrap();
    delete(VertexId::Number(1));
    assert_eq!(Box::new(unit).commit().unwrap_err().kind, ErrorKind::NotFound);
    let mut unit = graph.transaction(&budget);
    unit.insert_vertex(&numbered(9)).unwrap();
    graph.schema().create_property_key(&property_key("late", DataType::Int, Cardinality::Single)).unwrap();
    let conditions = conditions(&graph, "value", NewPredicate::Equal(Literal::Integer(2)));
    let look_up = unit.find_vertices(Lookup { label: None, conditions, ..Lookup::default() });
    assert_eq!(look_up.err().map(|error| error.kind), Some(ErrorKind::Overloaded));
    assert_eq!(Box::new(unit).commit().unwrap_err().kind, ErrorKind::Overloaded);
    assert!(graph.reader().vertex(&VertexId::Number(9)).unwrap().is_none());
}

#[test]
fn a_value_of_a_unique_index_is_given_to_one() {
    let (_store, graph) = store(&memory());
    define_schema(&graph);
    let unique = NewIndexLabel::on_vertices("numbered_value", "numbered", IndexType::Unique, &["value"]);
    let (.., task) = graph.jobs().create_index_label(&unique).unwrap();
    ended(&graph, task);
    let valued = |n, value| NewVertex { properties: properties(&[("value", Literal::Integer(value))]), ..numbered(n) };
    let budget = Budget::unlimited();
    // Another writer takes the value meanwhile.
    let mut unit = graph.transaction(&budget);
    unit.insert_vertex(&valued(1, 5)).unwrap();
    insert(&graph, &[valued(2, 5)]).unwrap();
    let error = Box::new(unit).commit().unwrap_err();
    assert!(error.message.contains("numbered_value"), "{error}");
    assert!(graph.reader().vertex(&VertexId::Number(1)).unwrap().is_none());
    // Two of one transaction want it.
    let mut unit = graph.transaction(&budget);
    unit.insert_vertex(&valued(3, 6)).unwrap();
    unit.insert_vertex(&valued(4, 6)).unwrap();
    assert!(Box::new(unit).commit().unwrap_err().message.contains("numbered_value"));
    // One gives it up to the other.
    let mut unit = graph.transaction(&budget);
    unit.delete_vertex(&VertexId::Number(2)).unwrap();
    unit.insert_vertex(&valued(1, 5)).unwrap();
    unit.insert_vertex(&valued(3, 6)).unwrap();
    unit.insert_vertex(&valued(3, 7)).unwrap();
    unit.insert_vertex(&valued(4, 6)).unwrap();
    Box::new(unit).commit().unwrap();
    let report = check_indexes(&graph, false, &budget, &mut |_| ()).unwrap();
    assert_eq!(report.faults.iter().sum::<u64>(), 0, "{report:?}");
    assert!(insert(&graph, &[valued(8, 7)]).is_err());
}

#[test]
fn a_transaction_is_bounded_and_goes_on_after_a_refusal() {
    let (_store, graph) = store(&memory());
    define_schema(&graph);
    let budget = Budget::unlimited();
    let mut unit = graph.transaction(&budget);
    unit.insert_vertex(&numbered(0)).unwrap();
    let error = (1..).find_map(|n| unit.insert_vertex(&numbered(n)).err()).unwrap();
    assert_eq!(error.kind, ErrorKind::LimitExceeded);
    assert!(error.message.contains(&limits::TRANSACTION_ROWS_MAX.to_string()), "{error}");
    assert_eq!(unit.insert_edge(&loops(0, -1)).unwrap_err().kind, ErrorKind::BadInput);
    let rows = pulled(unit.scan_vertices(None), 1000).len();
    // A vertex has an entry in the label index, too.
    assert_eq!(rows, limits::TRANSACTION_ROWS_MAX / 2);
    Box::new(unit).commit().unwrap();
    assert_eq!(listed_vertices(&graph, None).unwrap().len(), rows);
}
