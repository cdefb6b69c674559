//! What there is to ask for, as plain data: for metrics, `/apis`, the OpenAPI document and tests. Made once, of the
//! table of routes.

use audit::Class;
use hyper::Method;

use openapi_document::{Described, Operation};

/// One method at one address: its position in the [`Directory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndpointId(pub(crate) usize);

/// What comes of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// An answer.
    Answers,
    /// HugeGraph has it, this version does not: 501.
    NotYet,
    /// Rhizome leaves it out for good: 501.
    Never,
    /// An answer, in tests of the server only.
    ForTests,
}

/// What is known of one method at one address.
pub(crate) struct Endpoint {
    pub(crate) method: Method,
    /// The address as clients know it, with `{S}` for a graph space and `{G}` for a graph: `{G}/graph/vertices/{id}`.
    pub(crate) template: String,
    /// The segments after the scope; see [`crate::route`].
    pub(crate) path: &'static [&'static str],
    pub(crate) state: State,
    /// What it takes and answers, and its area in `/openapi.json`; `None` for what is not described, as files.
    pub(crate) described: Option<(&'static str, &'static Operation)>,
    /// Whether it only reads: if it can take long, it runs on threads of low priority.
    pub(crate) is_query: bool,
    /// What records take it for.
    pub(crate) class: Class,
    /// Whether it may need room on the disk.
    pub(crate) adds: bool,
    /// Whether it needs no credentials.
    is_open: bool,
}

impl Endpoint {
    pub(crate) fn new(
        method: &Method,
        template: String,
        path: &'static [&'static str],
        state: State,
        described: Option<(&'static str, &'static Operation)>,
        (class, adds, is_open): (Class, bool, bool),
    ) -> Self {
        let is_query = *method == Method::GET || matches!(path.first(), Some(&("traversers" | "gremlin" | "cypher")));
        Self { method: method.clone(), template, path, state, described, is_query, class, adds, is_open }
    }

    /// What the OpenAPI document says of it.
    pub(crate) fn described(&self) -> Option<Described> {
        let (area, operation) = self.described?;
        Some(Described { area, operation, is_open: self.is_open })
    }
}

/// All endpoints, those used most first.
pub(crate) struct Directory {
    endpoints: Vec<Endpoint>,
}

impl Directory {
    pub(crate) fn new(endpoints: Vec<Endpoint>) -> Self {
        Self { endpoints }
    }

    /// What an endpoint takes and answers.
    pub(crate) fn operation(&self, id: EndpointId) -> Option<&'static Operation> {
        self.get(id)?.described.map(|(_, operation)| operation)
    }

    /// One of them.
    pub(crate) fn get(&self, id: EndpointId) -> Option<&Endpoint> {
        self.endpoints.get(id.0)
    }

    /// All of them; the position of each is its [`EndpointId`].
    pub(crate) fn all(&self) -> impl Iterator<Item = &Endpoint> {
        self.endpoints.iter()
    }

    /// Those that answer clients.
    pub(crate) fn answering(&self) -> impl Iterator<Item = &Endpoint> {
        self.all().filter(|endpoint| endpoint.state == State::Answers)
    }
}
