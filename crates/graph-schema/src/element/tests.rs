//! Vertices and edges against the schema: ids by strategy, properties, refusals.

use std::borrow::Cow;

use graph_model::{Edge, LabelId, Properties, PropertyKeyId, Value, Vertex, VertexId};

use crate::fixture::*;
use crate::*;

const UUID: &str = "835e1153-9281-4957-8691-cf79258e90eb";
const UUID_BITS: u128 = 0x835e_1153_9281_4957_8691_cf79_258e_90eb;

type Pairs = Vec<(Cow<'static, str>, Literal<'static>)>;

fn int(number: i64) -> Literal<'static> {
    Literal::Integer(number)
}

fn pairs(properties: &[(&'static str, Literal<'static>)]) -> Pairs {
    properties.iter().map(|(name, value)| (Cow::Borrowed(*name), value.clone())).collect()
}

fn vertex(
    label: &'static str,
    id: Option<Literal<'static>>,
    properties: &[(&'static str, Literal<'static>)],
) -> NewVertex<'static> {
    NewVertex { label: Some(Cow::Borrowed(label)), id, properties: pairs(properties) }
}

fn edge(
    label: &'static str,
    source: Literal<'static>,
    target: Literal<'static>,
    properties: &[(&'static str, Literal<'static>)],
) -> NewEdge<'static> {
    NewEdge {
        label: Some(Cow::Borrowed(label)),
        source: Some(source),
        source_label: None,
        target: Some(target),
        target_label: None,
        properties: pairs(properties),
    }
}

fn refused<T: std::fmt::Debug>(cases: Vec<(Result<T, ElementError>, &str)>) {
    for (result, fragment) in cases {
        let error = result.expect_err(fragment);
        assert!(error.to_string().contains(fragment), "{fragment}: {error}");
    }
}

fn with_mode(mode: GraphMode) -> ElementRules<'static> {
    ElementRules { mode, ..RULES }
}

#[test]
fn a_vertex_gets_its_id_by_the_strategy_of_its_label() {
    let catalogue = catalogue();
    let id = |new: NewVertex<'_>, rules: &ElementRules<'_>| catalogue.check_vertex(&new, rules).map(|draft| draft.id);
    let auto = |id| vertex("thing", id, &[("name", text("a")), ("age", int(1))]);
    let restoring = with_mode(GraphMode::Restoring);
    assert_eq!(id(auto(None), &RULES), Ok(None));
    assert_eq!(id(auto(Some(Literal::Null)), &RULES), Ok(None));
    assert_eq!(id(auto(Some(int(5))), &restoring), Ok(Some(VertexId::Number(5))));
    assert_eq!(id(auto(Some(int(5))), &with_mode(GraphMode::Merging)), Ok(Some(VertexId::Number(5))));
    let person = vertex("person", None, &[("name", text("a!b:c"))]);
    assert_eq!(id(person, &RULES), Ok(Some(VertexId::String("1:a`!b`:c".into()))));
    assert_eq!(id(vertex("doc", Some(text("x")), &[]), &RULES), Ok(Some(VertexId::String("x".into()))));
    assert_eq!(id(vertex("log", Some(int(-7)), &[]), &RULES), Ok(Some(VertexId::Number(-7))));
    assert_eq!(id(vertex("log", Some(Literal::Float(7.9)), &[]), &RULES), Ok(Some(VertexId::Number(7))));
    assert_eq!(id(vertex("user", Some(text(UUID)), &[]), &RULES), Ok(Some(VertexId::Uuid(UUID_BITS))));
    refused(vec![
        (id(auto(Some(int(5))), &RULES), "id strategy AUTOMATIC: the server makes the id"),
        (id(auto(None), &restoring), "must be given in modes RESTORING"),
        (id(auto(Some(text("5"))), &restoring), "its ids are a number"),
        (id(vertex("person", Some(text("1:a")), &[("name", text("a"))]), &RULES), "made of the primary keys"),
        (id(vertex("doc", None, &[]), &RULES), "id strategy CUSTOMIZE_STRING: the id must be given"),
        (id(vertex("doc", Some(int(1)), &[]), &RULES), "its ids are a string, but got 1"),
        (id(vertex("doc", Some(text("")), &[]), &RULES), "must not be empty"),
        (id(vertex("log", Some(text("1")), &[]), &RULES), "its ids are a number, but got the string '1'"),
        (id(vertex("log", Some(Literal::Float(1e19)), &[]), &RULES), "a number of 64 bits"),
        (id(vertex("user", Some(text("x")), &[]), &RULES), "is not a UUID"),
        (id(vertex("user", Some(int(1)), &[]), &RULES), "its ids are a string with a UUID"),
        (id(vertex("person", None, &[("name", text("\u{1}a"))]), &RULES), "U+0000 to U+0003"),
    ]);
}

#[test]
fn numbers_in_primary_keys_are_encoded_or_plain() {
    let mut new = vertex_label("year", &["age"]);
    new.primary_keys = strings(&["age"]);
    let catalogue = catalogue().create_vertex_label(&new, &CHANGE).unwrap().change.catalogue;
    let plain = ElementRules { encode_primary_key_number: false, ..RULES };
    for (rules, expected) in [(RULES, "7:2VX"), (plain, "7:2017")] {
        let draft = catalogue.check_vertex(&vertex("year", None, &[("age", int(2017))]), &rules).unwrap();
        assert_eq!(draft.id, Some(VertexId::String(expected.into())));
    }
}

#[test]
fn the_properties_of_a_vertex_are_checked() {
    let catalogue = catalogue();
    let check = |new: NewVertex<'_>| catalogue.check_vertex(&new, &RULES);
    let tags = Literal::Array(vec![text("x"), text("x")]);
    let draft = check(vertex("person", None, &[("tags", tags), ("name", text("a")), ("days", text("2020-01-02"))]));
    let expected: Properties = [
        (PropertyKeyId(1), Value::Text("a".into())),
        (PropertyKeyId(3), Value::Set(vec![Value::Text("x".into())])),
        (PropertyKeyId(4), Value::List(vec![Value::Date(NOW_MS)])),
    ]
    .into_iter()
    .collect();
    let draft = draft.unwrap();
    assert_eq!((draft.label, draft.properties, draft.expires_at_ms), (LabelId(1), expected, None));
    let loading = with_mode(GraphMode::Loading);
    assert!(catalogue.check_vertex(&vertex("thing", None, &[]), &loading).is_ok());
    refused(vec![
        (check(NewVertex { label: None, id: None, properties: Vec::new() }), "label of the vertex is missing"),
        (check(vertex("persom", None, &[])), "undefined vertex label 'persom'; did you mean 'person'?"),
        (check(vertex("person", None, &[("nam", text("a"))])), "undefined property key 'nam'; did you mean 'name'?"),
        (
            check(vertex("thing", None, &[("tags", text("a"))])),
            "has no property 'tags'; its properties are 'name', 'age'",
        ),
        (check(vertex("person", None, &[("age", int(1))])), "label 'person' requires 'name': only nullable"),
        (check(vertex("thing", None, &[])), "requires 'name', 'age'"),
        (check(vertex("person", None, &[("name", Literal::Null)])), "property 'name' is null"),
        (check(vertex("person", None, &[("name", text("a")), ("age", text("old"))])), "expects an INT"),
        (catalogue.check_vertex(&vertex("person", None, &[]), &loading), "requires 'name'"),
    ]);
    let deleting = catalogue.set_status(SchemaKey::VertexLabel(LabelId(3)), Status::Deleting).unwrap().catalogue;
    refused(vec![(deleting.check_vertex(&vertex("doc", Some(text("x")), &[]), &RULES), "is being deleted")]);
}

#[test]
fn values_of_aggregate_keys_are_refused() {
    let sum = NewPropertyKey {
        aggregate_type: AggregateType::Sum,
        ..key("total", graph_model::DataType::Long, graph_model::Cardinality::Single)
    };
    let catalogue = catalogue().create_property_key(&sum, &CHANGE).unwrap().change.catalogue;
    let catalogue = catalogue.create_vertex_label(&vertex_label("bill", &["total"]), &CHANGE).unwrap().change.catalogue;
    refused(vec![(catalogue.check_vertex(&vertex("bill", None, &[("total", int(1))]), &RULES), "aggregate type")]);
}

#[test]
fn lifetimes_start_now_or_at_a_date() {
    let catalogue = catalogue();
    let expiry = |properties: &[(&'static str, Literal<'static>)]| {
        catalogue.check_vertex(&vertex("fan", None, properties), &RULES).map(|draft| draft.expires_at_ms)
    };
    assert_eq!(expiry(&[]), Ok(Some(NOW_MS + 1000)));
    assert_eq!(expiry(&[("since", int(NOW_MS + 5))]), Ok(Some(NOW_MS + 1005)));
    assert_eq!(expiry(&[("since", int(NOW_MS - 999))]), Ok(Some(NOW_MS + 1)));
    assert_eq!(expiry(&[("since", int(i64::MAX))]), Ok(Some(i64::MAX)));
    refused(vec![(expiry(&[("since", int(NOW_MS - 1000))]), "expired already")]);

    let mut fan = Vertex {
        id: VertexId::Number(1),
        label: LabelId(6),
        properties: [(PropertyKeyId(5), Value::Date(NOW_MS))].into_iter().collect(),
        expires_at_ms: Some(NOW_MS + 1000),
    };
    let later = ElementRules { now_ms: NOW_MS + 500, ..RULES };
    let append = |vertex: &Vertex, given: Pairs| {
        let after = catalogue.append_vertex_properties(vertex, &given, &later)?;
        catalogue.vertex_expiry_after(vertex, &after, &later)
    };
    assert_eq!(append(&fan, pairs(&[("weight", int(1))])), Ok(Some(NOW_MS + 1000)), "another property: as it was");
    assert_eq!(append(&fan, pairs(&[("since", int(NOW_MS + 7))])), Ok(Some(NOW_MS + 1007)));
    let without = catalogue.eliminate_vertex_properties(&fan, &pairs(&[("since", Literal::Null)])).unwrap();
    assert_eq!(
        catalogue.vertex_expiry_after(&fan, &without, &later),
        Ok(Some(NOW_MS + 1500)),
        "now instead of the date"
    );
    fan.label = LabelId(99);
    refused(vec![(append(&fan, Vec::new()), "label 'number 99'")]);
}

#[test]
fn an_edge_is_made_of_ends_label_and_sort_values() {
    let catalogue = catalogue();
    let check = |new: NewEdge<'_>, ends| catalogue.check_edge(&new, ends, &RULES);
    let since = [("since", text("2020-01-02")), ("weight", Literal::Float(0.5))];
    let knows = || edge("knows", text("1:ann"), text("1:bob"), &since);
    let made = check(knows(), EndLabels::Optional).unwrap();
    assert_eq!(made.id.sort_values, "7MyZZKG0");
    assert_eq!((made.id.source, made.id.target), (VertexId::String("1:ann".into()), VertexId::String("1:bob".into())));
    assert_eq!((made.id.label, made.properties.len(), made.expires_at_ms), (LabelId(1), 2, None));
    let uses = check(edge("uses", text(UUID), int(4), &[]), EndLabels::Optional).unwrap();
    assert_eq!((uses.id.source, uses.id.target), (VertexId::Uuid(UUID_BITS), VertexId::Number(4)));
    let writes = check(edge("writes", text("1:ann"), text("d"), &[]), EndLabels::Optional).unwrap();
    assert_eq!(writes.id.label, LabelId(4), "its own number, not the parent's");

    let labelled = |source: Option<&'static str>, target: Option<&'static str>| NewEdge {
        source_label: source.map(Cow::Borrowed),
        target_label: target.map(Cow::Borrowed),
        ..edge("writes", text("1:ann"), text("d"), &[])
    };
    assert!(check(labelled(Some("person"), Some("doc")), EndLabels::Required).is_ok());
    refused(vec![
        (check(NewEdge { label: None, ..knows() }, EndLabels::Optional), "label of the edge is missing"),
        (check(edge("know", text("1:a"), text("1:b"), &[]), EndLabels::Optional), "did you mean 'knows'?"),
        (check(edge("acts", text("1:a"), text("1:b"), &[]), EndLabels::Optional), "is a parent label"),
        (check(labelled(None, None), EndLabels::Required), "outVLabel of the edge is missing"),
        (check(labelled(Some("person"), None), EndLabels::Required), "inVLabel of the edge is missing"),
        (check(labelled(Some("person"), None), EndLabels::Optional), "inVLabel of the edge is missing: give both"),
        (check(labelled(None, Some("doc")), EndLabels::Optional), "outVLabel of the edge is missing: give both"),
        (check(labelled(Some("undefined"), Some("doc")), EndLabels::Optional), "undefined vertex label 'undefined'"),
        (
            check(labelled(Some("doc"), Some("person")), EndLabels::Optional),
            "links 'person' to 'doc', not 'doc' to 'person'",
        ),
        (check(NewEdge { source: None, ..knows() }, EndLabels::Optional), "outV of the edge is missing"),
        (check(edge("knows", text("1:a"), Literal::Null, &since), EndLabels::Optional), "inV of the edge is missing"),
        (
            check(edge("knows", text("person:a"), text("1:b"), &since), EndLabels::Optional),
            "ids begin with '1:', but got 'person:a'",
        ),
        (check(edge("knows", text("2:a"), text("1:b"), &since), EndLabels::Optional), "outV of the edge does not fit"),
        (check(edge("uses", text("x"), int(4), &[]), EndLabels::Optional), "is not a UUID"),
        (
            check(edge("uses", text(UUID), text("4"), &[]), EndLabels::Optional),
            "ids are a number, but got the string '4'",
        ),
        (check(edge("knows", text("1:a"), text("1:b"), &[]), EndLabels::Optional), "label 'knows' requires 'since'"),
        (
            check(edge("uses", text(UUID), int(4), &[("age", int(1))]), EndLabels::Optional),
            "no property 'age'; its properties are none",
        ),
    ]);
    let loading = with_mode(GraphMode::Loading);
    let unsorted = catalogue.check_edge(&edge("knows", text("1:a"), text("1:b"), &[]), EndLabels::Optional, &loading);
    refused(vec![(unsorted, "requires 'since'")]);
}

#[test]
fn an_edge_id_has_a_limit() {
    let mut new = edge_label("long", "doc", "doc", &["name"]);
    (new.frequency, new.sort_keys) = (Some(Frequency::Multiple), strings(&["name"]));
    let catalogue = catalogue().create_edge_label(&new, &CHANGE).unwrap().change.catalogue;
    let check = |bytes: usize| {
        let name = Literal::Text(Cow::Owned("x".repeat(bytes)));
        let new = edge("long", text("a"), text("b"), &[("name", name)]);
        catalogue.check_edge(&new, EndLabels::Optional, &RULES)
    };
    assert!(check(65_500).is_ok());
    refused(vec![(check(65_536), "the edge id has 65546 characters")]);
}

#[test]
fn appending_sets_single_values_and_adds_to_collections() {
    let catalogue = catalogue();
    let list = |words: &[&'static str]| Literal::Array(words.iter().map(|&word| text(word)).collect());
    let new = vertex("person", None, &[("name", text("a")), ("age", int(1)), ("tags", list(&["x", "y"]))]);
    let draft = catalogue.check_vertex(&new, &RULES).unwrap();
    let ann = Vertex {
        id: draft.id.unwrap(),
        label: draft.label,
        properties: draft.properties,
        expires_at_ms: draft.expires_at_ms,
    };
    let append = |given: Pairs| catalogue.append_vertex_properties(&ann, &given, &RULES);
    let eliminate = |given: Pairs| catalogue.eliminate_vertex_properties(&ann, &given);
    let (tags, days) = (PropertyKeyId(3), PropertyKeyId(4));
    let day = || text("2020-01-02");
    let after =
        append(pairs(&[("age", int(2)), ("tags", list(&["z", "x"])), ("days", day()), ("days", day())])).unwrap();
    assert_eq!(after.get(PropertyKeyId(2)), Some(&Value::Int(2)));
    let words = ["x", "y", "z"].map(|word| Value::Text(word.into()));
    assert_eq!(after.get(tags), Some(&Value::Set(words.to_vec())));
    assert_eq!(after.get(days), Some(&Value::List(vec![Value::Date(NOW_MS); 2])), "a list keeps repetitions");
    assert_eq!(append(pairs(&[("tags", text("x"))])).unwrap().get(tags).map(|tags| tags.items().len()), Some(2));
    let after = eliminate(pairs(&[("tags", text("anything")), ("days", Literal::Null)])).unwrap();
    assert_eq!((after.get(tags), after.len()), (None, 2));

    let mut thing = ann.clone();
    (thing.label, thing.properties) = (LabelId(2), [(PropertyKeyId(2), Value::Int(1))].into_iter().collect());
    assert!(catalogue.eliminate_vertex_properties(&thing, &pairs(&[("name", int(0))])).is_ok(), "not set: ignored");
    refused(vec![
        (append(pairs(&[("name", text("b"))])), "property 'name' is a primary key of label 'person'"),
        (append(pairs(&[("age", Literal::Null)])), "property 'age' is null"),
        (append(pairs(&[("nosuch", int(1))])), "undefined property key"),
        (append(pairs(&[("weight", int(1))])), "has no property 'weight'"),
        (eliminate(pairs(&[("name", text("a"))])), "is a primary key"),
        (eliminate(pairs(&[("nosuch", int(1))])), "undefined property key"),
        (catalogue.eliminate_vertex_properties(&thing, &pairs(&[("age", int(0))])), "is not nullable"),
    ]);
    let many = Literal::Array(vec![day(); limits::COLLECTION_ITEMS_MAX]);
    refused(vec![(append(pairs(&[("days", many), ("days", day())])), "65536 values")]);
}

#[test]
fn edges_are_updated_like_vertices() {
    let catalogue = catalogue();
    let new = edge("knows", text("1:a"), text("1:b"), &[("since", int(0)), ("weight", int(1))]);
    let knows: Edge = catalogue.check_edge(&new, EndLabels::Optional, &RULES).unwrap();
    let append = |given: Pairs| catalogue.append_edge_properties(&knows, &given, &RULES);
    let after = append(pairs(&[("weight", int(9))])).unwrap();
    assert_eq!(after.get(PropertyKeyId(6)), Some(&Value::Double(9.0)));
    assert_eq!(catalogue.edge_expiry_after(&knows, &after, &RULES), Ok(None));
    assert_eq!(catalogue.eliminate_edge_properties(&knows, &pairs(&[("weight", int(0))])).unwrap().len(), 1);
    refused(vec![(append(pairs(&[("since", int(1))])), "property 'since' is a sort key of label 'knows'")]);
    assert_eq!(catalogue.edge_defaults(LabelId(1)), [(PropertyKeyId(6), &Value::Double(0.5))]);
    assert_eq!(catalogue.vertex_defaults(LabelId(6)), [(PropertyKeyId(6), &Value::Double(0.5))]);
    assert_eq!(catalogue.vertex_defaults(LabelId(1)), []);
}

#[test]
fn ids_in_bodies_are_of_the_kind_the_label_says() {
    let catalogue = catalogue();
    let parse = |label: Option<u32>, literal| catalogue.parse_vertex_id_literal(label.map(LabelId), &literal);
    assert_eq!(parse(None, int(1)), Ok(VertexId::Number(1)));
    assert_eq!(parse(None, text("1")), Ok(VertexId::String("1".into())));
    assert_eq!(parse(None, text(UUID)), Ok(VertexId::Uuid(UUID_BITS)));
    assert_eq!(parse(Some(3), text(UUID)), Ok(VertexId::String(UUID.into())));
    assert_eq!(parse(Some(5), text(UUID)), Ok(VertexId::Uuid(UUID_BITS)));
    assert_eq!(
        Catalogue::default().parse_vertex_id_literal(None, &text(UUID)),
        Ok(VertexId::String(UUID.into())),
        "no label has UUIDs"
    );
    refused(vec![
        (parse(None, Literal::Null), "must be a number or a string, but got null"),
        (parse(None, Literal::Float(1.5)), "but got 1.5"),
        (parse(Some(4), text("1")), "id strategy CUSTOMIZE_NUMBER: its ids are a number"),
        (parse(Some(1), text("2:a")), "its ids begin with '1:'"),
    ]);
}
