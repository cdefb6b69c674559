//! Groups: maps of keys to what a pipeline makes of all values of a key.

use std::collections::VecDeque;
use std::sync::Arc;

use indexmap::IndexMap;
use query_plan::{Op, OpFacts as _, Pipeline, Text};
use query_value::{Scope, Value};

use super::collect::Eager;
use super::each::keep;
use crate::by::ByEval;
use crate::context::{self, Build, Cx, Held, Stage};
use crate::effects::finish;
use crate::error::Result;
use crate::limits::TRAVERSER_BYTES;
use crate::pipe::Pipe;
use crate::semantics;
use crate::side_effects::{Content, Groups, Members};
use crate::storage;
use crate::traverser::Traverser;

/// The value pipeline in two parts: what is done with each member, and what from the first operator on that looks at
/// all of a group.
pub(crate) fn split(pipeline: &Pipeline) -> (Pipeline, Pipeline) {
    match pipeline.nodes.iter().position(|node| node.op.is_barrier() || matches!(node.op, Op::Dedup(..))) {
        Some(at) => {
            let (first, rest) = pipeline.nodes.split_at(at);
            (Pipeline::new(first.to_vec()), Pipeline::new(rest.to_vec()))
        }
        None => (Pipeline::default(), pipeline.clone()),
    }
}

pub(super) fn stage<'g>(op: &Op, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Ok(match op {
        Op::Group(effect, by, pipeline) => {
            let (first, rest) = split(pipeline);
            let counts = first.nodes.is_empty()
                && matches!(rest.nodes.as_slice(), [node] if matches!(node.op, Op::Count(Scope::Global)));
            let group = Box::new(Group {
                effect: effect.clone(),
                key: ByEval::new(by, build)?,
                first: if first.nodes.is_empty() { None } else { Some(Pipe::new(&first, build)?) },
                rest: Pipe::new(&rest, build)?,
                plan: Arc::new(rest),
                counts,
                groups: Groups::default(),
                held: Held::default(),
            });
            if effect.is_some() { Box::new(Eager::new(group)) } else { group }
        }
        Op::GroupCount(effect, by) => {
            let key = ByEval::new(by, build)?;
            let count = Box::new(GroupCount {
                effect: effect.clone(),
                key,
                counts: IndexMap::default(),
                held: Held::default(),
            });
            if effect.is_some() { Box::new(Eager::new(count)) } else { count }
        }
        _ => keep(false, |_, _| Ok(true)),
    })
}

struct Group<'g> {
    effect: Option<Text>,
    key: ByEval<'g>,
    first: Option<Pipe<'g>>,
    rest: Pipe<'g>,
    plan: Arc<Pipeline>,
    counts: bool,
    groups: Groups,
    held: Held,
}

impl<'g> Stage<'g> for Group<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        if self.key.reads() {
            storage::load_queue(cx, input)?;
        }
        for traverser in input.drain(..) {
            let Some(key) = self.key.get(cx, &traverser)? else {
                if self.effect.is_some() {
                    out.push(traverser);
                }
                continue;
            };
            let mut rows = Vec::new();
            if !self.counts {
                match &mut self.first {
                    None => rows.push(traverser.clone()),
                    Some(pipe) => {
                        pipe.reset();
                        pipe.push(traverser.clone());
                        pipe.drain(cx, &mut rows)?;
                    }
                }
                self.held.more(cx, rows.iter().map(|row| context::rows(&row.value)).sum())?;
            }
            let groups = match &self.effect {
                None => &mut self.groups,
                Some(name) => {
                    let plan = &self.plan;
                    let content =
                        cx.side_effects.content(name, || Content::Groups(Groups::default(), Arc::clone(plan)));
                    if let Content::Groups(groups, rest) = content {
                        *rest = Arc::clone(plan);
                        groups
                    } else {
                        &mut self.groups
                    }
                }
            };
            let members = groups
                .entry(key)
                .or_insert_with(|| if self.counts { Members::Count(0) } else { Members::Rows(Vec::new()) });
            match members {
                Members::Count(count) => semantics::add_bulk(count, traverser.bulk)?,
                Members::Rows(all) => all.append(&mut rows),
            }
            if self.effect.is_some() {
                out.push(traverser);
            }
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if self.effect.is_none() {
            let groups = std::mem::take(&mut self.groups);
            let value = finish(cx, groups, &mut self.rest)?;
            let held = self.held.end(cx);
            cx.made(&value, held.saturating_mul(TRAVERSER_BYTES))?;
            out.push(cx.fresh(value));
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.groups.clear();
        if self.effect.is_none() {
            self.held.drop_all();
        }
    }
}

struct GroupCount<'g> {
    effect: Option<Text>,
    key: ByEval<'g>,
    counts: IndexMap<Value, i64>,
    held: Held,
}

impl<'g> Stage<'g> for GroupCount<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        if self.key.reads() {
            storage::load_queue(cx, input)?;
        }
        for traverser in input.drain(..) {
            if let Some(key) = self.key.get(cx, &traverser)? {
                let bulk = i64::try_from(traverser.bulk).unwrap_or(i64::MAX);
                let counts = match &self.effect {
                    None => Some(&mut self.counts),
                    Some(name) => match cx.side_effects.content(name, || Content::Counts(IndexMap::default())) {
                        Content::Counts(counts) => Some(counts),
                        Content::Value(value) => {
                            add_to_map(value, key.clone(), bulk);
                            None
                        }
                        _ => None,
                    },
                };
                if let Some(counts) = counts {
                    let held = counts.len();
                    let count = counts.entry(key).or_default();
                    *count = count.saturating_add(bulk);
                    let added = counts.len() - held;
                    self.held.more(cx, u64::try_from(added).unwrap_or_default())?;
                }
            }
            if self.effect.is_some() {
                out.push(traverser);
            }
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if self.effect.is_none() {
            let counts = std::mem::take(&mut self.counts);
            let value = Value::map(counts.into_iter().map(|(key, count)| (key, Value::Long(count))));
            let held = self.held.end(cx);
            cx.made(&value, held.saturating_mul(TRAVERSER_BYTES))?;
            out.push(cx.fresh(value));
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.counts.clear();
        if self.effect.is_none() {
            self.held.drop_all();
        }
    }
}

/// Adds a count to a map that the query declared.
fn add_to_map(value: &mut Value, key: Value, bulk: i64) {
    if let Value::Map(map) = value {
        let slot = Arc::make_mut(map).entry(key).or_insert(Value::Long(0));
        *slot = Value::Long(slot.as_i64().unwrap_or_default().saturating_add(bulk));
    }
}
