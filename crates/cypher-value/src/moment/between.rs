//! The length of time between two values with a place in time.

use super::make::Known;
use super::shift::by_calendar;
use crate::error::{Detail, Error, Result};
use crate::temporal::length::of_parts;
use crate::temporal::{Date, Duration, LocalDateTime, LocalTime, SECOND, Zone, calendar};
use crate::value::Value;

/// In which units a length is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Months, then days, then seconds.
    All,
    /// Whole months.
    Months,
    /// Whole days.
    Days,
    /// Seconds.
    Seconds,
}

/// The length from one value to another. What one does not say, the day or the zone, is taken from the other; a value
/// without a time of day is its midnight. Null gives null.
///
/// # Errors
///
/// A type error for what has no place in time.
pub(crate) fn between(unit: Unit, from: &Value, to: &Value) -> Result<Value> {
    if from.is_null() || to.is_null() {
        return Ok(Value::Null);
    }
    let known = |value: &Value| {
        Known::of(value)?.ok_or_else(|| {
            Error::type_error(
                Detail::InvalidArgumentType,
                format!("a length of time is between values with a place in time, not {}", value.type_name()),
            )
        })
    };
    let (from_known, to_known) = (known(from)?, known(to)?);
    let dated = from_known.date.is_some() && to_known.date.is_some();
    let somewhere = from_known.date.or(to_known.date).unwrap_or(Date { epoch_day: 0 });
    let local = |known: &Known| known.date.unwrap_or(somewhere).at(known.time.unwrap_or(LocalTime::MIDNIGHT));
    let (start, end) = (local(&from_known), local(&to_known));
    let zones = match (from_known.zone, to_known.zone) {
        (None, None) => None,
        (Some(from), Some(to)) => Some((from, to)),
        (Some(zone), None) | (None, Some(zone)) => Some((zone.clone(), zone)),
    };
    // Both by the calendar and the clock of the first.
    let end = match &zones {
        Some((from, to)) => {
            let moment = to.resolve(end);
            from.at(moment.seconds, moment.nanoseconds).local()
        }
        None => end,
    };
    let zone = zones.map(|(zone, _)| zone);
    let length = match unit {
        Unit::All if dated => {
            let months = months(start, end);
            let moved = moved(start, Duration { months, ..Duration::default() })?;
            let days = days(moved, end);
            let moved = self::moved(moved, Duration { days, ..Duration::default() })?;
            of_parts(months.into(), days.into(), exact(zone.as_ref(), moved, end))
        }
        Unit::All | Unit::Seconds => of_parts(0, 0, exact(zone.as_ref(), start, end)),
        Unit::Months if dated => of_parts(months(start, end).into(), 0, 0),
        Unit::Days if dated => of_parts(0, days(start, end).into(), 0),
        Unit::Months | Unit::Days => Ok(Duration::default()),
    };
    length.map(Value::from)
}

/// Moves by the calendar.
fn moved(local: LocalDateTime, by: Duration) -> Result<LocalDateTime> {
    Ok(by_calendar(local.date(), &by)?.at(local.time()))
}

/// The last day to count to: the end, or the day before it, seen from the start, if the clock is not that far yet.
fn last_day(start: LocalDateTime, end: LocalDateTime) -> i64 {
    let (first, last) = (start.date().epoch_day, end.date().epoch_day);
    if last > first && end.time() < start.time() {
        last - 1
    } else if last < first && end.time() > start.time() {
        last + 1
    } else {
        last
    }
}

/// Whole months.
fn months(start: LocalDateTime, end: LocalDateTime) -> i64 {
    calendar::months_between(start.date().epoch_day, last_day(start, end))
}

/// Whole days.
fn days(start: LocalDateTime, end: LocalDateTime) -> i64 {
    last_day(start, end) - start.date().epoch_day
}

/// Nanoseconds: in a zone those that pass, without one those that the clock shows.
fn exact(zone: Option<&Zone>, start: LocalDateTime, end: LocalDateTime) -> i128 {
    let nanoseconds = |local: LocalDateTime| {
        let seconds = zone.map_or(local.seconds, |zone| zone.resolve(local).seconds);
        i128::from(seconds) * i128::from(SECOND) + i128::from(local.nanoseconds)
    };
    nanoseconds(end) - nanoseconds(start)
}
