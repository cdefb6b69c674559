//! Aggregates: functions that put the values of many rows together.

use std::collections::HashSet;

use crate::arithmetic::{add, as_float};
use crate::bounds;
use crate::compare::order;
use crate::error::{Detail, Error, Result};
use crate::memory::memory;
use crate::types::Types;
use crate::value::Value;

/// An aggregate. `count(*)` is a count of rows and needs none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// How many values are not null.
    Count,
    /// The values in a list.
    Collect,
    /// The sum.
    Sum,
    /// The mean.
    Avg,
    /// The first value.
    Min,
    /// The last value.
    Max,
    /// The value nearest to a percentile.
    PercentileDisc,
    /// The interpolated value at a percentile.
    PercentileCont,
    /// The standard deviation of a sample.
    StDev,
    /// The standard deviation of a population.
    StDevP,
}

impl Aggregate {
    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        match self {
            Self::PercentileDisc | Self::PercentileCont => 2,
            _ => 1,
        }
    }

    /// Starts with no values.
    pub fn start(self, distinct: bool) -> Accumulator {
        let state = match self {
            Self::Count => State::Count(0),
            Self::Collect => State::Collect(Vec::new()),
            Self::Sum | Self::Avg => State::Sum { count: 0, sum: Value::Integer(0), exact: 0, is_exact: true },
            Self::Min | Self::Max => State::Extreme(Value::Null),
            Self::PercentileDisc | Self::PercentileCont => State::Percentile { values: Vec::new(), percentile: 0.0 },
            Self::StDev | Self::StDevP => State::Deviation { count: 0.0, mean: 0.0, squares: 0.0 },
        };
        Accumulator { aggregate: self, seen: distinct.then(HashSet::new), state }
    }

    /// Its name.
    fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Collect => "collect",
            Self::Sum => "sum",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
            Self::PercentileDisc => "percentileDisc",
            Self::PercentileCont => "percentileCont",
            Self::StDev => "stdev",
            Self::StDevP => "stdevp",
        }
    }

    /// The error of a value that it does not take.
    fn type_error(self, value: &Value) -> Error {
        let expected = match self {
            Self::Sum | Self::Avg => Types::NUMBER | Types::DURATION,
            _ => Types::NUMBER,
        };
        Error::type_error(
            Detail::InvalidArgumentValue,
            format!("{}() expects {expected}, found {}", self.name(), value.type_name()),
        )
    }
}

/// What an aggregate knows of the values so far.
#[derive(Clone, Debug)]
pub struct Accumulator {
    /// Which aggregate it is.
    aggregate: Aggregate,
    /// The different values so far, if each counts once.
    seen: Option<HashSet<Value>>,
    /// What is known.
    state: State,
}

/// What is known, by aggregate.
#[derive(Clone, Debug)]
enum State {
    /// How many.
    Count(i64),
    /// All values.
    Collect(Vec<Value>),
    /// The sum: of integers exactly, for the mean; else a float or a duration.
    Sum { count: i64, sum: Value, exact: i128, is_exact: bool },
    /// The first or last.
    Extreme(Value),
    /// All numbers, and which is asked for.
    Percentile { values: Vec<Value>, percentile: f64 },
    /// Count, mean and the sum of squared distances from it. Source: B. P. Welford, "Note on a Method for Calculating
    /// Corrected Sums of Squares and Products", 1962.
    Deviation { count: f64, mean: f64, squares: f64 },
}

impl Accumulator {
    /// Adds the arguments of one row; null adds nothing. Gives the bytes of memory that it needs more from now on.
    ///
    /// # Errors
    ///
    /// A type error for what the aggregate does not take, an arithmetic error for sums beyond 64 bits, an argument
    /// error for a percentile that is none, an execution error for values that are nested too deep.
    pub fn add(&mut self, arguments: &[Value]) -> Result<usize> {
        let Some(value) = arguments.first() else { return Ok(0) };
        if let Some(percentile) = arguments.get(1) {
            self.set_percentile(percentile)?;
        }
        if value.is_null() {
            return Ok(0);
        }
        let mut bytes = 0;
        if let Some(seen) = &mut self.seen {
            if seen.contains(value) {
                return Ok(0);
            }
            bytes += memory(value) + size_of::<u64>();
            seen.insert(value.clone());
        }
        let aggregate = self.aggregate;
        match &mut self.state {
            State::Count(count) => *count += 1,
            State::Collect(values) => {
                bounds::check(value, 1)?;
                bytes += memory(value);
                values.push(value.clone());
            }
            State::Sum { count, sum, exact, is_exact } => {
                *count += 1;
                match value {
                    Value::Integer(integer) => *exact += i128::from(*integer),
                    Value::Float(_) | Value::Duration(_) => *is_exact = false,
                    other => return Err(aggregate.type_error(other)),
                }
                *sum = match (&*sum, value) {
                    // The mean of integers needs no sum of 64 bits.
                    (Value::Integer(_), Value::Integer(_)) if aggregate == Aggregate::Avg => Value::Integer(0),
                    #[expect(clippy::cast_precision_loss, reason = "a sum with floats is one")]
                    (Value::Integer(_), Value::Float(float)) => Value::Float(*exact as f64 + float),
                    (Value::Integer(_), Value::Duration(_)) if *count == 1 => value.clone(),
                    (sum, value) => match add(sum, value) {
                        Ok(sum) => sum,
                        Err(error) if error.detail == Detail::IntegerOverflow => return Err(error),
                        Err(_) => return Err(aggregate.type_error(value)),
                    },
                };
            }
            State::Extreme(extreme) => {
                let ordering = order(value, extreme);
                let is_better = if aggregate == Aggregate::Min { ordering.is_lt() } else { ordering.is_gt() };
                if extreme.is_null() || is_better {
                    bytes += memory(value).saturating_sub(memory(extreme));
                    *extreme = value.clone();
                }
            }
            State::Percentile { values, .. } => {
                if !Types::NUMBER.takes(value) {
                    return Err(aggregate.type_error(value));
                }
                bytes += size_of::<Value>();
                values.push(value.clone());
            }
            State::Deviation { count, mean, squares } => {
                let number = as_float(value).ok_or_else(|| aggregate.type_error(value))?;
                *count += 1.0;
                let before = number - *mean;
                *mean += before / *count;
                *squares += before * (number - *mean);
            }
        }
        Ok(bytes)
    }

    /// Adds rows of which only their number is known: for counts of one value many times.
    pub fn add_many(&mut self, arguments: &[Value], times: i64) -> Result<usize> {
        match &mut self.state {
            State::Count(count) if self.seen.is_none() => {
                if arguments.first().is_some_and(|value| !value.is_null()) {
                    *count += times;
                }
                Ok(0)
            }
            _ => (0..times).try_fold(0, |bytes, _| Ok(bytes + self.add(arguments)?)),
        }
    }

    /// Sets which percentile is asked for.
    fn set_percentile(&mut self, value: &Value) -> Result<()> {
        let State::Percentile { percentile, .. } = &mut self.state else { return Ok(()) };
        let number = as_float(value).ok_or_else(|| self.aggregate.type_error(value))?;
        if !(0.0..=1.0).contains(&number) {
            return Err(Error::argument(
                Detail::NumberOutOfRange,
                format!("a percentile must be from 0.0 to 1.0, found {number}"),
            ));
        }
        *percentile = number;
        Ok(())
    }

    /// The result: of no values 0 for counts and sums, an empty list for `collect`, a deviation of 0, else null.
    pub fn finish(self) -> Value {
        let aggregate = self.aggregate;
        match self.state {
            State::Count(count) => Value::Integer(count),
            State::Collect(values) => Value::list(values),
            State::Sum { count: 0, .. } if aggregate == Aggregate::Avg => Value::Null,
            #[expect(clippy::cast_precision_loss, reason = "a mean is a float")]
            State::Sum { count, sum, exact, is_exact } if aggregate == Aggregate::Avg => match sum {
                Value::Duration(sum) => sum.scaled(|part| part / count as f64).map(Value::from).unwrap_or_default(),
                _ if is_exact => Value::Float(exact as f64 / count as f64),
                other => as_float(&other).map(|sum| sum / count as f64).into(),
            },
            State::Sum { sum, .. } => sum,
            State::Extreme(extreme) => extreme,
            State::Percentile { mut values, percentile } => {
                values.sort_by(order);
                match aggregate {
                    Aggregate::PercentileDisc => discrete(&values, percentile),
                    _ => continuous(&values, percentile),
                }
            }
            State::Deviation { count, squares, .. } => {
                let divisor = if aggregate == Aggregate::StDev { count - 1.0 } else { count };
                Value::Float(if divisor < 1.0 { 0.0 } else { (squares / divisor).sqrt() })
            }
        }
    }
}

/// A position in a list, of a float.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts of floats saturate")]
fn position(float: f64) -> usize {
    float as usize
}

/// The value at which a part of the sorted values is reached.
fn discrete(values: &[Value], percentile: f64) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "more values than 2^53 do not fit into memory")]
    let place = percentile * values.len() as f64;
    let place = position(place.ceil()).saturating_sub(1).min(values.len().saturating_sub(1));
    values.get(place).cloned().unwrap_or_default()
}

/// The value at a place between the sorted values.
fn continuous(values: &[Value], percentile: f64) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "more values than 2^53 do not fit into memory")]
    let place = percentile * values.len().saturating_sub(1) as f64;
    let at = |place: f64| values.get(position(place)).and_then(as_float);
    match (at(place.floor()), at(place.ceil())) {
        (Some(below), Some(above)) => {
            let part = place.fract();
            Value::Float(if part == 0.0 { below } else { below * (1.0 - part) + above * part })
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::testing::list;

    #[track_caller]
    fn of(aggregate: Aggregate, values: &[Value]) -> Value {
        let mut accumulator = aggregate.start(false);
        for value in values {
            accumulator.add(std::slice::from_ref(value)).unwrap();
        }
        accumulator.finish()
    }

    fn percentile(aggregate: Aggregate, values: &[f64], percentile: f64) -> Value {
        let mut accumulator = aggregate.start(false);
        for value in values {
            accumulator.add(&[Value::Float(*value), Value::Float(percentile)]).unwrap();
        }
        accumulator.finish()
    }

    #[test]
    fn of_nothing() {
        assert_eq!(of(Aggregate::Count, &[Value::Null]), 0.into());
        assert_eq!(of(Aggregate::Sum, &[]), 0.into());
        assert_eq!(of(Aggregate::Collect, &[Value::Null]), list([]));
        assert_eq!(of(Aggregate::Avg, &[]), Value::Null);
        assert_eq!(of(Aggregate::Max, &[]), Value::Null);
    }

    #[test]
    fn sums_and_means() {
        assert!(matches!(of(Aggregate::Sum, &[1.into(), 2.into()]), Value::Integer(3)));
        assert!(matches!(of(Aggregate::Sum, &[1.into(), 2.5.into(), 1.into()]), Value::Float(4.5)));
        assert!(matches!(of(Aggregate::Avg, &[1.into(), 2.into()]), Value::Float(1.5)));
        assert!(matches!(of(Aggregate::Avg, &[i64::MAX.into(), i64::MAX.into()]), Value::Float(_)));
        let mut sum = Aggregate::Sum.start(false);
        sum.add(&[i64::MAX.into()]).unwrap();
        assert_eq!(sum.add(&[1.into()]).map_err(|error| error.kind), Err(ErrorKind::ArithmeticError));
        assert_eq!(sum.add(&["a".into()]).map_err(|error| error.kind), Err(ErrorKind::TypeError));
    }

    #[test]
    fn extremes_go_by_the_order_of_all_values() {
        let mixed = [1.into(), "a".into(), Value::Null, list([1.into(), 2.into()]), 0.2.into(), "b".into()];
        assert_eq!(of(Aggregate::Max, &mixed), 1.into());
        assert_eq!(of(Aggregate::Min, &mixed), list([1.into(), 2.into()]));
    }

    #[test]
    fn percentiles() {
        let prices = [10.0, 20.0, 30.0];
        for (at, expected) in [(0.0, 10.0), (0.5, 20.0), (1.0, 30.0)] {
            assert_eq!(percentile(Aggregate::PercentileDisc, &prices, at), expected.into());
            assert_eq!(percentile(Aggregate::PercentileCont, &prices, at), expected.into());
        }
        assert_eq!(percentile(Aggregate::PercentileCont, &prices, 0.25), 15.0.into());
        assert_eq!(percentile(Aggregate::PercentileDisc, &prices, 0.25), 10.0.into());
        let error = Aggregate::PercentileDisc.start(false).add(&[1.into(), 1.1.into()]);
        assert_eq!(error.map_err(|error| error.detail), Err(Detail::NumberOutOfRange));
    }

    #[test]
    fn deviations() {
        let values = [2, 4, 4, 4, 5, 5, 7, 9].map(Value::Integer);
        assert_eq!(of(Aggregate::StDevP, &values), 2.0.into());
        assert_eq!(of(Aggregate::StDev, &values[..1]), 0.0.into());
    }

    #[test]
    fn distinct_values_count_once_and_take_memory() {
        let mut count = Aggregate::Count.start(true);
        assert!(count.add(&[1.into()]).unwrap() > 0);
        assert_eq!(count.add(&[1.0.into()]), Ok(0));
        assert_eq!(count.finish(), 1.into());
    }
}
