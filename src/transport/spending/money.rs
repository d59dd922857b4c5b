//! Money: what tokens cost, in whole parts of a currency so small that sums are exact.

use std::fmt;

use super::budget::TokenCount;

/// How many parts one unit of the currency has.
const PARTS: f64 = 1e12;

/// Tokens that prices are given for.
const TOKENS: f64 = 1e6;

/// An amount of whichever currency the user's prices are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Money(u64);

impl Money {
    /// So many units; `None` for what is not an amount.
    pub fn of_units(units: f64) -> Option<Self> {
        let parts = units * PARTS;
        let is_amount = (0.0..9e18).contains(&parts);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range is checked above"
        )]
        let whole = parts.round() as u64;
        is_amount.then_some(Self(whole))
    }

    /// In units.
    #[expect(clippy::cast_precision_loss, reason = "for people, who read a few digits")]
    pub fn units(self) -> f64 {
        self.0 as f64 / PARTS
    }

    pub(in crate::transport) fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    pub(in crate::transport) fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = self.units();
        if units >= 1.0 { write!(f, "{units:.2}") } else { write!(f, "{units:.4}") }
    }
}

/// What the tokens of one model cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Price {
    prompt: Money,
    completion: Money,
}

impl Price {
    /// A price per million tokens; `None` for what is not a price.
    pub fn per_million(prompt: f64, completion: f64) -> Option<Self> {
        let per_token = |price: f64| Money::of_units(price / TOKENS);
        Some(Self { prompt: per_token(prompt)?, completion: per_token(completion)? })
    }

    /// The cost of so many tokens.
    pub fn of(self, tokens: TokenCount) -> Money {
        self.prompt.times(tokens.prompt).plus(self.completion.times(tokens.completion))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_cost_what_their_price_says_to_the_last_part() {
        let price = Price::per_million(0.075, 15.0).unwrap();
        let cost = price.of(TokenCount { prompt: 1_000_000, completion: 2_000 });
        assert_eq!(cost, Money::of_units(0.105).unwrap());
        assert_eq!(cost.to_string(), "0.1050");
        assert_eq!(Money::of_units(12.5).unwrap().to_string(), "12.50");
    }

    #[test]
    fn what_is_not_an_amount_is_refused() {
        for units in [-1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert_eq!(Money::of_units(units), None, "{units}");
        }
        assert_eq!(Price::per_million(1.0, -1.0), None);
    }
}
