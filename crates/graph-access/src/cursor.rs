//! Reading in batches, at the reader's pace.

use crate::{AccessError, limits};

/// Rows that are read when they are asked for.
pub trait Cursor<T> {
    /// Replaces the content of `batch` with the next rows: at least one, unless the cursor is at its end, and at most
    /// `rows_max` (0 counts as 1). An empty batch is the end, and every further call gives one. The room of `batch` is
    /// used again, so a loop with one batch allocates once.
    ///
    /// # Errors
    /// Those of the read. `batch` is empty then, and the cursor is at its end.
    fn next_batch(&mut self, batch: &mut Vec<T>, rows_max: usize) -> Result<(), AccessError>;
}

/// A cursor over what a function reads. The function appends up to the given number of rows, at least one, to an empty
/// batch, and nothing where it has come to its end; the rest of the contract of [`Cursor`] is kept for it. It is
/// dropped at its end or its first error, with whatever it holds open.
pub struct Batches<F> {
    read: Option<F>,
}

impl<F> Batches<F> {
    /// A cursor at its beginning.
    pub fn new(read: F) -> Self {
        Self { read: Some(read) }
    }
}

impl<T, F> Cursor<T> for Batches<F>
where
    F: FnMut(&mut Vec<T>, usize) -> Result<(), AccessError>,
{
    fn next_batch(&mut self, batch: &mut Vec<T>, rows_max: usize) -> Result<(), AccessError> {
        batch.clear();
        let Some(read) = &mut self.read else { return Ok(()) };
        let outcome = read(batch, rows_max.max(1));
        if outcome.is_err() {
            batch.clear();
        }
        if batch.is_empty() {
            self.read = None;
        }
        outcome
    }
}

/// Gives every row of a cursor to `take` until one call fails.
///
/// # Errors
/// Those of the cursor and of `take`.
pub fn drain<T, E: From<AccessError>>(
    cursor: &mut (impl Cursor<T> + ?Sized),
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let mut batch = Vec::new();
    loop {
        cursor.next_batch(&mut batch, limits::ROWS_PER_BATCH)?;
        if batch.is_empty() {
            return Ok(());
        }
        batch.drain(..).try_for_each(&mut take)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cursor over numbers.
    fn numbers(mut numbers: std::ops::Range<u32>) -> impl Cursor<u32> {
        Batches::new(move |batch: &mut Vec<u32>, rows_max| {
            batch.extend(numbers.by_ref().take(rows_max));
            Ok(())
        })
    }

    #[test]
    fn a_cursor_gives_at_least_one_row_until_it_is_at_its_end() {
        let mut cursor = numbers(0..4);
        let mut batch = vec![7];
        let mut seen = Vec::new();
        for rows_max in [0, 2, 1, 5, 0] {
            cursor.next_batch(&mut batch, rows_max).unwrap();
            seen.push(batch.clone());
        }
        assert_eq!(seen, [vec![0], vec![1, 2], vec![3], vec![], vec![]]);
    }

    #[test]
    fn a_cursor_that_failed_is_at_its_end_and_holds_nothing_open() {
        let open = std::rc::Rc::new(());
        let held = std::rc::Rc::clone(&open);
        let mut cursor = Batches::new(move |batch: &mut Vec<u32>, _| {
            let _held = &held;
            batch.push(1);
            Err(AccessError::new(graph_model::ErrorKind::Internal, "stop"))
        });
        let mut batch = vec![7];
        assert!(cursor.next_batch(&mut batch, 3).is_err());
        assert_eq!((batch.len(), std::rc::Rc::strong_count(&open)), (0, 1));
        batch.push(7);
        assert_eq!((cursor.next_batch(&mut batch, 3), batch.len()), (Ok(()), 0));
    }

    #[test]
    fn draining_reads_every_row_once_and_stops_at_a_failure() {
        let end = u32::try_from(limits::ROWS_PER_BATCH).unwrap() * 2 + 1;
        let mut seen = 0..end;
        drain(&mut numbers(0..end), |row| {
            assert_eq!(Some(row), seen.next());
            Ok::<_, AccessError>(())
        })
        .unwrap();
        assert!(seen.is_empty());
        let mut calls = 0;
        let failed = drain(&mut numbers(0..end), |_| {
            calls += 1;
            Err(AccessError::new(graph_model::ErrorKind::Internal, "stop"))
        });
        assert_eq!((failed.unwrap_err().message.as_str(), calls), ("stop", 1));
    }
}
