//! Axes: where a value stands, which range is shown, and which values are labelled.

use crate::figures;

/// How values are laid out along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// From zero, in even steps.
    Linear,
    /// By powers of ten; values above zero only.
    Logarithmic,
    /// Percentiles from 0 to 100 by the share that is above them: 90, 99 and 99.9 are equally far apart.
    Percentile,
}

/// What an axis shows, in places (see [`Axis::place`]).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) ticks: Vec<f64>,
}

/// Labelled values of an axis, about.
const TICKS: f64 = 5.0;

/// A linear axis extends to this multiple of its highest value if a line along its end would look cut off.
const HEADROOM: f64 = 1.02;

/// The place of 100 on an axis of percentiles: beyond what fewer than ten million samples can tell apart from it.
const HUNDREDTH_PLACE: f64 = 7.0;

impl Axis {
    /// Where a value stands; `None` if the axis has no place for it.
    pub(super) fn place(self, value: f64) -> Option<f64> {
        let place = match self {
            Self::Linear => value,
            Self::Logarithmic => value.log10(),
            Self::Percentile => (-(1.0 - value / 100.0).log10()).min(HUNDREDTH_PLACE),
        };
        place.is_finite().then_some(place)
    }

    /// The text at a place.
    pub(super) fn label(self, place: f64) -> String {
        match self {
            Self::Linear => short(place),
            Self::Logarithmic => short(10f64.powf(place)),
            Self::Percentile => {
                let percentile = 100.0 - 100.0 * 10f64.powf(-place);
                let rounded = format!("{percentile:.5}");
                format!("{}%", rounded.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    }
}

/// The range that shows all of the values; `None` if none has a place. With `headroom`, a linear axis ends above the
/// highest.
pub(super) fn range(axis: Axis, headroom: bool, values: impl Iterator<Item = f64>) -> Option<Range> {
    let places = values.filter_map(|value| axis.place(value));
    let (low, high) = places.fold(None, |range, place| match range {
        None => Some((place, place)),
        Some((low, high)) => Some((f64::min(low, place), f64::max(high, place))),
    })?;
    Some(match axis {
        Axis::Linear => linear(if headroom { high * HEADROOM } else { high }),
        Axis::Logarithmic => logarithmic(low, high),
        Axis::Percentile => percentile(high),
    })
}

/// From zero to the tick above the highest value.
fn linear(high: f64) -> Range {
    let high = if high > 0.0 { high } else { 1.0 };
    let step = step(high / TICKS);
    let steps = (high / step - 1e-9).ceil().max(1.0);
    Range {
        low: 0.0,
        high: step * steps,
        ticks: (0..).map(f64::from).take_while(|n| *n <= steps).map(|n| n * step).collect(),
    }
}

/// The step of 1, 2 or 5 times a power of ten that is not below `rough`.
fn step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    digit * power
}

/// Whole powers of ten where there are enough of them, otherwise also twice and five times one.
fn logarithmic(low: f64, high: f64) -> Range {
    let digits: &[f64] = if high - low > 2.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    // Places are rounded to a billionth: 10 is then exactly the tick of 10.
    let rounded = |place: f64| (place * 1e9).round() / 1e9;
    let mut ticks = Vec::new();
    let mut power = low.floor() - 1.0;
    while power <= high.ceil() + 1.0 {
        ticks.extend(digits.iter().map(|digit| rounded(power + digit.log10())));
        power += 1.0;
    }
    let (low, high) = (rounded(low), rounded(high));
    let below = ticks
        .iter()
        .rposition(|tick| *tick <= low && *tick < high)
        .or_else(|| ticks.iter().rposition(|tick| *tick < low));
    let above = ticks.iter().position(|tick| *tick >= high);
    let ticks =
        ticks.get(below.unwrap_or(0)..=above.unwrap_or(ticks.len() - 1)).map(<[f64]>::to_vec).unwrap_or_default();
    Range { low: ticks.first().copied().unwrap_or(low), high: ticks.last().copied().unwrap_or(high), ticks }
}

/// From 0 to the percentile where the last sample stands.
fn percentile(high: f64) -> Range {
    let high = high.max(1.0);
    // Without 0, whose label would touch that of 50.
    let half = 2f64.log10();
    let ticks = [half].into_iter().chain((1..).map(f64::from)).take_while(|tick| *tick <= high).collect();
    Range { low: 0.0, high, ticks }
}

/// A number in few characters: `250k`, `1.5M`, `0.05`.
fn short(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 999_999.5 => (value / 1e6, "M"),
        size if size >= 9_999.5 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let rounded = (scaled * 1000.0).round() / 1000.0;
    if unit.is_empty() && rounded >= 1000.0 { figures::number(rounded) } else { format!("{rounded}{unit}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(axis: Axis, values: &[f64]) -> String {
        let range = range(axis, false, values.iter().copied()).unwrap();
        range.ticks.iter().map(|tick| axis.label(*tick)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round_values() {
        assert_eq!(labels(Axis::Linear, &[1842.0]), "0 500 1,000 1,500 2,000");
        let above = range(Axis::Linear, true, [500.0].into_iter()).unwrap();
        assert!((above.high - 600.0).abs() < 1e-9, "{above:?}");
        assert_eq!(labels(Axis::Linear, &[368_480.0]), "0 100k 200k 300k 400k");
        assert_eq!(labels(Axis::Linear, &[0.0]), "0 0.2 0.4 0.6 0.8 1");
        assert_eq!(labels(Axis::Logarithmic, &[0.03, 3000.0]), "0.01 0.1 1 10 100 1,000 10k");
        assert_eq!(labels(Axis::Logarithmic, &[3.0, 40.0]), "2 5 10 20 50");
        assert_eq!(labels(Axis::Percentile, &[99.95]), "50% 90% 99% 99.9%");
    }

    proptest! {
        #[test]
        fn the_range_holds_every_value(values in prop::collection::vec(1e-3..1e9f64, 1..20)) {
            for axis in [Axis::Linear, Axis::Logarithmic] {
                let range = range(axis, false, values.iter().copied()).unwrap();
                prop_assert!(range.low < range.high);
                prop_assert!((2..=14).contains(&range.ticks.len()), "{range:?}");
                for value in &values {
                    let place = axis.place(*value).unwrap();
                    let end = range.high * (1.0 + 1e-9) + 1e-6;
                    prop_assert!(range.low - 1e-6 <= place && place <= end, "{value} in {range:?}");
                }
            }
        }

        #[test]
        fn percentiles_have_a_place(value in 0.0..=100.0f64) {
            let place = Axis::Percentile.place(value).unwrap();
            prop_assert!((0.0..=HUNDREDTH_PLACE).contains(&place));
        }
    }
}
