//! Transactions of a connection.

use std::sync::Arc;

use auth::Caller;
use bolt_codec::NotificationFilter;
use cypher_session::{Begin, Transaction};
use cypher_value::Text;
use serving::QueryShare;
use traces::Place;

use crate::pipe::Emptying;

/// A transaction that has no thread yet.
pub(super) struct Begun {
    pub(super) begin: Begin,
    /// Whether the client has left it to the server to know the database.
    pub(super) names_database: bool,
    pub(super) filter: Arc<NotificationFilter>,
    pub(super) trace: Option<Trace>,
}

/// A transaction with a thread.
pub(super) struct Open {
    pub(super) transaction: Transaction,
    pub(super) pipe: Emptying,
    pub(super) is_single: bool,
    /// Who has begun it, and the graph it is about.
    pub(super) caller: Caller,
    pub(super) database: Text,
    /// Its share of quotas, until it ends.
    pub(super) _share: Option<QueryShare>,
}

/// The span of a transaction that is sampled, or of a query that stands alone; it ends with it.
pub(super) struct Trace {
    place: Place,
    failure: Option<String>,
}

impl Trace {
    pub(super) fn of(place: Place) -> Self {
        Self { place, failure: None }
    }

    /// Where its work belongs.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// Notes that it has failed.
    pub(super) fn fail(&mut self, code: &str) {
        self.failure = Some(code.to_owned());
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        self.place.end_query(self.failure.as_deref());
    }
}
