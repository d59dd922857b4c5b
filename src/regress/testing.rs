//! Seeded luck for the simulations in the tests of this folder.

/// A deterministic stream of uniform numbers (splitmix64): enough for simulations, and the same on
/// every machine. Streams are cut with the same generator in `transport`, which nothing here uses.
#[derive(Debug, Clone)]
pub(super) struct Luck(u64);

impl Luck {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// A number in `0.0..1.0`.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are kept, which fit")]
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something of this probability happens.
    pub(super) fn happens(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// How many of `trials` pass.
    pub(super) fn passes(&mut self, trials: u32, rate: f64) -> u32 {
        (0..trials).map(|_| u32::from(self.happens(rate))).sum()
    }
}

/// The share of a count, in percent.
pub(super) fn percent(count: u32, of: u32) -> f64 {
    100.0 * f64::from(count) / f64::from(of)
}
