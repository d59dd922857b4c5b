//! Changes for a terminal or a log.

use std::fmt::Write as _;

use super::{ChangeEntry, Changes, change_line, details};
use crate::regress::{GateOutcome, Level};
use crate::report::audit::audit_table;
use crate::report::{Paint, for_terminal};

/// One line per change that can be searched for, and details below it.
pub(crate) fn changes_text(changes: &Changes<'_>, paint: Paint) -> String {
    let heading = match changes.gate.map(|gate| gate.outcome) {
        Some(GateOutcome::Failed) => paint_line(&changes.heading, Level::Deny, paint),
        Some(GateOutcome::Inconclusive) => paint_line(&changes.heading, Level::Inconclusive, paint),
        Some(GateOutcome::Passed) => paint_line(&changes.heading, Level::Allow, paint),
        None => changes.heading.clone(),
    };
    let mut text = format!("{heading}\n");
    for note in changes.notes {
        let _ = writeln!(text, "note: {}", for_terminal(note));
    }
    for entry in &changes.entries {
        text.push_str(&change_text(entry, changes, paint));
    }
    if let Some(audit) = changes.audit {
        let _ = write!(text, "\nfields of requests:\n{}", audit_table(audit, false));
    }
    text
}

/// One change: its line, and details below it.
pub(crate) fn change_text(entry: &ChangeEntry<'_>, changes: &Changes<'_>, paint: Paint) -> String {
    let mut text = paint_line(&change_line(entry), entry.level(), paint) + "\n";
    for detail in details(entry, changes) {
        let _ = writeln!(text, "    {detail}");
    }
    text
}

/// A line in the colour of its level. The word of the level stands in it: colour only repeats it.
fn paint_line(line: &str, level: Level, paint: Paint) -> String {
    let color = match level {
        Level::Deny => 31,
        Level::Inconclusive => 35,
        Level::Warn => 33,
        Level::Allow => 32,
    };
    match paint {
        Paint::Colored => format!("\u{1b}[{color}m{line}\u{1b}[0m"),
        Paint::Plain => line.to_owned(),
    }
}
