//! Writing answers of traversers: ids, paths, scores and the counters of `measure`.

use graph_model::{EdgeId, VertexId};
use graph_schema::Catalogue;

use super::element::{write_edge_id, write_vertex_id};
use crate::text::{Object, push_array, push_double};

/// A path as it is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathView<'a> {
    /// Its vertices.
    pub objects: &'a [VertexId],
    /// Where two walks met, where that is shown.
    pub crosspoint: Option<&'a VertexId>,
    /// The weight of each of its edges, where that is shown.
    pub weights: Option<&'a [f64]>,
}

/// The answer of a traverser, field by field. It stops growing soon after `limit` bytes; the caller checks the
/// size.
pub struct TraverserAnswer<'a> {
    object: Object<'a>,
    limit: usize,
    catalogue: &'a Catalogue,
}

impl<'a> TraverserAnswer<'a> {
    /// Opens the answer.
    pub fn open(out: &'a mut Vec<u8>, limit: usize, catalogue: &'a Catalogue) -> Self {
        Self { object: Object::open(out), limit, catalogue }
    }

    /// A field whose value the caller appends.
    pub fn field(&mut self, name: &str) -> &mut Vec<u8> {
        self.object.field(name)
    }

    /// An array; `push` appends each item.
    fn array<T>(&mut self, name: &str, items: impl IntoIterator<Item = T>, push: impl Fn(&mut Vec<u8>, T)) {
        let limit = self.limit;
        push_array(self.object.field(name), items, |out, item| {
            if out.len() <= limit {
                push(out, item);
            }
        });
    }

    /// An array of vertex ids.
    pub fn ids<'i>(&mut self, name: &str, ids: impl IntoIterator<Item = &'i VertexId>) {
        self.array(name, ids, write_vertex_id);
    }

    /// An array of edge ids.
    pub fn edge_ids<'i>(&mut self, name: &str, ids: impl IntoIterator<Item = &'i EdgeId>) {
        let catalogue = self.catalogue;
        self.array(name, ids, |out, id| write_edge_id(out, id, catalogue));
    }

    /// A whole number.
    pub fn number(&mut self, name: &str, number: u64) {
        self.object.plain(name, number);
    }

    /// A floating-point number.
    pub fn score(&mut self, name: &str, score: f64) {
        push_double(self.object.field(name), score);
    }

    /// An object with a score for each vertex, in the given order.
    pub fn scores<'i>(&mut self, name: &str, scores: impl IntoIterator<Item = (&'i VertexId, f64)>) {
        write_scores(self.object.field(name), scores);
    }

    /// An array of paths.
    pub fn paths<'p>(&mut self, name: &str, paths: impl IntoIterator<Item = PathView<'p>>) {
        self.array(name, paths, write_path);
    }

    /// A path with its length; an empty object where there is none.
    pub fn weighted_path(&mut self, name: &str, path: Option<(f64, &[VertexId])>) {
        write_weighted_path(self.object.field(name), path);
    }

    /// An object with a path and its length for each target.
    pub fn weighted_paths<'p>(
        &mut self,
        name: &str,
        paths: impl IntoIterator<Item = (&'p VertexId, f64, &'p [VertexId])>,
    ) {
        let limit = self.limit;
        let mut object = Object::open(self.object.field(name));
        for (target, weight, vertices) in paths {
            let out = object.field(&key_text(target));
            write_weighted_path(out, (out.len() <= limit).then_some((weight, vertices)));
        }
        object.close();
    }

    /// How much was looked at, and the time it took; the names are HugeGraph's.
    pub fn measure(&mut self, edges: u64, vertices: u64, cost_ns: u128) {
        let mut measure = Object::open(self.object.field("measure"));
        measure.plain("edge_iterations", edges);
        measure.plain("vertice_iterations", vertices);
        measure.plain("cost(ns)", cost_ns);
        measure.close();
    }

    /// Closes the answer.
    pub fn close(self) {
        self.object.close();
    }
}

/// Appends an object with a score for each vertex, in the given order.
pub fn write_scores<'i>(out: &mut Vec<u8>, scores: impl IntoIterator<Item = (&'i VertexId, f64)>) {
    let mut object = Object::open(out);
    for (id, score) in scores {
        push_double(object.field(&key_text(id)), score);
    }
    object.close();
}

fn write_path(out: &mut Vec<u8>, path: PathView<'_>) {
    let mut object = Object::open(out);
    if let Some(crosspoint) = path.crosspoint {
        write_vertex_id(object.field("crosspoint"), crosspoint);
    }
    push_array(object.field("objects"), path.objects, write_vertex_id);
    if let Some(weights) = path.weights {
        push_array(object.field("weights"), weights.iter().copied(), push_double);
    }
    object.close();
}

fn write_weighted_path(out: &mut Vec<u8>, path: Option<(f64, &[VertexId])>) {
    let mut object = Object::open(out);
    if let Some((weight, vertices)) = path {
        push_double(object.field("weight"), weight);
        push_array(object.field("vertices"), vertices, write_vertex_id);
    }
    object.close();
}

/// An id as the name of a field: numbers become texts.
pub(super) fn key_text(id: &VertexId) -> String {
    match id {
        VertexId::Number(number) => number.to_string(),
        VertexId::String(text) => text.to_string(),
        VertexId::Uuid(bits) => uuid::Uuid::from_u128(*bits).hyphenated().to_string(),
    }
}
