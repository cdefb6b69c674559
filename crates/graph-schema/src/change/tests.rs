//! Changes of the schema: what is accepted, what is refused and why, and what ids and statuses come out.

use graph_model::{Cardinality, DataType, ErrorKind, IdStrategy, LabelId, PropertyKeyId, Value};

use crate::fixture::*;
use crate::*;

/// Asserts the kind of each error and that its text has the fragment.
fn refused<T: std::fmt::Debug>(cases: Vec<(Result<T, SchemaError>, ErrorKind, &str)>) {
    for (result, kind, fragment) in cases {
        let error = result.expect_err(fragment);
        assert!(error.kind() == kind && error.to_string().contains(fragment), "{fragment}: {error:?}");
    }
}

fn user_data(name: &str, json: &str) -> UserData {
    UserData(vec![(name.to_owned(), json.to_owned())])
}

fn text_key(name: &str) -> NewPropertyKey {
    key(name, DataType::Text, Cardinality::Single)
}

#[test]
fn names_are_checked() {
    let catalogue = Catalogue::default();
    let long = "\u{e9}".repeat(256);
    for name in ["", " ", "    ", "a ", "a\n", "~a", "a#", "a>b", "a:b", "a!", &long] {
        let error = catalogue.create_property_key(&text_key(name), &CHANGE).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadInput, "{name}");
    }
    let long = "\u{e9}".repeat(255);
    for name in ["a b", "date @&$=*?", "\u{e9}", " a", "a~", &long] {
        assert!(catalogue.create_property_key(&text_key(name), &CHANGE).is_ok(), "{name}");
    }
}

#[test]
fn numbers_count_up_and_are_never_used_twice() {
    let first = Catalogue::default().create_property_key(&text_key("a"), &CHANGE).unwrap();
    assert_eq!(first.id, PropertyKeyId(1));
    assert_eq!(first.change.put.len(), 1);
    let deleted = first.change.catalogue.delete_property_key("a").unwrap();
    assert_eq!(deleted.removed, [SchemaKey::PropertyKey(PropertyKeyId(1))]);
    assert_eq!(deleted.catalogue.property_keys().count(), 0);
    assert_eq!(deleted.catalogue.create_property_key(&text_key("a"), &CHANGE).unwrap().id, PropertyKeyId(2));
    let reloaded = Catalogue::from_elements(SchemaMode::Strict, Vec::new(), deleted.catalogue.next_ids()).unwrap();
    assert_eq!(reloaded.create_property_key(&text_key("a"), &CHANGE).unwrap().id, PropertyKeyId(2));
}

#[test]
fn ids_are_given_in_restoring_mode_only() {
    let catalogue = catalogue();
    let with = |id| NewPropertyKey { id, ..text_key("x") };
    let restoring = ChangeRules { mode: GraphMode::Restoring, ..CHANGE };
    assert_eq!(catalogue.create_property_key(&with(Some(0)), &CHANGE).unwrap().id, PropertyKeyId(7));
    let restored = catalogue.create_property_key(&with(Some(40)), &restoring).unwrap();
    assert_eq!(restored.id, PropertyKeyId(40));
    assert_eq!(restored.change.catalogue.next_ids().property_key, 41);
    refused(vec![
        (catalogue.create_property_key(&with(Some(9)), &CHANGE), ErrorKind::BadInput, "unless the mode is RESTORING"),
        (catalogue.create_property_key(&with(None), &restoring), ErrorKind::BadInput, "must be given"),
        (catalogue.create_property_key(&with(Some(1)), &restoring), ErrorKind::BadInput, "used already"),
        (catalogue.create_property_key(&with(Some(-1)), &restoring), ErrorKind::BadInput, "from 1 to"),
        (catalogue.create_property_key(&with(Some(1 << 40)), &restoring), ErrorKind::BadInput, "from 1 to"),
    ]);
}

#[test]
fn an_existing_element_is_found_only_where_that_is_wanted_and_it_is_the_same() {
    let catalogue = catalogue();
    let again = |data_type| NewPropertyKey { check_exist: false, ..key("age", data_type, Cardinality::Single) };
    let found = catalogue.create_property_key(&again(DataType::Int), &CHANGE).unwrap();
    assert_eq!((found.id, found.change.put.len()), (PropertyKeyId(2), 0));
    assert_eq!(found.change.catalogue, catalogue);

    let mut person = vertex_label("person", &["days", "tags", "age", "name"]);
    (person.primary_keys, person.nullable_keys) = (strings(&["name"]), strings(&["age", "days", "tags"]));
    (person.check_exist, person.ttl_ms) = (false, 5);
    assert_eq!(catalogue.create_vertex_label(&person, &CHANGE).unwrap().id, LabelId(1), "the ttl is not compared");
    let other_person = NewVertexLabel { nullable_keys: Vec::new(), ..person };

    let mut uses = NewEdgeLabel { check_exist: false, ..edge_label("uses", "user", "log", &[]) };
    assert_eq!(catalogue.create_edge_label(&uses, &CHANGE).unwrap().id, LabelId(2));
    let strict = NewEdgeLabel { check_exist: true, ..uses.clone() };
    uses.target_label = Some("doc".to_owned());
    refused(vec![(
        catalogue.create_property_key(&again(DataType::Long), &CHANGE),
        ErrorKind::AlreadyExists,
        "the property key 'age' has existed",
    )]);
    refused(vec![
        (catalogue.create_vertex_label(&other_person, &CHANGE), ErrorKind::AlreadyExists, "vertex label 'person'"),
        (catalogue.create_edge_label(&uses, &CHANGE), ErrorKind::AlreadyExists, "edge label 'uses'"),
        (catalogue.create_edge_label(&strict, &CHANGE), ErrorKind::AlreadyExists, "has existed"),
    ]);
}

#[test]
fn property_keys_are_checked_on_creation() {
    let empty = Catalogue::default();
    let create = |new: NewPropertyKey| empty.create_property_key(&new, &CHANGE);
    let aggregate = |aggregate_type, data_type, cardinality| {
        create(NewPropertyKey { aggregate_type, ..key("k", data_type, cardinality) })
    };
    use Cardinality::{List, Set, Single};
    for (aggregate_type, data_type, cardinality) in [
        (AggregateType::Max, DataType::Date, Single),
        (AggregateType::Min, DataType::Byte, Single),
        (AggregateType::Sum, DataType::Float, Single),
        (AggregateType::Old, DataType::Text, Single),
        (AggregateType::Set, DataType::Text, Set),
        (AggregateType::List, DataType::Text, List),
    ] {
        assert!(aggregate(aggregate_type, data_type, cardinality).is_ok(), "{aggregate_type:?}");
    }
    refused(vec![
        (aggregate(AggregateType::Max, DataType::Text, Single), ErrorKind::NotAllowed, "a number or DATE"),
        (aggregate(AggregateType::Sum, DataType::Date, Single), ErrorKind::NotAllowed, "a number as data type"),
        (aggregate(AggregateType::Old, DataType::Text, List), ErrorKind::NotAllowed, "cardinality SINGLE"),
        (aggregate(AggregateType::Set, DataType::Text, List), ErrorKind::NotAllowed, "cardinality SET"),
        (aggregate(AggregateType::List, DataType::Text, Single), ErrorKind::NotAllowed, "cardinality LIST"),
        (
            create(NewPropertyKey { write_type: WriteType::OlapRange, ..text_key("k") }),
            ErrorKind::NotAllowed,
            "needs a number or DATE",
        ),
        (create(NewPropertyKey { properties: strings(&["a"]), ..text_key("k") }), ErrorKind::BadInput, "cannot have"),
        (
            create(NewPropertyKey { user_data: user_data("a", "null"), ..text_key("k") }),
            ErrorKind::BadInput,
            "not be null",
        ),
        (
            create(NewPropertyKey { default_value: Some(Literal::Integer(1)), ..text_key("k") }),
            ErrorKind::BadInput,
            "default value: property 'k' expects a TEXT",
        ),
    ]);
    let created = create(text_key("k")).unwrap().change.catalogue;
    let created = created.property_key_named("k").unwrap();
    assert_eq!(created.user_data.get(CREATE_TIME), Some("\"2020-01-02 00:00:00.000\""));
}

#[test]
fn only_user_data_of_a_property_key_changes() {
    let catalogue = catalogue();
    let update = UpdatePropertyKey {
        name: "age".to_owned(),
        data_type: DataType::Text,
        cardinality: Cardinality::Single,
        user_data: user_data(DEFAULT_VALUE, "7"),
        default_value: Some(Literal::Integer(7)),
    };
    let appended = catalogue.append_property_key(&update, &CHANGE).unwrap().change.catalogue;
    let key = appended.property_key_named("age").unwrap();
    assert_eq!((key.user_data.get(DEFAULT_VALUE), &key.default_value), (Some("7"), &Some(Value::Int(7))));
    assert!(key.user_data.get(CREATE_TIME).is_some());
    let eliminated = appended.eliminate_property_key(&update).unwrap().change.catalogue;
    let key = eliminated.property_key_named("age").unwrap();
    assert_eq!((key.user_data.get(DEFAULT_VALUE), &key.default_value), (None, &None));
    let append = |update: UpdatePropertyKey| catalogue.append_property_key(&update, &CHANGE);
    refused(vec![
        (append(UpdatePropertyKey { data_type: DataType::Int, ..update.clone() }), ErrorKind::NotAllowed, "data_type"),
        (
            append(UpdatePropertyKey { cardinality: Cardinality::Set, ..update.clone() }),
            ErrorKind::NotAllowed,
            "cardinality",
        ),
        (
            append(UpdatePropertyKey { user_data: user_data("a", "null"), ..update.clone() }),
            ErrorKind::BadInput,
            "null",
        ),
        (append(UpdatePropertyKey { name: "aeg".to_owned(), ..update }), ErrorKind::NotFound, "did you mean 'age'?"),
    ]);
    refused(vec![
        (catalogue.delete_property_key("name"), ErrorKind::NotAllowed, "vertex label 'person' uses it"),
        (catalogue.delete_property_key("since"), ErrorKind::NotAllowed, "vertex label 'fan' uses it"),
        (catalogue.delete_property_key("nosuch"), ErrorKind::NotFound, "does not exist"),
    ]);
}

#[test]
fn vertex_labels_are_checked_on_creation() {
    let catalogue = catalogue();
    let base = || vertex_label("new", &["name", "since"]);
    let create = |new: NewVertexLabel| catalogue.create_vertex_label(&new, &CHANGE);
    let names = |list: &[&str]| strings(list);
    refused(vec![
        (
            create(vertex_label("new", &["nam"])),
            ErrorKind::BadInput,
            "undefined property key 'nam'; did you mean 'name'?",
        ),
        (
            create(NewVertexLabel { id_strategy: Some(IdStrategy::PrimaryKey), ..base() }),
            ErrorKind::BadInput,
            "needs at least one primary key",
        ),
        (
            create(NewVertexLabel {
                id_strategy: Some(IdStrategy::Automatic),
                primary_keys: names(&["name"]),
                ..base()
            }),
            ErrorKind::BadInput,
            "AUTOMATIC must not have primary keys",
        ),
        (create(NewVertexLabel { primary_keys: names(&["age"]), ..base() }), ErrorKind::BadInput, "primary key 'age'"),
        (
            create(NewVertexLabel { primary_keys: names(&["name", "name"]), ..base() }),
            ErrorKind::BadInput,
            "named twice",
        ),
        (
            create(NewVertexLabel { nullable_keys: names(&["age"]), ..base() }),
            ErrorKind::BadInput,
            "nullable key 'age'",
        ),
        (
            create(NewVertexLabel { primary_keys: names(&["name"]), nullable_keys: names(&["name"]), ..base() }),
            ErrorKind::BadInput,
            "cannot be nullable",
        ),
        (create(NewVertexLabel { ttl_ms: -1, ..base() }), ErrorKind::BadInput, "must not be negative"),
        (
            create(NewVertexLabel { ttl_start_time: Some("since".to_owned()), ..base() }),
            ErrorKind::BadInput,
            "needs a ttl",
        ),
        (
            create(NewVertexLabel { ttl_ms: 1, ttl_start_time: Some("name".to_owned()), ..base() }),
            ErrorKind::BadInput,
            "must be a property of type DATE",
        ),
        (
            create(NewVertexLabel { ttl_ms: 1, ttl_start_time: Some("age".to_owned()), ..base() }),
            ErrorKind::BadInput,
            "'age' must be one of its properties",
        ),
    ]);
    let mut new = vertex_label("new", &["since", "name", "age", "name"]);
    new.primary_keys = names(&["since", "name"]);
    let created = create(new).unwrap();
    let label = created.change.catalogue.vertex_label(created.id).unwrap();
    assert_eq!(label.id_strategy, IdStrategy::PrimaryKey);
    assert_eq!(label.properties, [1, 2, 5].map(PropertyKeyId), "each once, by number");
    assert_eq!(label.primary_keys, [5, 1].map(PropertyKeyId), "as given");
    assert!(label.enable_label_index);
    assert_eq!(catalogue.vertex_label_named("thing").unwrap().id_strategy, IdStrategy::Automatic);
}

#[test]
fn vertex_labels_grow_but_do_not_shrink() {
    let catalogue = catalogue();
    let base = || vertex_update("person");
    let append = |update: UpdateVertexLabel| catalogue.append_vertex_label(&update);
    let grown = append(UpdateVertexLabel {
        properties: strings(&["since"]),
        nullable_keys: strings(&["since"]),
        ttl_ms: 9,
        ttl_start_time: Some("since".to_owned()),
        user_data: user_data("k", "\"v\""),
        ..base()
    });
    let grown = grown.unwrap().change.catalogue;
    let label = grown.vertex_label_named("person").unwrap();
    assert_eq!(label.properties, [1, 2, 3, 4, 5].map(PropertyKeyId));
    assert_eq!(label.nullable_keys, [2, 3, 4, 5].map(PropertyKeyId));
    assert_eq!((label.ttl_ms, label.ttl_start_time), (9, Some(PropertyKeyId(5))));
    assert_eq!(label.user_data.get("k"), Some("\"v\""));
    let same = grown.append_vertex_label(&base()).unwrap().change.catalogue;
    assert_eq!(same.vertex_label_named("person").unwrap().ttl_ms, 9, "0 means not given");
    let gone = UpdateVertexLabel { user_data: user_data("k", "\"\""), ..base() };
    let gone = grown.eliminate_vertex_label(&gone).unwrap().change.catalogue;
    assert_eq!(gone.vertex_label_named("person").unwrap().user_data.get("k"), None);

    let eliminate = |update: UpdateVertexLabel| catalogue.eliminate_vertex_label(&update);
    refused(vec![
        (
            append(UpdateVertexLabel { properties: strings(&["since"]), ..base() }),
            ErrorKind::BadInput,
            "the added property 'since' must be among nullable_keys",
        ),
        (
            append(UpdateVertexLabel { properties: strings(&["no"]), ..base() }),
            ErrorKind::BadInput,
            "undefined property key",
        ),
        (
            append(UpdateVertexLabel { nullable_keys: strings(&["since"]), ..base() }),
            ErrorKind::BadInput,
            "one of its properties",
        ),
        (
            append(UpdateVertexLabel { nullable_keys: strings(&["name"]), ..base() }),
            ErrorKind::BadInput,
            "cannot be nullable",
        ),
        (append(UpdateVertexLabel { ttl_ms: -1, ..base() }), ErrorKind::BadInput, "must not be negative"),
        (
            append(UpdateVertexLabel { id_strategy: Some(IdStrategy::PrimaryKey), ..base() }),
            ErrorKind::NotAllowed,
            "id_strategy",
        ),
        (
            append(UpdateVertexLabel { primary_keys: strings(&["name"]), ..base() }),
            ErrorKind::NotAllowed,
            "primary_keys",
        ),
        (
            append(UpdateVertexLabel { enable_label_index: Some(true), ..base() }),
            ErrorKind::NotAllowed,
            "enable_label_index",
        ),
        (eliminate(UpdateVertexLabel { properties: strings(&["age"]), ..base() }), ErrorKind::NotAllowed, "properties"),
        (
            eliminate(UpdateVertexLabel { nullable_keys: strings(&["age"]), ..base() }),
            ErrorKind::NotAllowed,
            "nullable_keys",
        ),
        (eliminate(vertex_update("nosuch")), ErrorKind::NotFound, "does not exist"),
    ]);
}

#[test]
fn edge_labels_are_checked_on_creation() {
    let catalogue = catalogue();
    let base = || edge_label("new", "person", "doc", &["since"]);
    let linked = |links: &[(&str, &str)]| NewEdgeLabel {
        links: links.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
        source_label: None,
        target_label: None,
        ..base()
    };
    let create = |new: NewEdgeLabel| catalogue.create_edge_label(&new, &CHANGE);
    let created = create(linked(&[("person", "doc")])).unwrap();
    let label = created.change.catalogue.edge_label(created.id).unwrap();
    assert_eq!(label.link, Some((LabelId(1), LabelId(3))));
    let both = edge_label("new", "person", "doc", &[]);
    let links = vec![("person".to_owned(), "doc".to_owned())];
    assert!(create(NewEdgeLabel { links, ..both }).is_ok(), "as labels are read");
    let sub = |parent: Option<&str>| NewEdgeLabel {
        kind: EdgeLabelKindName::Sub,
        parent_label: parent.map(str::to_owned),
        ..base()
    };
    let multiple = |sort_keys: &[&str]| NewEdgeLabel {
        frequency: Some(Frequency::Multiple),
        sort_keys: strings(sort_keys),
        ..base()
    };
    let fan = |ttl_ms| NewEdgeLabel { ttl_ms, ..edge_label("new", "fan", "doc", &[]) };
    assert!(create(fan(1000)).is_ok() && create(fan(0)).is_ok());
    refused(vec![
        (
            create(edge_label("new", "persona", "doc", &[])),
            ErrorKind::BadInput,
            "undefined source vertex label 'persona'; did",
        ),
        (create(edge_label("new", "person", "no", &[])), ErrorKind::BadInput, "undefined target vertex label 'no'"),
        (
            create(NewEdgeLabel { target_label: None, ..base() }),
            ErrorKind::BadInput,
            "source_label and target_label must be",
        ),
        (create(linked(&[("person", "doc"), ("person", "log")])), ErrorKind::BadInput, "exactly one pair"),
        (
            create(NewEdgeLabel { source_label: Some("person".to_owned()), ..linked(&[("person", "doc")]) }),
            ErrorKind::BadInput,
            "the same pair",
        ),
        (
            create(NewEdgeLabel { links: vec![("person".to_owned(), "log".to_owned())], ..base() }),
            ErrorKind::BadInput,
            "the same pair",
        ),
        (create(multiple(&[])), ErrorKind::BadInput, "MULTIPLE needs at least one sort key"),
        (create(multiple(&["age"])), ErrorKind::BadInput, "the sort key 'age' must be one of its properties"),
        (create(multiple(&["since", "since"])), ErrorKind::BadInput, "named twice"),
        (
            create(NewEdgeLabel { nullable_keys: strings(&["since"]), ..multiple(&["since"]) }),
            ErrorKind::BadInput,
            "cannot be nullable",
        ),
        (create(NewEdgeLabel { sort_keys: strings(&["since"]), ..base() }), ErrorKind::BadInput, "frequency MULTIPLE"),
        (create(fan(1001)), ErrorKind::BadInput, "must not exceed the ttl 1000 of vertex label 'fan'"),
        (create(NewEdgeLabel { kind: EdgeLabelKindName::Parent, ..base() }), ErrorKind::BadInput, "must not link"),
        (create(sub(None)), ErrorKind::BadInput, "needs a parent_label"),
        (create(sub(Some("no"))), ErrorKind::NotFound, "edge label 'no' does not exist"),
        (create(sub(Some("knows"))), ErrorKind::BadInput, "not a PARENT label"),
        (create(NewEdgeLabel { parent_label: Some("acts".to_owned()), ..base() }), ErrorKind::BadInput, "only a SUB"),
        (
            create(NewEdgeLabel {
                frequency: Some(Frequency::Multiple),
                sort_keys: strings(&["since"]),
                ..sub(Some("acts"))
            }),
            ErrorKind::BadInput,
            "must have the same sort keys, but 'writes' has others",
        ),
    ]);
}

#[test]
fn edge_labels_change_like_vertex_labels() {
    let catalogue = catalogue();
    let base = || edge_update("knows");
    let append = |update: UpdateEdgeLabel| catalogue.append_edge_label(&update);
    let grown = append(UpdateEdgeLabel { properties: strings(&["age"]), nullable_keys: strings(&["age"]), ..base() });
    let grown = grown.unwrap().change.catalogue;
    assert_eq!(grown.edge_label_named("knows").unwrap().nullable_keys, [2, 6].map(PropertyKeyId));
    let eliminate = |update: UpdateEdgeLabel| catalogue.eliminate_edge_label(&update);
    assert!(eliminate(UpdateEdgeLabel { user_data: user_data("icon", "\"\""), ..base() }).is_ok());
    refused(vec![
        (
            append(UpdateEdgeLabel { properties: strings(&["age"]), ..base() }),
            ErrorKind::BadInput,
            "among nullable_keys",
        ),
        (
            append(UpdateEdgeLabel { nullable_keys: strings(&["since"]), ..base() }),
            ErrorKind::BadInput,
            "cannot be nullable",
        ),
        (
            append(UpdateEdgeLabel { source_label: Some("person".to_owned()), ..base() }),
            ErrorKind::NotAllowed,
            "source_label",
        ),
        (
            append(UpdateEdgeLabel { links: vec![("person".to_owned(), "person".to_owned())], ..base() }),
            ErrorKind::NotAllowed,
            "links",
        ),
        (append(UpdateEdgeLabel { frequency: Some(Frequency::Single), ..base() }), ErrorKind::NotAllowed, "frequency"),
        (append(UpdateEdgeLabel { sort_keys: strings(&["since"]), ..base() }), ErrorKind::NotAllowed, "sort_keys"),
        (
            append(UpdateEdgeLabel { enable_label_index: Some(false), ..base() }),
            ErrorKind::NotAllowed,
            "enable_label_index",
        ),
        (
            eliminate(UpdateEdgeLabel { properties: strings(&["weight"]), ..base() }),
            ErrorKind::NotAllowed,
            "properties",
        ),
        (append(edge_update("know")), ErrorKind::NotFound, "did you mean 'knows'?"),
    ]);
}

#[test]
fn what_others_refer_to_is_not_removed() {
    let catalogue = catalogue();
    let (person, thing, acts, writes) = (LabelId(1), LabelId(2), LabelId(3), LabelId(4));
    refused(vec![
        (catalogue.check_vertex_label_removable(person), ErrorKind::NotAllowed, "edge label 'knows' links it"),
        (catalogue.check_vertex_label_removable(LabelId(99)), ErrorKind::NotFound, "vertex label '99'"),
        (catalogue.check_edge_label_removable(acts), ErrorKind::NotAllowed, "edge label 'writes' belongs to it"),
    ]);
    refused(vec![
        (catalogue.remove(SchemaKey::VertexLabel(person)), ErrorKind::NotAllowed, "links it"),
        (catalogue.remove(SchemaKey::EdgeLabel(acts)), ErrorKind::NotAllowed, "belongs to it"),
        (catalogue.remove(SchemaKey::PropertyKey(PropertyKeyId(1))), ErrorKind::NotAllowed, "uses it"),
        (catalogue.remove(SchemaKey::IndexLabel(LabelId(1))), ErrorKind::NotFound, "index label '1'"),
        (
            catalogue.set_status(SchemaKey::EdgeLabel(LabelId(9)), Status::Deleting),
            ErrorKind::NotFound,
            "edge label '9'",
        ),
    ]);
    let without = catalogue.remove(SchemaKey::EdgeLabel(writes)).unwrap().catalogue;
    assert!(without.check_edge_label_removable(acts).is_ok());
    let deleting = catalogue.set_status(SchemaKey::VertexLabel(thing), Status::Deleting).unwrap();
    assert!(matches!(deleting.put.as_slice(), [SchemaElement::VertexLabel(label)] if label.status == Status::Deleting));
    let late = deleting.catalogue.create_edge_label(&edge_label("late", "thing", "doc", &[]), &CHANGE);
    assert_eq!(late.unwrap_err().kind(), ErrorKind::BadInput, "nothing new refers to what is being deleted");
    let removed = deleting.catalogue.remove(SchemaKey::VertexLabel(thing)).unwrap();
    assert_eq!(removed.removed, [SchemaKey::VertexLabel(thing)]);
    assert!(removed.catalogue.vertex_label_named("thing").is_none());
}

#[test]
fn parents_stand_for_their_sub_labels() {
    let catalogue = catalogue();
    assert_eq!(catalogue.edge_labels_under(LabelId(3)), [LabelId(4)]);
    assert_eq!(catalogue.edge_labels_under(LabelId(1)), [LabelId(1)]);
    assert_eq!(catalogue.edge_label_links(LabelId(3)), [(LabelId(1), LabelId(3))]);
    assert_eq!(catalogue.suggestion(SchemaKind::EdgeLabel, "wirtes"), "; did you mean 'writes'?");
    assert_eq!(catalogue.suggestion(SchemaKind::EdgeLabel, "unrelated"), "");
}

#[test]
fn a_catalogue_with_a_hole_is_not_loaded() {
    let catalogue = catalogue();
    let elements = catalogue.elements();
    assert_eq!(Catalogue::from_elements(SchemaMode::Strict, elements.clone(), catalogue.next_ids()), Ok(catalogue));
    for missing in
        [SchemaKey::PropertyKey(PropertyKeyId(5)), SchemaKey::VertexLabel(LabelId(1)), SchemaKey::EdgeLabel(LabelId(3))]
    {
        let rest = elements.iter().filter(|element| element.key() != missing).cloned().collect();
        let error = Catalogue::from_elements(SchemaMode::Strict, rest, NextIds::default()).unwrap_err();
        assert!(error.to_string().contains(&format!("number {}", missing.number())), "{error}");
    }
    let unordered = elements.iter().cloned().map(|mut element| {
        if let SchemaElement::VertexLabel(label) = &mut element {
            label.properties.reverse();
        }
        element
    });
    let error = Catalogue::from_elements(SchemaMode::Strict, unordered.collect(), NextIds::default()).unwrap_err();
    assert!(error.to_string().contains("order of their numbers"), "{error}");
    let twice = elements.iter().chain(&elements).cloned().map(|mut element| {
        if let SchemaElement::PropertyKey(key) = &mut element {
            key.id = PropertyKeyId(key.id.0 + 100);
        }
        element
    });
    assert!(
        Catalogue::from_elements(
            SchemaMode::Strict,
            elements.iter().cloned().chain(twice).collect(),
            NextIds::default()
        )
        .is_err()
    );
}
