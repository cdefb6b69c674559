//! Writes `docs/compatibility.md` by the test that calls every endpoint: what it sees is what the page says.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::report::Report;

const PAGE: &str = "docs/compatibility.md";

/// Runs the test with the order to write the page.
pub(crate) fn write(root: &Path) -> Result<Report> {
    // The profile this runs with, so that nothing is compiled twice.
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    let status = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--package", "rest-api", "--test", "api"])
        .args(profile)
        .args(["--", "compatibility"])
        .env("RHIZOME_WRITE_DOCS", "1")
        .current_dir(root)
        .status()
        .context("cargo could not be started")?;
    ensure!(status.success(), "the endpoints could not be called; see above");
    Ok(Report { notes: vec![format!("written: {PAGE}")], ..Report::default() })
}
