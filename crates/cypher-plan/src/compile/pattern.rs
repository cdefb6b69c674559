//! MATCH: in which order the nodes of patterns are found, and how.

mod chain;
mod order;
mod repeat;

use std::sync::Arc;

use cypher::ast::{BinaryOp, Expr, ExprKind, Match, Pattern, RelationshipPattern, Shortest as Kind};
use cypher_value::{Detail, Error, ErrorKind, Text};

use super::Compiler;
use super::following::Following;
use super::slots::{Names, slots_of, slots_of_labels};
use crate::Result;
use crate::plan::{Ex, Expand, PathPart, Scan, Shortest, Side, Slot, Step, Test, Walk};
use chain::{Chain, Condition, Link, Node, direction, is_id};
use order::{Orders, Pick};

/// What is known while the steps of a MATCH are made.
struct Work<'w> {
    steps: &'w mut Vec<Step>,
    conditions: Vec<Condition>,
    /// Slots that will be filled by this MATCH.
    open: Vec<Slot>,
    /// Relationships found so far, and the MATCH of each.
    relationships: Vec<(Slot, usize)>,
}

impl Compiler<'_> {
    /// The steps of a MATCH that is not optional. Its names are in scope behind it.
    pub(super) fn match_clause(&mut self, found: &Match, names: &mut Names, steps: &mut Vec<Step>) -> Result<()> {
        self.match_clauses(&[found], names, &Following::default(), steps)
    }

    /// The steps of MATCHes that follow each other, none of them optional: what they look for is found in one order.
    pub(super) fn match_clauses(
        &mut self,
        all: &[&Match],
        names: &mut Names,
        following: &Following,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let (mut open, mut chains, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (clause, found) in all.iter().enumerate() {
            let (first_new, first_chain) = (self.next, chains.len());
            for pattern in &found.patterns {
                chains.push(Chain { clause, ..self.chain(pattern, names)? });
            }
            open.extend(first_new..self.next);
            let mut own = Vec::new();
            for (pattern, chain) in found.patterns.iter().zip(chains.iter_mut().skip(first_chain)) {
                self.inline_conditions(pattern, chain, names, &mut own)?;
            }
            if let Some(filter) = &found.filter {
                self.conjuncts(filter, names, &mut own)?;
            }
            conditions.extend(own.into_iter().map(|ex| {
                let mut slots = Vec::new();
                slots_of(&ex, &mut slots);
                if slots.contains(&Slot::MAX) {
                    // A query that may read whatever was named before it.
                    slots.clone_from(&open);
                }
                Condition { ex, slots }
            }));
        }
        let behind = following.slots(names);
        let mut work = Work { steps, conditions, open, relationships: Vec::new() };
        work.flush();
        for chain in &chains {
            if chain.steps.iter().any(|step| step.is_known && step.length.is_none()) {
                self.bind_known(chain, &mut work);
            }
        }
        let (shortest, plain): (Vec<Chain>, Vec<Chain>) =
            chains.into_iter().partition(|chain| chain.shortest.is_some());
        let orders = Orders {
            chains: &plain,
            conditions: &work.conditions,
            open: &work.open,
            behind: &behind,
            statistics: self.statistics,
        };
        self.has_choice |= orders.has_choice();
        let picks = orders.best();
        self.carry_out(&plain, &picks, &mut work);
        for chain in &shortest {
            chain.nodes.iter().for_each(|node| work.scan(node));
            self.shortest(chain, &mut work);
            work.name_path(chain);
        }
        work.flush_all();
        Ok(())
    }

    /// The steps of an order.
    fn carry_out(&mut self, chains: &[Chain], picks: &[Pick], work: &mut Work<'_>) {
        let mut left: Vec<usize> = chains
            .iter()
            .map(|chain| chain.steps.iter().filter(|step| !step.is_known || step.length.is_some()).count())
            .collect();
        for (chain, left) in chains.iter().zip(&left) {
            if *left == 0 && chain.nodes.iter().all(|node| work.is_known(node.slot)) {
                work.name_path(chain);
            }
        }
        for pick in picks {
            match *pick {
                Pick::Scan(chain, at) => {
                    let Some(own) = chains.get(chain) else { continue };
                    if let Some(node) = own.nodes.get(at) {
                        work.scan(node);
                    }
                    for (chain, left) in chains.iter().zip(&left) {
                        let is_whole = *left == 0 && chain.nodes.iter().all(|node| work.is_known(node.slot));
                        if is_whole && chain.path.is_some_and(|path| !work.is_known(path)) {
                            work.name_path(chain);
                        }
                    }
                }
                Pick::Step(chain, at, is_forward) => {
                    let (Some(own), Some(left)) = (chains.get(chain), left.get_mut(chain)) else { continue };
                    self.expand(own, at, is_forward, work);
                    *left -= 1;
                    if *left == 0 {
                        work.name_path(own);
                    }
                }
            }
        }
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
            let part = step.repeated.as_ref().map(|repeated| self.part_of(repeated, names)).transpose()?.map(Box::new);
            steps.push(Link { slot, types, arrow, length, each: None, is_known, part });
        }
        let path = pattern.name.as_ref().map(|name| self.named(Some(&name.text), names).0);
        if matches!(pattern.shortest, Some(Kind::Some(_))) || matches!(pattern.shortest, Some(Kind::Groups(2..))) {
            let message = "SHORTEST with more than one length is not supported: use SHORTEST 1, ANY SHORTEST or \
                           ALL SHORTEST";
            return Err(Error::new(ErrorKind::ExecutionFailed, Detail::None, message));
        }
        Ok(Chain { nodes, steps, path, shortest: pattern.shortest, clause: 0 })
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
            if step.repeated.is_some() {
                continue;
            }
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
                others: work.others(chain.clause),
            };
            work.steps.push(Step::Ends(Arc::new(expand)));
            work.relationships.push((step.slot, chain.clause));
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
        if let Some(part) = &step.part {
            return self.repeat(part, (from, to), (step, chain.clause), is_forward, work);
        }
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
            others: if step.is_known { Vec::new() } else { work.others(chain.clause) },
        };
        match step.length {
            None => work.steps.push(Step::Expand(Arc::new(expand))),
            Some((min, max)) => {
                let walk = Walk {
                    expand,
                    min,
                    max,
                    each: step.each.clone(),
                    is_reversed: !is_forward,
                    is_pruned: false,
                    counted: None,
                };
                work.steps.push(Step::Walk(Arc::new(walk)));
            }
        }
        if step.is_known {
            let same = Ex::Binary(BinaryOp::Eq, Box::new(Ex::Slot(slot)), Box::new(Ex::Slot(step.slot)));
            work.steps.push(Step::Filter(Arc::new(same)));
        }
        work.relationships.push((step.slot, chain.clause));
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
        let walk =
            Walk { expand, min, max, each: step.each.clone(), is_reversed: false, is_pruned: false, counted: None };
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

    /// Relationships of a MATCH found so far.
    fn others(&self, clause: usize) -> Vec<Slot> {
        self.relationships.iter().filter(|(_, own)| *own == clause).map(|(slot, _)| *slot).collect()
    }

    /// The path of a chain that was found.
    fn name_path(&mut self, chain: &Chain) {
        if let Some(slot) = chain.path {
            self.steps.push(Step::Let(Arc::new(vec![(slot, path_of(chain))])));
            self.fill(slot);
        }
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
        let (equal, within, bounds) = (self.equal(node.slot), self.within(node.slot), self.bounds(node.slot));
        let scan = Scan { slot: node.slot, labels, ids, equal, within, bounds, keys: None };
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
        let own = |ex: &Ex| property_of(ex, slot);
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

    /// Keys whose values conditions say to be in a list.
    fn within(&self, slot: Slot) -> Vec<(Text, Ex)> {
        let found = self.conditions.iter().filter_map(|condition| match &condition.ex {
            Ex::Binary(BinaryOp::In, left, right) if self.is_ready(right) => {
                Some((property_of(left, slot)?, (**right).clone()))
            }
            _ => None,
        });
        found.collect()
    }

    /// Keys whose values conditions bound.
    fn bounds(&self, slot: Slot) -> Vec<(Text, Side, Ex)> {
        let mut found = Vec::new();
        let mut add = |op: BinaryOp, left: &Ex, right: &Ex| {
            let (of_left, of_right) = match op {
                BinaryOp::Lt | BinaryOp::Le => (Side::Below, Some(Side::Above)),
                BinaryOp::Gt | BinaryOp::Ge => (Side::Above, Some(Side::Below)),
                BinaryOp::StartsWith => (Side::Start, None),
                _ => return,
            };
            match (property_of(left, slot), property_of(right, slot), of_right) {
                (Some(key), ..) if self.is_ready(right) => found.push((key, of_left, right.clone())),
                (_, Some(key), Some(side)) if self.is_ready(left) => found.push((key, side, left.clone())),
                _ => {}
            }
        };
        for condition in &self.conditions {
            match &condition.ex {
                Ex::Binary(op, left, right) => add(*op, left, right),
                Ex::Chain(first, rest) => {
                    let mut left = &**first;
                    for (op, right) in rest {
                        add(*op, left, right);
                        left = right;
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// The key of which an expression is the value at a node.
fn property_of(ex: &Ex, slot: Slot) -> Option<Text> {
    match ex {
        Ex::Property(of, key) if matches!(**of, Ex::Slot(own) if own == slot) => Some(key.clone()),
        _ => None,
    }
}
