//! What a migration did, for people.

use std::fmt;
use std::time::Duration;

use api_client::ElementKind;

/// One label in source and target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelComparison {
    /// Vertices or edges.
    pub kind: ElementKind,
    /// The label.
    pub label: String,
    /// How many elements the source gave.
    pub source: u64,
    /// How many the target has; `None` where it was not compared.
    pub target: Option<u64>,
    /// The sum over the contents in the source, in hexadecimal digits.
    pub source_hash: String,
    /// Likewise in the target.
    pub target_hash: Option<String>,
    /// Its elements expire, so the target may have fewer.
    pub expires: bool,
}

impl LabelComparison {
    /// Whether the target has what the source gave.
    #[must_use]
    pub fn agrees(&self) -> bool {
        match (self.target, &self.target_hash) {
            (Some(target), _) if self.expires => target <= self.source,
            (Some(target), Some(hash)) => target == self.source && *hash == self.source_hash,
            _ => true,
        }
    }
}

/// What a migration did.
#[derive(Clone, Debug, Default)]
pub struct MigrateSummary {
    /// All labels.
    pub labels: Vec<LabelComparison>,
    /// Definitions made, those that were there already not counted.
    pub defined: usize,
    /// Variables set.
    pub variables: usize,
    /// Records of users and rights made.
    pub users: usize,
    /// Whether it went on with an interrupted one.
    pub resumed: bool,
    /// Time for reading the source.
    pub fetching: Duration,
    /// Time for the target to take the elements.
    pub loading: Duration,
    /// Time for comparing.
    pub comparing: Duration,
    /// What was left out, or is to be known.
    pub warnings: Vec<String>,
}

impl MigrateSummary {
    /// Labels whose elements differ.
    pub fn differing(&self) -> impl Iterator<Item = &LabelComparison> {
        self.labels.iter().filter(|label| !label.agrees())
    }

    /// Elements of a kind that the source gave.
    #[must_use]
    pub fn elements(&self, kind: ElementKind) -> u64 {
        self.labels.iter().filter(|label| label.kind == kind).map(|label| label.source).sum()
    }
}

impl fmt::Display for MigrateSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.labels.iter().map(|label| label.label.chars().count()).max().unwrap_or(0).max(5);
        writeln!(f, "{:<6}  {:<width$}  {:>12}  {:>12}  {:<32}", "kind", "label", "source", "target", "contents")?;
        for one in &self.labels {
            let target = one.target.map_or_else(|| "-".to_owned(), |target| target.to_string());
            let contents = match (&one.target_hash, one.agrees()) {
                (None, _) => "not compared".to_owned(),
                (Some(_), true) if one.expires => "expire, not compared".to_owned(),
                (Some(hash), true) => format!("equal ({})", hash.get(..8).unwrap_or_default()),
                (Some(_), false) => "DIFFERENT".to_owned(),
            };
            writeln!(
                f,
                "{:<6}  {:<width$}  {:>12}  {target:>12}  {contents}",
                one.kind.to_string(),
                one.label,
                one.source
            )?;
        }
        let (vertices, edges) = (self.elements(ElementKind::Vertex), self.elements(ElementKind::Edge));
        let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
        writeln!(
            f,
            "{vertices} vertices and {edges} edges; reading the source {}, loading {}, comparing {}{}",
            seconds(self.fetching),
            seconds(self.loading),
            seconds(self.comparing),
            if self.resumed { " (this run went on with an interrupted one)" } else { "" }
        )?;
        writeln!(
            f,
            "made: {} definitions, {} variables, {} records of users and rights",
            self.defined, self.variables, self.users
        )?;
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(target: Option<u64>, hash: &str, expires: bool) -> LabelComparison {
        LabelComparison {
            kind: ElementKind::Vertex,
            label: "person".into(),
            source: 5,
            target,
            source_hash: "aa".into(),
            target_hash: target.map(|_| hash.to_owned()),
            expires,
        }
    }

    #[test]
    fn counts_and_contents_must_agree_unless_elements_expire() {
        assert!(label(Some(5), "aa", false).agrees());
        assert!(!label(Some(5), "bb", false).agrees());
        assert!(!label(Some(6), "aa", false).agrees());
        assert!(label(Some(4), "bb", true).agrees());
        assert!(!label(Some(6), "bb", true).agrees());
        assert!(label(None, "", false).agrees());
    }

    #[test]
    fn the_text_has_what_differs() {
        let summary = MigrateSummary {
            labels: vec![label(Some(5), "bb", false)],
            warnings: vec!["look".into()],
            ..MigrateSummary::default()
        };
        let text = summary.to_string();
        for part in ["person", "DIFFERENT", "5 vertices and 0 edges", "warning: look"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(summary.differing().count(), 1);
    }
}
