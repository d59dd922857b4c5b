//! A row of the classification table.

use serde::Deserialize as _;
use serde_json::Value;

use super::{ChangeClass, FieldChange, Severity, has_fallen};
use crate::profile::{FieldPath, Observed};

/// One row: which difference it is about, what that is called, and what to do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// The stable name.
    pub(super) code: &'static str,
    /// The fields it looks at, as patterns: `*` is one step of the path, `**` any number.
    pub(super) fields: &'static [&'static str],
    /// Which differences it takes.
    pub(super) when: When,
    /// What such a change means.
    pub(super) class: ChangeClass,
    /// How much it matters.
    pub(super) severity: Severity,
    /// Which other differences of the same target it explains.
    pub(super) explains: Explains,
    /// In one line, what happened.
    pub(super) meaning: &'static str,
    /// In one line, what to do.
    pub(super) remedy: &'static str,
}

/// Which differences a row takes. Words are JSON scalars as text; nothing is the word `null`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum When {
    /// From one of these words to one of those; no words stand for any, and a word may end in `*`.
    Turns(&'static [&'static str], &'static [&'static str]),
    /// Down this ladder, which starts with the best.
    Falls(&'static [&'static str]),
    /// Up this ladder.
    Climbs(&'static [&'static str]),
    /// From nothing to something.
    Appears,
    /// From something to nothing.
    Vanishes,
    /// From something to something else.
    Replaces,
    /// From zero to more.
    Begins,
    /// From more to zero.
    Ends,
    /// To at least so many times as much, and by at least so much.
    Grows(f64, f64),
    /// To at most one of so many parts, and by at least so much.
    Shrinks(f64, f64),
    /// By at least so much.
    Rises(f64),
    /// By at least so much less.
    Drops(f64),
    /// From so many passes of so many trials to fewer, further than chance goes.
    Rarer,
    /// To more passes of the trials, further than chance goes.
    Oftener,
    /// In any way.
    Changes,
}

/// Which other differences of the same target a change explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Explains {
    /// None.
    Nothing,
    /// The status of the same probe, and how often it passes.
    Status,
    /// All that the same probe found.
    Probe,
    /// All that the same probe found, and these fields.
    ProbeAnd(&'static [&'static str]),
    /// All of them: nothing else can be compared.
    Target,
}

impl Rule {
    /// Whether the row is about this field at all.
    pub(super) fn owns(&self, path: &FieldPath) -> bool {
        self.fields.iter().any(|pattern| path.matches(pattern))
    }

    /// Whether the row is about this difference.
    pub(super) fn takes(&self, at: &FieldChange) -> bool {
        self.owns(&at.field) && self.when.holds(&at.old, &at.new)
    }
}

impl When {
    fn holds(self, old: &Value, new: &Value) -> bool {
        match self {
            Self::Turns(from, to) => one_of(from, &word(old)) && one_of(to, &word(new)),
            Self::Falls(ladder) => rungs(ladder, old, new).is_some_and(|(old, new)| new > old),
            Self::Climbs(ladder) => rungs(ladder, old, new).is_some_and(|(old, new)| new < old),
            Self::Appears => old.is_null(),
            Self::Vanishes => new.is_null(),
            Self::Replaces => !old.is_null() && !new.is_null(),
            Self::Begins => old.as_f64() == Some(0.0) && new.as_f64() > Some(0.0),
            Self::Ends => old.as_f64() > Some(0.0) && new.as_f64() == Some(0.0),
            Self::Grows(times, by) => grows(old, new, times, by),
            Self::Shrinks(times, by) => grows(new, old, times, by),
            Self::Rises(by) => grows(old, new, 1.0, by),
            Self::Drops(by) => grows(new, old, 1.0, by),
            Self::Rarer => counts(old, new).is_some_and(|(old, new)| has_fallen(old, new)),
            Self::Oftener => counts(old, new).is_some_and(|(old, new)| has_fallen(new, old)),
            Self::Changes => true,
        }
    }
}

fn counts(old: &Value, new: &Value) -> Option<(Observed, Observed)> {
    Some((Observed::deserialize(old).ok()?, Observed::deserialize(new).ok()?))
}

/// A scalar as the table spells it.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn one_of(words: &[&str], word: &str) -> bool {
    words.is_empty()
        || words.iter().any(|known| match known.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == *known,
        })
}

fn rungs(ladder: &[&str], old: &Value, new: &Value) -> Option<(usize, usize)> {
    let rung = |value| ladder.iter().position(|known| *known == word(value));
    Some((rung(old)?, rung(new)?))
}

fn grows(less: &Value, more: &Value, times: f64, by: f64) -> bool {
    let (Some(less), Some(more)) = (less.as_f64(), more.as_f64()) else { return false };
    more >= less * times && more - less >= by
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_and_ladders_take_what_they_name() {
        let turns = When::Turns(&["native"], &["prompted:*"]);
        assert!(turns.holds(&json!("native"), &json!("prompted:tool-call")));
        assert!(!turns.holds(&json!("native"), &json!(null)));
        let falls = When::Falls(&["strict", "simple", "none"]);
        assert!(falls.holds(&json!("strict"), &json!("none")));
        assert!(!falls.holds(&json!("none"), &json!("strict")));
        assert!(!falls.holds(&json!("strict"), &json!("unheard-of")));
    }

    #[test]
    fn a_ratio_counts_only_beyond_its_floor() {
        let grows = When::Grows(1.5, 100.0);
        assert!(grows.holds(&json!(400), &json!(600)));
        assert!(!grows.holds(&json!(2), &json!(80)));
        assert!(!grows.holds(&json!(4000), &json!(4200)));
        assert!(!grows.holds(&json!(null), &json!(600)));
    }
}
