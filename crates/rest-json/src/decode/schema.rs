//! Reading schema bodies. Java clients send every field of a bean, most of them null, so one struct holds the fields of
//! all kinds and null counts as absent. Only names and types are checked here; what a definition may be is up to the
//! catalogue.

use std::fmt;

use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{
    DEFAULT_VALUE, EdgeLabelKindName, Frequency, IndexType, Literal, NewEdgeLabel, NewIndexLabel, NewPropertyKey,
    NewVertexLabel, UpdateEdgeLabel, UpdateIndexLabel, UpdatePropertyKey, UpdateVertexLabel, UserData,
};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::borrowed_text::Text;
use super::compact::CompactJson;
use super::literal::{AnyLiteral, into_owned};
use super::trace::{explain, text};
use crate::DecodeError;
use crate::limits::USER_DATA_ENTRIES_MAX;
use crate::names::{
    AGGREGATE_TYPES, BASE_TYPES, EDGE_LABEL_KINDS, FREQUENCIES, INDEX_TYPES, Names, RANGE_NAMES, WRITE_TYPES, value_of,
};

/// Reads the definition of a property key.
pub fn decode_new_property_key(body: &[u8]) -> Result<NewPropertyKey, DecodeError> {
    let body = Body::read(body)?;
    let default_value = body.default_value()?;
    Ok(NewPropertyKey {
        data_type: body.data_type()?,
        cardinality: body.cardinality()?,
        aggregate_type: named("aggregate_type", body.aggregate_type.as_deref(), AGGREGATE_TYPES)?
            .unwrap_or(graph_schema::AggregateType::None),
        write_type: named("write_type", body.write_type.as_deref(), WRITE_TYPES)?
            .unwrap_or(graph_schema::WriteType::Oltp),
        check_exist: body.check_exist.unwrap_or(true),
        id: body.id,
        name: required(body.name)?,
        properties: body.properties.unwrap_or_default(),
        user_data: body.user_data.unwrap_or_default().0,
        default_value,
    })
}

/// Reads a change of a property key.
pub fn decode_update_property_key(body: &[u8]) -> Result<UpdatePropertyKey, DecodeError> {
    let body = Body::read(body)?;
    let default_value = body.default_value()?;
    Ok(UpdatePropertyKey {
        data_type: body.data_type()?,
        cardinality: body.cardinality()?,
        name: required(body.name)?,
        user_data: body.user_data.unwrap_or_default().0,
        default_value,
    })
}

/// Reads the definition of a vertex label.
pub fn decode_new_vertex_label(body: &[u8]) -> Result<NewVertexLabel, DecodeError> {
    let body = Body::read(body)?;
    Ok(NewVertexLabel {
        id_strategy: body.id_strategy()?,
        id: body.id,
        name: required(body.name)?,
        properties: body.properties.unwrap_or_default(),
        primary_keys: body.primary_keys.unwrap_or_default(),
        nullable_keys: body.nullable_keys.unwrap_or_default(),
        ttl_ms: body.ttl.unwrap_or_default(),
        ttl_start_time: body.ttl_start_time,
        enable_label_index: body.enable_label_index,
        user_data: body.user_data.unwrap_or_default().0,
        check_exist: body.check_exist.unwrap_or(true),
    })
}

/// Reads a change of a vertex label.
pub fn decode_update_vertex_label(body: &[u8]) -> Result<UpdateVertexLabel, DecodeError> {
    let body = Body::read(body)?;
    Ok(UpdateVertexLabel {
        id_strategy: body.id_strategy()?,
        name: required(body.name)?,
        primary_keys: body.primary_keys.unwrap_or_default(),
        properties: body.properties.unwrap_or_default(),
        nullable_keys: body.nullable_keys.unwrap_or_default(),
        ttl_ms: body.ttl.unwrap_or_default(),
        ttl_start_time: body.ttl_start_time,
        enable_label_index: body.enable_label_index,
        user_data: body.user_data.unwrap_or_default().0,
    })
}

/// Reads the definition of an edge label.
pub fn decode_new_edge_label(body: &[u8]) -> Result<NewEdgeLabel, DecodeError> {
    let body = Body::read(body)?;
    Ok(NewEdgeLabel {
        kind: named("edgelabel_type", body.edgelabel_type.as_deref(), EDGE_LABEL_KINDS)?
            .unwrap_or(EdgeLabelKindName::Normal),
        frequency: body.frequency()?,
        id: body.id,
        name: required(body.name)?,
        parent_label: body.parent_label,
        source_label: body.source_label,
        target_label: body.target_label,
        links: pairs(body.links),
        properties: body.properties.unwrap_or_default(),
        sort_keys: body.sort_keys.unwrap_or_default(),
        nullable_keys: body.nullable_keys.unwrap_or_default(),
        ttl_ms: body.ttl.unwrap_or_default(),
        ttl_start_time: body.ttl_start_time,
        enable_label_index: body.enable_label_index,
        user_data: body.user_data.unwrap_or_default().0,
        check_exist: body.check_exist.unwrap_or(true),
    })
}

/// Reads a change of an edge label.
pub fn decode_update_edge_label(body: &[u8]) -> Result<UpdateEdgeLabel, DecodeError> {
    let body = Body::read(body)?;
    Ok(UpdateEdgeLabel {
        frequency: body.frequency()?,
        name: required(body.name)?,
        source_label: body.source_label,
        target_label: body.target_label,
        links: pairs(body.links),
        sort_keys: body.sort_keys.unwrap_or_default(),
        properties: body.properties.unwrap_or_default(),
        nullable_keys: body.nullable_keys.unwrap_or_default(),
        ttl_ms: body.ttl.unwrap_or_default(),
        ttl_start_time: body.ttl_start_time,
        enable_label_index: body.enable_label_index,
        user_data: body.user_data.unwrap_or_default().0,
    })
}

/// Reads the definition of an index label.
pub fn decode_new_index_label(body: &[u8]) -> Result<NewIndexLabel, DecodeError> {
    let body = Body::read(body)?;
    let missing = |field| DecodeError::MissingField { place: "the body".to_owned(), field };
    let (on_vertices, index_type) = (body.base_type()?, body.index_type()?);
    Ok(NewIndexLabel {
        id: body.id,
        name: required(body.name)?,
        on_vertices: on_vertices.ok_or_else(|| missing("base_type"))?,
        index_type: index_type.ok_or_else(|| missing("index_type"))?,
        base: body.base_value.ok_or_else(|| missing("base_value"))?,
        fields: body.fields.unwrap_or_default(),
        user_data: body.user_data.unwrap_or_default().0,
        rebuild: body.rebuild.unwrap_or(true),
        check_exist: body.check_exist.unwrap_or(true),
    })
}

/// Reads a change of an index label.
pub fn decode_update_index_label(body: &[u8]) -> Result<UpdateIndexLabel, DecodeError> {
    let body = Body::read(body)?;
    Ok(UpdateIndexLabel {
        on_vertices: body.base_type()?,
        index_type: body.index_type()?,
        name: required(body.name)?,
        base: body.base_value,
        fields: body.fields.unwrap_or_default(),
        user_data: body.user_data.unwrap_or_default().0,
    })
}

/// Every field of every kind's body.
#[derive(Deserialize)]
struct Body {
    id: Option<i64>,
    name: Option<String>,
    properties: Option<Vec<String>>,
    nullable_keys: Option<Vec<String>>,
    ttl: Option<i64>,
    ttl_start_time: Option<String>,
    enable_label_index: Option<bool>,
    user_data: Option<UserDataBody>,
    check_exist: Option<bool>,
    data_type: Option<String>,
    cardinality: Option<String>,
    aggregate_type: Option<String>,
    write_type: Option<String>,
    id_strategy: Option<String>,
    primary_keys: Option<Vec<String>>,
    edgelabel_type: Option<String>,
    parent_label: Option<String>,
    source_label: Option<String>,
    target_label: Option<String>,
    links: Option<Vec<Link>>,
    frequency: Option<String>,
    sort_keys: Option<Vec<String>>,
    base_type: Option<String>,
    base_value: Option<String>,
    index_type: Option<String>,
    fields: Option<Vec<String>>,
    rebuild: Option<bool>,
}

impl Body {
    fn read(body: &[u8]) -> Result<Self, DecodeError> {
        let text = text(body)?;
        let mut parser = serde_json::Deserializer::from_str(text);
        let Root(body) = serde_path_to_error::deserialize(&mut parser).map_err(|error| {
            let path = error.path().to_string();
            explain(error.inner(), || if path == "." { "the body".to_owned() } else { path })
        })?;
        parser.end().map_err(|error| explain(&error, || "the body".to_owned()))?;
        Ok(body)
    }

    fn data_type(&self) -> Result<DataType, DecodeError> {
        let names = DataType::ALL.map(|data_type| (data_type.name(), data_type));
        Ok(named("data_type", self.data_type.as_deref(), &names)?.unwrap_or(DataType::Text))
    }

    fn cardinality(&self) -> Result<Cardinality, DecodeError> {
        let names = [Cardinality::Single, Cardinality::List, Cardinality::Set].map(|each| (each.name(), each));
        Ok(named("cardinality", self.cardinality.as_deref(), &names)?.unwrap_or(Cardinality::Single))
    }

    fn id_strategy(&self) -> Result<Option<IdStrategy>, DecodeError> {
        let strategies = [
            IdStrategy::Automatic,
            IdStrategy::PrimaryKey,
            IdStrategy::CustomizeString,
            IdStrategy::CustomizeNumber,
            IdStrategy::CustomizeUuid,
        ];
        named_or_default("id_strategy", self.id_strategy.as_deref(), &strategies.map(|each| (each.name(), each)))
    }

    fn frequency(&self) -> Result<Option<Frequency>, DecodeError> {
        named_or_default("frequency", self.frequency.as_deref(), FREQUENCIES)
    }

    fn base_type(&self) -> Result<Option<bool>, DecodeError> {
        named("base_type", self.base_type.as_deref(), BASE_TYPES)
    }

    /// Also the names by which the whole schema shows range indexes, so that what was exported can be sent back.
    fn index_type(&self) -> Result<Option<IndexType>, DecodeError> {
        match self.index_type.as_deref() {
            Some(name) if RANGE_NAMES.contains(&name) => Ok(Some(IndexType::Range)),
            name => named("index_type", name, INDEX_TYPES),
        }
    }

    fn default_value(&self) -> Result<Option<Literal<'static>>, DecodeError> {
        let Some(json) = self.user_data.as_ref().and_then(|data| data.0.get(DEFAULT_VALUE)) else {
            return Ok(None);
        };
        let AnyLiteral(literal) =
            serde_json::from_str(json).map_err(|error| explain(&error, || format!("user_data.{DEFAULT_VALUE}")))?;
        Ok(Some(into_owned(literal)))
    }
}

/// A body that is an object; alone, the derived reader would also take an array of all fields.
struct Root(Body);

impl<'de> Deserialize<'de> for Root {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RootVisitor)
    }
}

struct RootVisitor;

impl<'de> Visitor<'de> for RootVisitor {
    type Value = Root;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Root, A::Error> {
        Body::deserialize(MapAccessDeserializer::new(map)).map(Root)
    }
}

fn required(name: Option<String>) -> Result<String, DecodeError> {
    name.ok_or_else(|| DecodeError::MissingField { place: "the body".to_owned(), field: "name" })
}

fn named<T: Copy>(field: &'static str, got: Option<&str>, names: &Names<T>) -> Result<Option<T>, DecodeError> {
    let Some(got) = got else { return Ok(None) };
    let unknown = || unknown_name(field, got, names.iter().map(|(name, _)| *name));
    value_of(names, got).map(Some).ok_or_else(unknown)
}

/// As [`named`], with `DEFAULT` for "not given".
fn named_or_default<T: Copy>(
    field: &'static str,
    got: Option<&str>,
    names: &Names<T>,
) -> Result<Option<T>, DecodeError> {
    const DEFAULT: &str = "DEFAULT";
    let Some(got) = got.filter(|got| *got != DEFAULT) else { return Ok(None) };
    let unknown = || unknown_name(field, got, std::iter::once(DEFAULT).chain(names.iter().map(|(name, _)| *name)));
    value_of(names, got).map(Some).ok_or_else(unknown)
}

fn unknown_name(field: &'static str, got: &str, allowed: impl Iterator<Item = &'static str>) -> DecodeError {
    let got = got.chars().take(crate::limits::QUOTED_CHARS_MAX).collect();
    DecodeError::UnknownName { field, got, allowed: allowed.collect::<Vec<_>>().join(", ") }
}

fn pairs(links: Option<Vec<Link>>) -> Vec<(String, String)> {
    links.unwrap_or_default().into_iter().map(|Link(source, target)| (source, target)).collect()
}

/// `{"person":"city"}`: names of the source and target labels.
struct Link(String, String);

impl<'de> Deserialize<'de> for Link {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LinkVisitor)
    }
}

struct LinkVisitor;

impl<'de> Visitor<'de> for LinkVisitor {
    type Value = Link;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one entry, {\"source label\":\"target label\"}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Link, A::Error> {
        let Some((source, target)) = map.next_entry()? else { return Err(Error::invalid_length(0, &self)) };
        match map.next_key::<Text<'de>>()? {
            Some(_) => Err(Error::invalid_length(2, &self)),
            None => Ok(Link(source, target)),
        }
    }
}

/// The object under `user_data`.
#[derive(Default)]
struct UserDataBody(UserData);

impl<'de> Deserialize<'de> for UserDataBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UserDataVisitor)
    }
}

struct UserDataVisitor;

impl<'de> Visitor<'de> for UserDataVisitor {
    type Value = UserDataBody;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of user data")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UserDataBody, A::Error> {
        let mut data = UserData::default();
        while let Some(Text(name)) = map.next_key()? {
            let CompactJson(json) = map.next_value()?;
            data.set(&name, json);
            if data.0.len() > USER_DATA_ENTRIES_MAX {
                return Err(Error::custom(format_args!("more than {USER_DATA_ENTRIES_MAX} entries")));
            }
        }
        Ok(UserDataBody(data))
    }
}
