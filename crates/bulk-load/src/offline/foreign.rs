//! Elements that are there as values already, since they come from another store: nothing is read from text or checked
//! again.

use std::error::Error;
use std::ops::ControlFlow;

use api_client::ElementKind;
use graph_model::{Edge, Vertex};

/// An element, with an id, values and expiry as the graph's schema allows them.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredElement {
    /// A vertex.
    Vertex(Vertex),
    /// An edge.
    Edge(Edge),
}

/// Elements of another store.
pub trait StoredElements: Sync {
    /// What tells them from others, and from themselves after a change: an interrupted load goes on only with the same.
    fn identity(&self) -> String;

    /// About how many bytes they take there.
    fn bytes(&self) -> u64;

    /// All elements of a kind.
    ///
    /// # Errors
    /// That they cannot be read.
    fn rows(&self, kind: ElementKind) -> Result<Box<dyn StoredRows + '_>, Box<dyn Error + Send + Sync>>;
}

/// Elements that threads share.
pub trait StoredRows: Sync {
    /// Gives elements to `take` until it says to stop or there are none left. Of several threads that call it, one gets
    /// each element.
    ///
    /// # Errors
    /// That they cannot be read.
    fn read(&self, take: &mut dyn FnMut(StoredElement) -> ControlFlow<()>) -> Result<(), Box<dyn Error + Send + Sync>>;
}
