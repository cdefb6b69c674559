//! Stages that treat each traverser on its own.

use std::collections::VecDeque;

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
