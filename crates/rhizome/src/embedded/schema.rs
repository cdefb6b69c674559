//! Definitions of labels, field by field. What is not said has HugeGraph's default.

use graph_model::IdStrategy;
use graph_schema::{Frequency, NewEdgeLabel, NewVertexLabel};

use crate::embedded::{Error, Graph};

/// A vertex label in the making.
#[must_use = "nothing is defined before create()"]
pub struct VertexLabelBuilder<'db> {
    graph: Graph<'db>,
    new: NewVertexLabel,
}

impl<'db> VertexLabelBuilder<'db> {
    pub(crate) fn new(graph: Graph<'db>, name: &str) -> Self {
        let new = NewVertexLabel { check_exist: false, ..NewVertexLabel::new(name) };
        Self { graph, new }
    }

    /// How vertices get ids; without it, from the primary keys if there are any, else automatically.
    pub fn id_strategy(mut self, strategy: IdStrategy) -> Self {
        self.new.id_strategy = Some(strategy);
        self
    }

    /// The properties a vertex has.
    pub fn properties<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.new.properties.extend(names.into_iter().map(str::to_owned));
        self
    }

    /// The properties the id is made of.
    pub fn primary_keys<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.new.primary_keys.extend(names.into_iter().map(str::to_owned));
        self
    }

    /// The properties a vertex may lack.
    pub fn nullable<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.new.nullable_keys.extend(names.into_iter().map(str::to_owned));
        self
    }

    /// Defines the label. Defining the same again is fine; another definition under the same name is an error.
    pub fn create(self) -> Result<(), Error> {
        self.graph.inner()?.schema().create_vertex_label(&self.new)?;
        Ok(())
    }
}

/// An edge label in the making.
#[must_use = "nothing is defined before create()"]
pub struct EdgeLabelBuilder<'db> {
    graph: Graph<'db>,
    new: NewEdgeLabel,
}

impl<'db> EdgeLabelBuilder<'db> {
    pub(crate) fn new(graph: Graph<'db>, name: &str, source_label: &str, target_label: &str) -> Self {
        let new = NewEdgeLabel { check_exist: false, ..NewEdgeLabel::new(name, source_label, target_label) };
        Self { graph, new }
    }

    /// The properties an edge has.
    pub fn properties<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.new.properties.extend(names.into_iter().map(str::to_owned));
        self
    }

    /// The properties an edge may lack.
    pub fn nullable<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.new.nullable_keys.extend(names.into_iter().map(str::to_owned));
        self
    }

    /// Allows several edges between the same two vertices, told apart by these properties.
    pub fn sort_keys<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.new.frequency = Some(Frequency::Multiple);
        self.new.sort_keys.extend(names.into_iter().map(str::to_owned));
        self
    }

    /// Defines the label. Defining the same again is fine; another definition under the same name is an error.
    pub fn create(self) -> Result<(), Error> {
        self.graph.inner()?.schema().create_edge_label(&self.new)?;
        Ok(())
    }
}
