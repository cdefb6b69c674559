//! Sorting.

use std::cmp::Ordering;
use std::collections::VecDeque;

use query_plan::{By, Sort};
use query_value::{Order, Random, Value};

use crate::by::ByEval;
use crate::context::{Build, Cx, Stage};
use crate::error::Result;
use crate::traverser::Traverser;
use crate::{semantics, storage};

pub(super) fn stage<'g>(sort: &Sort, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let limit = sort.limit.and_then(|limit| usize::try_from(limit).ok());
    Ok(Box::new(OrderStage { keys: Keys::new(&sort.by, build)?, limit, kept: Vec::new(), random: None }))
}

/// What is compared, and how.
pub(super) struct Keys<'g> {
    by: Vec<(ByEval<'g>, Order)>,
}

impl<'g> Keys<'g> {
    pub(super) fn new(by: &[By], build: Build<'g>) -> Result<Self> {
        let mut all = Vec::with_capacity(by.len().max(1));
        for by in by {
            let order = if let By::Ordered(ordered) = by { ordered.order } else { Order::Asc };
            all.push((ByEval::new(by, build)?, order));
        }
        if all.is_empty() {
            all.push((ByEval::Identity, Order::Asc));
        }
        Ok(Self { by: all })
    }

    /// The keys of a traverser; none if one yields nothing.
    pub(super) fn get(&mut self, cx: &mut Cx<'g>, traverser: &Traverser) -> Result<Option<Vec<Value>>> {
        let mut keys = Vec::with_capacity(self.by.len());
        for (by, order) in &mut self.by {
            if *order == Order::Shuffle {
                keys.push(Value::Double(cx.random.double()));
                continue;
            }
            match by.get(cx, traverser)? {
                Some(key) => keys.push(key),
                None => return Ok(None),
            }
        }
        Ok(Some(keys))
    }

    /// Whether elements are read.
    pub(super) fn reads(&self) -> bool {
        self.by.iter().any(|(by, _)| by.reads())
    }

    pub(super) fn compare(&self, a: &[Value], b: &[Value]) -> Ordering {
        for (((_, order), a), b) in self.by.iter().zip(a).zip(b) {
            let ordering = semantics::order(a, b);
            let ordering = if *order == Order::Desc { ordering.reverse() } else { ordering };
            if ordering != Ordering::Equal {
                return ordering;
            }
        }
        Ordering::Equal
    }
}

struct OrderStage<'g> {
    keys: Keys<'g>,
    limit: Option<usize>,
    kept: Vec<(Vec<Value>, Traverser)>,
    random: Option<Random>,
}

impl OrderStage<'_> {
    fn sort(&mut self) {
        let keys = &self.keys;
        self.kept.sort_by(|(a, _), (b, _)| keys.compare(a, b));
    }
}

impl<'g> Stage<'g> for OrderStage<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        if self.keys.reads() {
            storage::load_queue(cx, input)?;
        }
        for traverser in input.drain(..) {
            if let Some(keys) = self.keys.get(cx, &traverser)? {
                cx.hold(1)?;
                self.kept.push((keys, traverser));
            }
        }
        // Of the first few wanted, no more than twice as many and a block are kept.
        if let Some(limit) = self.limit
            && self.kept.len() > limit.saturating_mul(2).saturating_add(cx.batch)
        {
            self.sort();
            cx.release(u64::try_from(self.kept.len().saturating_sub(limit)).unwrap_or_default());
            self.kept.truncate(limit);
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        cx.release(u64::try_from(self.kept.len()).unwrap_or_default());
        if self.limit.is_none() && matches!(self.keys.by.as_slice(), [(_, Order::Shuffle)]) {
            self.random.get_or_insert_with(|| cx.new_random()).shuffle(&mut self.kept);
        } else {
            self.sort();
        }
        out.extend(self.kept.drain(..).map(|(_, traverser)| traverser));
        Ok(false)
    }

    fn reset(&mut self) {
        self.kept.clear();
    }
}
