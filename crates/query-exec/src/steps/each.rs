//! Stages that treat each traverser on its own.

use std::collections::VecDeque;

use query_value::Value;
use query_value::function::Room;

use crate::context::{Cx, Stage};
use crate::error::Result;
use crate::storage;
use crate::traverser::Traverser;

/// Whether elements are read first, a block at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loads {
    No,
    Yes,
    /// Where the graph makes its schema itself.
    OnAuto,
}

impl From<bool> for Loads {
    fn from(loads: bool) -> Self {
        if loads { Self::Yes } else { Self::No }
    }
}

/// A stage that treats each traverser on its own.
pub(crate) struct Each<F> {
    loads: Loads,
    each: F,
}

impl<F> Each<F> {
    pub(crate) fn new(loads: Loads, each: F) -> Self {
        Self { loads, each }
    }
}

impl<'g, F> Stage<'g> for Each<F>
where
    F: FnMut(&mut Cx<'g>, Traverser, &mut Vec<Traverser>) -> Result<()>,
{
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        if self.loads == Loads::Yes || (self.loads == Loads::OnAuto && cx.catalogue.is_auto()) {
            storage::load_queue(cx, input)?;
        }
        input.drain(..).try_for_each(|traverser| (self.each)(cx, traverser, out))
    }
}

/// A stage that makes at most one value of each, as large as memory allows.
struct Compute<F> {
    loads: bool,
    compute: F,
}

impl<'g, F> Stage<'g> for Compute<F>
where
    F: FnMut(&mut Cx<'g>, &Traverser, &mut Room) -> Result<Option<Value>>,
{
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        if self.loads {
            storage::load_queue(cx, input)?;
        }
        // What this call gives waits together; later calls come when it has been taken.
        let mut room = cx.room();
        for traverser in input.drain(..) {
            let before = room.left();
            let Some(value) = (self.compute)(cx, &traverser, &mut room)? else { continue };
            let bytes = u64::try_from(before - room.left()).unwrap_or(u64::MAX);
            cx.made(&value, bytes)?;
            out.push(traverser.with(value));
            cx.tick(bytes / BYTES_PER_TICK)?;
        }
        Ok(())
    }
}

/// Bytes whose making counts as one row of work.
const BYTES_PER_TICK: u64 = 256;

/// A boxed stage of a function of each value.
pub(crate) fn compute<'g>(
    loads: bool,
    compute: impl FnMut(&mut Cx<'g>, &Traverser, &mut Room) -> Result<Option<Value>> + 'g,
) -> Box<dyn Stage<'g> + 'g> {
    Box::new(Compute { loads, compute })
}

/// A boxed [`Each`].
pub(crate) fn each<'g>(
    loads: impl Into<Loads>,
    each: impl FnMut(&mut Cx<'g>, Traverser, &mut Vec<Traverser>) -> Result<()> + 'g,
) -> Box<dyn Stage<'g> + 'g> {
    Box::new(Each::new(loads.into(), each))
}

/// A stage that keeps traversers that pass.
pub(crate) fn keep<'g>(
    loads: impl Into<Loads>,
    mut test: impl FnMut(&mut Cx<'g>, &Traverser) -> Result<bool> + 'g,
) -> Box<dyn Stage<'g> + 'g> {
    each(loads, move |cx, traverser, out| {
        if test(cx, &traverser)? {
            out.push(traverser);
        }
        Ok(())
    })
}
