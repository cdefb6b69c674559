//! Why a report cannot be made.

use super::chart::ChartError;
use crate::distribution::HistogramError;
use crate::limits::CHART_SERIES_MAX;

/// A report cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// There is nothing to report.
    #[error("a report needs at least one run")]
    NoRuns,
    /// More runs than can be distinguished.
    #[error(
        "{found} runs are too many for one page: at most {CHART_SERIES_MAX} (CHART_SERIES_MAX) can be distinguished"
    )]
    TooManyRuns {
        /// How many were given.
        found: usize,
    },
    /// A histogram of a run is damaged.
    #[error(transparent)]
    Histogram(#[from] HistogramError),
    /// A chart could not be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
}
