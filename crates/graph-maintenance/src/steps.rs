//! The elements of a label, some at a time.

use graph_model::{ElementId, IdStrategy, LabelId};
use graph_schema::{Catalogue, IndexLabel};
use graph_store::{Graph, StoreError};
use key_codec::{key, tables, value};
use kv::RowRange;

use crate::limits;
use crate::progress::Progress;

/// What receives the elements of a label, at most [`limits::INDEX_ELEMENTS_PER_STEP`] at a time.
pub(crate) type Step<'a> = dyn FnMut(&[ElementId]) -> Result<(), StoreError> + 'a;

/// Gives all elements of a label to `step`. Some may be gone or of another label by the time they are looked at.
pub(crate) fn for_each_step(
    graph: &Graph,
    catalogue: &Catalogue,
    on_vertices: bool,
    base: LabelId,
    step: &mut Step<'_>,
) -> Result<(), StoreError> {
    let mut prefix = Vec::new();
    if !on_vertices {
        key::edge_label_prefix(&mut prefix, graph.number(), base);
        let mut cursor = graph.engine().scan_partitions(tables::EDGE_OUT, &prefix, None)?;
        return in_steps(step, || {
            let entry = cursor.next()?;
            Ok(entry.map(|entry| key::read_edge_out_key(entry.key)).transpose()?.map(ElementId::Edge))
        });
    }
    let label = catalogue.vertex_label(base);
    match label.map(|label| (label.id_strategy, label.enable_label_index)) {
        Some((IdStrategy::PrimaryKey, _)) => key::primary_key_vertices_prefix(&mut prefix, graph.number(), base),
        Some((_, true)) => {
            key::label_index_partition(&mut prefix, graph.number(), base);
            let mut cursor = graph.engine().scan(tables::LABEL_INDEX, RowRange::all(&prefix))?;
            return in_steps(step, || {
                let entry = cursor.next()?;
                let id = entry.map(|entry| key::read_label_index_row(entry.key.row())).transpose()?;
                Ok(id.map(ElementId::Vertex))
            });
        }
        _ => key::graph_prefix(&mut prefix, graph.number()),
    }
    let mut cursor = graph.engine().scan_partitions(tables::VERTEX, &prefix, None)?;
    in_steps(step, || {
        while let Some(entry) = cursor.next()? {
            if value::read_vertex_head(entry.value)?.label == base {
                return Ok(Some(ElementId::Vertex(key::read_vertex_key(entry.key)?)));
            }
        }
        Ok(None)
    })
}

/// Gives the elements an index label is over to `step`, reports how many were done, and asks between steps whether to
/// stop.
pub(crate) fn for_each_reported_step(
    graph: &Graph,
    catalogue: &Catalogue,
    index: &IndexLabel,
    work: &dyn Progress,
    step: &mut Step<'_>,
) -> Result<(), StoreError> {
    let mut unreported = 0;
    for label in catalogue.labels_under(index) {
        for_each_step(graph, catalogue, index.on_vertices, label, &mut |elements| {
            step(elements)?;
            unreported += elements.len();
            if unreported < limits::REMOVAL_ELEMENTS_PER_BATCH {
                return work.check();
            }
            work.advance(std::mem::take(&mut unreported))
        })?;
    }
    work.advance(unreported)
}

/// Collects elements into steps.
pub(crate) fn in_steps(
    step: &mut Step<'_>,
    mut next: impl FnMut() -> Result<Option<ElementId>, StoreError>,
) -> Result<(), StoreError> {
    let mut elements = Vec::with_capacity(limits::INDEX_ELEMENTS_PER_STEP);
    while let Some(element) = next()? {
        elements.push(element);
        if elements.len() >= limits::INDEX_ELEMENTS_PER_STEP {
            step(&elements)?;
            elements.clear();
        }
    }
    if elements.is_empty() { Ok(()) } else { step(&elements) }
}
