//! What one graph has: its current table, and the registration of writes.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use graph_model::{LabelId, VertexIdRef};
use parking_lot::RwLockReadGuard;

use crate::labels::Labels;
use crate::marks::Mark;
use crate::pool::Pool;
use crate::rest::Rest;
use crate::stripes::{StripeSet, Stripes};
use crate::table::{Common, Home, Table};
use crate::touched::Touched;

/// Nothing was walked yet: writes are not registered.
const COLD: u8 = 0;
/// Writes are registered; earlier ones may be under way.
const WARMING: u8 = 1;
/// All writes under way are registered.
const ON: u8 = 2;
/// Nothing is kept.
const OFF: u8 = 3;

/// The cache of one graph. A graph that nobody walks costs no more than this.
pub struct Cache {
    pool: Arc<Pool>,
    state: AtomicU8,
    common: OnceLock<Arc<Common>>,
    current: Arc<Home>,
}

impl Cache {
    /// One that has nothing yet, of a graph that nobody writes to yet. `registers`: all writes are registered, and not
    /// only those after the first walk, since one that fails may take effect after it.
    #[must_use]
    pub fn new(pool: Arc<Pool>, registers: bool) -> Self {
        let first = if registers { ON } else { COLD };
        let state = if pool.limit() == 0 { OFF } else { first };
        Self { pool, state: AtomicU8::new(state), common: OnceLock::new(), current: Arc::default() }
    }

    fn common(&self) -> &Arc<Common> {
        self.common.get_or_init(|| {
            Arc::new(Common {
                stripes: Stripes::new(),
                rest: Rest::default(),
                hasher: hashbrown::DefaultHashBuilder::default(),
            })
        })
    }

    /// The table to read from and to fill; `None` where there is none now: nothing is to be kept, or a table was too
    /// small for the graph and of little use ([`crate::rest`]). `period`: during which the caller knows of
    /// all writes; what was kept in another one is not used. `settle` must wait until every write that began before it
    /// was called has succeeded or failed; where it does not, which it says, there is no table yet.
    pub fn table(&self, period: u64, settle: impl FnOnce() -> bool) -> Option<Arc<Table>> {
        match self.state.load(Ordering::SeqCst) {
            ON => {}
            COLD if self.state.compare_exchange(COLD, WARMING, Ordering::SeqCst, Ordering::SeqCst).is_ok() => {
                if !settle() {
                    let _none = self.state.compare_exchange(WARMING, COLD, Ordering::SeqCst, Ordering::SeqCst);
                    return None;
                }
                self.state.compare_exchange(WARMING, ON, Ordering::SeqCst, Ordering::SeqCst).ok()?;
            }
            _ => return None,
        }
        if let Some(table) = &*self.current.read()
            && table.is_usable(period)
        {
            table.count_request();
            return Some(Arc::clone(table));
        }
        let mut current = self.current.write();
        match &*current {
            Some(table) if table.is_usable(period) => Some(Arc::clone(table)),
            before => {
                if let Some(before) = before {
                    before.close();
                    if before.is_spent() {
                        before.begin_rest();
                        *current = None;
                    }
                }
                if !self.common().rest.is_over() {
                    return None;
                }
                let table = Table::new(Arc::clone(self.common()), Arc::clone(&self.pool), &self.current, period);
                table.count_request();
                *current = Some(Arc::clone(&table));
                Some(table)
            }
        }
    }

    /// The table of a period, if there is one now; begins none.
    #[must_use]
    pub fn existing(&self, period: u64) -> Option<Arc<Table>> {
        if self.state.load(Ordering::SeqCst) != ON {
            return None;
        }
        self.current.read().clone().filter(|table| table.is_usable(period))
    }

    /// The labels that the table of a period knows; `None` where there is no table now. Waits for nobody, so that
    /// writers may ask. `is_remote`: see [`Labels::of`].
    pub fn labels(&self, period: u64, is_remote: bool) -> Option<Labels> {
        if self.state.load(Ordering::SeqCst) != ON {
            return None;
        }
        let table = if is_remote { self.table(period, || false) } else { self.existing(period) };
        table.map(|table| Labels::of(table, is_remote))
    }

    /// Forgets everything: what was read before this is neither given out nor kept.
    pub fn clear(&self) {
        if let Some(table) = self.current.write().take() {
            table.close();
        }
        if let Some(common) = self.common.get() {
            common.rest.end();
        }
    }

    /// Writes that had failed when this was called last are not expected to take effect any more: what they touched may
    /// be kept again.
    pub fn end_doubts(&self) {
        if let Some(common) = self.common.get() {
            common.stripes.end_doubts();
        }
    }

    /// Forgets everything, for good.
    pub fn turn_off(&self) {
        self.state.store(OFF, Ordering::SeqCst);
        self.clear();
    }

    /// Begins to register a write; `None` where there is nothing to register. Must be called with the locks of the
    /// write held that `settle` of [`Self::table`] waits for.
    pub fn writing(&self) -> Option<Writing<'_>> {
        if !matches!(self.state.load(Ordering::SeqCst), WARMING | ON) {
            return None;
        }
        let write = Write { common: Arc::clone(self.common()), stripes: StripeSet::default() };
        Some(Writing { current: self.current.read(), write, touched: Touched::default() })
    }
}

/// A write that is being registered. Meanwhile the table is not replaced: what a later one keeps, it reads after all of
/// the registration.
pub struct Writing<'c> {
    current: RwLockReadGuard<'c, Option<Arc<Table>>>,
    write: Write,
    /// Of the current table.
    touched: Touched,
}

impl Writing<'_> {
    /// Registers that edges of a label at a vertex are written.
    pub fn touch(&mut self, owner: VertexIdRef<'_>, outgoing: bool, label: LabelId) {
        let Write { common, stripes } = &mut self.write;
        let hash = common.hasher.hash_one(owner);
        common.stripes.begin(hash, stripes);
        if self.current.is_some() {
            self.touched.push(hash, Mark::of(outgoing, label));
        }
    }

    /// Registers that rows of vertices of a label are written, or removed: then it may be `None`, any.
    pub fn touch_rows(&mut self, label: Option<LabelId>) {
        let Write { common, stripes } = &mut self.write;
        common.stripes.begin_row(stripes);
        if let Some(table) = &*self.current {
            table.forget_members(label);
        }
    }

    /// Registers that the row of a vertex is written or removed, beside [`Self::touch_rows`].
    pub fn touch_row(&mut self, id: VertexIdRef<'_>) {
        let Write { common, stripes } = &mut self.write;
        let hash = common.hasher.hash_one(id);
        common.stripes.begin(hash, stripes);
        if let Some(table) = &*self.current {
            table.forget_values(hash, id);
        }
    }

    /// What must be held until the write has succeeded or failed; `None` if it touches nothing.
    #[must_use]
    pub fn registered(mut self) -> Option<Write> {
        if let Some(table) = &*self.current {
            table.forget(&mut self.touched);
        }
        (!self.write.stripes.is_empty()).then_some(self.write)
    }
}

/// A registered write; it ends when this is dropped.
#[must_use]
pub struct Write {
    common: Arc<Common>,
    stripes: StripeSet,
}

/// A registered write that stays in doubt, unless it is known to have succeeded: one that has failed may take effect
/// later, so nothing is kept of what it touches until [`Cache::end_doubts`] was called twice.
pub struct Unsure(Option<Write>);

impl Unsure {
    /// That write.
    #[must_use]
    pub fn of(write: Write) -> Self {
        Self(Some(write))
    }

    /// It has succeeded.
    pub fn end(mut self) {
        self.0 = None;
    }
}

impl Drop for Unsure {
    fn drop(&mut self) {
        if let Some(write) = &mut self.0 {
            let stripes = std::mem::take(&mut write.stripes);
            write.common.stripes.doubt(&stripes);
        }
    }
}

impl Drop for Write {
    fn drop(&mut self) {
        self.common.stripes.end(&self.stripes);
    }
}
