//! What is at which address.

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The login of a browser.
    Session,
    /// What is wrong with a text of Gremlin.
    Check,
    /// Slow queries of a graph.
    Slow,
    /// The list of documents that pages keep with a graph.
    Documents,
    /// One of them.
    Document,
    /// Figures of the last hour.
    Series,
    /// The load test of this server.
    LoadTests,
    /// Its report.
    Report,
    /// What all of these take and answer.
    Description,
}

impl Route {
    /// Routes, addresses and methods.
    pub(crate) const ALL: [(Self, &'static str, &'static str); 9] = [
        (Self::Session, "/rhizome/session", "GET, POST, DELETE"),
        (Self::Check, "/rhizome/gremlin/check", "POST"),
        (Self::Slow, "/rhizome/queries/slow", "GET"),
        (Self::Documents, "/rhizome/documents", "GET"),
        (Self::Document, "/rhizome/document", "GET, PUT, DELETE"),
        (Self::Series, "/rhizome/metrics/series", "GET"),
        (Self::LoadTests, "/rhizome/load-tests", "GET, POST, DELETE"),
        (Self::Report, "/rhizome/load-tests/report", "GET"),
        (Self::Description, "/rhizome/openapi.json", "GET"),
    ];

    /// What is at an address, and the methods it has.
    pub(crate) fn of(path: &str) -> Option<(Self, &'static str)> {
        let path = path.strip_suffix('/').unwrap_or(path);
        Self::ALL.iter().find(|(_, known, _)| *known == path).map(|(route, _, allow)| (*route, *allow))
    }

    /// Every method at every address.
    pub(crate) fn each() -> impl Iterator<Item = (Self, &'static str, &'static str)> {
        Self::ALL.iter().flat_map(|(route, path, allow)| allow.split(", ").map(|method| (*route, *path, method)))
    }
}
