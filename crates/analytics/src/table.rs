//! What algorithms called by name take and give.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{AnalyticsError, Result, Vertex};

/// A parameter, or a figure of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Yes or no.
    Bool(bool),
    /// A text.
    Text(String),
    /// Several.
    List(Vec<Value>),
    /// Groups of vertices: for each vertex the number of the first one of its group.
    Groups(Arc<[Vertex]>),
}

impl Value {
    /// As a number.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "parameters are small")]
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// As a whole number of 0 or more.
    #[must_use]
    pub fn as_count(&self) -> Option<u64> {
        match self {
            Self::Int(value) => u64::try_from(*value).ok(),
            Self::Float(value) if value.fract() == 0.0 && *value >= 0.0 && *value < 9e15 => Some(*value as u64),
            _ => None,
        }
    }
}

/// Parameters by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(BTreeMap<String, Value>);

impl Params {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.set(name, value);
        self
    }

    /// Sets one.
    pub fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// The one of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(crate) fn float(&self, name: &str, default: f64) -> Result<f64> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => value.as_float().ok_or_else(|| wrong(name, "a number", value)),
        }
    }

    pub(crate) fn count(&self, name: &str, default: u64) -> Result<u64> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => value.as_count().ok_or_else(|| wrong(name, "a whole number of 0 or more", value)),
        }
    }

    pub(crate) fn size(&self, name: &str, default: usize) -> Result<usize> {
        Ok(usize::try_from(self.count(name, default as u64)?).unwrap_or(usize::MAX))
    }

    /// A depth: all where it is not given.
    pub(crate) fn depth(&self, name: &str) -> Result<u32> {
        Ok(u32::try_from(self.count(name, u64::from(u32::MAX))?).unwrap_or(u32::MAX))
    }

    pub(crate) fn flag(&self, name: &str, default: bool) -> Result<bool> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Bool(value)) => Ok(*value),
            Some(value) => Err(wrong(name, "true or false", value)),
        }
    }

    pub(crate) fn text<'p>(&'p self, name: &str, default: &'p str) -> Result<&'p str> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Text(value)) => Ok(value),
            Some(value) => Err(wrong(name, "a text", value)),
        }
    }

    pub(crate) fn vertex(&self, name: &str) -> Result<Vertex> {
        match self.vertices(name)?.as_slice() {
            [one] => Ok(*one),
            _ => Err(AnalyticsError::Parameter(format!("Must pass parameter '{name}', one vertex"))),
        }
    }

    /// The numbers of vertices; none where it is not given.
    pub(crate) fn vertices(&self, name: &str) -> Result<Vec<Vertex>> {
        let one = |value: &Value| {
            let number = value.as_count().and_then(|number| Vertex::try_from(number).ok());
            number.ok_or_else(|| wrong(name, "numbers of vertices", value))
        };
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::List(values)) => values.iter().map(one).collect(),
            Some(value) => Ok(vec![one(value)?]),
        }
    }

    /// For each of so many vertices the first one of its group; none where it is not given.
    pub(crate) fn groups(&self, name: &str, vertices: usize) -> Result<Option<Arc<[Vertex]>>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Groups(groups)) if groups.len() == vertices => {
                match groups.iter().find(|first| **first as usize >= vertices) {
                    None => Ok(Some(Arc::clone(groups))),
                    Some(first) => {
                        Err(AnalyticsError::NoVertex { number: u64::from(*first), vertices: vertices as u64 })
                    }
                }
            }
            Some(_) => Err(AnalyticsError::Parameter(format!("the value of {name} must have a group for each vertex"))),
        }
    }

    pub(crate) fn floats(&self, name: &str, default: &[f64]) -> Result<Vec<f64>> {
        match self.get(name) {
            None => Ok(default.to_vec()),
            Some(Value::List(values)) => {
                let one = |value: &Value| value.as_float().ok_or_else(|| wrong(name, "a list of numbers", value));
                values.iter().map(one).collect()
            }
            Some(value) => Err(wrong(name, "a list of numbers", value)),
        }
    }
}

fn wrong(name: &str, wanted: &str, value: &Value) -> AnalyticsError {
    AnalyticsError::Parameter(format!("the value of {name} must be {wanted}, but got {value:?}"))
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Vertices.
    Vertices(Vec<Vertex>),
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Numbers.
    Floats(Vec<f64>),
    /// Yes or no.
    Bools(Vec<bool>),
    /// Vectors of one length.
    Vectors {
        /// The length.
        width: usize,
        /// One after the other.
        values: Vec<f32>,
    },
    /// Lists of vertices: ways, cycles.
    Lists(Vec<Vec<Vertex>>),
}

impl Values {
    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Vertices(values) => values.len(),
            Self::Ints(values) => values.len(),
            Self::Floats(values) => values.len(),
            Self::Bools(values) => values.len(),
            Self::Vectors { width, values } => values.len() / (*width).max(1),
            Self::Lists(values) => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a column is called that has vertices, one for each row.
pub const VERTEX: &str = "vertex";

/// A column of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// A value for each row.
    pub values: Values,
}

/// A result: columns of one length, and figures about all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Whether there is one row for each vertex, in the order of their numbers; the vertex itself is then no column.
    pub is_per_vertex: bool,
    /// The columns.
    pub columns: Vec<Column>,
    /// Figures: iterations, how many components.
    pub figures: Vec<(&'static str, Value)>,
}

impl Table {
    pub(crate) fn per_vertex(name: &'static str, values: Values) -> Self {
        Self { is_per_vertex: true, columns: vec![Column { name, values }], figures: Vec::new() }
    }

    pub(crate) fn rows(columns: Vec<(&'static str, Values)>) -> Self {
        let columns = columns.into_iter().map(|(name, values)| Column { name, values }).collect();
        Self { is_per_vertex: false, columns, figures: Vec::new() }
    }

    pub(crate) fn figure(mut self, name: &'static str, value: Value) -> Self {
        self.figures.push((name, value));
        self
    }

    pub(crate) fn count(self, name: &'static str, value: u64) -> Self {
        self.figure(name, Value::Int(i64::try_from(value).unwrap_or(i64::MAX)))
    }

    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The column of a name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Values> {
        self.columns.iter().find(|column| column.name == name).map(|column| &column.values)
    }
}
