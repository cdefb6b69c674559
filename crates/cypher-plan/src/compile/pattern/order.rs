//! In which order the relationships of a pattern are found: the one that is likely to look at the fewest.
//!
//! Orders are made step by step from each node that could be the first. Of those that have found the same, the cheapest
//! goes on, and of all of one length so many as are promising; the one that looks at the fewest rows in all wins.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use cypher_value::Text;

use super::chain::{Chain, Condition, Node, direction, is_id};
use crate::compile::following::Behind;
use crate::compile::slots::slots_of;
use crate::estimate::{Estimates, ITEMS};
use crate::plan::{Ex, Expand, Slot, Walk};
use crate::statistics::{Matching, Statistics};

/// Relationships of a pattern up to which orders are tried; beyond, only the start is chosen.
const TRIED_MAX: usize = 24;
/// Orders of one length that go on.
const KEPT: usize = 24;
/// What it costs to look at a relationship that leads nowhere else and is only counted, where one that leads on costs
/// 1.
const COUNTED: f64 = 0.05;
/// Rows up to which a second node is looked up by its values while others could be walked to.
const SOUGHT_MAX: f64 = 1.5;

/// What is found next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pick {
    /// A node of a chain, by itself.
    Scan(usize, usize),
    /// A step of a chain, from its left end or from its right end.
    Step(usize, usize, bool),
}

/// What orders are compared by.
pub(super) struct Orders<'o> {
    pub(super) chains: &'o [Chain],
    pub(super) conditions: &'o [Condition],
    pub(super) open: &'o [Slot],
    pub(super) behind: &'o Behind,
    pub(super) statistics: &'o dyn Statistics,
}

/// An order in the making.
#[derive(Clone)]
struct State {
    open: BTreeSet<Slot>,
    left: Vec<(usize, usize)>,
    done: Vec<bool>,
    picks: Vec<Pick>,
    rows: f64,
    cost: f64,
}

/// A step that could be next, and what it would do.
struct Next {
    pick: Pick,
    rows: f64,
    cost: f64,
}

/// What is thought of a step, for each row before it.
#[derive(Clone, Copy)]
struct StepFigures {
    /// Rows behind it, where it leads to a node that is not known.
    found: f64,
    /// What it looks at for that.
    looked_at: f64,
    /// Rows behind it, where both of its nodes are known.
    closed: f64,
    /// What it looks at for that.
    compared: f64,
}

/// How a node would be found by itself.
struct Found {
    rows: f64,
    read: f64,
    /// Whether by an id or by values.
    is_sought: bool,
}

impl Orders<'_> {
    /// Whether there is anything to choose.
    pub(super) fn has_choice(&self) -> bool {
        let steps: usize = self.chains.iter().map(|chain| chain.steps.len()).sum();
        steps > 1 || (steps == 1 && self.nodes().all(|(_, _, node)| self.open.contains(&node.slot)))
    }

    fn nodes(&self) -> impl Iterator<Item = (usize, usize, &Node)> {
        let chains = self.chains.iter().enumerate();
        chains.flat_map(|(chain, own)| own.nodes.iter().enumerate().map(move |(at, node)| (chain, at, node)))
    }

    /// The best order. Chains of shortest paths must not be among those that are ordered.
    pub(super) fn best(&self) -> Vec<Pick> {
        let mut estimates = Estimates::new(self.statistics);
        self.conditions.iter().for_each(|condition| estimates.learn_of(&condition.ex));
        let bound = self.nodes().filter(|(_, _, node)| !self.open.contains(&node.slot));
        bound.for_each(|(_, _, node)| estimates.bind(node.slot));
        let search = Search {
            orders: self,
            shares: self.conditions.iter().map(|condition| estimates.share(&condition.ex)).collect(),
            estimates,
            nodes: RefCell::default(),
            steps: RefCell::default(),
            matching: RefCell::default(),
        };
        search.best()
    }

    /// The ends of a step and its own slot.
    fn ends(&self, chain: usize, at: usize, is_forward: bool) -> Option<(Slot, Slot, Slot)> {
        let own = self.chains.get(chain)?;
        let (left, right, step) = (own.nodes.get(at)?.slot, own.nodes.get(at + 1)?.slot, own.steps.get(at)?.slot);
        Some(if is_forward { (left, right, step) } else { (right, left, step) })
    }
}

/// A search for the best order, with figures that were asked for.
struct Search<'o> {
    orders: &'o Orders<'o>,
    estimates: Estimates<'o>,
    /// The part of rows that meets each condition.
    shares: Vec<f64>,
    nodes: RefCell<HashMap<Slot, f64>>,
    steps: RefCell<HashMap<Pick, StepFigures>>,
    matching: RefCell<HashMap<(Slot, Vec<Text>), Matching>>,
}

impl Search<'_> {
    fn best(&self) -> Vec<Pick> {
        let orders = self.orders;
        let steps = orders.chains.iter().enumerate();
        let left = steps.flat_map(|(chain, own)| {
            let open = own.steps.iter().enumerate().filter(|(_, step)| !step.is_known || step.length.is_some());
            open.map(move |(at, _)| (chain, at))
        });
        let mut start = State {
            open: orders.open.iter().copied().collect(),
            left: left.collect(),
            done: vec![false; orders.conditions.len()],
            picks: Vec::new(),
            rows: 1.0,
            cost: 0.0,
        };
        if start.left.len() > TRIED_MAX {
            return self.as_written(start.open);
        }
        self.settle(&mut start);
        // Whatever is known costs nothing to begin with; else any node can be the first.
        let is_known = orders.nodes().any(|(_, _, node)| !start.open.contains(&node.slot));
        let mut going_on = if is_known { vec![start] } else { self.starts(&start) };
        let mut best: Option<State> = None;
        while !going_on.is_empty() {
            let mut following: Vec<State> = Vec::new();
            for state in shortened(going_on) {
                let next = self.next(&state);
                if next.is_empty() && best.as_ref().is_none_or(|best| state.cost < best.cost) {
                    best = Some(state);
                    continue;
                }
                for next in next {
                    let mut own = state.clone();
                    self.take(&mut own, &next);
                    if best.as_ref().is_none_or(|best| own.cost < best.cost) {
                        following.push(own);
                    }
                }
            }
            going_on = following;
        }
        best.map(|best| best.picks).unwrap_or_default()
    }

    /// Each chain from a node that is known, else from its best one, to its end and then to its beginning.
    fn as_written(&self, mut open: BTreeSet<Slot>) -> Vec<Pick> {
        let (mut picks, mut left): (Vec<Pick>, Vec<usize>) = (Vec::new(), (0..self.orders.chains.len()).collect());
        while !left.is_empty() {
            let known = |chain: &usize| {
                let nodes = self.orders.chains.get(*chain).map(|own| own.nodes.as_slice()).unwrap_or_default();
                nodes.iter().position(|node| !open.contains(&node.slot))
            };
            let place = left.iter().position(|chain| known(chain).is_some()).unwrap_or(0);
            let start = left.get(place).and_then(known);
            let chain = left.remove(place);
            let Some(own) = self.orders.chains.get(chain) else { continue };
            let start = start.unwrap_or_else(|| {
                let cost = |node: &Node| {
                    let found = self.found(&open, node.slot);
                    found.rows + found.read
                };
                let costs = own.nodes.iter().map(cost).enumerate();
                let best = costs.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at);
                picks.push(Pick::Scan(chain, best));
                best
            });
            open.retain(|slot| own.nodes.get(start).is_none_or(|node| node.slot != *slot));
            let steps = (start..own.steps.len()).map(|at| (at, true)).chain((0..start).rev().map(|at| (at, false)));
            for (at, is_forward) in steps {
                if own.steps.get(at).is_some_and(|step| !step.is_known || step.length.is_some()) {
                    picks.push(Pick::Step(chain, at, is_forward));
                }
                if let Some((_, to, slot)) = self.orders.ends(chain, at, is_forward) {
                    open.remove(&to);
                    open.remove(&slot);
                }
            }
        }
        picks
    }

    /// One order for each node that could be the first.
    fn starts(&self, start: &State) -> Vec<State> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        for (chain, at, node) in self.orders.nodes() {
            if seen.insert(node.slot) {
                let mut own = start.clone();
                self.take_scan(&mut own, self.scan_of(node.slot, (chain, at)));
                all.push(own);
            }
        }
        all
    }

    fn nodes_of(&self, slot: Slot) -> f64 {
        if let Some(known) = self.nodes.borrow().get(&slot) {
            return *known;
        }
        let found = self.estimates.nodes(slot);
        self.nodes.borrow_mut().insert(slot, found);
        found
    }

    /// What can be next; nothing where all is found.
    fn next(&self, state: &State) -> Vec<Next> {
        let next = self.steps_from(state, true);
        if !next.is_empty() {
            return next;
        }
        match self.next_start(state) {
            Some(pick) => vec![Next { pick, rows: 0.0, cost: 0.0 }],
            None => self.steps_from(state, false),
        }
    }

    fn take(&self, state: &mut State, next: &Next) {
        match next.pick {
            Pick::Scan(..) => self.take_scan(state, next.pick),
            Pick::Step(chain, at, is_forward) => {
                state.left.retain(|own| *own != (chain, at));
                if let Some((_, to, slot)) = self.orders.ends(chain, at, is_forward) {
                    state.open.remove(&to);
                    state.open.remove(&slot);
                }
                state.rows = next.rows;
                state.cost += next.cost;
                state.picks.push(next.pick);
                self.settle(state);
                self.merge(state);
            }
        }
    }

    /// Where a node stands with the labels that leave the fewest.
    fn scan_of(&self, slot: Slot, first: (usize, usize)) -> Pick {
        let own = self.orders.nodes().filter(|(_, _, node)| node.slot == slot && node.labels.is_some());
        let nodes = |node: &Node| self.estimates.statistics().nodes(node.labels.as_ref());
        let best = own.min_by(|a, b| nodes(a.2).total_cmp(&nodes(b.2)));
        best.map_or(Pick::Scan(first.0, first.1), |(chain, at, _)| Pick::Scan(chain, at))
    }

    /// The node that a part of the pattern is best begun with that no relationship leads to.
    fn next_start(&self, state: &State) -> Option<Pick> {
        let open = self.orders.nodes().filter(|(_, _, node)| state.open.contains(&node.slot));
        let cost = |slot: Slot| {
            let found = self.found(&state.open, slot);
            found.rows + found.read
        };
        let best = open.min_by(|a, b| cost(a.2.slot).total_cmp(&cost(b.2.slot)))?;
        Some(self.scan_of(best.2.slot, (best.0, best.1)))
    }

    /// The steps from nodes that are known. `waits`: without those whose own conditions read what is not found yet.
    fn steps_from(&self, state: &State, waits: bool) -> Vec<Next> {
        let (mut next, mut sought): (Vec<Next>, Vec<Slot>) = (Vec::new(), Vec::new());
        for (chain, at) in &state.left {
            if waits && self.reads_open(state, *chain, *at) {
                continue;
            }
            for is_forward in [true, false] {
                let Some((from, to, _)) = self.orders.ends(*chain, *at, is_forward) else { continue };
                if state.open.contains(&from) {
                    continue;
                }
                let is_into = !state.open.contains(&to);
                if !is_into && !sought.contains(&to) {
                    sought.push(to);
                }
                let pick = Pick::Step(*chain, *at, is_forward);
                let (rows, cost) = self.expanded(state, pick);
                next.push(Next { pick, rows, cost });
                if is_into {
                    // From the other end it is the same.
                    break;
                }
            }
        }
        for slot in sought {
            let found = self.found(&state.open, slot);
            let is_cheap = found.is_sought && found.rows <= SOUGHT_MAX && found.read <= SOUGHT_MAX * 2.0;
            let first = self.orders.nodes().find(|(_, _, node)| node.slot == slot);
            if let Some((chain, at, _)) = first.filter(|_| is_cheap) {
                next.push(Next { pick: self.scan_of(slot, (chain, at)), rows: 0.0, cost: 0.0 });
            }
        }
        next
    }

    /// Whether what a step asks of each of its relationships reads what is not found yet.
    fn reads_open(&self, state: &State, chain: usize, at: usize) -> bool {
        let Some(step) = self.orders.chains.get(chain).and_then(|own| own.steps.get(at)) else { return false };
        let mut slots = Vec::new();
        step.each.iter().for_each(|(_, ex)| slots_of(ex, &mut slots));
        if let Some(part) = &step.part {
            let mut inner = Vec::new();
            part.conditions.iter().for_each(|ex| slots_of(ex, &mut inner));
            slots.extend(inner.into_iter().filter(|slot| !part.slots.contains(slot)));
        }
        slots.iter().any(|slot| state.open.contains(slot))
    }

    /// What is thought of a step.
    fn figures(&self, pick: Pick) -> Option<StepFigures> {
        if let Some(known) = self.steps.borrow().get(&pick) {
            return Some(*known);
        }
        let Pick::Step(chain, at, is_forward) = pick else { return None };
        let (from, to, slot) = self.orders.ends(chain, at, is_forward)?;
        let step = self.orders.chains.get(chain)?.steps.get(at)?;
        let nodes = self.nodes_of(to).max(1.0);
        let expand = Expand {
            from,
            relationship: slot,
            to,
            is_into: false,
            is_from_known: true,
            direction: direction(step.arrow, is_forward),
            types: step.types.clone(),
            others: Vec::new(),
        };
        let figures = if step.part.is_some() {
            let all = ITEMS * ITEMS;
            StepFigures { found: ITEMS, looked_at: all, closed: ITEMS / nodes, compared: all }
        } else if let Some((min, max)) = step.length {
            let walk = Walk { expand, min, max, each: None, is_reversed: false, is_pruned: false, counted: None };
            let found = self.estimates.walked(&walk);
            StepFigures { found, looked_at: found.max(1.0), closed: found / nodes, compared: found.max(1.0) }
        } else {
            let degree = self.estimates.degree(&expand);
            StepFigures { found: degree, looked_at: degree, closed: degree / nodes, compared: 1.0 }
        };
        self.steps.borrow_mut().insert(pick, figures);
        Some(figures)
    }

    /// Rows behind a step, and what it costs.
    fn expanded(&self, state: &State, pick: Pick) -> (f64, f64) {
        let Pick::Step(chain, at, is_forward) = pick else { return (state.rows, 0.0) };
        let (Some(figures), Some((_, to, slot))) = (self.figures(pick), self.orders.ends(chain, at, is_forward)) else {
            return (state.rows, 0.0);
        };
        let met = self.shares_of(state, &[to, slot]);
        if !state.open.contains(&to) {
            return (state.rows * figures.closed * met, state.rows * (1.0 + figures.compared));
        }
        if self.is_end(state, (chain, at), to, slot) {
            // How many there are is all that matters.
            let cost = state.rows * (1.0 + COUNTED * figures.looked_at);
            return (state.rows * figures.found.min(1.0) * met, cost);
        }
        (state.rows * figures.found * met, state.rows * (1.0 + figures.looked_at))
    }

    /// Whether a node that a step leads to, and the step itself, matter to nothing else.
    fn is_end(&self, state: &State, step: (usize, usize), to: Slot, slot: Slot) -> bool {
        let Some(wanted) = self.orders.behind.wanted.as_ref().filter(|_| self.orders.behind.is_counted) else {
            return false;
        };
        let is_read = |condition: &Condition| {
            !matches!(condition.ex, Ex::HasLabels(..)) && condition.slots.iter().any(|own| *own == to || *own == slot)
        };
        let leads_on = |(chain, at): &(usize, usize)| {
            (*chain, *at) != step
                && self.orders.ends(*chain, *at, true).is_some_and(|(from, end, _)| from == to || end == to)
        };
        !wanted.contains(&to)
            && !wanted.contains(&slot)
            && !state.left.iter().any(leads_on)
            && !self.orders.conditions.iter().any(is_read)
    }

    /// The part of rows that meets the conditions that can be tested once some slots are filled.
    fn shares_of(&self, state: &State, filled: &[Slot]) -> f64 {
        let all = self.orders.conditions.iter().zip(&state.done).zip(&self.shares);
        let is_new = |condition: &Condition| {
            condition.slots.iter().any(|slot| filled.contains(slot))
                && condition.slots.iter().all(|slot| filled.contains(slot) || !state.open.contains(slot))
        };
        let met = all.filter(|((condition, is_done), _)| !**is_done && is_new(condition)).map(|(_, share)| *share);
        met.product()
    }

    /// Conditions that can be tested are done.
    fn settle(&self, state: &mut State) {
        for (condition, is_done) in self.orders.conditions.iter().zip(&mut state.done) {
            *is_done |= condition.slots.iter().all(|slot| !state.open.contains(slot));
        }
    }

    /// Where rows are only counted, those with the same nodes that matter still are counted together.
    fn merge(&self, state: &mut State) {
        let Some(wanted) = self.orders.behind.wanted.as_ref().filter(|_| self.orders.behind.is_counted) else { return };
        let (mut most, mut seen) = (1.0, HashSet::new());
        for (_, _, node) in self.orders.nodes() {
            if state.open.contains(&node.slot) || !seen.insert(node.slot) {
                continue;
            }
            let leads_on = |(chain, at): &(usize, usize)| {
                let ends = self.orders.ends(*chain, *at, true);
                ends.is_some_and(|(from, to, _)| from == node.slot || to == node.slot)
            };
            let mut waiting = self.orders.conditions.iter().zip(&state.done).filter(|(_, is_done)| !**is_done);
            let is_read = waiting.any(|(condition, _)| condition.slots.contains(&node.slot));
            if wanted.contains(&node.slot) || is_read || state.left.iter().any(leads_on) {
                most *= self.nodes_of(node.slot).max(1.0);
            }
        }
        state.rows = state.rows.min(most);
    }

    fn take_scan(&self, state: &mut State, pick: Pick) {
        let Pick::Scan(chain, at) = pick else { return };
        let node = self.orders.chains.get(chain).and_then(|own| own.nodes.get(at));
        let Some(slot) = node.map(|node| node.slot) else { return };
        let found = self.found(&state.open, slot);
        // What it was found by is counted already.
        for (condition, is_done) in self.orders.conditions.iter().zip(&mut state.done) {
            *is_done |= Self::key_of(&condition.ex, slot).is_some_and(|(_, value)| is_ready(value, &state.open));
        }
        let met = self.shares_of(state, &[slot]);
        state.open.remove(&slot);
        state.cost += state.rows * (found.read + found.rows);
        state.rows *= found.rows * met;
        state.picks.push(pick);
        self.settle(state);
        self.merge(state);
    }

    /// The key and the value of a condition that gives a property of a node.
    fn key_of(ex: &Ex, slot: Slot) -> Option<(Text, &Ex)> {
        let own = |ex: &Ex| match ex {
            Ex::Property(of, key) if matches!(**of, Ex::Slot(own) if own == slot) => Some(key.clone()),
            _ => None,
        };
        match ex {
            Ex::Binary(cypher::ast::BinaryOp::Eq, left, right) => match (own(left), own(right)) {
                (Some(key), _) => Some((key, &**right)),
                (_, Some(key)) => Some((key, &**left)),
                _ => None,
            },
            _ => None,
        }
    }

    /// How a node is found by itself.
    fn found(&self, open: &BTreeSet<Slot>, slot: Slot) -> Found {
        let id = self.orders.conditions.iter().find_map(|condition| match &condition.ex {
            Ex::Binary(cypher::ast::BinaryOp::Eq, left, right) if is_id(left, slot) && is_ready(right, open) => {
                Some(1.0)
            }
            Ex::Binary(cypher::ast::BinaryOp::Eq, left, right) if is_id(right, slot) && is_ready(left, open) => {
                Some(1.0)
            }
            Ex::Binary(cypher::ast::BinaryOp::In, left, right) if is_id(left, slot) && is_ready(right, open) => {
                Some(ITEMS)
            }
            _ => None,
        });
        if let Some(rows) = id {
            return Found { rows, read: rows, is_sought: true };
        }
        let own = self.orders.conditions.iter().filter_map(|condition| Self::key_of(&condition.ex, slot));
        let keys: Vec<Text> = own.filter(|(_, value)| is_ready(value, open)).map(|(key, _)| key).collect();
        if keys.is_empty() {
            let nodes = self.nodes_of(slot);
            return Found { rows: nodes, read: nodes, is_sought: false };
        }
        let key = (slot, keys);
        let known = self.matching.borrow().get(&key).copied();
        let matching = known.unwrap_or_else(|| {
            let found = self.orders.statistics.matching(self.estimates.labels(slot), &key.1);
            self.matching.borrow_mut().insert(key, found);
            found
        });
        Found { rows: matching.found, read: matching.read, is_sought: true }
    }
}

/// Those orders that go on: of those that have found the same the cheapest, and of all so many.
fn shortened(mut all: Vec<State>) -> Vec<State> {
    all.sort_by(|a, b| (a.cost + a.rows).total_cmp(&(b.cost + b.rows)));
    let mut going_on: Vec<State> = Vec::with_capacity(KEPT);
    for state in all {
        if going_on.len() >= KEPT {
            break;
        }
        if !going_on.iter().any(|own| own.left == state.left && own.open == state.open) {
            going_on.push(state);
        }
    }
    going_on
}

/// Whether an expression can be computed while some slots are not filled.
fn is_ready(ex: &Ex, open: &BTreeSet<Slot>) -> bool {
    let mut slots = Vec::new();
    slots_of(ex, &mut slots);
    slots.iter().all(|slot| *slot != Slot::MAX && !open.contains(slot))
}
