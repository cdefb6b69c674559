//! Moves values with a place in time by a length of time.

use crate::error::{Detail, Error, Result};
use crate::temporal::{DAY, DAY_SECONDS, Date, Duration, LocalDateTime, LocalTime, SECOND, Time, Zone, calendar};
use crate::value::Value;

/// A value moved by a length: months first, then days, then seconds. A day moves by whole days of the seconds, a time
/// of day by what is beyond whole days. None for what has no place in time.
///
/// # Errors
///
/// An arithmetic error beyond the years there are.
pub(crate) fn plus(value: &Value, length: &Duration) -> Result<Option<Value>> {
    Ok(Some(match value {
        Value::Date(date) => {
            let date = by_calendar(*date, length)?;
            let days = length.exact_nanoseconds() / i128::from(DAY);
            let day = i64::try_from(days).ok().and_then(|days| date.epoch_day.checked_add(days));
            day.and_then(Date::of_epoch_day).ok_or_else(beyond)?.into()
        }
        Value::LocalTime(time) => LocalTime { nanoseconds: by_clock(time.nanoseconds, length) }.into(),
        Value::Time(time) => Time { nanoseconds: by_clock(time.nanoseconds, length), offset: time.offset }.into(),
        Value::LocalDateTime(local) => {
            let local = by_calendar(local.date(), length)?.at(local.time());
            let (seconds, nanoseconds) = by_seconds(local.seconds, local.nanoseconds, length)?;
            LocalDateTime { seconds, nanoseconds }.into()
        }
        Value::DateTime(moment) => {
            let (zone, local) = (Zone::of(moment)?, moment.local());
            let moment = if length.months == 0 && length.days == 0 {
                moment.as_ref().clone()
            } else {
                zone.resolve(by_calendar(local.date(), length)?.at(local.time()))
            };
            let (seconds, nanoseconds) = by_seconds(moment.seconds, moment.nanoseconds, length)?;
            zone.at(seconds, nanoseconds).into()
        }
        _ => return Ok(None),
    }))
}

/// A day moved by months and days.
pub(super) fn by_calendar(date: Date, length: &Duration) -> Result<Date> {
    let day = calendar::plus_months(date.epoch_day, length.months);
    let day = day.and_then(|day| day.checked_add(length.days));
    day.and_then(Date::of_epoch_day).ok_or_else(beyond)
}

/// A time of day moved by seconds, around the clock.
fn by_clock(nanoseconds: i64, length: &Duration) -> i64 {
    let sum = i128::from(nanoseconds) + length.exact_nanoseconds();
    i64::try_from(sum.rem_euclid(i128::from(DAY))).unwrap_or(0)
}

/// Seconds and nanoseconds moved by seconds.
fn by_seconds(seconds: i64, nanoseconds: u32, length: &Duration) -> Result<(i64, u32)> {
    let nanoseconds = nanoseconds + length.nanoseconds;
    let carry = i64::from(nanoseconds >= 1_000_000_000);
    let seconds =
        seconds.checked_add(length.seconds).and_then(|seconds| seconds.checked_add(carry)).ok_or_else(beyond)?;
    Date::of_epoch_day(seconds.div_euclid(DAY_SECONDS)).ok_or_else(beyond)?;
    let rest = i64::from(nanoseconds) - carry * SECOND;
    Ok((seconds, u32::try_from(rest).unwrap_or(0)))
}

/// An error: beyond the years there are.
fn beyond() -> Error {
    Error::arithmetic(
        Detail::IntegerOverflow,
        format!("the result is beyond the years from -{0} to {0}", calendar::YEAR_MAX),
    )
}
