//! Labels: a vertex of an auto graph has a set of them, which is stored as one label.
//!
//! The stored label's name is the names of the set in their order, joined by [`JOINT`]; that of the empty set is the
//! joint alone. This is how TinkerPop's drivers of Neo4j show several labels.

use std::sync::Arc;

use cypher_value::{Detail, Error, Text};
use graph_model::LabelId;

use super::Store;
use crate::Result;

/// What stands between the names of a set of labels.
pub use graph_schema::LABEL_JOINT as JOINT;

/// Labels of a vertex, as they are stored.
pub(crate) struct SetOfLabels(Vec<Text>);

impl SetOfLabels {
    pub(crate) fn new(labels: impl IntoIterator<Item = Text>) -> Self {
        let mut all: Vec<Text> = labels.into_iter().collect();
        all.sort();
        all.dedup();
        Self(all)
    }

    /// The labels of a stored label.
    pub(crate) fn of(stored: &str) -> Self {
        Self(stored.split(JOINT).filter(|name| !name.is_empty()).map(Text::from).collect())
    }

    pub(crate) fn names(&self) -> &[Text] {
        &self.0
    }

    /// Adds labels; answers how many were not there.
    pub(crate) fn add(&mut self, labels: Vec<Text>) -> u64 {
        let before = self.0.len();
        self.0.extend(labels);
        self.0.sort();
        self.0.dedup();
        u64::try_from(self.0.len() - before).unwrap_or(0)
    }

    /// Takes labels away; answers how many were there.
    pub(crate) fn remove(&mut self, labels: &[Text]) -> u64 {
        let before = self.0.len();
        self.0.retain(|own| !labels.contains(own));
        u64::try_from(before - self.0.len()).unwrap_or(0)
    }

    /// The name of the stored label.
    ///
    /// # Errors
    /// A name that holds the joint.
    pub(crate) fn stored(&self) -> Result<String> {
        if let Some(bad) = self.0.iter().find(|name| name.contains(JOINT) || name.is_empty()) {
            let message = format!("a label must not be empty or contain '{JOINT}', but one is '{bad}'");
            return Err(Error::syntax(Detail::UnexpectedSyntax, message));
        }
        let names: Vec<&str> = self.0.iter().map(Text::as_str).collect();
        Ok(if names.is_empty() { JOINT.to_owned() } else { names.join(JOINT) })
    }
}

impl Store<'_> {
    /// The labels of a stored vertex label.
    pub fn labels_of(&self, label: LabelId) -> Arc<[Text]> {
        if let Some(known) = self.labels.borrow().get(&label) {
            return Arc::clone(known);
        }
        let catalogue = self.catalogue();
        let labels: Arc<[Text]> = match catalogue.vertex_label(label) {
            Some(own) if self.is_auto() => SetOfLabels::of(&own.name).0.into(),
            Some(own) => Arc::from([Text::from(own.name.as_str())]),
            None => return Arc::from([]),
        };
        self.labels.borrow_mut().insert(label, Arc::clone(&labels));
        labels
    }
}
