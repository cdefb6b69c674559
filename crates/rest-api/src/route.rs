//! What a route is: an address, its methods, and what runs for each of them.

use graph_store::Wait;
use hyper::Method;

use crate::access::Access;
use crate::call::{Answered, Call, Stored};
use crate::directory::State;

/// What runs, and where.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// Short: on the thread that serves the connection; begun again on the pool if it would wait for a network.
    Quick(fn(&Call) -> Answered),
    /// Can take long: on the pool of queries or of writes ([`crate::directory::Endpoint::is_query`]).
    Pooled(fn(&Call) -> Answered),
    /// A read that is mostly short: tried for a moment on the thread that serves the connection, else begun again on
    /// the pool of queries ([`serving::Attempts`]).
    Read(fn(&Call) -> Answered),
    /// A write that is short unless it is large or another write to the same elements is at work: like `Quick`, else on
    /// the pool.
    QuickWrite(fn(&Call, Wait) -> Stored),
    /// A write that can take long: on the pool.
    PooledWrite(fn(&Call, Wait) -> Stored),
    /// Like `Pooled`, at the address of a graph that need not exist.
    NewGraph(fn(&Call) -> Answered),
    /// On the pool, without a time limit, and to its end even when the client goes away. Such work admits one request
    /// at a time.
    Unhurried(fn(&Call) -> Answered),
    /// HugeGraph has it, this version does not.
    NotYet,
    /// HugeGraph or one of its clients has it, and Rhizome leaves it out for this reason.
    Never(&'static str),
}

/// What addresses of a route begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Nothing. These are always admitted where they have no body: they touch no graph, and operators need them under
    /// load.
    Server,
    /// A graph space: nothing, or `/graphspaces/{space}`.
    Space,
    /// A graph: `/graphs/{graph}` or `/graphspaces/{space}/graphs/{graph}`.
    Graph,
}

/// The methods at one address.
pub(crate) struct Route {
    pub(crate) scope: Scope,
    /// Segments after the scope. In braces: any one segment; `{*}`: any further ones.
    pub(crate) path: &'static [&'static str],
    /// What each method needs of who asks, and what runs. There is no method without both.
    pub(crate) endpoints: &'static [(Method, Access, Handler)],
}

pub(crate) const GET: Method = Method::GET;
pub(crate) const POST: Method = Method::POST;
pub(crate) const PUT: Method = Method::PUT;
pub(crate) const DELETE: Method = Method::DELETE;

/// A route of the server itself.
pub(crate) const fn server(path: &'static [&'static str], endpoints: &'static [(Method, Access, Handler)]) -> Route {
    Route { scope: Scope::Server, path, endpoints }
}

/// A route of a graph space.
pub(crate) const fn space(path: &'static [&'static str], endpoints: &'static [(Method, Access, Handler)]) -> Route {
    Route { scope: Scope::Space, path, endpoints }
}

/// A route of a graph.
pub(crate) const fn graph(path: &'static [&'static str], endpoints: &'static [(Method, Access, Handler)]) -> Route {
    Route { scope: Scope::Graph, path, endpoints }
}

impl Route {
    /// The address as clients know it, for metrics and lists.
    pub(crate) fn template(&self) -> String {
        let scope = match self.scope {
            Scope::Server => "",
            Scope::Space => "{S}/",
            Scope::Graph if self.path.is_empty() => "{G}",
            Scope::Graph => "{G}/",
        };
        let slash = if self.scope == Scope::Server { "/" } else { "" };
        format!("{slash}{scope}{}", self.path.join("/"))
    }

    /// Whether it is there for tests of the server only.
    pub(crate) fn is_for_tests(&self) -> bool {
        self.path.first() == Some(&"test")
    }

    /// What comes of asking.
    pub(crate) fn state(&self, handler: Handler) -> State {
        match handler {
            _ if self.is_for_tests() => State::ForTests,
            Handler::NotYet => State::NotYet,
            Handler::Never(_) => State::Never,
            _ => State::Answers,
        }
    }
}
