//! Who carries out what the executor does not: algorithms over whole graphs, and commands.

use auth::{Caller, Permission, ResourceType};
use cypher_commands::{Commands, Effects, Note};
use cypher_exec::{ProcedureHost, Rows};
use cypher_value::{Error, Value};
use query_service::QueryService;

use crate::algorithms::AlgorithmHost;
use crate::summary::{Counters, Notification, Summary};

/// The procedures of one query, or of the queries of one transaction.
pub(crate) struct Host<'a> {
    pub(crate) algorithms: AlgorithmHost<'a>,
    pub(crate) commands: Commands<'a>,
    pub(crate) service: &'a QueryService,
    pub(crate) caller: &'a Caller,
}

impl Host<'_> {
    /// What is told of a query, with what its commands did.
    pub(crate) fn told(&self, mut summary: Summary) -> Summary {
        let Effects { counters: own, notes } = self.commands.take_effects();
        if own.contains_updates() {
            // A command does nothing else.
            summary.counters = counters(&own);
        }
        summary.notifications.extend(notes.into_iter().map(notification));
        summary
    }
}

/// What a query changed, in the words of protocols.
pub(crate) fn counters(of: &cypher_exec::Counters) -> Counters {
    Counters {
        nodes_created: of.nodes_created,
        nodes_deleted: of.nodes_deleted,
        relationships_created: of.relationships_created,
        relationships_deleted: of.relationships_deleted,
        properties_set: of.properties_set,
        labels_added: of.labels_added,
        labels_removed: of.labels_removed,
        indexes_added: of.indexes_added,
        indexes_removed: of.indexes_removed,
        constraints_added: of.constraints_added,
        constraints_removed: of.constraints_removed,
    }
}

fn notification(note: Note) -> Notification {
    Notification {
        code: note.code.into(),
        status: note.status.into(),
        title: note.title.as_str().into(),
        description: note.description,
        severity: "INFORMATION",
        category: "SCHEMA",
        position: None,
    }
}

impl ProcedureHost for Host<'_> {
    fn call(&self, name: &str, arguments: &[Value]) -> Result<Rows, Error> {
        if Commands::knows(name) { self.commands.call(name, arguments) } else { self.algorithms.call(name, arguments) }
    }

    fn databases(&self) -> Vec<String> {
        let store = self.service.store();
        let mut names = store.graph_names();
        names.retain(|name| self.caller.may(name, Permission::Execute, ResourceType::Gremlin));
        names.sort_by_key(|name| (name.as_str() != store.default_graph(), name.clone()));
        names
    }
}
