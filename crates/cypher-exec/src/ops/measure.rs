//! What each operator did, for PROFILE.

use std::cell::Cell;
use std::rc::Rc;

use crate::Result;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::row::Row;

/// Rows and reads of an operator, those before it included.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    pub(crate) rows: Cell<u64>,
    pub(crate) reads: Cell<u64>,
}

/// An operator whose work is counted.
pub(super) struct Measured<'g> {
    pub(super) inner: Source<'g>,
    pub(super) measure: Rc<Measure>,
}

impl<'g> Operator<'g> for Measured<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        let (rows, reads) = (out.len(), cx.store.reads());
        let outcome = self.inner.next(cx, out);
        let more = u64::try_from(out.len() - rows).unwrap_or(0);
        self.measure.rows.set(self.measure.rows.get() + more);
        self.measure.reads.set(self.measure.reads.get() + cx.store.reads() - reads);
        outcome
    }
}
