//! Vertices as consecutive numbers, and sets and maps over them.

use adjacency::NumberMap;
use graph_access::NumberedRead;
use graph_model::VertexId;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// Number of a vertex within one traversal, in the order of first appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub(crate) u32);

impl Node {
    /// Its place in a list of all nodes.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The vertices met so far.
pub(crate) enum Nodes<'g> {
    /// Of a graph that is read by ids.
    ById(IndexSet<VertexId, FxBuildHasher>),
    /// Of a graph whose vertices have numbers: these are not consecutive within the traversal.
    ByNumber {
        graph: &'g dyn NumberedRead,
        /// The graph's number of each node.
        numbers: Vec<u32>,
        /// The node of each number met.
        nodes: NumberMap,
    },
}

impl<'g> Nodes<'g> {
    /// Nodes beyond this have no number: the upper half of `u32` marks vertices a reader has met but not numbered.
    pub(crate) const MAX: u32 = 1 << 31;

    /// None yet.
    pub(crate) fn new(numbered: Option<&'g dyn NumberedRead>) -> Self {
        match numbered {
            None => Self::ById(IndexSet::default()),
            Some(graph) => Self::ByNumber { graph, numbers: Vec::new(), nodes: NumberMap::default() },
        }
    }

    /// The same nodes of a graph that is read by ids from now on.
    pub(crate) fn by_ids(self) -> Self {
        let Self::ByNumber { graph, numbers, .. } = &self else { return self };
        // Every number of a node is one the graph gave, and no two are of the same vertex.
        Self::ById(numbers.iter().filter_map(|number| graph.id(*number).cloned()).collect())
    }

    /// The graph by numbers, where it has them.
    pub(crate) fn numbered(&self) -> Option<&'g dyn NumberedRead> {
        match self {
            Self::ById(_) => None,
            Self::ByNumber { graph, .. } => Some(*graph),
        }
    }

    /// The number of a vertex, given on first sight; `None` when there are no numbers left. Says whether it is new.
    pub(crate) fn number(&mut self, id: VertexId) -> Option<(Node, bool)> {
        match self {
            Self::ById(ids) => {
                let (at, new) = ids.insert_full(id);
                u32::try_from(at).ok().filter(|at| *at < Self::MAX).map(|at| (Node(at), new))
            }
            Self::ByNumber { graph, .. } => graph.number(&id).map(|number| self.of_number(number)),
        }
    }

    /// The node of a graph's number, and whether it is new. Only where the graph has numbers.
    #[inline]
    pub(crate) fn of_number(&mut self, number: u32) -> (Node, bool) {
        let Self::ByNumber { numbers, nodes, .. } = self else { return (Node(Self::MAX), false) };
        // Not more than there are numbers of the graph, which are fewer than `MAX`.
        let next = u32::try_from(numbers.len()).unwrap_or(Self::MAX);
        let (node, new) = nodes.get_or_insert(number, next);
        if new {
            numbers.push(number);
        }
        (Node(node), new)
    }

    /// Tells the node of each of some numbers. As [`Self::of_number`] for each of them.
    #[inline]
    pub(crate) fn of_numbers(&mut self, of: &[u32], mut tell: impl FnMut(Node)) {
        let Self::ByNumber { numbers, nodes, .. } = self else { return };
        // Room for all of them first: what follows runs once for each edge of a walk.
        numbers.reserve(of.len());
        let mut next = u32::try_from(numbers.len()).unwrap_or(Self::MAX);
        for number in of {
            let (node, new) = nodes.get_or_insert(*number, next);
            if new {
                numbers.push(*number);
                next = next.wrapping_add(1);
            }
            tell(Node(node));
        }
    }

    /// The graph's number of a node.
    pub(crate) fn number_of(&self, node: Node) -> Option<u32> {
        match self {
            Self::ById(_) => None,
            Self::ByNumber { numbers, .. } => numbers.get(node.index()).copied(),
        }
    }

    /// The number of a vertex met before.
    pub(crate) fn find(&self, id: &VertexId) -> Option<Node> {
        match self {
            Self::ById(ids) => ids.get_index_of(id).and_then(|at| u32::try_from(at).ok()).map(Node),
            Self::ByNumber { graph, nodes, .. } => {
                graph.known_number(id).and_then(|number| nodes.get(number)).map(Node)
            }
        }
    }

    /// The vertex of a number.
    pub(crate) fn id(&self, node: Node) -> Option<&VertexId> {
        match self {
            Self::ById(ids) => ids.get_index(node.index()),
            Self::ByNumber { graph, .. } => graph.id(self.number_of(node)?),
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::ById(ids) => ids.len(),
            Self::ByNumber { numbers, .. } => numbers.len(),
        }
    }

    /// Bytes of arrays whose size depends on the largest number, not on how many nodes there are.
    pub(crate) fn array_bytes(&self) -> usize {
        match self {
            Self::ById(_) => 0,
            Self::ByNumber { nodes, .. } => nodes.array_bytes(),
        }
    }
}

/// Bytes an id takes in addition to itself.
pub(crate) fn heap_bytes(id: &VertexId) -> usize {
    match id {
        VertexId::String(text) if text.is_heap_allocated() => text.capacity(),
        _ => 0,
    }
}

/// A set of nodes: a bit for each number up to the largest.
#[derive(Clone, Debug, Default)]
pub struct NodeSet {
    words: Vec<u64>,
    len: usize,
}

impl NodeSet {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a node in; says whether it was not there yet.
    pub fn insert(&mut self, node: Node) -> bool {
        let (word, bit) = (node.index() / 64, 1u64 << (node.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        match self.words.get_mut(word) {
            Some(slot) if *slot & bit == 0 => {
                *slot |= bit;
                self.len += 1;
                true
            }
            _ => false,
        }
    }

    /// Whether a node is in.
    #[must_use]
    pub fn contains(&self, node: Node) -> bool {
        self.words.get(node.index() / 64).is_some_and(|word| word & (1 << (node.index() % 64)) != 0)
    }

    /// How many nodes are in.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none is in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl FromIterator<Node> for NodeSet {
    fn from_iter<I: IntoIterator<Item = Node>>(nodes: I) -> Self {
        let mut set = Self::new();
        for node in nodes {
            set.insert(node);
        }
        set
    }
}

/// A value for each node, in a list with a place for each number up to the largest.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeMap<T> {
    slots: Vec<Option<T>>,
}

impl<T> NodeMap<T> {
    /// An empty map.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self { slots: Vec::new() }
    }

    /// The value of a node.
    #[must_use]
    pub(crate) fn get(&self, node: Node) -> Option<&T> {
        self.slots.get(node.index())?.as_ref()
    }

    /// The value of a node, to change.
    pub(crate) fn get_mut(&mut self, node: Node) -> Option<&mut T> {
        self.slots.get_mut(node.index())?.as_mut()
    }

    /// Whether a node has a value.
    #[must_use]
    pub(crate) fn contains(&self, node: Node) -> bool {
        self.get(node).is_some()
    }

    /// Sets the value of a node and returns the one before.
    pub(crate) fn insert(&mut self, node: Node, value: T) -> Option<T> {
        if self.slots.len() <= node.index() {
            self.slots.resize_with(node.index() + 1, || None);
        }
        self.slots.get_mut(node.index()).and_then(|slot| slot.replace(value))
    }

    /// The value of a node, `make`'s where it has none yet.
    pub(crate) fn get_or_insert_with(&mut self, node: Node, make: impl FnOnce() -> T) -> &mut T {
        if self.slots.len() <= node.index() {
            self.slots.resize_with(node.index() + 1, || None);
        }
        #[expect(clippy::indexing_slicing, reason = "the line above made the place")]
        self.slots[node.index()].get_or_insert_with(make)
    }

    /// Nodes and values in the order of the numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Node, &T)> {
        (0u32..).zip(&self.slots).filter_map(|(number, slot)| slot.as_ref().map(|value| (Node(number), value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_get_consecutive_numbers_once() {
        let mut nodes = Nodes::new(None);
        let number = |nodes: &mut Nodes<'_>, id: i64| nodes.number(VertexId::Number(id)).unwrap();
        assert_eq!(number(&mut nodes, 7), (Node(0), true));
        assert_eq!(number(&mut nodes, 3), (Node(1), true));
        assert_eq!(number(&mut nodes, 7), (Node(0), false));
        assert_eq!(nodes.find(&VertexId::Number(3)), Some(Node(1)));
        assert_eq!(nodes.find(&VertexId::String("3".into())), None);
        assert_eq!(nodes.id(Node(1)), Some(&VertexId::Number(3)));
        assert_eq!(nodes.id(Node(2)), None);
    }

    #[test]
    fn sets_and_maps_grow() {
        let mut set = NodeSet::new();
        assert!(set.insert(Node(200)) && set.insert(Node(3)) && !set.insert(Node(200)));
        assert_eq!((set.len(), set.contains(Node(200)), set.contains(Node(199))), (2, true, false));
        let mut map = NodeMap::new();
        assert_eq!(map.insert(Node(5), 'a'), None);
        assert_eq!(map.insert(Node(5), 'b'), Some('a'));
        *map.get_or_insert_with(Node(9), || 'x') = 'c';
        assert_eq!(map.iter().collect::<Vec<_>>(), [(Node(5), &'b'), (Node(9), &'c')]);
        assert!(!map.contains(Node(6)));
    }
}
