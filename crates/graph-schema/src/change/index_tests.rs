//! Tests of index labels.

use graph_model::{Cardinality, DataType, LabelId, VertexId};

use crate::fixture::*;
use crate::*;

use IndexType::{Range, Search, Secondary, Shard, Unique};

fn on_thing(name: &str, index_type: IndexType, fields: &[&str]) -> NewIndexLabel {
    NewIndexLabel::on_vertices(name, "thing", index_type, fields)
}

fn with(catalogue: &Catalogue, new: &NewIndexLabel) -> Catalogue {
    let Created { id, change } = catalogue.create_index_label(new, &CHANGE).unwrap();
    change.catalogue.finish_index_label(id).unwrap().catalogue
}

fn refusal(catalogue: &Catalogue, new: &NewIndexLabel) -> String {
    let before = catalogue.clone();
    let error = catalogue.create_index_label(new, &CHANGE).unwrap_err();
    assert_eq!(*catalogue, before);
    error.to_string()
}

/// The catalogue of the fixture, with more properties on `thing`: name, age, tags, weight, since.
fn wide() -> Catalogue {
    let mut update = vertex_update("thing");
    update.properties = strings(&["tags", "weight", "since"]);
    update.nullable_keys = strings(&["tags", "weight", "since"]);
    catalogue().append_vertex_label(&update).unwrap().change.catalogue
}

#[test]
fn a_created_one_is_shown_and_found_by_its_label() {
    let catalogue = wide();
    assert!(!catalogue.has_indexes());
    let created = catalogue.create_index_label(&on_thing("byAge", Range, &["age"]), &CHANGE).unwrap();
    let catalogue = created.change.catalogue;
    let index = catalogue.index_label_named("byAge").unwrap();
    assert_eq!((index.status, index.complete, index.is_kept()), (Status::Creating, false, true));
    assert!(index.user_data.get(CREATE_TIME).is_some());
    assert_eq!(catalogue.indexes_over(true, LabelId(2)), std::slice::from_ref(index));
    assert!(catalogue.indexes_over(false, LabelId(2)).is_empty() && catalogue.has_indexes());
    let without = catalogue.remove(SchemaKey::VertexLabel(LabelId(2))).unwrap();
    assert_eq!(without.removed, [SchemaKey::IndexLabel(LabelId(1)), SchemaKey::VertexLabel(LabelId(2))]);
    assert!(!without.catalogue.has_indexes());
}

#[test]
fn not_built_it_is_in_use_and_incomplete() {
    let new = NewIndexLabel { rebuild: false, ..on_thing("byAge", Range, &["age"]) };
    let catalogue = wide().create_index_label(&new, &CHANGE).unwrap().change.catalogue;
    let index = catalogue.index_label_named("byAge").unwrap();
    assert_eq!((index.status, index.complete), (Status::Created, false));
    let built = catalogue.finish_index_label(index.id).unwrap().catalogue;
    assert!(built.index_label_named("byAge").unwrap().complete);
}

#[test]
fn definitions_that_cannot_be_are_refused() {
    let catalogue = wide();
    for (new, expected) in [
        (on_thing("", Range, &["age"]), "empty"),
        (on_thing("a ", Range, &["age"]), "blank"),
        (on_thing("a", Range, &[]), "at least one"),
        (on_thing("a", Range, &["nosuch"]), "undefined property key 'nosuch'"),
        (on_thing("a", Range, &["days"]), "'days' is no property of 'thing'"),
        (on_thing("a", Secondary, &["age", "name", "age"]), "'age' is named twice"),
        (NewIndexLabel::on_vertices("a", "knows", Range, &["age"]), "undefined vertex label 'knows'"),
        (NewIndexLabel::on_edges("a", "thing", Range, &["age"]), "undefined edge label 'thing'"),
        (NewIndexLabel::on_edges("a", "acts", Secondary, &["age"]), "'age' is no property of 'acts'"),
        (on_thing("a", Range, &["age", "weight"]), "exactly one field, but got 2"),
        (on_thing("a", Range, &["name"]), "but 'name' is SINGLE TEXT"),
        (NewIndexLabel::on_vertices("a", "person", Range, &["days"]), "but 'days' is LIST DATE"),
        (on_thing("a", Search, &["name", "tags"]), "'tags' is a SET"),
        (on_thing("a", Search, &["name", "age"]), "exactly one field, but got 2"),
        (on_thing("a", Search, &["age"]), "needs a TEXT, but 'age' is INT"),
        (on_thing("a", Secondary, &["age", "tags"]), "'tags' is a SET: it must be the only field"),
        (on_thing("a", Unique, &["tags", "age"]), "'tags' is a SET: it must be the only field"),
        (on_thing("a", Shard, &["tags"]), "but 'tags' is a SET"),
        (NewIndexLabel::on_vertices("a", "person", Shard, &["days"]), "but 'days' is a LIST"),
        (NewIndexLabel::on_vertices("a", "person", Secondary, &["age", "name"]), "all primary keys of 'person'"),
        (NewIndexLabel::on_vertices("a", "person", Unique, &["name"]), "all primary keys of 'person'"),
        (NewIndexLabel::on_vertices("a", "person", Shard, &["name"]), "all primary keys of 'person'"),
        (NewIndexLabel { id: Some(4), ..on_thing("a", Range, &["age"]) }, "its id 4 must not be given"),
    ] {
        let text = refusal(&catalogue, &new);
        assert!(text.contains(expected), "{text} does not say: {expected}");
    }
}

#[test]
fn every_type_has_definitions_that_can_be() {
    for new in [
        on_thing("a", Secondary, &["age", "name", "since"]),
        on_thing("a", Secondary, &["tags"]),
        on_thing("a", Range, &["weight"]),
        on_thing("a", Range, &["since"]),
        on_thing("a", Search, &["name"]),
        on_thing("a", Search, &["tags"]),
        on_thing("a", Shard, &["name", "age"]),
        on_thing("a", Unique, &["name", "age"]),
        NewIndexLabel::on_vertices("a", "person", Search, &["name"]),
        NewIndexLabel::on_vertices("a", "person", Shard, &["name", "age"]),
        NewIndexLabel::on_edges("a", "knows", Secondary, &["since"]),
    ] {
        assert!(wide().create_index_label(&new, &CHANGE).is_ok(), "{new:?}");
    }
}

#[test]
fn aggregates_that_combine_values_cannot_be_indexed() {
    let mut total = key("total", DataType::Long, Cardinality::Single);
    total.aggregate_type = AggregateType::Sum;
    let catalogue = catalogue().create_property_key(&total, &CHANGE).unwrap().change.catalogue;
    let mut update = vertex_update("thing");
    (update.properties, update.nullable_keys) = (strings(&["total"]), strings(&["total"]));
    let catalogue = catalogue.append_vertex_label(&update).unwrap().change.catalogue;
    assert!(refusal(&catalogue, &on_thing("a", Range, &["total"])).contains("cannot be indexed"));
}

#[test]
fn one_that_an_existing_one_serves_for_is_refused() {
    for (old, new) in [
        ((Secondary, &["age", "name"][..]), (Secondary, &["age"][..])),
        ((Secondary, &["age"]), (Secondary, &["age"])),
        ((Shard, &["age", "name"]), (Secondary, &["age", "name"])),
        ((Range, &["age"]), (Secondary, &["age"])),
        ((Shard, &["age", "name"]), (Shard, &["age"])),
        ((Range, &["age"]), (Range, &["age"])),
        ((Search, &["name"]), (Search, &["name"])),
        ((Unique, &["age"]), (Unique, &["name", "age"])),
    ] {
        let catalogue = with(&wide(), &on_thing("old", old.0, old.1));
        let text = refusal(&catalogue, &on_thing("new", new.0, new.1));
        assert!(text.contains("it repeats the index label 'old'"), "{text}");
        // One over another label is another matter, and so is one on its way out.
        let deleting = catalogue.set_status(SchemaKey::IndexLabel(LabelId(1)), Status::Deleting).unwrap().catalogue;
        assert!(deleting.create_index_label(&on_thing("new", new.0, new.1), &CHANGE).is_ok());
    }
    for (old, new) in [
        ((Secondary, &["age", "name"][..]), (Secondary, &["name"][..])),
        ((Secondary, &["age"]), (Range, &["age"])),
        ((Shard, &["age", "name"]), (Range, &["age"])),
        ((Search, &["name"]), (Secondary, &["name"])),
        ((Unique, &["age"]), (Secondary, &["age"])),
        ((Unique, &["age", "name"]), (Unique, &["age"])),
        // Elements without a weight are free of the old one only.
        ((Unique, &["weight"]), (Unique, &["name", "weight"])),
    ] {
        let catalogue = with(&wide(), &on_thing("old", old.0, old.1));
        assert!(catalogue.create_index_label(&on_thing("new", new.0, new.1), &CHANGE).is_ok(), "{old:?} {new:?}");
    }
}

#[test]
fn those_a_new_one_serves_for_go_when_it_is_built() {
    for (old, new, goes) in [
        ((Secondary, &["age"][..]), (Secondary, &["age", "name"][..]), true),
        ((Secondary, &["age"]), (Shard, &["age", "name"]), true),
        ((Secondary, &["age"]), (Range, &["age"]), true),
        ((Shard, &["age"]), (Shard, &["age", "name"]), true),
        ((Unique, &["age", "name"]), (Unique, &["name"]), true),
        ((Unique, &["age", "weight"]), (Unique, &["weight"]), false),
        ((Unique, &["weight", "since", "age"]), (Unique, &["age", "weight"]), true),
        ((Range, &["age"]), (Shard, &["age", "name"]), false),
        ((Secondary, &["name"]), (Secondary, &["age", "name"]), false),
    ] {
        let catalogue = with(&wide(), &on_thing("old", old.0, old.1));
        let created = catalogue.create_index_label(&on_thing("new", new.0, new.1), &CHANGE).unwrap();
        let status = |catalogue: &Catalogue| catalogue.index_label_named("old").unwrap().status;
        assert_eq!(status(&created.change.catalogue), Status::Created);
        let finished = created.change.catalogue.finish_index_label(created.id).unwrap();
        assert_eq!(status(&finished.catalogue) == Status::Deleting, goes, "{old:?} {new:?}");
        assert_eq!(finished.put.len(), if goes { 2 } else { 1 });
    }
}

#[test]
fn the_same_definition_is_found_when_that_is_asked_for() {
    let new = on_thing("a", Secondary, &["age", "name"]);
    let catalogue = with(&wide(), &new);
    assert!(refusal(&catalogue, &new).contains("has existed"));
    let lenient = |new: NewIndexLabel| NewIndexLabel { check_exist: false, ..new };
    let found = catalogue.create_index_label(&lenient(on_thing("a", Secondary, &["name", "age"])), &CHANGE).unwrap();
    assert!(found.change.put.is_empty() && found.id == LabelId(1));
    for other in [
        on_thing("a", Secondary, &["name"]),
        on_thing("a", Shard, &["age", "name"]),
        NewIndexLabel::on_vertices("a", "person", Secondary, &["age", "name"]),
        NewIndexLabel::on_edges("a", "thing", Secondary, &["age", "name"]),
    ] {
        assert!(refusal(&catalogue, &lenient(other)).contains("has existed"));
    }
}

#[test]
fn only_user_data_changes() {
    let catalogue = with(&wide(), &on_thing("a", Range, &["age"]));
    let mut update = UpdateIndexLabel {
        name: "a".to_owned(),
        on_vertices: None,
        base: None,
        index_type: None,
        fields: Vec::new(),
        user_data: UserData(vec![("min".to_owned(), "0".to_owned())]),
    };
    let changed = catalogue.append_index_label(&update).unwrap().change.catalogue;
    assert_eq!(changed.index_label_named("a").unwrap().user_data.get("min"), Some("0"));
    assert_eq!(changed.indexes_over(true, LabelId(2))[0].user_data.get("min"), Some("0"));
    let back = changed.eliminate_index_label(&update).unwrap().change.catalogue;
    assert_eq!(back, catalogue);
    type Give = fn(&mut UpdateIndexLabel);
    let gifts: [(Give, &str); 4] = [
        (|update| update.on_vertices = Some(true), "base_type"),
        (|update| update.base = Some("thing".to_owned()), "base_value"),
        (|update| update.index_type = Some(Range), "index_type"),
        (|update| update.fields = strings(&["age"]), "fields"),
    ];
    for (give, name) in gifts {
        let mut given = update.clone();
        give(&mut given);
        for outcome in [catalogue.append_index_label(&given), catalogue.eliminate_index_label(&given)] {
            assert!(outcome.unwrap_err().to_string().contains(name));
        }
    }
    update.name = "b".to_owned();
    assert!(matches!(catalogue.append_index_label(&update), Err(SchemaError::NotFound { .. })));
}

#[test]
fn a_write_touches_indexes_of_every_label_its_id_may_have_had() {
    let touched = |catalogue: &Catalogue, label: u32, id: &str| {
        let id = id.parse().map_or(VertexId::String(id.into()), VertexId::Number);
        catalogue.touches_indexes(LabelId(label), &id)
    };
    // Labels: person 1 (primary key), thing 2 (automatic), doc 3 (string), log 4 (number), user 5 (UUID).
    assert!(!touched(&wide(), 2, "1"));
    let automatic = with(&wide(), &on_thing("a", Range, &["age"]));
    assert_eq!(
        [(1, "1:x"), (2, "1"), (3, "x"), (4, "1")].map(|(l, id)| touched(&automatic, l, id)),
        [false, true, false, true]
    );
    let keyed = with(&wide(), &NewIndexLabel::on_vertices("a", "person", Range, &["age"]));
    let cases = [(1, "1:x"), (2, "1"), (3, "x"), (3, "1:x"), (4, "1")];
    assert_eq!(cases.map(|(l, id)| touched(&keyed, l, id)), [true, false, false, true, false]);
    let both = with(&keyed, &on_thing("b", Range, &["age"]));
    let loaded =
        Catalogue::from_elements(SchemaMode::Strict, both.elements().into_iter().rev().collect(), both.next_ids());
    assert_eq!(loaded, Ok(both.clone()));
    let none = both.remove(SchemaKey::IndexLabel(LabelId(1))).unwrap().catalogue;
    let none = none.remove(SchemaKey::VertexLabel(LabelId(2))).unwrap().catalogue;
    assert!(!none.has_indexes() && !touched(&none, 1, "1:x"));
}

#[test]
fn restoring_gives_numbers() {
    let rules = ChangeRules { mode: GraphMode::Restoring, ..CHANGE };
    let new = NewIndexLabel { id: Some(7), ..on_thing("a", Range, &["age"]) };
    let catalogue = wide().create_index_label(&new, &rules).unwrap().change.catalogue;
    assert_eq!(catalogue.index_label_named("a").unwrap().id, LabelId(7));
    assert_eq!(catalogue.next_ids().index_label, 8);
    let used = NewIndexLabel { name: "b".to_owned(), ..new };
    assert!(catalogue.create_index_label(&used, &rules).unwrap_err().to_string().contains("7 is used already"));
    let none = NewIndexLabel { id: None, name: "c".to_owned(), ..on_thing("c", Range, &["age"]) };
    assert!(catalogue.create_index_label(&none, &rules).unwrap_err().to_string().contains("must be given"));
}

#[test]
fn a_label_or_a_property_of_an_index_label_stays() {
    let catalogue = with(&wide(), &on_thing("a", Range, &["age"]));
    assert!(catalogue.delete_property_key("age").is_err());
    let deleting = catalogue.set_status(SchemaKey::VertexLabel(LabelId(2)), Status::Deleting).unwrap().catalogue;
    assert!(refusal(&deleting, &on_thing("b", Search, &["name"])).contains("undefined vertex label 'thing'"));
}
