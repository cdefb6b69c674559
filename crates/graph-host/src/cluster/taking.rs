//! Taking stripes among servers: how what [`super::stripes`] plans comes into the row and out of it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use graph_store::stored_settings::{read_row, swap};
use graph_store::{StoreError, StripesLock, StripesSeen, Wait};
use key_codec::GraphNumber;
use key_codec::key::MetaKind;
use parking_lot::MutexGuard;

use super::stripes::{Row, Share, State, Table, Waiter, plan, row_name};
use super::{Cluster, millis, rows};
use crate::limits;

impl Cluster {
    /// Takes stripes of a graph for a writer of this server.
    pub(super) fn take_stripes(
        &self,
        graph: GraphNumber,
        stripes: u64,
        until: Instant,
        wait: Wait,
    ) -> Result<StripesLock, StoreError> {
        let table = Arc::clone(self.stripes.tables.lock().entry(graph).or_insert_with(|| Arc::new(Table::new(graph))));
        let mut state = table.state.lock();
        if state.try_use(stripes) {
            return Ok(Box::new(table.in_use(stripes)));
        }
        if wait == Wait::Never {
            return Err(StoreError::Contended);
        }
        let ticket = state.ticket;
        state.ticket += 1;
        state.waiting.push(Waiter { ticket, stripes, granted: false });
        self.stripes.rouse();
        let mut pause = limits::STRIPES_TICK / 4;
        // The row as it was seen last may do, for the first time.
        let mut reads = false;
        loop {
            if state.waiting.iter().any(|waiter| waiter.ticket == ticket && waiter.granted) {
                state.leave(ticket);
                return Ok(Box::new(table.in_use(stripes)));
            }
            if Instant::now() >= until {
                state.leave(ticket);
                return Err(StoreError::StripesBusy { waited_ms: millis(limits::STRIPES_WAIT_MAX) });
            }
            if !state.busy {
                let outcome;
                (state, outcome) = self.turn(&table, state, reads);
                if let Err(error) = outcome {
                    state.leave(ticket);
                    return Err(error);
                }
                reads = true;
                if state.waiting.iter().any(|waiter| waiter.ticket == ticket && waiter.granted) {
                    continue;
                }
            }
            table.changed.wait_for(&mut state, pause);
            pause = (pause * 2).min(limits::STRIPES_TICK);
        }
    }

    /// Reads which server has which stripes of a graph, among the requests that need it.
    pub(super) fn look_at_stripes(&self, graph: GraphNumber) -> Result<StripesSeen, StoreError> {
        let name = row_name(graph);
        let seen = StripesSeen(read_row(&*self.requests, GraphNumber::STORE, MetaKind::Stripes, &name)?);
        self.stripes.seen.lock().insert(graph, seen.clone());
        Ok(seen)
    }

    /// Brings the row in line with what writers here use, wait for and no longer need.
    fn turn<'t>(
        &self,
        table: &'t Table,
        mut state: MutexGuard<'t, State>,
        reads: bool,
    ) -> (MutexGuard<'t, State>, Result<(), StoreError>) {
        state.busy = true;
        if reads {
            state.row = None;
        }
        let mut outcome = Err(StoreError::StripesBusy { waited_ms: 0 });
        for _ in 0..limits::STRIPES_SWAPS_MAX {
            match self.swap_once(table, &mut state) {
                Ok(true) => {
                    outcome = Ok(());
                    break;
                }
                Ok(false) => {}
                Err(error) => {
                    // What the row says now is not known, and a swap may still be on its way.
                    state.row = None;
                    state.owned = state.used;
                    state.unsure = true;
                    outcome = Err(error);
                    break;
                }
            }
        }
        state.busy = false;
        table.changed.notify_all();
        (state, outcome)
    }

    /// Reads the row if need be, plans, and swaps. Whether the row was as it was thought to be.
    fn swap_once(&self, table: &Table, state: &mut MutexGuard<'_, State>) -> Result<bool, StoreError> {
        let name = table.name();
        let place = (GraphNumber::STORE, MetaKind::Stripes, &*name);
        let doubts = state.doubts;
        let row = match state.row.take() {
            Some(row) => row,
            None => MutexGuard::unlocked(state, || {
                let stored = read_row(&*self.engine, place.0, place.1, place.2)?;
                Ok::<_, StoreError>(Row::decode(stored)?)
            })?,
        };
        let live = MutexGuard::unlocked(state, || self.live_shares(&row.servers))?;
        let kept = state.used_at.elapsed() < limits::STRIPES_KEPT;
        let keep = if kept && !state.unsure { state.owned } else { 0 };
        let waiting: Vec<(u64, u64)> = state
            .waiting
            .iter()
            .filter(|waiter| !waiter.granted)
            .map(|waiter| (waiter.ticket, waiter.stripes))
            .collect();
        let plan = plan(self.id, &live, state.used, keep, &waiting);
        let changes = state.unsure || plan.servers != row.servers;
        // No writer may begin to use what is about to be given back.
        state.owned &= plan.owned;
        state.wished = plan.wished;
        let mut next = row;
        self.engine.follow_clock(next.clock);
        if changes {
            let before = next.stored.take();
            next.count = next.count.saturating_add(1);
            next.clock = next.clock.max(self.engine.write_clock());
            next.servers.clone_from(&plan.servers);
            let new = next.encode();
            if !MutexGuard::unlocked(state, || swap(&*self.engine, place, before.as_deref(), Some(&new)))? {
                return Ok(false);
            }
            next.stored = Some(new);
        }
        if state.doubts != doubts {
            return Ok(false);
        }
        state.row = Some(next);
        state.owned = plan.owned;
        state.queued = plan.queued;
        state.unsure = false;
        let State { waiting, used, .. } = &mut **state;
        // But for those who have given up in the meantime.
        for waiter in waiting.iter_mut().filter(|waiter| plan.granted.contains(&waiter.ticket)) {
            if *used & waiter.stripes == 0 {
                waiter.granted = true;
                *used |= waiter.stripes;
            }
        }
        Ok(true)
    }

    /// The shares of servers that may still be at work.
    fn live_shares(&self, shares: &[Share]) -> Result<Vec<Share>, StoreError> {
        let mut live = Vec::with_capacity(shares.len());
        for share in shares {
            let seen = self.state.lock().servers.get(&share.server).map(|seen| seen.since.elapsed());
            let lives = match seen {
                _ if share.server == self.id => true,
                Some(silence) => silence < self.dead_after(),
                None => {
                    let rows = rows::read(&*self.engine)?;
                    self.observe(&rows);
                    self.is_live(&rows, share.server)
                }
            };
            if lives {
                live.push(*share);
            }
        }
        Ok(live)
    }

    /// Gives back stripes that nobody here needs any more, until it is told to end. On a thread of its own.
    pub(crate) fn look_after_stripes(&self) {
        while self.stripes.wait_until_active() {
            let tables: Vec<Arc<Table>> = self.stripes.tables.lock().values().cloned().collect();
            let mut idle = true;
            for table in tables {
                let mut state = table.state.lock();
                if state.is_idle() {
                    continue;
                }
                if !state.busy {
                    let outcome;
                    (state, outcome) = self.turn(&table, state, true);
                    if let Err(error) = outcome {
                        tracing::debug!(%error, "locks of this server stay longer than they are needed");
                    }
                }
                idle &= state.is_idle();
            }
            self.stripes.rest(idle);
        }
    }

    /// Ends [`Self::look_after_stripes`].
    pub(crate) fn end_stripes(&self) {
        self.stripes.stopped.store(true, Ordering::Release);
        self.stripes.rouse();
    }
}
