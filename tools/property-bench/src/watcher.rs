//! Who watches a measurement.

/// Sees how far the measurement is.
pub trait Watcher {
    /// Something is being done: what, how much of it is done, how much there is (0: not known).
    fn progress(&mut self, what: &str, done: u64, total: u64);
}
