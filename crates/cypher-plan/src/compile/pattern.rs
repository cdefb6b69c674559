//! MATCH: in which order the nodes of patterns are found, and how.

use std::sync::Arc;

use cypher::ast::{
    BinaryOp, Direction as Arrow, Expr, ExprKind, Match, Pattern, RelationshipPattern, Shortest as Kind,
};
use cypher_value::{Detail, Error, ErrorKind, Text};
use graph_model::Direction;

use super::Compiler;
use super::slots::{Names, slots_of, slots_of_labels};
use crate::Result;
use crate::plan::{Ex, Expand, Labels, PathPart, Scan, Shortest, Slot, Step, Test, Walk};

/// A path pattern with its slots.
struct Chain {
    nodes: Vec<Node>,
    steps: Vec<Link>,
    path: Option<Slot>,
    shortest: Option<Kind>,
}

struct Node {
    slot: Slot,
    labels: Option<Labels>,
}

struct Link {
    slot: Slot,
    types: Option<Labels>,
    arrow: Arrow,
    /// At least and at most so many.
    length: Option<(u64, u64)>,
    each: Option<(Slot, Ex)>,
    /// Whether the relationship, or the list, is known before.
    is_known: bool,
}

/// A condition and the slots it reads.
struct Condition {
    ex: Ex,
    slots: Vec<Slot>,
}

/// What is known while the steps of a MATCH are made.
struct Work<'w> {
    steps: &'w mut Vec<Step>,
    conditions: Vec<Condition>,
    /// Slots that will be filled by this MATCH.
    open: Vec<Slot>,
    /// Relationships found so far.
    relationships: Vec<Slot>,
}

impl Compiler<'_> {
    /// The steps of a MATCH that is not optional. Its names are in scope behind it.
    pub(super) fn match_clause(&mut self, found: &Match, names: &mut Names, steps: &mut Vec<Step>) -> Result<()> {
        let first_new = self.next;
        let mut chains = Vec::with_capacity(found.patterns.len());
        for pattern in &found.patterns {
            chains.push(self.chain(pattern, names)?);
        }
        let open: Vec<Slot> = (first_new..self.next).collect();
        let mut conditions = Vec::new();
        for (pattern, chain) in found.patterns.iter().zip(&mut chains) {
            self.inline_conditions(pattern, chain, names, &mut conditions)?;
        }
        if let Some(filter) = &found.filter {
            self.conjuncts(filter, names, &mut conditions)?;
        }
        let conditions = conditions.into_iter().map(|ex| {
            let mut slots = Vec::new();
            slots_of(&ex, &mut slots);
            Condition { ex, slots }
        });
        let mut work = Work { steps, conditions: conditions.collect(), open, relationships: Vec::new() };
        let mut left = chains;
        work.flush();
        while !left.is_empty() {
            let best = left.iter().enumerate().max_by_key(|(at, chain)| (work.score_of(chain), std::cmp::Reverse(*at)));
            let at = best.map_or(0, |(at, _)| at);
            let chain = left.remove(at);
            self.find(&chain, &mut work);
        }
        work.flush_all();
        Ok(())
    }

    fn chain(&mut self, pattern: &Pattern, names: &mut Names) -> Result<Chain> {
        let mut nodes = Vec::with_capacity(pattern.steps.len() + 1);
        let mut steps = Vec::with_capacity(pattern.steps.len());
        let all = std::iter::once(&pattern.start).chain(pattern.steps.iter().map(|(_, node)| node));
        for node in all {
            let slot = self.named(node.name.as_ref().map(|name| name.text.as_str()), names).0;
            nodes.push(Node { slot, labels: None });
        }
        for (step, _) in &pattern.steps {
            let (slot, is_known) = self.named(step.name.as_ref().map(|name| name.text.as_str()), names);
            let length = step.length.map(|length| (length.min.unwrap_or(1), length.max.unwrap_or(u64::MAX)));
            let (types, arrow) = (None, step.direction);
            steps.push(Link { slot, types, arrow, length, each: None, is_known });
        }
        let path = pattern.name.as_ref().map(|name| self.named(Some(&name.text), names).0);
        if matches!(pattern.shortest, Some(Kind::Some(_))) || matches!(pattern.shortest, Some(Kind::Groups(2..))) {
            let message = "SHORTEST with more than one length is not supported: use SHORTEST 1, ANY SHORTEST or \
                           ALL SHORTEST";
            return Err(Error::new(ErrorKind::ExecutionFailed, Detail::None, message));
        }
        Ok(Chain { nodes, steps, path, shortest: pattern.shortest })
    }

    /// The slot of a name, a new one if it has none; whether it had one.
    fn named(&mut self, name: Option<&str>, names: &mut Names) -> (Slot, bool) {
        if let Some(slot) = name.and_then(|name| names.get(name)) {
            return (slot, true);
        }
        let slot = self.slot();
        if let Some(name) = name {
            names.set(name, slot);
        }
        (slot, false)
    }

    /// What labels, properties and WHERE inside of a pattern require.
    fn inline_conditions(
        &mut self,
        pattern: &Pattern,
        chain: &mut Chain,
        names: &Names,
        out: &mut Vec<Ex>,
    ) -> Result<()> {
        let all = std::iter::once(&pattern.start).chain(pattern.steps.iter().map(|(_, node)| node));
        for (node, own) in all.zip(&mut chain.nodes) {
            own.labels = node.labels.as_ref().map(|labels| self.labels(labels, names)).transpose()?;
            if let Some(labels) = &own.labels {
                out.push(Ex::HasLabels(Box::new(Ex::Slot(own.slot)), labels.clone()));
            }
            self.property_conditions(own.slot, node.properties.as_ref(), names, out)?;
            if let Some(filter) = &node.filter {
                self.conjuncts(filter, names, out)?;
            }
        }
        for ((step, _), own) in pattern.steps.iter().zip(&mut chain.steps) {
            own.types = step.types.as_ref().map(|types| self.labels(types, names)).transpose()?;
            if step.length.is_some() {
                own.each = self.each(step, names)?;
                continue;
            }
            self.property_conditions(own.slot, step.properties.as_ref(), names, out)?;
            if let Some(filter) = &step.filter {
                self.conjuncts(filter, names, out)?;
            }
        }
        Ok(())
    }

    /// What holds for each relationship of a list.
    fn each(&mut self, step: &RelationshipPattern, names: &Names) -> Result<Option<(Slot, Ex)>> {
        if step.properties.is_none() && step.filter.is_none() {
            return Ok(None);
        }
        let (slot, mut inner) = (self.slot(), names.clone());
        if let Some(name) = &step.name {
            inner.set(&name.text, slot);
        }
        let mut all = Vec::new();
        self.property_conditions(slot, step.properties.as_ref(), &inner, &mut all)?;
        if let Some(filter) = &step.filter {
            self.conjuncts(filter, &inner, &mut all)?;
        }
        let whole = all.into_iter().reduce(|a, b| Ex::Binary(BinaryOp::And, Box::new(a), Box::new(b)));
        Ok(whole.map(|whole| (slot, whole)))
    }

    fn property_conditions(
        &mut self,
        slot: Slot,
        properties: Option<&Expr>,
        names: &Names,
        out: &mut Vec<Ex>,
    ) -> Result<()> {
        let Some(properties) = properties else { return Ok(()) };
        if let ExprKind::Map(pairs) = &properties.kind {
            for (key, value) in pairs {
                let own = Ex::Property(Box::new(Ex::Slot(slot)), key.as_str().into());
                let value = self.expr(value, names)?;
                out.push(Ex::Binary(BinaryOp::Eq, Box::new(own), Box::new(value)));
            }
            return Ok(());
        }
        let map = self.expr(properties, names)?;
        out.push(Ex::Test(Test::HasAll, vec![Ex::Slot(slot), map]));
        Ok(())
    }

    /// The parts of a condition that are joined by AND.
    pub(super) fn conjuncts(&mut self, filter: &Expr, names: &Names, out: &mut Vec<Ex>) -> Result<()> {
        let mut open = vec![filter];
        while let Some(next) = open.pop() {
            match &next.kind {
                ExprKind::Binary(BinaryOp::And, left, right) => {
                    open.push(right);
                    open.push(left);
                }
                _ => out.push(self.expr(next, names)?),
            }
        }
        Ok(())
    }

    /// The steps that find a chain.
    fn find(&mut self, chain: &Chain, work: &mut Work<'_>) {
        if chain.steps.iter().any(|step| step.is_known && step.length.is_none()) {
            self.bind_known(chain, work);
        }
        let known = chain.nodes.iter().position(|node| work.is_known(node.slot));
        let start = known.unwrap_or_else(|| {
            let best =
                chain.nodes.iter().enumerate().max_by_key(|(at, node)| (work.score(node), std::cmp::Reverse(*at)));
            best.map_or(0, |(at, _)| at)
        });
        if let Some(node) = chain.nodes.get(start) {
            work.scan(node);
        }
        if chain.shortest.is_some() {
            chain.nodes.iter().for_each(|node| work.scan(node));
            self.shortest(chain, work);
        } else {
            for at in start..chain.steps.len() {
                self.expand(chain, at, true, work);
            }
            for at in (0..start).rev() {
                self.expand(chain, at, false, work);
            }
        }
        if let Some(slot) = chain.path {
            work.steps.push(Step::Let(Arc::new(vec![(slot, path_of(chain))])));
            work.fill(slot);
        }
    }

    /// Relationships that are known give the nodes at their ends.
    fn bind_known(&mut self, chain: &Chain, work: &mut Work<'_>) {
        for (at, step) in chain.steps.iter().enumerate() {
            let (Some(left), Some(right)) = (chain.nodes.get(at), chain.nodes.get(at + 1)) else { continue };
            if !step.is_known || step.length.is_some() || !work.is_known(step.slot) {
                continue;
            }
            let expand = Expand {
                from: left.slot,
                relationship: step.slot,
                to: right.slot,
                is_into: work.is_known(right.slot) || left.slot == right.slot,
                is_from_known: work.is_known(left.slot),
                direction: direction(step.arrow, true),
                types: step.types.clone(),
                others: work.relationships.clone(),
            };
            work.steps.push(Step::Ends(Arc::new(expand)));
            work.relationships.push(step.slot);
            work.fill(left.slot);
            work.fill(right.slot);
        }
    }

    fn expand(&mut self, chain: &Chain, at: usize, is_forward: bool, work: &mut Work<'_>) {
        let (Some(left), Some(right), Some(step)) = (chain.nodes.get(at), chain.nodes.get(at + 1), chain.steps.get(at))
        else {
            return;
        };
        if step.is_known && step.length.is_none() {
            return;
        }
        let (from, to) = if is_forward { (left.slot, right.slot) } else { (right.slot, left.slot) };
        // A list that is known is compared with the one that is found.
        let slot = if step.is_known { self.slot() } else { step.slot };
        let expand = Expand {
            from,
            relationship: slot,
            to,
            is_into: work.is_known(to),
            is_from_known: true,
            direction: direction(step.arrow, is_forward),
            types: step.types.clone(),
            others: if step.is_known { Vec::new() } else { work.relationships.clone() },
        };
        match step.length {
            None => work.steps.push(Step::Expand(Arc::new(expand))),
            Some((min, max)) => {
                let walk = Walk { expand, min, max, each: step.each.clone(), is_reversed: !is_forward };
                work.steps.push(Step::Walk(Arc::new(walk)));
            }
        }
        if step.is_known {
            let same = Ex::Binary(BinaryOp::Eq, Box::new(Ex::Slot(slot)), Box::new(Ex::Slot(step.slot)));
            work.steps.push(Step::Filter(Arc::new(same)));
        }
        work.relationships.push(step.slot);
        work.fill(slot);
        work.fill(to);
    }

    fn shortest(&mut self, chain: &Chain, work: &mut Work<'_>) {
        let (Some(left), Some(right), Some(step)) = (chain.nodes.first(), chain.nodes.get(1), chain.steps.first())
        else {
            return;
        };
        let expand = Expand {
            from: left.slot,
            relationship: step.slot,
            to: right.slot,
            is_into: true,
            is_from_known: true,
            direction: direction(step.arrow, true),
            types: step.types.clone(),
            others: Vec::new(),
        };
        let (min, max) = step.length.unwrap_or((1, 1));
        let walk = Walk { expand, min, max, each: step.each.clone(), is_reversed: false };
        let (is_all, count) = match chain.shortest {
            Some(Kind::All | Kind::Groups(_)) => (true, u64::MAX),
            _ => (false, 1),
        };
        work.steps.push(Step::Shortest(Arc::new(Shortest { walk, is_all, count })));
        if step.length.is_none() {
            // The pattern names one relationship, not a list.
            let first = Ex::Index(Box::new(Ex::Slot(step.slot)), Box::new(Ex::Value(cypher_value::Value::Integer(0))));
            work.steps.push(Step::Let(Arc::new(vec![(step.slot, first)])));
        }
        work.fill(step.slot);
    }
}

fn path_of(chain: &Chain) -> Ex {
    let mut parts = Vec::with_capacity(chain.nodes.len() * 2);
    for (at, node) in chain.nodes.iter().enumerate() {
        if let Some(step) = at.checked_sub(1).and_then(|before| chain.steps.get(before)) {
            parts.push(PathPart::Relationships(step.slot));
        }
        parts.push(PathPart::Node(node.slot));
    }
    Ex::Path(parts)
}

/// The way of an arrow, walked forward or backward.
fn direction(arrow: Arrow, is_forward: bool) -> Direction {
    match (arrow, is_forward) {
        (Arrow::Both, _) => Direction::Both,
        (Arrow::Right, true) | (Arrow::Left, false) => Direction::Out,
        (Arrow::Left, true) | (Arrow::Right, false) => Direction::In,
    }
}

impl Work<'_> {
    fn is_known(&self, slot: Slot) -> bool {
        !self.open.contains(&slot)
    }

    /// A slot is filled from here on.
    fn fill(&mut self, slot: Slot) {
        self.open.retain(|open| *open != slot);
        self.flush();
    }

    /// Conditions whose slots are filled are tested at once.
    fn flush(&mut self) {
        let open = &self.open;
        let is_ready = |condition: &Condition| {
            condition.slots.iter().all(|slot| !open.contains(slot) && (*slot != Slot::MAX || open.is_empty()))
        };
        let (ready, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.conditions).into_iter().partition(is_ready);
        self.conditions = waiting;
        self.steps.extend(ready.into_iter().map(|condition| Step::Filter(Arc::new(condition.ex))));
    }

    /// All that are left are tested now.
    fn flush_all(&mut self) {
        let all = std::mem::take(&mut self.conditions);
        self.steps.extend(all.into_iter().map(|condition| Step::Filter(Arc::new(condition.ex))));
    }

    fn score_of(&self, chain: &Chain) -> u8 {
        if chain.steps.iter().any(|step| step.is_known && step.length.is_none()) {
            return 10;
        }
        chain.nodes.iter().map(|node| self.score(node)).max().unwrap_or(0)
    }

    /// How few nodes are likely to be found.
    fn score(&self, node: &Node) -> u8 {
        if self.is_known(node.slot) {
            return 9;
        }
        if self.ids(node.slot).is_some() {
            return 8;
        }
        let by_property = u8::from(!self.equal(node.slot).is_empty());
        2 * u8::from(node.labels.is_some()) + by_property
    }

    fn scan(&mut self, node: &Node) {
        if self.is_known(node.slot) {
            return;
        }
        let mut labels = node.labels.clone();
        if let Some(own) = &labels {
            let mut slots = Vec::new();
            slots_of_labels(own, &mut slots);
            if slots.iter().any(|slot| !self.is_known(*slot)) {
                labels = None;
            }
        }
        let ids = self.ids(node.slot);
        if labels.is_some() && ids.is_none() {
            // A scan by labels finds no others.
            let text = format!("{labels:?}");
            let own = |ex: &Ex| match ex {
                Ex::HasLabels(of, own) => {
                    matches!(**of, Ex::Slot(slot) if slot == node.slot) && format!("{:?}", Some(own)) == text
                }
                _ => false,
            };
            if let Some(at) = self.conditions.iter().position(|condition| own(&condition.ex)) {
                self.conditions.remove(at);
            }
        }
        let scan = Scan { slot: node.slot, labels, ids, equal: self.equal(node.slot), keys: None };
        self.steps.push(Step::Scan(Arc::new(scan)));
        self.fill(node.slot);
    }

    /// Whether an expression can be computed before a slot is filled.
    fn is_ready(&self, ex: &Ex) -> bool {
        let mut slots = Vec::new();
        slots_of(ex, &mut slots);
        slots.iter().all(|slot| *slot != Slot::MAX && self.is_known(*slot))
    }

    /// The ids that conditions give a node.
    fn ids(&self, slot: Slot) -> Option<Ex> {
        self.conditions.iter().find_map(|condition| match &condition.ex {
            Ex::Binary(BinaryOp::Eq, left, right) if is_id(left, slot) && self.is_ready(right) => {
                Some((**right).clone())
            }
            Ex::Binary(BinaryOp::Eq, left, right) if is_id(right, slot) && self.is_ready(left) => {
                Some((**left).clone())
            }
            Ex::Binary(BinaryOp::In, left, right) if is_id(left, slot) && self.is_ready(right) => {
                Some((**right).clone())
            }
            _ => None,
        })
    }

    /// Keys whose values conditions give.
    fn equal(&self, slot: Slot) -> Vec<(Text, Ex)> {
        let own = |ex: &Ex| match ex {
            Ex::Property(of, key) if matches!(**of, Ex::Slot(own) if own == slot) => Some(key.clone()),
            _ => None,
        };
        let found = self.conditions.iter().filter_map(|condition| match &condition.ex {
            Ex::Binary(BinaryOp::Eq, left, right) => match (own(left), own(right)) {
                (Some(key), _) if self.is_ready(right) => Some((key, (**right).clone())),
                (_, Some(key)) if self.is_ready(left) => Some((key, (**left).clone())),
                _ => None,
            },
            _ => None,
        });
        found.collect()
    }
}

/// Whether an expression is the id of a node.
fn is_id(ex: &Ex, slot: Slot) -> bool {
    matches!(ex, Ex::Call(callee, arguments) if matches!(callee.0.name, "id" | "elementId")
        && matches!(arguments.as_slice(), [Ex::Slot(own)] if *own == slot))
}
