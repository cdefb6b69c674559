//! Dates as HugeGraph's clients write and read them: local time without a zone, milliseconds at most.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

/// A text that is no date.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a date; the forms are yyyy-MM-dd, yyyy-MM-dd HH:mm:ss and yyyy-MM-dd HH:mm:ss.SSS")]
pub struct DateError {
    /// What was given.
    pub text: String,
}

/// Milliseconds since 1970 UTC of a local date or date and time. Months and days may have one digit; the fraction has
/// one to three. A time that a change of the clocks skips or repeats is taken as the zone's rules resolve it.
pub fn parse_date(text: &str, zone: &TimeZone) -> Result<i64, DateError> {
    parse(text, zone).ok_or_else(|| DateError { text: text.to_owned() })
}

fn parse(text: &str, zone: &TimeZone) -> Option<i64> {
    let (day, time) = match text.split_once(' ') {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let mut parts = day.split('-');
    let year = number(parts.next()?, 4, 4)?;
    let month = number(parts.next()?, 1, 2)?;
    let dom = number(parts.next()?, 1, 2)?;
    if parts.next().is_some() {
        return None;
    }
    let date = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(dom).ok()?).ok()?;
    let time = match time {
        Some(time) => parse_time(time)?,
        None => Time::midnight(),
    };
    Some(date.to_datetime(time).to_zoned(zone.clone()).ok()?.timestamp().as_millisecond())
}

fn parse_time(text: &str) -> Option<Time> {
    let (clock, fraction) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (text, None),
    };
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 1, 2)?;
    let minute = number(parts.next()?, 1, 2)?;
    let second = number(parts.next()?, 1, 2)?;
    if parts.next().is_some() {
        return None;
    }
    let milliseconds = match fraction {
        None => 0,
        Some(digits) => {
            let value = number(digits, 1, 3)?;
            value * [100, 10, 1].get(digits.len() - 1)?
        }
    };
    Time::new(
        i8::try_from(hour).ok()?,
        i8::try_from(minute).ok()?,
        i8::try_from(second).ok()?,
        milliseconds * 1_000_000,
    )
    .ok()
}

fn number(text: &str, digits_min: usize, digits_max: usize) -> Option<i32> {
    let well_formed = (digits_min..=digits_max).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if well_formed { text.parse().ok() } else { None }
}

/// `yyyy-MM-dd HH:mm:ss.SSS` in the zone. Moments beyond what a calendar can say are written as their milliseconds.
#[must_use]
pub fn format_date(milliseconds: i64, zone: &TimeZone) -> String {
    let Ok(moment) = Timestamp::from_millisecond(milliseconds) else {
        return milliseconds.to_string();
    };
    let local = zone.to_datetime(moment);
    let Ok(year) = u16::try_from(local.year()) else { return before_christ(local) };
    let mut text = String::with_capacity(23);
    // Digit by digit: this is done for each date that is read, and the formatter of texts takes ten times as long.
    push_digits(&mut text, u32::from(year), 4);
    for (separator, part) in
        [('-', local.month()), ('-', local.day()), (' ', local.hour()), (':', local.minute()), (':', local.second())]
    {
        text.push(separator);
        push_digits(&mut text, u32::from(part.unsigned_abs()), 2);
    }
    text.push('.');
    push_digits(&mut text, u32::from(local.millisecond().unsigned_abs()), 3);
    text
}

/// Appends a number with a fixed number of digits.
fn push_digits(text: &mut String, number: u32, digits: u32) {
    for place in (0..digits).rev() {
        let digit = number / 10_u32.pow(place) % 10;
        text.push(char::from_digit(digit, 10).unwrap_or('0'));
    }
}

/// The same for years before the first.
fn before_christ(local: DateTime) -> String {
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}",
        local.year(),
        local.month(),
        local.day(),
        local.hour(),
        local.minute(),
        local.second(),
        local.millisecond()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_are_read_and_one_is_written() {
        let utc = TimeZone::UTC;
        for (text, milliseconds, written) in [
            ("2020-01-02", 1_577_923_200_000, "2020-01-02 00:00:00.000"),
            ("2020-1-2", 1_577_923_200_000, "2020-01-02 00:00:00.000"),
            ("2020-01-02 03:04:05", 1_577_934_245_000, "2020-01-02 03:04:05.000"),
            ("2020-01-02 03:04:05.6", 1_577_934_245_600, "2020-01-02 03:04:05.600"),
            ("2020-01-02 03:04:05.678", 1_577_934_245_678, "2020-01-02 03:04:05.678"),
            ("1969-12-31 23:59:59.999", -1, "1969-12-31 23:59:59.999"),
        ] {
            assert_eq!(parse_date(text, &utc), Ok(milliseconds), "{text}");
            assert_eq!(format_date(milliseconds, &utc), written);
        }
        assert_eq!(format_date(-62_167_219_200_001, &utc), "-001-12-31 23:59:59.999");
        assert_eq!(format_date(-62_167_219_200_000, &utc), "0000-01-01 00:00:00.000");
    }

    #[test]
    fn a_zone_moves_the_moment() {
        let zone = TimeZone::fixed(jiff::tz::offset(8));
        assert_eq!(parse_date("2020-01-02 08:00:00", &zone), Ok(1_577_923_200_000));
        assert_eq!(format_date(1_577_923_200_000, &zone), "2020-01-02 08:00:00.000");
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in
            ["", "2020", "2020-13-01", "2020-02-30", "20-01-02", "2020-01-02T00:00:00", "2020-01-02 25:00:00", "x"]
        {
            assert!(parse_date(text, &TimeZone::UTC).is_err(), "{text}");
        }
        assert_eq!(format_date(i64::MAX, &TimeZone::UTC), i64::MAX.to_string());
    }
}
