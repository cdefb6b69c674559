//! Side effects: values that belong to the whole query.

use std::sync::Arc;

use indexmap::IndexMap;
use query_plan::{Op, Pipeline, PipelineFacts as _, Plan, SideEffectSeed, Text};
use query_value::{BulkSet, Operator, Subgraph, Tree, Value};
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::semantics;
use crate::traverser::Traverser;

/// What is kept of each group until its value is made.
pub type Groups = IndexMap<Value, Members>;

/// The members of a group.
#[derive(Clone, Debug)]
pub enum Members {
    /// How many, where nothing else is asked.
    Count(u64),
    /// What the first part of the pipeline made of them.
    Rows(Vec<Traverser>),
}

/// The side effects of a query, by name.
#[derive(Default)]
pub struct SideEffects {
    all: FxHashMap<Text, Effect>,
}

struct Effect {
    content: Content,
    reducer: Option<Operator>,
}

/// What a side effect is made of.
pub enum Content {
    /// A value.
    Value(Value),
    /// A bag of values.
    Bulk(BulkSet),
    /// Counts by key.
    Counts(IndexMap<Value, i64>),
    /// With the pipeline that makes the value of a group.
    Groups(Groups, Arc<Pipeline>),
    /// A tree of paths.
    Tree(Tree),
    /// A part of the graph.
    Graph(Subgraph),
}

impl SideEffects {
    /// Those that a plan declares, and those that its operators fill, still empty.
    pub fn new(plan: &Plan) -> Self {
        let effect =
            |seed: &SideEffectSeed| Effect { content: Content::Value(seed.value.clone()), reducer: seed.reducer };
        let mut effects = Self { all: plan.side_effects.iter().map(|seed| (seed.key.clone(), effect(seed))).collect() };
        plan.root.any(&mut |node| {
            let (key, content) = match &node.op {
                Op::Aggregate(_, key, _) => (key, Content::Bulk(BulkSet::default())),
                Op::GroupCount(Some(key), _) => (key, Content::Counts(IndexMap::default())),
                Op::Group(Some(key), _, pipeline) => {
                    (key, Content::Groups(Groups::default(), Arc::new(pipeline.clone())))
                }
                Op::Tree(Some(key), _) => (key, Content::Tree(Tree::default())),
                Op::Subgraph(key) => (key, Content::Graph(Subgraph::default())),
                _ => return false,
            };
            effects.content(key, || content);
            false
        });
        effects
    }

    /// Whether there is one of a name.
    pub fn has(&self, key: &str) -> bool {
        self.all.contains_key(key)
    }

    /// The content of one; none if there is none.
    pub fn get(&self, key: &str) -> Option<&Content> {
        self.all.get(key).map(|effect| &effect.content)
    }

    /// The content of a side effect, made at its first use.
    pub fn content(&mut self, key: &Text, first: impl FnOnce() -> Content) -> &mut Content {
        let effect = || Effect { content: first(), reducer: None };
        &mut self.all.entry(key.clone()).or_insert_with(effect).content
    }

    /// Whether what is added takes the place of what was there.
    pub fn is_assigned(&self, key: &str) -> bool {
        self.all.get(key).is_some_and(|effect| effect.reducer == Some(Operator::Assign))
    }

    /// Whether adding a value many times costs no more than adding it once.
    pub fn counts(&self, key: &str) -> bool {
        matches!(self.get(key), None | Some(Content::Bulk(_) | Content::Value(Value::BulkSet(_))))
    }

    /// Adds a value some times.
    pub fn add(&mut self, key: &Text, value: Value, times: u64) -> Result<()> {
        let effect = || Effect { content: Content::Bulk(BulkSet::default()), reducer: None };
        let effect = self.all.entry(key.clone()).or_insert_with(effect);
        match (&mut effect.content, effect.reducer) {
            (Content::Bulk(bulk), _) => semantics::add_bulk(bulk.entry(value).or_default(), times)?,
            (Content::Value(Value::List(items)), None | Some(Operator::AddAll)) => {
                let times = usize::try_from(times).unwrap_or(usize::MAX);
                Arc::make_mut(items).extend(std::iter::repeat_n(value, times));
            }
            (Content::Value(Value::Set(items)), None | Some(Operator::AddAll)) => {
                Arc::make_mut(items).insert(value);
            }
            (Content::Value(Value::BulkSet(items)), None | Some(Operator::AddAll)) => {
                semantics::add_bulk(Arc::make_mut(items).entry(value).or_default(), times)?;
            }
            (Content::Value(old), reducer) => {
                let operator = reducer.unwrap_or(Operator::Assign);
                for _ in 0..times {
                    *old = semantics::apply(operator, old, &value)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}
