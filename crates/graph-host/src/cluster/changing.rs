//! The right to change schema or graphs: one server at a time, over all graphs.
//!
//! Taking it and giving it back each raise the count of changes, by which the others see that they must read again. A
//! server that dies with it loses it once its beat has stood still; it has had to stop writing by then.

use std::sync::atomic::Ordering;
use std::time::Instant;

use parking_lot::MutexGuard;

use super::rows::{self, Changes};
use super::{Cluster, millis};
use crate::limits;
use graph_store::{ChangeRight, Peers, StoreError};

/// The right, while it is held; dropping it gives it back.
struct Changing<'a> {
    cluster: &'a Cluster,
    row: Changes,
    _local: MutexGuard<'a, ()>,
}

impl ChangeRight for Changing<'_> {
    fn version(&self) -> u64 {
        self.row.count
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        let count = self.row.count.saturating_add(1);
        match rows::swap_changes(&*self.cluster.engine, &self.row, 0, count) {
            Ok(Some(_)) => {}
            Ok(None) => tracing::warn!("another server took the right to change the schema away from this one"),
            Err(error) => {
                tracing::warn!(
                    %error, "the right to change the schema could not be given back; the next round tries again");
            }
        }
        self.cluster.changing.store(false, Ordering::Release);
    }
}

impl Cluster {
    /// Waits for the right to change schema or graphs.
    pub(super) fn take_right(&self) -> Result<Box<dyn ChangeRight + '_>, StoreError> {
        let began = Instant::now();
        let mut pause = limits::POLL_PAUSE_MIN;
        loop {
            self.check_fresh()?;
            let local = self.local.lock();
            let rows = rows::read(&*self.engine)?;
            let owner = rows.changes.owner;
            if owner == 0 || owner == self.id || !self.is_live(&rows, owner) {
                let count = rows.changes.count.saturating_add(1);
                self.changing.store(true, Ordering::Release);
                match rows::swap_changes(&*self.engine, &rows.changes, self.id, count) {
                    Ok(Some(row)) => return Ok(Box::new(Changing { cluster: self, row, _local: local })),
                    Ok(None) => self.changing.store(false, Ordering::Release),
                    Err(error) => {
                        self.changing.store(false, Ordering::Release);
                        return Err(error);
                    }
                }
            }
            drop(local);
            if began.elapsed() >= self.options.change_wait {
                let server = rows::server_name(owner);
                return Err(StoreError::ChangeBusy { server, waited_ms: millis(began.elapsed()) });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(limits::POLL_PAUSE_MAX);
        }
    }

    /// Gives the right back where this process has it by a swap whose outcome it did not learn, or where its owner is
    /// dead: what that one had changed by then is read by all after this.
    pub(super) fn free_changes(&self, rows: &rows::Rows) -> Result<(), StoreError> {
        let owner = rows.changes.owner;
        let lost = owner == self.id && !self.changing.load(Ordering::Acquire);
        if owner != 0 && (lost || !self.is_live(rows, owner)) {
            rows::swap_changes(&*self.engine, &rows.changes, 0, rows.changes.count.saturating_add(1))?;
        }
        Ok(())
    }
}
