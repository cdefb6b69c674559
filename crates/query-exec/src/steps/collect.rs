//! What collects side effects and gives them back.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use query_plan::{Op, Text};
use query_value::{BulkSet, Edge, Map, Scope, Subgraph, Tree, Value, Vertex};

use super::each::{each, keep};
use crate::by::{ByEval, by_turn};
use crate::context::{Build, Cx, Stage, rows};
use crate::effects;
use crate::error::{ExecError, Result};
use crate::semantics;
use crate::side_effects::Content;
use crate::storage;
use crate::traverser::Traverser;

pub(super) fn stage<'g>(op: &Op, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Ok(match op {
        Op::Aggregate(scope, key, by) => Box::new(Aggregate {
            is_global: *scope == Scope::Global,
            key: key.clone(),
            by: ByEval::new(by, build)?,
            kept: Vec::new(),
            assigned: BulkSet::default(),
        }),
        Op::Cap(keys) => Box::new(Cap { keys: keys.clone(), is_given: false }),
        Op::Tree(effect, by) => {
            let by = ByEval::all(by, build)?;
            let tree = TreeStage { effect: effect.clone(), by, tree: Tree::default(), is_given: false };
            if effect.is_some() { Box::new(Eager::new(Box::new(tree))) } else { Box::new(tree) }
        }
        Op::Subgraph(key) => Box::new(Eager::new(subgraph(key))),
        Op::Profile(key) => Box::new(Profile { key: key.clone(), started: Instant::now(), is_given: false }),
        _ => keep(false, |_, _| Ok(true)),
    })
}

/// A stage that fills a side effect: what follows sees all that it was given.
pub(super) struct Eager<'g> {
    stage: Box<dyn Stage<'g> + 'g>,
    kept: Vec<Traverser>,
}

impl<'g> Eager<'g> {
    pub(super) fn new(stage: Box<dyn Stage<'g> + 'g>) -> Self {
        Self { stage, kept: Vec::new() }
    }
}

impl<'g> Stage<'g> for Eager<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        let held = self.kept.len();
        self.stage.process(cx, input, &mut self.kept)?;
        cx.hold(u64::try_from(self.kept.len() - held).unwrap_or_default())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        cx.release(u64::try_from(self.kept.len()).unwrap_or_default());
        out.append(&mut self.kept);
        self.stage.finish(cx, out)
    }

    fn reset(&mut self) {
        self.kept.clear();
        self.stage.reset();
    }
}

struct Aggregate<'g> {
    is_global: bool,
    key: Text,
    by: ByEval<'g>,
    kept: Vec<Traverser>,
    /// What takes the place of the side effect's value at the end.
    assigned: BulkSet,
}

impl<'g> Stage<'g> for Aggregate<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        if self.by.reads() {
            storage::load_queue(cx, input)?;
        }
        for traverser in input.drain(..) {
            if let Some(value) = self.by.get(cx, &traverser)? {
                if self.is_global && cx.side_effects.is_assigned(&self.key) {
                    cx.hold(rows(&value))?;
                    semantics::add_bulk(self.assigned.entry(value).or_default(), traverser.bulk)?;
                } else if cx.side_effects.counts(&self.key) {
                    cx.hold(rows(&value))?;
                    cx.side_effects.add(&self.key, value, traverser.bulk)?;
                } else {
                    let is_list = matches!(cx.side_effects.get(&self.key), Some(Content::Value(Value::List(_))));
                    for _ in 0..traverser.bulk {
                        cx.tick(1)?;
                        cx.hold(if is_list { rows(&value) } else { 0 })?;
                        cx.side_effects.add(&self.key, value.clone(), 1)?;
                    }
                }
            }
            if self.is_global {
                cx.hold(1)?;
                self.kept.push(traverser);
            } else {
                out.push(traverser);
            }
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        cx.release(u64::try_from(self.kept.len()).unwrap_or_default());
        out.append(&mut self.kept);
        if !self.assigned.is_empty() {
            let all = Value::BulkSet(Arc::new(std::mem::take(&mut self.assigned)));
            cx.side_effects.add(&self.key, all, 1)?;
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.kept.clear();
        self.assigned.clear();
    }
}

struct Cap {
    keys: Vec<Text>,
    is_given: bool,
}

impl<'g> Stage<'g> for Cap {
    fn process(&mut self, _: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        input.clear();
        self.is_given = false;
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if std::mem::replace(&mut self.is_given, true) {
            return Ok(false);
        }
        let mut map = Map::new();
        for key in &self.keys {
            let missing =
                || ExecError::evaluation(format!("The side-effect key does not exist in the side-effects: {key}"));
            let value = effects::value(cx, key)?.ok_or_else(missing)?;
            if self.keys.len() == 1 {
                out.push(cx.fresh(value));
                return Ok(false);
            }
            map.insert(Value::String(key.clone()), value);
        }
        out.push(cx.fresh(Value::from(map)));
        Ok(false)
    }

    fn reset(&mut self) {
        self.is_given = false;
    }
}

struct TreeStage<'g> {
    effect: Option<Text>,
    by: Vec<ByEval<'g>>,
    tree: Tree,
    is_given: bool,
}

impl<'g> Stage<'g> for TreeStage<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        for traverser in input.drain(..) {
            let path = traverser.path().map(|path| path.to_path()).unwrap_or_default();
            let mut keys = Vec::with_capacity(path.objects.len());
            for (at, object) in path.objects.into_iter().enumerate() {
                match by_turn(&mut self.by, at, cx, &traverser, object)? {
                    Some(key) => keys.push(key),
                    None => break,
                }
            }
            cx.hold(u64::try_from(keys.len()).unwrap_or_default())?;
            let mut tree = match &self.effect {
                None => &mut self.tree,
                Some(name) => match cx.side_effects.content(name, || Content::Tree(Tree::default())) {
                    Content::Tree(tree) => tree,
                    _ => &mut self.tree,
                },
            };
            for key in keys {
                tree = tree.0.entry(key).or_default();
            }
            if self.effect.is_some() {
                out.push(traverser);
            }
        }
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if self.effect.is_none() && !std::mem::replace(&mut self.is_given, true) {
            let tree = std::mem::take(&mut self.tree);
            out.push(cx.fresh(Value::from(tree)));
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.tree = Tree::default();
        self.is_given = false;
    }
}

fn subgraph<'g>(key: &Text) -> Box<dyn Stage<'g> + 'g> {
    let key = key.clone();
    each(false, move |cx, traverser, out| {
        let Value::Edge(edge) = &traverser.value else {
            let kind = traverser.value.kind();
            return Err(ExecError::evaluation(format!("subgraph() takes edges, found {kind}")));
        };
        cx.hold(3)?;
        if let Content::Graph(graph) = cx.side_effects.content(&key, || Content::Graph(Subgraph::default())) {
            add_edge(graph, edge);
        }
        out.push(traverser);
        Ok(())
    })
}

fn add_edge(graph: &mut Subgraph, edge: &Arc<Edge>) {
    for end in [&edge.source, &edge.target] {
        let vertex = || Arc::new(Vertex { id: end.id.clone(), label: end.label.clone(), properties: None });
        graph.vertices.entry(end.id.clone()).or_insert_with(vertex);
    }
    graph.edges.entry(edge.id.clone()).or_insert_with(|| Arc::clone(edge));
}

/// Takes everything; the executor puts what it measured in its place.
struct Profile {
    key: Option<Text>,
    started: Instant,
    is_given: bool,
}

impl<'g> Stage<'g> for Profile {
    fn process(&mut self, _: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        if self.key.is_some() {
            out.extend(input.drain(..));
        }
        input.clear();
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if !std::mem::replace(&mut self.is_given, true) {
            let nanoseconds = i64::try_from(self.started.elapsed().as_nanos()).unwrap_or(i64::MAX);
            let metrics = query_value::TraversalMetrics { nanoseconds, steps: std::mem::take(&mut cx.measured) };
            match &self.key {
                None => out.push(cx.fresh(Value::from(metrics))),
                Some(key) => {
                    let content = cx.side_effects.content(key, || Content::Value(Value::Null));
                    *content = Content::Value(Value::from(metrics));
                }
            }
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.is_given = false;
    }
}
