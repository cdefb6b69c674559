//! A freeze: no server writes for a while, so that copies of the files of a cluster's nodes are of one moment.
//!
//! A row says so ([`rows::Freeze`]). It is written with the right to change held; giving that back raises the count of
//! changes, so every server reads again, refuses to write, waits for its writers at work and says that it has. A server
//! that cannot say so has had to stop writing.
//!
//! It lasts until the row is deleted, its length is over, or the server that began it is dead: so a store that is made
//! of such copies, which have the row, is not held up by it. Each server measures the length by its own clock from when
//! it saw the row, the one that began it from before it wrote the row. So that one knows that nobody has written while
//! its own length is not over and it cannot have been taken for dead.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::rows::{self, Freeze, Rows};
use super::{Cluster, millis};
use graph_store::StoreError;

impl Cluster {
    /// Has all servers end their writes and begin none. On an error they write as before.
    pub(crate) fn freeze(&self, length: Duration) -> Result<(), StoreError> {
        self.begin_freeze(length)?;
        // This server sees the row as all others do.
        self.want_round();
        self.wait_for(|_| true).inspect_err(|_| self.give_up_freeze())
    }

    fn begin_freeze(&self, length: Duration) -> Result<(), StoreError> {
        let at = Instant::now();
        let right = self.take_right()?;
        let before = rows::read(&*self.engine)?.freeze;
        let freeze = Freeze { number: right.version(), server: self.id, length_ms: millis(length) };
        self.state.lock().begun = Some((freeze, at));
        match rows::swap_freeze(&*self.engine, before, Some(freeze)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::Busy { what: "another freeze" }),
            // The row may be there all the same.
            Err(error) => {
                self.give_up_freeze();
                Err(error)
            }
        }
    }

    fn give_up_freeze(&self) {
        if let Err(error) = self.thaw() {
            tracing::warn!(%error, "writes may stay stopped until the freeze that failed is over");
        }
    }

    /// Lets servers write again: this one at once, others with their next round. Whether this one began the freeze, and
    /// none has written since.
    pub(crate) fn thaw(&self) -> Result<bool, StoreError> {
        let before = rows::read(&*self.engine)?.freeze;
        let begun = self.state.lock().begun.take().filter(|(begun, _)| Some(*begun) == before);
        let held = begun.is_some_and(|(begun, at)| millis(at.elapsed()) < begun.length_ms) && self.check_seen().is_ok();
        let ended = before.is_some() && rows::swap_freeze(&*self.engine, before, None)?;
        self.note_freeze(None);
        Ok(held && ended)
    }

    /// For how much longer this server refuses to write because of a freeze.
    pub(crate) fn frozen_for(&self) -> Option<Duration> {
        let left = self.frozen_until_ms.load(Ordering::Acquire).saturating_sub(millis(self.started.elapsed()));
        (left > 0).then(|| Duration::from_millis(left))
    }

    /// Notes what the rows say of a freeze, and removes the row of one that is over.
    pub(super) fn meet_freeze(&self, rows: &Rows) -> Result<(), StoreError> {
        self.note_freeze(rows.freeze);
        let Some(freeze) = rows.freeze else { return Ok(()) };
        if !self.is_live(rows, freeze.server) {
            self.frozen_until_ms.store(0, Ordering::Release);
        }
        if self.is_housekeeping() && self.frozen_for().is_none() {
            rows::swap_freeze(&*self.engine, rows.freeze, None)?;
        }
        Ok(())
    }

    fn note_freeze(&self, freeze: Option<Freeze>) {
        let mut state = self.state.lock();
        if state.freeze != freeze {
            let until = freeze.map(|freeze| millis(self.started.elapsed()).saturating_add(freeze.length_ms));
            state.freeze = freeze;
            state.writers_wanted = freeze.is_some();
            self.frozen_until_ms.store(until.unwrap_or_default(), Ordering::Release);
        }
    }

    /// Notes that others may have taken this server for dead, and so its freeze for over.
    pub(super) fn doubt_freeze(&self) {
        self.state.lock().begun = None;
    }

    /// Whether the writers at work have to be waited for because of a freeze, which is said once.
    pub(crate) fn take_frozen(&self) -> bool {
        std::mem::take(&mut self.state.lock().writers_wanted)
    }
}
