//! The shape of `CHANGELOG.md`: a title, `## Unreleased` first, then releases as `## 1.2.3 - 2026-01-31`, newest first;
//! below each, optional `### Area` headings and list items, each one fact for a user, ending with a stop.

use crate::report::Report;

const FILE: &str = "CHANGELOG.md";

/// Checks the text of the file.
pub(crate) fn check(text: &str, report: &mut Report) {
    let mut problem = |line: usize, what: &str| report.problems.push(format!("{FILE}:{line}: {what}"));
    if text.lines().next() != Some("# Changelog") {
        problem(1, "the first line must be `# Changelog`");
    }
    let mut sections = 0;
    let mut in_entry = false;
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        if let Some(title) = line.strip_prefix("## ") {
            sections += 1;
            let unreleased = title == "Unreleased";
            if unreleased != (sections == 1) {
                problem(number, "the first section, and only the first, is `## Unreleased`");
            } else if !unreleased && !is_release(title) {
                problem(number, "a release is `## 1.2.3 - 2026-01-31`");
            }
        } else if line.starts_with("- ") || line.starts_with("  ") {
            let is_entry = line.starts_with("- ");
            if sections == 0 && is_entry {
                problem(number, "an entry before the first section");
            }
            if !is_entry && !in_entry {
                problem(number, "only an entry goes on in a line that begins with two spaces");
            }
            in_entry = true;
            let goes_on = text.lines().nth(number).is_some_and(|next| next.starts_with("  "));
            if !goes_on && !line.ends_with('.') {
                problem(number, "an entry ends with a full stop");
            }
            continue;
        } else if sections > 0 && !line.is_empty() && !line.starts_with("### ") {
            problem(number, "below a section stand only `### Area` and `- entry` lines");
        }
        in_entry = false;
    }
    if sections == 0 {
        problem(1, "there is no `## Unreleased` section");
    }
}

/// True for `1.2.3 - 2026-01-31`.
fn is_release(title: &str) -> bool {
    let Some((version, date)) = title.split_once(" - ") else { return false };
    let numbers = |text: &str, separator: char, count: usize| {
        let parts: Vec<&str> = text.split(separator).collect();
        parts.len() == count && parts.iter().all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
    };
    numbers(version, '.', 3) && numbers(date, '-', 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> usize {
        let mut report = Report::default();
        check(text, &mut report);
        report.problems.len()
    }

    #[test]
    fn shapes() {
        let good =
            "# Changelog\n\nIntro.\n\n## Unreleased\n\n### Server\n\n- One.\n\n## 0.1.0 - 2026-01-31\n\n- Two.\n";
        assert_eq!(problems(good), 0);
        assert_eq!(problems("# Changes\n\n## Unreleased\n"), 1);
        assert_eq!(problems("# Changelog\n\n## 0.1.0 - 2026-01-31\n"), 1);
        assert_eq!(problems("# Changelog\n\n## Unreleased\n\n## version two\n"), 1);
        assert_eq!(problems("# Changelog\n\n## Unreleased\n- no stop\n"), 1);
        assert_eq!(problems("# Changelog\n\n## Unreleased\n- one\n  two lines.\n- Three.\n"), 0);
        assert_eq!(problems("# Changelog\n\n## Unreleased\n- one.\n  two lines\n"), 1);
        assert_eq!(problems("# Changelog\n\n## Unreleased\n\n  two lines.\n"), 1);
        assert_eq!(problems("# Changelog\n"), 1);
    }
}
