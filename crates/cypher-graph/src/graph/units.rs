//! Units of writes one after the other: `CALL {} IN TRANSACTIONS`.

use std::sync::Arc;

use cypher_value::{Detail, Error, ErrorKind};
use graph_access::GraphWrite;

use super::{Access, Store};
use crate::Result;
use crate::error::Accessed;

/// Begins a unit of writes.
pub type BeginUnit<'g> = &'g dyn Fn() -> Box<dyn GraphWrite + 'g>;

impl<'g> Store<'g> {
    /// The unit at work in exchange for a new one; none where there is nothing to commit.
    fn next_unit(&self) -> Result<Option<Box<dyn GraphWrite + 'g>>> {
        match &mut *self.access.borrow_mut() {
            Access::Read(_) => Ok(None),
            Access::Units(unit, begin) => {
                let old = std::mem::replace(unit, begin());
                *self.catalogue.borrow_mut() = Arc::clone(unit.catalogue());
                Ok(Some(old))
            }
            Access::Write(_) => {
                let message = "A query with 'CALL { ... } IN TRANSACTIONS' can only be executed in an implicit \
                               transaction, but tried to execute in an explicit transaction.";
                Err(Error::new(ErrorKind::TransactionType, Detail::None, message))
            }
        }
    }

    /// Makes what was written so far visible to all.
    pub fn commit_unit(&self) -> Result<()> {
        self.finish()?;
        let Some(unit) = self.next_unit()? else { return Ok(()) };
        self.forget_read();
        unit.commit().accessed()
    }

    /// Forgets what was written since the last commit.
    pub fn abandon_unit(&self) -> Result<()> {
        drop(self.next_unit()?);
        self.forget_read();
        *self.deleted.borrow_mut() = super::Deleted::default();
        Ok(())
    }

    /// Forgets what was read, where others may have changed it.
    pub fn forget_read(&self) {
        self.vertices.borrow_mut().clear();
        self.edges.borrow_mut().clear();
        self.columns.forget();
    }

    /// Commits what the last unit has, where the query is in several.
    pub fn close(&self) -> Result<()> {
        let is_in_units = matches!(&*self.access.borrow(), Access::Units(..));
        if is_in_units { self.commit_unit() } else { self.finish() }
    }
}
