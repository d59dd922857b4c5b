//! The length of the deltas that a text is cut into.

/// How long the text and argument deltas of an encoded stream are, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeltaLength(pub std::num::NonZeroUsize);

impl DeltaLength {
    /// The deltas of a text; none for an empty one.
    pub fn cut(self, text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let end = rest.char_indices().nth(self.0.get()).map_or(rest.len(), |(at, _)| at);
            let (piece, tail) = rest.split_at_checked(end)?;
            rest = tail;
            (!piece.is_empty()).then_some(piece)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn pieces_are_cut_between_characters_and_join_to_the_text() {
        let length = |n| DeltaLength(NonZeroUsize::new(n).unwrap());
        assert_eq!(length(2).cut("aä漢🙂e").collect::<Vec<_>>(), ["aä", "漢🙂", "e"]);
        assert_eq!(length(9).cut("ab").collect::<Vec<_>>(), ["ab"]);
        assert_eq!(length(1).cut("").count(), 0);
    }
}
