//! Whether `fuzz/Cargo.lock` is current: the fuzz targets are a workspace of their own, which a change of the crates
//! they are made of leaves behind.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::report::Report;

const MANIFEST: &str = "fuzz/Cargo.toml";

/// Asks cargo, first without a network. Where what the lock file names has not been downloaded, that does not tell, and
/// cargo may fetch it.
pub(crate) fn check(root: &Path, report: &mut Report) -> Result<()> {
    let offline = metadata(root, &["--offline"])?;
    match offline {
        Ok(()) => {}
        Err(error) if is_stale(&error) => report.problems.push(stale()),
        Err(_) => match metadata(root, &[])? {
            Ok(()) => {}
            Err(error) if is_stale(&error) => report.problems.push(stale()),
            Err(error) => report.notes.push(format!("fuzz/Cargo.lock was not checked: {}", error.trim())),
        },
    }
    Ok(())
}

/// Runs `cargo metadata`; the inner error is what it printed.
fn metadata(root: &Path, flags: &[&str]) -> Result<std::result::Result<(), String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--locked", "--format-version", "1", "--manifest-path", MANIFEST])
        .args(flags)
        .current_dir(root)
        .output()
        .context("cannot run cargo metadata")?;
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(if output.status.success() { Ok(()) } else { Err(printed) })
}

/// Whether cargo would have changed the lock file.
fn is_stale(printed: &str) -> bool {
    printed.contains("lock file") && printed.contains("--locked was passed")
}

fn stale() -> String {
    format!("fuzz/Cargo.lock: does not match the crates; run cargo metadata --manifest-path {MANIFEST} > /dev/null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_to_change_the_file_is_told_from_other_errors() {
        assert!(is_stale(
            "error: cannot update the lock file /r/fuzz/Cargo.lock because --locked was passed to prevent this\n"
        ));
        assert!(!is_stale("error: failed to download `arbitrary`\n\ncan't make HTTP request in the offline mode\n"));
    }
}
