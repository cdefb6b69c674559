//! What both formats read alike, once its parts have been read.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use gremlin::{Bytecode, ElementReference, Instruction, Predicate, Strategy, Text, Value};
use query_value::limits::NUMBER_DIGITS_MAX;
use query_value::{Cardinality, DateTime, Duration, ElementKind, Enum};

use crate::error::CodecError;
use crate::limits::{ITEMS_MAX, MESSAGE_BYTES_MAX};

type Read<V> = Result<V, CodecError>;

/// Checks a message's length.
pub(crate) fn check_length(bytes: &[u8]) -> Read<()> {
    if bytes.len() > MESSAGE_BYTES_MAX {
        let (what, limit) = ("bytes of a message", "MESSAGE_BYTES_MAX");
        return Err(CodecError::TooLarge { what, limit, max: MESSAGE_BYTES_MAX });
    }
    Ok(())
}

/// There are more values than a message may have.
pub(crate) fn too_many() -> CodecError {
    CodecError::TooLarge { what: "values of a message", limit: "ITEMS_MAX", max: ITEMS_MAX }
}

/// Results that no step takes.
pub(crate) fn result(what: &'static str) -> CodecError {
    CodecError::Misplaced { what, done: "an argument" }
}

/// An element, of which an argument keeps id and label.
pub(crate) fn element(kind: ElementKind, id: Value, label: Text) -> Value {
    Value::Element(Box::new(ElementReference { kind, id, label }))
}

/// An integer of any length.
pub(crate) fn big_integer(number: BigInt) -> Read<Value> {
    check_digits(&number)?;
    Ok(Value::BigInteger(number))
}

/// A decimal number of any length; its scale is bounded as its digits are.
pub(crate) fn big_decimal(number: BigDecimal) -> Read<Value> {
    let (digits, scale) = number.as_bigint_and_scale();
    check_digits(&digits)?;
    if scale.unsigned_abs() > NUMBER_DIGITS_MAX as u64 {
        return Err(too_long());
    }
    drop(digits);
    Ok(Value::BigDecimal(number))
}

/// A digit has a little more than 3 bits.
fn check_digits(number: &BigInt) -> Read<()> {
    if number.bits() > (NUMBER_DIGITS_MAX * 10 / 3) as u64 { Err(too_long()) } else { Ok(()) }
}

fn too_long() -> CodecError {
    CodecError::TooLarge { what: "digits of a number", limit: "NUMBER_DIGITS_MAX", max: NUMBER_DIGITS_MAX }
}

/// A moment in milliseconds since 1970 UTC, rounded down.
pub(crate) fn milliseconds(moment: &DateTime) -> i64 {
    let Duration { seconds, nanoseconds } = moment.since_epoch();
    seconds.saturating_mul(1000).saturating_add(i64::from(nanoseconds / 1_000_000))
}

/// A predicate; a collection as the only value of a comparison with two is both.
pub(crate) fn predicate(name: &str, mut values: Vec<Value>) -> Read<Value> {
    let is_interval = matches!(name, "between" | "inside" | "outside");
    if let ([Value::List(items)], true) = (values.as_mut_slice(), is_interval) {
        values = std::mem::take(items);
    }
    let predicate = Predicate::from_call(name, values);
    predicate
        .map(|predicate| Value::Predicate(Box::new(predicate)))
        .map_err(|error| CodecError::value(error, "a predicate"))
}

/// A strategy by the name of its class, whose package is dropped.
pub(crate) fn strategy(class: &str, options: Vec<(Text, Value)>) -> Value {
    let name = class.rsplit(['.', '$']).next().unwrap_or_default();
    Value::Strategy(Box::new(Strategy { name: name.into(), options }))
}

/// Bytecode, or the value with a cardinality that drivers write as such.
pub(crate) fn bytecode(mut bytecode: Bytecode) -> Value {
    let calls = bytecode.source.len() + bytecode.steps.len();
    let call = bytecode.source.first_mut().or(bytecode.steps.first_mut()).filter(|_| calls == 1);
    if let Some(Instruction { name, arguments, .. }) = call
        && let ("CardinalityValueTraversal", [Value::Enum(Enum::Cardinality(cardinality)), value]) =
            (name.as_str(), arguments.as_mut_slice())
    {
        let cardinality: Cardinality = *cardinality;
        return Value::WithCardinality(cardinality, Box::new(std::mem::replace(value, Value::Null)));
    }
    Value::Bytecode(Box::new(bytecode))
}

/// The pairs of a map whose keys are texts; others are left out.
pub(crate) fn named(map: Value) -> Vec<(Text, Value)> {
    let Value::Map(pairs) = map else { return Vec::new() };
    let named = pairs.into_iter().filter_map(|(key, value)| match key {
        Value::Text(key) => Some((key, value)),
        _ => None,
    });
    named.collect()
}
