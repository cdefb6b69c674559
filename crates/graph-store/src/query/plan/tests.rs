//! Which indexes are chosen for which conditions, and what is said where none will do.

use std::borrow::Cow;
use std::ops::Bound;

use graph_model::{Cardinality, DataType};
use graph_schema::{
    Analyzer, ChangeRules, GraphMode, Literal, NewIndexLabel, NewPredicate, NewPropertyKey, NewVertexLabel, SchemaKey,
};
use jiff::tz::TimeZone;

use super::*;

const RULES: ChangeRules<'static> =
    ChangeRules { mode: GraphMode::None, now_ms: 0, zone: &TimeZone::UTC, analyzer: Analyzer::Simple };

/// Label `person` with age, city (texts name and bio, a set tags besides), and the index labels given as name, type,
/// fields.
fn catalogue(indexes: &[(&str, IndexType, &[&str])]) -> Catalogue {
    let mut catalogue = Catalogue::default();
    for (name, data_type, cardinality) in [
        ("age", DataType::Int, Cardinality::Single),
        ("city", DataType::Text, Cardinality::Single),
        ("name", DataType::Text, Cardinality::Single),
        ("bio", DataType::Text, Cardinality::Single),
        ("tags", DataType::Text, Cardinality::Set),
        ("else", DataType::Int, Cardinality::Single),
    ] {
        let key = NewPropertyKey::new(name, data_type, cardinality);
        catalogue = catalogue.create_property_key(&key, &RULES).unwrap().change.catalogue;
    }
    let properties = ["age", "city", "name", "bio", "tags"].map(str::to_owned).to_vec();
    let person = NewVertexLabel { nullable_keys: properties.clone(), properties, ..NewVertexLabel::new("person") };
    catalogue = catalogue.create_vertex_label(&person, &RULES).unwrap().change.catalogue;
    for (name, index_type, fields) in indexes {
        let new = NewIndexLabel::on_vertices(name, "person", *index_type, fields);
        let created = catalogue.create_index_label(&new, &RULES).unwrap();
        let key = SchemaKey::IndexLabel(created.id);
        catalogue = created.change.catalogue.set_status(key, Status::Created).unwrap().catalogue;
    }
    catalogue
}

fn conditions(catalogue: &Catalogue, given: &[(&str, NewPredicate<'static>)]) -> Conditions {
    let given: Vec<_> = given.iter().map(|(name, predicate)| (Cow::Borrowed(*name), predicate.clone())).collect();
    catalogue.check_conditions(&given, &TimeZone::UTC).unwrap()
}

fn is(value: &'static str) -> NewPredicate<'static> {
    NewPredicate::Equal(Literal::Text(value.into()))
}

fn above(value: i64) -> NewPredicate<'static> {
    NewPredicate::Range { low: Bound::Excluded(Literal::Integer(value)), high: Bound::Unbounded }
}

/// The names of the indexes chosen, the driver first, or the error's text.
fn chosen(
    indexes: &[(&str, IndexType, &[&str])],
    given: &[(&str, NewPredicate<'static>)],
    driver: Option<&str>,
) -> Result<Vec<String>, String> {
    let catalogue = catalogue(indexes);
    let label = catalogue.vertex_label_named("person").unwrap().id;
    let driver = driver.map(|name| catalogue.index_label_named(name).unwrap().id);
    let uses = choose(&catalogue, Base::Vertex, label, &conditions(&catalogue, given), driver);
    uses.map(|uses| uses.iter().map(|one| format!("{}:{}", one.index.name, one.fields)).collect())
        .map_err(|error| error.to_string())
}

use IndexType::{Range, Search, Secondary, Shard, Unique};

#[test]
fn one_index_that_covers_all_is_preferred() {
    let all: &[(&str, IndexType, &[&str])] =
        &[("byCity", Secondary, &["city"]), ("byAge", Range, &["age"]), ("byBoth", Shard, &["city", "age"])];
    let both = [("city", is("x")), ("age", above(3))];
    assert_eq!(chosen(all, &both, None), Ok(vec!["byBoth:2".into()]));
    assert_eq!(chosen(&all[..2], &both, None), Ok(vec!["byCity:1".into(), "byAge:1".into()]));
    assert_eq!(chosen(&all[..2], &both, Some("byAge")), Ok(vec!["byAge:1".into(), "byCity:1".into()]));
    assert_eq!(chosen(all, &both[..1], None), Ok(vec!["byCity:1".into()]));
}

#[test]
fn prefixes_of_fields_serve() {
    let all: &[(&str, IndexType, &[&str])] = &[("joint", Secondary, &["city", "name", "age"])];
    assert_eq!(chosen(all, &[("city", is("x"))], None), Ok(vec!["joint:1".into()]));
    assert_eq!(chosen(all, &[("city", is("x")), ("name", is("y"))], None), Ok(vec!["joint:2".into()]));
    let gap = chosen(all, &[("city", is("x")), ("age", NewPredicate::Equal(Literal::Integer(1)))], None).unwrap_err();
    assert!(gap.contains("'age'") && !gap.contains("'city'"), "{gap}");
    let error = chosen(all, &[("name", is("y"))], None).unwrap_err();
    assert_eq!(
        error,
        "finding vertices of label 'person' by 'name' needs an index that does not exist: \
        it lacks a secondary index on 'name'"
    );
}

#[test]
fn the_missing_kind_is_named() {
    let secondary: &[(&str, IndexType, &[&str])] =
        &[("byCity", Secondary, &["city"]), ("byTags", Secondary, &["tags"]), ("one", Unique, &["name"])];
    let missing = |key, predicate| chosen(secondary, &[(key, predicate)], None).unwrap_err();
    assert!(missing("age", above(1)).contains("a range index on 'age'"));
    assert!(missing("city", NewPredicate::TextContains("x".into())).contains("a search index on 'city'"));
    assert!(missing("city", NewPredicate::NotEqual(Literal::Text("x".into()))).contains("a range index on 'city'"));
    assert!(missing("name", is("x")).contains("a secondary index on 'name'"));
    assert!(missing("else", NewPredicate::Equal(Literal::Integer(1))).contains("does not have 'else'"));
    let empty = NewPredicate::Equal(Literal::Array(Vec::new()));
    assert!(missing("tags", empty).contains("a secondary index on 'tags'"));
    assert_eq!(chosen(secondary, &[("tags", is("x"))], None), Ok(vec!["byTags:1".into()]));
}

#[test]
fn range_indexes_serve_every_comparison_and_search_indexes_words_only() {
    let all: &[(&str, IndexType, &[&str])] = &[("byAge", Range, &["age"]), ("byBio", Search, &["bio"])];
    let int = Literal::Integer;
    for predicate in [
        above(1),
        NewPredicate::Equal(int(1)),
        NewPredicate::NotEqual(int(1)),
        NewPredicate::Outside(int(1), int(2)),
        NewPredicate::OneOf(vec![int(1), int(2)]),
    ] {
        assert_eq!(chosen(all, &[("age", predicate)], None), Ok(vec!["byAge:1".into()]));
    }
    let words = NewPredicate::TextContains("a b".into());
    assert_eq!(chosen(all, &[("bio", words)], None), Ok(vec!["byBio:1".into()]));
    assert!(chosen(all, &[("bio", is("a b"))], None).unwrap_err().contains("a secondary index on 'bio'"));
}

#[test]
fn an_index_that_is_not_ready_is_named_but_not_used() {
    let catalogue = catalogue(&[("byCity", Secondary, &["city"])]);
    let (label, index) =
        (catalogue.vertex_label_named("person").unwrap().id, catalogue.index_label_named("byCity").unwrap().id);
    let building = catalogue.set_status(SchemaKey::IndexLabel(index), Status::Creating).unwrap().catalogue;
    let asked = conditions(&building, &[("city", is("x"))]);
    let Err(error) = choose(&building, Base::Vertex, label, &asked, None) else { panic!("it is not ready") };
    assert!(error.to_string().contains("index label 'byCity' is being built"), "{error}");
    let page = choose(&building, Base::Vertex, label, &asked, Some(index));
    assert!(matches!(page, Err(StoreError::Page { .. })));
}

#[test]
fn without_a_label_those_that_have_all_properties_are_searched() {
    let catalogue = catalogue(&[]);
    let label = catalogue.vertex_label_named("person").unwrap().id;
    let found = |given: &[_]| labels_with(&catalogue, Base::Vertex, &conditions(&catalogue, given));
    assert_eq!(found(&[("city", is("x")), ("age", above(1))]).unwrap(), [label]);
    let none = found(&[("else", above(1))]).unwrap_err();
    assert!(matches!(none, StoreError::NoIndex { .. }), "{none}");
}
