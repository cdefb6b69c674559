//! `/test/panic`, `{G}/test/sleep` and `{G}/test/hold`: routes for tests of the server itself, there only with the
//! option for it.

use std::collections::BTreeSet;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use serde_json::json;

use crate::call::{Answered, Call};
use http_server::Reply;

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

/// The names under which nobody is held any more, and what tells those held of a new one.
static RELEASED: (Mutex<BTreeSet<String>>, Condvar) = (Mutex::new(BTreeSet::new()), Condvar::new());

/// The longest that [`hold`] waits: a test that fails before it releases does not leave threads behind for ever.
const HELD_MAX: Duration = Duration::from_secs(60);

/// Answers once [`release`] was asked for the same `name`, however long that takes the test.
pub(crate) fn hold(call: &Call) -> Answered {
    let query = call.query();
    let name = query.text("name")?.unwrap_or_default();
    let (released, told) = &RELEASED;
    let late = told.wait_while_for(&mut released.lock(), |names| !names.contains(&*name), HELD_MAX).timed_out();
    Ok(Reply::value(&json!({ "released": !late })))
}

/// Lets all go that are or will be held under `name`.
pub(crate) fn release(call: &Call) -> Answered {
    let (released, told) = &RELEASED;
    released.lock().insert(call.query().text("name")?.unwrap_or_default().into());
    told.notify_all();
    Ok(Reply::value(&json!({})))
}
