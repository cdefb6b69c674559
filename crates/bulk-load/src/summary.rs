//! The results of a load, per label.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use api_client::ElementKind;
use indicatif::HumanBytes;

/// The result of a completed load. Its text form is meant for people.
#[derive(Clone, Debug, Default)]
pub struct LoadSummary {
    /// One entry per label, in the order of the mapping, vertices first.
    pub labels: Vec<LabelSummary>,
    /// Rows that could not be read at all (broken quotes, wrong column count); they belong to no label.
    pub rows_unreadable: u64,
    /// Time from the first read to the last answer, without counting on the server.
    pub elapsed: Duration,
    /// Nothing was sent.
    pub dry_run: bool,
    /// Folder with the rejected rows, if there are any.
    pub rejects_dir: Option<PathBuf>,
    /// Warnings for the user, in sentences.
    pub warnings: Vec<String>,
    /// Costs of an offline load.
    pub offline: Option<OfflineSummary>,
}

/// Costs of an offline load. If it was resumed, times are of the last run only, counts of the whole load.
#[derive(Clone, Debug, Default)]
pub struct OfflineSummary {
    /// Whether it resumed an interrupted load.
    pub resumed: bool,
    /// Time in which sources were read, rows made, sorted and written to runs (or committed in batches).
    pub reading: Duration,
    /// The part of it that threads spent on sorting and writing runs (or on committing), as the mean of all threads.
    pub sorting: Duration,
    /// Time in which runs were merged into files of the store.
    pub storing: Duration,
    /// Time in which index labels were built.
    pub indexing: Duration,
    /// Rows merged into the store: a vertex has one or two, an edge two.
    pub rows: u64,
    /// Files of sorted rows that were merged.
    pub runs: usize,
    /// Size of the store afterwards.
    pub store_bytes: u64,
}

/// What was done for one label.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelSummary {
    /// Vertex or edge.
    pub kind: ElementKind,
    /// Name of the label.
    pub label: String,
    /// Rows read for the label.
    pub read: u64,
    /// Elements the server accepted (in a dry run: that would be sent). More than rows where a row is unfolded.
    pub inserted: u64,
    /// Rows or elements written to the rejects.
    pub rejected: u64,
    /// Rows that make no edge since one end is empty.
    pub skipped: u64,
    /// What the server counts.
    pub counted: Counted,
}

/// Elements of a label as the server counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Counting was not asked for.
    NotAsked,
    /// Counting is not possible, for this reason.
    Impossible(String),
    /// Before and after the load.
    Counts {
        /// Before.
        before: u64,
        /// After.
        after: u64,
    },
}

impl LabelSummary {
    pub(crate) fn new(kind: ElementKind, label: &str) -> Self {
        Self {
            kind,
            label: label.to_owned(),
            read: 0,
            inserted: 0,
            rejected: 0,
            skipped: 0,
            counted: Counted::NotAsked,
        }
    }

    /// Whether the server's count is what the inserts should give; `None` if it was not counted.
    #[must_use]
    pub fn count_matches(&self) -> Option<bool> {
        match self.counted {
            Counted::Counts { before, after } => Some(after == before.saturating_add(self.inserted)),
            _ => None,
        }
    }

    /// The warning if the count does not match.
    pub(crate) fn warning(&self) -> Option<String> {
        let Counted::Counts { before, after } = self.counted else { return None };
        let expected = before.saturating_add(self.inserted);
        let (kind, label) = (self.kind, &self.label);
        if after < expected {
            let fewer = expected - after;
            let stored_before = if before > 0 { "or were stored before" } else { "in the input" };
            return Some(format!(
                "{kind} label \"{label}\": the server counts {after}, {fewer} fewer than {before} before plus {} \
                 inserted. Most likely {fewer} elements have the same id as another one {stored_before} and replaced \
                 it",
                self.inserted
            ));
        }
        (after > expected).then(|| {
            format!(
                "{kind} label \"{label}\": the server counts {after}, more than {before} before plus {} inserted. \
                 Someone else writes to the graph, or a request was carried out twice",
                self.inserted
            )
        })
    }
}

impl LoadSummary {
    /// Elements accepted by the server, over all labels.
    #[must_use]
    pub fn inserted(&self) -> u64 {
        self.labels.iter().map(|label| label.inserted).sum()
    }

    /// Rows or elements in the rejects, over all labels, with the unreadable rows.
    #[must_use]
    pub fn rejected(&self) -> u64 {
        self.labels.iter().map(|label| label.rejected).sum::<u64>() + self.rows_unreadable
    }

    /// Elements inserted per second.
    #[must_use]
    pub fn rate_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a rate for people to read")]
        let inserted = self.inserted() as f64;
        if seconds > 0.0 { inserted / seconds } else { 0.0 }
    }
}

impl fmt::Display for OfflineSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |duration: Duration| format!("{:.1} s", duration.as_secs_f64());
        let (reading, sorting) = (seconds(self.reading), seconds(self.sorting));
        if self.runs == 0 {
            return writeln!(
                f,
                "reading and committing {reading} (of it committing {sorting}), building indexes {}; the store takes \
                 {}",
                seconds(self.indexing),
                HumanBytes(self.store_bytes)
            );
        }
        writeln!(
            f,
            "reading {reading} (of it sorting {sorting}), storing {}, building indexes {}; {} rows from {} runs; the \
             store takes {}",
            seconds(self.storing),
            seconds(self.indexing),
            self.rows,
            self.runs,
            HumanBytes(self.store_bytes)
        )
    }
}

impl fmt::Display for LoadSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.labels.iter().map(|label| label.label.chars().count()).max().unwrap_or(0).max(5);
        let done = if self.dry_run { "valid" } else { "inserted" };
        writeln!(
            f,
            "{:<6}  {:<width$}  {:>12}  {done:>12}  {:>10}  {:>10}  counted on server",
            "kind", "label", "rows", "rejected", "skipped"
        )?;
        for one in &self.labels {
            let counted = match (&one.counted, one.count_matches()) {
                (Counted::Counts { before, after }, Some(true)) => format!("{before} -> {after}, as expected"),
                (Counted::Counts { before, after }, _) => format!("{before} -> {after}, see the warning"),
                (Counted::Impossible(reason), _) => format!("not counted: {reason}"),
                (Counted::NotAsked, _) => "-".to_owned(),
            };
            writeln!(
                f,
                "{:<6}  {:<width$}  {:>12}  {:>12}  {:>10}  {:>10}  {counted}",
                one.kind.to_string(),
                one.label,
                one.read,
                one.inserted,
                one.rejected,
                one.skipped
            )?;
        }
        if self.rows_unreadable > 0 {
            writeln!(f, "rows that could not be read: {}", self.rows_unreadable)?;
        }
        let seconds = self.elapsed.as_secs_f64();
        match &self.offline {
            Some(offline) if offline.resumed => {
                writeln!(f, "{} {done} in all; this run took {seconds:.1} s", self.inserted())?;
            }
            _ => writeln!(f, "{} {done} in {seconds:.1} s, {:.0} per second", self.inserted(), self.rate_per_second())?,
        }
        if let Some(offline) = &self.offline {
            offline.fmt(f)?;
        }
        if let Some(dir) = &self.rejects_dir {
            writeln!(f, "rejected rows and reasons: {}", dir.display())?;
        }
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_do_not_match_are_explained() {
        let mut label = LabelSummary::new(ElementKind::Vertex, "person");
        assert_eq!((label.count_matches(), label.warning()), (None, None));
        label.inserted = 10;
        label.counted = Counted::Counts { before: 5, after: 15 };
        assert_eq!((label.count_matches(), label.warning()), (Some(true), None));
        label.counted = Counted::Counts { before: 5, after: 12 };
        assert_eq!(label.count_matches(), Some(false));
        assert!(label.warning().unwrap().contains("3 fewer"));
        label.counted = Counted::Counts { before: 5, after: 16 };
        assert!(label.warning().unwrap().contains("carried out twice"));
    }

    #[test]
    fn the_text_has_every_number() {
        let mut label = LabelSummary::new(ElementKind::Edge, "knows");
        (label.read, label.inserted, label.rejected, label.skipped) = (103, 97, 4, 2);
        let summary = LoadSummary {
            labels: vec![label],
            rows_unreadable: 1,
            elapsed: Duration::from_secs(2),
            warnings: vec!["look here".into()],
            ..LoadSummary::default()
        };
        let text = summary.to_string();
        for part in ["edge", "knows", "103", "97", "could not be read: 1", "warning: look here", "per second"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(summary.rejected(), 5);
    }
}
