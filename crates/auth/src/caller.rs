//! Who asks.

/// Who asks: anybody on a server without users, or a user. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Caller(());

impl Caller {
    /// Anybody, on a server without users: may do everything.
    #[must_use]
    pub fn anonymous() -> Self {
        Self(())
    }

    /// The name, for lists and logs.
    #[must_use]
    pub fn name(&self) -> &str {
        "anonymous"
    }
}
