//! Lengths of time and the ISO 8601 texts they are read from and written as.

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Duration {
    /// Whole seconds, rounded down.
    pub seconds: i64,
    /// Nanoseconds to add, below 10^9.
    pub nanoseconds: u32,
}

impl Duration {
    /// Reads the days, hours, minutes and seconds of ISO 8601: `P1DT2H3M4.5S`. Each part may be negative.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let rest = text.strip_prefix('P')?;
        let (days, time) = rest.split_once('T').map_or((rest, None), |(days, time)| (days, Some(time)));
        let mut total: i128 = 0;
        let mut add = |part: &str, unit: i128| -> Option<()> {
            let nanoseconds =
                if unit == 1 { seconds(part)? } else { i128::from(part.parse::<i64>().ok()?) * 1_000_000_000 };
            total = total.checked_add(nanoseconds.checked_mul(unit)?)?;
            Some(())
        };
        if !days.is_empty() {
            add(days.strip_suffix('D')?, 86_400)?;
        }
        let mut parts = time.unwrap_or_default();
        for (suffix, unit) in [('H', 3600), ('M', 60), ('S', 1)] {
            if let Some((part, rest)) = parts.split_once(suffix) {
                add(part, unit)?;
                parts = rest;
            }
        }
        if !parts.is_empty() || (days.is_empty() && time.is_none_or(str::is_empty)) {
            return None;
        }
        let total = if is_negative { -total } else { total };
        Some(Self {
            seconds: i64::try_from(total.div_euclid(1_000_000_000)).ok()?,
            nanoseconds: u32::try_from(total.rem_euclid(1_000_000_000)).ok()?,
        })
    }
}

/// Nanoseconds of a number of seconds with up to nine decimal places.
fn seconds(text: &str) -> Option<i128> {
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    let total =
        i128::from(whole.parse::<u64>().ok()?) * 1_000_000_000 + format!("{fraction:0<9}").parse::<i128>().ok()?;
    Some(if is_negative { -total } else { total })
}

impl std::fmt::Display for Duration {
    /// Writes seconds alone, which every reader of ISO 8601 takes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let total = i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanoseconds);
        let sign = if total < 0 { "-" } else { "" };
        let (seconds, fraction) = (total.unsigned_abs() / 1_000_000_000, total.unsigned_abs() % 1_000_000_000);
        write!(f, "PT{sign}{seconds}")?;
        if fraction > 0 {
            write!(f, ".{}", format!("{fraction:09}").trim_end_matches('0'))?;
        }
        f.write_str("S")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written() {
        for (text, written, seconds, nanoseconds) in [
            ("PT1S", "PT1S", 1, 0),
            ("PT-1.5S", "PT-1.5S", -2, 500_000_000),
            ("-PT1.5S", "PT-1.5S", -2, 500_000_000),
            ("P1DT2H3M4.5S", "PT93784.5S", 93_784, 500_000_000),
            ("PT0S", "PT0S", 0, 0),
            ("PT-9223372036854775808S", "PT-9223372036854775808S", i64::MIN, 0),
            ("PT9223372036854775807.999999999S", "PT9223372036854775807.999999999S", i64::MAX, 999_999_999),
        ] {
            let duration = Duration { seconds, nanoseconds };
            assert_eq!(Duration::parse(text), Some(duration), "{text}");
            assert_eq!(duration.to_string(), written);
        }
        for text in [
            "",
            "P",
            "PT",
            "1S",
            "PT1",
            "PTS",
            "PT1.S",
            "PT1.1234567890S",
            "P1",
            "PT99999999999999999999S",
            "PT9223372036854775808S",
        ] {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
    }
}
