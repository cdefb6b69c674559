//! How an integer compares with a float: exactly, not by rounding one to the other.

use std::cmp::Ordering;

/// Compares an integer with a float; none for NaN.
pub(crate) fn compare(integer: i64, float: f64) -> Option<Ordering> {
    match whole(float.trunc()) {
        // Equal before the point: what is behind it decides.
        Some(whole) if whole == integer => 0.0.partial_cmp(&float.fract()),
        Some(whole) => Some(integer.cmp(&whole)),
        None if float.is_nan() => None,
        None if float > 0.0 => Some(Ordering::Less),
        None => Some(Ordering::Greater),
    }
}

/// The integer that a float is, if it is one of 64 bits.
pub(crate) fn whole(float: f64) -> Option<i64> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    let inside = float.fract() == 0.0 && (-BEYOND..BEYOND).contains(&float);
    #[expect(clippy::cast_possible_truncation, reason = "it is an integer within 64 bits")]
    inside.then_some(float as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_integers_are_not_rounded() {
        assert_eq!(compare(9_007_199_254_740_993, 9_007_199_254_740_992.0), Some(Ordering::Greater));
        assert_eq!(compare(i64::MAX, 9_223_372_036_854_775_808.0), Some(Ordering::Less));
        assert_eq!(compare(i64::MIN, -9_223_372_036_854_775_808.0), Some(Ordering::Equal));
        assert_eq!(compare(1, 1.5), Some(Ordering::Less));
        assert_eq!(compare(-1, -1.5), Some(Ordering::Greater));
        assert_eq!(compare(0, -0.0), Some(Ordering::Equal));
        assert_eq!(compare(0, f64::NAN), None);
        assert_eq!(compare(0, f64::NEG_INFINITY), Some(Ordering::Greater));
    }
}
