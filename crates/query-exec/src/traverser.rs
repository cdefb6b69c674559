//! Traversers: values on their way through a plan, and what they carry.

use std::sync::Arc;

use graph_model::{Edge, Vertex};
use query_plan::Text;
use query_value::{Path, Pop, Value};

/// A value, how many times it stands for itself, and what is known of its way.
#[derive(Clone, Debug)]
pub(crate) struct Traverser {
    pub(crate) value: Value,
    pub(crate) bulk: u64,
    /// What was read of the element that is the value; none: not read yet, or no element.
    pub(crate) stored: Option<Stored>,
    /// What only some plans need.
    pub(crate) state: Option<Box<State>>,
}

/// An element as it is stored.
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    Vertex(Arc<Vertex>),
    Edge(Arc<Edge>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) path: Option<Arc<PathNode>>,
    pub(crate) sack: Option<Value>,
    pub(crate) rounds: Vec<Round>,
}

/// How often a loop has run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Round {
    pub(crate) name: Option<Text>,
    pub(crate) count: u32,
}

/// Labels that several objects share.
pub(crate) type Labels = Option<Arc<[Text]>>;

/// The last object of a path, with those before.
#[derive(Debug)]
pub(crate) struct PathNode {
    pub(crate) value: Value,
    pub(crate) labels: Labels,
    pub(crate) before: Option<Arc<Self>>,
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
    pub(crate) fn backwards(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |node| node.before.as_deref())
    }

    pub(crate) fn has(&self, label: &str) -> bool {
        self.labels.as_ref().is_some_and(|labels| labels.iter().any(|own| own == label))
    }

    pub(crate) fn to_path(&self) -> Path {
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
    pub(crate) fn new(value: Value) -> Self {
        Self { value, bulk: 1, stored: None, state: None }
    }

    /// Another value that comes from this one.
    pub(crate) fn with(&self, value: Value) -> Self {
        Self { value, bulk: self.bulk, stored: None, state: self.state.clone() }
    }

    /// The same, standing for itself once: what nested pipelines start with.
    pub(crate) fn single(&self) -> Self {
        Self { bulk: 1, ..self.clone() }
    }

    pub(crate) fn state_mut(&mut self) -> &mut State {
        self.state.get_or_insert_default()
    }

    pub(crate) fn path(&self) -> Option<&Arc<PathNode>> {
        self.state.as_ref().and_then(|state| state.path.as_ref())
    }

    pub(crate) fn sack(&self) -> Option<&Value> {
        self.state.as_ref().and_then(|state| state.sack.as_ref())
    }

    pub(crate) fn rounds(&self) -> &[Round] {
        self.state.as_ref().map_or(&[], |state| state.rounds.as_slice())
    }

    /// How often the innermost loop has run.
    pub(crate) fn round(&self) -> Option<u32> {
        self.rounds().last().map(|round| round.count)
    }

    /// Makes the value the last object of the path.
    pub(crate) fn push_path(&mut self, labels: Labels) {
        let value = self.value.clone();
        let state = self.state_mut();
        let before = state.path.take();
        state.path = Some(Arc::new(PathNode { value, labels, before }));
    }

    /// Adds labels to the last object of the path.
    pub(crate) fn relabel(&mut self, labels: &Arc<[Text]>) {
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
    pub(crate) fn labelled(&self, label: &str, pop: Option<Pop>) -> Option<Value> {
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
    pub(crate) fn merges(&self, other: &Self) -> bool {
        let path = |traverser: &Self| traverser.path().map(Arc::as_ptr);
        let (mine, theirs) = (path(self), path(other));
        mine == theirs && self.sack() == other.sack() && self.rounds() == other.rounds()
    }
}
