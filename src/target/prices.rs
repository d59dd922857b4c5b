//! Prices of models: what the user says that their tokens cost.
//!
//! ```toml
//! [models."gpt-4.1-mini"]   # per million tokens, in whichever currency
//! prompt = 0.40
//! completion = 1.60
//!
//! [models."*"]              # every other model
//! prompt = 0
//! completion = 0
//! ```

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::ConfigError;
use crate::transport::Price;

/// Stands for every model that has no price of its own.
const OTHERS: &str = "*";

/// What the tokens of each model cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Prices(BTreeMap<String, Price>);

/// Why a file gives no prices.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PricesError {
    /// It cannot be read, or is not UTF-8.
    #[error("cannot read the prices {}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its text is not that of prices.
    #[error(transparent)]
    Malformed(#[from] ConfigError),
    /// A number that is not a price.
    #[error("{}: the price of '{model}' is not a number of at least 0 per million tokens", path.display())]
    NotAPrice {
        /// Which file.
        path: PathBuf,
        /// Of which model.
        model: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PricesFile {
    models: BTreeMap<String, PriceEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceEntry {
    prompt: f64,
    completion: f64,
}

impl Prices {
    /// Reads a file of prices.
    pub(crate) fn read(path: &Path) -> Result<Self, PricesError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| PricesError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, PricesError> {
        let file: PricesFile =
            toml::from_str(text).map_err(|error| ConfigError::from_toml(path, text, &error))?;
        let priced = file.models.into_iter().map(|(model, entry)| {
            match Price::per_million(entry.prompt, entry.completion) {
                Some(price) => Ok((model, price)),
                None => Err(PricesError::NotAPrice { path: path.to_owned(), model }),
            }
        });
        priced.collect::<Result<_, _>>().map(Self)
    }

    /// The price of a model; `None` where the file does not tell.
    pub(crate) fn of(&self, model: &str) -> Option<Price> {
        self.0.get(model).or_else(|| self.0.get(OTHERS)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Prices, String> {
        Prices::parse(Path::new("prices.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_model_has_its_own_price_or_that_of_all_others() {
        let own = "[models.\"a/b\"]\nprompt = 0.5\ncompletion = 2\n";
        let prices = parse(own).unwrap();
        assert_eq!(prices.of("a/b"), Price::per_million(0.5, 2.0));
        assert_eq!(prices.of("other"), None);
        let others = parse(&format!("{own}[models.\"*\"]\nprompt = 0\ncompletion = 0\n")).unwrap();
        assert_eq!(others.of("other"), Price::per_million(0.0, 0.0));
        assert_eq!(others.of("a/b"), Price::per_million(0.5, 2.0));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_with_its_place() {
        for (text, said) in [
            ("[models.m]\nprompt = -1\ncompletion = 2\n", "the price of 'm' is not a number"),
            ("[models.m]\nprompt = nan\ncompletion = 2\n", "the price of 'm' is not a number"),
            ("[models.m]\nprompt = 1\n", "completion"),
            ("[models.m]\nprompt = 1\ncompletion = 1\ninput = 1\n", "prices.toml:4"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
