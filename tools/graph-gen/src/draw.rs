//! Random draws that are the same on every machine.
//!
//! Each entity has its own ChaCha stream, seeded from (seed, what is drawn, number of the entity), so nothing depends
//! on the order in which entities are made. Only integer arithmetic and the exactly rounded IEEE operations `+ * sqrt`
//! are used, never `pow` or `ln`, whose last bit differs between platforms. [`mix`] is for single values that must be
//! found again without a stream (for example a date of an edge).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// What a stream of draws is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Person = 1,
    Interests = 2,
    Degree = 3,
    Friends = 4,
    Forums = 5,
    Prose = 6,
    FlashMobs = 7,
}

/// One stream of draws.
pub(crate) struct Draw(ChaCha8Rng);

impl Draw {
    /// The stream of entity `index` of kind `stream`.
    pub(crate) fn new(seed: u64, stream: Stream, index: u64) -> Draw {
        let mut key = [0_u8; 32];
        let words = [seed, stream as u64, index, 0];
        for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Draw(ChaCha8Rng::from_seed(key))
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`; 0 when `n` is 0.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        high_half(u64::from(self.0.next_u32()) * u64::from(n))
    }

    /// A number below `n` (milliseconds, for example); 0 when `n` is 0.
    pub(crate) fn below_u64(&mut self, n: u64) -> u64 {
        scale_by_bits(n, self.0.next_u64())
    }

    /// A number of `low..=high`.
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in `per_mille` of 1,000 cases.
    pub(crate) fn chance(&mut self, per_mille: u32) -> bool {
        self.below(1_000) < per_mille
    }

    /// A fraction of `0.0..1.0`.
    pub(crate) fn fraction(&mut self) -> f64 {
        fraction_of_bits(self.bits())
    }

    /// A fraction with the density of a power law with exponent 0.4 (that is u^2.5): mean 2/7, many small ones.
    pub(crate) fn skewed(&mut self) -> f64 {
        let u = self.fraction();
        u * u * u.sqrt()
    }

    /// A fraction with the density of a power law with exponent 0.07 (u^14): nearly always tiny, sometimes near 1.
    pub(crate) fn very_skewed(&mut self) -> f64 {
        let u = self.fraction();
        let u2 = u * u;
        let u4 = u2 * u2;
        let u6 = u4 * u2;
        u4 * u4 * u6
    }

    /// How often a fair coin shows heads before the first tail (0 in half of the cases, 1 in a quarter, ...).
    pub(crate) fn coin_run(&mut self) -> u32 {
        self.0.next_u32().trailing_zeros()
    }

    /// An element of a list, `None` when it is empty.
    pub(crate) fn of<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let n = u32::try_from(list.len()).unwrap_or(u32::MAX);
        list.get(self.below(n) as usize)
    }
}

fn high_half(product: u64) -> u32 {
    (product >> 32) as u32
}

/// `n * bits / 2^64`: a number below `n` (0 when `n` is 0).
pub(crate) fn scale_by_bits(n: u64, bits: u64) -> u64 {
    ((u128::from(n) * u128::from(bits)) >> 64) as u64
}

fn fraction_of_bits(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// `fraction` of `n`, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and callers give fractions of 0.0..=1.0"
)]
pub(crate) fn part(n: u64, fraction: f64) -> u64 {
    (n as f64 * fraction) as u64
}

/// As [`part`], for counts.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and callers give fractions of 0.0..=1.0"
)]
pub(crate) fn part_u32(n: u32, fraction: f64) -> u32 {
    (f64::from(n) * fraction) as u32
}

/// The nearest whole number of a positive number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and callers give positive numbers"
)]
pub(crate) fn rounded(number: f64) -> u32 {
    (number + 0.5) as u32
}

/// The first number from `first` on without a common divisor with `n`: steps of this length around a circle of `n`
/// places come to each of them once.
pub(crate) fn coprime_from(first: u32, n: u32) -> u32 {
    (first.max(1)..).find(|&step| common_divisor(step, n) <= 1).unwrap_or(1)
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// A well-mixed 64-bit function of two numbers (the finishing steps of SplitMix64, applied to both).
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ finish(b.wrapping_add(0x9E37_79B9_7F4A_7C15));
    z = finish(z);
    z
}

fn finish(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_kind_and_entity() {
        let first = |seed, stream, index| Draw::new(seed, stream, index).bits();
        let base = first(1, Stream::Person, 1);
        assert_eq!(base, first(1, Stream::Person, 1));
        assert_ne!(base, first(2, Stream::Person, 1));
        assert_ne!(base, first(1, Stream::Forums, 1));
        assert_ne!(base, first(1, Stream::Person, 2));
    }

    #[test]
    fn draws_stay_in_range() {
        let mut draw = Draw::new(7, Stream::Person, 0);
        for _ in 0..10_000 {
            assert!(draw.below(10) < 10);
            assert!((3..=5).contains(&draw.between(3, 5)));
            assert!((0.0..1.0).contains(&draw.skewed()));
            assert!((0.0..1.0).contains(&draw.very_skewed()));
            assert!(draw.below_u64(u64::MAX) < u64::MAX);
        }
        assert_eq!((draw.below(0), draw.below_u64(0)), (0, 0));
        assert_eq!(draw.of::<u8>(&[]), None);
    }

    #[test]
    fn common_divisors() {
        assert_eq!((common_divisor(12, 18), common_divisor(7, 5), common_divisor(1, 1)), (6, 1, 1));
        assert_eq!((coprime_from(6, 9), coprime_from(0, 1), coprime_from(5, 5), coprime_from(6, 35)), (7, 1, 6, 6));
    }

    #[test]
    fn skewed_draws_have_the_mean_of_the_power_law() {
        let mut draw = Draw::new(7, Stream::Person, 0);
        let sum: f64 = (0..100_000).map(|_| draw.skewed()).sum();
        assert!((sum / 100_000.0 - 2.0 / 7.0).abs() < 0.01, "{sum}");
    }
}
