//! Removing a label with all its data, or an index label with all its entries. Every step can be repeated, so a removal
//! cut short by a crash is simply run again.
//!
//! The label is first marked as being deleted, so that nothing new is written; then the writers at work are waited for;
//! then the data goes; then the definition.

use graph_model::{IdStrategy, LabelId, VertexId};
use graph_schema::{Catalogue, SchemaKey, Status, VertexLabel};
use key_codec::{key, tables, value};
use kv::{Keys, RowRange, WriteBatch};

use crate::core::error::StoreError;
use crate::core::fetch::fetch;
use crate::core::progress::Progress;
use crate::core::stripes::Mask;
use crate::limits;
use crate::write::rows::remove_vertex;
use crate::write::schema::Schema;

impl Schema<'_> {
    /// Removes a label and its elements. A label that is gone already counts as removed.
    pub fn remove(&self, label: SchemaKey, work: &dyn Progress) -> Result<(), StoreError> {
        let catalogue = self.graph.catalogue();
        match label {
            SchemaKey::VertexLabel(id) if catalogue.vertex_label(id).is_none() => return Ok(()),
            SchemaKey::EdgeLabel(id) if catalogue.edge_label(id).is_none() => return Ok(()),
            SchemaKey::IndexLabel(id) if catalogue.index_label(id).is_none() => return Ok(()),
            SchemaKey::PropertyKey(_) => return Ok(()),
            SchemaKey::VertexLabel(_) | SchemaKey::EdgeLabel(_) | SchemaKey::IndexLabel(_) => {}
        }
        // Checked and marked in one change: nothing can come to refer to the label in between, nor after.
        let catalogue = self.change(|catalogue, _| {
            match label {
                SchemaKey::VertexLabel(id) => catalogue.check_vertex_label_removable(id)?,
                SchemaKey::EdgeLabel(id) => catalogue.check_edge_label_removable(id)?,
                SchemaKey::PropertyKey(_) | SchemaKey::IndexLabel(_) => {}
            }
            catalogue.set_status_with_indexes(label, Status::Deleting)
        })?;
        self.graph.wait_for_writers()?;
        let outcome = self.remove_elements(&catalogue, label, work);
        match outcome {
            Ok(()) => self.change(|catalogue, _| catalogue.remove(label)).map(drop),
            // The label stays marked, and the next start goes on.
            Err(StoreError::Closing) => Err(StoreError::Closing),
            Err(error) => {
                self.change(|catalogue, _| catalogue.set_status_with_indexes(label, Status::Undeleted))?;
                Err(error)
            }
        }
    }

    fn remove_elements(&self, catalogue: &Catalogue, label: SchemaKey, work: &dyn Progress) -> Result<(), StoreError> {
        // Nobody keeps them any more.
        let indexes = match label {
            SchemaKey::VertexLabel(id) => catalogue.indexes_over(true, id),
            SchemaKey::EdgeLabel(id) => catalogue.indexes_over(false, id),
            SchemaKey::PropertyKey(_) | SchemaKey::IndexLabel(_) => &[],
        };
        for index in indexes {
            self.delete_entries(index)?;
        }
        match label {
            SchemaKey::EdgeLabel(id) => {
                let mut prefix = Vec::new();
                key::edge_label_prefix(&mut prefix, self.graph.number, id);
                self.graph.engine().delete_prefix(tables::EDGE_OUT, &prefix)?;
                self.graph.engine().delete_prefix(tables::EDGE_IN, &prefix)?;
                Ok(())
            }
            SchemaKey::VertexLabel(id) => match catalogue.vertex_label(id) {
                Some(label) => self.remove_vertices(catalogue, label, work),
                None => Ok(()),
            },
            SchemaKey::IndexLabel(id) => match catalogue.index_label(id) {
                Some(index) => self.delete_entries(index),
                None => Ok(()),
            },
            SchemaKey::PropertyKey(_) => Ok(()),
        }
    }

    fn remove_vertices(
        &self,
        catalogue: &Catalogue,
        label: &VertexLabel,
        work: &dyn Progress,
    ) -> Result<(), StoreError> {
        let mut prefix = Vec::new();
        if label.id_strategy == IdStrategy::PrimaryKey {
            key::primary_key_vertices_prefix(&mut prefix, self.graph.number, label.id);
            // A client-given string can look like an id of this label and belong to another one. No label with such
            // strings can come about while the schema is locked.
            let locked = self.graph.lock_schema()?;
            if !self.graph.shared.is_shared()
                && self.graph.catalogue().vertex_labels().all(|other| other.id_strategy != IdStrategy::CustomizeString)
            {
                return Ok(self.graph.engine().delete_prefix(tables::VERTEX, &prefix)?);
            }
            drop(locked);
            return self.remove_vertices_in_table(catalogue, label.id, &prefix, work);
        }
        if !label.enable_label_index {
            key::graph_prefix(&mut prefix, self.graph.number);
            return self.remove_vertices_in_table(catalogue, label.id, &prefix, work);
        }
        self.remove_indexed_vertices(catalogue, label.id, work)?;
        key::label_index_partition(&mut prefix, self.graph.number, label.id);
        Ok(self.graph.engine().delete_prefix(tables::LABEL_INDEX, &prefix)?)
    }

    /// Removes vertices of a label among those whose keys begin with `prefix`.
    fn remove_vertices_in_table(
        &self,
        catalogue: &Catalogue,
        label: LabelId,
        prefix: &[u8],
        work: &dyn Progress,
    ) -> Result<(), StoreError> {
        let mut ids = Vec::new();
        let mut cursor = self.graph.engine().scan_partitions(tables::VERTEX, prefix, None)?;
        while let Some(entry) = cursor.next()? {
            if value::read_vertex_head(entry.value)?.label != label {
                continue;
            }
            ids.push(key::read_vertex_key(entry.key)?);
            if ids.len() >= limits::REMOVAL_ELEMENTS_PER_BATCH {
                self.remove_if_labelled(catalogue, label, &ids)?;
                work.advance(ids.len())?;
                ids.clear();
            }
        }
        self.remove_if_labelled(catalogue, label, &ids)
    }

    /// Removes vertices the label index names.
    fn remove_indexed_vertices(
        &self,
        catalogue: &Catalogue,
        label: LabelId,
        work: &dyn Progress,
    ) -> Result<(), StoreError> {
        let mut partition = Vec::new();
        key::label_index_partition(&mut partition, self.graph.number, label);
        let mut ids = Vec::new();
        let mut cursor = self.graph.engine().scan(tables::LABEL_INDEX, RowRange::all(&partition))?;
        while let Some(entry) = cursor.next()? {
            ids.push(key::read_label_index_row(entry.key.row())?);
            if ids.len() >= limits::REMOVAL_ELEMENTS_PER_BATCH {
                self.remove_if_labelled(catalogue, label, &ids)?;
                work.advance(ids.len())?;
                ids.clear();
            }
        }
        self.remove_if_labelled(catalogue, label, &ids)
    }

    /// Removes those of the vertices that still have the label, with all of them locked: meanwhile one may have been
    /// inserted again under another label.
    fn remove_if_labelled(&self, catalogue: &Catalogue, label: LabelId, ids: &[VertexId]) -> Result<(), StoreError> {
        let mut mask = Mask::default();
        let mut keys = Keys::new();
        for id in ids {
            mask.add(id);
            keys.push(|b| key::vertex_partition(b, self.graph.number, id), |_| ());
        }
        let _held = self.graph.lock_exclusive(mask)?;
        let mut batch = WriteBatch::new();
        let labels = fetch(self.graph.engine(), tables::VERTEX, &keys, |_, found| {
            Ok(Some(value::read_vertex_head(found)?.label))
        })?;
        for (id, _) in ids.iter().zip(labels).filter(|(_, stored)| *stored == Some(label)) {
            remove_vertex(&mut batch, self.graph.number, catalogue, id, label);
            batch.end_group();
        }
        Ok(self.graph.engine().commit(batch)?)
    }
}
