//! A panic costs one request.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

/// Awaits `future`; `None` if it panicked.
pub fn caught<F: Future>(mut future: Pin<&mut F>) -> impl Future<Output = Option<F::Output>> {
    poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Ready(output)) => Poll::Ready(Some(output)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panic) => {
            let words =
                panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            tracing::error!(
                panic = words.unwrap_or("?"),
                "a request panicked; this is a defect of Rhizome, please report it"
            );
            Poll::Ready(None)
        }
    })
}
