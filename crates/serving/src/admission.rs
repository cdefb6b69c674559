//! Admission: how many requests, and how many bytes of bodies, are held at one time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what is held.
pub struct Admission {
    requests: AtomicUsize,
    requests_max: usize,
    bytes: AtomicUsize,
    bytes_max: usize,
}

/// A request's share. Dropping it gives it back.
pub struct Admitted {
    admission: Arc<Admission>,
    bytes: usize,
}

/// There is no room.
#[derive(Debug, PartialEq, Eq)]
pub struct Full;

impl Admission {
    /// Lets in `requests_max` requests with `bytes_max` bytes of bodies.
    pub fn new(requests_max: usize, bytes_max: usize) -> Arc<Self> {
        Arc::new(Self { requests: AtomicUsize::new(0), requests_max, bytes: AtomicUsize::new(0), bytes_max })
    }

    /// Lets a request in.
    pub fn enter(self: &Arc<Self>) -> Result<Admitted, Full> {
        take(&self.requests, 1, self.requests_max)?;
        Ok(Admitted { admission: Arc::clone(self), bytes: 0 })
    }

    /// Requests let in and not done.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    /// Bytes of bodies held.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Admitted {
    /// Makes the share cover `bytes` at least. A request alone may exceed the limit: the limit of one body is another
    /// one, and a setting must not make requests impossible for ever.
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), Full> {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else { return Ok(()) };
        if self.admission.bytes() == self.bytes {
            self.admission.bytes.fetch_add(more, Ordering::Relaxed);
        } else {
            take(&self.admission.bytes, more, self.admission.bytes_max)?;
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.admission.requests.fetch_sub(1, Ordering::Relaxed);
        self.admission.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

fn take(counter: &AtomicUsize, count: usize, max: usize) -> Result<(), Full> {
    let room = |now: usize| now.checked_add(count).filter(|then| *then <= max);
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).map(drop).map_err(|_| Full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_given_back() {
        let admission = Admission::new(2, 100);
        let mut first = admission.enter().unwrap();
        let mut second = admission.enter().unwrap();
        assert_eq!(admission.enter().err(), Some(Full));
        first.grow_to(60).unwrap();
        assert_eq!(second.grow_to(50), Err(Full));
        second.grow_to(40).unwrap();
        assert_eq!(admission.bytes(), 100);
        drop(first);
        assert_eq!((admission.requests(), admission.bytes()), (1, 40));
        drop(second);
        assert_eq!((admission.requests(), admission.bytes()), (0, 0));
    }

    #[test]
    fn a_request_alone_always_has_room() {
        let admission = Admission::new(1, 10);
        admission.enter().unwrap().grow_to(1_000).unwrap();
        assert_eq!(admission.bytes(), 0);
    }
}
