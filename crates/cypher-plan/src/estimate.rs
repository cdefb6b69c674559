//! How many rows steps are likely to give.

use std::collections::{HashMap, HashSet};

use cypher::ast::BinaryOp;
use cypher_value::{Text, Value};

use crate::plan::{Ex, Expand, HopKind, Join, JoinRows, Labels, Plan, Slot, Step, Walk};
use crate::statistics::Statistics;

/// The part of rows that meets a condition of which nothing is known.
const UNKNOWN: f64 = 0.5;
/// The part that is less or more than something.
const RANGE: f64 = 0.3;
/// The part whose text begins with, ends with or contains another.
const TEXT: f64 = 0.1;
/// The part that has no value.
const NULL: f64 = 0.1;
/// Items of a list of which nothing is known.
pub(crate) const ITEMS: f64 = 10.0;
/// Relationships in a row beyond which paths are not thought to become more.
const LENGTH_MAX: u64 = 3;

/// What is known of the nodes of a pattern, and the figures of the graph.
pub(crate) struct Estimates<'s> {
    statistics: &'s dyn Statistics,
    labels: HashMap<Slot, Labels>,
    /// Keys by whose values nodes were found: their conditions hold.
    sought: Vec<(Slot, Text)>,
    /// Nodes that are known before, of which no label need be known.
    bound: HashSet<Slot>,
}

impl<'s> Estimates<'s> {
    pub(crate) fn new(statistics: &'s dyn Statistics) -> Self {
        Self { statistics, labels: HashMap::new(), sought: Vec::new(), bound: HashSet::new() }
    }

    pub(crate) fn statistics(&self) -> &'s dyn Statistics {
        self.statistics
    }

    /// A node is known before.
    pub(crate) fn bind(&mut self, slot: Slot) {
        self.bound.insert(slot);
    }

    /// A node has labels.
    pub(crate) fn learn(&mut self, slot: Slot, labels: &Labels) {
        match self.labels.remove(&slot) {
            Some(own) if format!("{own:?}") != format!("{labels:?}") => {
                self.labels.insert(slot, Labels::And(vec![own, labels.clone()]));
            }
            _ => {
                self.labels.insert(slot, labels.clone());
            }
        }
    }

    /// What conditions say of labels.
    pub(crate) fn learn_of(&mut self, ex: &Ex) {
        if let Ex::HasLabels(of, labels) = ex
            && let Ex::Slot(slot) = **of
        {
            self.learn(slot, labels);
        }
    }

    pub(crate) fn labels(&self, slot: Slot) -> Option<&Labels> {
        self.labels.get(&slot)
    }

    pub(crate) fn nodes(&self, slot: Slot) -> f64 {
        self.statistics.nodes(self.labels(slot))
    }

    /// Relationships of a node that lead to nodes such as another one.
    pub(crate) fn degree(&self, expand: &Expand) -> f64 {
        let (from, to) = (self.labels(expand.from), self.labels(expand.to));
        let (direction, types) = (expand.direction, expand.types.as_ref());
        let degree = self.statistics.degree(from, direction, types, to);
        if from.is_some() || !self.bound.contains(&expand.from) {
            return degree;
        }
        // A node of which no label is known is likely to be one that can have such relationships.
        degree * self.statistics.nodes(None) / self.statistics.linkable(direction, types, to).max(1.0)
    }

    /// Rows that an expansion gives for each.
    pub(crate) fn expanded(&self, expand: &Expand) -> f64 {
        let degree = self.degree(expand);
        if expand.is_into { degree / self.nodes(expand.to).max(1.0) } else { degree }
    }

    /// Rows that a walk gives for each.
    pub(crate) fn walked(&self, walk: &Walk) -> f64 {
        let degree = self.degree(&walk.expand);
        let longest = walk.max.min(walk.min.max(LENGTH_MAX));
        let mut all = 0.0;
        for length in walk.min..=longest {
            all += degree.powi(i32::try_from(length).unwrap_or(i32::MAX));
        }
        let nodes = self.nodes(walk.expand.to).max(1.0);
        if walk.is_pruned {
            all = all.min(nodes);
        }
        if walk.expand.is_into { all / nodes } else { all }
    }

    /// The part of rows that meets a condition.
    pub(crate) fn share(&self, ex: &Ex) -> f64 {
        match ex {
            Ex::Value(Value::Boolean(true)) => 1.0,
            Ex::HasLabels(of, labels) => match **of {
                // Where it is known, it was counted when the node was found.
                Ex::Slot(slot) if self.labels.contains_key(&slot) => 1.0,
                _ => self.statistics.nodes(Some(labels)) / self.statistics.nodes(None).max(1.0),
            },
            Ex::Binary(BinaryOp::And, left, right) => self.share(left) * self.share(right),
            Ex::Binary(BinaryOp::Or, left, right) => 1.0 - (1.0 - self.share(left)) * (1.0 - self.share(right)),
            Ex::Binary(BinaryOp::Eq, left, right) => self.equal(left, right, 1.0),
            Ex::Binary(BinaryOp::In, left, right) => {
                let items = match &**right {
                    Ex::List(items) => items.len() as f64,
                    Ex::Value(Value::List(items)) => items.len() as f64,
                    _ => ITEMS,
                };
                match **left {
                    // An element in a list of them.
                    Ex::Slot(slot) => (items / self.nodes(slot).max(1.0)).min(1.0),
                    _ => self.equal(left, right, items),
                }
            }
            Ex::Binary(BinaryOp::Ne, left, right) => match (&**left, &**right) {
                (Ex::Slot(_), Ex::Slot(_)) => 1.0,
                _ => 1.0 - self.equal(left, right, 1.0),
            },
            Ex::Binary(BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, ..) | Ex::Chain(..) => RANGE,
            Ex::Binary(BinaryOp::StartsWith | BinaryOp::EndsWith | BinaryOp::Contains, ..) | Ex::Matches(..) => TEXT,
            Ex::Not(inner) => (1.0 - self.share(inner)).max(NULL),
            Ex::IsNull(_, is_not) => {
                if *is_not {
                    1.0 - NULL
                } else {
                    NULL
                }
            }
            _ => UNKNOWN,
        }
    }

    fn equal(&self, left: &Ex, right: &Ex, items: f64) -> f64 {
        for side in [left, right] {
            if let Ex::Property(of, key) = side
                && let Ex::Slot(slot) = **of
            {
                if self.sought.iter().any(|(own, name)| *own == slot && name == key) {
                    return 1.0;
                }
                let matching = self.statistics.matching(self.labels(slot), std::slice::from_ref(key));
                return (items * matching.found / self.nodes(slot).max(1.0)).min(1.0);
            }
            if let Ex::Call(callee, arguments) = side
                && let ("id" | "elementId", [Ex::Slot(slot)]) = (callee.0.name, arguments.as_slice())
            {
                return (items / self.nodes(*slot).max(1.0)).min(1.0);
            }
        }
        match (left, right) {
            (Ex::Slot(left), Ex::Slot(right)) => 1.0 / self.nodes(*left).max(self.nodes(*right)).max(1.0),
            _ => UNKNOWN,
        }
    }

    /// Rows that each step of a plan gives where so many come in.
    pub(crate) fn of(&mut self, plan: &Plan, rows: f64) -> Vec<f64> {
        for step in &plan.steps {
            if let Step::Filter(ex) = step {
                self.learn_of(ex);
            }
            if let Step::Scan(scan) = step
                && let Some(labels) = &scan.labels
            {
                self.learn(scan.slot, labels);
            }
            if let Step::Join(join) = step {
                join.hops.iter().for_each(|hop| {
                    hop.labels.iter().for_each(|labels| self.learn(hop.to, labels));
                });
            }
        }
        let mut all = Vec::with_capacity(plan.steps.len());
        let mut before = rows;
        for step in &plan.steps {
            before = self.step(step, before);
            all.push(before);
        }
        all
    }

    fn step(&mut self, step: &Step, rows: f64) -> f64 {
        match step {
            Step::Scan(scan) => {
                if let Some(ids) = &scan.ids {
                    return rows * if matches!(ids, Ex::List(_)) { ITEMS } else { 1.0 };
                }
                if scan.equal.is_empty() {
                    return rows * self.nodes(scan.slot);
                }
                let keys: Vec<Text> = scan.equal.iter().map(|(key, _)| key.clone()).collect();
                self.sought.extend(keys.iter().map(|key| (scan.slot, key.clone())));
                rows * self.statistics.matching(self.labels(scan.slot), &keys).found
            }
            Step::Expand(expand) => rows * self.expanded(expand),
            Step::Count(_) | Step::Let(_) | Step::Create(_) | Step::Merge(_) | Step::Set(_) | Step::Delete(_) => rows,
            Step::Foreach(_) | Step::Procedure(_) | Step::Call(_) | Step::Shortest(_) | Step::Ends(_) => rows,
            Step::Join(join) => self.joined(join, rows),
            Step::CountRelationships(_) | Step::CountNodes(_) => rows,
            Step::GroupCount(group) => (rows * self.nodes(group.scan.slot)).sqrt().max(1.0),
            Step::Walk(walk) => {
                if walk.counted.is_some() {
                    1.0
                } else {
                    rows * self.walked(walk)
                }
            }
            Step::Repeat(_) | Step::Unwind(_) => rows * ITEMS,
            Step::Filter(ex) => rows * self.share(ex),
            Step::Aggregate(aggregate) if aggregate.keys.is_empty() => 1.0,
            Step::Aggregate(_) => rows.sqrt().max(1.0),
            Step::Distinct(_) | Step::Skip(_) => rows,
            Step::Sort(sort) => sort.first.iter().filter_map(number).fold(rows, f64::min),
            Step::Limit(ex) => number(ex).map_or(rows, |limit| rows.min(limit)),
            Step::Optional(optional) => {
                let inner = self.of(&optional.plan, rows);
                inner.last().map_or(rows, |found| found.max(rows))
            }
            Step::Drain => 0.0,
        }
    }

    fn joined(&self, join: &Join, rows: f64) -> f64 {
        let mut ways = rows;
        for hop in &join.hops {
            let (from, to) = (self.labels(hop.from), self.labels(hop.to));
            let degree = self.statistics.degree(from, hop.direction, hop.types.as_ref(), to);
            let found = if hop.is_into { degree / self.nodes(hop.to).max(1.0) } else { degree };
            ways *= hop.conditions.iter().map(|ex| self.share(ex)).product::<f64>();
            ways *= match hop.kind {
                HopKind::Each => found,
                HopKind::Present => found.min(1.0),
                HopKind::Absent => (1.0 - found).max(NULL),
                HopKind::Optional => found.max(1.0),
            };
        }
        match join.rows {
            JoinRows::Each => ways,
            JoinRows::DistinctCount(..) => 1.0,
            JoinRows::Distinct | JoinRows::Counted(_) => {
                join.nodes.iter().fold(rows, |most, slot| most * self.nodes(*slot)).min(ways)
            }
        }
    }
}

fn number(ex: &Ex) -> Option<f64> {
    match ex {
        Ex::Value(Value::Integer(number)) => Some(*number as f64),
        _ => None,
    }
}
