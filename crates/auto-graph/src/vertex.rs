//! Vertices: several values of a key, each with an id and properties of its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use graph_access::GraphWrite;
use graph_model::{Properties, Vertex};
use graph_schema::{Catalogue, Declaration, Literal, NewVertex};
use query_value::{Cardinality, Text, Value};
use tagged_value::{Entry, EntryId, Meta, entries, put_entries};

use crate::value::{decode, encode};
use crate::{AutoError, ids};

/// A vertex of an auto graph, stored or to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoVertex {
    /// Its id; of one to be written `None`, where the server is to make it.
    pub id: Option<Value>,
    /// Its label.
    pub label: Text,
    /// Its properties, the values of one key in their order.
    pub properties: Vec<AutoProperty>,
}

/// One value of a key of a vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoProperty {
    /// The key.
    pub key: Text,
    /// The value.
    pub value: Value,
    /// Its own properties, each key at most once.
    pub meta: Vec<(Text, Value)>,
    own: OwnId,
}

/// What tells a value from the others of its key.
#[derive(Clone, Debug, PartialEq)]
enum OwnId {
    Ordinal(u32),
    Given(Value),
}

/// A value to be set.
#[derive(Clone, Debug, PartialEq)]
pub struct NewProperty {
    /// The key.
    pub key: Text,
    /// The id, where a client gave one.
    pub id: Option<Value>,
    /// The value.
    pub value: Value,
    /// Its own properties.
    pub meta: Vec<(Text, Value)>,
}

impl AutoProperty {
    /// Its id, given that of its vertex.
    #[must_use]
    pub fn id(&self, vertex: &Value) -> Value {
        match (&self.own, ids::vertex_key(vertex)) {
            (OwnId::Given(id), _) => id.clone(),
            (OwnId::Ordinal(ordinal), Some(vertex)) => ids::property_id(&vertex, &self.key, *ordinal),
            (OwnId::Ordinal(_), None) => Value::Null,
        }
    }

    /// Sets one of its own properties.
    pub fn set_meta(&mut self, key: Text, value: Value) {
        match self.meta.iter_mut().find(|(own, _)| *own == key) {
            Some(slot) => slot.1 = value,
            None => self.meta.push((key, value)),
        }
    }
}

impl AutoVertex {
    /// A vertex without properties, to be written.
    #[must_use]
    pub fn new(id: Option<Value>, label: impl Into<Text>) -> Self {
        Self { id, label: label.into(), properties: Vec::new() }
    }

    /// Sets a value as TinkerPop does: *single* replaces all values of the key, *list* adds one, and *set* adds it
    /// unless there is an equal one, which gets the properties. Answers where in [`Self::properties`] it is.
    pub fn set_property(&mut self, cardinality: Cardinality, new: NewProperty) -> usize {
        let NewProperty { key, id, value, meta } = new;
        let equal = |own: &AutoProperty| own.key == key && own.value == value;
        if cardinality == Cardinality::Set
            && let Some(at) = self.properties.iter().position(equal)
            && let Some(own) = self.properties.get_mut(at)
        {
            meta.into_iter().for_each(|(key, value)| own.set_meta(key, value));
            return at;
        }
        if cardinality == Cardinality::Single {
            self.properties.retain(|own| own.key != key);
        }
        let own = id.map_or_else(|| OwnId::Ordinal(self.next_ordinal(&key)), OwnId::Given);
        let mut property = AutoProperty { key, value, meta: Vec::new(), own };
        meta.into_iter().for_each(|(key, value)| property.set_meta(key, value));
        self.properties.push(property);
        self.properties.len() - 1
    }

    /// A number that no value of a key has.
    fn next_ordinal(&self, key: &str) -> u32 {
        let ordinals = self.properties.iter().filter(|own| own.key == key).filter_map(|property| match property.own {
            OwnId::Ordinal(ordinal) => Some(ordinal),
            OwnId::Given(_) => None,
        });
        ordinals.max().map_or(0, |last| last.saturating_add(1))
    }

    /// The position in [`Self::properties`] of the property with an id.
    #[must_use]
    pub fn position_of(&self, id: &Value) -> Option<usize> {
        let vertex = self.id.as_ref()?;
        self.properties.iter().position(|property| property.id(vertex) == *id)
    }
}

/// A stored vertex.
///
/// # Errors
/// [`AutoError::Damaged`].
pub fn read_vertex(vertex: &Vertex, catalogue: &Catalogue) -> Result<AutoVertex, AutoError> {
    let label = catalogue.vertex_label(vertex.label).map_or("", |label| label.name.as_str());
    let mut properties = Vec::with_capacity(vertex.properties.len());
    read_properties(&vertex.properties, catalogue, None, &mut properties)?;
    Ok(AutoVertex { id: Some(ids::vertex_id(vertex)), label: label.into(), properties })
}

/// Appends the properties of a stored vertex: of some keys in their order, or all. Costs nothing for other keys.
///
/// # Errors
/// [`AutoError::Damaged`].
pub fn read_properties(
    stored: &Properties,
    catalogue: &Catalogue,
    keys: Option<&[Text]>,
    out: &mut Vec<AutoProperty>,
) -> Result<(), AutoError> {
    if let Some(keys) = keys {
        for key in keys {
            let Some(definition) = catalogue.property_key_named(key) else { continue };
            if let Some(value) = stored.get(definition.id) {
                read_key(key, value, catalogue, out)?;
            }
        }
        return Ok(());
    }
    for (key, value) in stored.iter() {
        if let Some(key) = catalogue.property_key(key) {
            read_key(&key.name, value, catalogue, out)?;
        }
    }
    Ok(())
}

fn read_key(
    key: &str,
    stored: &graph_model::Value,
    catalogue: &Catalogue,
    out: &mut Vec<AutoProperty>,
) -> Result<(), AutoError> {
    let graph_model::Value::Any(tagged) = stored else { return Ok(()) };
    for entry in entries(tagged) {
        let entry = entry.map_err(AutoError::Damaged)?;
        let own = match entry.id {
            EntryId::Ordinal(ordinal) => OwnId::Ordinal(ordinal),
            EntryId::Given(id) => OwnId::Given(decode(id)?),
        };
        let mut meta = Vec::new();
        for property in entry.meta.iter() {
            let (key, value) = property.map_err(AutoError::Damaged)?;
            if let Some(key) = catalogue.property_key(graph_model::PropertyKeyId(key)) {
                meta.push((key.name.as_str().into(), decode(value)?));
            }
        }
        out.push(AutoProperty { key: key.into(), value: decode(entry.value)?, meta, own });
    }
    Ok(())
}

/// Writes a vertex in a unit, with the label and the keys it names; one with its id is replaced, and keeps its edges.
/// Answers it as it is stored, with its id.
///
/// # Errors
/// Values and ids that cannot be stored; those of [`GraphWrite::declare`] and [`GraphWrite::insert_vertex`].
pub fn write_vertex(graph: &mut dyn GraphWrite, vertex: &AutoVertex) -> Result<Vertex, AutoError> {
    // In the order in which they appear: new keys are numbered, and read back, in this order.
    let mut keys: Vec<&str> = Vec::new();
    let own = vertex.properties.iter().map(|property| &property.key);
    let metas = vertex.properties.iter().flat_map(|property| property.meta.iter().map(|(key, _)| key));
    let mut seen = BTreeSet::new();
    keys.extend(own.chain(metas).map(Text::as_str).filter(|key| seen.insert(*key)));
    // Nothing is made for what cannot be written.
    let id = vertex.id.as_ref().map(vertex_literal).transpose()?;
    let encoded = vertex.properties.iter().map(Encoded::new).collect::<Result<Vec<_>, _>>()?;
    graph.declare(&Declaration { vertex_labels: &[&vertex.label], edge_labels: &[], property_keys: &keys })?;
    let properties = literals(&encoded, graph.catalogue())?;
    let new = NewVertex { label: Some(Cow::Borrowed(&vertex.label)), id, properties };
    Ok(graph.insert_vertex(&new)?)
}

/// A vertex id for the graph.
pub(crate) fn vertex_literal(id: &Value) -> Result<Literal<'static>, AutoError> {
    ids::vertex_key(id).ok_or_else(|| AutoError::Id { what: "a vertex", got: shown(id) })?;
    let id = if let Value::Vertex(vertex) = id { &vertex.id } else { id };
    Ok(Literal::Tagged(Cow::Owned(encode(id)?.into())))
}

/// An id in an error.
pub(crate) fn shown(id: &Value) -> String {
    format!("{id:?}").chars().take(graph_schema::limits::SHOWN_CHARS_MAX).collect()
}

/// A property whose parts are encoded.
struct Encoded<'v> {
    key: &'v str,
    id: Option<Box<[u8]>>,
    ordinal: u32,
    value: Box<[u8]>,
    meta: Vec<(&'v str, Box<[u8]>)>,
}

impl<'v> Encoded<'v> {
    fn new(property: &'v AutoProperty) -> Result<Self, AutoError> {
        let (id, ordinal) = match &property.own {
            OwnId::Ordinal(ordinal) => (None, *ordinal),
            OwnId::Given(id) => (Some(encode(id)?), 0),
        };
        let meta = property.meta.iter().map(|(key, value)| Ok((key.as_str(), encode(value)?)));
        let meta = meta.collect::<Result<_, AutoError>>()?;
        Ok(Self { key: &property.key, id, ordinal, value: encode(&property.value)?, meta })
    }
}

/// The properties for the graph, the values of each key together.
fn literals<'v>(
    all: &[Encoded<'v>],
    catalogue: &Catalogue,
) -> Result<Vec<(Cow<'v, str>, Literal<'static>)>, AutoError> {
    let mut keys: BTreeMap<&str, Vec<(&Encoded<'_>, Vec<u8>)>> = BTreeMap::new();
    for property in all {
        let mut meta: BTreeMap<u32, &[u8]> = BTreeMap::new();
        for (key, value) in &property.meta {
            if let Some(key) = catalogue.property_key_named(key) {
                meta.insert(key.id.0, value);
            }
        }
        keys.entry(property.key).or_default().push((property, Meta::encode(meta)?));
    }
    let mut literals = Vec::with_capacity(keys.len());
    for (key, values) in keys {
        let entries = values.iter().map(|(property, meta)| Entry {
            id: property.id.as_deref().map_or(EntryId::Ordinal(property.ordinal), EntryId::Given),
            value: &property.value,
            meta: Meta::new(meta),
        });
        literals.push((Cow::Borrowed(key), Literal::Tagged(Cow::Owned(put_entries(entries)?.into()))));
    }
    Ok(literals)
}
