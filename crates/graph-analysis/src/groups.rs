//! Groups of vertices by a property.

use std::sync::Arc;

use analytics::Vertex;
use graph_store::{Graph, Reader};
use rustc_hash::FxHashMap;

use crate::projection::Projection;
use crate::watch::Observer;
use crate::{AnalysisError, limits};

/// For each vertex the first one whose property has the same value; a vertex without the property is alone.
pub(crate) fn groups(
    graph: &Graph,
    projection: &Projection,
    property: &str,
    observer: &dyn Observer,
) -> Result<Arc<[Vertex]>, AnalysisError> {
    let catalogue = graph.catalogue();
    let missing = || AnalysisError::Parameter(format!("there is no property key '{property}'"));
    let key = catalogue.property_key_named(property).ok_or_else(missing)?.id;
    let reader = Reader::new(graph);
    let mut firsts: FxHashMap<String, Vertex> = FxHashMap::default();
    let mut groups: Vec<Vertex> = Vec::with_capacity(projection.ids().len());
    for ids in projection.ids().chunks(limits::READ_BATCH) {
        observer.check()?;
        for vertex in reader.vertices(ids)? {
            let number = Vertex::try_from(groups.len()).unwrap_or(Vertex::MAX);
            let found = vertex.as_ref().and_then(|vertex| vertex.properties.get(key));
            // The form for debugging tells types apart, and values that are equal have the same.
            groups.push(found.map_or(number, |value| *firsts.entry(format!("{value:?}")).or_insert(number)));
        }
    }
    Ok(groups.into())
}
