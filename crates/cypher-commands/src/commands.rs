//! Carrying out commands of one query.

mod constraint;
mod create;
mod drop;
mod required;
mod wait;

use std::cell::RefCell;
use std::time::Duration;

use auth::{Caller, Permission, ResourceType};
use cypher_exec::{Counters, ProcedureHost, Rows, from_access};
use cypher_value::Value;
use graph_access::{AccessError, Budget, denied};
use graph_host::HostedGraph;
use graph_model::ErrorKind;
use graph_store::StoreError;

use crate::arguments::Arguments;
use crate::csv_rows;
use crate::effects::{Effects, Note};
use crate::error::{Result, stored};
use crate::imports::Imports;
use crate::limits::TIME_MIN;

/// Carries commands out for one query.
pub struct Commands<'a> {
    graph: &'a HostedGraph,
    caller: &'a Caller,
    budget: &'a Budget,
    /// How much time the query has in all.
    time: Duration,
    imports: &'a Imports,
    effects: RefCell<Effects>,
}

impl<'a> Commands<'a> {
    /// Commands of a query of `caller` on a graph, which has so much time in all.
    #[must_use]
    pub fn new(
        graph: &'a HostedGraph,
        caller: &'a Caller,
        (budget, time): (&'a Budget, Duration),
        imports: &'a Imports,
    ) -> Self {
        Self { graph, caller, budget, time, imports, effects: RefCell::default() }
    }

    /// Whether a procedure is one of these.
    #[must_use]
    pub fn knows(name: &str) -> bool {
        name.starts_with('~') || ["db.awaitIndexes", "db.awaitIndex"].iter().any(|own| name.eq_ignore_ascii_case(own))
    }

    /// What was done since this was asked last.
    pub fn take_effects(&self) -> Effects {
        self.effects.take()
    }

    fn count(&self, count: impl FnOnce(&mut Counters)) {
        count(&mut self.effects.borrow_mut().counters);
    }

    fn note(&self, note: Note) {
        self.effects.borrow_mut().notes.push(note);
    }

    /// Fails when the time is up or nobody waits any longer.
    fn check(&self) -> Result<()> {
        self.budget.check().map_err(|interrupted| stored(&StoreError::from(interrupted)))
    }

    /// Refuses what waits for files or tasks where there is no time for that: reads are tried for less on the threads
    /// that serve connections.
    fn want_time(&self) -> Result<()> {
        if self.time >= TIME_MIN {
            return Ok(());
        }
        let message = format!("files and tasks are waited for where there are more than {} ms", self.time.as_millis());
        Err(from_access(AccessError::new(ErrorKind::Timeout, message)))
    }

    /// Refuses who may not change all elements of the schema of a kind.
    fn want_right(&self, permission: Permission, kind: ResourceType, what: &str) -> Result<()> {
        if self.caller.may_all(self.graph.name(), permission, kind) {
            return Ok(());
        }
        let operation = if permission == Permission::Delete { "delete" } else { "write" };
        Err(from_access(denied(operation, &format!("graph={},type={what},operated=*", self.graph.name()))))
    }
}

impl ProcedureHost for Commands<'_> {
    fn call(&self, name: &str, arguments: &[Value]) -> Result<Rows> {
        let arguments = Arguments(arguments);
        match name {
            "~index.create" => self.create_index(&arguments)?,
            "~constraint.create" => self.create_constraint(&arguments)?,
            "~schema.drop" => self.drop_rule(&arguments)?,
            "~load.csv" => {
                self.want_time()?;
                return csv_rows::open(self.imports, &arguments);
            }
            "db.awaitIndex" => self.await_indexes(Some(arguments.text(0)?), arguments.integer(1)?)?,
            _ => self.await_indexes(None, arguments.integer(0)?)?,
        }
        Ok(Box::new(std::iter::empty()))
    }
}
