//! The operators, each as a stage of a pipeline.

mod algorithm;
mod branch;
mod call;
mod collect;
mod each;
mod expand;
mod filter;
mod function;
mod group;
mod map;
mod math;
mod merge;
mod order;
mod pattern;
mod range;
mod reduce;
mod repeat;
mod scan;
mod select;
mod write;

use query_plan::{Node, Op};
use query_value::Scope;

use crate::context::{Build, Stage};
use crate::error::Result;

/// The stage of an operator.
pub(crate) fn stage<'g>(node: &Node, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    match &node.op {
        Op::Start | Op::Identity => Ok(each::keep(false, |_, _| Ok(true))),
        Op::Scan(_) | Op::Inject(..) => Ok(scan::stage(&node.op)),
        Op::Expand(_) | Op::Walk(_) | Op::Ends(_) | Op::OtherEnd => expand::stage(&node.op, build),
        Op::Map(_)
        | Op::FlatMap(_)
        | Op::Local(_)
        | Op::SideEffect(_)
        | Op::Union(..)
        | Op::Choose(_)
        | Op::Coalesce(_)
        | Op::Optional(_) => branch::stage(&node.op, build),
        Op::Repeat(repeat) => repeat::stage(repeat, build),
        Op::Range(Scope::Global, ..)
        | Op::Tail(Scope::Global, _)
        | Op::Sample(Scope::Global, ..)
        | Op::Barrier(_)
        | Op::NormSack => range::stage(&node.op, build),
        Op::Function(function) => function::stage(function, build),
        Op::Match(patterns) => pattern::stage(patterns, build),
        Op::Order(sort) => order::stage(sort, build),
        Op::Fold(_) | Op::Count(_) | Op::Sum(_) | Op::Min(_) | Op::Max(_) | Op::Mean(_) => Ok(reduce::stage(&node.op)),
        Op::Group(..) | Op::GroupCount(..) => group::stage(&node.op, build),
        Op::Tree(..) | Op::Aggregate(..) | Op::Cap(_) | Op::Subgraph(_) | Op::Profile(_) => {
            collect::stage(&node.op, build)
        }
        Op::AddVertex(_) | Op::AddEdge(_) | Op::SetProperty(_) | Op::Drop => write::stage(&node.op, build),
        Op::MergeVertex(_) | Op::MergeEdge(_) => merge::stage(&node.op, build),
        Op::Algorithm(algorithm) => algorithm::stage(algorithm, build),
        Op::Call(call) => call::stage(call, build),
        Op::Select(..) | Op::SelectColumn(_) | Op::SelectChild(..) | Op::Project(..) | Op::Path(..) => {
            select::stage(&node.op, build)
        }
        Op::Has(..)
        | Op::HasKey(..)
        | Op::HasChild(..)
        | Op::Is(_)
        | Op::Filter(_)
        | Op::Not(_)
        | Op::And(_)
        | Op::Or(_)
        | Op::Where(_)
        | Op::ScopeStart(_)
        | Op::ScopeEnd(_)
        | Op::Any(_)
        | Op::All(_)
        | Op::NoneOf(_)
        | Op::Dedup(..)
        | Op::Coin(_)
        | Op::TimeLimit(_)
        | Op::PathTest(..)
        | Op::Discard
        | Op::Fail(_) => filter::stage(&node.op, build),
        _ => map::stage(&node.op, build),
    }
}
