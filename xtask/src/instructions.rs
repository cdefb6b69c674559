//! Instructions of the hot paths, counted by valgrind's callgrind: they do not depend on how busy the machine is, so a
//! bound on them can fail a test where a bound on time could not.
//!
//! The cases are those of `tools/hot-paths`; the bounds are in its `instructions.toml`: what was counted there, and
//! [`ALLOWED_PERCENT`] more are allowed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use toml_edit::DocumentMut;

use crate::report::Report;
use crate::workspace;

const BOUNDS: &str = "tools/hot-paths/instructions.toml";

/// How often the program does each case, as it says itself.
const TIMES: u64 = 100;

/// The function that is counted, with everything it calls.
const SECTION: &str = "*measured_section*";

/// More than what was counted by this many of a hundred fails: compilers and libraries of another release differ by
/// less.
const ALLOWED_PERCENT: u64 = 8;

/// Less by this many of a hundred is told: the bound could be lowered.
const TOLD_PERCENT: u64 = 15;

/// Counts all cases and compares them with their bounds.
pub(crate) fn check(root: &Path) -> Result<Report> {
    let bounds = read_bounds(&workspace::read(root, BOUNDS)?)?;
    Ok(compare(&bounds, &count_all(root)?))
}

/// Counts all cases and writes what was counted as the new bounds.
pub(crate) fn update(root: &Path) -> Result<Report> {
    let mut text = format!(
        "# Instructions of one time of each hot path, as `cargo xtask instructions --update` counted them. \
        More than {ALLOWED_PERCENT}%\n\
         # above fails `cargo xtask instructions`.\n\n"
    );
    let counted = count_all(root)?;
    for (name, count) in &counted {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\"{name}\" = {count}");
    }
    fs::write(root.join(BOUNDS), text).with_context(|| format!("cannot write {BOUNDS}"))?;
    Ok(Report { notes: vec![format!("written: {BOUNDS}, {} cases", counted.len())], ..Report::default() })
}

fn compare(bounds: &BTreeMap<String, u64>, counted: &BTreeMap<String, u64>) -> Report {
    let mut report = Report::default();
    for (name, count) in counted {
        let Some(bound) = bounds.get(name) else {
            report.problems.push(format!("{BOUNDS}: {name} has no bound; run `cargo xtask instructions --update`"));
            continue;
        };
        let percent = (*count * 100).checked_div(*bound).unwrap_or(u64::MAX);
        report.notes.push(format!("{name:<32} {count:>12} instructions, {percent}% of the bound's {bound}"));
        if percent > 100 + ALLOWED_PERCENT {
            report.problems.push(format!(
                "{BOUNDS}: {name} takes {count} instructions, {percent}% of the {bound} it took \
                 when the bound was set; at most {}% are allowed. \
                 Make it cheaper, or, if it is worth it, \
                 run `cargo xtask instructions --update` and say why in the commit",
                100 + ALLOWED_PERCENT
            ));
        } else if percent < 100 - TOLD_PERCENT {
            report
                .notes
                .push(format!("{name} has become cheaper: `cargo xtask instructions --update` lowers its bound"));
        }
    }
    for name in bounds.keys().filter(|name| !counted.contains_key(*name)) {
        report
            .problems
            .push(format!("{BOUNDS}: there is no case {name} any more; run `cargo xtask instructions --update`"));
    }
    report
}

fn read_bounds(text: &str) -> Result<BTreeMap<String, u64>> {
    let document: DocumentMut = text.parse().with_context(|| format!("{BOUNDS} is not TOML"))?;
    let bound = |(name, item): (&str, &toml_edit::Item)| {
        let count = item.as_integer().and_then(|count| u64::try_from(count).ok());
        Ok((name.to_owned(), count.with_context(|| format!("{BOUNDS}: {name} is not a count"))?))
    };
    document.iter().map(bound).collect()
}

fn count_all(root: &Path) -> Result<BTreeMap<String, u64>> {
    let valgrind = Command::new("valgrind").arg("--version").output();
    ensure!(valgrind.is_ok_and(|out| out.status.success()), "valgrind is missing: run `scripts/setup.sh valgrind`");
    let program = build(root)?;
    let listed = Command::new(&program).arg("--list").output().context("cannot run the cases")?;
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    names.lines().map(|name| Ok((name.to_owned(), count(&program, name)? / TIMES))).collect()
}

/// Compiles the program and gives its path: alone and without the engines in C++, so that a fourth of the crates is
/// compiled for it.
fn build(root: &Path) -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments =
        "build --profile bench --package hot-paths --bin instructions --no-default-features --message-format=json";
    let mut command = Command::new(cargo);
    command.args(arguments.split(' ')).current_dir(root);
    // What `cargo run` says about xtask would look to build scripts like a change of their own package, and have them
    // run again.
    for (name, _) in env::vars_os().filter(|(name, _)| is_about_package(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    let built = command.output().context("cannot run cargo")?;
    ensure!(built.status.success(), "cargo {arguments} failed:\n{}", String::from_utf8_lossy(&built.stderr));
    executable(&String::from_utf8_lossy(&built.stdout)).context("cargo has not named the program it made")
}

/// Whether cargo sets this variable to tell a program about its own package.
fn is_about_package(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_"].iter().any(|begin| variable.starts_with(begin))
}

/// The program in cargo's messages, one JSON object a line.
fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut programs = messages.filter_map(|message| {
        let is_ours = message.pointer("/target/name")? == "instructions";
        if is_ours { message.get("executable")?.as_str().map(PathBuf::from) } else { None }
    });
    programs.next_back()
}

fn count(program: &Path, name: &str) -> Result<u64> {
    let counted = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"])
        .arg(format!("--toggle-collect={SECTION}"))
        .arg(program)
        .arg(name)
        .output()
        .context("cannot run valgrind")?;
    let words = String::from_utf8_lossy(&counted.stderr).into_owned();
    ensure!(counted.status.success(), "valgrind failed on {name}:\n{words}");
    match collected(&words) {
        Some(count) if count > 0 => Ok(count),
        _ => bail!("valgrind counted nothing in {name}; is the function {SECTION} still there?\n{words}"),
    }
}

/// The sum at the end of what callgrind says, as `==7== Collected : 1234`.
fn collected(words: &str) -> Option<u64> {
    let line = words.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(':').next()?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(&str, u64)]) -> BTreeMap<String, u64> {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn more_than_the_bound_fails_and_says_what_to_do() {
        let bounds = read_bounds("\"a/b\" = 1000\nc = 500\n").unwrap();
        assert!(compare(&bounds, &counts(&[("a/b", 1_080), ("c", 500)])).problems.is_empty());
        let report = compare(&bounds, &counts(&[("a/b", 1_100), ("c", 100)]));
        assert_eq!(report.problems.len(), 1, "{report:?}");
        assert!(report.problems[0].contains("a/b takes 1100") && report.problems[0].contains("--update"), "{report:?}");
        assert!(report.notes.iter().any(|note| note.contains("c has become cheaper")), "{report:?}");
    }

    #[test]
    fn only_variables_about_the_package_are_taken_away() {
        assert!(is_about_package("CARGO_PKG_VERSION") && is_about_package("CARGO_MANIFEST_DIR"));
        assert!(!is_about_package("CARGO_TARGET_DIR") && !is_about_package("CARGO_HOME"));
    }

    #[test]
    fn cases_and_bounds_go_together() {
        let report = compare(&counts(&[("old", 1)]), &counts(&[("new", 1)]));
        assert_eq!(report.problems.len(), 2, "{report:?}");
    }

    #[test]
    fn the_words_of_the_tools_are_understood() {
        assert_eq!(collected("==1== Events    : Ir\n==1== Collected : 20841\n==1==\n"), Some(20_841));
        let messages =
            "{\"reason\":\"x\"}\n{\"target\":{\"name\":\"instructions\"},\"executable\":\"/t/i-1\"}\nnoise\n";
        assert_eq!(executable(messages), Some(PathBuf::from("/t/i-1")));
    }
}
