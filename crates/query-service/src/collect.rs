//! All results of a query, held in memory.

use query_value::Value;

use crate::request::{Gone, Sink};

/// Bytes that the shortest result has in an answer, with its comma.
const RESULT_BYTES_MIN: usize = 2;

/// Keeps results until they are too many for an answer.
#[derive(Debug, Default)]
pub struct Collect {
    rows: Vec<(Value, u64)>,
    bytes: usize,
    bytes_max: usize,
}

impl Collect {
    /// For an answer of at most so many bytes.
    #[must_use]
    pub fn new(bytes_max: usize) -> Self {
        Self { rows: Vec::new(), bytes: 0, bytes_max }
    }

    /// The results with the numbers of times they occur.
    #[must_use]
    pub fn rows(&self) -> &[(Value, u64)] {
        &self.rows
    }

    /// The results, taken out.
    #[must_use]
    pub fn take_rows(&mut self) -> Vec<(Value, u64)> {
        std::mem::take(&mut self.rows)
    }

    /// Whether there were more than an answer holds; the query was ended then.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        self.bytes > self.bytes_max
    }
}

impl Sink for Collect {
    fn take(&mut self, mut rows: Vec<(Value, u64)>) -> Result<u64, Gone> {
        for (_, times) in &rows {
            let times = usize::try_from(*times).unwrap_or(usize::MAX);
            self.bytes = self.bytes.saturating_add(times.saturating_mul(RESULT_BYTES_MIN));
        }
        if self.is_too_large() {
            return Err(Gone);
        }
        self.rows.append(&mut rows);
        Ok(0)
    }
}
