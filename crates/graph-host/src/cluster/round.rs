//! What a server keeps of its rounds: its heartbeat, up to which change it has read the store, and whether it is the
//! one that collects garbage for all.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use key_codec::key::MetaKind;
use key_codec::{GraphNumber, setting_value};
use parking_lot::MutexGuard;

use super::rows::{self, HOUSEKEEPER, Rows, Server};
use super::{Cluster, State};
use crate::limits;
use graph_store::StoreError;
use graph_store::stored_settings::swap;

/// How everything was read again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// When it began.
    pub(crate) began: Instant,
    /// No change was at work meanwhile, so none was seen in parts.
    pub(crate) whole: bool,
    /// Old writers may still be at work, until [`Cluster::settled`] says that they are not.
    pub(crate) waits: bool,
}

impl Cluster {
    /// Writes the row of this server again, and reads those of all.
    pub(crate) fn beat(&self) -> Result<Rows, StoreError> {
        let (server, known) = {
            let mut state = self.state.lock();
            state.beat += 1;
            (Server { id: self.id, beat: state.beat, seen: state.seen() }, state.known.clone())
        };
        rows::put_server(&*self.engine, server, &known)?;
        let rows = rows::read(&*self.engine)?;
        if !rows.servers.iter().any(|found| found.id == server.id && found.beat >= server.beat) {
            return Err(StoreError::NotListed { server: rows::server_name(server.id) });
        }
        self.observe(&rows);
        self.note_completed_late();
        self.meet(&rows, known.is_empty());
        self.meet_freeze(&rows)?;
        self.free_changes(&rows)?;
        Ok(rows)
    }

    /// Keeps this process from changing schema or graphs while it reads them again.
    pub(crate) fn hold_changes(&self) -> MutexGuard<'_, ()> {
        self.local.lock()
    }

    /// Whether everything up to a change was read a short time ago.
    pub(crate) fn has_read(&self, count: u64) -> bool {
        let state = self.state.lock();
        let is_recent = state.read_at.is_some_and(|at| at.elapsed() < limits::RELOAD_INTERVAL);
        state.noticed == Some(count) && is_recent
    }

    /// Whether no change was at work when the rows were read, and none has been since.
    pub(crate) fn is_unchanged_since(&self, rows: &Rows) -> Result<bool, StoreError> {
        Ok(rows.changes.owner == 0 && rows::read(&*self.engine)?.changes == rows.changes)
    }

    /// Notes that everything up to a change has been read.
    pub(crate) fn note_read(&self, count: u64, reading: Reading) {
        let mut state = self.state.lock();
        state.noticed = reading.whole.then_some(count);
        state.read_at = Some(reading.began);
        state.acknowledged = state.acknowledged.max(count);
        if reading.waits {
            state.pending.insert(count);
        }
    }

    /// Takes over what only one server does, where nobody does it.
    pub(crate) fn claim_housekeeping(&self, rows: &Rows) -> Result<(), StoreError> {
        let owner = rows.housekeeper_id()?;
        if owner == self.id {
            self.housekeeping.store(true, Ordering::Release);
            return self.remove_dead(rows);
        }
        self.housekeeping.store(false, Ordering::Release);
        if owner != 0 && self.is_live(rows, owner) {
            return Ok(());
        }
        let mut new = Vec::new();
        setting_value::put_numbers(&mut new, &[self.id]);
        let place = (GraphNumber::STORE, MetaKind::Cluster, HOUSEKEEPER);
        let taken = swap(&*self.engine, place, rows.housekeeper.as_deref(), Some(&new))?;
        if taken {
            self.note_orphans();
        }
        self.housekeeping.store(taken, Ordering::Release);
        Ok(())
    }

    /// Forgets servers that died without a word.
    fn remove_dead(&self, rows: &Rows) -> Result<(), StoreError> {
        for server in &rows.servers {
            if server.id != self.id && self.silence(server.id) > limits::DEAD_SERVER_KEPT {
                rows::delete_server(&*self.engine, server.id)?;
            }
        }
        Ok(())
    }

    /// Waits for the next round. Whether there is one.
    pub(crate) fn wait_for_round(&self, failing: bool) -> bool {
        let pause = if failing { self.options.refresh.min(Duration::from_millis(100)) } else { self.options.refresh };
        let until = Instant::now() + pause;
        let mut state = self.state.lock();
        let ended = |state: &State| state.stopped || state.wanted;
        while !ended(&state) && !self.asked.wait_until(&mut state, until).timed_out() {}
        state.wanted = false;
        !state.stopped
    }

    /// Has no further round begin.
    pub(crate) fn end_rounds(&self) {
        self.state.lock().stopped = true;
        self.asked.notify_all();
    }

    /// Tells the others that this server is gone.
    pub(crate) fn leave(&self) -> Result<(), StoreError> {
        rows::delete_server(&*self.engine, self.id)
    }
}
