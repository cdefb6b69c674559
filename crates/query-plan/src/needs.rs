//! What operators contain, need and do.

use crate::op::{
    AlgorithmKind, Argument, Branches, By, Case, Choice, Function, Merge, Node, Op, Pattern, Pipeline, PropertyChange,
    Sort,
};
use crate::paths::Paths;

/// What holds at most one pipeline.
trait Holder {
    fn child(&self) -> Option<&Pipeline>;
    fn child_mut(&mut self) -> Option<&mut Pipeline>;
}

impl Holder for By {
    fn child(&self) -> Option<&Pipeline> {
        match self {
            Self::Child(child) => Some(child),
            Self::Productive(by) => by.child(),
            Self::Ordered(ordered) => ordered.by.child(),
            _ => None,
        }
    }

    fn child_mut(&mut self) -> Option<&mut Pipeline> {
        match self {
            Self::Child(child) => Some(child),
            Self::Productive(by) => by.child_mut(),
            Self::Ordered(ordered) => ordered.by.child_mut(),
            _ => None,
        }
    }
}

impl Holder for Argument {
    fn child(&self) -> Option<&Pipeline> {
        if let Self::Child(child) = self { Some(child) } else { None }
    }

    fn child_mut(&mut self) -> Option<&mut Pipeline> {
        if let Self::Child(child) = self { Some(child) } else { None }
    }
}

macro_rules! children {
    ($name:ident, $branches:ident, $change:ident, $merge:ident, $function:ident, $patterns:ident, $child:ident,
     $iter:ident, $as:ident, [$($m:tt)?]) => {
        fn $branches<'a>(branches: &'a $($m)? Branches, out: &mut Vec<&'a $($m)? Pipeline>) {
            match &$($m)? branches.choice {
                Choice::Test(child) => out.push(child),
                Choice::Predicate(_) => {}
                Choice::Value(by) => out.extend(by.$child()),
            }
            for case in branches.cases.$iter() {
                match case {
                    Case::Test(test, child) => out.extend([test, child]),
                    Case::Value(_, child) | Case::Predicate(_, child) | Case::Pick(_, child) => out.push(child),
                }
            }
        }

        fn $change<'a>(change: &'a $($m)? PropertyChange, out: &mut Vec<&'a $($m)? Pipeline>) {
            out.extend(change.key.$child());
            out.extend(change.value.$as().and_then(Holder::$child));
            for (key, value) in change.meta.$iter() {
                out.extend(key.$child());
                out.extend(value.$child());
            }
        }

        fn $merge<'a>(merge: &'a $($m)? Merge, out: &mut Vec<&'a $($m)? Pipeline>) {
            let Merge { search, on_create, on_match, out_vertex, in_vertex, added: _, is_start: _ } = merge;
            for map in [search, on_create, on_match, out_vertex, in_vertex] {
                out.extend(map.$as().and_then(|map| map.map.$child()));
            }
        }

        fn $function<'a>(function: &'a $($m)? Function, out: &mut Vec<&'a $($m)? Pipeline>) {
            match function {
                Function::Concat(arguments) => out.extend(arguments.$iter().filter_map(Holder::$child)),
                Function::DateDiff(argument)
                | Function::Combine(argument)
                | Function::Difference(argument)
                | Function::Disjunct(argument)
                | Function::Intersect(argument)
                | Function::Merge(argument)
                | Function::Product(argument) => out.extend(argument.$child()),
                Function::OrderLocal(by) => out.extend(by.$iter().filter_map(Holder::$child)),
                _ => {}
            }
        }

        fn $patterns<'a>(patterns: &'a $($m)? [Pattern], out: &mut Vec<&'a $($m)? Pipeline>) {
            for pattern in patterns.$iter() {
                match pattern {
                    Pattern::Join(join) => out.push(& $($m)? join.body),
                    Pattern::Test(child, _) => out.push(child),
                    Pattern::Any(lists) => lists.$iter().for_each(|list| $patterns(list, out)),
                }
            }
        }

        fn $name(op: & $($m)? Op) -> Vec<& $($m)? Pipeline> {
                let mut out = Vec::new();
                match op {
                    Op::HasChild(_, child)
                    | Op::Filter(child)
                    | Op::Not(child)
                    | Op::Map(child)
                    | Op::FlatMap(child)
                    | Op::Local(child)
                    | Op::SideEffect(child)
                    | Op::Optional(child) => out.push(child),
                    Op::And(all) | Op::Or(all) | Op::Union(all, _) | Op::Coalesce(all) => {
                        out.extend(all.$iter());
                    }
                    Op::Match(patterns) => $patterns(patterns, &mut out),
                    Op::Expand(expand) => out.extend(expand.edge_filter.$as()),
                    Op::Where(test) => out.extend(test.by.$iter().filter_map(Holder::$child)),
                    Op::Dedup(_, by)
                    | Op::Sample(_, _, by)
                    | Op::PathTest(_, _, by)
                    | Op::ValueMap { by, .. }
                    | Op::Project(_, by)
                    | Op::Select(_, _, by)
                    | Op::Path(_, by)
                    | Op::Tree(_, by)
                    | Op::Math(_, by)
                    | Op::Order(Sort { by, .. })
                    | Op::Format(_, by) => out.extend(by.$iter().filter_map(Holder::$child)),
                    Op::SelectChild(_, child, by) => {
                        out.push(child);
                        out.extend(by.$iter().filter_map(Holder::$child));
                    }
                    Op::GroupCount(_, by) | Op::Aggregate(_, _, by) | Op::SackSet(_, by) => out.extend(by.$child()),
                    Op::Group(_, by, child) => {
                        out.extend(by.$child());
                        out.push(child);
                    }
                    Op::Choose(branches) => $branches(branches, &mut out),
                    Op::Repeat(repeat) => {
                        out.push(& $($m)? repeat.body);
                        out.extend(repeat.until.$as());
                        out.extend(repeat.emit.$as());
                    }
                    Op::Function(function) => $function(function, &mut out),
                    Op::AddVertex(add) => {
                        out.extend(add.label.$as().and_then(Holder::$child));
                        out.extend(add.id.$as().and_then(Holder::$child));
                        for change in add.properties.$iter() {
                            $change(change, &mut out);
                        }
                    }
                    Op::AddEdge(add) => {
                        out.extend(add.label.$child());
                        for end in [& $($m)? add.id, & $($m)? add.from, & $($m)? add.to] {
                            out.extend(end.$as().and_then(Holder::$child));
                        }
                        for change in add.properties.$iter() {
                            $change(change, &mut out);
                        }
                    }
                    Op::SetProperty(change) => $change(change, &mut out),
                    Op::MergeVertex(merge) | Op::MergeEdge(merge) => $merge(merge, &mut out),
                    Op::Call(call) => {
                        out.extend(call.child.$as());
                        out.extend(call.options.$iter().filter_map(|(_, value)| value.$child()));
                    }
                    Op::Algorithm(algorithm) => {
                        out.push(& $($m)? algorithm.vertices);
                        out.push(& $($m)? algorithm.edges);
                        if let AlgorithmKind::ShortestPath(paths) = & $($m)? algorithm.kind {
                            out.extend(paths.target.$as());
                            out.extend(paths.distance.$as().and_then(Holder::$child));
                        }
                    }
                    _ => {}
                }
                out
        }
    };
}

children!(children_of, branches, change, merge, function, patterns, child, iter, as_ref, []);
children!(
    children_mut_of, branches_mut, change_mut, merge_mut, function_mut, patterns_mut, child_mut, iter_mut, as_mut, [mut]
);

/// What operators contain, need and do.
pub trait OpFacts {
    /// The pipelines inside.
    fn children(&self) -> Vec<&Pipeline>;

    /// The same, to be changed.
    fn children_mut(&mut self) -> Vec<&mut Pipeline>;

    /// Whether it writes to the graph.
    fn is_write(&self) -> bool;

    /// Whether others can see how many values it has taken.
    fn has_effect(&self) -> bool;

    /// Whether it takes everything before it gives anything.
    fn is_barrier(&self) -> bool;

    /// Whether results are new objects of a path; others are the objects that came in.
    fn extends_path(&self) -> bool;

    /// What it must know of the way a traverser came.
    fn paths(&self) -> Paths;

    /// Whether each result depends on one input alone and on nothing before, so that inputs may be taken in any
    /// number and order.
    fn is_row_wise(&self) -> bool;
}

/// What pipelines contain, need and do.
pub trait PipelineFacts {
    /// What its operators must know of the way a traverser came.
    fn paths(&self) -> Paths;

    /// Whether any operator takes everything before it gives anything.
    fn has_barrier(&self) -> bool;

    /// How many operators there are, nested ones included.
    fn operators(&self) -> usize;

    /// Whether any operator, nested ones included, passes a test.
    fn any(&self, test: &mut dyn FnMut(&Node) -> bool) -> bool;
}

impl OpFacts for Op {
    fn children(&self) -> Vec<&Pipeline> {
        children_of(self)
    }

    fn children_mut(&mut self) -> Vec<&mut Pipeline> {
        children_mut_of(self)
    }

    fn is_write(&self) -> bool {
        matches!(
            self,
            Self::AddVertex(_)
                | Self::AddEdge(_)
                | Self::SetProperty(_)
                | Self::Drop
                | Self::MergeVertex(_)
                | Self::MergeEdge(_)
        )
    }

    fn has_effect(&self) -> bool {
        match self {
            Self::SideEffect(_) | Self::Subgraph(_) | Self::Fail(_) | Self::TimeLimit(_) => true,
            Self::Aggregate(..) => true,
            Self::Group(key, ..) | Self::GroupCount(key, _) | Self::Tree(key, _) => key.is_some(),
            other => other.is_write(),
        }
    }

    fn is_barrier(&self) -> bool {
        match self {
            Self::Barrier(_) | Self::NormSack | Self::Cap(_) | Self::Fold(_) | Self::Algorithm(_) => true,
            Self::Count(scope)
            | Self::Sum(scope)
            | Self::Min(scope)
            | Self::Max(scope)
            | Self::Mean(scope)
            | Self::Tail(scope, _)
            | Self::Sample(scope, ..)
            | Self::Aggregate(scope, ..) => *scope == query_value::Scope::Global,
            Self::Group(key, ..) | Self::GroupCount(key, _) | Self::Tree(key, _) => key.is_none(),
            Self::Profile(key) => key.is_none(),
            Self::Order(_) => true,
            _ => false,
        }
    }

    fn extends_path(&self) -> bool {
        !matches!(
            self,
            Self::Start
                | Self::Inject(..)
                | Self::Has(..)
                | Self::HasKey(..)
                | Self::HasChild(..)
                | Self::Is(_)
                | Self::Filter(_)
                | Self::Not(_)
                | Self::And(_)
                | Self::Or(_)
                | Self::Where(_)
                | Self::ScopeEnd(_)
                | Self::Any(_)
                | Self::All(_)
                | Self::NoneOf(_)
                | Self::Dedup(..)
                | Self::Range(query_value::Scope::Global, ..)
                | Self::Tail(query_value::Scope::Global, _)
                | Self::Sample(query_value::Scope::Global, ..)
                | Self::Coin(_)
                | Self::TimeLimit(_)
                | Self::PathTest(..)
                | Self::Discard
                | Self::Fail(_)
                | Self::Barrier(_)
                | Self::NormSack
                | Self::Identity
                | Self::Order(_)
                | Self::Group(Some(_), ..)
                | Self::GroupCount(Some(_), _)
                | Self::Tree(Some(_), _)
                | Self::Aggregate(..)
                | Self::Subgraph(_)
                | Self::SideEffect(_)
                | Self::SackSet(..)
                | Self::SetProperty(_)
                | Self::Drop
                | Self::Local(_)
                | Self::Union(..)
                | Self::Choose(_)
                | Self::Optional(_)
                | Self::Repeat(_)
                | Self::Profile(_)
                | Self::Algorithm(_)
        )
    }

    fn paths(&self) -> Paths {
        match self {
            Self::Path(..) | Self::Tree(..) | Self::PathTest(..) | Self::OtherEnd => Paths::Full,
            Self::Where(_)
            | Self::ScopeStart(_)
            | Self::ScopeEnd(_)
            | Self::Select(..)
            | Self::SelectChild(..)
            | Self::Match(_)
            | Self::Math(..)
            | Self::Format(..) => Paths::Labels,
            Self::AddEdge(_) | Self::AddVertex(_) | Self::MergeEdge(_) | Self::MergeVertex(_) => Paths::Labels,
            Self::Dedup(labels, _) if !labels.is_empty() => Paths::Labels,
            _ => Paths::None,
        }
    }

    fn is_row_wise(&self) -> bool {
        let is_own = !self.is_barrier()
            && !self.has_effect()
            && !matches!(
                self,
                Self::Dedup(..)
                    | Self::Range(query_value::Scope::Global, ..)
                    | Self::Tail(query_value::Scope::Global, _)
                    | Self::Coin(_)
                    | Self::Call(_)
                    | Self::Match(_)
                    | Self::Index(_)
                    | Self::Inject(..)
            );
        is_own && self.children().iter().all(|child| child.nodes.iter().all(|node| node.op.is_row_wise()))
    }
}

impl PipelineFacts for Pipeline {
    fn paths(&self) -> Paths {
        let of_node = |node: &Node| {
            let nested = node.op.children().iter().map(|child| child.paths()).max().unwrap_or_default();
            node.op.paths().max(nested)
        };
        self.nodes.iter().map(of_node).max().unwrap_or_default()
    }

    fn has_barrier(&self) -> bool {
        self.any(&mut |node| node.op.is_barrier())
    }

    fn operators(&self) -> usize {
        let nested = |node: &Node| node.op.children().iter().map(|child| child.operators()).sum::<usize>();
        self.nodes.iter().map(|node| 1 + nested(node)).sum()
    }

    fn any(&self, test: &mut dyn FnMut(&Node) -> bool) -> bool {
        self.nodes.iter().any(|node| test(node) || node.op.children().iter().any(|child| child.any(test)))
    }
}
