//! Which edges a traversal walks along.

use std::fmt;
use std::sync::Arc;

use graph_model::{Direction, LabelId, Properties, PropertyKeyId};

/// A condition on the properties of an element.
pub type Condition = Arc<dyn Fn(&Properties) -> bool + Send + Sync>;

/// A label, and what its elements must satisfy.
#[derive(Clone)]
pub struct LabelCondition {
    /// The label; for edges no parent.
    pub label: LabelId,
    /// `None`: any element of the label.
    pub condition: Option<Condition>,
}

/// One kind of step: which edges of a vertex to follow. The default follows every edge.
#[derive(Clone)]
pub struct Step {
    /// At which end of the edge the walk begins.
    pub direction: Direction,
    /// Only edges of these labels; empty: of any label.
    pub edges: Vec<LabelCondition>,
    /// What edges must satisfy, whatever their label.
    pub edge_condition: Option<Condition>,
    /// Only edges both of whose ends have one of these labels and satisfy its condition; empty: any.
    pub vertices: Vec<LabelCondition>,
    /// At most this many edges of one vertex are looked at, counted before conditions; `None`: all.
    pub max_degree: Option<u64>,
    /// A vertex with at least this many edges (counted before conditions) is not walked from; 0: no such bound.
    pub skip_degree: u64,
}

impl Default for Step {
    fn default() -> Self {
        Self {
            direction: Direction::Both,
            edges: Vec::new(),
            edge_condition: None,
            vertices: Vec::new(),
            max_degree: None,
            skip_degree: 0,
        }
    }
}

impl fmt::Debug for LabelCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LabelCondition")
            .field("label", &self.label)
            .field("condition", &self.condition.is_some())
            .finish()
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("direction", &self.direction)
            .field("edges", &self.edges)
            .field("edge_condition", &self.edge_condition.is_some())
            .field("vertices", &self.vertices)
            .field("max_degree", &self.max_degree)
            .field("skip_degree", &self.skip_degree)
            .finish()
    }
}

impl Step {
    /// The same step walked backwards.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { direction: self.direction.reversed(), ..self.clone() }
    }

    /// The labels of the edges to read, each once; `None`: all. Several conditions on one label are several entries of
    /// `edges`.
    pub(crate) fn labels(&self) -> Option<Vec<LabelId>> {
        let mut labels: Vec<LabelId> = self.edges.iter().map(|edges| edges.label).collect();
        labels.sort_unstable();
        labels.dedup();
        (!labels.is_empty()).then_some(labels)
    }

    /// How many edges of a vertex must be read to take the step.
    pub(crate) fn read_limit(&self) -> Option<u64> {
        if self.skip_degree > 0 { Some(self.skip_degree) } else { self.max_degree }
    }

    /// Those ends of a vertex's edges that are walked to: the first `max_degree`; none where the vertex is skipped for
    /// its degree.
    pub(crate) fn walked<'l>(&self, list: &'l [u32]) -> &'l [u32] {
        if self.skip_degree > 0 && list.len() as u64 >= self.skip_degree {
            return &[];
        }
        let most = self.max_degree.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
        list.get(..most).unwrap_or(list)
    }

    pub(crate) fn needs_edge_properties(&self) -> bool {
        self.edge_condition.is_some() || self.edges.iter().any(|edges| edges.condition.is_some())
    }

    pub(crate) fn accepts_edge(&self, label: LabelId, properties: &Properties) -> bool {
        let by_label = self.edges.is_empty()
            || self
                .edges
                .iter()
                .any(|edges| edges.label == label && edges.condition.as_ref().is_none_or(|holds| holds(properties)));
        by_label && self.edge_condition.as_ref().is_none_or(|holds| holds(properties))
    }

    pub(crate) fn accepts_vertex(&self, label: LabelId, properties: &Properties) -> bool {
        self.vertices.iter().any(|vertices| {
            vertices.label == label && vertices.condition.as_ref().is_none_or(|holds| holds(properties))
        })
    }
}

/// How long an edge is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// The numeric property that says so; `None`: every edge is as long as the default.
    pub key: Option<PropertyKeyId>,
    /// The length of an edge without the property, or whose property is no number.
    pub default: f64,
}

impl Weight {
    pub(crate) fn of(&self, properties: &Properties) -> f64 {
        use graph_model::Value;
        match self.key.and_then(|key| properties.get(key)) {
            Some(Value::Byte(number)) => f64::from(*number),
            Some(Value::Int(number)) => f64::from(*number),
            #[expect(
                clippy::cast_precision_loss,
                reason = "a weight is a floating-point number; beyond 2^53 the nearest one will do"
            )]
            Some(Value::Long(number)) => *number as f64,
            Some(Value::Float(number)) => f64::from(*number),
            Some(Value::Double(number)) => *number,
            _ => self.default,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_once_however_often_they_are_named() {
        let edges = [7, 2, 7, 2].map(|label| LabelCondition { label: LabelId(label), condition: None });
        let step = Step { edges: edges.to_vec(), ..Step::default() };
        assert_eq!(step.labels(), Some(vec![LabelId(2), LabelId(7)]));
        assert_eq!(Step::default().labels(), None);
    }
}
