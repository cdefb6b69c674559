//! The label index: which vertices have a label whose ids do not begin with it.

use graph_model::{IdStrategy, LabelId, VertexId};
use graph_schema::Catalogue;
use key_codec::{GraphNumber, key, tables};
use kv::WriteBatch;

/// Whether vertices of a label are entered in the label index: those whose ids do not begin with the label.
pub fn needs_label_index(catalogue: &Catalogue, label: LabelId) -> bool {
    catalogue
        .vertex_label(label)
        .is_some_and(|label| label.enable_label_index && label.id_strategy != IdStrategy::PrimaryKey)
}

/// Appends the label index entry of a vertex whose label needs one.
pub fn put_label_index_entry(batch: &mut WriteBatch, graph: GraphNumber, label: LabelId, id: &VertexId) {
    batch.put(
        tables::LABEL_INDEX,
        |b| key::label_index_partition(b, graph, label),
        |b| key::label_index_row(b, id),
        |_| (),
    );
}
