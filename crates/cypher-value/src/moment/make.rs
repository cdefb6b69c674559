//! Makes values with a place in time of maps, texts and each other.

use super::fields::{self, DAY_FIELDS, TIME_FIELDS, has_any, integer, refuse};
use crate::error::{Detail, Error, Result};
use crate::temporal::length::{Amount, Builder};
use crate::temporal::{Date, DateTime, Duration, LocalTime, SECOND, Time, Zone, parse};
use crate::value::{Map, Value};

/// Types of values with a place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// [`Date`].
    Date,
    /// [`LocalTime`].
    LocalTime,
    /// [`Time`].
    Time,
    /// [`crate::LocalDateTime`].
    LocalDateTime,
    /// [`DateTime`].
    DateTime,
}

/// The moment that is now, and the zone that holds where none is given.
#[derive(Clone, Debug)]
pub(crate) struct Now<'a> {
    /// Seconds since 1970-01-01T00:00Z.
    pub(crate) seconds: i64,
    /// Nanoseconds of the second.
    pub(crate) nanoseconds: u32,
    /// The zone.
    pub(crate) zone: &'a Zone,
}

/// What is known of a value: a day, a time, an offset or zone.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The day.
    pub(super) date: Option<Date>,
    /// The time of day.
    pub(super) time: Option<LocalTime>,
    /// The offset or zone.
    pub(super) zone: Option<Zone>,
}

impl Known {
    /// What a value says; none if it has no place in time.
    ///
    /// # Errors
    ///
    /// An argument error for a zone that the database of time zones does not have.
    pub(super) fn of(value: &Value) -> Result<Option<Self>> {
        Ok(Some(match value {
            Value::Date(date) => Self { date: Some(*date), ..Self::default() },
            Value::LocalTime(time) => Self { time: Some(*time), ..Self::default() },
            Value::Time(time) => {
                Self { time: Some(time.local()), zone: Some(Zone::Fixed(time.offset)), ..Self::default() }
            }
            Value::LocalDateTime(local) => Self { date: Some(local.date()), time: Some(local.time()), zone: None },
            Value::DateTime(moment) => {
                let local = moment.local();
                Self { date: Some(local.date()), time: Some(local.time()), zone: Some(Zone::of(moment)?) }
            }
            _ => return Ok(None),
        }))
    }
}

impl Kind {
    /// The name of the function that makes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::LocalTime => "localtime",
            Self::Time => "time",
            Self::LocalDateTime => "localdatetime",
            Self::DateTime => "datetime",
        }
    }

    /// Whether it has a day.
    pub(super) fn has_date(self) -> bool {
        matches!(self, Self::Date | Self::LocalDateTime | Self::DateTime)
    }

    /// Whether it has a time of day.
    pub(super) fn has_time(self) -> bool {
        self != Self::Date
    }

    /// Whether it has an offset.
    pub(super) fn has_zone(self) -> bool {
        matches!(self, Self::Time | Self::DateTime)
    }

    /// The part of a moment that is of this type.
    fn of_moment(self, moment: DateTime) -> Value {
        match self {
            Self::Date => moment.local().date().into(),
            Self::LocalTime => moment.local().time().into(),
            Self::Time => moment.time().into(),
            Self::LocalDateTime => moment.local().into(),
            Self::DateTime => moment.into(),
        }
    }

    /// A value of this type.
    ///
    /// # Errors
    ///
    /// An argument error for a time without a day in a zone with a name.
    pub(super) fn assemble(self, date: Date, time: LocalTime, zone: &Zone) -> Result<Value> {
        Ok(match self {
            Self::Date => date.into(),
            Self::LocalTime => time.into(),
            Self::Time => match zone {
                Zone::Fixed(offset) => Time { nanoseconds: time.nanoseconds, offset: *offset }.into(),
                Zone::Named(name, _) => {
                    return Err(refuse(format!("a time without a day needs an offset such as +01:00, not `{name}`")));
                }
            },
            Self::LocalDateTime => date.at(time).into(),
            Self::DateTime => zone.resolve(date.at(time)).into(),
        })
    }
}

/// What is now, in a zone given by its name or in the default one.
///
/// # Errors
///
/// A type error for what is no text or map with a `timezone`; an argument error for what is no zone.
pub(crate) fn now(kind: Kind, zone: Option<&Value>, now: &Now<'_>) -> Result<Value> {
    let zone = match zone {
        None => now.zone.clone(),
        Some(Value::Null) => return Ok(Value::Null),
        Some(Value::String(text)) => parse::zone(text)?,
        Some(Value::Map(map)) => fields::zone(map)?.unwrap_or_else(|| now.zone.clone()),
        Some(other) => {
            return Err(Error::type_error(
                Detail::InvalidArgumentType,
                format!("a time zone must be a STRING, not {}", other.type_name()),
            ));
        }
    };
    Ok(kind.of_moment(zone.at(now.seconds, now.nanoseconds)))
}

/// Makes a value of a text, a map, or another value. Null gives null.
///
/// # Errors
///
/// A type error for what nothing can be made of, an argument or syntax error for what names nothing.
pub(crate) fn make(kind: Kind, from: &Value, now_is: &Now<'_>) -> Result<Value> {
    match from {
        Value::Null => Ok(Value::Null),
        Value::String(text) => of_text(kind, text, now_is),
        Value::Map(map) if map.values().any(Value::is_null) => Ok(Value::Null),
        Value::Map(map) if map.len() == 1 && map.contains_key("timezone") => now(kind, Some(from), now_is),
        Value::Map(map) => of_map(kind, map, now_is),
        other => match Known::of(other)? {
            Some(known) => of_known(kind, &known, other, now_is),
            None => Err(Error::type_error(
                Detail::InvalidArgumentType,
                format!("{}() does not take {}", kind.name(), other.type_name()),
            )),
        },
    }
}

/// Reads a text.
fn of_text(kind: Kind, text: &str, now: &Now<'_>) -> Result<Value> {
    Ok(match kind {
        Kind::Date => parse::date(text)?.into(),
        Kind::LocalTime => parse::local_time(text)?.into(),
        Kind::Time => parse::time(text, now.zone.at(now.seconds, now.nanoseconds).offset)?.into(),
        Kind::LocalDateTime => parse::local_date_time(text)?.into(),
        Kind::DateTime => parse::date_time(text, now.zone)?.into(),
    })
}

/// Takes what a value of another type says.
fn of_known(kind: Kind, known: &Known, value: &Value, now: &Now<'_>) -> Result<Value> {
    let missing = |what: &str| {
        Error::type_error(
            Detail::InvalidArgumentType,
            format!("{}() does not take {}, which has no {what}", kind.name(), value.type_name()),
        )
    };
    let date = match known.date {
        None if kind.has_date() => return Err(missing("day")),
        date => date.unwrap_or(Date { epoch_day: 0 }),
    };
    let time = match known.time {
        None if !kind.has_date() => return Err(missing("time of day")),
        time => time.unwrap_or(LocalTime::MIDNIGHT),
    };
    kind.assemble(date, time, &zone_for(kind, known.zone.clone(), value, now))
}

/// The zone of a value of a type: for a time of day, the offset of the moment.
fn zone_for(kind: Kind, zone: Option<Zone>, of: &Value, now: &Now<'_>) -> Zone {
    match (kind, of) {
        (Kind::Time, Value::DateTime(moment)) => Zone::Fixed(moment.offset),
        (Kind::Time, _) => zone.unwrap_or_else(|| Zone::Fixed(now.zone.at(now.seconds, now.nanoseconds).offset)),
        _ => zone.unwrap_or_else(|| now.zone.clone()),
    }
}

/// What a field of a map holds that other fields start from.
fn base(map: &Map, name: &str) -> Result<Option<(Known, Value)>> {
    let Some(value) = map.get(name) else { return Ok(None) };
    match Known::of(value)? {
        Some(known) => Ok(Some((known, value.clone()))),
        None => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("`{name}` must have a place in time, {} has none", value.type_name()),
        )),
    }
}

/// Refuses fields that a type does not have.
fn check_names(kind: Kind, map: &Map) -> Result<()> {
    for name in map.keys() {
        let name = name.as_str();
        let known = match name {
            "date" => kind.has_date(),
            "time" => kind.has_time(),
            "datetime" => true,
            "timezone" => kind.has_zone(),
            "epochSeconds" | "epochMillis" => kind == Kind::DateTime,
            _ if DAY_FIELDS.contains(&name) => kind.has_date(),
            _ => TIME_FIELDS.contains(&name) && kind.has_time(),
        };
        if !known {
            return Err(refuse(format!("{}() has no field `{name}`", kind.name())));
        }
    }
    Ok(())
}

/// Makes a value of fields.
fn of_map(kind: Kind, map: &Map, now: &Now<'_>) -> Result<Value> {
    check_names(kind, map)?;
    let explicit = fields::zone(map)?;
    if has_any(map, &["epochSeconds", "epochMillis"]) {
        let zone = explicit.unwrap_or_else(|| now.zone.clone());
        return of_epoch(map).map(|(seconds, nanoseconds)| zone.at(seconds, nanoseconds).into());
    }
    let whole = base(map, "datetime")?;
    let (day, clock) = match &whole {
        Some(_) if has_any(map, &["date", "time"]) => {
            return Err(refuse("`datetime` says day and time: `date` and `time` cannot be given too"));
        }
        Some(whole) => (Some(whole.clone()), Some(whole.clone())),
        None => (base(map, "date")?, base(map, "time")?),
    };
    let missing = |what: &str| refuse(format!("{}() was given a value without a {what} to start from", kind.name()));
    let date = if kind.has_date() {
        let base = match &day {
            Some((known, _)) => Some(known.date.ok_or_else(|| missing("day"))?),
            None => None,
        };
        fields::date(map, base)?
    } else {
        Date { epoch_day: 0 }
    };
    if !kind.has_time() {
        return Ok(date.into());
    }
    let start = match &clock {
        Some((known, _)) if whole.is_some() => Some(known.time.unwrap_or(LocalTime::MIDNIGHT)),
        Some((known, _)) => Some(known.time.ok_or_else(|| missing("time of day"))?),
        None => None,
    };
    if start.is_none() && !kind.has_date() && !map.contains_key("hour") {
        return Err(refuse("`hour` must be given"));
    }
    let time = fields::time(map, start)?;
    if !kind.has_zone() {
        return kind.assemble(date, time, &Zone::UTC);
    }
    // The zone goes with the time. Another one that is asked for shows the same moment, by its own clock.
    let own = clock.and_then(|(known, value)| known.zone.map(|zone| zone_for(kind, Some(zone), &value, now)));
    match (own, explicit) {
        (Some(own), Some(explicit)) if kind == Kind::DateTime => {
            let moment = own.resolve(date.at(time));
            Ok(explicit.at(moment.seconds, moment.nanoseconds).into())
        }
        (Some(own), Some(Zone::Fixed(offset))) => {
            let moment = own.resolve(date.at(time));
            Ok(Zone::Fixed(offset).at(moment.seconds, moment.nanoseconds).time().into())
        }
        (own, explicit) => {
            let zone = explicit.or(own).unwrap_or_else(|| zone_for(kind, None, &Value::Null, now));
            kind.assemble(date, time, &zone)
        }
    }
}

/// Seconds and nanoseconds since 1970 that fields say.
fn of_epoch(map: &Map) -> Result<(i64, u32)> {
    let (seconds, limit, nanoseconds) = match (integer(map, "epochSeconds")?, integer(map, "epochMillis")?) {
        (Some(seconds), None) => (seconds, SECOND, 0),
        (None, Some(millis)) => (millis.div_euclid(1000), 1_000_000, millis.rem_euclid(1000) * 1_000_000),
        _ => return Err(refuse("give either `epochSeconds` or `epochMillis`")),
    };
    let more = integer(map, "nanosecond")?.unwrap_or(0);
    if !(0..limit).contains(&more) {
        return Err(refuse(format!("`nanosecond` must be from 0 to {}, not {more}", limit - 1)));
    }
    checked_epoch(seconds, nanoseconds + more)
}

/// Checks seconds and nanoseconds since 1970.
fn checked_epoch(seconds: i64, nanoseconds: i64) -> Result<(i64, u32)> {
    let whole = seconds.checked_add(nanoseconds.div_euclid(SECOND));
    let day = whole.and_then(|seconds| Date::of_epoch_day(seconds.div_euclid(86_400)));
    let rest = u32::try_from(nanoseconds.rem_euclid(SECOND)).unwrap_or(0);
    whole.filter(|_| day.is_some()).map(|seconds| (seconds, rest)).ok_or_else(|| refuse("there is no such moment"))
}

/// The moment of seconds or milliseconds, and nanoseconds, since 1970-01-01T00:00Z, at the offset zero.
///
/// # Errors
///
/// An argument error beyond the years there are.
pub(crate) fn from_epoch(seconds: i64, nanoseconds: i64) -> Result<DateTime> {
    let (seconds, nanoseconds) = checked_epoch(seconds, nanoseconds)?;
    Ok(Zone::UTC.at(seconds, nanoseconds))
}

/// Makes a length of time of a text, a map or itself. Null gives null.
///
/// # Errors
///
/// A type error for what nothing can be made of, an argument error for fields that are none, a syntax error for texts.
pub(crate) fn duration(from: &Value) -> Result<Value> {
    match from {
        Value::Null => Ok(Value::Null),
        Value::Duration(_) => Ok(from.clone()),
        Value::String(text) => parse::duration(text).map(Value::from),
        Value::Map(map) if map.values().any(Value::is_null) => Ok(Value::Null),
        Value::Map(map) => length(map).map(Value::from),
        other => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("duration() does not take {}", other.type_name()),
        )),
    }
}

/// Makes a length of fields.
fn length(map: &Map) -> Result<Duration> {
    let mut builder = Builder::default();
    for (name, value) in map {
        let amount = match value {
            Value::Integer(whole) => Some(Amount::whole(*whole)),
            Value::Float(float) => Amount::of(*float),
            other => {
                return Err(Error::type_error(
                    Detail::InvalidArgumentType,
                    format!("`{name}` must be a number, not {}", other.type_name()),
                ));
            }
        };
        let amount = amount.ok_or_else(|| refuse(format!("`{name}` is beyond 64 bits")))?;
        match name.as_str() {
            "years" => builder.months(amount, 12),
            "quarters" => builder.months(amount, 3),
            "months" => builder.months(amount, 1),
            "weeks" => builder.days(amount, 7),
            "days" => builder.days(amount, 1),
            "hours" => builder.nanoseconds(amount, 3600 * SECOND),
            "minutes" => builder.nanoseconds(amount, 60 * SECOND),
            "seconds" => builder.nanoseconds(amount, SECOND),
            "milliseconds" => builder.nanoseconds(amount, 1_000_000),
            "microseconds" => builder.nanoseconds(amount, 1_000),
            "nanoseconds" => builder.nanoseconds(amount, 1),
            _ => return Err(refuse(format!("duration() has no field `{name}`"))),
        }
    }
    builder.build()
}
