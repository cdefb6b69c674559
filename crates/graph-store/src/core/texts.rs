//! Texts of ids and names, for errors.

use graph_model::{EdgeId, EdgeIdText, ElementRef};
use graph_schema::{Catalogue, SchemaError, SchemaKind};

/// The text of an id, for errors.
pub fn element_id_text(catalogue: &Catalogue, id: ElementRef<'_>) -> String {
    match id {
        ElementRef::Vertex(id) => format!("vertex {id}"),
        ElementRef::Edge(id) => format!("edge '{}'", edge_id_text(catalogue, id)),
    }
}

/// The text of an edge id, for errors.
pub(crate) fn edge_id_text(catalogue: &Catalogue, id: &EdgeId) -> String {
    let parent = catalogue.edge_label(id.label).map_or(id.label, |label| label.parent_or_self());
    EdgeIdText { parent, id: id.clone() }.to_string()
}

/// That no schema element of a kind has this name.
#[must_use]
pub fn not_found(catalogue: &Catalogue, kind: SchemaKind, words: &'static str, name: &str) -> SchemaError {
    SchemaError::NotFound { kind: words, name: name.to_owned(), hint: catalogue.suggestion(kind, name) }
}
