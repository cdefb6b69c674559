//! Results as clients get them: elements with their labels and properties.

use std::sync::Arc;

use cypher_value::{Node, Path, Relationship, Value};

use super::Cx;
use crate::Result;

impl Cx<'_, '_> {
    /// Gives the elements in results their content, those in collections too.
    pub(crate) fn complete(&self, rows: &mut [Vec<Value>]) -> Result<()> {
        let (mut nodes, mut relationships) = (Vec::new(), Vec::new());
        for value in rows.iter().flatten() {
            collect(value, &mut nodes, &mut relationships);
        }
        if nodes.is_empty() && relationships.is_empty() {
            return Ok(());
        }
        self.store.load_nodes(nodes.iter())?;
        self.store.load_relationships(relationships.iter())?;
        for value in rows.iter_mut().flatten() {
            self.replace(value)?;
        }
        Ok(())
    }

    fn replace(&self, value: &mut Value) -> Result<()> {
        match value {
            Value::Node(node) => *node = self.store.complete_node(node)?,
            Value::Relationship(relationship) => *relationship = self.store.complete_relationship(relationship)?,
            Value::Path(path) => {
                let nodes = path.nodes.iter().map(|node| self.store.complete_node(node)).collect::<Result<_>>()?;
                let relationships = path.relationships.iter().map(|own| self.store.complete_relationship(own));
                let relationships = relationships.collect::<Result<_>>()?;
                *path = Arc::new(Path { nodes, relationships });
            }
            Value::List(items) if items.iter().any(holds_elements) => {
                Arc::make_mut(items).iter_mut().try_for_each(|item| self.replace(item))?;
            }
            Value::Map(map) if map.values().any(holds_elements) => {
                Arc::make_mut(map).values_mut().try_for_each(|item| self.replace(item))?;
            }
            _ => {}
        }
        Ok(())
    }
}

fn holds_elements(value: &Value) -> bool {
    match value {
        Value::Node(_) | Value::Relationship(_) | Value::Path(_) => true,
        Value::List(items) => items.iter().any(holds_elements),
        Value::Map(map) => map.values().any(holds_elements),
        _ => false,
    }
}

fn collect(value: &Value, nodes: &mut Vec<Arc<Node>>, relationships: &mut Vec<Arc<Relationship>>) {
    match value {
        Value::Node(node) => nodes.push(Arc::clone(node)),
        Value::Relationship(relationship) => relationships.push(Arc::clone(relationship)),
        Value::Path(path) => {
            nodes.extend(path.nodes.iter().cloned());
            relationships.extend(path.relationships.iter().cloned());
        }
        Value::List(items) => items.iter().for_each(|item| collect(item, nodes, relationships)),
        Value::Map(map) => map.values().for_each(|item| collect(item, nodes, relationships)),
        _ => {}
    }
}
