//! A folder of results: `results.json`, `summary.md`, `report.html` (and `samples.jtl`, which is written while a test
//! runs).

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use crate::compare::ScenarioRatio;
use crate::jtl::JtlWriter;
use crate::report::{Report, ReportError};
use crate::results_file::{self, ResultsFileError};

/// Single requests, for JMeter.
pub const JTL_FILE: &str = "samples.jtl";
/// The report to paste.
pub const SUMMARY_FILE: &str = "summary.md";
/// The report to look at.
pub const REPORT_FILE: &str = "report.html";
/// The ratios of a comparison.
pub const RATIOS_FILE: &str = "ratios.json";

/// Results cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The system refused.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The results file.
    #[error(transparent)]
    Results(#[from] ResultsFileError),
    /// The report.
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// Makes the folder and begins its file of samples.
///
/// # Errors
/// When the folder or the file cannot be made.
pub fn begin(folder: &Path, url: &str) -> Result<JtlWriter<BufWriter<File>>, OutputError> {
    let io_error = |path: &Path| {
        let path = path.to_owned();
        move |source| OutputError::Io { path, source }
    };
    fs::create_dir_all(folder).map_err(io_error(folder))?;
    let path = folder.join(JTL_FILE);
    let file = File::create(&path).map_err(io_error(&path))?;
    JtlWriter::new(BufWriter::new(file), url).map_err(io_error(&path))
}

/// Writes the results of a report with one run, and its pages.
///
/// # Errors
/// When a file cannot be written, or the report cannot be made.
pub fn write(folder: &Path, report: &Report<'_>) -> Result<(), OutputError> {
    for run in report.runs {
        results_file::write(folder, run)?;
    }
    write_pages(folder, report)
}

/// Writes the results of a comparison: a folder for each server, and the pages of both above them.
///
/// # Errors
/// As [`write()`].
pub fn write_comparison(folder: &Path, folders: [&Path; 2], report: &Report<'_>) -> Result<(), OutputError> {
    for (folder, run) in folders.into_iter().zip(report.runs) {
        results_file::write(folder, run)?;
    }
    let ratios: &[ScenarioRatio] = report.ratios;
    let path = folder.join(RATIOS_FILE);
    let text = serde_json::to_string_pretty(ratios);
    let written = text.map_err(io::Error::from).and_then(|text| fs::write(&path, text + "\n"));
    written.map_err(|source| OutputError::Io { path, source })?;
    write_pages(folder, report)
}

/// Writes only the pages of a report.
///
/// # Errors
/// As [`write()`].
pub fn write_pages(folder: &Path, report: &Report<'_>) -> Result<(), OutputError> {
    fs::create_dir_all(folder).map_err(|source| OutputError::Io { path: folder.to_owned(), source })?;
    for (name, text) in [(SUMMARY_FILE, report.markdown()?), (REPORT_FILE, report.html()?)] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|source| OutputError::Io { path, source })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::RunResult;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_has_all_files() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        begin(&folder, "http://127.0.0.1:8080").unwrap().finish().unwrap();
        let runs = [RunResult::default()];
        write(&folder, &Report { runs: &runs, page: None, ratios: &[] }).unwrap();
        assert_eq!(names(&folder), [REPORT_FILE, results_file::FILE_NAME, JTL_FILE, SUMMARY_FILE]);
    }

    #[test]
    fn a_comparison_keeps_both_runs() {
        let folder = tempfile::tempdir().unwrap();
        let sides = ["first", "second"].map(|name| folder.path().join(name));
        for side in &sides {
            begin(side, "").unwrap().finish().unwrap();
        }
        let runs = [RunResult::default(), RunResult { interrupted: true, ..RunResult::default() }];
        let report = Report { runs: &runs, page: None, ratios: &[] };
        write_comparison(folder.path(), [&sides[0], &sides[1]], &report).unwrap();
        assert_eq!(names(folder.path()), ["first", RATIOS_FILE, REPORT_FILE, "second", SUMMARY_FILE]);
        assert_eq!(sides.map(|side| results_file::read(&side).unwrap().interrupted), [false, true]);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = begin(&file.path().join("below"), "").err().unwrap().to_string();
        assert!(error.contains("below"), "{error}");
    }
}
