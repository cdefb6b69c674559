//! The findings of a part, compared with the expected values.

use load_test::table::Grid;

/// One finding.
struct Finding {
    /// What was examined.
    what: String,
    /// The observed value.
    found: String,
    /// The expected value.
    bar: String,
    /// Whether the value is as expected.
    is_met: bool,
}

/// The findings of a part, with tables of the underlying measurements.
#[derive(Default)]
pub(super) struct Findings {
    lines: Vec<Finding>,
    /// Tables with their titles.
    pub(super) details: Vec<(String, Grid)>,
}

impl Findings {
    /// Adds a finding.
    pub(super) fn add(&mut self, what: &str, found: String, bar: &str, is_met: bool) {
        self.lines.push(Finding { what: what.to_owned(), found, bar: bar.to_owned(), is_met });
    }

    /// All of it as Markdown, under the name of the part.
    pub(super) fn section(&self, title: &str) -> String {
        let mut text = format!("## {title}\n\n");
        let row = |finding: &Finding| {
            let met = if finding.is_met { "yes" } else { "no" };
            vec![finding.what.clone(), finding.found.clone(), finding.bar.clone(), met.to_owned()]
        };
        let headers = ["What", "Found", "Bar", "Met"].map(str::to_owned).to_vec();
        let grid = Grid { headers, rows: self.lines.iter().map(row).collect(), marked: None, text_columns: 4 };
        text.push_str(&format!("{}\n", grid.to_markdown()));
        for (caption, grid) in &self.details {
            text.push_str(&format!("{caption}\n\n{}\n", grid.to_markdown()));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_say_whether_the_bar_is_met() {
        let mut findings = Findings::default();
        findings.add("errors", "0.00%".to_owned(), "none", true);
        findings.add("memory", "600 MiB".to_owned(), "563 MiB", false);
        let text = findings.section("paced-reads");
        assert!(text.starts_with("## paced-reads\n"), "{text}");
        let lines: Vec<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert!(lines.contains(&"| errors | 0.00% | none | yes |".to_owned()), "{text}");
        assert!(lines.contains(&"| memory | 600 MiB | 563 MiB | no |".to_owned()), "{text}");
    }
}
