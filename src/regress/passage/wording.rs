//! Wording: do two texts have the same words with the same white space between them?
//!
//! How a text is cut into parts does not matter: where one side has a seam between parts, the other may
//! have any white space. Within a part, line breaks and indentation count.

/// What stands before a word: white space, or a seam between parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap<'a> {
    Seam,
    White(&'a str),
}

impl Gap<'_> {
    fn agrees(self, other: Self) -> bool {
        self == other || self == Gap::Seam || other == Gap::Seam
    }
}

/// Whether the parts of two texts come to the same wording.
pub(super) fn same_wording<'a>(
    one: impl IntoIterator<Item = &'a str>,
    other: impl IntoIterator<Item = &'a str>,
) -> bool {
    let one: Vec<_> = one.into_iter().flat_map(words).collect();
    let other: Vec<_> = other.into_iter().flat_map(words).collect();
    one.len() == other.len()
        && one.iter().zip(&other).all(|((gap, word), (other_gap, other_word))| {
            word == other_word && gap.agrees(*other_gap)
        })
}

/// The words of a part, each with what stands before it.
fn words(part: &str) -> Vec<(Gap<'_>, &str)> {
    let (mut found, mut rest) = (Vec::new(), part.trim());
    let mut gap = Gap::Seam;
    while !rest.is_empty() {
        let (word, behind) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        found.push((gap, word));
        rest = behind.trim_start();
        gap = Gap::White(behind.get(..behind.len() - rest.len()).unwrap_or_default());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_counts_within_a_part() {
        assert!(same_wording(["a\n  b c"], ["a\n  b c"]));
        for changed in ["a b c", "a\nb c", "a\n  bc", "a\n  b\u{a0}c", "a\n  b"] {
            assert!(!same_wording(["a\n  b c"], [changed]), "{changed:?}");
        }
    }

    #[test]
    fn a_seam_agrees_with_any_white_space() {
        assert!(same_wording(["one", "two\nthree"], ["one\n\ntwo\nthree"]));
        assert!(same_wording(["one", "", "two"], ["\n\none two "]));
        assert!(!same_wording(["one", "two\nthree"], ["one two three"]));
    }
}
