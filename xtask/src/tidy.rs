//! Rules about the source tree that the compiler and clippy do not know. They run as an ordinary test, so breaking one
//! fails `cargo test`. Each rule is a function in a file of this folder; start with [`source`].
//!
//! A problem reads `file:line: what is wrong`; the remedy is part of the text. The rules about walls, circles, lengths
//! and links have a list of exceptions that may only shrink; see [`findings`].

mod changelog;
mod circles;
mod crate_lines;
mod dependencies;
mod findings;
mod fuzz_lock;
mod layers;
pub(crate) mod limits;
mod links;
mod modules;
mod rust_file;
mod source;
mod web;
mod wings;

use std::path::Path;

use anyhow::Result;

use crate::report::Report;
use crate::workspace;

/// Runs every rule over the repository at `root`.
pub(crate) fn check(root: &Path) -> Result<Report> {
    let mut report = Report::default();
    let files = workspace::files(root)?;
    let mut findings = Vec::new();
    for file in &files {
        source::check(file, &mut findings, &mut report);
        web::check(file, &mut report);
    }
    links::check(&files, &mut findings);
    let crates = modules::read(&files)?;
    for krate in &crates {
        wings::check(krate, &mut findings);
        crate_lines::check(krate, &mut findings, &mut report);
    }
    circles::check(&crates, &mut findings, &mut report);
    findings::apply(&workspace::read(root, findings::FILE)?, &findings, &mut report)?;
    let manifest = workspace::read(root, "Cargo.toml")?;
    let manifests = files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    for file in manifests {
        layers::check(&file.path, file.text.as_deref().unwrap_or_default(), &mut report)?;
    }
    let dependencies = workspace::read(root, "docs/dependencies.md")?;
    dependencies::check(&manifest, &dependencies, &mut report)?;
    web::check_packages(&workspace::read(root, "web/package.json")?, &dependencies, &mut report)?;
    fuzz_lock::check(root, &mut report)?;
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
