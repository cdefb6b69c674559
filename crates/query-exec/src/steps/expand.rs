//! From vertices to edges and neighbours, from edges to their ends.

mod hop;
mod numbers;
mod ranges;
mod walk;

use query_plan::Op;
use query_value::{Direction, Edge, Value};

use self::hop::Hop;
use self::walk::Walk;
use super::each::each;
use crate::context::{Build, Stage};
use crate::error::{ExecError, Result};
use crate::storage;
use crate::traverser::Traverser;

pub(super) fn stage<'g>(op: &Op, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Ok(match op {
        Op::Expand(expand) => Box::new(Hop::new(expand, build)?),
        Op::Walk(hops) => Box::new(Walk::new(hops, build)?),
        Op::Ends(direction) => {
            let direction = *direction;
            each(false, move |_, traverser, out| {
                let Value::Edge(edge) = &traverser.value else { return Err(not_an_edge(&traverser.value)) };
                if direction != Direction::In {
                    out.push(traverser.with(storage::end_value(&edge.source)));
                }
                if direction != Direction::Out {
                    out.push(traverser.with(storage::end_value(&edge.target)));
                }
                Ok(())
            })
        }
        _ => each(false, |_, traverser, out| {
            let Value::Edge(edge) = &traverser.value else { return Err(not_an_edge(&traverser.value)) };
            out.push(traverser.with(other_end(edge, &traverser)));
            Ok(())
        }),
    })
}

/// The end that is not the vertex that the traverser was at last.
fn other_end(edge: &Edge, traverser: &Traverser) -> Value {
    let vertices = traverser.path().into_iter().flat_map(|path| path.backwards());
    let last =
        vertices.filter_map(|node| if let Value::Vertex(vertex) = &node.value { Some(vertex) } else { None }).next();
    let is_source = last.is_none_or(|vertex| vertex.id == edge.source.id);
    storage::end_value(if is_source { &edge.target } else { &edge.source })
}

fn not_an_edge(value: &Value) -> ExecError {
    ExecError::evaluation(format!("only edges have ends, found {}", value.kind()))
}
