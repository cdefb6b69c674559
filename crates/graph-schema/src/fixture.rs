//! Definitions for tests: a small graph, and requests with nothing special in them.

use std::borrow::Cow;

use graph_model::{Cardinality, DataType, IdStrategy};
use jiff::tz::TimeZone;

use crate::*;

/// 2020-01-02 00:00 UTC.
pub(crate) const NOW_MS: i64 = 1_577_923_200_000;

pub(crate) const CHANGE: ChangeRules<'static> =
    ChangeRules { mode: GraphMode::None, now_ms: NOW_MS, zone: &TimeZone::UTC, analyzer: Analyzer::Simple };

pub(crate) const RULES: ElementRules<'static> =
    ElementRules { mode: GraphMode::None, zone: &TimeZone::UTC, now_ms: NOW_MS, encode_primary_key_number: true };

pub(crate) fn key(name: &str, data_type: DataType, cardinality: Cardinality) -> NewPropertyKey {
    NewPropertyKey::new(name, data_type, cardinality)
}

pub(crate) fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

pub(crate) fn vertex_label(name: &str, properties: &[&str]) -> NewVertexLabel {
    NewVertexLabel { properties: strings(properties), ..NewVertexLabel::new(name) }
}

pub(crate) fn vertex_update(name: &str) -> UpdateVertexLabel {
    UpdateVertexLabel {
        name: name.to_owned(),
        id_strategy: None,
        primary_keys: Vec::new(),
        properties: Vec::new(),
        nullable_keys: Vec::new(),
        ttl_ms: 0,
        ttl_start_time: None,
        enable_label_index: None,
        user_data: UserData::default(),
    }
}

pub(crate) fn edge_label(name: &str, source: &str, target: &str, properties: &[&str]) -> NewEdgeLabel {
    NewEdgeLabel { properties: strings(properties), ..NewEdgeLabel::new(name, source, target) }
}

pub(crate) fn parent_label(name: &str) -> NewEdgeLabel {
    NewEdgeLabel {
        kind: EdgeLabelKindName::Parent,
        source_label: None,
        target_label: None,
        ..edge_label(name, "", "", &[])
    }
}

pub(crate) fn edge_update(name: &str) -> UpdateEdgeLabel {
    UpdateEdgeLabel {
        name: name.to_owned(),
        source_label: None,
        target_label: None,
        links: Vec::new(),
        frequency: None,
        sort_keys: Vec::new(),
        properties: Vec::new(),
        nullable_keys: Vec::new(),
        ttl_ms: 0,
        ttl_start_time: None,
        enable_label_index: None,
        user_data: UserData::default(),
    }
}

pub(crate) fn text(value: &str) -> Literal<'_> {
    Literal::Text(Cow::Borrowed(value))
}

/// Keys name, age, tags (SET), days (LIST of DATE), since, weight (default 0.5); labels person (1, primary key name,
/// tags and days and age nullable), thing (2, automatic), doc (3, string), log (4, number), user (5, UUID), fan (6,
/// automatic, ttl 1000 from since); edge labels knows (1, person to person, sort key since, weight nullable), uses (2,
/// user to log), acts (3, parent), writes (4, sub of acts, person to doc).
pub(crate) fn catalogue() -> Catalogue {
    use Cardinality::{List, Set, Single};
    let mut catalogue = Catalogue::default();
    for (name, data_type, cardinality) in [
        ("name", DataType::Text, Single),
        ("age", DataType::Int, Single),
        ("tags", DataType::Text, Set),
        ("days", DataType::Date, List),
        ("since", DataType::Date, Single),
    ] {
        catalogue =
            catalogue.create_property_key(&key(name, data_type, cardinality), &CHANGE).unwrap().change.catalogue;
    }
    let mut weight = key("weight", DataType::Double, Single);
    weight.user_data.set(DEFAULT_VALUE, "0.5".to_owned());
    weight.default_value = Some(Literal::Float(0.5));
    catalogue = catalogue.create_property_key(&weight, &CHANGE).unwrap().change.catalogue;
    let mut person = vertex_label("person", &["name", "age", "tags", "days"]);
    person.primary_keys = strings(&["name"]);
    person.nullable_keys = strings(&["days", "tags", "age"]);
    let custom = |name, strategy| NewVertexLabel { id_strategy: Some(strategy), ..vertex_label(name, &[]) };
    let mut fan = vertex_label("fan", &["since", "weight"]);
    (fan.ttl_ms, fan.ttl_start_time, fan.nullable_keys) =
        (1000, Some("since".to_owned()), strings(&["since", "weight"]));
    for label in [
        person,
        vertex_label("thing", &["name", "age"]),
        custom("doc", IdStrategy::CustomizeString),
        custom("log", IdStrategy::CustomizeNumber),
        custom("user", IdStrategy::CustomizeUuid),
        fan,
    ] {
        catalogue = catalogue.create_vertex_label(&label, &CHANGE).unwrap().change.catalogue;
    }
    let mut knows = edge_label("knows", "person", "person", &["since", "weight"]);
    (knows.frequency, knows.sort_keys, knows.nullable_keys) =
        (Some(Frequency::Multiple), strings(&["since"]), strings(&["weight"]));
    let mut writes = edge_label("writes", "person", "doc", &[]);
    (writes.kind, writes.parent_label) = (EdgeLabelKindName::Sub, Some("acts".to_owned()));
    for label in [knows, edge_label("uses", "user", "log", &[]), parent_label("acts"), writes] {
        catalogue = catalogue.create_edge_label(&label, &CHANGE).unwrap().change.catalogue;
    }
    catalogue
}
