//! Changes for a pull request: what decides first, the rest folded, within the size of a comment.

use std::fmt::Write as _;

use super::{ChangeEntry, Changes, details, word};
use crate::regress::{FieldChange, Level};
use crate::report::audit::audit_markdown;
use crate::report::escape::for_markdown;

/// What GitHub takes as the text of a comment, in characters.
const COMMENT: usize = 65_536;

/// What is left for the line that says what was left out.
const RESERVE: usize = 400;

/// A table of what is denied, open or warned of, details folded below it, then what is allowed. What
/// does not fit into a comment is counted.
pub(crate) fn changes_markdown(changes: &Changes<'_>) -> String {
    let mut page = Page { text: format!("**{}**\n", changes.heading), left_out: 0 };
    for note in changes.notes {
        page.push(&format!("\n- {}\n", for_markdown(note)));
    }
    if let Some(link) = &changes.link {
        page.push(&format!("\nThe evidence is in the [artefacts of this job]({link}).\n"));
    }
    let (quiet, loud): (Vec<_>, Vec<_>) =
        changes.entries.iter().partition(|entry| entry.level() == Level::Allow);
    page.table(&loud);
    for entry in &loud {
        page.push(&fold_entry(entry, changes));
    }
    if !quiet.is_empty() {
        page.push(&format!("\n<details><summary>{} allowed</summary>\n", quiet.len()));
        page.table(&quiet);
        page.text.push_str("\n</details>\n");
    }
    if let Some(audit) = changes.audit {
        page.push(&format!("\n#{}", audit_markdown(audit, false)));
    }
    if page.left_out > 0 {
        let count = page.left_out;
        let _ = writeln!(
            page.text,
            "\n{count} more rows and details do not fit here; `toolprobe gate` prints all of them."
        );
    }
    page.text
}

struct Page {
    text: String,
    left_out: usize,
}

impl Page {
    /// Adds a part, if there is room for all of it.
    fn push(&mut self, part: &str) {
        if self.text.chars().count() + part.chars().count() + RESERVE > COMMENT {
            self.left_out += 1;
        } else {
            self.text.push_str(part);
        }
    }

    fn table(&mut self, entries: &[&ChangeEntry<'_>]) {
        if entries.is_empty() {
            return;
        }
        let of_adapter = entries.iter().any(|entry| entry.change.effect.is_some());
        let (what, old, new) = if of_adapter {
            ("effect", "directly", "through the adapter")
        } else {
            ("class", "before", "after")
        };
        self.push(&format!(
            "\n| | severity | {what} | code | target | field | {old} | {new} |\n\
             |---|---|---|---|---|---|---|---|\n"
        ));
        for entry in entries {
            self.push(&row(entry));
        }
    }
}

fn row(ChangeEntry { change, ruling }: &ChangeEntry<'_>) -> String {
    let FieldChange { field, old, new } = &change.at;
    let cells = [
        ruling.map(|(level, _)| level.to_string()).unwrap_or_default(),
        change.severity.to_string(),
        change.effect.map_or_else(|| change.class.to_string(), |effect| effect.to_string()),
        format!("`{}`", change.code),
        for_markdown(&change.target),
        for_markdown(&field.to_string()),
        for_markdown(&word(old)),
        for_markdown(&word(new)),
    ];
    format!("| {} |\n", cells.join(" | "))
}

fn fold_entry(entry: &ChangeEntry<'_>, changes: &Changes<'_>) -> String {
    let (code, target) = (entry.change.code, for_markdown(&entry.change.target));
    let mut text = format!("\n<details><summary>{code}</summary>\n\n{target}\n\n");
    for detail in details(entry, changes) {
        let _ = writeln!(text, "- {}", for_markdown(&detail));
    }
    text.push_str("\n</details>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::fixtures::change;

    /// So many denied changes and as many allowed ones, in a comment.
    fn comment(count: usize) -> String {
        let (denied, allowed) = (change("parallel-lost"), change("parallel-gained"));
        let entries = [(&allowed, Level::Allow), (&denied, Level::Deny)];
        let entries = entries.into_iter().flat_map(|(change, level)| {
            std::iter::repeat_n(ChangeEntry { change, ruling: Some((level, "a rule")) }, count)
        });
        changes_markdown(&Changes {
            heading: "gate: failed".to_owned(),
            entries: entries.collect(),
            notes: &[],
            evidence: &|_| None,
            accept: None,
            gate: None,
            snapshots: None,
            link: Some("https://ci.test/run/1#artifacts".to_owned()),
            audit: None,
        })
    }

    #[test]
    fn what_decides_comes_first_and_what_is_allowed_is_folded() {
        let text = comment(1);
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
        assert!(at("](https://ci.test/run/1#artifacts)") < at("| deny |"), "{text}");
        assert!(at("| deny |") < at("<details><summary>parallel-lost"), "{text}");
        assert!(at("<summary>1 allowed</summary>") < at("| allow |"), "{text}");
    }

    #[test]
    fn a_comment_has_a_size_that_is_never_exceeded_and_no_open_end() {
        for count in [1, 40, 400] {
            let text = comment(count);
            assert!(text.chars().count() <= COMMENT, "{count}");
            let of = |tag: &str| text.matches(tag).count();
            assert_eq!(of("<details>"), of("</details>"), "{count}");
            assert_eq!(text.contains("do not fit here"), count > 40, "{count}");
        }
    }
}
