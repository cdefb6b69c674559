//! What a transaction answers, written on its thread.

use std::sync::Arc;
use std::time::Instant;

use bolt_codec::{Dialect, NotificationFilter, failure, message, record, success};
use cypher_session::{Answers, Failure, Gone, Summary};
use cypher_value::{Text, Value};

use crate::pipe::{Filling, Outcome};
use crate::summary::{self, End};

/// Writes answers, and hands them to the connection.
pub(crate) struct Writer {
    pub(crate) dialect: Dialect,
    pub(crate) pipe: Filling,
    pub(crate) database: Text,
    /// Whether the client has left it to the server to know the database.
    pub(crate) names_database: bool,
    pub(crate) is_single: bool,
    pub(crate) filter: Arc<NotificationFilter>,
    /// Since when the task at hand is worked on.
    pub(crate) since: Instant,
    /// Of each query that is not through: its number, whether it has columns, and whether a row was written.
    pub(crate) open: Vec<(i64, bool, bool)>,
}

impl Writer {
    fn took_ms(&self) -> i64 {
        i64::try_from(self.since.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// Adds the answer that ends a task. Where nobody takes it, the transaction finds that out when it waits for the
    /// next one.
    fn done(&self, outcome: Outcome, write: impl FnOnce(&mut Vec<u8>)) {
        let added = self.pipe.add(|piece| {
            message(&mut piece.bytes, write);
            piece.outcomes.push(outcome);
        });
        added.ok();
    }
}

impl Answers for Writer {
    fn opened(&mut self, query: i64, columns: &[Text]) {
        let took_ms = self.took_ms();
        let database = self.names_database.then_some(&self.database).filter(|_| self.is_single);
        let is_single = self.is_single;
        self.done(Outcome::Opened, |out| {
            success(out, |map| {
                map.integer("t_first", took_ms);
                let fields = map.entry("fields");
                bolt_codec::pack::list_header(fields, columns.len());
                for column in columns {
                    bolt_codec::pack::text(fields, column);
                }
                if !is_single {
                    map.integer("qid", query);
                }
                if let Some(database) = database {
                    map.text("db", database);
                }
            });
        });
        self.open.push((query, !columns.is_empty(), false));
    }

    fn begins(&mut self) {
        self.since = Instant::now();
    }

    fn row(&mut self, query: i64, row: &[Value]) -> Result<(), Gone> {
        if let Some((_, _, has_rows)) = self.open.iter_mut().find(|(open, _, _)| *open == query) {
            *has_rows = true;
        }
        let dialect = self.dialect;
        self.pipe.add(|piece| message(&mut piece.bytes, |out| record(out, row, dialect)))
    }

    fn paused(&mut self) {
        self.done(Outcome::Paused, |out| success(out, |map| map.boolean("has_more", true)));
    }

    fn ended(&mut self, query: i64, summary: &Summary) {
        let took_ms = self.took_ms();
        let place = self.open.iter().position(|(open, _, _)| *open == query);
        let (_, has_columns, has_rows) = place.map_or((query, true, true), |place| self.open.swap_remove(place));
        let end = End { database: &self.database, took_ms, has_columns, has_rows, filter: &self.filter };
        let dialect = self.dialect;
        self.done(Outcome::Ended(query), |out| success(out, |map| summary::summary(map, summary, &end, dialect)));
    }

    fn committed(&mut self, bookmark: &str) {
        self.done(Outcome::Settled, |out| success(out, |map| map.text("bookmark", bookmark)));
    }

    fn rolled_back(&mut self) {
        self.done(Outcome::Settled, |out| success(out, |_| {}));
    }

    fn failed(&mut self, why: &Failure) {
        let version = self.dialect.version;
        let is_denied = why.code == Failure::FORBIDDEN;
        self.done(Outcome::Failed { is_denied }, |out| failure(out, |map| summary::failure(map, why, version)));
    }

    fn flush(&mut self) {
        self.pipe.flush();
    }
}
