//! Random numbers by counting: each is a function of the seed and of what it is for, so threads need share nothing.

/// A sequence of random numbers (SplitMix64; Steele, Lea, Flood 2014).
pub(crate) struct Random(u64);

impl Random {
    /// The sequence for one purpose of one seed.
    pub(crate) fn new(seed: u64, purpose: u64) -> Self {
        Self(mix(seed, purpose))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        finish(self.0)
    }

    /// Below `bound`, which is above 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// From 0 to below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Puts items in a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

fn finish(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A random number for a purpose of a seed.
pub(crate) fn mix(seed: u64, purpose: u64) -> u64 {
    finish(finish(seed.wrapping_add(0x9E37_79B9_7F4A_7C15)) ^ purpose.wrapping_mul(0xD6E8_FEB8_6659_FD93))
}

/// At most `count` of the numbers below `size`, ascending, each as likely as any other.
pub(crate) fn sample(size: usize, count: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed, 0x5A_311E);
    let mut left = count.min(size);
    let mut taken = Vec::with_capacity(left);
    for at in 0..size {
        if left == 0 {
            break;
        }
        if random.below(size - at) < left {
            taken.push(at as u32);
            left -= 1;
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_of_their_size_and_spread() {
        let taken = sample(1_000, 100, 1);
        assert_eq!(taken.len(), 100);
        assert!(taken.windows(2).all(|two| two[0] < two[1]));
        assert!(taken.iter().filter(|at| **at < 500).count().abs_diff(50) < 20);
        assert_eq!(sample(3, 9, 1), [0, 1, 2]);
        assert_ne!(sample(1_000, 100, 2), taken);
    }

    #[test]
    fn units_average_a_half() {
        let mut random = Random::new(7, 0);
        let mean = (0..10_000).map(|_| random.unit()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02);
    }
}
