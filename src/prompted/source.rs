//! Where are the calls of a reply: in the provider's fields, or in its text?

/// Where the calls of a reply are to be taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The provider's own fields.
    Native,
    /// The text.
    Text,
    /// There are none.
    Nowhere,
}

/// Decides by what the provider claims and by what came: a claim of native calls is believed only
/// when it is kept.
pub fn source(claims_native: bool, has_native: bool, has_text: bool) -> Source {
    match (claims_native, has_native, has_text) {
        (true, true, _) => Source::Native,
        (true, false, true) | (false, _, _) => Source::Text,
        (true, false, false) => Source::Nowhere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_of_native_calls_is_believed_only_when_kept() {
        assert_eq!(source(true, true, true), Source::Native);
        assert_eq!(source(true, false, true), Source::Text);
        assert_eq!(source(true, false, false), Source::Nowhere);
        assert_eq!(source(false, false, false), Source::Text);
    }
}
