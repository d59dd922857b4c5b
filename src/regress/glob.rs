//! Patterns with `*` and `?` for the names of targets.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pattern for the names of targets: `*` is any text, `?` any one character.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Glob(String);

impl Glob {
    /// The pattern as it is written.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Whether a name fits.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name): (Vec<char>, Vec<char>) =
            (self.0.chars().collect(), name.chars().collect());
        fits(&pattern, &name)
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Goes back only to the last star, so that no pattern takes more than pattern times name.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = name.get(from) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(p) if p == c || *p == '?' => (at, from) = (at + 1, from + 1),
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                (at, from) = (place + 1, taken + 1);
            }
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|p| *p == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_take_any_text_and_question_marks_one_character() {
        for (pattern, name) in
            [("*", ""), ("sim/*", "sim/a/b"), ("*-native", "sim/openai-native"), ("a?c", "aäc")]
        {
            assert!(Glob::new(pattern).matches(name), "{pattern} {name}");
        }
        for (pattern, name) in [("sim", "sim/a"), ("?", ""), ("a*b*c", "acb"), ("", "a")] {
            assert!(!Glob::new(pattern).matches(name), "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_of_many_stars_is_no_trap() {
        let pattern = Glob::new("*a".repeat(40) + "b");
        assert!(!pattern.matches(&"a".repeat(4000)));
    }
}
