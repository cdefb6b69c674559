//! Transactions that clients keep open, by their ids.

use std::collections::HashMap;
use std::sync::Arc;

use auth::Caller;
use cypher_session::{Failure, Transaction};
use cypher_value::Text;
use parking_lot::Mutex;
use serving::QueryShare;
use tokio::sync::{Mutex as Turn, mpsc};

use crate::collect::Event;
use crate::json::Form;

/// A transaction and what it answers.
pub(crate) struct Open {
    pub(crate) transaction: Transaction,
    pub(crate) events: mpsc::UnboundedReceiver<Event>,
    pub(crate) database: Text,
    /// Who has begun it, with the rights it has.
    pub(crate) caller: Caller,
    /// How its results are written: as the first request wants it.
    pub(crate) form: Form,
    /// The number of its next query.
    pub(crate) next: i64,
    /// Its share of quotas, until it ends.
    pub(crate) _share: Option<QueryShare>,
}

/// The open transactions. How many there are is bounded by `cypher-session`.
#[derive(Default)]
pub(crate) struct OpenTransactions(Mutex<HashMap<String, Arc<Turn<Open>>>>);

impl OpenTransactions {
    /// Keeps a transaction, and gives its id.
    pub(crate) fn insert(&self, open: Open) -> String {
        let id = uuid::Uuid::new_v4().simple().to_string();
        let mut all = self.0.lock();
        // Those that were idle for too long have ended.
        all.retain(|_, open| open.try_lock().map_or(true, |open| !open.events.is_closed()));
        all.insert(id.clone(), Arc::new(Turn::new(open)));
        id
    }

    /// The transaction of an id, which must be the user's, on that database.
    pub(crate) fn get(&self, id: &str, database: &str, user: &str) -> Result<Arc<Turn<Open>>, Failure> {
        let found = self.0.lock().get(id).cloned();
        let is_own = |open: &Arc<Turn<Open>>| {
            // One that is at work is looked at when it has its turn.
            open.try_lock().map_or(true, |open| open.database == database && open.caller.name() == user)
        };
        found.filter(is_own).ok_or_else(|| not_found(id))
    }

    /// Forgets a transaction that has ended.
    pub(crate) fn remove(&self, id: &str) {
        self.0.lock().remove(id);
    }
}

/// There is no transaction of the id.
pub(crate) fn not_found(id: &str) -> Failure {
    let message = format!("there is no transaction '{id}': it has ended, or was idle for too long");
    Failure::new(Failure::TRANSACTION_NOT_FOUND, message)
}
