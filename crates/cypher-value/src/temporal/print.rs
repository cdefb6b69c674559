//! How moments and lengths of time are written: ISO 8601, as `java.time` does.

use std::fmt::{self, Display, Formatter, Write as _};

use super::{Date, DateTime, Duration, LocalDateTime, LocalTime, SECOND, Time};

impl Display for Date {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        match year {
            10_000.. => write!(f, "+{year}")?,
            0..10_000 => write!(f, "{year:04}")?,
            _ => write!(f, "-{:04}", year.unsigned_abs())?,
        }
        write!(f, "-{month:02}-{day:02}")
    }
}

impl Display for LocalTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (hour, minute, second, nanosecond) = self.parts();
        write!(f, "{hour:02}:{minute:02}")?;
        if second != 0 || nanosecond != 0 {
            write!(f, ":{second:02}")?;
        }
        match nanosecond {
            0 => Ok(()),
            _ if nanosecond % 1_000_000 == 0 => write!(f, ".{:03}", nanosecond / 1_000_000),
            _ if nanosecond % 1_000 == 0 => write!(f, ".{:06}", nanosecond / 1_000),
            _ => write!(f, ".{nanosecond:09}"),
        }
    }
}

/// Writes an offset: `Z`, `+01:00`, `-00:53:28`.
pub(crate) struct Offset(pub(crate) i32);

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_char('Z');
        }
        let seconds = self.0.unsigned_abs();
        let sign = if self.0 < 0 { '-' } else { '+' };
        write!(f, "{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)?;
        if !seconds.is_multiple_of(60) { write!(f, ":{:02}", seconds % 60) } else { Ok(()) }
    }
}

impl Display for Time {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.local(), Offset(self.offset))
    }
}

impl Display for LocalDateTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}", self.date(), self.time())
    }
}

impl Display for DateTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.local(), Offset(self.offset))?;
        match &self.zone {
            Some(zone) => write!(f, "[{zone}]"),
            None => Ok(()),
        }
    }
}

impl Display for Duration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if *self == Self::default() {
            return f.write_str("PT0S");
        }
        let part = |f: &mut Formatter<'_>, amount: i64, unit: char| match amount {
            0 => Ok(()),
            _ => write!(f, "{amount}{unit}"),
        };
        f.write_char('P')?;
        part(f, self.months / 12, 'Y')?;
        part(f, self.months % 12, 'M')?;
        part(f, self.days, 'D')?;
        if self.seconds == 0 && self.nanoseconds == 0 {
            return Ok(());
        }
        // Counted away from zero: -1 second and 999,000,000 nanoseconds are -0.001 seconds.
        let negative = self.seconds < 0;
        let (seconds, nanoseconds) = if negative && self.nanoseconds != 0 {
            (self.seconds + 1, SECOND - i64::from(self.nanoseconds))
        } else {
            (self.seconds, i64::from(self.nanoseconds))
        };
        f.write_char('T')?;
        part(f, seconds / 3600, 'H')?;
        part(f, seconds / 60 % 60, 'M')?;
        let seconds = seconds % 60;
        if seconds == 0 && nanoseconds == 0 {
            return Ok(());
        }
        if negative {
            f.write_char('-')?;
        }
        write!(f, "{}", seconds.unsigned_abs())?;
        if nanoseconds != 0 {
            let digits = format!("{nanoseconds:09}");
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        f.write_char('S')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_have_four_digits_or_a_sign() {
        let text = |year| Date::new(year, 2, 3).map(|date| date.to_string()).unwrap_or_default();
        assert_eq!(text(28), "0028-02-03");
        assert_eq!(text(-1), "-0001-02-03");
        assert_eq!(text(10_000), "+10000-02-03");
        assert_eq!(text(-999_999_999), "-999999999-02-03");
    }

    #[test]
    fn lengths_count_away_from_zero() {
        let text = |seconds, milliseconds: u32| {
            Duration { months: 0, days: 0, seconds, nanoseconds: milliseconds * 1_000_000 }.to_string()
        };
        assert_eq!(text(1, 999), "PT1.999S");
        assert_eq!(text(-2, 1), "PT-1.999S");
        assert_eq!(text(-3, 999), "PT-2.001S");
        assert_eq!(text(-61, 999), "PT-1M-0.001S");
        assert_eq!(text(-60, 1), "PT-59.999S");
        assert_eq!(text(-60, 0), "PT-1M");
        let mixed = Duration { months: 14, days: -3, seconds: -4 * 3600, nanoseconds: 0 };
        assert_eq!(mixed.to_string(), "P1Y2M-3DT-4H");
    }
}
