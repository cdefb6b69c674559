//! Changes of the schema: one at a time, stored before they are in force.

use crate::core::stored_catalogue::{prepare_analyzers, put_next_ids, read_catalogue};
use std::sync::Arc;

use graph_model::{LabelId, PropertyKeyId};
use graph_schema::{
    Alter, Catalogue, Change, ChangeRules, Created, Declaration, EdgeLabel, IndexLabel, NewEdgeLabel, NewIndexLabel,
    NewPropertyKey, NewVertexLabel, PropertyKey, SchemaError, UpdateEdgeLabel, UpdateIndexLabel, UpdatePropertyKey,
    UpdateVertexLabel, VertexLabel,
};
use key_codec::{key, schema_value, tables};
use kv::WriteBatch;

use crate::core::clock::now_ms;
use crate::core::graph::Graph;
use store_error::StoreError;

/// Changes of a graph's schema. Costs nothing to make.
#[derive(Clone, Copy)]
pub struct Schema<'g> {
    pub(super) graph: &'g Graph,
}

impl<'g> Schema<'g> {
    /// Changes of the schema of a graph.
    #[must_use]
    pub fn new(graph: &'g Graph) -> Self {
        Self { graph }
    }

    /// Creates a property key.
    pub fn create_property_key(&self, new: &NewPropertyKey) -> Result<Arc<PropertyKey>, StoreError> {
        let (id, next) = self.create(|catalogue, rules| catalogue.create_property_key(new, rules))?;
        property_key(&next, id)
    }

    /// Changes a property key.
    pub fn alter_property_key(&self, alter: Alter, update: &UpdatePropertyKey) -> Result<Arc<PropertyKey>, StoreError> {
        let (id, next) = self.create(|catalogue, rules| match alter {
            Alter::Append => catalogue.append_property_key(update, rules),
            Alter::Eliminate => catalogue.eliminate_property_key(update),
        })?;
        property_key(&next, id)
    }

    /// Deletes a property key no label uses.
    pub fn delete_property_key(&self, name: &str) -> Result<(), StoreError> {
        self.change(|catalogue, _| catalogue.delete_property_key(name)).map(drop)
    }

    /// Makes the labels and property keys of an auto graph that are not there yet, in one change, and returns the
    /// catalogue that has them. Of several that declare the same at one time one makes it, and the others find it.
    ///
    /// # Errors
    /// Those of [`Catalogue::declare`] and of storage.
    pub fn declare(&self, names: &Declaration<'_>) -> Result<Arc<Catalogue>, StoreError> {
        let catalogue = self.graph.catalogue();
        if catalogue.has_all(names) {
            return Ok(catalogue);
        }
        self.change(|catalogue, rules| catalogue.declare(names, rules))
    }

    /// Creates a vertex label.
    pub fn create_vertex_label(&self, new: &NewVertexLabel) -> Result<(Arc<VertexLabel>, Arc<Catalogue>), StoreError> {
        let (id, next) = self.create(|catalogue, rules| catalogue.create_vertex_label(new, rules))?;
        vertex_label(next, id)
    }

    /// Changes a vertex label.
    pub fn alter_vertex_label(
        &self,
        alter: Alter,
        update: &UpdateVertexLabel,
    ) -> Result<(Arc<VertexLabel>, Arc<Catalogue>), StoreError> {
        let (id, next) = self.create(|catalogue, _| match alter {
            Alter::Append => catalogue.append_vertex_label(update),
            Alter::Eliminate => catalogue.eliminate_vertex_label(update),
        })?;
        vertex_label(next, id)
    }

    /// Creates an edge label.
    pub fn create_edge_label(&self, new: &NewEdgeLabel) -> Result<(Arc<EdgeLabel>, Arc<Catalogue>), StoreError> {
        let (id, next) = self.create(|catalogue, rules| catalogue.create_edge_label(new, rules))?;
        edge_label(next, id)
    }

    /// Changes an edge label.
    pub fn alter_edge_label(
        &self,
        alter: Alter,
        update: &UpdateEdgeLabel,
    ) -> Result<(Arc<EdgeLabel>, Arc<Catalogue>), StoreError> {
        let (id, next) = self.create(|catalogue, _| match alter {
            Alter::Append => catalogue.append_edge_label(update),
            Alter::Eliminate => catalogue.eliminate_edge_label(update),
        })?;
        edge_label(next, id)
    }

    /// Creates an index label. It has to be built then, where it is [`graph_schema::Status::Creating`] and new, which
    /// the flag tells.
    pub fn create_index_label(
        &self,
        new: &NewIndexLabel,
    ) -> Result<(Arc<IndexLabel>, Arc<Catalogue>, bool), StoreError> {
        let mut is_new = false;
        let (id, next) = self.create(|catalogue, rules| {
            let created = catalogue.create_index_label(new, rules)?;
            is_new = !created.change.put.is_empty();
            Ok(created)
        })?;
        Ok((index_label(&next, id)?, next, is_new))
    }

    /// Changes the user data of an index label.
    pub fn alter_index_label(
        &self,
        alter: Alter,
        update: &UpdateIndexLabel,
    ) -> Result<(Arc<IndexLabel>, Arc<Catalogue>), StoreError> {
        let (id, next) = self.create(|catalogue, _| match alter {
            Alter::Append => catalogue.append_index_label(update),
            Alter::Eliminate => catalogue.eliminate_index_label(update),
        })?;
        Ok((index_label(&next, id)?, next))
    }

    fn create<Id>(
        &self,
        make: impl FnOnce(&Catalogue, &ChangeRules<'_>) -> Result<Created<Id>, SchemaError>,
    ) -> Result<(Id, Arc<Catalogue>), StoreError> {
        let mut id = None;
        let next = self.change(|catalogue, rules| {
            let created = make(catalogue, rules)?;
            id = Some(created.id);
            Ok(created.change)
        })?;
        Ok((id.ok_or(StoreError::SchemaBusy)?, next))
    }

    /// Makes a change, stores it, puts it in force, and returns the catalogue it led to.
    pub fn change(
        &self,
        make: impl FnOnce(&Catalogue, &ChangeRules<'_>) -> Result<Change, SchemaError>,
    ) -> Result<Arc<Catalogue>, StoreError> {
        // Always in this order, and given back after the change is in force here.
        let changing = self.graph.shared.begin_change()?;
        let _one_at_a_time = self.graph.lock_schema()?;
        if changing.is_some() {
            self.graph.catch_up()?;
        }
        let catalogue = self.graph.catalogue();
        let rules = ChangeRules {
            mode: self.graph.mode(),
            now_ms: now_ms(),
            zone: &self.graph.options().zone,
            analyzer: self.graph.options().analyzer,
        };
        let change = make(&catalogue, &rules)?;
        if change.put.is_empty() && change.removed.is_empty() {
            return Ok(catalogue);
        }
        let mut batch = WriteBatch::new();
        for element in &change.put {
            let (kind, number) = schema_value::meta_position(element.key());
            batch.put(
                tables::META,
                |b| key::meta_partition(b, self.graph.number, kind),
                |b| key::meta_row_number(b, number),
                |v| schema_value::put_element(v, element),
            );
        }
        for removed in &change.removed {
            let (kind, number) = schema_value::meta_position(*removed);
            batch.delete(
                tables::META,
                |b| key::meta_partition(b, self.graph.number, kind),
                |b| key::meta_row_number(b, number),
            );
        }
        put_next_ids(&mut batch, self.graph.number, change.catalogue.next_ids());
        prepare_analyzers(&change.catalogue);
        let version = changing.as_ref().map(|changing| self.graph.version_with(changing.version()));
        if let Some(version) = version {
            version.put(&mut batch, self.graph.number);
            self.graph.shared.check_fresh()?;
        }
        if let Err(error) = self.graph.engine().commit(batch) {
            // The write may have been stored all the same: what comes next must build on what is stored.
            if let Ok(stored) = read_catalogue(self.graph.engine(), self.graph.number)
                && stored != *catalogue
            {
                self.graph.set_catalogue(stored);
            }
            return Err(error.into());
        }
        self.graph.set_catalogue(change.catalogue);
        if let Some(version) = version {
            self.graph.set_version(version);
        }
        Ok(self.graph.catalogue())
    }
}

fn property_key(catalogue: &Catalogue, id: PropertyKeyId) -> Result<Arc<PropertyKey>, StoreError> {
    catalogue.property_key(id).map(Arc::clone).ok_or(StoreError::SchemaBusy)
}

fn vertex_label(catalogue: Arc<Catalogue>, id: LabelId) -> Result<(Arc<VertexLabel>, Arc<Catalogue>), StoreError> {
    let label = catalogue.vertex_label(id).map(Arc::clone).ok_or(StoreError::SchemaBusy)?;
    Ok((label, catalogue))
}

fn edge_label(catalogue: Arc<Catalogue>, id: LabelId) -> Result<(Arc<EdgeLabel>, Arc<Catalogue>), StoreError> {
    let label = catalogue.edge_label(id).map(Arc::clone).ok_or(StoreError::SchemaBusy)?;
    Ok((label, catalogue))
}

fn index_label(catalogue: &Catalogue, id: LabelId) -> Result<Arc<IndexLabel>, StoreError> {
    catalogue.index_label(id).map(Arc::clone).ok_or(StoreError::SchemaBusy)
}
