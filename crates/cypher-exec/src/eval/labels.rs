//! Labels and types that expressions mean.

use std::sync::Arc;

use cypher_plan::{LabelEx, Labels};
use cypher_value::{Detail, Error, ErrorKind, Text};
use graph_model::LabelId;
use graph_schema::Catalogue;

use super::Cx;
use crate::Result;
use crate::row::Row;

impl Cx<'_, '_> {
    /// The stored vertex labels that a label expression means; none: all.
    pub(crate) fn vertex_labels(&self, labels: &Labels, row: &mut Row) -> Result<Option<Vec<LabelId>>> {
        let meant = self.each_vertex_label(labels, row)?;
        Ok((meant.len() < self.store.catalogue().vertex_labels().count()).then_some(meant))
    }

    /// The stored vertex labels that a label expression means, one by one even where they are all there are.
    pub(crate) fn each_vertex_label(&self, labels: &Labels, row: &mut Row) -> Result<Vec<LabelId>> {
        let all: Vec<LabelId> = self.store.catalogue().vertex_labels().map(|label| label.id).collect();
        let mut meant = Vec::new();
        for label in all {
            if self.has(labels, &self.store.labels_of(label), row)? {
                meant.push(label);
            }
        }
        Ok(meant)
    }

    /// The edge labels that a type expression means.
    pub(crate) fn edge_labels(&self, types: &Labels, row: &mut Row) -> Result<Vec<LabelId>> {
        let catalogue: Arc<Catalogue> = Arc::clone(&self.store.catalogue());
        let mut meant = Vec::new();
        if named(&catalogue, types, &mut meant) {
            meant.sort_unstable();
            meant.dedup();
            return Ok(meant);
        }
        meant.clear();
        for label in catalogue.edge_labels() {
            // A parent label stands for its sub labels.
            if catalogue.edge_labels_under(label.id).as_slice() != [label.id] {
                continue;
            }
            let own = [Text::from(label.name.as_str())];
            let parent = catalogue.edge_label(label.parent_or_self()).map(|parent| [Text::from(parent.name.as_str())]);
            if self.has(types, &own, row)? || parent.map_or(Ok(false), |parent| self.has(types, &parent, row))? {
                meant.push(label.id);
            }
        }
        Ok(meant)
    }

    /// Whether labels are those of an expression.
    pub(crate) fn has(&self, labels: &Labels, own: &[Text], row: &mut Row) -> Result<bool> {
        Ok(match labels {
            Labels::Name(name) => own.contains(name),
            Labels::Any => !own.is_empty(),
            Labels::Not(inner) => !self.has(inner, own, row)?,
            Labels::And(all) => {
                for one in all {
                    if !self.has(one, own, row)? {
                        return Ok(false);
                    }
                }
                true
            }
            Labels::Or(all) => {
                for one in all {
                    if self.has(one, own, row)? {
                        return Ok(true);
                    }
                }
                false
            }
            Labels::Dynamic(ex) => names_of(&self.eval(ex, row)?)?.iter().all(|name| own.contains(name)),
        })
    }

    /// Labels as they are written or computed.
    pub(crate) fn label_names(&self, labels: &[LabelEx], row: &mut Row) -> Result<Vec<Text>> {
        let mut names = Vec::with_capacity(labels.len());
        for label in labels {
            match label {
                LabelEx::Name(name) => names.push(name.clone()),
                LabelEx::Dynamic(ex) => names.extend(names_of(&self.eval(ex, row)?)?),
            }
        }
        Ok(names)
    }
}

/// Appends the edge labels of names, a parent's sub labels in its place; false where the types are not only names.
fn named(catalogue: &Catalogue, types: &Labels, out: &mut Vec<LabelId>) -> bool {
    match types {
        Labels::Name(name) => {
            let label = catalogue.edge_label_named(name);
            out.extend(label.into_iter().flat_map(|label| catalogue.edge_labels_under(label.id)));
            true
        }
        Labels::Or(all) => all.iter().all(|one| named(catalogue, one, out)),
        _ => false,
    }
}

/// The labels that a value names: a text, or a list of texts.
fn names_of(value: &cypher_value::Value) -> Result<Vec<Text>> {
    match value {
        cypher_value::Value::String(text) => Ok(vec![text.clone()]),
        cypher_value::Value::List(items) => {
            let mut names = Vec::with_capacity(items.len());
            for item in items.iter() {
                names.extend(names_of(item)?);
            }
            Ok(names)
        }
        other => {
            let message = format!("a label must be a STRING or a LIST of them, not {}", other.type_name());
            Err(Error::new(ErrorKind::TypeError, Detail::InvalidArgumentType, message))
        }
    }
}
