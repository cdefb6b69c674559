//! `results.json`: a run as it is kept, with the version of its form.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::result::RunResult;

/// The version of the form that this program writes and reads.
pub const FORMAT_VERSION: u32 = 1;

/// The name of the file in a folder of results.
pub const FILE_NAME: &str = "results.json";

/// A folder of results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsFileError {
    /// The file cannot be opened, read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no results file.
    #[error("{} is no result of `rhizome bench`: {source}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        source: serde_json::Error,
    },
    /// It was written by another version of this program.
    #[error(
        "{} has format version {found}, but this program reads version {FORMAT_VERSION} only; use the rhizome that \
         wrote it",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// What it says.
        found: u32,
    },
}

#[derive(Serialize)]
struct Written<'a> {
    format_version: u32,
    #[serde(flatten)]
    run: &'a RunResult,
}

#[derive(Deserialize)]
struct Version {
    format_version: u32,
}

/// Writes a run into a folder, through a second file: a reader never sees half of it.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write(folder: &Path, run: &RunResult) -> Result<(), ResultsFileError> {
    let path = folder.join(FILE_NAME);
    let io_error = |source| ResultsFileError::Io { path: path.clone(), source };
    let text = serde_json::to_string_pretty(&Written { format_version: FORMAT_VERSION, run })
        .map_err(|error| io_error(error.into()))?;
    let unfinished = folder.join(format!("{FILE_NAME}.part"));
    fs::write(&unfinished, text + "\n").and_then(|()| fs::rename(&unfinished, &path)).map_err(io_error)
}

/// Reads the run of a folder, or of a results file itself.
///
/// # Errors
///
/// When there is none, it is damaged, or another version wrote it.
pub fn read(path: &Path) -> Result<RunResult, ResultsFileError> {
    let path = if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() };
    let text = fs::read_to_string(&path).map_err(|source| ResultsFileError::Io { path: path.clone(), source })?;
    let format = |source| ResultsFileError::Format { path: path.clone(), source };
    // The version first: what else is in the file of another one cannot be known.
    let Version { format_version: found } = serde_json::from_str(&text).map_err(format)?;
    if found != FORMAT_VERSION {
        return Err(ResultsFileError::Version { path, found });
    }
    serde_json::from_str(&text).map_err(format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Row, ScenarioResult};

    fn run() -> RunResult {
        let row = Row { concurrency: 4, throughput_per_s: 0.1 + 0.2, histogram: "x".to_owned(), ..Row::default() };
        let scenario = ScenarioResult { name: "<b>".to_owned(), rows: vec![row], ..ScenarioResult::default() };
        RunResult { tool_version: "0.1.0".to_owned(), scenarios: vec![scenario], ..RunResult::default() }
    }

    #[test]
    fn a_run_is_read_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &run()).unwrap();
        assert_eq!(read(folder.path()).unwrap(), run());
        assert_eq!(read(&folder.path().join(FILE_NAME)).unwrap(), run());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn other_versions_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains(FILE_NAME));
        let file = folder.path().join(FILE_NAME);
        let refused = |text: &str| {
            fs::write(&file, text).unwrap();
            read(folder.path()).unwrap_err().to_string()
        };
        assert!(refused("{\"format_version\": 99, \"other\": []}").contains("version 99"));
        assert!(refused("{}").contains("no result of `rhizome bench`"));
        assert!(refused("{\"format_version\": 1}").contains("missing field"));
        assert!(refused("hello").contains("line 1"));
    }
}
