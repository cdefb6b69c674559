//! The catalogue of a graph as rows of `meta`.

use graph_schema::{Catalogue, IndexType, NextIds, SchemaKind, SchemaMode};
use key_codec::{CodecError, GraphNumber, key, schema_value, setting_value, tables};
use kv::{Read, RowRange, WriteBatch};

use crate::core::stored_settings::{put_setting, read_setting};
use store_error::StoreError;

/// Setting of a graph.
const NEXT_IDS: &str = "next_ids";
/// Setting of a graph whose schema is made by its writes; others have none.
const SCHEMA_MODE: &str = "schema_mode";
/// Its value.
const AUTO: u64 = 1;

/// The catalogue of a graph as it is stored.
pub fn read_catalogue(engine: &dyn Read, number: GraphNumber) -> Result<Catalogue, StoreError> {
    let mut elements = Vec::new();
    for kind in [SchemaKind::PropertyKey, SchemaKind::VertexLabel, SchemaKind::EdgeLabel, SchemaKind::IndexLabel] {
        let mut partition = Vec::new();
        key::meta_partition(&mut partition, number, schema_value::meta_kind(kind));
        let mut cursor = engine.scan(tables::META, RowRange::all(&partition))?;
        while let Some(entry) = cursor.next()? {
            let id = key::read_meta_row_number(entry.key.row())?;
            elements.push(schema_value::read_element(kind, id, entry.value)?);
        }
    }
    let next_ids = match read_setting(engine, number, NEXT_IDS)? {
        Some(bytes) => {
            let [property_key, vertex_label, edge_label, index_label] =
                setting_value::read_numbers::<4>(&bytes)?.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
            NextIds { property_key, vertex_label, edge_label, index_label }
        }
        None => NextIds::default(),
    };
    let mode = match read_setting(engine, number, SCHEMA_MODE)? {
        None => SchemaMode::Strict,
        Some(bytes) => match setting_value::read_numbers(&bytes)? {
            [AUTO] => SchemaMode::Auto,
            _ => return Err(CodecError { what: "setting", problem: "an unknown mode of the schema", at: 0 }.into()),
        },
    };
    Catalogue::from_elements(mode, elements, next_ids).map_err(StoreError::CorruptSchema)
}

/// Appends the mode of a new graph's schema to a batch.
pub fn put_schema_mode(batch: &mut WriteBatch, graph: GraphNumber, mode: SchemaMode) {
    if mode == SchemaMode::Auto {
        put_setting(batch, graph, SCHEMA_MODE, &[AUTO]);
    }
}

/// Appends the counters of a catalogue to a batch.
pub fn put_next_ids(batch: &mut WriteBatch, graph: GraphNumber, next: NextIds) {
    let numbers = [next.property_key, next.vertex_label, next.edge_label, next.index_label].map(u64::from);
    put_setting(batch, graph, NEXT_IDS, &numbers);
}

/// Makes the analyzers of all search indexes ready, so that no write or query has to: those run on threads that serve
/// others, too.
pub fn prepare_analyzers(catalogue: &Catalogue) {
    let searched = catalogue.index_labels().filter(|index| index.index_type == IndexType::Search);
    searched.for_each(|index| index.analyzer.prepare());
}
