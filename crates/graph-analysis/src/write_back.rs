//! Results as properties of vertices.

use std::sync::Arc;

use analytics::Values;
use graph_model::{Cardinality, DataType, Value, VertexId};
use graph_schema::{Alter, NewPropertyKey, SchemaKind, UpdateVertexLabel, UserData};
use graph_store::parts::{Locks, Mask, WriteUnit, is_expired, put_vertex, stored_vertices};
use graph_store::{Graph, Pending, Schema, StoreError, Wait, not_found, now_ms};

use crate::names::id_text;
use crate::projection::Projection;
use crate::watch::Observer;
use crate::{AnalysisError, limits};

/// What is written: a property and its values, one for each vertex of the projection.
pub(crate) struct Written {
    pub(crate) property: String,
    pub(crate) values: Values,
}

impl Written {
    fn data_type(&self) -> Result<DataType, AnalysisError> {
        match &self.values {
            Values::Floats(_) => Ok(DataType::Double),
            Values::Ints(_) => Ok(DataType::Long),
            Values::Bools(_) => Ok(DataType::Boolean),
            Values::Vertices(_) => Ok(DataType::Text),
            Values::Vectors { .. } | Values::Lists(_) => {
                Err(AnalysisError::parameter("only results of one value for each vertex can be written to a property"))
            }
        }
    }

    fn value(&self, row: usize, projection: &Projection) -> Option<Value> {
        match &self.values {
            Values::Floats(values) => values.get(row).filter(|value| value.is_finite()).map(|it| Value::Double(*it)),
            Values::Ints(values) => values.get(row).map(|value| Value::Long(*value)),
            Values::Bools(values) => values.get(row).map(|value| Value::Boolean(*value)),
            Values::Vertices(values) => {
                let id = values.get(row).and_then(|number| projection.id(*number))?;
                Some(Value::Text(id_text(id).into()))
            }
            Values::Vectors { .. } | Values::Lists(_) => None,
        }
    }
}

/// Creates the property key where it is missing, and adds it to the vertex labels.
fn prepare(graph: &Graph, written: &Written, projection: &Projection) -> Result<(), AnalysisError> {
    let schema = Schema::new(graph);
    let (name, data_type) = (&*written.property, written.data_type()?);
    let key = match graph.catalogue().property_key_named(name) {
        Some(key) => Arc::clone(key),
        None => schema.create_property_key(&NewPropertyKey {
            check_exist: false,
            ..NewPropertyKey::new(name, data_type, Cardinality::Single)
        })?,
    };
    if key.data_type != data_type || key.cardinality != Cardinality::Single {
        let text = format!(
            "the property key '{name}' has type {}, but the result needs a single {}; choose another 'write_property'",
            key.data_type.name(),
            data_type.name()
        );
        return Err(AnalysisError::Parameter(text));
    }
    let catalogue = graph.catalogue();
    for label in catalogue.vertex_labels() {
        let is_read = projection.counts().vertices.contains_key(&label.id);
        if is_read && !label.properties.contains(&key.id) {
            schema.alter_vertex_label(
                Alter::Append,
                &UpdateVertexLabel {
                    name: label.name.clone(),
                    id_strategy: None,
                    primary_keys: Vec::new(),
                    properties: vec![name.to_owned()],
                    nullable_keys: vec![name.to_owned()],
                    ttl_ms: 0,
                    ttl_start_time: None,
                    enable_label_index: None,
                    user_data: UserData::default(),
                },
            )?;
        }
    }
    Ok(())
}

/// Writes values to the vertices that still exist, in batches; answers how many were written. What is cut short can be
/// written again.
pub(crate) fn write(
    graph: &Graph,
    written: &Written,
    projection: &Projection,
    observer: &dyn Observer,
) -> Result<u64, AnalysisError> {
    if graph.is_auto() {
        return Err(AnalysisError::parameter("results can be written to graphs with a strict schema only"));
    }
    prepare(graph, written, projection)?;
    let mut count = 0;
    let rows: Vec<usize> = (0..projection.ids().len()).collect();
    for batch in rows.chunks(limits::WRITE_BATCH) {
        observer.check()?;
        let pair = |row: &usize| {
            let id: VertexId = projection.ids().get(*row)?.clone();
            written.value(*row, projection).map(|value| (id, value))
        };
        let values: Vec<(VertexId, Value)> = batch.iter().filter_map(pair).collect();
        count += set_property(graph, &written.property, &values)?.wait()?;
    }
    Ok(count)
}

/// Sets a property of vertices that exist and whose label has it, leaving all else as it is; answers how many these
/// were. The key is named because its number may change while writers wait.
fn set_property(graph: &Graph, name: &str, values: &[(VertexId, Value)]) -> Result<Pending<u64>, StoreError> {
    let stripes = values.iter().fold(Mask::default(), |all, (id, _)| all.union(Mask::of(id)));
    WriteUnit::lock(graph, Wait::Allowed, Locks::exclusive(stripes), |mut unit| {
        let catalogue = Arc::clone(unit.catalogue());
        let key = catalogue.property_key_named(name);
        let key = key.ok_or_else(|| not_found(&catalogue, SchemaKind::PropertyKey, "property key", name))?.id;
        let ids: Vec<VertexId> = values.iter().map(|(id, _)| id.clone()).collect();
        let (stored, now_ms) = (stored_vertices(graph, &ids)?, now_ms());
        let mut written = 0;
        for ((index, (_, value)), before) in values.iter().enumerate().zip(&stored) {
            let Some(before) = before.as_ref().filter(|before| !is_expired(before.expires_at_ms, now_ms)) else {
                continue;
            };
            if catalogue.vertex_label(before.label).is_none_or(|label| !label.properties.contains(&key)) {
                continue;
            }
            let mut vertex = before.clone();
            vertex.properties.insert(key, value.clone());
            unit.note_vertex(Some(before), Some(&vertex), index)?;
            put_vertex(&mut unit.batch, graph.number(), &catalogue, &vertex);
            unit.batch.end_group();
            written += 1;
        }
        unit.finish(written)
    })
}
