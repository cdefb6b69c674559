//! A prepared write on its way to storage.

use kv::Commit;
use store_error::StoreError;

/// What a write will answer once it is stored.
#[must_use = "a write is only done when its outcome has been waited for"]
#[derive(Debug)]
pub struct Pending<T> {
    value: T,
    commit: Commit,
}

impl<T> Pending<T> {
    /// What a commit leads to.
    pub fn new(value: T, commit: Commit) -> Self {
        Self { value, commit }
    }

    /// Blocks until the write is stored.
    pub fn wait(self) -> Result<T, StoreError> {
        self.commit.wait()?;
        Ok(self.value)
    }

    /// Waits for the write as a task. Dropping the future does not take the write back.
    pub async fn done(self) -> Result<T, StoreError> {
        self.commit.await?;
        Ok(self.value)
    }

    /// What is stored already.
    pub(crate) fn stored(value: T) -> Self {
        Self { value, commit: Commit::done(Ok(())) }
    }

    /// Another answer for the same write.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Pending<U> {
        Pending { value: map(self.value), commit: self.commit }
    }
}
