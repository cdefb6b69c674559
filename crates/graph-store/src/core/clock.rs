//! The clock, and what has expired by it.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time now, in milliseconds since 1970 UTC.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Whether an element with this expiry is gone now. Of most, which have none, the clock is not asked.
pub(crate) fn is_expired_now(expires_at_ms: Option<i64>) -> bool {
    expires_at_ms.is_some_and(|moment| moment <= now_ms())
}

/// Whether an element with this expiry is gone.
pub fn is_expired(expires_at_ms: Option<i64>, now_ms: i64) -> bool {
    expires_at_ms.is_some_and(|moment| moment <= now_ms)
}
