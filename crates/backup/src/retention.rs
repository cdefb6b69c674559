//! Which backups are kept.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Rules that keep backups; one that any of them keeps stays. The last three keep the newest backup of each of so many
/// days, weeks (from Monday) or months that have one, by UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// So many of the newest ones.
    pub last: usize,
    /// So many days.
    pub daily: usize,
    /// So many weeks.
    pub weekly: usize,
    /// So many months.
    pub monthly: usize,
    /// So many days can be restored to any moment of; of before that, only backups. 0: as far as backups reach. It
    /// keeps no backup by itself.
    pub log_days: usize,
}

impl Keep {
    /// Whether no rule keeps anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self { log_days: self.log_days, ..Self::default() }
    }

    /// Which of backups made at these moments, in milliseconds since 1970 UTC and in this order, are kept.
    pub(crate) fn choose(&self, moments: &[i64]) -> Vec<bool> {
        let mut newest_first: Vec<usize> = (0..moments.len()).collect();
        newest_first.sort_by_key(|at| std::cmp::Reverse(moments.get(*at).copied()));
        let mut kept = BTreeSet::new();
        kept.extend(newest_first.iter().copied().take(self.last));
        let periods: [(usize, PeriodOf); 3] =
            [(self.daily, day_of), (self.weekly, monday_of), (self.monthly, month_of)];
        for (count, period_of) in periods {
            let mut seen = BTreeSet::new();
            for at in &newest_first {
                let date = moments.get(*at).map_or(Date::MIN, |moment| date_of(*moment));
                if seen.len() < count && seen.insert(period_of(date)) {
                    kept.insert(*at);
                }
            }
        }
        (0..moments.len()).map(|at| kept.contains(&at)).collect()
    }
}

/// The name of the period that a date is in.
type PeriodOf = fn(Date) -> (i16, i8, i8);

fn date_of(moment_ms: i64) -> Date {
    Timestamp::from_millisecond(moment_ms).map_or(Date::MIN, |moment| moment.to_zoned(TimeZone::UTC).date())
}

fn day_of(date: Date) -> (i16, i8, i8) {
    (date.year(), date.month(), date.day())
}

fn monday_of(date: Date) -> (i16, i8, i8) {
    let iso = date.iso_week_date();
    (iso.year(), iso.week(), 0)
}

fn month_of(date: Date) -> (i16, i8, i8) {
    (date.year(), date.month(), 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(keep: Keep, moments: &[&str]) -> Vec<String> {
        let numbers: Vec<i64> = moments.iter().map(|it| it.parse::<Timestamp>().unwrap().as_millisecond()).collect();
        let chosen = keep.choose(&numbers);
        moments.iter().zip(chosen).filter(|(_, kept)| *kept).map(|(it, _)| it[5..13].to_owned()).collect()
    }

    const MOMENTS: [&str; 8] = [
        "2026-01-31T23:00:00Z",
        "2026-02-01T01:00:00Z", // a Sunday
        "2026-02-02T01:00:00Z", // a Monday
        "2026-02-02T09:00:00Z",
        "2026-02-09T09:00:00Z",
        "2026-02-10T08:00:00Z",
        "2026-02-10T09:00:00Z",
        "2026-02-10T10:00:00Z",
    ];

    #[test]
    fn the_newest_of_each_period_is_kept() {
        let none = Keep::default();
        assert_eq!(kept(Keep { last: 2, ..none }, &MOMENTS), ["02-10T09", "02-10T10"]);
        assert_eq!(kept(Keep { daily: 3, ..none }, &MOMENTS), ["02-02T09", "02-09T09", "02-10T10"]);
        assert_eq!(kept(Keep { weekly: 3, ..none }, &MOMENTS), ["02-01T01", "02-02T09", "02-10T10"]);
        assert_eq!(kept(Keep { monthly: 9, ..none }, &MOMENTS), ["01-31T23", "02-10T10"]);
        assert_eq!(kept(Keep { last: 1, monthly: 2, ..none }, &MOMENTS), ["01-31T23", "02-10T10"]);
        assert!(kept(none, &MOMENTS).is_empty() && none.is_empty());
    }

    proptest! {
        #[test]
        fn any_rule_keeps_the_newest_and_no_more_than_it_says(
            moments in prop::collection::vec(0_i64..4_000_000_000_000, 1..40),
            last in 0_usize..5, daily in 0_usize..5, weekly in 0_usize..5, monthly in 0_usize..5,
        ) {
            let keep = Keep { last, daily, weekly, monthly, log_days: 0 };
            let chosen = keep.choose(&moments);
            let count = chosen.iter().filter(|kept| **kept).count();
            prop_assert!(count <= last + daily + weekly + monthly);
            if !keep.is_empty() {
                let newest = *moments.iter().max().unwrap();
                prop_assert!(moments.iter().zip(&chosen).any(|(moment, kept)| *kept && *moment == newest));
            }
        }
    }
}
