//! Giving back the room of what was deleted.

use super::Store;
use crate::ranges::{prefix_of, tables};
use graph_access::Budget;
use graph_store::StoreError;

impl Store {
    /// Rewrites what a graph has in storage without what was deleted or overwritten. Reads and writes go on meanwhile.
    /// One graph at a time; the budget is looked at between tables.
    pub fn compact_graph(&self, name: &str, budget: &Budget) -> Result<(), StoreError> {
        let _one = self.compacting.try_lock().ok_or(StoreError::Busy { what: "another compaction" })?;
        let prefix = prefix_of(self.graph(name)?.number());
        for table in tables() {
            budget.check()?;
            self.engine().compact(table, &prefix)?;
        }
        Ok(())
    }
}
