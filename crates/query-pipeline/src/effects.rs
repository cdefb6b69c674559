//! The values of side effects and groups.

use std::sync::Arc;

use query_value::Value;

use crate::context::Cx;
use crate::error::Result;
use crate::pipe::Pipe;
use crate::side_effects::{Content, Groups, Members};

/// The values of groups.
pub fn finish<'g>(cx: &mut Cx<'g>, groups: Groups, pipe: &mut Pipe<'g>) -> Result<Value> {
    let mut pairs = Vec::with_capacity(groups.len());
    for (key, members) in groups {
        match members {
            Members::Count(count) => pairs.push((key, Value::Long(i64::try_from(count).unwrap_or(i64::MAX)))),
            Members::Rows(rows) => {
                pipe.reset();
                rows.into_iter().for_each(|row| pipe.push(row));
                if let Some(result) = pipe.next(cx)? {
                    pairs.push((key, result.value));
                }
            }
        }
    }
    Ok(Value::map(pairs))
}

/// The value of a side effect; none if there is none.
pub fn value(cx: &mut Cx<'_>, key: &str) -> Result<Option<Value>> {
    let (groups, pipeline) = match cx.side_effects.get(key) {
        None => return Ok(None),
        Some(Content::Value(value)) => return Ok(Some(value.clone())),
        Some(Content::Bulk(bulk)) => return Ok(Some(Value::BulkSet(Arc::new(bulk.clone())))),
        Some(Content::Counts(counts)) => {
            return Ok(Some(Value::map(counts.iter().map(|(key, count)| (key.clone(), Value::Long(*count))))));
        }
        Some(Content::Tree(tree)) => return Ok(Some(Value::Tree(Arc::new(tree.clone())))),
        Some(Content::Graph(graph)) => return Ok(Some(Value::Graph(Arc::new(graph.clone())))),
        Some(Content::Groups(groups, pipeline)) => (groups.clone(), Arc::clone(pipeline)),
    };
    let mut pipe = Pipe::new(&pipeline, cx.build)?;
    finish(cx, groups, &mut pipe).map(Some)
}
