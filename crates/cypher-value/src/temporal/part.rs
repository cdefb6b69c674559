//! Parts of moments, and moments of parts.

use super::calendar;
use super::{DAY_SECONDS, Date, DateTime, LocalDateTime, LocalTime, SECOND, Time};

impl Date {
    /// The day of a year, month and day of the month; none if there is no such day.
    pub fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        let inside = calendar::is_year(year) && (1..=12).contains(&month);
        let inside = inside && (1..=calendar::month_days(year, month)).contains(&day);
        inside.then(|| Self { epoch_day: calendar::epoch_day(year, month, day) })
    }

    /// The day that is so many days after 1970-01-01; none beyond the years there are.
    pub fn of_epoch_day(epoch_day: i64) -> Option<Self> {
        calendar::is_day(epoch_day).then_some(Self { epoch_day })
    }

    /// Year, month and day of the month.
    pub fn civil(self) -> (i64, i64, i64) {
        calendar::civil(self.epoch_day)
    }

    /// This day at a time of day.
    pub fn at(self, time: LocalTime) -> LocalDateTime {
        #[expect(clippy::cast_sign_loss, reason = "less than a second")]
        let nanoseconds = (time.nanoseconds % SECOND) as u32;
        LocalDateTime { seconds: self.epoch_day * DAY_SECONDS + time.nanoseconds / SECOND, nanoseconds }
    }
}

impl LocalTime {
    /// Midnight.
    pub const MIDNIGHT: Self = Self { nanoseconds: 0 };

    /// The time of an hour, minute, second and nanosecond; none if there is no such time.
    pub fn new(hour: i64, minute: i64, second: i64, nanosecond: i64) -> Option<Self> {
        let inside = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
        let inside = inside && (0..SECOND).contains(&nanosecond);
        inside.then(|| Self { nanoseconds: ((hour * 60 + minute) * 60 + second) * SECOND + nanosecond })
    }

    /// Hour, minute, second and nanosecond.
    pub fn parts(self) -> (i64, i64, i64, i64) {
        let seconds = self.nanoseconds / SECOND;
        (seconds / 3600, seconds / 60 % 60, seconds % 60, self.nanoseconds % SECOND)
    }
}

impl Time {
    /// The time on the clock there.
    pub fn local(self) -> LocalTime {
        LocalTime { nanoseconds: self.nanoseconds }
    }

    /// Nanoseconds since midnight UTC of the same day; may be below zero or beyond the day.
    pub fn utc_nanoseconds(self) -> i64 {
        self.nanoseconds - i64::from(self.offset) * SECOND
    }
}

impl LocalDateTime {
    /// The day.
    pub fn date(self) -> Date {
        Date { epoch_day: self.seconds.div_euclid(DAY_SECONDS) }
    }

    /// The time of day.
    pub fn time(self) -> LocalTime {
        let seconds = self.seconds.rem_euclid(DAY_SECONDS);
        LocalTime { nanoseconds: seconds * SECOND + i64::from(self.nanoseconds) }
    }
}

impl DateTime {
    /// What calendar and clock say there.
    pub fn local(&self) -> LocalDateTime {
        LocalDateTime { seconds: self.seconds + i64::from(self.offset), nanoseconds: self.nanoseconds }
    }

    /// The time of day there, with its offset.
    pub fn time(&self) -> Time {
        Time { nanoseconds: self.local().time().nanoseconds, offset: self.offset }
    }
}
