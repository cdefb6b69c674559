//! The server's schema by name, as the builders look it up.

use std::collections::HashMap;
use std::sync::Arc;

use api_client::{EdgeLabel, PropertyKey, Schema, VertexLabel};

/// Property keys and labels by name.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    keys: HashMap<String, Arc<PropertyKey>>,
    vertex_labels: HashMap<String, Arc<VertexLabel>>,
    edge_labels: HashMap<String, Arc<EdgeLabel>>,
}

impl Catalogue {
    pub(crate) fn new(schema: Schema) -> Self {
        let mut catalogue = Self::default();
        catalogue.add(schema);
        catalogue
    }

    /// Adds what is not there yet: used to see, in a dry run, what a schema file would create.
    pub(crate) fn add(&mut self, schema: Schema) {
        for key in schema.propertykeys {
            self.keys.entry(key.name.clone()).or_insert_with(|| Arc::new(key));
        }
        for label in schema.vertexlabels {
            self.vertex_labels.entry(label.name.clone()).or_insert_with(|| Arc::new(label));
        }
        for label in schema.edgelabels {
            self.edge_labels.entry(label.name.clone()).or_insert_with(|| Arc::new(label));
        }
    }

    pub(crate) fn key(&self, name: &str) -> Option<&Arc<PropertyKey>> {
        self.keys.get(name)
    }

    pub(crate) fn vertex_label(&self, name: &str) -> Option<&Arc<VertexLabel>> {
        self.vertex_labels.get(name)
    }

    pub(crate) fn edge_label(&self, name: &str) -> Option<&Arc<EdgeLabel>> {
        self.edge_labels.get(name)
    }

    pub(crate) fn vertex_label_names(&self) -> impl Iterator<Item = &str> {
        self.vertex_labels.keys().map(String::as_str)
    }

    pub(crate) fn edge_label_names(&self) -> impl Iterator<Item = &str> {
        self.edge_labels.keys().map(String::as_str)
    }
}
