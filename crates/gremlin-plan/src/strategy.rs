//! Strategies: what they forbid, filter and add.

use gremlin::{ByKey, Op as Call, Step, Strategy, Traversal, Value as Given};
use query_plan::{
    Argument, Node, Op, OpFacts as _, Pipeline, PipelineFacts as _, Plan, PlanError, PropertyChange, Target, Text,
};
use query_value::{Direction, GType, Predicate, Value};

/// What the strategies of a source ask for.
#[derive(Debug, Default)]
pub(crate) struct Strategies {
    is_read_only: bool,
    vertices: Option<Pipeline>,
    edges: Option<Pipeline>,
    properties: Option<Pipeline>,
    checks_ends: bool,
    partition: Option<Partition>,
    /// Keys whose modulators always yield something; none: of all keys.
    productive: Option<Vec<Text>>,
    needs_labels: bool,
    reserved: Vec<Text>,
    /// Whether a graph computer is asked for: the query runs as any other.
    pub(crate) uses_computer: bool,
    forbids_computer: bool,
    /// Whether `a.or().b` is left as it is written.
    is_unconnected: bool,
}

#[derive(Debug)]
struct Partition {
    key: Text,
    write: Option<Text>,
    with_meta: bool,
}

fn option<'s>(strategy: &'s Strategy, name: &str) -> Option<&'s Given> {
    strategy.options.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

fn texts(value: Option<&Given>) -> Vec<Text> {
    match value {
        Some(Given::List(items) | Given::Set(items)) => {
            items.iter().filter_map(Given::as_text).map(Text::from).collect()
        }
        _ => Vec::new(),
    }
}

impl Strategies {
    pub(crate) fn add(
        &mut self,
        strategy: &Strategy,
        plan: &mut Plan,
        child: &dyn Fn(&Traversal) -> Result<Pipeline, PlanError>,
    ) -> Result<(), PlanError> {
        let filter = |name: &str| match option(strategy, name) {
            Some(Given::Traversal(traversal)) => child(traversal).map(Some),
            _ => Ok(None),
        };
        let is_true = |name: &str| matches!(option(strategy, name), Some(Given::Boolean(true)));
        match strategy.name.as_str() {
            "ReadOnlyStrategy" => self.is_read_only = true,
            "SubgraphStrategy" => {
                self.vertices = filter("vertices")?;
                self.edges = filter("edges")?;
                self.properties = filter("vertexProperties")?;
                self.checks_ends = !matches!(option(strategy, "checkAdjacentVertices"), Some(Given::Boolean(false)));
            }
            "PartitionStrategy" => {
                let key = option(strategy, "partitionKey").and_then(Given::as_text).map(Text::from);
                let key = key.ok_or_else(|| PlanError::new("The partitionKey cannot be null"))?;
                let read: Vec<Value> =
                    texts(option(strategy, "readPartitions")).into_iter().map(Value::String).collect();
                let test = || {
                    only(
                        Op::Has(Target::Property(key.clone()), Predicate::Within(read.iter().cloned().collect())),
                        "has",
                    )
                };
                let with_meta = is_true("includeMetaProperties");
                (self.vertices, self.edges) = (Some(test()), Some(test()));
                if with_meta {
                    self.properties = Some(test());
                }
                let write = option(strategy, "writePartition").and_then(Given::as_text).map(Text::from);
                self.partition = Some(Partition { key, write, with_meta });
            }
            "ProductiveByStrategy" => self.productive = Some(texts(option(strategy, "productiveKeys"))),
            "EdgeLabelVerificationStrategy" => self.needs_labels = is_true("throwException"),
            "ReservedKeysVerificationStrategy" if is_true("throwException") => {
                self.reserved = texts(option(strategy, "keys"));
                if self.reserved.is_empty() {
                    self.reserved = vec!["id".into(), "label".into()];
                }
            }
            "SeedStrategy" => plan.seed = option(strategy, "seed").and_then(Given::as_i64),
            "VertexProgramStrategy" => self.uses_computer = true,
            "VertexProgramRestrictionStrategy" => self.forbids_computer = true,
            // Others tune TinkerPop's own execution, or hold options for servers.
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, strategy: &Strategy) {
        match strategy.name.as_str() {
            "ReadOnlyStrategy" => self.is_read_only = false,
            "SubgraphStrategy" | "PartitionStrategy" => {
                (self.vertices, self.edges, self.properties, self.partition) = (None, None, None, None);
            }
            "ProductiveByStrategy" => self.productive = None,
            "EdgeLabelVerificationStrategy" => self.needs_labels = false,
            "ReservedKeysVerificationStrategy" => self.reserved.clear(),
            "VertexProgramStrategy" => self.uses_computer = false,
            "VertexProgramRestrictionStrategy" => self.forbids_computer = false,
            "ConnectiveStrategy" => self.is_unconnected = true,
            _ => {}
        }
    }

    /// Refuses what a strategy forbids.
    pub(crate) fn verify(&self, traversal: &Traversal, plan: &Plan) -> Result<(), PlanError> {
        if self.is_read_only && plan.root.any(&mut |node| node.op.is_write()) {
            return Err(PlanError::new("The provided traversal has a mutating step and thus is not read only"));
        }
        if self.uses_computer && self.forbids_computer {
            return Err(PlanError::new("The TraversalSource does not allow the use of a GraphComputer"));
        }
        if self.needs_labels && has_bare_step(&traversal.steps) {
            return Err(PlanError::new(
                "The provided traversal contains a vertex step without any specified edge label: name the labels",
            ));
        }
        Ok(())
    }

    /// Refuses a property key that a strategy reserves.
    pub(crate) fn check_key(&self, key: &Given) -> Result<(), PlanError> {
        match key.as_text() {
            Some(key) if self.reserved.iter().any(|reserved| reserved == key) => {
                let message = format!("The provided traversal is setting a property key to a reserved word: {key}");
                Err(PlanError::new(message))
            }
            _ => Ok(()),
        }
    }

    /// Whether a modulator that yields nothing yields null.
    pub(crate) fn is_productive(&self, key: &ByKey) -> bool {
        match (&self.productive, key) {
            (None, _) | (_, ByKey::Identity | ByKey::Token(_) | ByKey::Column(_)) => false,
            (Some(keys), ByKey::Property(key)) => keys.is_empty() || !keys.contains(key),
            (Some(_), ByKey::Traversal(_)) => true,
        }
    }

    pub(crate) fn filter_vertices(&self, nodes: &mut Vec<Node>) {
        nodes.extend(self.vertices.clone().map(|filter| Node::new(Op::Filter(filter), "filter")));
    }

    pub(crate) fn filter_edges(&self, nodes: &mut Vec<Node>) {
        nodes.extend(self.edge_filter().map(|filter| Node::new(Op::Filter(filter), "filter")));
    }

    /// What edges must yield: their own filter, and that of both ends.
    pub(crate) fn edge_filter(&self) -> Option<Pipeline> {
        let mut all: Vec<Pipeline> = self.edges.clone().into_iter().collect();
        if let Some(vertices) = self.vertices.as_ref().filter(|_| self.checks_ends) {
            for end in [Direction::Out, Direction::In] {
                let mut pipeline = only(Op::Ends(end), "toV");
                pipeline.nodes.extend(vertices.nodes.iter().cloned());
                all.push(pipeline);
            }
        }
        match all.len() {
            0 => None,
            1 => all.pop(),
            _ => Some(only(Op::And(all), "and")),
        }
    }

    /// Whether `a.or().b` is `or(a, b)`.
    pub(crate) fn connects(&self) -> bool {
        !self.is_unconnected
    }

    /// What properties of vertices must yield; others pass.
    pub(crate) fn property_filter(&self) -> Option<Pipeline> {
        let others = || {
            let is_own = only(Op::Is(Predicate::TypeOf(GType::VertexProperty)), "is");
            only(Op::Not(is_own), "not")
        };
        self.properties.clone().map(|filter| only(Op::Or(vec![others(), filter]), "or"))
    }

    /// Properties that every new element gets.
    pub(crate) fn added(&self) -> Vec<PropertyChange> {
        let change = |(key, value): (Value, Value)| PropertyChange {
            cardinality: None,
            key: Argument::Value(key),
            value: Some(Argument::Value(value)),
            meta: Vec::new(),
        };
        self.added_pairs().into_iter().map(change).collect()
    }

    /// The same as pairs.
    pub(crate) fn added_pairs(&self) -> Vec<(Value, Value)> {
        let pair = |partition: &Partition| {
            let write = partition.write.clone()?;
            Some((Value::String(partition.key.clone()), Value::String(write)))
        };
        self.partition.as_ref().and_then(pair).into_iter().collect()
    }

    /// Properties that every new property gets.
    pub(crate) fn added_meta(&self) -> Vec<(Argument, Argument)> {
        match &self.partition {
            Some(Partition { with_meta: true, .. }) => {
                let pairs = self.added_pairs().into_iter();
                pairs.map(|(key, value)| (Argument::Value(key), Argument::Value(value))).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Whether a step to neighbours or edges names no label.
fn has_bare_step(steps: &[Step]) -> bool {
    steps.iter().any(|step| match &step.op {
        Call::To { labels, .. } | Call::ToE { labels, .. } => labels.is_empty(),
        _ => false,
    })
}

/// A pipeline of one operator.
fn only(op: Op, name: &str) -> Pipeline {
    Pipeline::new(vec![Node::new(op, name)])
}
