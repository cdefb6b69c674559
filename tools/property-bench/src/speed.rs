//! How fast each tenth of a load was.

use std::time::Duration;

use crate::measure::real;

/// Points in time with the number of records done by then, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    points: Vec<(u64, Duration)>,
}

impl Course {
    /// Notes that `records` are done at `time`.
    pub(crate) fn note(&mut self, records: u64, time: Duration) {
        if self.points.last().is_none_or(|(last, _)| *last < records) {
            self.points.push((records, time));
        }
    }

    /// Seconds that each tenth of the records took.
    fn tenths_s(&self) -> Option<[f64; 10]> {
        let (first, last) = (self.points.first()?, self.points.last()?);
        let records = last.0 - first.0;
        if records < 10 {
            return None;
        }
        let mut times = [0.0; 10];
        let mut before = first.1.as_secs_f64();
        for (time, part) in times.iter_mut().zip(1..=10) {
            let at = self.time_at(real(first.0) + real(records) * f64::from(part) / 10.0);
            *time = at - before;
            before = at;
        }
        Some(times)
    }

    /// When a number of records was done, between two points as if the speed had not changed there.
    fn time_at(&self, records: f64) -> f64 {
        let after = self.points.partition_point(|(done, _)| real(*done) < records);
        let last = self.points.last().copied().unwrap_or_default();
        let (right, right_time) = self.points.get(after).copied().unwrap_or(last);
        let (left, left_time) =
            after.checked_sub(1).and_then(|at| self.points.get(at)).copied().unwrap_or((right, right_time));
        let share = if right > left { (records - real(left)) / real(right - left) } else { 1.0 };
        left_time.as_secs_f64() + share * (right_time.as_secs_f64() - left_time.as_secs_f64())
    }
}

/// Records a second of each tenth; where the records were gone over several times, with the times of all courses
/// together.
pub(crate) fn tenths_per_s(records: u64, courses: &[&Course]) -> Vec<f64> {
    let Some(times) = courses.iter().map(|course| course.tenths_s()).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let tenth = |at: usize| times.iter().filter_map(|course| course.get(at)).sum::<f64>();
    (0..10).map(tenth).filter(|time| *time > 0.0).map(|time| real(records) / 10.0 / time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(points: &[(u64, u64)]) -> Course {
        let mut course = Course::default();
        for (records, seconds) in points {
            course.note(*records, Duration::from_secs(*seconds));
        }
        course
    }

    #[test]
    fn a_load_that_slows_down_shows_it() {
        // 500 records in 10 seconds, then 500 in 40.
        let speeds = tenths_per_s(1000, &[&course(&[(0, 2), (500, 12), (1000, 52)])]);
        assert_eq!(speeds.len(), 10);
        assert!((speeds[0] - 50.0).abs() < 1e-9 && (speeds[9] - 12.5).abs() < 1e-9, "{speeds:?}");
    }

    #[test]
    fn passes_are_added() {
        let even = course(&[(0, 0), (1000, 10)]);
        let speeds = tenths_per_s(1000, &[&even, &even]);
        assert!(speeds.iter().all(|speed| (speed - 50.0).abs() < 1e-9), "{speeds:?}");
        assert!(tenths_per_s(5, &[&course(&[(0, 0), (5, 1)])]).is_empty());
        assert!(tenths_per_s(5, &[&Course::default()]).is_empty());
    }
}
