//! Reads that are mostly short, tried on the thread that serves the connection.
//!
//! Handing a read to another thread and its answer back wakes two threads, which takes longer than most reads do. So a
//! read is first tried where it has arrived, for a short time ([`crate::Options::attempt`]). Where that is not enough,
//! it begins again on the pool; reads can. Which reads are too long for it is learnt: requests are told apart by their
//! shape, and after an attempt in vain the next ones of the same shape go to the pool at once.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use crate::limits::{ATTEMPT_BYTES_MAX, ATTEMPT_SHAPES, ATTEMPTS_SKIPPED};

/// What requests have in common that take about the same time: their text without long numbers, which are ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape(u64);

impl Shape {
    /// The shape of a request with these parts. `None` for long ones: reading them is work itself.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Option<Self> {
        if parts.iter().map(|part| part.len()).sum::<usize>() > ATTEMPT_BYTES_MAX {
            return None;
        }
        // FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        for part in parts {
            let mut digits = 0;
            for byte in *part {
                digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
                // The first digits count: a depth or a limit is a part of the shape.
                if digits <= SHORT_NUMBER {
                    add(*byte);
                }
            }
            add(0);
        }
        Some(Self(hash))
    }
}

/// Digits of a number that is not an id.
const SHORT_NUMBER: usize = 1;

/// How attempts have gone, by shape. Shapes may share a place; it costs them time, nothing else.
pub struct Attempts {
    time: Duration,
    /// How many requests go to the pool before the next attempt.
    skips: Box<[AtomicU8]>,
}

impl Attempts {
    /// Attempts of so much time each; with zero there are none.
    #[must_use]
    pub fn new(time: Duration) -> Self {
        Self { time, skips: (0..ATTEMPT_SHAPES).map(|_| AtomicU8::new(0)).collect() }
    }

    /// How long a request of a shape may be tried for; `None` if it is to go to the pool at once.
    pub fn begin(&self, shape: Shape) -> Option<Duration> {
        if self.time.is_zero() {
            return None;
        }
        let place = self.place(shape)?;
        let left = place.load(Ordering::Relaxed);
        if left == 0 {
            return Some(self.time);
        }
        place.store(left - 1, Ordering::Relaxed);
        None
    }

    /// Notes that the time was not enough for a request of a shape.
    pub fn was_in_vain(&self, shape: Shape) {
        if let Some(place) = self.place(shape) {
            place.store(ATTEMPTS_SKIPPED, Ordering::Relaxed);
        }
    }

    fn place(&self, shape: Shape) -> Option<&AtomicU8> {
        let places = u64::try_from(self.skips.len()).ok().filter(|places| *places > 0)?;
        self.skips.get(usize::try_from(shape.0 % places).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_do_not_change_a_shape_but_depths_do() {
        let of = |text: &str| Shape::of(&[text.as_bytes()]).unwrap();
        assert_eq!(of("source=1:99071&max_depth=2"), of("source=1:98123456&max_depth=2"));
        assert_ne!(of("source=1:99071&max_depth=2"), of("source=1:99071&max_depth=3"));
        assert_ne!(Shape::of(&[b"a", b"b"]), Shape::of(&[b"ab", b""]));
        assert_eq!(Shape::of(&[&vec![b'a'; ATTEMPT_BYTES_MAX + 1]]), None);
    }

    #[test]
    fn after_an_attempt_in_vain_the_next_requests_of_the_shape_go_to_the_pool() {
        let attempts = Attempts::new(Duration::from_micros(200));
        let (long, short) = (Shape::of(&[b"long"]).unwrap(), Shape::of(&[b"short"]).unwrap());
        assert!(attempts.begin(long).is_some());
        attempts.was_in_vain(long);
        assert!((0..ATTEMPTS_SKIPPED).all(|_| attempts.begin(long).is_none()));
        assert!(attempts.begin(long).is_some());
        assert!(attempts.begin(short).is_some());
        assert_eq!(Attempts::new(Duration::ZERO).begin(short), None);
    }
}
