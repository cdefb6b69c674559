//! On shared engines: which state of its schema and modes a graph is in, stored so that other processes see that it
//! changed.

use std::collections::HashMap;

use graph_schema::GraphMode;
use key_codec::key::{self, MetaKind};
use key_codec::{CodecError, GraphNumber, setting_value, tables};
use kv::{Engine, RowRange, WriteBatch};

use crate::core::stored_settings::delete_number;
use store_error::StoreError;

/// What is stored of a graph besides its schema, on shared engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Changes with the schema and with the modes.
    pub number: u64,
    /// See [`crate::Graph::mode`].
    pub mode: GraphMode,
    /// See [`crate::Graph::reads_all`].
    pub reads_all: bool,
}

impl Version {
    /// Appends its row.
    pub fn put(self, batch: &mut WriteBatch, graph: GraphNumber) {
        let mode = self.mode as u64;
        batch.put(
            tables::META,
            |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::Version),
            |b| key::meta_row_number(b, graph.0),
            |v| setting_value::put_numbers(v, &[self.number, mode, u64::from(self.reads_all)]),
        );
    }

    fn read(bytes: &[u8]) -> Result<Self, CodecError> {
        let [number, mode, reads_all] = setting_value::read_numbers(bytes)?;
        let mode = match mode {
            1 => GraphMode::Restoring,
            2 => GraphMode::Merging,
            3 => GraphMode::Loading,
            _ => GraphMode::None,
        };
        Ok(Self { number, mode, reads_all: reads_all != 0 })
    }
}

/// The versions of all graphs, by number.
pub fn read_versions(engine: &dyn Engine) -> Result<HashMap<GraphNumber, Version>, StoreError> {
    let mut partition = Vec::new();
    key::meta_partition(&mut partition, GraphNumber::STORE, MetaKind::Version);
    let mut versions = HashMap::new();
    let mut cursor = engine.scan(tables::META, RowRange::all(&partition))?;
    while let Some(entry) = cursor.next()? {
        let number = GraphNumber(key::read_meta_row_number(entry.key.row())?);
        versions.insert(number, Version::read(entry.value)?);
    }
    Ok(versions)
}

/// Appends the removal of a graph's version.
pub fn delete_version(batch: &mut WriteBatch, graph: GraphNumber) {
    delete_number(batch, MetaKind::Version, graph);
}
