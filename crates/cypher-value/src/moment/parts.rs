//! Components of values with a place in time, of lengths of time, and of points.

use smol_str::format_smolstr;

use crate::point;
use crate::temporal::{Date, DateTime, Duration, LocalTime, Offset, SECOND, calendar};
use crate::value::Value;

/// A component of a value by its name, such as `year` or `hours`; none if it has none of that name.
pub(crate) fn part(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::Date(date) => day(*date, name),
        Value::LocalTime(time) => clock(*time, name),
        Value::Time(time) => clock(time.local(), name).or_else(|| offset(time.offset, None, name)),
        Value::LocalDateTime(local) => day(local.date(), name).or_else(|| clock(local.time(), name)),
        Value::DateTime(moment) => {
            let local = moment.local();
            let of_day = day(local.date(), name).or_else(|| clock(local.time(), name));
            of_day.or_else(|| offset(moment.offset, moment.zone.as_deref(), name)).or_else(|| epoch(moment, name))
        }
        Value::Duration(length) => duration(length, name),
        Value::Point(point) => point::part(point, name),
        _ => None,
    }
}

/// A component of a day.
fn day(date: Date, name: &str) -> Option<Value> {
    let (year, month, day) = date.civil();
    let quarter = (month + 2) / 3;
    let (week_year, week) = calendar::week(date.epoch_day);
    let number = match name {
        "year" => year,
        "quarter" => quarter,
        "month" => month,
        "week" => week,
        "weekYear" => week_year,
        "day" => day,
        "ordinalDay" => date.epoch_day - calendar::epoch_day(year, 1, 1) + 1,
        "weekDay" | "dayOfWeek" => calendar::weekday(date.epoch_day),
        "dayOfQuarter" => date.epoch_day - calendar::quarter_start(year, quarter) + 1,
        _ => return None,
    };
    Some(Value::Integer(number))
}

/// A component of a time of day.
fn clock(time: LocalTime, name: &str) -> Option<Value> {
    let (hour, minute, second, nanosecond) = time.parts();
    let number = match name {
        "hour" => hour,
        "minute" => minute,
        "second" => second,
        "millisecond" => nanosecond / 1_000_000,
        "microsecond" => nanosecond / 1_000,
        "nanosecond" => nanosecond,
        _ => return None,
    };
    Some(Value::Integer(number))
}

/// A component of an offset.
fn offset(offset: i32, zone: Option<&str>, name: &str) -> Option<Value> {
    Some(match (name, zone) {
        ("timezone", Some(zone)) => zone.into(),
        ("timezone" | "offset", _) => format_smolstr!("{}", Offset(offset)).into(),
        ("offsetMinutes", _) => Value::Integer(i64::from(offset / 60)),
        ("offsetSeconds", _) => Value::Integer(i64::from(offset)),
        _ => return None,
    })
}

/// A component of a moment that counts from 1970.
fn epoch(moment: &DateTime, name: &str) -> Option<Value> {
    match name {
        "epochSeconds" => Some(Value::Integer(moment.seconds)),
        "epochMillis" => {
            let millis = moment.seconds.checked_mul(1000)?.checked_add(i64::from(moment.nanoseconds / 1_000_000))?;
            Some(Value::Integer(millis))
        }
        _ => None,
    }
}

/// A component of a length: whole units of one group (months, days, seconds), or what is beyond a larger unit of it.
fn duration(length: &Duration, name: &str) -> Option<Value> {
    let (months, days, seconds) = (length.months, length.days, length.seconds);
    let nanoseconds = i64::from(length.nanoseconds);
    let whole = |each: i64| {
        let units = length.exact_nanoseconds().div_euclid(i128::from(each));
        i64::try_from(units).ok()
    };
    let number = match name {
        "years" => months / 12,
        "quarters" => months / 3,
        "months" => months,
        "weeks" => days / 7,
        "days" => days,
        "hours" => seconds / 3600,
        "minutes" => seconds / 60,
        "seconds" => seconds,
        "milliseconds" => whole(1_000_000)?,
        "microseconds" => whole(1_000)?,
        "nanoseconds" => whole(1)?,
        "quartersOfYear" => months / 3 % 4,
        "monthsOfQuarter" => months % 3,
        "monthsOfYear" => months % 12,
        "daysOfWeek" => days % 7,
        "minutesOfHour" => seconds / 60 % 60,
        "secondsOfMinute" => seconds % 60,
        "millisecondsOfSecond" => nanoseconds / (SECOND / 1_000),
        "microsecondsOfSecond" => nanoseconds / (SECOND / 1_000_000),
        "nanosecondsOfSecond" => nanoseconds,
        _ => return None,
    };
    Some(Value::Integer(number))
}
