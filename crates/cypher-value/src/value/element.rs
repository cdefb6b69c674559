//! Elements of a graph as values: named by their ids, with their content once it has been read.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smol_str::format_smolstr;

use super::{ElementId, Map, Node, Path, Relationship, Value};
use crate::text::Text;

impl ElementId {
    /// The id as text.
    pub fn text(&self) -> Text {
        match self {
            Self::Text(text) => text.clone(),
            other => format_smolstr!("{other}"),
        }
    }
}

impl fmt::Display for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Uuid(bits) => {
                let part = |shift: u32, digits: u32| (bits >> shift) & ((1 << (4 * digits)) - 1);
                write!(
                    f,
                    "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                    part(96, 8),
                    part(80, 4),
                    part(64, 4),
                    part(48, 4),
                    part(0, 12)
                )
            }
        }
    }
}

impl Node {
    /// A node named by its id, whose content has not been read and whose text of the id is the plain one.
    pub fn reference(id: ElementId) -> Self {
        Self { element_id: id.text(), id, content: None, number: None }
    }

    /// The labels; none if they have not been read.
    pub fn labels(&self) -> &[Text] {
        self.content.as_ref().map_or(&[], |content| &content.labels)
    }

    /// The properties, if they have been read.
    pub fn properties(&self) -> Option<&Map> {
        self.content.as_ref().map(|content| &*content.properties)
    }
}

impl Relationship {
    /// The properties, if they have been read.
    pub fn properties(&self) -> Option<&Map> {
        self.properties.as_deref()
    }
}

impl Path {
    /// A path of one node.
    pub fn of(node: Arc<Node>) -> Self {
        Self { nodes: vec![node], relationships: Vec::new() }
    }

    /// How many relationships it has.
    pub fn len(&self) -> usize {
        self.relationships.len()
    }

    /// Whether it has no relationship.
    pub fn is_empty(&self) -> bool {
        self.relationships.is_empty()
    }

    /// The first node.
    pub fn start(&self) -> Option<&Arc<Node>> {
        self.nodes.first()
    }

    /// The last node.
    pub fn end(&self) -> Option<&Arc<Node>> {
        self.nodes.last()
    }

    /// Nodes and relationships in turn.
    pub fn elements(&self) -> impl Iterator<Item = Value> + '_ {
        self.nodes.iter().enumerate().flat_map(|(position, node)| {
            let before = position.checked_sub(1).and_then(|before| self.relationships.get(before));
            let before = before.map(|relationship| Value::Relationship(Arc::clone(relationship)));
            before.into_iter().chain([Value::Node(Arc::clone(node))])
        })
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl PartialEq for Relationship {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Relationship {}

impl Hash for Relationship {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes && self.relationships == other.relationships
    }
}

impl Eq for Path {}

impl Hash for Path {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nodes.hash(state);
        self.relationships.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_usual_texts() {
        assert_eq!(ElementId::Number(-7).text(), "-7");
        assert_eq!(ElementId::Text("1:marko".into()).text(), "1:marko");
        let uuid = ElementId::Uuid(0x1234_5678_9abc_def0_1234_5678_9abc_def0);
        assert_eq!(uuid.text(), "12345678-9abc-def0-1234-56789abcdef0");
    }

    #[test]
    fn a_path_gives_nodes_and_relationships_in_turn() {
        let (a, b) = (Arc::new(Node::reference(ElementId::Number(1))), Arc::new(Node::reference(ElementId::Number(2))));
        let between = Arc::new(Relationship {
            id: ElementId::Number(3),
            element_id: "3".into(),
            kind: "KNOWS".into(),
            start: Arc::clone(&b),
            end: Arc::clone(&a),
            properties: None,
        });
        let path = Path { nodes: vec![Arc::clone(&a), Arc::clone(&b)], relationships: vec![Arc::clone(&between)] };
        assert_eq!(path.elements().collect::<Vec<_>>(), [a.into(), between.into(), b.into()]);
    }
}
