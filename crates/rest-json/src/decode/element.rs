//! Reading vertices, edges and property updates. Start at [`decode_vertices`].

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use graph_schema::{EdgeRecord, Literal, NewEdge, NewVertex};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::borrowed_text::Text;
use super::literal::AnyLiteral;
use super::trace::Trace;
use crate::DecodeError;
use crate::limits::{ELEMENT_BYTES_GUESS, ELEMENTS_RESERVED_MAX, PROPERTIES_SCANNED_MAX};

type PropertyList<'a> = Vec<(Cow<'a, str>, Literal<'a>)>;

/// Properties to set on or to remove from one vertex or edge.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyUpdate<'a> {
    /// Name of the element's label, where the client sent one; a hint.
    pub label: Option<Cow<'a, str>>,
    /// The element's id, where the client sent one; it must equal the one in the address.
    pub id: Option<Literal<'a>>,
    /// Properties by name.
    pub properties: PropertyList<'a>,
}

/// Reads a list of at most `limit` vertices; the element after the last allowed one is not decoded.
pub fn decode_vertices(body: &[u8], limit: usize) -> Result<Vec<NewVertex<'_>>, DecodeError> {
    decode_list(body, limit)
}

/// Reads one vertex.
pub fn decode_vertex(body: &[u8]) -> Result<NewVertex<'_>, DecodeError> {
    decode_one(body)
}

/// Reads a list of at most `limit` edges; the element after the last allowed one is not decoded.
pub fn decode_edges(body: &[u8], limit: usize) -> Result<Vec<NewEdge<'_>>, DecodeError> {
    decode_list(body, limit)
}

/// Reads one edge. An `id` in the body is ignored: what identifies an edge makes its id.
pub fn decode_edge(body: &[u8]) -> Result<NewEdge<'_>, DecodeError> {
    decode_one(body)
}

/// Reads the body of a change of one element's properties.
pub fn decode_property_update(body: &[u8]) -> Result<PropertyUpdate<'_>, DecodeError> {
    decode_one(body)
}

/// What a body can hold one or many of.
pub(super) trait Element<'de>: Sized {
    /// Words for one, as in "expected a vertex".
    const ONE: &'static str;
    /// Word for many.
    const MANY: &'static str;

    /// Reads the fields of one.
    fn read<A: MapAccess<'de>>(map: A, trace: &Trace) -> Result<Self, A::Error>;
}

#[derive(Deserialize)]
#[serde(field_identifier)]
enum Field {
    #[serde(rename = "id")]
    Id,
    #[serde(rename = "label")]
    Label,
    #[serde(rename = "properties")]
    Properties,
    #[serde(rename = "outV")]
    OutV,
    #[serde(rename = "inV")]
    InV,
    #[serde(rename = "outVLabel")]
    OutVLabel,
    #[serde(rename = "inVLabel")]
    InVLabel,
    #[serde(other)]
    Other,
}

impl<'de> Element<'de> for PropertyUpdate<'de> {
    const ONE: &'static str = "an object with properties";
    const MANY: &'static str = "updates";

    fn read<A: MapAccess<'de>>(mut map: A, trace: &Trace) -> Result<Self, A::Error> {
        let (mut id, mut label, mut properties) = (None, None, None);
        while let Some(field) = map.next_key()? {
            match field {
                Field::Id => id = literal(&mut map, "id", trace)?,
                Field::Label => label = text(&mut map, "label", trace)?,
                Field::Properties => properties = property_list(&mut map, trace)?,
                Field::OutV | Field::InV | Field::OutVLabel | Field::InVLabel | Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Self { label, id, properties: present(properties, trace)? })
    }
}

impl<'de> Element<'de> for NewVertex<'de> {
    const ONE: &'static str = "a vertex object";
    const MANY: &'static str = "vertices";

    fn read<A: MapAccess<'de>>(map: A, trace: &Trace) -> Result<Self, A::Error> {
        let PropertyUpdate { label, id, properties } = PropertyUpdate::read(map, trace)?;
        Ok(Self { label, id, properties })
    }
}

impl<'de> Element<'de> for NewEdge<'de> {
    const ONE: &'static str = EdgeRecord::ONE;
    const MANY: &'static str = EdgeRecord::MANY;

    fn read<A: MapAccess<'de>>(map: A, trace: &Trace) -> Result<Self, A::Error> {
        EdgeRecord::read(map, trace).map(|record| record.edge)
    }
}

impl<'de> Element<'de> for EdgeRecord<'de> {
    const ONE: &'static str = "an edge object";
    const MANY: &'static str = "edges";

    fn read<A: MapAccess<'de>>(mut map: A, trace: &Trace) -> Result<Self, A::Error> {
        let (mut id, mut label, mut properties) = (None, None, None);
        let (mut source, mut source_label, mut target, mut target_label) = (None, None, None, None);
        while let Some(field) = map.next_key()? {
            match field {
                Field::Label => label = text(&mut map, "label", trace)?,
                Field::Properties => properties = property_list(&mut map, trace)?,
                Field::OutV => source = literal(&mut map, "outV", trace)?,
                Field::InV => target = literal(&mut map, "inV", trace)?,
                Field::OutVLabel => source_label = text(&mut map, "outVLabel", trace)?,
                Field::InVLabel => target_label = text(&mut map, "inVLabel", trace)?,
                Field::Id => id = literal(&mut map, "id", trace)?,
                Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let properties = present(properties, trace)?;
        Ok(Self { id, edge: NewEdge { label, source, source_label, target, target_label, properties } })
    }
}

fn text<'de, A: MapAccess<'de>>(
    map: &mut A,
    field: &'static str,
    trace: &Trace,
) -> Result<Option<Cow<'de, str>>, A::Error> {
    trace.within(field, || map.next_value::<Option<Text<'de>>>()).map(|text| text.map(|Text(text)| text))
}

fn literal<'de, A: MapAccess<'de>>(
    map: &mut A,
    field: &'static str,
    trace: &Trace,
) -> Result<Option<Literal<'de>>, A::Error> {
    let AnyLiteral(literal) = trace.within(field, || map.next_value())?;
    Ok((literal != Literal::Null).then_some(literal))
}

fn property_list<'de, A: MapAccess<'de>>(map: &mut A, trace: &Trace) -> Result<Option<PropertyList<'de>>, A::Error> {
    let Nullable(list) = trace.within("properties", || map.next_value())?;
    Ok(list)
}

fn present<'de, E: Error>(properties: Option<PropertyList<'de>>, trace: &Trace) -> Result<PropertyList<'de>, E> {
    properties.ok_or_else(|| trace.fail(DecodeError::MissingField { place: trace.place(), field: "properties" }))
}

/// The object under `properties`, or null.
struct Nullable<'a>(Option<PropertyList<'a>>);

impl<'de> Deserialize<'de> for Nullable<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PropertiesVisitor).map(Self)
    }
}

struct PropertiesVisitor;

impl<'de> Visitor<'de> for PropertiesVisitor {
    type Value = Option<PropertyList<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of properties")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut list = PropertyList::new();
        while let Some(Text(name)) = map.next_key()? {
            let AnyLiteral(value) = map.next_value()?;
            list.push((name, value));
        }
        Ok(Some(last_wins(list)))
    }
}

/// Of several values under one name, keeps the last, in the place of the first.
fn last_wins(list: PropertyList<'_>) -> PropertyList<'_> {
    if list.len() <= PROPERTIES_SCANNED_MAX {
        let repeated =
            list.iter().enumerate().any(|(at, (name, _))| list.iter().take(at).any(|(other, _)| other == name));
        if !repeated {
            return list;
        }
    }
    let mut places: HashMap<Cow<'_, str>, usize> = HashMap::with_capacity(list.len());
    let mut kept = PropertyList::with_capacity(list.len());
    for (name, value) in list {
        match places.get(&name).and_then(|at| kept.get_mut(*at)) {
            Some(slot) => slot.1 = value,
            None => {
                places.insert(name.clone(), kept.len());
                kept.push((name, value));
            }
        }
    }
    kept
}

fn decode_one<'de, T: Element<'de>>(body: &'de [u8]) -> Result<T, DecodeError> {
    let trace = Trace::default();
    trace.read(body, One { trace: &trace, of: PhantomData })
}

fn decode_list<'de, T: Element<'de>>(body: &'de [u8], limit: usize) -> Result<Vec<T>, DecodeError> {
    let trace = Trace::default();
    trace.read(body, List { trace: &trace, limit, reserve: reserved(body, limit), of: PhantomData })
}

/// For how many elements of a list to make room.
pub(super) fn reserved(body: &[u8], limit: usize) -> usize {
    limit.min(ELEMENTS_RESERVED_MAX).min(body.len() / ELEMENT_BYTES_GUESS)
}

/// Reads one element.
struct One<'t, T> {
    trace: &'t Trace,
    of: PhantomData<T>,
}

impl<'de, T: Element<'de>> DeserializeSeed<'de> for One<'_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Element<'de>> Visitor<'de> for One<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::ONE)
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        match self.trace.index() {
            Some(index) => Err(self.trace.fail(DecodeError::NullEntry { elements: T::MANY, index })),
            None => Err(E::invalid_type(serde::de::Unexpected::Other("null"), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::read(map, self.trace)
    }
}

/// Reads a list and stops beyond its limit.
pub(super) struct List<'t, T> {
    pub(super) trace: &'t Trace,
    pub(super) limit: usize,
    pub(super) reserve: usize,
    pub(super) of: PhantomData<T>,
}

impl<'de, T: Element<'de>> DeserializeSeed<'de> for List<'_, T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Element<'de>> Visitor<'de> for List<'_, T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {}", T::MANY)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let mut elements = Vec::with_capacity(self.reserve);
        while elements.len() < self.limit {
            self.trace.enter(elements.len());
            match seq.next_element_seed(One { trace: self.trace, of: PhantomData })? {
                Some(element) => elements.push(element),
                None if elements.is_empty() => {
                    return Err(self.trace.fail(DecodeError::EmptyList { elements: T::MANY }));
                }
                None => return Ok(elements),
            }
        }
        seq.next_element_seed(Beyond { trace: self.trace, elements: T::MANY, limit: self.limit })?;
        Ok(elements)
    }
}

/// Refuses the element after the last allowed one without looking at it.
struct Beyond<'t> {
    trace: &'t Trace,
    elements: &'static str,
    limit: usize,
}

impl<'de> DeserializeSeed<'de> for Beyond<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, _: D) -> Result<(), D::Error> {
        Err(self.trace.fail(DecodeError::TooMany { elements: self.elements, limit: self.limit }))
    }
}
