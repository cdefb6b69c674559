//! How deep values are nested.

use super::{Tree, Value};

impl Value {
    /// Whether no value lies more than a number of levels inside this one; a scalar is at level 0. Takes time in
    /// proportion to the items, and stops at the first value that is too deep.
    #[must_use]
    pub fn is_nested_within(&self, levels: usize) -> bool {
        let mut pending = vec![(self, levels)];
        while let Some((value, levels)) = pending.pop() {
            let mut inside: Vec<&Self> = Vec::new();
            let is_tree_within = match value {
                Self::List(items) => {
                    inside.extend(items.iter().filter(|item| item.is_composite()));
                    true
                }
                Self::Set(items) => {
                    inside.extend(items.iter().filter(|item| item.is_composite()));
                    true
                }
                Self::BulkSet(items) => {
                    inside.extend(items.keys().filter(|item| item.is_composite()));
                    true
                }
                Self::Map(pairs) => {
                    inside
                        .extend(pairs.iter().flat_map(|(key, value)| [key, value]).filter(|item| item.is_composite()));
                    true
                }
                Self::Entry(pair) => {
                    inside.extend([&pair.0, &pair.1]);
                    true
                }
                Self::Path(path) => {
                    inside.extend(path.objects.iter().filter(|item| item.is_composite()));
                    true
                }
                Self::VertexProperty(property) => {
                    inside.push(&property.value);
                    inside.extend(property.meta.iter().map(|meta| &meta.value));
                    true
                }
                Self::Property(property) => {
                    inside.push(&property.value);
                    true
                }
                Self::Tree(tree) => tree_is_within(tree, levels, &mut pending),
                _ => continue,
            };
            let Some(left) = levels.checked_sub(1).filter(|_| is_tree_within) else { return false };
            pending.extend(inside.into_iter().map(|item| (item, left)));
        }
        true
    }

    /// Whether values may lie inside, properties of vertices and edges aside: they are stored values, whose nesting is
    /// bounded where they are written.
    fn is_composite(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Set(_)
                | Self::BulkSet(_)
                | Self::Map(_)
                | Self::Entry(_)
                | Self::Path(_)
                | Self::VertexProperty(_)
                | Self::Property(_)
                | Self::Tree(_)
        )
    }
}

/// Walks a tree without recursion; its keys become pending.
fn tree_is_within<'v>(tree: &'v Tree, levels: usize, pending: &mut Vec<(&'v Value, usize)>) -> bool {
    let mut trees = vec![(tree, levels)];
    while let Some((tree, levels)) = trees.pop() {
        let Some(left) = levels.checked_sub(1) else { return false };
        for (key, subtree) in &tree.0 {
            pending.push((key, left));
            if !subtree.0.is_empty() {
                trees.push((subtree, left));
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::Tree;
    use super::*;

    #[test]
    fn nesting_is_counted() {
        let mut value = Value::Int(1);
        for level in 0..5 {
            assert!(value.is_nested_within(level));
            assert!(level == 0 || !value.is_nested_within(level - 1));
            value = if level % 2 == 0 { Value::list([value]) } else { Value::map([(Value::Null, value)]) };
        }
        let tree = Tree(
            [(Value::Int(1), Tree([(Value::Int(2), Tree::default())].into_iter().collect()))].into_iter().collect(),
        );
        assert!(Value::from(tree.clone()).is_nested_within(2));
        assert!(!Value::from(tree).is_nested_within(1));
    }
}
