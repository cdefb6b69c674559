//! Traversers: values on their way through a plan, and what they carry.

use std::sync::Arc;

use graph_model::{Edge, Vertex};
use query_plan::Text;
use query_value::{Path, Pop, Value};

/// A value, how many times it stands for itself, and what is known of its way.
#[derive(Clone, Debug)]
pub struct Traverser {
    /// What it is at.
    pub value: Value,
    /// How many times it stands for itself.
    pub bulk: u64,
    /// What was read of the element that is the value; none: not read yet, or no element.
    pub stored: Option<Stored>,
    /// What only some plans need.
    pub state: Option<Box<State>>,
}

/// An element as it is stored.
#[derive(Clone, Debug)]
pub enum Stored {
    /// A vertex.
    Vertex(Arc<Vertex>),
    /// An edge.
    Edge(Arc<Edge>),
}

/// What a traverser carries besides its value.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Its path, as far as the plan keeps it.
    pub path: Option<Arc<PathNode>>,
    /// Its sack.
    pub sack: Option<Value>,
    /// The loops it is in, the innermost last.
    pub rounds: Vec<Round>,
}

/// How often a loop has run.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The name of the loop.
    pub name: Option<Text>,
    /// Its rounds so far.
    pub count: u32,
}

/// Labels that several objects share.
pub type Labels = Option<Arc<[Text]>>;

/// The last object of a path, with those before.
#[derive(Debug)]
pub struct PathNode {
    /// The object.
    pub value: Value,
    /// Its labels.
    pub labels: Labels,
    /// The objects before it.
    pub before: Option<Arc<Self>>,
}

impl Drop for PathNode {
    /// Without recursion: paths may be long.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(node) = next {
            next = Arc::try_unwrap(node).ok().and_then(|mut node| node.before.take());
        }
    }
}

impl PathNode {
    /// This object and those before, from the last to the first.
    pub fn backwards(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |node| node.before.as_deref())
    }

    /// Whether the object has a label.
    pub fn has(&self, label: &str) -> bool {
        self.labels.as_ref().is_some_and(|labels| labels.iter().any(|own| own == label))
    }

    /// The path as a value has it.
    pub fn to_path(&self) -> Path {
        let mut path = Path::default();
        for node in self.backwards() {
            path.push(node.value.clone(), node.labels.as_ref().map(|labels| labels.to_vec()).unwrap_or_default());
        }
        path.objects.reverse();
        path.labels.reverse();
        path
    }
}

impl Traverser {
    /// A traverser at a value, without a history.
    pub fn new(value: Value) -> Self {
        Self { value, bulk: 1, stored: None, state: None }
    }

    /// Another value that comes from this one.
    pub fn with(&self, value: Value) -> Self {
        Self { value, bulk: self.bulk, stored: None, state: self.state.clone() }
    }

    /// The same, standing for itself once: what nested pipelines start with.
    pub fn single(&self) -> Self {
        Self { bulk: 1, ..self.clone() }
    }

    /// What it carries, to be changed.
    pub fn state_mut(&mut self) -> &mut State {
        self.state.get_or_insert_default()
    }

    /// The last object of its path.
    pub fn path(&self) -> Option<&Arc<PathNode>> {
        self.state.as_ref().and_then(|state| state.path.as_ref())
    }

    /// Its sack.
    pub fn sack(&self) -> Option<&Value> {
        self.state.as_ref().and_then(|state| state.sack.as_ref())
    }

    /// The loops it is in.
    pub fn rounds(&self) -> &[Round] {
        self.state.as_ref().map_or(&[], |state| state.rounds.as_slice())
    }

    /// How often the innermost loop has run.
    pub fn round(&self) -> Option<u32> {
        self.rounds().last().map(|round| round.count)
    }

    /// Makes the value the last object of the path.
    pub fn push_path(&mut self, labels: Labels) {
        let value = self.value.clone();
        let state = self.state_mut();
        let before = state.path.take();
        state.path = Some(Arc::new(PathNode { value, labels, before }));
    }

    /// Adds labels to the last object of the path.
    pub fn relabel(&mut self, labels: &Arc<[Text]>) {
        let value = self.value.clone();
        let state = self.state_mut();
        let Some(last) = state.path.take() else {
            state.path = Some(Arc::new(PathNode { value, labels: Some(Arc::clone(labels)), before: None }));
            return;
        };
        let mut all = last.labels.as_ref().map(|labels| labels.to_vec()).unwrap_or_default();
        all.extend(labels.iter().filter(|label| !last.has(label)).cloned().collect::<Vec<_>>());
        let node = PathNode { value: last.value.clone(), labels: Some(all.into()), before: last.before.clone() };
        state.path = Some(Arc::new(node));
    }

    /// The values of a label in the path, as `pop` wants them; none if the path has no such label.
    pub fn labelled(&self, label: &str, pop: Option<Pop>) -> Option<Value> {
        let path = self.path()?;
        let mut found = path.backwards().filter(|node| node.has(label)).map(|node| &node.value);
        match pop {
            Some(Pop::Last) => found.next().cloned(),
            Some(Pop::First) => found.last().cloned(),
            Some(Pop::All | Pop::Mixed) | None => {
                let mut all: Vec<Value> = found.cloned().collect();
                all.reverse();
                match all.len() {
                    0 => None,
                    1 if pop != Some(Pop::All) => all.pop(),
                    _ => Some(Value::from(all)),
                }
            }
        }
    }

    /// Whether two equal traversers may be counted as one.
    pub fn merges(&self, other: &Self) -> bool {
        let path = |traverser: &Self| traverser.path().map(Arc::as_ptr);
        let (mine, theirs) = (path(self), path(other));
        mine == theirs && self.sack() == other.sack() && self.rounds() == other.rounds()
    }
}
