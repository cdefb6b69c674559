//! Lengths of time: made of amounts, added, scaled.

use super::{DAY_SECONDS, Duration, SECOND};
use crate::error::{Detail, Error, Result};

/// Seconds of the average month: a twelfth of 365.2425 days.
const MONTH_SECONDS: i64 = 2_629_746;

/// A number of units: whole ones, and a part of one, which has the same sign.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Amount {
    /// Whole units.
    pub(crate) whole: i64,
    /// What is left, between -1 and 1.
    pub(crate) part: f64,
}

impl Amount {
    /// The amount of a float; none beyond 64 bits.
    pub(crate) fn of(float: f64) -> Option<Self> {
        let whole = crate::number::whole(float.trunc())?;
        Some(Self { whole, part: float.fract() })
    }

    /// So many whole units.
    pub(crate) fn whole(whole: i64) -> Self {
        Self { whole, part: 0.0 }
    }
}

/// Collects amounts of several units, whose parts go over to smaller units: those of months by the average month.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    /// Whole months.
    months: i128,
    /// Whole days.
    days: i128,
    /// Whole nanoseconds.
    nanoseconds: i128,
    /// Parts of months.
    month_part: f64,
    /// Parts of days.
    day_part: f64,
    /// Parts of seconds, in nanoseconds.
    rest: f64,
}

impl Builder {
    /// Adds an amount of units of so many months each.
    pub(crate) fn months(&mut self, amount: Amount, each: i32) {
        self.months += i128::from(amount.whole) * i128::from(each);
        let months = amount.part * f64::from(each);
        self.month_part += months.fract();
        #[expect(clippy::cast_possible_truncation, reason = "less than one unit, so fewer months than `each`")]
        let whole = months.trunc() as i128;
        self.months += whole;
    }

    /// Adds an amount of units of so many days each.
    pub(crate) fn days(&mut self, amount: Amount, each: i32) {
        self.days += i128::from(amount.whole) * i128::from(each);
        let days = amount.part * f64::from(each);
        self.day_part += days.fract();
        #[expect(clippy::cast_possible_truncation, reason = "less than one unit, so fewer days than `each`")]
        let whole = days.trunc() as i128;
        self.days += whole;
    }

    /// Adds an amount of units of so many nanoseconds each.
    pub(crate) fn nanoseconds(&mut self, amount: Amount, each: i64) {
        self.nanoseconds += i128::from(amount.whole) * i128::from(each);
        #[expect(clippy::cast_precision_loss, reason = "an hour has fewer nanoseconds than 2^53")]
        let each = each as f64;
        self.rest += amount.part * each;
    }

    /// The length of all.
    ///
    /// # Errors
    ///
    /// An arithmetic error beyond 64 bits.
    pub(crate) fn build(mut self) -> Result<Duration> {
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53")]
        let (month, day) = (MONTH_SECONDS as f64, DAY_SECONDS as f64);
        // Parts of months make whole days, and what is left of a day adds to the seconds.
        let seconds = self.month_part * month;
        let days = (seconds / day).trunc();
        #[expect(clippy::cast_possible_truncation, reason = "a few days")]
        let whole = days as i128;
        self.days += whole;
        #[expect(clippy::cast_precision_loss, reason = "2^30")]
        let second = SECOND as f64;
        self.rest += (seconds - days * day) * second + self.day_part * day * second;
        // A part that differs from a whole number by less than floats tell is that number; others are cut.
        let rounded = self.rest.round();
        let rest = if (self.rest - rounded).abs() < 1e-3 { rounded } else { self.rest.trunc() };
        #[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
        let rest = rest as i128;
        of_parts(self.months, self.days, self.nanoseconds + rest)
    }
}

/// A length of months, days and nanoseconds.
///
/// # Errors
///
/// An arithmetic error beyond 64 bits.
pub(crate) fn of_parts(months: i128, days: i128, nanoseconds: i128) -> Result<Duration> {
    let narrow = |number: i128| i64::try_from(number).map_err(|_| overflow());
    let second = i128::from(SECOND);
    #[expect(clippy::cast_possible_truncation, reason = "less than a second")]
    let rest = nanoseconds.rem_euclid(second) as u32;
    Ok(Duration {
        months: narrow(months)?,
        days: narrow(days)?,
        seconds: narrow(nanoseconds.div_euclid(second))?,
        nanoseconds: rest,
    })
}

/// An error: a length beyond 64 bits.
fn overflow() -> Error {
    Error::arithmetic(Detail::IntegerOverflow, "a DURATION of more than 64 bits of months, days or seconds")
}

impl Duration {
    /// Seconds and nanoseconds as nanoseconds.
    pub(crate) fn exact_nanoseconds(&self) -> i128 {
        i128::from(self.seconds) * i128::from(SECOND) + i128::from(self.nanoseconds)
    }

    /// The length by days of 24 hours and average months, by which lengths are sorted.
    pub(crate) fn average_nanoseconds(&self) -> i128 {
        let seconds =
            i128::from(self.months) * i128::from(MONTH_SECONDS) + i128::from(self.days) * i128::from(DAY_SECONDS);
        seconds * i128::from(SECOND) + self.exact_nanoseconds()
    }

    /// The sum of two lengths, part by part.
    ///
    /// # Errors
    ///
    /// An arithmetic error beyond 64 bits.
    pub fn plus(&self, other: &Self) -> Result<Self> {
        of_parts(
            i128::from(self.months) + i128::from(other.months),
            i128::from(self.days) + i128::from(other.days),
            self.exact_nanoseconds() + other.exact_nanoseconds(),
        )
    }

    /// Part by part a whole number of times as long.
    ///
    /// # Errors
    ///
    /// An arithmetic error beyond 64 bits.
    pub fn times(&self, factor: i64) -> Result<Self> {
        let factor = i128::from(factor);
        let nanoseconds = self.exact_nanoseconds().checked_mul(factor).ok_or_else(overflow)?;
        of_parts(i128::from(self.months) * factor, i128::from(self.days) * factor, nanoseconds)
    }

    /// A number of times as long: parts of a month go over to days and seconds, parts of a day to seconds.
    ///
    /// # Errors
    ///
    /// An arithmetic error beyond 64 bits.
    pub fn scaled(&self, scale: impl Fn(f64) -> f64) -> Result<Self> {
        #[expect(clippy::cast_precision_loss, reason = "amounts beyond 53 bits are rounded, as floats are")]
        let amount = |whole: i64| Amount::of(scale(whole as f64)).ok_or_else(overflow);
        let mut builder = Builder::default();
        builder.months(amount(self.months)?, 1);
        builder.days(amount(self.days)?, 1);
        builder.nanoseconds(amount(self.seconds)?, SECOND);
        builder.nanoseconds(amount(i64::from(self.nanoseconds))?, 1);
        builder.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_months_are_days_of_the_average_month() {
        let mut builder = Builder::default();
        builder.months(Amount { whole: 0, part: 0.75 }, 1);
        assert_eq!(builder.build().map(|length| length.to_string()), Ok("P22DT19H51M49.5S".into()));
    }

    #[test]
    fn halves_are_halves() -> Result<()> {
        let length = Duration { months: 149, days: 14, seconds: 58_390, nanoseconds: 1 };
        assert_eq!(length.scaled(|part| part / 2.0)?.to_string(), "P6Y2M22DT13H21M8S");
        assert_eq!(length.times(2)?.to_string(), "P24Y10M28DT32H26M20.000000002S");
        assert_eq!(
            length.scaled(|part| part * 1e300).map_err(|error| error.kind),
            Err(crate::ErrorKind::ArithmeticError)
        );
        Ok(())
    }
}
