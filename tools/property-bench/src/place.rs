//! Where the store under test is.

use std::path::Path;
use std::sync::Arc;

use kv::Engine;

use crate::error::OpenError;

/// Where the store under test is.
pub trait Place {
    /// An engine with nothing in it, opened with [`property_store::TABLES`]. The one from before has been dropped, and
    /// its content may be deleted.
    ///
    /// # Errors
    /// Whatever keeps it from being opened.
    fn fresh(&mut self) -> Result<Arc<dyn Engine>, OpenError>;

    /// The engine again, with the content the last one had when it was dropped. Only called for persistent engines.
    ///
    /// # Errors
    /// Whatever keeps it from being opened.
    fn reopen(&mut self) -> Result<Arc<dyn Engine>, OpenError>;

    /// The folder with the data of the last engine, where it is on this machine.
    fn folder(&self) -> Option<&Path>;

    /// A folder for temporary files of a load.
    fn scratch(&self) -> &Path;
}
