//! Nonces: words that a model can know only if it has read the result.

use sha2::{Digest, Sha256};

/// Letters and digits that cannot be mistaken for one another or form words.
const ALPHABET: &[u8; 28] = b"bcdfghjkmnpqrstvwxyz23456789";
const LENGTH: usize = 10;

/// Makes words that cannot be computed or guessed without the seed. The same purpose gives the same
/// word, so that the order in which calls happen to run changes nothing.
#[derive(Debug, Clone)]
pub struct Nonces {
    seed: String,
}

impl Nonces {
    /// The words of this seed.
    pub fn seeded(seed: impl Into<String>) -> Self {
        Self { seed: seed.into() }
    }

    /// The word for this purpose.
    pub fn word(&self, purpose: &str) -> String {
        let hash = Sha256::new()
            .chain_update(&self.seed)
            .chain_update([0])
            .chain_update(purpose)
            .finalize();
        let letter = |byte: &u8| ALPHABET.get(usize::from(*byte) % ALPHABET.len()).copied();
        hash.iter().filter_map(letter).map(char::from).take(LENGTH).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_depend_on_seed_and_purpose_only() {
        let nonces = Nonces::seeded("trial 1");
        assert_eq!(nonces.word("a"), Nonces::seeded("trial 1").word("a"));
        assert_ne!(nonces.word("a"), nonces.word("b"));
        assert_ne!(nonces.word("a"), Nonces::seeded("trial 2").word("a"));
        assert_eq!(nonces.word("a").len(), LENGTH);
    }
}
