//! The distribution of a row's latencies, read back from its HDR histogram.

use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;

use crate::limits::DISTRIBUTION_POINTS_PER_HALF;
use crate::result::Row;

/// One point of a distribution: a percentage of requests took no longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentile {
    /// From 0 to 100.
    pub percentile: f64,
    /// Latency in microseconds.
    pub latency_us: u64,
}

/// A row's histogram cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HistogramError {
    /// The text is not base64.
    #[error("the histogram of the row with {concurrency} users is not base64: {source}")]
    Base64 {
        /// Of the row.
        concurrency: u32,
        /// What the decoder said.
        source: base64::DecodeError,
    },
    /// The bytes are not a histogram in the V2 form.
    #[error("the histogram of the row with {concurrency} users is damaged: {text}")]
    Damaged {
        /// Of the row.
        concurrency: u32,
        /// What the decoder said.
        text: String,
    },
}

/// The points of a row's distribution, ascending, closer together towards the slowest requests; empty without samples.
///
/// # Errors
///
/// When the row's histogram cannot be read.
pub fn percentiles(row: &Row) -> Result<Vec<Percentile>, HistogramError> {
    if row.histogram.is_empty() {
        return Ok(Vec::new());
    }
    let concurrency = row.concurrency;
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(&row.histogram)
        .map_err(|source| HistogramError::Base64 { concurrency, source })?;
    let histogram: Histogram<u64> = Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| HistogramError::Damaged { concurrency, text: format!("{error:?}") })?;
    // With this number of samples, higher percentiles cannot be distinguished; the longest is shown there.
    #[expect(clippy::cast_precision_loss, reason = "a share of some samples")]
    let last = 100.0 - 100.0 / histogram.len().max(1) as f64;
    let points = histogram.iter_quantiles(DISTRIBUTION_POINTS_PER_HALF).map(|point| Percentile {
        percentile: point.quantile_iterated_to() * 100.0,
        latency_us: point.value_iterated_to(),
    });
    let mut points: Vec<_> = points.take_while(|point| point.percentile < last).collect();
    if !histogram.is_empty() {
        points.push(Percentile { percentile: last, latency_us: histogram.max() });
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

    use super::*;

    fn row(values: impl IntoIterator<Item = u64>) -> Row {
        let mut histogram = Histogram::<u64>::new(3).unwrap();
        values.into_iter().for_each(|value| histogram.record(value).unwrap());
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&histogram, &mut bytes).unwrap();
        Row { histogram: base64::engine::general_purpose::STANDARD.encode(bytes), ..Row::default() }
    }

    #[test]
    fn points_ascend_to_the_longest() {
        let points = percentiles(&row(1..=100_000)).unwrap();
        assert!(points.is_sorted_by(|a, b| a.percentile <= b.percentile && a.latency_us <= b.latency_us));
        let last = points.last().unwrap();
        assert!((last.percentile - 99.999).abs() < 1e-9, "one of 100,000 took longest: {last:?}");
        assert!(last.latency_us.abs_diff(100_000) <= 100, "{last:?}");
        for point in points {
            #[expect(clippy::cast_precision_loss)]
            let expected = point.latency_us as f64 / 1000.0;
            assert!((point.percentile - expected).abs() < 0.2, "{point:?}");
        }
    }

    #[test]
    fn nothing_gives_no_point_and_damage_an_error() {
        assert!(percentiles(&Row::default()).unwrap().is_empty());
        assert!(percentiles(&row([])).unwrap().is_empty());
        for text in ["%", "AAAA", "HISTFAAA"] {
            let row = Row { histogram: text.to_owned(), concurrency: 7, ..Row::default() };
            assert!(percentiles(&row).unwrap_err().to_string().contains("7 users"));
        }
    }
}
