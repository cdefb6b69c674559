//! Rules about the source tree that the compiler and clippy do not know. They run as an ordinary test, so breaking one
//! fails `cargo test`. Each rule is a function in a file of this folder; start with [`source`].
//!
//! A problem is told as `file:line: what is wrong`; the remedy is part of the text.

mod changelog;
mod dependencies;
mod layers;
mod limits;
mod source;

use std::path::Path;

use anyhow::Result;

use crate::{Report, workspace};

/// Runs every rule over the repository at `root`.
pub(crate) fn check(root: &Path) -> Result<Report> {
    let mut report = Report::default();
    let files = workspace::files(root)?;
    for file in &files {
        source::check(file, &mut report);
    }
    let manifest = workspace::read(root, "Cargo.toml")?;
    let manifests = files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    for file in manifests {
        layers::check(&file.path, file.text.as_deref().unwrap_or_default(), &mut report)?;
    }
    dependencies::check(&manifest, &workspace::read(root, "docs/dependencies.md")?, &mut report)?;
    changelog::check(&workspace::read(root, "CHANGELOG.md")?, &mut report);
    Ok(report)
}

#[cfg(test)]
mod tests {
    use crate::{configuration, workspace};

    #[test]
    fn tidy() {
        let report = super::check(&workspace::root().unwrap()).unwrap();
        assert!(report.problems.is_empty(), "\n{}\n", report.problems.join("\n"));
    }

    #[test]
    fn generated_pages_are_current() {
        let report = configuration::check(&workspace::root().unwrap()).unwrap();
        assert!(report.problems.is_empty(), "\n{}\n", report.problems.join("\n"));
    }
}
