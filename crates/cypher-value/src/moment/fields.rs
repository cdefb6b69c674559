//! Days, times and zones of the fields of a map.

use crate::error::{Detail, Error, Result};
use crate::temporal::parse::{self, of_quarter, of_week, of_year};
use crate::temporal::{Date, LocalTime, Zone, calendar};
use crate::value::{Map, Value};

/// Names of fields that say the day.
pub(super) const DAY_FIELDS: [&str; 8] =
    ["year", "month", "day", "week", "dayOfWeek", "quarter", "dayOfQuarter", "ordinalDay"];

/// Names of fields that say the time of day, from the largest unit.
pub(super) const TIME_FIELDS: [&str; 6] = ["hour", "minute", "second", "millisecond", "microsecond", "nanosecond"];

/// A field as an integer; none if it is not there.
///
/// # Errors
///
/// A type error for what is no integer.
pub(super) fn integer(map: &Map, name: &str) -> Result<Option<i64>> {
    match map.get(name) {
        None => Ok(None),
        Some(Value::Integer(number)) => Ok(Some(*number)),
        Some(other) => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("`{name}` must be an INTEGER, not {}", other.type_name()),
        )),
    }
}

/// An error: a combination or value of fields that names nothing.
pub(super) fn refuse(message: impl Into<String>) -> Error {
    Error::argument(Detail::InvalidArgumentValue, message)
}

/// Whether a map has one of some fields.
pub(super) fn has_any(map: &Map, names: &[&str]) -> bool {
    names.iter().any(|name| map.contains_key(*name))
}

/// The day that fields say, with what they do not say taken from another day if there is one.
///
/// # Errors
///
/// An argument error for fields that name no day.
pub(super) fn date(map: &Map, base: Option<Date>) -> Result<Date> {
    let (week, quarter, ordinal) = (
        has_any(map, &["week", "dayOfWeek"]),
        has_any(map, &["quarter", "dayOfQuarter"]),
        has_any(map, &["ordinalDay"]),
    );
    let month = has_any(map, &["month", "day"]);
    if [week, quarter, ordinal, month].into_iter().filter(|group| *group).count() > 1 {
        return Err(refuse(
            "a day is said by month and day, by week, by quarter or by ordinalDay, not by several of them",
        ));
    }
    let explicit = integer(map, "year")?;
    let year = |base: Option<i64>| explicit.or(base).ok_or_else(|| refuse("`year` must be given"));
    let field = |name: &str, base: Option<i64>, needed_by: &str| match integer(map, name)?.or(base) {
        None if map.contains_key(needed_by) => Err(refuse(format!("`{name}` must be given where `{needed_by}` is"))),
        found => Ok(found.unwrap_or(1)),
    };
    let found = if week {
        let base = base.map(|day| (calendar::week(day.epoch_day), calendar::weekday(day.epoch_day)));
        let year = year(base.map(|((year, _), _)| year))?;
        let week = field("week", base.map(|((_, week), _)| week), "dayOfWeek")?;
        let weekday = integer(map, "dayOfWeek")?.or(base.map(|(_, weekday)| weekday)).unwrap_or(1);
        of_week(year, week, weekday)
    } else if quarter {
        let base = base.map(|day| {
            let (year, month, _) = day.civil();
            let quarter = (month + 2) / 3;
            (year, quarter, day.epoch_day - calendar::quarter_start(year, quarter) + 1)
        });
        let year = year(base.map(|(year, ..)| year))?;
        let quarter = field("quarter", base.map(|(_, quarter, _)| quarter), "dayOfQuarter")?;
        let longest = if (1..=4).contains(&quarter) { calendar::quarter_days(year, quarter) } else { 1 };
        let day = integer(map, "dayOfQuarter")?.or(base.map(|(.., day)| day.min(longest))).unwrap_or(1);
        of_quarter(year, quarter, day)
    } else if ordinal {
        let day = integer(map, "ordinalDay")?.unwrap_or(1);
        of_year(year(base.map(|day| day.civil().0))?, day)
    } else {
        let base = base.map(Date::civil);
        let year = year(base.map(|(year, ..)| year))?;
        let month = field("month", base.map(|(_, month, _)| month), "day")?;
        let longest = calendar::month_days(year, month);
        let day = integer(map, "day")?.or(base.map(|(.., day)| day.min(longest))).unwrap_or(1);
        Date::new(year, month, day)
    };
    found.ok_or_else(|| refuse("there is no such day"))
}

/// The time of day that fields say, with what they do not say taken from another time if there is one.
///
/// # Errors
///
/// An argument error for fields that name no time.
pub(super) fn time(map: &Map, base: Option<LocalTime>) -> Result<LocalTime> {
    if base.is_none() {
        let missing = TIME_FIELDS.iter().take(3).position(|name| !map.contains_key(*name));
        if let Some(missing) = missing
            && let Some(given) = TIME_FIELDS.iter().skip(missing + 1).find(|name| map.contains_key(**name))
        {
            let missing = TIME_FIELDS.get(missing).copied().unwrap_or_default();
            return Err(refuse(format!("`{missing}` must be given where `{given}` is")));
        }
    }
    let (hour, minute, second, nanosecond) = base.unwrap_or(LocalTime::MIDNIGHT).parts();
    let nanosecond = if has_any(map, &["millisecond", "microsecond", "nanosecond"]) {
        // A unit that stands behind a larger one counts only what is beyond it.
        let (mut sum, mut limit) = (0, 1_000);
        for (name, each) in [("millisecond", 1_000_000), ("microsecond", 1_000), ("nanosecond", 1)] {
            if let Some(amount) = integer(map, name)? {
                if !(0..limit).contains(&amount) {
                    return Err(refuse(format!("`{name}` must be from 0 to {}, not {amount}", limit - 1)));
                }
                sum += amount * each;
                limit = 1_000;
            } else {
                limit *= 1_000;
            }
        }
        sum
    } else {
        nanosecond
    };
    let hour = integer(map, "hour")?.unwrap_or(hour);
    let minute = integer(map, "minute")?.unwrap_or(minute);
    let second = integer(map, "second")?.unwrap_or(second);
    LocalTime::new(hour, minute, second, nanosecond).ok_or_else(|| refuse("there is no such time of day"))
}

/// The zone that a field says; none if it is not there.
///
/// # Errors
///
/// A type error for what is no text, an argument error for a text that is no zone.
pub(super) fn zone(map: &Map) -> Result<Option<Zone>> {
    match map.get("timezone") {
        None => Ok(None),
        Some(Value::String(text)) => parse::zone(text).map(Some),
        Some(other) => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("`timezone` must be a STRING, not {}", other.type_name()),
        )),
    }
}
