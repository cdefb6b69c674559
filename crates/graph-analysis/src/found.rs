//! The result of an algorithm over a stored graph: a table whose vertices are told by their ids.

use std::sync::Arc;

use crate::projection::Projection;
use crate::state::Reserved;
use analytics::{Table, VERTEX, Value, Values, Vertex};
use graph_model::VertexId;

/// The result of an algorithm. While it is there, its memory counts towards that of all analyses.
pub struct Found {
    pub(crate) projection: Arc<Projection>,
    pub(crate) table: Table,
    /// Bytes of the copy of the graph and of the run.
    pub memory_bytes: u64,
    /// How long copying the graph took.
    pub load_ms: u64,
    /// How long the algorithm took.
    pub compute_ms: u64,
    pub(crate) reserved: Vec<Reserved>,
}

/// A value of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing: no vertex comes before this one.
    None,
    /// A vertex.
    Vertex(&'a VertexId),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Yes or no.
    Bool(bool),
    /// A vector.
    Vector(&'a [f32]),
    /// Vertices in order.
    Vertices(Vec<&'a VertexId>),
}

impl Found {
    /// The names of the columns; the vertex comes first where there is a row for each.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        let first = self.table.is_per_vertex.then_some(VERTEX);
        first.into_iter().chain(self.table.columns.iter().map(|column| column.name))
    }

    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// How many vertices and edges the algorithm looked at.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.projection.graph().vertices(), self.projection.graph().edges())
    }

    /// Figures about all of it: iterations, how many components.
    #[must_use]
    pub fn figures(&self) -> &[(&'static str, Value)] {
        &self.table.figures
    }

    /// The value of a row in a column, both counted from 0.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let column = match (self.table.is_per_vertex, column) {
            (true, 0) => return self.vertex(Vertex::try_from(row).unwrap_or(Vertex::MAX)),
            (true, column) => column - 1,
            (false, column) => column,
        };
        let values = self.table.columns.get(column).map(|column| &column.values);
        values.map_or(Cell::None, |values| self.value(values, row))
    }

    fn value<'a>(&'a self, values: &'a Values, row: usize) -> Cell<'a> {
        let found = match values {
            Values::Vertices(values) => values.get(row).map(|number| self.vertex(*number)),
            Values::Ints(values) => values.get(row).map(|value| Cell::Int(*value)),
            Values::Floats(values) => values.get(row).map(|value| Cell::Float(*value)),
            Values::Bools(values) => values.get(row).map(|value| Cell::Bool(*value)),
            Values::Vectors { width, values } => values.get(row * width..(row + 1) * width).map(Cell::Vector),
            Values::Lists(values) => {
                let ids = |list: &'a Vec<Vertex>| list.iter().filter_map(|number| self.projection.id(*number));
                values.get(row).map(|list| Cell::Vertices(ids(list).collect()))
            }
        };
        found.unwrap_or(Cell::None)
    }

    fn vertex(&self, number: Vertex) -> Cell<'_> {
        self.projection.id(number).map_or(Cell::None, Cell::Vertex)
    }

    /// The rows with the greatest values of the first column of numbers, ties by row.
    #[must_use]
    pub fn greatest(&self, count: usize) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.len()).collect();
        let is_number = |values: &&Values| matches!(values, Values::Floats(_) | Values::Ints(_));
        match self.table.columns.iter().map(|column| &column.values).find(is_number) {
            Some(Values::Floats(values)) => {
                let of = |row: &usize| values.get(*row).copied().unwrap_or(f64::NEG_INFINITY);
                rows.sort_by(|a, b| of(b).total_cmp(&of(a)));
            }
            Some(Values::Ints(values)) => rows.sort_by_key(|row| std::cmp::Reverse(values.get(*row).copied())),
            _ => {}
        }
        rows.truncate(count);
        rows
    }
}
