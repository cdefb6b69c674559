//! What can go wrong: options out of range, or the disk.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a network could not be generated.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GenError {
    /// The number of persons is out of range.
    #[error("cannot generate {persons} persons: give a number from {min} to {max}")]
    Persons {
        /// What was asked for.
        persons: u64,
        /// Least allowed number.
        min: u64,
        /// Greatest allowed number.
        max: u64,
    },
    /// A scale factor nobody has defined.
    #[error("there is no scale factor {given}: give 0.1, 1, 10 or 60, or a number of persons")]
    ScaleFactor {
        /// What was asked for.
        given: String,
    },
    /// The number of years is out of range.
    #[error("cannot simulate {years} years: give a number from {min} to {max}")]
    Years {
        /// What was asked for.
        years: u32,
        /// Least allowed number.
        min: u32,
        /// Greatest allowed number.
        max: u32,
    },
    /// The consumer of the rows stopped the generator.
    #[error("the consumer of the rows stopped the generator")]
    Stopped,
    /// A folder could not be made.
    #[error(
        "cannot create the folder {}: {source}; choose another output folder or check its permissions",
        path.display()
    )]
    CreateFolder {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file could not be created or written.
    #[error("cannot write {}: {source}; check free space and permissions", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The schema or mapping could not be turned into JSON text.
    #[error("cannot encode {} as JSON: {source}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// The encoder's reason.
        source: serde_json::Error,
    },
}
