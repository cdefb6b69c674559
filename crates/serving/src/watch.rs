//! What becomes of a request once it is known who asks: whether quotas and the disk allow it, and its record. All
//! protocols call this at one place each, after the check of rights.

use std::sync::Arc;
use std::time::Instant;

use audit::{Audit, Class, Event, Outcome, Unwritable};

use crate::disk::{DiskLow, DiskSpace};
use crate::quotas::{OverQuota, QuotaOptions, Quotas};

/// Why a request is not let in though who asks may ask it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Barred {
    /// A quota is used up.
    #[error(transparent)]
    Quota(#[from] OverQuota),
    /// There is too little room on the disk for writes.
    #[error(transparent)]
    Disk(#[from] DiskLow),
    /// It must be recorded, and cannot be.
    #[error(transparent)]
    Audit(#[from] Unwritable),
}

impl Barred {
    /// After how many seconds it may be tried again.
    #[must_use]
    pub fn retry_after_s(&self) -> u64 {
        match self {
            Self::Quota(over) => over.retry_after_s,
            Self::Disk(_) | Self::Audit(_) => 1,
        }
    }
}

/// What requests are watched by.
#[derive(Clone)]
pub struct Watch {
    /// The record of events.
    pub audit: Audit,
    /// What users and graphs may use.
    pub quotas: Arc<Quotas>,
    /// The disk of the data.
    pub disk: Arc<DiskSpace>,
}

impl Default for Watch {
    fn default() -> Self {
        Self::new(Audit::off(), QuotaOptions::default(), DiskSpace::unwatched())
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("audit", &self.audit).finish_non_exhaustive()
    }
}

impl Watch {
    /// Watches by a record, quotas and a disk.
    #[must_use]
    pub fn new(audit: Audit, quotas: QuotaOptions, disk: DiskSpace) -> Self {
        Self { audit, quotas: Arc::new(Quotas::new(quotas)), disk: Arc::new(disk) }
    }

    /// A request to be recorded, where its class is; `event` is made only then.
    pub fn record(&self, class: Class, event: impl FnOnce() -> Event) -> Watched {
        let event = self.audit.records(class).then(|| Box::new(event()));
        Watched { began: Instant::now(), audit: self.audit.clone(), event, counted: None }
    }

    /// Whether a request is let in, but for its record ([`Watched::begin`]). `adds`: whether it may need room on the
    /// disk.
    ///
    /// # Errors
    /// A quota is used up; the disk has no room.
    pub fn let_in(
        &self,
        watched: &mut Watched,
        user: Option<&str>,
        graph: Option<&str>,
        adds: bool,
    ) -> Result<(), Barred> {
        self.quotas.request(user, graph)?;
        if adds {
            self.disk.check()?;
        }
        if self.quotas.counts_bytes() {
            let (user, graph) = (user.map(str::to_owned), graph.map(str::to_owned));
            watched.counted = Some(Box::new(Counted { quotas: Arc::clone(&self.quotas), user, graph }));
        }
        Ok(())
    }
}

/// Whose bytes a request's are.
struct Counted {
    quotas: Arc<Quotas>,
    user: Option<String>,
    graph: Option<String>,
}

/// A request that is recorded, if anything is, when it ends or is dropped.
pub struct Watched {
    began: Instant,
    audit: Audit,
    event: Option<Box<Event>>,
    counted: Option<Box<Counted>>,
}

impl Watched {
    /// Nothing that is recorded.
    #[must_use]
    pub fn nothing() -> Self {
        Self { began: Instant::now(), audit: Audit::off(), event: None, counted: None }
    }

    /// Whether it is recorded.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.event.is_some()
    }

    /// The id of the request in its record.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.event.as_ref()?.subject.request.as_deref()
    }

    /// Notes the text of the query it is about.
    pub fn note_query(&mut self, text: &str) {
        if let Some(event) = &mut self.event {
            self.audit.note_query(event, text);
        }
    }

    /// Notes more of it.
    pub fn note(&mut self, note: impl FnOnce(&mut Event)) {
        if let Some(event) = &mut self.event {
            note(event);
        }
    }

    /// Notes bytes of the request or its answer.
    pub fn count_bytes(&self, bytes: usize) {
        if let Some(Counted { quotas, user, graph }) = self.counted.as_deref() {
            quotas.note_bytes(user.as_deref(), graph.as_deref(), bytes as u64);
        }
    }

    /// Where a record is required: has it written that the request begins.
    ///
    /// # Errors
    /// It cannot be written: the request must be refused.
    pub async fn begin(&self) -> Result<(), Unwritable> {
        match &self.event {
            Some(event) => self.audit.begin(event).await,
            None => Ok(()),
        }
    }

    /// Records the end by the status of an answer over HTTP.
    pub fn end_with_status(&mut self, status: u16) {
        let took = self.began.elapsed();
        self.end(|| Outcome::of_status(status, took));
    }

    /// Records that it has succeeded.
    pub fn succeed(&mut self) {
        let took = self.began.elapsed();
        self.end(|| Outcome::ok(took));
    }

    /// Records that it has failed with a code; `is_denied`: for lack of a right or a login.
    pub fn fail(&mut self, code: &str, is_denied: bool) {
        let took = self.began.elapsed();
        self.end(|| Outcome::of_code(code.to_owned(), is_denied, took));
    }

    fn end(&mut self, outcome: impl FnOnce() -> Outcome) {
        if let Some(event) = self.event.take() {
            self.audit.end(*event, outcome());
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // Its client has gone, or the server has stopped.
        self.fail("gone", false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_settings_nothing_is_made_and_nobody_is_refused() {
        let watch = Watch::default();
        let watched = watch.record(Class::Login, || unreachable!("nothing is recorded"));
        assert!(!watched.is_recorded());
        assert!((0..100_000).all(|_| watch.let_in(&mut Watched::nothing(), Some("bob"), Some("g"), true).is_ok()));
    }
}
