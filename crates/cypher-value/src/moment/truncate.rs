//! Cuts values with a place in time down to a unit.

use super::fields::{self, refuse};
use super::make::{Kind, Known, Now};
use crate::error::{Detail, Error, Result};
use crate::temporal::{Date, LocalTime, SECOND, Zone, calendar};
use crate::text::Text;
use crate::value::{Map, Value};

/// Cuts a value down to a unit, and sets smaller fields by a map. Null gives null.
///
/// # Errors
///
/// An argument error for a unit that is none or that the value does not have; a type error for what has no place in
/// time.
pub(crate) fn truncate(kind: Kind, unit: &Value, value: &Value, map: &Value, now: &Now<'_>) -> Result<Value> {
    let empty = Map::new();
    let (unit, map) = match (unit, map) {
        (Value::Null, _) | (_, Value::Null) => return Ok(Value::Null),
        (Value::String(unit), Value::Map(map)) => (unit, map.as_ref()),
        (Value::String(unit), _) => (unit, &empty),
        (other, _) => {
            return Err(Error::type_error(
                Detail::InvalidArgumentType,
                format!("a unit must be a STRING, not {}", other.type_name()),
            ));
        }
    };
    if value.is_null() || map.values().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let Some(known) = Known::of(value)? else {
        return Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("{}.truncate() does not take {}", kind.name(), value.type_name()),
        ));
    };
    if kind.has_date() && known.date.is_none() {
        return Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("{}.truncate() does not take {}, which has no day", kind.name(), value.type_name()),
        ));
    }
    let (date, time) = cut(unit, known.date, known.time)?;
    let date = if kind.has_date() { fields::date(&without_zone(map, true), Some(date))? } else { date };
    let time = if kind.has_time() { clock(unit, map, time)? } else { time };
    let own = match value {
        Value::DateTime(moment) if kind == Kind::Time => Some(Zone::Fixed(moment.offset)),
        _ => known.zone,
    };
    let zone = fields::zone(map)?.or(own).unwrap_or_else(|| match kind {
        Kind::Time => Zone::Fixed(now.zone.at(now.seconds, now.nanoseconds).offset),
        _ => now.zone.clone(),
    });
    kind.assemble(date, time, &zone)
}

/// The fields of a map that say the day, or those that say the time.
fn without_zone(map: &Map, day: bool) -> Map {
    let takes = |name: &Text| fields::DAY_FIELDS.contains(&name.as_str()) == day && name != "timezone";
    map.iter().filter(|(name, _)| takes(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Sets fields of a time that was cut to a unit: fields smaller than a cut part of a second add to it.
fn clock(unit: &str, map: &Map, time: LocalTime) -> Result<LocalTime> {
    let mut map = without_zone(map, false);
    let nanosecond = time.nanoseconds % SECOND;
    let below = |names: &[&str]| fields::has_any(&map, names);
    match unit {
        "millisecond" if below(&["microsecond", "nanosecond"]) => {
            map.insert("millisecond".into(), Value::Integer(nanosecond / 1_000_000));
        }
        "microsecond" if below(&["nanosecond"]) => {
            map.insert("microsecond".into(), Value::Integer(nanosecond / 1_000));
        }
        _ => {}
    }
    fields::time(&map, Some(time))
}

/// Cuts a day and a time down to a unit.
fn cut(unit: &str, date: Option<Date>, time: Option<LocalTime>) -> Result<(Date, LocalTime)> {
    let day = || date.ok_or_else(|| refuse(format!("a value without a day cannot be cut to a `{unit}`")));
    let years = |count: i64| {
        let year = day()?.civil().0;
        let year = year.div_euclid(count) * count;
        Date::new(year, 1, 1).ok_or_else(|| refuse("there is no such day"))
    };
    let of = |epoch_day: i64| Date::of_epoch_day(epoch_day).ok_or_else(|| refuse("there is no such day"));
    let cut_date = match unit {
        "millennium" => Some(years(1000)?),
        "century" => Some(years(100)?),
        "decade" => Some(years(10)?),
        "year" => Some(years(1)?),
        "weekYear" => Some(of(calendar::first_monday(calendar::week(day()?.epoch_day).0))?),
        "quarter" => {
            let (year, month, _) = day()?.civil();
            Some(of(calendar::quarter_start(year, (month + 2) / 3))?)
        }
        "month" => {
            let (year, month, _) = day()?.civil();
            Some(of(calendar::epoch_day(year, month, 1))?)
        }
        "week" => {
            let day = day()?.epoch_day;
            Some(of(day - calendar::weekday(day) + 1)?)
        }
        "day" => Some(date.unwrap_or(Date { epoch_day: 0 })),
        _ => None,
    };
    if let Some(date) = cut_date {
        return Ok((date, LocalTime::MIDNIGHT));
    }
    let each = match unit {
        "hour" => 3600 * SECOND,
        "minute" => 60 * SECOND,
        "second" => SECOND,
        "millisecond" => 1_000_000,
        "microsecond" => 1_000,
        _ => return Err(refuse(format!("`{unit}` is not a unit that values can be cut to"))),
    };
    let Some(time) = time else { return Err(refuse(format!("a DATE cannot be cut to a `{unit}`"))) };
    let nanoseconds = time.nanoseconds / each * each;
    Ok((date.unwrap_or(Date { epoch_day: 0 }), LocalTime { nanoseconds }))
}
