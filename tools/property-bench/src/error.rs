//! What can go wrong.

use graph_gen::GenError;
use property_store::PropertyError;

/// What a [`crate::Place`] may answer.
pub type OpenError = Box<dyn std::error::Error + Send + Sync>;

/// Why a measurement ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The engine could not be opened.
    #[error("opening the engine: {0}")]
    Open(#[source] OpenError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] PropertyError),
    /// The graph could not be generated.
    #[error(transparent)]
    Generate(#[from] GenError),
    /// The store does not hold what was written to it.
    #[error("{what}: {found} instead of {expected}; the engine lost or invented records")]
    Wrong {
        /// What was counted.
        what: String,
        /// What must be there.
        expected: u64,
        /// What is.
        found: u64,
    },
    /// A row that the generator's own description does not fit.
    #[error("the generator made a row of {label} that cannot be read: {line}")]
    Row {
        /// Its label.
        label: &'static str,
        /// The row.
        line: String,
    },
    /// A thread of the measurement panicked.
    #[error("a thread of the measurement panicked; this is a mistake in the program")]
    Panicked,
    /// Results cannot be written.
    #[error("cannot write {path}: {source}")]
    Output {
        /// The file.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// [`load_test::Cancel`] was set.
    #[error("interrupted")]
    Interrupted,
}

impl From<kv::KvError> for BenchError {
    fn from(error: kv::KvError) -> Self {
        Self::Store(error.into())
    }
}
