//! How large results may become.

use crate::error::ValueError;

/// Bytes that results may still take.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    left: usize,
}

impl Room {
    /// So many bytes.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self { left: usize::try_from(bytes).unwrap_or(usize::MAX) }
    }

    /// Bytes that are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.left
    }

    /// Takes bytes, before they are filled.
    ///
    /// # Errors
    /// Fewer are left.
    pub fn take(&mut self, bytes: usize) -> Result<(), ValueError> {
        self.left = self.left.checked_sub(bytes).ok_or(ValueError::NoRoom)?;
        Ok(())
    }
}
