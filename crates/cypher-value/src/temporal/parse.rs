//! Reads moments and lengths of time: ISO 8601, basic and extended, with weeks, quarters and days of the year.

use super::length::{Amount, Builder};
use super::{Date, DateTime, Duration, LocalDateTime, LocalTime, SECOND, Time, Zone, calendar};
use crate::error::{Detail, Error, Result};

/// What is left of a text.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    /// Takes what comes next, if it is that.
    fn take(&mut self, expected: char) -> bool {
        match self.0.strip_prefix(expected) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    /// Takes all digits that come next.
    fn digits(&mut self) -> &'a str {
        let end = self.0.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        self.0 = rest;
        digits
    }

    /// Takes so many digits as a number.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let text = self.0.get(..digits)?;
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.0 = self.0.get(digits..)?;
        text.parse().ok()
    }

    /// Whether all is taken.
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a fraction of a second: up to nine digits behind a point or comma, as nanoseconds.
    fn fraction(&mut self) -> Option<i64> {
        if !self.take('.') && !self.take(',') {
            return Some(0);
        }
        let digits = self.digits();
        if digits.is_empty() || digits.len() > 9 {
            return None;
        }
        digits
            .bytes()
            .chain(std::iter::repeat(b'0'))
            .take(9)
            .try_fold(0, |sum, digit| Some(sum * 10 + i64::from(digit - b'0')))
    }

    /// Takes a day.
    fn date(&mut self) -> Option<Date> {
        let signed = self.0.starts_with(['+', '-']);
        let year = if signed {
            let sign = if self.take('-') { -1 } else { i64::from(self.take('+')) };
            let digits = self.digits();
            // With a sign, nothing tells where the year ends but a dash.
            if digits.is_empty() || digits.len() > 9 || !(self.is_empty() || self.0.starts_with(['-', 'T'])) {
                return None;
            }
            sign * digits.parse::<i64>().ok()?
        } else {
            self.number(4)?
        };
        if self.is_empty() || self.0.starts_with('T') {
            return Date::new(year, 1, 1);
        }
        let dashed = self.take('-');
        if self.take('W') {
            let week = self.number(2)?;
            let weekday = self.last(dashed, 1)?;
            return of_week(year, week, weekday.unwrap_or(1));
        }
        if self.take('Q') {
            let quarter = self.number(1)?;
            let day = self.last(dashed, 2)?;
            return of_quarter(year, quarter, day.unwrap_or(1));
        }
        let digits = self.digits();
        match (digits.len(), dashed) {
            (3, _) => of_year(year, digits.parse().ok()?),
            (2, true) => {
                let month = digits.parse().ok()?;
                Date::new(year, month, self.last(true, 2)?.unwrap_or(1))
            }
            (2, false) => Date::new(year, digits.parse().ok()?, 1),
            (4, false) => Date::new(year, digits.get(..2)?.parse().ok()?, digits.get(2..)?.parse().ok()?),
            _ => None,
        }
    }

    /// Takes the last part of a day, which may be missing; the outer none is an error.
    fn last(&mut self, dashed: bool, digits: usize) -> Option<Option<i64>> {
        if self.is_empty() || self.0.starts_with('T') {
            return Some(None);
        }
        if dashed && !self.take('-') {
            return None;
        }
        self.number(digits).map(Some)
    }

    /// Takes a time of day.
    fn time(&mut self) -> Option<LocalTime> {
        let hour = self.number(2)?;
        let colons = self.0.starts_with(':');
        let next = |cursor: &mut Self| -> Option<Option<i64>> {
            let more = if colons { cursor.take(':') } else { cursor.0.starts_with(|c: char| c.is_ascii_digit()) };
            if more { cursor.number(2).map(Some) } else { Some(None) }
        };
        let minute = next(self)?;
        let second = if minute.is_some() { next(self)? } else { None };
        let nanosecond = if second.is_some() { self.fraction()? } else { 0 };
        LocalTime::new(hour, minute.unwrap_or(0), second.unwrap_or(0), nanosecond)
    }

    /// Takes an offset, in seconds; the outer none is an error.
    fn offset(&mut self) -> Option<Option<i32>> {
        if self.take('Z') {
            return Some(Some(0));
        }
        let sign = match self.0.chars().next() {
            Some('+') => 1,
            Some('-') => -1,
            _ => return Some(None),
        };
        self.0 = self.0.get(1..)?;
        let hour = self.number(2)?;
        let colons = self.0.starts_with(':');
        let next = |cursor: &mut Self| -> Option<i64> {
            let more = if colons { cursor.take(':') } else { cursor.0.starts_with(|c: char| c.is_ascii_digit()) };
            if more { cursor.number(2) } else { Some(0) }
        };
        let (minute, second) = (next(self)?, next(self)?);
        let seconds = (hour * 60 + minute) * 60 + second;
        let inside = minute < 60 && second < 60 && seconds <= 18 * 3600;
        inside.then(|| i32::try_from(sign * seconds).ok())
    }
}

/// The day of a week of a year of weeks; none if there is none.
pub(crate) fn of_week(year: i64, week: i64, weekday: i64) -> Option<Date> {
    let inside = calendar::is_year(year) && (1..=calendar::weeks(year)).contains(&week) && (1..=7).contains(&weekday);
    inside.then(|| calendar::first_monday(year) + (week - 1) * 7 + weekday - 1).and_then(Date::of_epoch_day)
}

/// The day of a quarter; none if there is none.
pub(crate) fn of_quarter(year: i64, quarter: i64, day: i64) -> Option<Date> {
    let inside = calendar::is_year(year) && (1..=4).contains(&quarter);
    let inside = inside && (1..=calendar::quarter_days(year, quarter)).contains(&day);
    inside.then(|| Date { epoch_day: calendar::quarter_start(year, quarter) + day - 1 })
}

/// The day of a year; none if there is none.
pub(crate) fn of_year(year: i64, day: i64) -> Option<Date> {
    let inside = calendar::is_year(year) && (1..=calendar::year_days(year)).contains(&day);
    inside.then(|| Date { epoch_day: calendar::epoch_day(year, 1, 1) + day - 1 })
}

/// An error: a text that is no such value.
fn unreadable(text: &str, what: &str) -> Error {
    let short: String = text.chars().take(64).collect();
    Error::syntax(Detail::InvalidArgumentValue, format!("`{short}` is not a {what}"))
}

/// Reads all of a text.
fn whole<T>(text: &str, what: &str, read: impl for<'a> FnOnce(&mut Cursor<'a>) -> Option<T>) -> Result<T> {
    let mut cursor = Cursor(text);
    read(&mut cursor).filter(|_| cursor.is_empty()).ok_or_else(|| unreadable(text, what))
}

/// Reads a day, such as `2015-07-21`, `201507`, `2015-W30-2`, `2015-Q2-60`, `2015202`.
///
/// # Errors
///
/// A syntax error for all else.
pub(crate) fn date(text: &str) -> Result<Date> {
    whole(text, "DATE", |cursor| cursor.date())
}

/// Reads a time of day, such as `21:40:32.142`, `2140`.
///
/// # Errors
///
/// A syntax error for all else.
pub(crate) fn local_time(text: &str) -> Result<LocalTime> {
    whole(text, "LOCAL TIME", |cursor| cursor.time())
}

/// Reads a time of day with its offset, or with the default one.
///
/// # Errors
///
/// A syntax error for all else.
pub(crate) fn time(text: &str, default: i32) -> Result<Time> {
    whole(text, "ZONED TIME", |cursor| {
        let LocalTime { nanoseconds } = cursor.time()?;
        Some(Time { nanoseconds, offset: cursor.offset()?.unwrap_or(default) })
    })
}

/// Takes a day and, if there is more, a time.
fn day_and_time(cursor: &mut Cursor<'_>) -> Option<LocalDateTime> {
    let date = cursor.date()?;
    let time = if cursor.take('T') { cursor.time()? } else { LocalTime::MIDNIGHT };
    Some(date.at(time))
}

/// Reads a day with a time, such as `20150721T21:40`, or a day alone.
///
/// # Errors
///
/// A syntax error for all else.
pub(crate) fn local_date_time(text: &str) -> Result<LocalDateTime> {
    whole(text, "LOCAL DATETIME", day_and_time)
}

/// Reads a moment, such as `2015-07-21T21:40:32.142+02:00[Europe/Stockholm]`; without offset and zone it is in the
/// default one.
///
/// # Errors
///
/// A syntax error for all else, an argument error for a zone that does not exist or does not have the offset.
pub(crate) fn date_time(text: &str, default: &Zone) -> Result<DateTime> {
    let what = "ZONED DATETIME";
    let (moment, name) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((moment, name)) => (moment, Some(name)),
        None => (text, None),
    };
    let mut cursor = Cursor(moment);
    let read = day_and_time(&mut cursor).and_then(|local| Some((local, cursor.offset()?)));
    let (local, offset) = read.filter(|_| cursor.is_empty()).ok_or_else(|| unreadable(text, what))?;
    match (name.map(Zone::named).transpose()?, offset) {
        (Some(zone), Some(offset)) => zone.resolve_at(local, offset),
        (Some(zone), None) => Ok(zone.resolve(local)),
        (None, Some(offset)) => Ok(Zone::Fixed(offset).resolve(local)),
        (None, None) => Ok(default.resolve(local)),
    }
}

/// Reads a zone: an offset such as `+01:00`, or a name.
///
/// # Errors
///
/// An argument error for what is neither.
pub(crate) fn zone(text: &str) -> Result<Zone> {
    let mut cursor = Cursor(text);
    match cursor.offset() {
        Some(Some(offset)) if cursor.is_empty() => Ok(Zone::Fixed(offset)),
        _ => Zone::named(text),
    }
}

/// Reads a length of time: `P1Y2M3W4DT5H6M7.5S`, any part with a sign and a fraction, or `P2012-02-02T14:37:21.545`.
///
/// # Errors
///
/// A syntax error for all else, an arithmetic error beyond 64 bits.
pub(crate) fn duration(text: &str) -> Result<Duration> {
    let error = || unreadable(text, "DURATION");
    let mut cursor = Cursor(text);
    let negative = cursor.take('-');
    if !negative {
        cursor.take('+');
    }
    if !cursor.take('P') || cursor.is_empty() {
        return Err(error());
    }
    let builder = match dated(cursor.0) {
        Some(builder) => builder,
        None => units(&mut cursor).ok_or_else(error)?,
    };
    let length = builder.build()?;
    if negative { length.times(-1) } else { Ok(length) }
}

/// Reads the form of a date: `2012-02-02T14:37:21.545`.
fn dated(text: &str) -> Option<Builder> {
    let mut cursor = Cursor(text);
    let mut builder = Builder::default();
    let years = cursor.number(4)?;
    let dashed = cursor.take('-');
    let months = cursor.number(2)?;
    if dashed && !cursor.take('-') {
        return None;
    }
    let days = cursor.number(2)?;
    if cursor.take('T') {
        let LocalTime { nanoseconds } = cursor.time()?;
        builder.nanoseconds(Amount::whole(nanoseconds), 1);
    }
    if !cursor.is_empty() || months > 12 || days > 31 {
        return None;
    }
    builder.months(Amount::whole(years), 12);
    builder.months(Amount::whole(months), 1);
    builder.days(Amount::whole(days), 1);
    Some(builder)
}

/// Reads the form of units, each at most once and in order.
fn units(cursor: &mut Cursor<'_>) -> Option<Builder> {
    let mut builder = Builder::default();
    let mut units = "YMWD";
    let (mut time, mut any) = (false, false);
    while !cursor.is_empty() {
        if !time && cursor.take('T') {
            (time, any, units) = (true, false, "HMS");
            continue;
        }
        let amount = amount(cursor)?;
        let unit = cursor.0.chars().next()?;
        let place = units.find(unit)?;
        units = units.get(place + 1..)?;
        cursor.0 = cursor.0.get(1..)?;
        any = true;
        match (unit, time) {
            ('Y', _) => builder.months(amount, 12),
            ('M', false) => builder.months(amount, 1),
            ('W', _) => builder.days(amount, 7),
            ('D', _) => builder.days(amount, 1),
            ('H', _) => builder.nanoseconds(amount, 3600 * SECOND),
            ('M', true) => builder.nanoseconds(amount, 60 * SECOND),
            _ => builder.nanoseconds(amount, SECOND),
        }
    }
    any.then_some(builder)
}

/// Takes a number with a sign and a fraction.
fn amount(cursor: &mut Cursor<'_>) -> Option<Amount> {
    let negative = cursor.take('-');
    if !negative {
        cursor.take('+');
    }
    let digits = cursor.digits();
    let mut part = 0.0;
    if cursor.take('.') || cursor.take(',') {
        let digits = cursor.digits();
        if digits.is_empty() {
            return None;
        }
        part = format!("0.{digits}").parse().ok()?;
    } else if digits.is_empty() {
        return None;
    }
    let whole: i64 = match digits {
        "" => 0,
        // The sign belongs to the digits: the smallest number has no positive.
        digits if negative => format!("-{digits}").parse().ok()?,
        digits => digits.parse().ok()?,
    };
    Some(Amount { whole, part: if negative { -part } else { part } })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn days_in_all_forms() {
        for (text, expected) in [
            ("2015-07-21", "2015-07-21"),
            ("20150721", "2015-07-21"),
            ("2015-07", "2015-07-01"),
            ("201507", "2015-07-01"),
            ("2015-W30-2", "2015-07-21"),
            ("2015W302", "2015-07-21"),
            ("2015-W30", "2015-07-20"),
            ("2015W30", "2015-07-20"),
            ("2015-202", "2015-07-21"),
            ("2015202", "2015-07-21"),
            ("2015-Q2-60", "2015-05-30"),
            ("2015Q260", "2015-05-30"),
            ("2015", "2015-01-01"),
            ("+999999999-12-31", "+999999999-12-31"),
            ("-999999999-01-01", "-999999999-01-01"),
        ] {
            assert_eq!(date(text).map(|date| date.to_string()), Ok(expected.into()), "{text}");
        }
        for text in
            ["", "2015-7-1", "2015-02-30", "2015-W54", "2015-366", "20150", "2015-07-21T", "+1234567890", "2015-0721"]
        {
            assert!(date(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_in_all_forms() {
        for (text, expected) in [
            ("21:40:32.142+0100", "21:40:32.142+01:00"),
            ("214032.142Z", "21:40:32.142Z"),
            ("214032-0100", "21:40:32-01:00"),
            ("21:40-01:30", "21:40-01:30"),
            ("2140-00:00", "21:40Z"),
            ("2140-02", "21:40-02:00"),
            ("22+18:00", "22:00+18:00"),
            ("12:31+02:05:59", "12:31+02:05:59"),
            ("12", "12:00Z"),
        ] {
            assert_eq!(time(text, 0).map(|time| time.to_string()), Ok(expected.into()), "{text}");
        }
        for text in ["", "1", "24", "21:4", "21:40:61", "2140+19:00", "21:40.5", "21:4032", "214:32"] {
            assert!(time(text, 0).is_err(), "{text}");
        }
    }

    #[test]
    fn moments_in_all_forms() {
        for (text, expected) in [
            ("2015-07-21T21:40:32.142+0845[Australia/Eucla]", "2015-07-21T21:40:32.142+08:45[Australia/Eucla]"),
            ("2015-07-21T21:40:32.142[Europe/London]", "2015-07-21T21:40:32.142+01:00[Europe/London]"),
            ("2015-W30T2140-02", "2015-07-20T21:40-02:00"),
            ("2015202T21+18:00", "2015-07-21T21:00+18:00"),
            ("2015T214032-0100", "2015-01-01T21:40:32-01:00"),
            ("2015-07-21", "2015-07-21T00:00Z"),
        ] {
            assert_eq!(date_time(text, &Zone::UTC).map(|moment| moment.to_string()), Ok(expected.into()), "{text}");
        }
        for text in ["2015-07-21T21:40+05:00[Europe/London]", "2015-07-21T21:40[Europe/Atlantis]", "2015-07-21[", "x]"]
        {
            assert!(date_time(text, &Zone::UTC).is_err(), "{text}");
        }
    }

    #[test]
    fn lengths_in_all_forms() {
        for (text, expected) in [
            ("P5M1.5D", "P5M1DT12H"),
            ("P0.75M", "P22DT19H51M49.5S"),
            ("PT0.75M", "PT45S"),
            ("P2.5W", "P17DT12H"),
            ("P12Y5M14DT16H12M70S", "P12Y5M14DT16H13M10S"),
            ("P2012-02-02T14:37:21.545", "P2012Y2M2DT14H37M21.545S"),
            ("P1Y-3DT-4H", "P1Y-3DT-4H"),
            ("-P1D", "P-1D"),
            ("PT-1.999S", "PT-1.999S"),
            ("PT-9223372036854775808S", "PT-2562047788015215H-30M-8S"),
        ] {
            assert_eq!(duration(text).map(|length| length.to_string()), Ok(expected.into()), "{text}");
        }
        for text in ["", "P", "PT", "P1", "P1DT", "P1D1Y", "P1S", "1D", "P1.D", "P99999999999999999999D"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9PTWQDYMHSZ:.,+\\[\\]/a-z-]{0,24}") {
            let _ = (date(&text), local_time(&text), time(&text, 0), local_date_time(&text));
            let _ = (date_time(&text, &Zone::UTC), duration(&text), zone(&text));
        }

        #[test]
        fn what_is_written_is_read(
            day in -365_243_219_162_i64..=365_241_780_471,
            clock in 0..86_400_000_000_000_i64,
            offset in -64_800..=64_800_i32,
        ) {
            let value = Date { epoch_day: day };
            prop_assert_eq!(date(&value.to_string()), Ok(value));
            let local = LocalTime { nanoseconds: clock };
            prop_assert_eq!(local_time(&local.to_string()), Ok(local));
            let zoned = Time { nanoseconds: clock, offset };
            prop_assert_eq!(time(&zoned.to_string(), 7), Ok(zoned));
            let moment = Zone::Fixed(offset).resolve(value.at(local));
            prop_assert_eq!(date_time(&moment.to_string(), &Zone::Fixed(9)), Ok(moment));
            prop_assert_eq!(local_date_time(&value.at(local).to_string()), Ok(value.at(local)));
        }

        #[test]
        fn lengths_that_are_written_are_read(
            months in any::<i32>(),
            days in any::<i64>(),
            seconds in any::<i64>(),
            nanoseconds in 0..1_000_000_000_u32,
        ) {
            let length = Duration { months: months.into(), days, seconds, nanoseconds };
            prop_assert_eq!(duration(&length.to_string()), Ok(length));
        }
    }
}
