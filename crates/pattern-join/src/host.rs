//! What a join needs of whoever carries it out.

use graph_access::AccessError;

use crate::tested::Tested;

/// Time, memory and tests of nodes.
pub trait Host {
    /// A failure.
    type Error;

    /// A failure of the graph.
    fn failed(&self, error: AccessError) -> Self::Error;

    /// So much work was done.
    ///
    /// # Errors
    /// The time is up, or nobody waits for the result.
    fn tick(&self, work: usize) -> Result<(), Self::Error>;

    /// So many bytes are held from here on.
    ///
    /// # Errors
    /// They are too many.
    fn hold(&self, bytes: u64) -> Result<(), Self::Error>;

    /// So many bytes are not held any more.
    fn release(&self, bytes: u64);

    /// Bytes that may still be held.
    fn left(&self) -> u64;

    /// Finds out which of some nodes meet a test.
    ///
    /// # Errors
    /// Those of the graph, of time and of memory.
    fn look_at(&self, test: usize, numbers: &[u32], known: &mut Tested) -> Result<(), Self::Error>;
}

/// Takes what a join finds: the numbers of a row's nodes, and how often it has the row.
pub type Give<'a, E> = dyn FnMut(&[u32], u64) -> Result<(), E> + 'a;
