//! The size of a crate of the product: all lines of `src/**/*.rs`, comments and blank lines included, without the
//! modules under `#[cfg(test)]`, be they in braces or in files.

use super::findings::Finding;
use super::limits::CRATE_LINES_MAX;
use super::modules::Crate;
use crate::report::Report;

/// Checks a crate; those outside `crates/` measure or generate, and are not the product.
pub(crate) fn check(krate: &Crate, findings: &mut Vec<Finding>, report: &mut Report) {
    if !krate.folder.starts_with("crates/") {
        return;
    }
    if krate.lines > CRATE_LINES_MAX {
        findings.push(Finding {
            rule: "crate-lines",
            path: krate.folder.clone(),
            line: 0,
            subject: String::new(),
            text: format!("{} lines of source, above {CRATE_LINES_MAX}; split it by question", krate.lines),
        });
    } else if krate.lines > CRATE_LINES_MAX / 10 * 9 {
        report.notes.push(format!("{}: {} lines of source; {CRATE_LINES_MAX} is the limit", krate.folder, krate.lines));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::modules::tests::sample;

    #[test]
    fn tests_do_not_count() {
        let found = |text: &str| {
            let mut findings = Vec::new();
            check(&sample(&[("lib.rs", text)]), &mut findings, &mut Report::default());
            findings.len()
        };
        let lines = "\n".repeat(CRATE_LINES_MAX);
        assert_eq!(found(&lines), 0);
        assert_eq!(found(&format!("{lines}\n")), 1);
        assert_eq!(found(&format!("{lines}#[cfg(test)]\nmod tests {{\n\n}}\n")), 0);
    }
}
