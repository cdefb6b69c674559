//! What long work on a graph asks of the task that runs it.

use graph_store::StoreError;

/// How work that takes long learns that it must stop, and reports how far it is.
pub trait Progress {
    /// Fails where the work must stop. Called between steps that leave a state from which the work can be run again.
    ///
    /// # Errors
    /// [`StoreError::Cancelled`] or [`StoreError::Closing`]; those of storage.
    fn check(&self) -> Result<(), StoreError>;

    /// Adds to the progress that clients see, which is stored: called once for each large step. Then as
    /// [`Self::check`].
    ///
    /// # Errors
    /// Those of [`Self::check`].
    fn advance(&self, elements: usize) -> Result<(), StoreError>;
}
