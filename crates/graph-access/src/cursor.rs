//! Reading in batches, at the reader's pace.

use crate::{AccessError, limits};

/// Rows that are read when they are asked for.
pub trait Cursor<T> {
    /// Replaces the content of `batch` with the next rows, at most `rows_max` of them. An empty batch is the end. The
    /// room of `batch` is used again, so a loop with one batch allocates once.
    ///
    /// # Errors
    /// Those of the read. After an error the cursor is at its end.
    fn next_batch(&mut self, batch: &mut Vec<T>, rows_max: usize) -> Result<(), AccessError>;
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

    struct Numbers(std::ops::Range<u32>);

    impl Cursor<u32> for Numbers {
        fn next_batch(&mut self, batch: &mut Vec<u32>, rows_max: usize) -> Result<(), AccessError> {
            batch.clear();
            batch.extend(self.0.by_ref().take(rows_max));
            Ok(())
        }
    }

    #[test]
    fn draining_reads_every_row_once_and_stops_at_a_failure() {
        let end = u32::try_from(limits::ROWS_PER_BATCH).unwrap() * 2 + 1;
        let mut seen = 0..end;
        drain(&mut Numbers(0..end), |row| {
            assert_eq!(Some(row), seen.next());
            Ok::<_, AccessError>(())
        })
        .unwrap();
        assert!(seen.is_empty());
        let mut calls = 0;
        let failed = drain(&mut Numbers(0..end), |_| {
            calls += 1;
            Err(AccessError::new(graph_model::ErrorKind::Internal, "stop"))
        });
        assert_eq!((failed.unwrap_err().message.as_str(), calls), ("stop", 1));
    }
}
