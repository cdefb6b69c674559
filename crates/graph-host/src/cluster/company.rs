//! Whether this server is alone: then its writers need no locks but those in its memory.
//!
//! A server that is not alone locks through the store ([`super::stripes`]), and does that only once every other one
//! that lives has said that it does so too. So:
//! - A server writes its row before it reads those of the others: of two, at least one sees the other.
//! - One that has been alone and sees another begins to lock, waits for its own writers that began before, and only
//!   then lists the other as known, in a row of its own.
//! - Who is not known to all others does not begin a write of elements ([`Cluster::wait_for_introduction`]).
//! - So one that is alone knows of all writes and keeps what it has read ([`graph_store::Peers::alone_since`]), as long
//!   as it goes through its rounds. What it has kept it forgets before it lists another one.
//! - One takes itself to be alone again when, after it has said that it knows nobody, it still sees nobody: a server
//!   that was suspended and goes on finds that it is not known.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Instant;

use graph_store::{Peers, StoreError, Wait};

use super::rows::Rows;
use super::{Cluster, millis};
use crate::limits;

impl Cluster {
    /// Notes which other servers there are. `knew_nobody`: what this one has said of itself before it read the rows.
    pub(super) fn meet(&self, rows: &Rows, knew_nobody: bool) {
        let ids = rows.servers.iter().map(|server| server.id).filter(|id| *id != self.id);
        let live: BTreeSet<u64> = ids.filter(|id| self.silence(*id) < self.dead_after()).collect();
        let knows_this = |id: &u64| rows.knows.get(id).is_none_or(|known| known.contains(&self.id));
        self.introduced.store(live.iter().all(knows_this), Ordering::Release);
        let mut state = self.state.lock();
        state.known.retain(|id| live.contains(id));
        if live.is_empty() && knew_nobody {
            if self.has_others() {
                // What was read while others wrote is not used.
                self.begin_period();
                self.others.store(false, Ordering::Release);
            }
            return;
        }
        if !self.others.swap(true, Ordering::AcqRel) {
            self.begin_period();
            state.draining += 1;
            state.drain_wanted = true;
        }
        if state.draining == 0 && !live.is_subset(&state.known) {
            state.known.extend(live);
            state.wanted = true;
        }
    }

    /// What is kept of the store from now on has been read from now on.
    pub(super) fn begin_period(&self) {
        self.period.fetch_add(1, Ordering::AcqRel);
    }

    /// Looks whether the engine has completed writes that nobody here knows of.
    pub(super) fn note_completed_late(&self) {
        let completed = self.engine.writes_completed_late();
        if self.completed_late.swap(completed, Ordering::AcqRel) != completed {
            self.begin_period();
        }
    }

    /// Waits until all others know of this server.
    pub(super) fn wait_for_introduction(&self, until: Instant, wait: Wait) -> Result<(), StoreError> {
        let mut pause = limits::POLL_PAUSE_MIN;
        while !self.introduced.load(Ordering::Acquire) {
            if wait == Wait::Never {
                return Err(StoreError::Contended);
            }
            self.check_fresh()?;
            if Instant::now() >= until {
                return Err(StoreError::StripesBusy { waited_ms: millis(limits::STRIPES_WAIT_MAX) });
            }
            self.want_round();
            std::thread::sleep(pause);
            pause = (pause * 2).min(limits::POLL_PAUSE_MAX);
        }
        Ok(())
    }

    /// Whether writers that began while this server was alone have to be waited for, which is said once.
    pub(crate) fn take_drain(&self) -> bool {
        std::mem::take(&mut self.state.lock().drain_wanted)
    }

    /// Notes that those writers have come to their end.
    pub(crate) fn drained(&self) {
        let mut state = self.state.lock();
        state.draining = state.draining.saturating_sub(1);
        state.wanted = true;
        self.asked.notify_all();
    }

    /// Has a round begin now.
    pub(super) fn want_round(&self) {
        self.state.lock().wanted = true;
        self.asked.notify_all();
    }
}
