//! Times that criterion measured, compared with those it saved as baseline `saved`: see `scripts/bench.sh`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::report::Report;

/// Folders deep in which criterion keeps a benchmark: group, name, baseline.
const DEPTH_MAX: usize = 6;

/// A table of all benchmarks that have both. Ratios above 1 are slower than saved.
pub(crate) fn table(home: &Path) -> Result<Report> {
    let mut folders = Vec::new();
    find(home, DEPTH_MAX, &mut folders)?;
    ensure!(!folders.is_empty(), "{}: nothing has been measured and saved; run `make bench` twice", home.display());
    folders.sort();
    let mut notes = vec![format!("{:<32} {:>12} {:>12} {:>7}", "benchmark", "saved", "now", "ratio")];
    for folder in folders {
        let saved = median_ns(&folder.join("saved"))?;
        let now = median_ns(&folder.join("new"))?;
        let name = folder.strip_prefix(home).unwrap_or(&folder).display().to_string();
        notes.push(format!("{name:<32} {:>12} {:>12} {:>7.2}", time(saved), time(now), now / saved));
    }
    Ok(Report { notes, ..Report::default() })
}

/// Folders that have both a saved and a new measurement.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let has = |name: &str| folder.join(name).join("estimates.json").is_file();
    if has("saved") && has("new") {
        found.push(folder.to_path_buf());
        return Ok(());
    }
    if depth == 0 || !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, depth - 1, found)?;
        }
    }
    Ok(())
}

fn median_ns(folder: &Path) -> Result<f64> {
    let path = folder.join("estimates.json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let estimates: Value = serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))?;
    let median = estimates.pointer("/median/point_estimate").and_then(Value::as_f64);
    median.with_context(|| format!("{} has no median", path.display()))
}

/// Nanoseconds in a unit that leaves few digits.
fn time(ns: f64) -> String {
    if ns < 1e3 {
        format!("{ns:.1} ns")
    } else if ns < 1e6 {
        format!("{:.2} us", ns / 1e3)
    } else {
        format!("{:.2} ms", ns / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_both_is_compared() {
        let home = std::env::temp_dir().join(format!("rhizome-ratios-{}", std::process::id()));
        for (name, baseline, median) in
            [("json_decode", "saved", 2_000.0), ("json_decode", "new", 3_000.0), ("alone", "new", 5.0)]
        {
            let folder = home.join(name).join(baseline);
            fs::create_dir_all(&folder).unwrap();
            let text = format!(r#"{{"median":{{"point_estimate":{median}}}}}"#);
            fs::write(folder.join("estimates.json"), text).unwrap();
        }
        let notes = table(&home).unwrap().notes;
        fs::remove_dir_all(&home).unwrap();
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(
            notes[1].contains("json_decode") && notes[1].contains("3.00 us") && notes[1].ends_with("1.50"),
            "{notes:?}"
        );
    }
}
