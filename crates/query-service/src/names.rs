//! What the names of a script mean: traversal sources and graphs, by the aliases of the request.
//!
//! A graph `X` has the traversal sources `gX`, `__g_X` and `__g_DEFAULT-X`, and the variables `X` and `DEFAULT-X`; `g`
//! and `graph` are the default graph's. An alias gives one of these names to another.

use graph_host::Store;
use gremlin::{Source, Text};

use crate::error::{QueryError, QueryErrorKind};

/// What HugeGraph puts in front of a graph's name: the name of the only graph space.
const SPACE: &str = "DEFAULT-";
const SOURCE: &str = "__g_";

/// The names of one request.
pub(crate) struct Names<'r> {
    store: &'r Store,
    aliases: &'r [(Text, Text)],
    default_graph: &'r str,
}

impl<'r> Names<'r> {
    /// `default_graph`: whose source is `g` unless an alias says otherwise.
    pub(crate) fn new(store: &'r Store, aliases: &'r [(Text, Text)], default_graph: &'r str) -> Self {
        Self { store, aliases, default_graph }
    }

    fn aliased<'n>(&self, name: &'n str) -> &'n str
    where
        'r: 'n,
    {
        let found = self.aliases.iter().find(|(alias, _)| alias == name);
        found.map_or(name, |(_, meant)| meant.as_str())
    }

    fn exists(&self, graph: &str) -> bool {
        self.store.graph(graph).is_ok()
    }

    /// The graph of a source.
    pub(crate) fn of_source(&self, source: &Source) -> Result<String, QueryError> {
        match source {
            Source::OfGraph(name) => self.of_variable(name).ok_or_else(|| no_graph(name)),
            Source::Named(name) => self.of_source_name(name),
        }
    }

    fn of_source_name(&self, name: &str) -> Result<String, QueryError> {
        let meant = self.aliased(name);
        if meant == "g" {
            return Ok(self.default_graph.to_owned());
        }
        let graph = match meant.strip_prefix(SOURCE) {
            Some(rest) => Some(rest.strip_prefix(SPACE).unwrap_or(rest)),
            None => meant.strip_prefix('g'),
        };
        if let Some(graph) = graph.filter(|graph| self.exists(graph)) {
            return Ok(graph.to_owned());
        }
        // Drivers of HugeGraph 1.0 give the graph itself.
        self.of_variable(meant).ok_or_else(|| {
            let message = if meant == name {
                format!("there is no traversal source '{name}': the graph X has gX, __g_X and __g_DEFAULT-X")
            } else {
                format!("there is no traversal source '{meant}' (the alias of '{name}'): the graph X has gX and __g_X")
            };
            QueryError::new(QueryErrorKind::UnknownName, message)
        })
    }

    /// The graph of a variable's name; none if it is no graph's.
    pub(crate) fn of_variable(&self, name: &str) -> Option<String> {
        let meant = self.aliased(name);
        if meant == "graph" {
            return Some(self.default_graph.to_owned());
        }
        let graph = meant.strip_prefix(SPACE).unwrap_or(meant);
        self.exists(graph).then(|| graph.to_owned())
    }
}

fn no_graph(name: &str) -> QueryError {
    QueryError::new(QueryErrorKind::UnknownName, format!("there is no graph '{name}'"))
}
