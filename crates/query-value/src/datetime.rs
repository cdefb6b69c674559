//! Moments with their offset from UTC, and the ISO 8601 texts they are read from and written as.

use std::fmt;

use jiff::civil;

use crate::duration::Duration;

const NANOSECONDS: u64 = 1_000_000_000;

/// A local date and time with its offset from UTC. The years go beyond four digits, as Java's do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DateTime {
    /// The year; 0 is 1 BC.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
    /// Nanoseconds since midnight.
    pub nanosecond: u64,
    /// Seconds that local time is ahead of UTC.
    pub offset_seconds: i32,
}

impl DateTime {
    /// Reads a date (`2024-03-01`), or a date and time with or without an offset; without one it is UTC.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (local, offset_seconds) = split_offset(text)?;
        let moment: civil::DateTime = match local.len() {
            // A month alone is its first day.
            7 => format!("{local}-01").parse().ok()?,
            _ => local.parse().ok()?,
        };
        let time = moment.time().duration_since(civil::Time::midnight());
        Some(Self {
            year: moment.year().into(),
            month: u8::try_from(moment.month()).ok()?,
            day: u8::try_from(moment.day()).ok()?,
            nanosecond: u64::try_from(time.as_nanos()).ok()?,
            offset_seconds,
        })
    }

    /// A moment in UTC of seconds since 1970 and the nanoseconds to add; none beyond the years -9999 to 9999.
    #[must_use]
    pub fn from_epoch(seconds: i64, nanoseconds: i64) -> Option<Self> {
        let moment = jiff::Timestamp::new(seconds, i32::try_from(nanoseconds).ok()?).ok()?;
        let local = jiff::tz::Offset::UTC.to_datetime(moment);
        let time = local.time().duration_since(civil::Time::midnight());
        Some(Self {
            year: local.year().into(),
            month: u8::try_from(local.month()).ok()?,
            day: u8::try_from(local.day()).ok()?,
            nanosecond: u64::try_from(time.as_nanos()).ok()?,
            offset_seconds: 0,
        })
    }

    /// A moment in UTC of milliseconds since 1970; none beyond the years -9999 to 9999.
    #[must_use]
    pub fn from_epoch_milliseconds(milliseconds: i64) -> Option<Self> {
        Self::from_epoch(milliseconds.div_euclid(1000), milliseconds.rem_euclid(1000) * 1_000_000)
    }

    /// The moment some seconds later, with the same offset; none beyond the years -9999 to 9999.
    #[must_use]
    pub fn plus_seconds(&self, seconds: i64) -> Option<Self> {
        let since = self.since_epoch();
        let offset = self.offset_seconds;
        let local = since.seconds.checked_add(seconds)?.checked_add(offset.into())?;
        Some(Self { offset_seconds: offset, ..Self::from_epoch(local, since.nanoseconds.into())? })
    }

    /// The local date and time, to order moments of one instant by.
    pub(crate) fn local(&self) -> (i32, u8, u8, u64) {
        (self.year, self.month, self.day, self.nanosecond)
    }

    /// Seconds since 1970 UTC, and the nanoseconds to add. The day is taken as it is, also beyond its month's end.
    #[must_use]
    pub fn since_epoch(&self) -> Duration {
        // Days of a proleptic calendar whose years begin in March, so that the leap day is the last.
        let (year, month) = (i64::from(self.year), i64::from(self.month));
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(self.day) - 1;
        let days = era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
        let seconds = i64::try_from(self.nanosecond / NANOSECONDS).unwrap_or_default();
        Duration {
            seconds: days * 86_400 + seconds - i64::from(self.offset_seconds),
            nanoseconds: u32::try_from(self.nanosecond % NANOSECONDS).unwrap_or_default(),
        }
    }
}

/// The local part and the offset in seconds.
fn split_offset(text: &str) -> Option<(&str, i32)> {
    if let Some(local) = text.strip_suffix('Z') {
        return Some((local, 0));
    }
    let Some(time) = text.find('T') else { return Some((text, 0)) };
    let Some(sign) = text.rfind(['+', '-']).filter(|sign| *sign > time) else { return Some((text, 0)) };
    let (local, offset) = text.split_at_checked(sign)?;
    let mut seconds = 0;
    let digits: String = offset.chars().skip(1).filter(|c| *c != ':').collect();
    if !matches!(digits.len(), 2 | 4 | 6) {
        return None;
    }
    for (part, unit) in digits.as_bytes().chunks(2).zip([3600, 60, 1]) {
        let number: i32 = std::str::from_utf8(part).ok()?.parse().ok()?;
        seconds += number * unit;
    }
    let in_range = seconds <= 18 * 3600;
    in_range.then_some((local, if offset.starts_with('-') { -seconds } else { seconds }))
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.nanosecond / NANOSECONDS;
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if (0..=9999).contains(&self.year) {
            write!(f, "{:04}", self.year)?;
        } else {
            write!(f, "{}{:06}", if self.year < 0 { '-' } else { '+' }, self.year.unsigned_abs())?;
        }
        write!(f, "-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}", self.month, self.day)?;
        let fraction = self.nanosecond % NANOSECONDS;
        if fraction != 0 {
            write!(f, ".{}", format!("{fraction:09}").trim_end_matches('0'))?;
        }
        if self.offset_seconds == 0 {
            return f.write_str("Z");
        }
        let offset = self.offset_seconds.unsigned_abs();
        let sign = if self.offset_seconds < 0 { '-' } else { '+' };
        write!(f, "{sign}{:02}:{:02}", offset / 3600, offset / 60 % 60)?;
        if offset.is_multiple_of(60) { Ok(()) } else { write!(f, ":{:02}", offset % 60) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        for (text, written, seconds) in [
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", 0),
            ("2023-08-01", "2023-08-01T00:00:00Z", 1_690_848_000),
            ("2023-08", "2023-08-01T00:00:00Z", 1_690_848_000),
            ("2023-08-01T02:00:00+02:00", "2023-08-01T02:00:00+02:00", 1_690_848_000),
            ("2023-08-01T02:00:00.5+0200", "2023-08-01T02:00:00.5+02:00", 1_690_848_000),
            ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z", -1),
            ("2024-02-29T12:00:00", "2024-02-29T12:00:00Z", 1_709_208_000),
        ] {
            let moment = DateTime::parse(text).expect(text);
            assert_eq!(moment.to_string(), written);
            assert_eq!(moment.since_epoch().seconds, seconds, "{text}");
            assert_eq!(DateTime::parse(written), Some(moment));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "This String is not an ISO 8601 Date", "2023-13-01", "2023-08-01T00:00:00+99:00", "-", "T+"] {
            assert_eq!(DateTime::parse(text), None, "{text}");
        }
    }
}
