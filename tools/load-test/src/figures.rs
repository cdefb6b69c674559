//! Numbers as a reader of tables wants them: units of a fixed size, digits that mean something, groups of three.

/// A number with two decimals below 10, one below 10,000, none above or if it is whole; groups of three.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        _ if value.fract() == 0.0 => 0,
        _ if size < 10.0 => 2,
        _ if size < 10_000.0 => 1,
        _ => 0,
    };
    grouped(&format!("{value:.decimals$}"))
}

/// A whole number in groups of three.
#[must_use]
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// Microseconds as milliseconds: JMeter's unit, with the decimals that JMeter's whole numbers lose.
#[must_use]
pub fn ms(us: f64) -> String {
    let ms = us / 1000.0;
    let decimals = match ms {
        _ if ms < 10.0 => 2,
        _ if ms < 100.0 => 1,
        _ => 0,
    };
    grouped(&format!("{ms:.decimals$}"))
}

/// A percentage with two decimals, as JMeter prints it. One that rounds to 0.00 but is not zero is marked: the pages
/// rate a row by this figure.
#[must_use]
pub fn percent(value: f64) -> String {
    if value > 0.0 && value < 0.005 { "<0.01%".to_owned() } else { format!("{value:.2}%") }
}

/// Bytes in the unit that leaves one to three digits before the point.
#[must_use]
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if value < 1024 {
        return format!("{value} B");
    }
    #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
    let mut size = value as f64 / 1024.0;
    let mut units = UNITS.into_iter();
    let mut unit = units.next().unwrap_or_default();
    for larger in units {
        if size < 1024.0 {
            break;
        }
        size /= 1024.0;
        unit = larger;
    }
    if size < 100.0 { format!("{size:.1} {unit}") } else { format!("{size:.0} {unit}") }
}

/// Milliseconds as a person says them: `250 ms`, `1.5 s`, `5 min`.
#[must_use]
pub fn duration_ms(value: u64) -> String {
    match value {
        _ if value >= 120_000 && value.is_multiple_of(60_000) => format!("{} min", value / 60_000),
        _ if value >= 1000 && value.is_multiple_of(1000) => format!("{} s", value / 1000),
        _ if value >= 1000 => format!("{}.{} s", value / 1000, value % 1000 / 100),
        _ => format!("{value} ms"),
    }
}

/// Puts a comma between groups of three digits before the point.
fn grouped(digits: &str) -> String {
    let (sign, rest) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(whole, fraction)| (whole, Some(fraction)));
    let mut text = String::from(sign);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_follow_the_size() {
        assert_eq!([0.0, 0.5, 12.34, 1842.43, 368_480.2].map(number), ["0", "0.50", "12.3", "1,842.4", "368,480"]);
        assert_eq!([140.0, 55_300.0, 1_230_400.0].map(ms), ["0.14", "55.3", "1,230"]);
        assert_eq!([0.0, 0.001, 0.06, 100.0].map(percent), ["0.00%", "<0.01%", "0.06%", "100.00%"]);
        assert_eq!([12, 2048, 300 << 20, 5 << 30].map(bytes), ["12 B", "2.0 KiB", "300 MiB", "5.0 GiB"]);
        assert_eq!([250, 1500, 30_000, 60_000, 300_000].map(duration_ms), ["250 ms", "1.5 s", "30 s", "60 s", "5 min"]);
    }

    proptest! {
        #[test]
        fn grouping_loses_no_digit(value: u64) {
            let text = count(value);
            prop_assert_eq!(text.replace(',', ""), value.to_string());
            prop_assert!(text.split(',').skip(1).all(|group| group.len() == 3));
            prop_assert!(text.split(',').next().is_some_and(|group| (1..=3).contains(&group.len())));
        }
    }
}
