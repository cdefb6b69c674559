//! What functions need beside their arguments: clocks, the default zone, random numbers, the stored elements.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::arithmetic;
use crate::error::{Detail, Error, Result};
use crate::moment::{self, Now};
use crate::temporal::Zone;
use crate::text::Text;
use crate::value::{Map, Node, Relationship, Value};

/// Where labels and properties of elements are read: the values may carry none, or old ones.
pub trait Elements {
    /// The labels of a node.
    ///
    /// # Errors
    ///
    /// [`Error::deleted`] if it was deleted, and errors of reading.
    fn labels(&self, node: &Node) -> Result<Arc<[Text]>>;

    /// The properties of a node.
    ///
    /// # Errors
    ///
    /// [`Error::deleted`] if it was deleted, and errors of reading.
    fn node_properties(&self, node: &Node) -> Result<Arc<Map>>;

    /// The properties of a relationship.
    ///
    /// # Errors
    ///
    /// [`Error::deleted`] if it was deleted, and errors of reading.
    fn relationship_properties(&self, relationship: &Relationship) -> Result<Arc<Map>>;

    /// One property of a node; null if it has none of that name.
    ///
    /// # Errors
    ///
    /// As [`Self::node_properties`].
    fn node_property(&self, node: &Node, name: &str) -> Result<Value> {
        Ok(self.node_properties(node)?.get(name).cloned().unwrap_or_default())
    }

    /// One property of a relationship; null if it has none of that name.
    ///
    /// # Errors
    ///
    /// As [`Self::relationship_properties`].
    fn relationship_property(&self, relationship: &Relationship, name: &str) -> Result<Value> {
        Ok(self.relationship_properties(relationship)?.get(name).cloned().unwrap_or_default())
    }
}

/// Elements as their values carry them, where nothing is stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carried;

impl Elements for Carried {
    fn labels(&self, node: &Node) -> Result<Arc<[Text]>> {
        Ok(node.content.as_ref().map_or_else(|| Arc::from([]), |content| Arc::clone(&content.labels)))
    }

    fn node_properties(&self, node: &Node) -> Result<Arc<Map>> {
        Ok(node.content.as_ref().map(|content| Arc::clone(&content.properties)).unwrap_or_default())
    }

    fn relationship_properties(&self, relationship: &Relationship) -> Result<Arc<Map>> {
        Ok(relationship.properties.clone().unwrap_or_default())
    }
}

/// A moment: seconds since 1970-01-01T00:00Z, and nanoseconds of the second.
pub type Moment = (i64, u32);

/// What the clock says.
pub fn clock() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
}

/// What functions need beside their arguments.
pub struct Context<'a> {
    /// When the statement began: `date()` and its like say the same throughout it.
    pub statement: Moment,
    /// When the transaction began.
    pub transaction: Moment,
    /// The zone of times for which none is given.
    pub zone: Zone,
    /// Where elements are read.
    pub elements: &'a dyn Elements,
    /// State of the random numbers.
    random: AtomicU64,
}

impl<'a> Context<'a> {
    /// A statement that begins now, as its own transaction, in UTC.
    pub fn new(elements: &'a dyn Elements) -> Self {
        let now = clock();
        // The keys of a hasher are random.
        let seed = RandomState::new().hash_one(now);
        Self { statement: now, transaction: now, zone: Zone::UTC, elements, random: AtomicU64::new(seed) }
    }

    /// A random number of 64 bits. Source of the steps: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
    /// Generators", 2014.
    pub(crate) fn random(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut bits = self.random.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// The moment of the statement.
    pub(crate) fn now(&self) -> Now<'_> {
        self.at(self.statement)
    }

    /// Another moment.
    pub(crate) fn at(&self, (seconds, nanoseconds): Moment) -> Now<'_> {
        Now { seconds, nanoseconds, zone: &self.zone }
    }

    /// `value.name`: a value of a map, a property of an element, a component of a time, a length or a point.
    ///
    /// # Errors
    ///
    /// A type error for what has none of these, an argument error for a component that there is not, errors of reading.
    pub fn property(&self, value: &Value, name: &str) -> Result<Value> {
        match value {
            Value::Null => Ok(Value::Null),
            Value::Map(map) => Ok(map.get(name).cloned().unwrap_or_default()),
            Value::Node(node) => self.elements.node_property(node, name),
            Value::Relationship(relationship) => self.elements.relationship_property(relationship, name),
            Value::Date(_)
            | Value::LocalTime(_)
            | Value::Time(_)
            | Value::LocalDateTime(_)
            | Value::DateTime(_)
            | Value::Duration(_) => moment::part(value, name).ok_or_else(|| {
                Error::argument(Detail::InvalidArgumentValue, format!("{} has no field `{name}`", value.type_name()))
            }),
            Value::Point(_) => Ok(moment::part(value, name).unwrap_or_default()),
            _ => Err(Error::type_error(
                Detail::InvalidArgumentType,
                format!("{} has no properties: `.{name}` needs a NODE, RELATIONSHIP or MAP", value.type_name()),
            )),
        }
    }

    /// `container[index]`: an element of a list, or what [`Self::property`] gives of a map or an element.
    ///
    /// # Errors
    ///
    /// A type error for what has no elements, or an index that does not fit; errors of reading.
    pub fn index(&self, container: &Value, index: &Value) -> Result<Value> {
        match (container, index) {
            (Value::Node(_) | Value::Relationship(_), Value::Null) => Ok(Value::Null),
            (Value::Node(_) | Value::Relationship(_), Value::String(name)) => self.property(container, name),
            (Value::Node(_) | Value::Relationship(_), other) => Err(Error::type_error(
                Detail::InvalidArgumentType,
                format!("the name of a property must be a STRING, not {}", other.type_name()),
            )),
            _ => arithmetic::element(container, index),
        }
    }
}
