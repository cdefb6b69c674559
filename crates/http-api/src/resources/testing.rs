//! `/test/panic` and `{G}/test/sleep`: routes for tests of the server itself, there only with the option for it.

use std::time::Duration;

use serde_json::json;

use crate::call::Call;
use crate::reply::Reply;
use crate::routes::Answered;

/// Panics.
#[expect(clippy::panic, reason = "to test that a panic costs one request only")]
pub(crate) fn panic(_: &Call) -> Answered {
    panic!("a test asked for this panic");
}

/// Answers after `ms` milliseconds.
pub(crate) fn sleep(call: &Call) -> Answered {
    let ms = call.query().number("ms")?.unwrap_or_default();
    std::thread::sleep(Duration::from_millis(u64::try_from(ms).unwrap_or_default()));
    Ok(Reply::value(&json!({ "slept": ms })))
}
