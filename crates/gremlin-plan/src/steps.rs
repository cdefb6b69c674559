//! What each step is in a plan.

use gremlin::{
    AnyName, AnyOf, BarrierKind, Concatenated, HasKey, HasTest, Nullable, Op as Call, Selection, Step, Test,
    Value as Given,
};
use query_plan::{
    Argument, Branches, By, Call as ServiceCall, Choice, Expand, Function, Node, Op, Pipeline, PlanError, PropertyRead,
    Scan, ScopeTest, Sort, Target, Text,
};
use query_value::{Comparison, Direction, Predicate, Scope, T, Value};

use crate::algorithm::{Reading, algorithm};
use crate::branch::{cases, children, choose_op, condition, repeat, scoped};
use crate::by::{argument, by, by_key, group_value, options, ordered, place, single_by};
use crate::pattern::patterns;
use crate::translator::Translator;
use crate::value::{all, names, plain, predicate};
use crate::write::write;

/// Appends what a step is. Answers how many of the steps after it are part of it.
pub(crate) fn step(
    t: &Translator<'_>,
    step: &Step,
    after: &[Step],
    is_start: bool,
    nodes: &mut Vec<Node>,
) -> Result<usize, PlanError> {
    let name = step.op.name();
    let mut push = |op: Op| nodes.push(Node::new(op, name));
    match &step.op {
        Call::AddV { .. } | Call::AddE { .. } | Call::Property { .. } | Call::MergeV { .. } | Call::MergeE { .. } => {
            return write(t, step, after, is_start, nodes);
        }
        Call::V { ids } => scan(t, false, ids, is_start, nodes)?,
        Call::E { ids } => scan(t, true, ids, is_start, nodes)?,
        Call::To { direction, labels } => expand(t, *direction, labels, false, nodes),
        Call::ToE { direction, labels } => expand(t, *direction, labels, true, nodes),
        Call::ToV { direction } => {
            push(Op::Ends(*direction));
            t.strategies.filter_vertices(nodes);
        }
        Call::OtherV {} => {
            push(Op::OtherEnd);
            t.strategies.filter_vertices(nodes);
        }
        Call::Has { has } => has_ops(t, has, name, nodes)?,
        Call::HasId { ids } => {
            let test = any_of(ids)?;
            let id = |value: Value| value.element_id().cloned().unwrap_or(value);
            push(Op::Has(
                Target::Token(T::Id),
                match test {
                    Predicate::Within(values) => Predicate::Within(values.iter().cloned().map(id).collect()),
                    other => other,
                },
            ));
        }
        Call::HasLabel { labels } => push(Op::Has(Target::Token(T::Label), any_name(labels)?)),
        Call::HasKey { keys } => push(Op::Has(Target::Token(T::Key), any_name(keys)?)),
        Call::HasValue { values } => push(Op::Has(Target::Token(T::Value), any_of(values)?)),
        Call::HasNot { key } => push(key.0.clone().map_or(Op::Identity, |key| Op::HasKey(key, false))),
        Call::Where { start, test } => match test {
            Test::Predicate(test) => {
                let test = ScopeTest { start: start.0.clone(), predicate: predicate(test)?, by: by(t, step)? };
                push(Op::Where(test));
            }
            Test::Traversal(traversal) => push(Op::Filter(scoped(t, traversal)?)),
        },
        Call::Aggregate { scope, key } => {
            push(Op::Aggregate(*scope, key.clone(), single_by(t, step, "Aggregate")?));
        }
        Call::Choose { choose } => push(choose_op(t, choose, step)?),
        Call::Branch { selector } => {
            let choice = Choice::Value(By::Child(t.child(selector)?));
            push(Op::Choose(Box::new(Branches { choice, cases: cases(t, step, false)?, is_first: false })));
        }
        Call::Repeat { name, body } => push(repeat(t, name.0.as_ref(), body, step)?),
        Call::Properties { keys } => properties(t, PropertyRead::Properties, names(keys), nodes),
        Call::Values { keys } => properties(t, PropertyRead::Values, names(keys), nodes),
        Call::Inject { values } => {
            let is_first = nodes.is_empty();
            nodes.push(Node::new(Op::Inject(all(values)?, is_first), name));
        }
        Call::PageRank { .. } | Call::PeerPressure {} | Call::ConnectedComponent {} | Call::ShortestPath {} => {
            let mut vertices = Vec::new();
            scan(t, false, &[], true, &mut vertices)?;
            let edges = |direction| {
                let mut nodes = Vec::new();
                expand(t, direction, &[], true, &mut nodes);
                Pipeline::new(nodes)
            };
            let reading = Reading { vertices: Pipeline::new(vertices), edges: &edges };
            let op = algorithm(t, step, nodes, reading)?;
            nodes.push(Node::new(op, name));
        }
        other => push(single(t, other, step, is_start)?),
    }
    Ok(0)
}

/// Steps that are one operator.
fn single(t: &Translator<'_>, call: &Call, step: &Step, is_start: bool) -> Result<Op, PlanError> {
    Ok(match call {
        Call::Start {} | Call::Identity {} => Op::Identity,
        Call::Is { test } => Op::Is(predicate(&test.0)?),
        Call::Filter { test } => Op::Filter(condition(t, test)?),
        Call::Not { traversal } => Op::Not(t.child(traversal)?),
        Call::And { traversals } => Op::And(children(t, traversals)?),
        Call::Or { traversals } => Op::Or(children(t, traversals)?),
        Call::Any { test } => Op::Any(predicate(test)?),
        Call::All { test } => Op::All(predicate(test)?),
        Call::None { test } => Op::NoneOf(predicate(test)?),
        Call::Dedup { scope: Scope::Local, .. } => Op::DedupLocal,
        Call::Dedup { labels, .. } => {
            let by = single_by(t, step, "Dedup")?;
            let by = if matches!(by, By::Identity) { Vec::new() } else { vec![by] };
            Op::Dedup(names(labels), by)
        }
        Call::Order { scope: Scope::Local } => Op::Function(Function::OrderLocal(ordered(t, step)?)),
        Call::Order { .. } => Op::Order(Sort { by: ordered(t, step)?, limit: None }),
        Call::Limit { scope, count } => range(*scope, 0, *count)?,
        Call::Skip { scope, count } => range(*scope, *count, -1)?,
        Call::Range { scope, low, high } => range(*scope, *low, *high)?,
        Call::Tail { scope, count } => Op::Tail(*scope, count.unwrap_or(1)),
        Call::Sample { scope, count } => {
            let by = single_by(t, step, "Sample")?;
            let by = if matches!(by, By::Identity) { Vec::new() } else { vec![by] };
            Op::Sample(*scope, *count, by)
        }
        Call::Coin { probability } => Op::Coin(*probability),
        Call::TimeLimit { milliseconds } => Op::TimeLimit(*milliseconds),
        Call::SimplePath {} => Op::PathTest(true, place(step), by(t, step)?),
        Call::CyclicPath {} => Op::PathTest(false, place(step), by(t, step)?),
        Call::Discard {} => Op::Discard,
        Call::Fail { message } => Op::Fail(message.clone()),
        Call::Barrier { kind: BarrierKind::All } => Op::Barrier(None),
        Call::Barrier { kind: BarrierKind::Size(size) } => Op::Barrier(u64::try_from(*size).ok()),
        Call::Barrier { kind: BarrierKind::Function(_) } => Op::NormSack,
        Call::Id {} => Op::Token(T::Id),
        Call::Label {} => Op::Token(T::Label),
        Call::Key {} => Op::Token(T::Key),
        Call::Value {} => Op::Token(T::Value),
        Call::Loops { name } => Op::Loops(name.clone()),
        Call::Index {} => {
            let indexer = step.options().find(|(key, _)| *key == "~tinkerpop.index.indexer");
            Op::Index(indexer.and_then(|(_, value)| value.and_then(Given::as_i64)) == Some(1))
        }
        Call::Constant { value } => Op::Constant(plain(value)?),
        Call::ValueMap { tokens, keys } => value_map(t, tokens.0, names(keys), step, false)?,
        Call::PropertyMap { keys } => value_map(t, None, names(keys), step, true)?,
        Call::ElementMap { keys } => Op::ElementMap(names(keys)),
        Call::Element {} => Op::Element,
        Call::Project { key, keys } => {
            let mut all = vec![key.clone()];
            all.extend(names(keys));
            Op::Project(all, by(t, step)?)
        }
        Call::Select { pop, what } => match what {
            Selection::Column(column) => Op::SelectColumn(*column),
            Selection::Labels(labels) => Op::Select(pop.0, names(labels), by(t, step)?),
            Selection::Traversal(traversal) => Op::SelectChild(pop.0, t.child(traversal)?, by(t, step)?),
        },
        Call::Path {} => Op::Path(place(step), by(t, step)?),
        Call::Tree { key } => Op::Tree(key.clone(), by(t, step)?),
        Call::Map { traversal } => Op::Map(t.child(traversal)?),
        Call::FlatMap { traversal } => Op::FlatMap(t.child(traversal)?),
        Call::Local { traversal } => Op::Local(t.child(traversal)?),
        Call::SideEffect { traversal } => Op::SideEffect(t.child(traversal)?),
        Call::Union { traversals } if is_start => {
            let all = traversals.iter().map(|child| t.pipeline(&child.steps, true));
            Op::Union(all.collect::<Result<_, _>>()?, true)
        }
        Call::Union { traversals } => Op::Union(children(t, traversals)?, false),
        Call::Coalesce { traversals } => Op::Coalesce(children(t, traversals)?),
        Call::Optional { traversal } => Op::Optional(t.child(traversal)?),
        Call::Fold { reduce } => {
            let seed = reduce.as_ref().map(|reduce| Ok::<_, PlanError>((plain(&reduce.seed)?, reduce.operator)));
            Op::Fold(seed.transpose()?)
        }
        Call::Unfold {} => Op::Unfold,
        Call::Count { scope } => Op::Count(*scope),
        Call::Sum { scope } => Op::Sum(*scope),
        Call::Min { scope } => Op::Min(*scope),
        Call::Max { scope } => Op::Max(*scope),
        Call::Mean { scope } => Op::Mean(*scope),
        Call::Group { key } => {
            let by: Vec<_> = step.by().map(|(key, _)| key).collect();
            if by.len() > 2 {
                let message = "The key and value traversals for group()-step have already been set";
                return Err(PlanError::new(message));
            }
            let first = by.first().map_or(Ok(By::Identity), |key| by_key(t, key))?;
            Op::Group(key.clone(), first, group_value(t, by.get(1).copied())?)
        }
        Call::GroupCount { key } => Op::GroupCount(key.clone(), single_by(t, step, "GroupCount")?),
        Call::Cap { key, keys } => {
            let mut all = vec![key.clone()];
            all.extend(names(keys));
            Op::Cap(all)
        }
        Call::Sack { operator: None } => Op::SackGet,
        Call::Sack { operator: Some(operator) } => Op::SackSet(*operator, single_by(t, step, "Sack")?),
        Call::Math { expression } => Op::Math(expression.clone(), by(t, step)?),
        Call::Format { format } => Op::Format(format.clone(), by(t, step)?),
        Call::Drop {} => Op::Drop,
        Call::Subgraph { key } => Op::Subgraph(key.clone()),
        Call::Match { traversals } => Op::Match(patterns(t, traversals)?),
        Call::Profile { key } => Op::Profile(key.clone()),
        Call::Call { service, parameters, traversal } => Op::Call(Box::new(ServiceCall {
            service: service.0.clone(),
            parameters: match &parameters.0 {
                Some(gremlin::MapArgument::Map(pairs)) => crate::value::pairs_of(pairs)?,
                _ => Vec::new(),
            },
            child: traversal.as_ref().map(|child| t.child(child)).transpose()?,
            options: options(t, step)?,
            is_start,
        })),
        Call::Io { .. } => {
            return Err(PlanError::new("io() is not supported: a server does not read or write files for its clients"));
        }
        other => Op::Function(function(t, other)?),
    })
}

fn function(t: &Translator<'_>, call: &Call) -> Result<Function, PlanError> {
    let text = |text: &Nullable| text.0.clone();
    Ok(match call {
        Call::AsBool {} => Function::AsBool,
        Call::AsDate {} => Function::AsDate,
        Call::AsNumber { gtype } => Function::AsNumber(*gtype),
        Call::AsString { scope } => Function::AsString(*scope),
        Call::Concat { others: Concatenated::Texts(texts) } => Function::Concat(
            texts.iter().map(|text| Argument::Value(text.0.clone().map_or(Value::Null, Value::String))).collect(),
        ),
        Call::Concat { others: Concatenated::Traversals(all) } => {
            Function::Concat(all.iter().map(|child| t.child(child).map(Argument::Child)).collect::<Result<_, _>>()?)
        }
        Call::Conjoin { delimiter } => Function::Conjoin(delimiter.clone()),
        Call::DateAdd { unit, amount } => Function::DateAdd(*unit, *amount),
        Call::DateDiff { other } => Function::DateDiff(argument(t, other)?),
        Call::Length { scope } => Function::Length(*scope),
        Call::ToLower { scope } => Function::ToLower(*scope),
        Call::ToUpper { scope } => Function::ToUpper(*scope),
        Call::Trim { scope } => Function::Trim(*scope),
        Call::LTrim { scope } => Function::LTrim(*scope),
        Call::RTrim { scope } => Function::RTrim(*scope),
        Call::Replace { scope, from, to } => Function::Replace(*scope, text(from), text(to)),
        Call::Split { scope, separator } => Function::Split(*scope, text(separator)),
        Call::Substring { scope, start, end } => Function::Substring(*scope, *start, *end),
        Call::Reverse {} => Function::Reverse,
        Call::Combine { other } => Function::Combine(argument(t, other)?),
        Call::Difference { other } => Function::Difference(argument(t, other)?),
        Call::Disjunct { other } => Function::Disjunct(argument(t, other)?),
        Call::Intersect { other } => Function::Intersect(argument(t, other)?),
        Call::Merge { other } => Function::Merge(argument(t, other)?),
        Call::Product { other } => Function::Product(argument(t, other)?),
        other => return Err(PlanError::new(format!("{}() is not supported", other.name()))),
    })
}

fn scan(
    t: &Translator<'_>,
    is_edges: bool,
    ids: &[Given],
    is_start: bool,
    nodes: &mut Vec<Node>,
) -> Result<(), PlanError> {
    let ids = match ids {
        [] => None,
        [Given::List(items) | Given::Set(items)] => Some(all(items)?),
        ids => Some(all(ids)?),
    };
    let scan = Scan { is_edges, ids, is_start, ..Scan::default() };
    nodes.push(Node::new(Op::Scan(scan), if is_edges { "E" } else { "V" }));
    if is_edges {
        t.strategies.filter_edges(nodes);
    } else {
        t.strategies.filter_vertices(nodes);
    }
    Ok(())
}

fn expand(t: &Translator<'_>, direction: Direction, labels: &[Nullable], to_edges: bool, nodes: &mut Vec<Node>) {
    let name = match (direction, to_edges) {
        (Direction::Out, false) => "out",
        (Direction::In, false) => "in",
        (Direction::Both, false) => "both",
        (Direction::Out, true) => "outE",
        (Direction::In, true) => "inE",
        (Direction::Both, true) => "bothE",
    };
    let labels = if labels.is_empty() { None } else { Some(names(labels)) };
    let edge_filter = t.strategies.edge_filter();
    let edge_filter = if to_edges { None } else { edge_filter };
    let expand = Expand { labels, to_edges, edge_filter, ..Expand::new(direction) };
    nodes.push(Node::new(Op::Expand(expand), name));
    if to_edges {
        t.strategies.filter_edges(nodes);
    } else {
        t.strategies.filter_vertices(nodes);
    }
}

fn has_ops(t: &Translator<'_>, has: &gremlin::Has, name: &str, nodes: &mut Vec<Node>) -> Result<(), PlanError> {
    if let Some(label) = &has.label {
        let label = label.0.clone().map_or(Value::Null, Value::String);
        let test = Predicate::Compare(Comparison::Eq, label);
        nodes.push(Node::new(Op::Has(Target::Token(T::Label), test), name));
    }
    let target = match &has.key {
        HasKey::Token(token) => Target::Token(*token),
        HasKey::Property(Nullable(Some(key))) => Target::Property(key.clone()),
        HasKey::Property(Nullable(None)) => {
            nodes.push(Node::new(Op::Discard, name));
            return Ok(());
        }
    };
    nodes.push(Node::new(
        match (&has.test, target) {
            (HasTest::Exists, Target::Property(key)) => Op::HasKey(key, true),
            (HasTest::Exists, Target::Token(_)) => Op::Identity,
            (HasTest::Predicate(test), target) => {
                let test = predicate(test)?;
                let id = |value: Value| value.element_id().cloned().unwrap_or(value);
                Op::Has(
                    target.clone(),
                    match test {
                        Predicate::Compare(comparison, value) if target == Target::Token(T::Id) => {
                            Predicate::Compare(comparison, id(value))
                        }
                        other => other,
                    },
                )
            }
            (HasTest::Traversal(traversal), target) => Op::HasChild(target, t.child(traversal)?),
        },
        name,
    ));
    Ok(())
}

fn properties(t: &Translator<'_>, read: PropertyRead, keys: Vec<Text>, nodes: &mut Vec<Node>) {
    match t.strategies.property_filter() {
        None => {
            let name = if read == PropertyRead::Values { "values" } else { "properties" };
            nodes.push(Node::new(Op::Properties(read, keys), name));
        }
        Some(filter) => {
            nodes.push(Node::new(Op::Properties(PropertyRead::Properties, keys), "properties"));
            nodes.push(Node::new(Op::Filter(filter), "filter"));
            if read == PropertyRead::Values {
                nodes.push(Node::new(Op::Token(T::Value), "value"));
            }
        }
    }
}

fn value_map(
    t: &Translator<'_>,
    tokens: Option<bool>,
    keys: Vec<Text>,
    step: &Step,
    as_properties: bool,
) -> Result<Op, PlanError> {
    let mut shown = if tokens == Some(true) { 15 } else { 0 };
    for (key, value) in step.options() {
        if key == "~tinkerpop.valueMap.tokens" {
            shown = match value {
                None => 15,
                Some(value) => value.as_i64().and_then(|bits| u8::try_from(bits).ok()).unwrap_or(15),
            };
        }
    }
    let by = by(t, step)?;
    if by.len() > 1 {
        let name = if as_properties { "PropertyMap" } else { "ValueMap" };
        return Err(PlanError::new(format!("{name} step can only have one by modulator")));
    }
    Ok(Op::ValueMap { keys, tokens: shown, by, as_properties })
}

fn any_of(any: &AnyOf) -> Result<Predicate, PlanError> {
    match any {
        AnyOf::Values(values) => Ok(Predicate::Within(all(values)?.into_iter().collect())),
        AnyOf::Predicate(test) => predicate(test),
    }
}

fn any_name(any: &AnyName) -> Result<Predicate, PlanError> {
    match any {
        AnyName::Names(names) => {
            let name = |name: &Nullable| name.0.clone().map_or(Value::Null, Value::String);
            Ok(Predicate::Within(names.iter().map(name).collect()))
        }
        AnyName::Predicate(test) => predicate(test),
    }
}

/// A range's bounds, checked.
fn range(scope: Scope, low: i64, high: i64) -> Result<Op, PlanError> {
    if low > high && high != -1 {
        return Err(PlanError::new(format!("Not a legal range: [{low}, {high}]")));
    }
    Ok(Op::Range(scope, low, high))
}
