//! Values for tests.

use std::sync::Arc;

use proptest::prelude::*;

use crate::temporal::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};
use crate::value::{ElementId, Node, Point, Value};

/// A list.
pub(crate) fn list<const N: usize>(values: [Value; N]) -> Value {
    Value::list(values.into())
}

/// Nanoseconds of a day.
const DAY: i64 = 86_400_000_000_000;

/// Any value, with small ones more often than others, so that some are equal.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..3_i64).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3..3_i8).prop_map(|number| Value::from(f64::from(number) / 2.0)),
        any::<f64>().prop_map(Value::from),
        Just(Value::from(f64::NAN)),
        "[ab]{0,2}".prop_map(Value::from),
        (-2..2_i64).prop_map(|epoch_day| Date { epoch_day }.into()),
        (0..DAY).prop_map(|nanoseconds| LocalTime { nanoseconds }.into()),
        (0..DAY, -2..2_i32).prop_map(|(nanoseconds, hours)| Time { nanoseconds, offset: hours * 3600 }.into()),
        (-2..2_i64, 0..3_u32).prop_map(|(seconds, nanoseconds)| LocalDateTime { seconds, nanoseconds }.into()),
        (-2..2_i64, -1..1_i32)
            .prop_map(|(seconds, offset)| DateTime { seconds, nanoseconds: 0, offset, zone: None }.into()),
        (-2..2_i64, -40..40_i64, -99..99_i64).prop_map(|(months, days, seconds)| Duration {
            months,
            days,
            seconds,
            nanoseconds: 0
        }
        .into()),
        (0..2_i8, 0..2_i8).prop_map(|(x, y)| Point { srid: 7203, x: x.into(), y: y.into(), z: None }.into()),
        (0..3_i64).prop_map(|id| Node::reference(ElementId::Number(id)).into()),
        prop::collection::vec(any::<u8>(), 0..2).prop_map(|bytes| Value::Bytes(Arc::from(bytes))),
    ];
    leaf.prop_recursive(2, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::list),
            prop::collection::vec(("[ab]", inner), 0..3).prop_map(|entries| Value::map(
                entries.into_iter().map(|(name, value)| (name.into(), value)).collect()
            )),
        ]
    })
}
