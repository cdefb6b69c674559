//! Requests that are mostly short, tried on the thread that serves the connection.
//!
//! Handing a request to another thread and its answer back wakes two threads, which takes longer than most of them do.
//! So it is first tried where it has arrived, for a short time ([`crate::Options::attempt`]). Where that is not enough,
//! it begins again on the pool: what has written nothing can. Which ones are too long is learnt: requests are told
//! apart by their shape, and after an attempt in vain the next ones of the same shape go to the pool at once, twice as
//! many each time, so that a shape that is rarely too long hardly loses by it.

use std::hash::Hasher as _;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use rustc_hash::FxHasher;

use crate::limits::{ATTEMPT_BYTES_MAX, ATTEMPT_SHAPES, ATTEMPTS_DOUBLED_MAX, ATTEMPTS_SKIPPED_MAX};

/// Digits of a number that is not an id.
const SHORT_NUMBER: usize = 1;

/// How attempts have gone, by shape. Shapes may share a place; it costs them time, nothing else.
pub struct Attempts {
    time: Duration,
    /// How many requests go to the pool before the next attempt, and how often attempts have been in vain lately.
    skips: Box<[AtomicU16]>,
}

/// The right to try a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Attempt {
    /// For how long.
    pub time: Duration,
    place: usize,
    /// How often attempts have been in vain lately.
    vain: u8,
}

impl Attempts {
    /// Attempts of so much time each; with zero there are none.
    #[must_use]
    pub fn new(time: Duration) -> Self {
        Self { time, skips: (0..ATTEMPT_SHAPES).map(|_| AtomicU16::new(0)).collect() }
    }

    /// Whether a request with these parts may be tried; `None` if it is to go to the pool at once.
    pub fn begin(&self, parts: &[&[u8]]) -> Option<Attempt> {
        // Reading a long one is work itself.
        if self.time.is_zero() || parts.iter().map(|part| part.len()).sum::<usize>() > ATTEMPT_BYTES_MAX {
            return None;
        }
        let place = usize::try_from(shape(parts)).unwrap_or_default() % ATTEMPT_SHAPES;
        let skips = self.skips.get(place)?;
        let [left, vain] = skips.load(Ordering::Relaxed).to_be_bytes();
        if left == 0 {
            // Until the contrary is known, this one is not.
            skips.store(u16::from_be_bytes([0, vain.saturating_sub(1)]), Ordering::Relaxed);
            return Some(Attempt { time: self.time, place, vain });
        }
        skips.store(u16::from_be_bytes([left - 1, vain]), Ordering::Relaxed);
        None
    }

    /// Carries out a read that is tried, which says whether its time was enough. `None` where it was not, or where it
    /// would have to wait for a network.
    pub fn carry_out<T>(&self, attempt: Attempt, work: impl FnOnce() -> Option<T>) -> Option<T> {
        match kv::without_waiting(work) {
            (Some(done), false) => Some(done),
            _ => {
                self.was_in_vain(attempt);
                None
            }
        }
    }

    /// Notes that the time was not enough.
    #[expect(clippy::needless_pass_by_value, reason = "an attempt ends once")]
    pub fn was_in_vain(&self, attempt: Attempt) {
        if let Some(skips) = self.skips.get(attempt.place) {
            let vain = (attempt.vain + 1).min(ATTEMPTS_DOUBLED_MAX);
            let skipped = 2_u8.saturating_pow(vain.into()).min(ATTEMPTS_SKIPPED_MAX);
            skips.store(u16::from_be_bytes([skipped, vain]), Ordering::Relaxed);
        }
    }
}

/// What requests have in common that take about the same time: their text without long numbers, which are ids.
fn shape(parts: &[&[u8]]) -> u64 {
    let mut hasher = FxHasher::default();
    for part in parts {
        let mut digits = 0;
        for byte in *part {
            digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
            // The first digits count: a depth or a limit is a part of the shape.
            if digits <= SHORT_NUMBER {
                hasher.write_u8(*byte);
            }
        }
        hasher.write_u8(0);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_do_not_change_a_shape_but_depths_do() {
        let of = |text: &str| shape(&[text.as_bytes()]);
        assert_eq!(of("source=1:99071&max_depth=2"), of("source=1:98123456&max_depth=2"));
        assert_ne!(of("source=1:99071&max_depth=2"), of("source=1:99071&max_depth=3"));
        assert_ne!(shape(&[b"a", b"b"]), shape(&[b"ab", b""]));
        let attempts = Attempts::new(Duration::from_micros(200));
        assert_eq!(attempts.begin(&[&vec![b'a'; ATTEMPT_BYTES_MAX + 1]]), None);
    }

    #[test]
    fn after_an_attempt_in_vain_the_next_requests_of_the_shape_go_to_the_pool() {
        let attempts = Attempts::new(Duration::from_micros(200));
        let (long, short): (&[&[u8]], &[&[u8]]) = (&[b"long"], &[b"short"]);
        for skipped in [2, 4, 8, 16, 32, 64, ATTEMPTS_SKIPPED_MAX, ATTEMPTS_SKIPPED_MAX] {
            attempts.was_in_vain(attempts.begin(long).unwrap());
            assert!((0..skipped).all(|_| attempts.begin(long).is_none()), "{skipped}");
        }
        assert!(attempts.begin(short).is_some());
        // Each attempt that is not in vain makes the next one that is cost less.
        assert!((0..4).all(|_| attempts.begin(long).is_some()));
        attempts.was_in_vain(attempts.begin(long).unwrap());
        assert!((0..16).all(|_| attempts.begin(long).is_none()));
        assert!(attempts.begin(long).is_some());
        assert_eq!(Attempts::new(Duration::ZERO).begin(short), None);
    }
}
