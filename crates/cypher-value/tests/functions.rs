//! Functions called by their names, as a query does.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use cypher_value::{Carried, Context, Detail, Error, Map, Value, function, to_text};

/// A map of fields.
fn map(fields: &[(&str, Value)]) -> Value {
    Value::map(fields.iter().map(|(name, value)| ((*name).into(), value.clone())).collect::<Map>())
}

/// Calls a function.
fn call(name: &str, arguments: &[Value]) -> Result<Value, Error> {
    function::find(name).unwrap_or_else(|| panic!("no {name}")).call(arguments, &Context::new(&Carried))
}

/// What a function gives, as text.
#[track_caller]
fn text(name: &str, arguments: &[Value]) -> String {
    to_text(&call(name, arguments).unwrap()).map_or_else(|| "null".into(), |text| text.to_string())
}

fn int(number: i64) -> Value {
    Value::Integer(number)
}

#[test]
fn days_of_fields() {
    let day = |fields: &[(&str, i64)]| {
        text("date", &[map(&fields.iter().map(|(name, number)| (*name, int(*number))).collect::<Vec<_>>())])
    };
    assert_eq!(day(&[("year", 1984), ("month", 10), ("day", 11)]), "1984-10-11");
    assert_eq!(day(&[("year", 1984), ("week", 10), ("dayOfWeek", 3)]), "1984-03-07");
    assert_eq!(day(&[("year", 1984), ("week", 10)]), "1984-03-05");
    assert_eq!(day(&[("year", 1984), ("quarter", 3), ("dayOfQuarter", 45)]), "1984-08-14");
    assert_eq!(day(&[("year", 1984), ("ordinalDay", 202)]), "1984-07-20");
    assert_eq!(day(&[("year", 1984)]), "1984-01-01");
    let from = |fields: &[(&str, Value)]| text("date", &[map(fields)]);
    let sunday = call("date", &["1984-11-11".into()]).unwrap();
    assert_eq!(from(&[("date", sunday.clone()), ("week", int(1))]), "1984-01-08");
    assert_eq!(from(&[("date", sunday.clone()), ("quarter", int(3))]), "1984-08-11");
    assert_eq!(from(&[("date", sunday), ("year", int(28))]), "0028-11-11");
    let end = call("date", &["1816-12-31".into()]).unwrap();
    assert_eq!(from(&[("date", end), ("week", int(2))]), "1817-01-07");
}

#[test]
fn fields_that_name_no_day_or_time_are_refused() {
    let detail = |name: &str, fields: &[(&str, i64)]| {
        let fields: Vec<_> = fields.iter().map(|(name, number)| (*name, int(*number))).collect();
        call(name, &[map(&fields)]).map_err(|error| error.detail)
    };
    let refused = Err(Detail::InvalidArgumentValue);
    assert_eq!(detail("date", &[("year", 1984), ("month", 13)]), refused);
    assert_eq!(detail("date", &[("year", 1984), ("day", 3)]), refused);
    assert_eq!(detail("date", &[("month", 3)]), refused);
    assert_eq!(detail("date", &[("year", 1984), ("hour", 3)]), refused);
    assert_eq!(detail("date", &[("year", 1984), ("week", 3), ("month", 3)]), refused);
    assert_eq!(detail("localtime", &[("hour", 3), ("second", 3)]), refused);
    assert_eq!(detail("localtime", &[("minute", 3)]), refused);
    assert_eq!(
        detail("localtime", &[("hour", 3), ("minute", 3), ("second", 3), ("nanosecond", 1_000_000_000)]),
        refused
    );
    assert_eq!(detail("duration", &[("fortnights", 3)]), refused);
}

#[test]
fn zones_go_with_times() {
    let one = call("time", &["12:31:14.645876+01:00".into()]).unwrap();
    assert_eq!(text("time", &[map(&[("time", one.clone()), ("timezone", "+05:00".into())])]), "16:31:14.645876+05:00");
    assert_eq!(text("time", &[map(&[("time", one.clone()), ("second", int(42))])]), "12:31:42.645876+01:00");
    let day = call("datetime", &["1984-10-11T12:00+01:00[Europe/Stockholm]".into()]).unwrap();
    let both = map(&[("date", day.clone()), ("time", one), ("day", int(28)), ("timezone", "Pacific/Honolulu".into())]);
    assert_eq!(text("datetime", &[both]), "1984-10-28T01:31:14.645876-10:00[Pacific/Honolulu]");
    let moved = map(&[("datetime", day.clone()), ("timezone", "+05:00".into())]);
    assert_eq!(text("datetime", &[moved]), "1984-10-11T16:00+05:00");
    assert_eq!(text("time", &[day]), "12:00+01:00");
}

#[test]
fn values_are_cut_to_units() {
    let moment = call("datetime", &["1984-10-11T12:31:14.645876123-01:00".into()]).unwrap();
    let cut =
        |name: &str, unit: &str, fields: &[(&str, Value)]| text(name, &[unit.into(), moment.clone(), map(fields)]);
    assert_eq!(cut("date.truncate", "millennium", &[("day", int(2))]), "1000-01-02");
    assert_eq!(cut("date.truncate", "week", &[("dayOfWeek", int(2))]), "1984-10-09");
    assert_eq!(cut("time.truncate", "hour", &[("timezone", "+01:00".into())]), "12:00+01:00");
    assert_eq!(cut("localtime.truncate", "millisecond", &[("nanosecond", int(2))]), "12:31:14.645000002");
    assert_eq!(
        cut("localdatetime.truncate", "microsecond", &[("nanosecond", int(2))]),
        "1984-10-11T12:31:14.645876002"
    );
    let zone = [("timezone", "Europe/Stockholm".into())];
    assert_eq!(cut("datetime.truncate", "week", &zone), "1984-10-08T00:00+01:00[Europe/Stockholm]");
}

#[test]
fn lengths_between_values() {
    let value = |name: &str, of: &str| call(name, &[of.into()]).unwrap();
    let (first, last) = (value("date", "-999999999-01-01"), value("date", "+999999999-12-31"));
    assert_eq!(text("duration.between", &[first, last]), "P1999999998Y11M30D");
    let (first, last) =
        (value("localdatetime", "-999999999-01-01"), value("localdatetime", "+999999999-12-31T23:59:59"));
    assert_eq!(text("duration.inSeconds", &[first, last]), "PT17531639991215H59M59S");
    let night = value("datetime", "2017-10-29T00:00[Europe/Stockholm]");
    assert_eq!(text("duration.inSeconds", &[night, value("localdatetime", "2017-10-29T04:00")]), "PT5H");
    let (day, clock) = (value("date", "2015-06-24"), value("localtime", "14:30"));
    assert_eq!(text("duration.between", &[clock.clone(), day.clone()]), "PT-14H-30M");
    assert_eq!(text("duration.inDays", &[day.clone(), clock]), "PT0S");
    let later = value("localdatetime", "2016-07-21T21:45:22.142");
    assert_eq!(text("duration.between", &[day.clone(), later.clone()]), "P1Y27DT21H45M22.142S");
    assert_eq!(text("duration.inMonths", &[later.clone(), day.clone()]), "P-1Y");
    assert_eq!(text("duration.inDays", &[later, day]), "P-393D");
}

#[test]
fn numbers_of_arguments_and_their_types_are_checked() {
    let function = function::find("LEFT").unwrap();
    assert!(!function.takes(1) && function.takes(2) && !function.takes(3));
    assert_eq!(function.signature(), "left(original :: STRING, length :: INTEGER) :: STRING");
    assert_eq!(call("left", &["a".into()]).map_err(|error| error.detail), Err(Detail::InvalidNumberOfArguments));
    assert_eq!(call("left", &[1.into(), 1.into()]).map_err(|error| error.detail), Err(Detail::InvalidArgumentValue));
    assert_eq!(call("left", &[Value::Null, 1.into()]), Ok(Value::Null));
    assert!(function::find("coalesce").unwrap().takes(9));
    assert!(function::find("no.such").is_none());
    assert_eq!(call("range", &[0.into(), true.into()]).map_err(|error| error.detail), Err(Detail::InvalidArgumentType));
    assert_eq!(
        call("range", &[0.into(), 9.into(), 0.into()]).map_err(|error| error.detail),
        Err(Detail::NumberOutOfRange)
    );
}

#[test]
fn every_function_takes_or_refuses_anything() {
    let samples = [
        Value::Null,
        Value::Boolean(true),
        Value::Integer(i64::MIN),
        Value::Integer(3),
        Value::Float(f64::NAN),
        Value::Float(-1e300),
        "day".into(),
        "2015-07-21".into(),
        Value::list(vec![1.into(), "a".into(), Value::Null]),
        map(&[("year", 2015.into()), ("hour", 3.into())]),
        call("date", &["-999999999-01-01".into()]).unwrap(),
        call("datetime", &["+999999999-12-31T23:59:59-18:00".into()]).unwrap(),
        call("time", &["12:00+01:00".into()]).unwrap(),
        call("duration", &["P1M-3DT4.5S".into()]).unwrap(),
    ];
    let context = Context::new(&Carried);
    for function in function::all().filter(|function| function.aggregate().is_none()) {
        for a in &samples {
            let _ = function.call(std::slice::from_ref(a), &context);
            for b in &samples {
                let _ = function.call(&[a.clone(), b.clone()], &context);
                for c in &samples {
                    let _ = function.call(&[a.clone(), b.clone(), c.clone()], &context);
                }
            }
        }
    }
}

#[test]
fn numbers_and_texts() {
    assert_eq!(text("round", &[Value::Float(-1.5)]), "-1.0");
    assert_eq!(text("round", &[Value::Float(1.005), 2.into()]), "1.01");
    assert_eq!(text("round", &[Value::Float(2.5), 0.into(), "HALF_EVEN".into()]), "2.0");
    assert_eq!(text("toInteger", &["2.9".into()]), "2");
    assert_eq!(text("toInteger", &["foo".into()]), "null");
    assert_eq!(text("toFloat", &["inf".into()]), "null");
    assert_eq!(text("toString", &[Value::Float(1e20)]), "1.0E20");
    assert_eq!(text("size", &["añ😀".into()]), "3");
    assert_eq!(text("substring", &["hello".into(), 1.into(), 3.into()]), "ell");
    assert_eq!(text("normalize", &["e\u{301}".into()]), "é");
    assert_eq!(text("valueType", &[Value::list(vec![1.into(), Value::Null])]), "LIST<INTEGER> NOT NULL");
    let parts = call("split", &["a,b;c".into(), Value::list(vec![",".into(), ";".into()])]).unwrap();
    assert_eq!(parts, Value::list(vec!["a".into(), "b".into(), "c".into()]));
}
