//! Functions of times.

use crate::context::{Context, clock};
use crate::error::{Detail, Error, Result};
use crate::moment::{self, Kind, Unit};
use crate::value::{Map, Value};

/// Declares the functions of a type: of a source, of three clocks, cut to a unit.
macro_rules! of_kind {
    ($($kind:ident: $make:ident, $statement:ident, $transaction:ident, $realtime:ident, $truncate:ident;)*) => {
        $(pub(super) fn $make(arguments: &[Value], context: &Context<'_>) -> Result<Value> {
            match arguments.first() {
                Some(source) => moment::make(Kind::$kind, source, &context.now()),
                None => moment::now(Kind::$kind, None, &context.now()),
            }
        }

        pub(super) fn $statement(arguments: &[Value], context: &Context<'_>) -> Result<Value> {
            moment::now(Kind::$kind, arguments.first(), &context.now())
        }

        pub(super) fn $transaction(arguments: &[Value], context: &Context<'_>) -> Result<Value> {
            moment::now(Kind::$kind, arguments.first(), &context.at(context.transaction))
        }

        pub(super) fn $realtime(arguments: &[Value], context: &Context<'_>) -> Result<Value> {
            moment::now(Kind::$kind, arguments.first(), &context.at(clock()))
        }

        pub(super) fn $truncate(arguments: &[Value], context: &Context<'_>) -> Result<Value> {
            cut(Kind::$kind, arguments, context)
        })*
    };
}

of_kind! {
    Date: date, date_statement, date_transaction, date_realtime, date_truncate;
    Time: time, time_statement, time_transaction, time_realtime, time_truncate;
    LocalTime: localtime, localtime_statement, localtime_transaction, localtime_realtime, localtime_truncate;
    LocalDateTime: localdatetime, localdatetime_statement, localdatetime_transaction, localdatetime_realtime,
        localdatetime_truncate;
    DateTime: datetime, datetime_statement, datetime_transaction, datetime_realtime, datetime_truncate;
}

/// Cuts a value, or what is now, to a unit.
fn cut(kind: Kind, arguments: &[Value], context: &Context<'_>) -> Result<Value> {
    let now = context.now();
    let empty = Value::map(Map::new());
    match arguments {
        [unit] => moment::truncate(kind, unit, &moment::now(kind, None, &now)?, &empty, &now),
        [unit, value] => moment::truncate(kind, unit, value, &empty, &now),
        [unit, value, fields] => moment::truncate(kind, unit, value, fields, &now),
        _ => Ok(Value::Null),
    }
}

pub(super) fn timestamp(_: &[Value], context: &Context<'_>) -> Result<Value> {
    let (seconds, nanoseconds) = context.statement;
    Ok(Value::Integer(seconds.saturating_mul(1000).saturating_add(i64::from(nanoseconds / 1_000_000))))
}

/// A number as an integer: floats are cut.
fn whole(value: &Value) -> Result<i64> {
    let number = match value {
        Value::Integer(integer) => Some(*integer),
        Value::Float(float) => crate::number::whole(float.trunc()),
        _ => None,
    };
    number.ok_or_else(|| Error::argument(Detail::InvalidArgumentValue, "there is no such moment"))
}

pub(super) fn from_epoch(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let [seconds, nanoseconds] = arguments else { return Ok(Value::Null) };
    moment::from_epoch(whole(seconds)?, whole(nanoseconds)?).map(Value::from)
}

pub(super) fn from_epoch_millis(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let [milliseconds] = arguments else { return Ok(Value::Null) };
    let milliseconds = whole(milliseconds)?;
    moment::from_epoch(milliseconds.div_euclid(1000), milliseconds.rem_euclid(1000) * 1_000_000).map(Value::from)
}

pub(super) fn duration(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    arguments.first().map_or(Ok(Value::Null), moment::duration)
}

/// The length between two values.
fn length(unit: Unit, arguments: &[Value]) -> Result<Value> {
    match arguments {
        [from, to] => moment::between(unit, from, to),
        _ => Ok(Value::Null),
    }
}

pub(super) fn between(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    length(Unit::All, arguments)
}

pub(super) fn in_months(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    length(Unit::Months, arguments)
}

pub(super) fn in_days(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    length(Unit::Days, arguments)
}

pub(super) fn in_seconds(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    length(Unit::Seconds, arguments)
}
