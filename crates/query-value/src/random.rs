//! Chance that a seed decides.

/// Numbers that look random: the generator of Java's `java.util.Random`, as its documentation defines it. The seed of
/// TinkerPop's `SeedStrategy` stands for the same choices here as there.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

impl Random {
    /// The numbers that a seed stands for.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        Self { state: (seed.cast_unsigned() ^ MULTIPLIER) & MASK }
    }

    /// So many random bits, at most 32.
    fn bits(&mut self, count: u32) -> u32 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        u32::try_from(self.state >> (48 - count)).unwrap_or_default()
    }

    /// At least 0 and below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub fn double(&mut self) -> f64 {
        let (high, low) = (u64::from(self.bits(26)), u64::from(self.bits(27)));
        ((high << 27) + low) as f64 / (1_u64 << 53) as f64
    }

    /// At least 0 and below a bound, which is not 0; bounds beyond 31 bits count as the largest of 31 bits.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = i32::try_from(bound).unwrap_or(i32::MAX).cast_unsigned().max(1);
        let mut bits = self.bits(31);
        let chosen = if bound.is_power_of_two() {
            u32::try_from((u64::from(bound) * u64::from(bits)) >> 31).unwrap_or_default()
        } else {
            // Numbers of the last, incomplete range are thrown away.
            while bits - bits % bound > (1 << 31) - bound {
                bits = self.bits(31);
            }
            bits % bound
        };
        usize::try_from(chosen).unwrap_or_default()
    }

    /// Mixes, as `Collections.shuffle` does.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for count in (2..=items.len()).rev() {
            let other = self.below(count);
            items.swap(count - 1, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_java() {
        // Published results of `new Random(42)`: nextInt(10) five times, and nextDouble().
        let mut random = Random::new(42);
        let numbers: Vec<usize> = (0..5).map(|_| random.below(10)).collect();
        assert_eq!(numbers, [0, 3, 8, 4, 0]);
        assert!((Random::new(42).double() - 0.727_563_680_032_868_1).abs() < 1e-15);
        assert!((Random::new(0).double() - 0.730_967_787_376_657).abs() < 1e-15);
        assert_eq!(Random::new(7).below(0), 0);
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<usize> = (0..100).collect();
        Random::new(-1).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
