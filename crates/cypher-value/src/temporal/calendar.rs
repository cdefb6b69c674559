//! The proleptic Gregorian calendar, with ISO 8601 weeks, in days since 1970-01-01.
//!
//! Source of the day formulas: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013.

/// The largest year; the smallest is its negative.
pub(crate) const YEAR_MAX: i64 = 999_999_999;

/// Whether a year has a 29th of February.
pub(crate) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days of a month from 1 to 12.
pub(crate) fn month_days(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days of a year.
pub(crate) fn year_days(year: i64) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

/// The day of a year, month and day of the month, which must be ones.
pub(crate) fn epoch_day(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of the month of a day.
pub(crate) fn civil(epoch_day: i64) -> (i64, i64, i64) {
    let shifted = epoch_day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// The day of the week: 1 is Monday, 7 Sunday.
pub(crate) fn weekday(epoch_day: i64) -> i64 {
    (epoch_day + 3).rem_euclid(7) + 1
}

/// The Monday of the first week of a year of weeks: that of January 4.
pub(crate) fn first_monday(week_year: i64) -> i64 {
    let fourth = epoch_day(week_year, 1, 4);
    fourth - (weekday(fourth) - 1)
}

/// The year of weeks and the week of a day.
pub(crate) fn week(day: i64) -> (i64, i64) {
    // The Thursday of a week decides to which year the week belongs.
    let thursday = day - weekday(day) + 4;
    let (year, _, _) = civil(thursday);
    (year, (thursday - epoch_day(year, 1, 1)) / 7 + 1)
}

/// How many weeks a year of weeks has: 52 or 53.
pub(crate) fn weeks(week_year: i64) -> i64 {
    (first_monday(week_year + 1) - first_monday(week_year)) / 7
}

/// The first day of a quarter from 1 to 4.
pub(crate) fn quarter_start(year: i64, quarter: i64) -> i64 {
    epoch_day(year, quarter * 3 - 2, 1)
}

/// Days of a quarter.
pub(crate) fn quarter_days(year: i64, quarter: i64) -> i64 {
    (0..3).map(|month| month_days(year, quarter * 3 - month)).sum()
}

/// The day some months later, or the last of that month if it has no such day; none beyond the years there are.
pub(crate) fn plus_months(day: i64, months: i64) -> Option<i64> {
    let (year, month, day) = civil(day);
    let months = (year * 12 + month - 1).checked_add(months)?;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    is_year(year).then(|| epoch_day(year, month, day.min(month_days(year, month))))
}

/// Whether a year is one that there is.
pub(crate) fn is_year(year: i64) -> bool {
    (-YEAR_MAX..=YEAR_MAX).contains(&year)
}

/// Whether a day is one that there is.
pub(crate) fn is_day(epoch_day: i64) -> bool {
    // 365,241,780,471 is December 31 of the largest year.
    (-365_243_219_162..=365_241_780_471).contains(&epoch_day)
}

/// How many whole months there are from one day to another, towards zero.
pub(crate) fn months_between(from: i64, to: i64) -> i64 {
    let packed = |day| {
        let (year, month, day) = civil(day);
        (year * 12 + month - 1) * 32 + day
    };
    (packed(to) - packed(from)) / 32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_ends_are_where_they_are() {
        assert!(is_day(epoch_day(YEAR_MAX, 12, 31)) && !is_day(epoch_day(YEAR_MAX, 12, 31) + 1));
        assert!(is_day(epoch_day(-YEAR_MAX, 1, 1)) && !is_day(epoch_day(-YEAR_MAX, 1, 1) - 1));
        assert_eq!(epoch_day(1970, 1, 1), 0);
    }

    #[test]
    fn weeks_belong_to_the_year_of_their_thursday() {
        assert_eq!(week(epoch_day(1984, 1, 1)), (1983, 52));
        assert_eq!(week(epoch_day(1816, 12, 30)), (1817, 1));
        assert_eq!(week(epoch_day(1984, 10, 11)), (1984, 41));
        assert_eq!(weeks(2015), 53);
        assert_eq!(first_monday(1984), epoch_day(1984, 1, 2));
    }

    proptest! {
        #[test]
        fn days_have_one_date(day in -365_243_219_162_i64..=365_241_780_471) {
            let (year, month, of_month) = civil(day);
            prop_assert_eq!(epoch_day(year, month, of_month), day);
            prop_assert!((1..=12).contains(&month) && (1..=month_days(year, month)).contains(&of_month));
            let (week_year, week) = week(day);
            prop_assert_eq!(first_monday(week_year) + (week - 1) * 7 + weekday(day) - 1, day);
            prop_assert!((1..=weeks(week_year)).contains(&week));
        }

        #[test]
        fn civil_agrees_with_jiff(day in -4_371_222_i64..2_932_896) {
            let date = jiff::civil::date(1970, 1, 1) + jiff::SignedDuration::from_hours(day * 24);
            let (year, month, of_month) = civil(day);
            let theirs = (i64::from(date.year()), i64::from(date.month()), i64::from(date.day()));
            prop_assert_eq!(theirs, (year, month, of_month));
            prop_assert_eq!(i64::from(date.weekday().to_monday_one_offset()), weekday(day));
            let weeks = date.iso_week_date();
            prop_assert_eq!((i64::from(weeks.year()), i64::from(weeks.week())), week(day));
        }
    }
}
