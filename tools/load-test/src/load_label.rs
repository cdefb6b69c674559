//! What the load of a row is called: the rate of the open driver, the users of the others. One answer for tables,
//! sentences, charts and JTL, so that rows stay apart in all of them.

use crate::figures;
use crate::result::{DriverKind, Row};

/// In a sentence: `2,000 users`, or `5,000 requests a second over 64 connections`.
#[must_use]
pub fn in_words(row: &Row) -> String {
    let users = figures::count(row.concurrency.into());
    match rate(row) {
        Some(rate) => format!("{} requests a second over {users} connections", figures::number(rate)),
        None => format!("{users} users"),
    }
}

/// In a cell: `2,000`, or `5,000/s (64)`.
#[must_use]
pub fn in_cell(row: &Row) -> String {
    let users = figures::count(row.concurrency.into());
    rate(row).map_or_else(|| users.clone(), |rate| format!("{}/s ({users})", figures::number(rate)))
}

/// In a label of single requests: `2000`, or `5000/s x 64`.
#[must_use]
pub fn in_label(row: &Row) -> String {
    rate(row).map_or_else(|| row.concurrency.to_string(), |rate| format!("{rate}/s x {}", row.concurrency))
}

/// The head of its column.
#[must_use]
pub fn column(rows: &[Row]) -> &'static str {
    if rows.iter().any(|row| rate(row).is_some()) { "Offered (connections)" } else { "Concurrency" }
}

/// The title of its axis.
#[must_use]
pub fn axis(rows: &[Row]) -> &'static str {
    if rows.iter().any(|row| rate(row).is_some()) { "Offered requests a second" } else { "Users (connections)" }
}

/// Its place on that axis.
#[must_use]
pub fn value(row: &Row) -> f64 {
    rate(row).unwrap_or_else(|| f64::from(row.concurrency))
}

fn rate(row: &Row) -> Option<f64> {
    row.offered_per_s.filter(|_| row.driver == DriverKind::Open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_the_open_driver_stay_apart() {
        let row =
            |rate: f64| Row { concurrency: 64, offered_per_s: Some(rate), driver: DriverKind::Open, ..Row::default() };
        assert_eq!([1000.0, 5000.0].map(|rate| in_cell(&row(rate))), ["1,000/s (64)", "5,000/s (64)"]);
        assert_eq!([1000.0, 5000.0].map(|rate| in_label(&row(rate))), ["1000/s x 64", "5000/s x 64"]);
        assert!((value(&row(5000.0)) - 5000.0).abs() < f64::EPSILON);
        let paced = Row { driver: DriverKind::Paced, ..row(64.0) };
        assert_eq!(
            (in_cell(&paced), in_label(&paced), in_words(&paced)),
            ("64".into(), "64".into(), "64 users".into())
        );
    }
}
