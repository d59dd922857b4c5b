//! Differences between two JSON values, as lines on a terminal.

use serde_json::Value;

use crate::report::{for_terminal, plural};
use crate::transport::JsonDifference;

/// How many places of one change are shown.
const PLACES: usize = 12;

/// How many characters of a value are shown.
const WIDTH: usize = 72;

/// How many of them stand before the first one that differs.
const BEFORE: usize = 16;

/// Two lines for each place, `-` for what stood there and `+` for what stands there.
pub(crate) fn to_lines(differences: &[JsonDifference]) -> Vec<String> {
    let mut lines = Vec::new();
    for difference in differences.iter().take(PLACES) {
        let JsonDifference { path, old, new } = difference;
        let (old, new) = sides(old.as_ref(), new.as_ref());
        lines.push(for_terminal(if path.is_empty() { "(all of it)" } else { path }));
        lines.push(format!("  - {}", for_terminal(&old)));
        lines.push(format!("  + {}", for_terminal(&new)));
    }
    if differences.len() > PLACES {
        lines.push(format!("and {}", plural(differences.len() - PLACES, "more place")));
    }
    lines
}

/// Both values as text, cut to the part in which they differ.
fn sides(old: Option<&Value>, new: Option<&Value>) -> (String, String) {
    let text =
        |value: Option<&Value>| value.map_or_else(|| "(nothing)".to_owned(), Value::to_string);
    let (old, new) = (text(old), text(new));
    let same = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let longest = old.chars().count().max(new.chars().count());
    let from = if longest <= WIDTH { 0 } else { same.saturating_sub(BEFORE) };
    (window(&old, from), window(&new, from))
}

fn window(text: &str, from: usize) -> String {
    let before = if from > 0 { "…" } else { "" };
    let shown: String = text.chars().skip(from).take(WIDTH).collect();
    let after = if text.chars().count() > from + WIDTH { "…" } else { "" };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_place_is_shown_with_what_stood_and_what_stands_there() {
        let difference = JsonDifference {
            path: "tools[0].strict".to_owned(),
            old: Some(json!(true)),
            new: None,
        };
        assert_eq!(to_lines(&[difference]), ["tools[0].strict", "  - true", "  + (nothing)"]);
    }

    #[test]
    fn long_values_are_cut_to_where_they_differ() {
        let long =
            |middle: &str| Some(json!(format!("{}{middle}{}", "a".repeat(90), "b".repeat(90))));
        let path = "content".to_owned();
        let lines = to_lines(&[JsonDifference { path, old: long("X"), new: long("\u{1b}[2J") }]);
        let [_, old, new] = lines.as_slice() else { panic!("{lines:?}") };
        assert!(old.starts_with("  - …aaa") && old.contains("aXb") && old.ends_with("b…"), "{old}");
        assert!(new.contains("a\\u001b[2Jb"), "{new}");
        assert!(old.chars().count() < 84, "{old}");
    }

    #[test]
    fn a_long_list_is_told_by_its_length() {
        let many =
            vec![JsonDifference { path: "a".to_owned(), old: None, new: Some(json!(1)) }; 20];
        assert_eq!(to_lines(&many).last().unwrap(), "and 8 more places");
    }
}
