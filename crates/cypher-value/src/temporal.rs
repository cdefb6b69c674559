//! Days, times, moments and lengths of time.
//!
//! The calendar is the proleptic Gregorian one, with years from -999,999,999 to 999,999,999; a day has 86,400 seconds.

use crate::text::Text;

pub(crate) mod calendar;
pub(crate) mod length;
pub(crate) mod parse;
mod part;
mod print;
pub(crate) mod zone;

pub(crate) use print::Offset;
pub use zone::Zone;

/// Seconds of a day.
pub(crate) const DAY_SECONDS: i64 = 86_400;

/// Nanoseconds of a second.
pub(crate) const SECOND: i64 = 1_000_000_000;

/// Nanoseconds of a day.
pub(crate) const DAY: i64 = DAY_SECONDS * SECOND;

/// A day. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    /// Days since 1970-01-01.
    pub epoch_day: i64,
}

/// A time of day without an offset. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalTime {
    /// Nanoseconds since midnight, less than 86,400,000,000,000.
    pub nanoseconds: i64,
}

/// A time of day with an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    /// Nanoseconds since midnight on the clock there, less than 86,400,000,000,000.
    pub nanoseconds: i64,
    /// Seconds that the clock there is ahead of UTC, within 18 hours.
    pub offset: i32,
}

/// A day and a time of day without an offset. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalDateTime {
    /// Seconds since 1970-01-01T00:00 on the clock there.
    pub seconds: i64,
    /// Nanoseconds of the second, less than 1,000,000,000.
    pub nanoseconds: u32,
}

/// A moment, with the offset of the clock there and, if it was given, the zone that the offset follows from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DateTime {
    /// Seconds since 1970-01-01T00:00Z.
    pub seconds: i64,
    /// Nanoseconds of the second, less than 1,000,000,000.
    pub nanoseconds: u32,
    /// Seconds that the clock there is ahead of UTC, within 18 hours.
    pub offset: i32,
    /// The name of the zone, such as `Europe/Stockholm`.
    pub zone: Option<Text>,
}

/// A length of time. Its parts do not carry over into each other, but for whole seconds of nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Duration {
    /// Months, of any length.
    pub months: i64,
    /// Days, of any length.
    pub days: i64,
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds, from 0 to 999,999,999 also when the seconds are negative.
    pub nanoseconds: u32,
}
