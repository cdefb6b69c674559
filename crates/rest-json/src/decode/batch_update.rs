//! Reading batch updates: a list of elements, and how their properties are merged with the stored ones.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use graph_schema::{EdgeRecord, NewVertex, UpdateStrategy};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::borrowed_text::Text;
use super::element::{Element, List, reserved};
use super::trace::Trace;
use crate::DecodeError;
use crate::limits::STRATEGIES_MAX;

/// A batch update of vertices or of edges.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchUpdate<'a, T> {
    /// The elements; properties that a stored element has may be left out.
    pub elements: Vec<T>,
    /// How values are merged, by name of the property; at least one.
    pub strategies: Vec<(Cow<'a, str>, UpdateStrategy)>,
    /// Whether the ends of edges must exist.
    pub check_vertex: bool,
    /// Whether elements that are not stored are inserted.
    pub create_if_not_exist: bool,
}

/// Reads a batch update of at most `limit` vertices.
pub fn decode_vertex_updates(body: &[u8], limit: usize) -> Result<BatchUpdate<'_, NewVertex<'_>>, DecodeError> {
    decode(body, limit)
}

/// Reads a batch update of at most `limit` edges.
pub fn decode_edge_updates(body: &[u8], limit: usize) -> Result<BatchUpdate<'_, EdgeRecord<'_>>, DecodeError> {
    decode(body, limit)
}

fn decode<'de, T: Element<'de>>(body: &'de [u8], limit: usize) -> Result<BatchUpdate<'de, T>, DecodeError> {
    let trace = Trace::default();
    trace.read(body, Update { trace: &trace, limit, reserve: reserved(body, limit), of: PhantomData })
}

struct Update<'t, T> {
    trace: &'t Trace,
    limit: usize,
    reserve: usize,
    of: PhantomData<T>,
}

impl<'de, T: Element<'de>> DeserializeSeed<'de> for Update<'_, T> {
    type Value = BatchUpdate<'de, T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Element<'de>> Visitor<'de> for Update<'_, T> {
    type Value = BatchUpdate<'de, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with '{}' and 'update_strategies'", T::MANY)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut elements, mut strategies) = (None, None);
        let (mut check_vertex, mut create_if_not_exist) = (false, true);
        while let Some(Text(field)) = map.next_key()? {
            match &*field {
                name if name == T::MANY => {
                    let list = List { trace: self.trace, limit: self.limit, reserve: self.reserve, of: PhantomData };
                    elements = Some(map.next_value_seed(list)?);
                    self.trace.leave();
                }
                "update_strategies" => {
                    let Strategies(given) = self.trace.within("update_strategies", || map.next_value())?;
                    strategies = Some(named(given, self.trace)?);
                }
                "check_vertex" => {
                    check_vertex =
                        self.trace.within("check_vertex", || map.next_value::<Option<bool>>())?.unwrap_or(false);
                }
                "create_if_not_exist" => {
                    let given = self.trace.within("create_if_not_exist", || map.next_value::<Option<bool>>())?;
                    create_if_not_exist = given.unwrap_or(true);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let missing = |field| self.trace.fail(DecodeError::MissingField { place: self.trace.place(), field });
        let elements = elements.ok_or_else(|| missing(T::MANY))?;
        let strategies = strategies.filter(|given| !given.is_empty()).ok_or_else(|| missing("update_strategies"))?;
        Ok(BatchUpdate { elements, strategies, check_vertex, create_if_not_exist })
    }
}

/// The object under `update_strategies`, names not looked at yet.
struct Strategies<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'de> Deserialize<'de> for Strategies<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrategiesVisitor).map(Self)
    }
}

struct StrategiesVisitor;

impl<'de> Visitor<'de> for StrategiesVisitor {
    type Value = Vec<(Cow<'de, str>, Cow<'de, str>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of property names and strategies")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut strategies = Self::Value::new();
        // One beyond the limit is kept, so that it is seen to be exceeded; what follows is not.
        while let Some((Text(name), Text(strategy))) = map.next_entry()? {
            if strategies.len() <= STRATEGIES_MAX {
                strategies.push((name, strategy));
            }
        }
        Ok(strategies)
    }
}

fn named<'a, E: Error>(
    given: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    trace: &Trace,
) -> Result<Vec<(Cow<'a, str>, UpdateStrategy)>, E> {
    if given.len() > STRATEGIES_MAX {
        return Err(trace.fail(DecodeError::TooMany { elements: "update strategies", limit: STRATEGIES_MAX }));
    }
    given
        .into_iter()
        .map(|(name, strategy)| match UpdateStrategy::from_name(&strategy) {
            Some(strategy) => Ok((name, strategy)),
            None => Err(trace.fail(DecodeError::UnknownName {
                field: "update_strategies",
                got: strategy.into_owned(),
                allowed: UpdateStrategy::ALL.map(UpdateStrategy::name).join(", "),
            })),
        })
        .collect()
}
