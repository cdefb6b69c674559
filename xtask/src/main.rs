//! Tasks of the repository, run with `cargo xtask TASK`. Not part of the product.
//!
//! - `tidy`: rules about the source tree that the compiler does not check; also an ordinary test. See [`tidy`].
//! - `instructions`: counts the instructions of the hot paths and compares them with their bounds; see
//!   [`instructions`].
//! - `bench-ratios`: what `make bench` prints in the end; see [`bench_ratios`].
//! - `docs`: writes the generated pages of `docs/`; with `--check` only compares. See [`configuration`] and
//!   [`compatibility`] (which a test of `rest-api` compares).

mod bench_ratios;
mod compatibility;
mod configuration;
mod instructions;
mod report;
mod tidy;
mod workspace;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask tidy | docs [--check] | instructions [--update] | bench-ratios FOLDER";

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = match arguments.as_slice() {
        ["tidy"] => tidy::check(&workspace::root()?)?,
        ["docs"] => {
            let mut report = configuration::write(&workspace::root()?)?;
            report.notes.extend(compatibility::write(&workspace::root()?)?.notes);
            report
        }
        ["docs", "--check"] => configuration::check(&workspace::root()?)?,
        ["instructions"] => instructions::check(&workspace::root()?)?,
        ["instructions", "--update"] => instructions::update(&workspace::root()?)?,
        ["bench-ratios", home] => bench_ratios::table(std::path::Path::new(home))?,
        _ => bail!("{USAGE}"),
    };
    let mut out = io::stdout().lock();
    for line in report.notes.iter().chain(&report.problems) {
        writeln!(out, "{line}")?;
    }
    Ok(if report.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
