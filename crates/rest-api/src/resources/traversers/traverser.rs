//! What a file of this folder says about its traversers.

use crate::route::Route;
use openapi_document::Operation;

/// One traverser: its URL with the handlers, and what `/openapi.json` says about each.
pub(crate) struct Traverser {
    /// `{G}/traversers/NAME`.
    pub(crate) route: Route,
    /// One for each method of the route.
    pub(crate) operations: &'static [Operation],
}
