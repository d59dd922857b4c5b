//! Changes between two sets of profiles, as text and as Markdown.

use std::fmt::Write as _;

use serde::Deserialize as _;
use serde_json::Value;

use super::escape::{for_markdown, for_terminal};
use crate::ir::Digest;
use crate::profile::Observed;
use crate::regress::{AdapterEffect, Change, FieldChange, Level, explain};

/// How many addresses of evidence are shown for each side.
const SHOWN_EVIDENCE: usize = 2;

/// How many consequences of a change are shown.
const SHOWN_ALSO: usize = 4;

/// A change, and what a policy made of it.
#[derive(Debug, Clone, Copy)]
pub struct ChangeEntry<'a> {
    /// The change.
    pub change: &'a Change,
    /// What became of it, and why; nothing where no policy was asked.
    pub ruling: Option<(Level, &'a str)>,
}

/// Changes with what is needed to show them.
pub struct Changes<'a> {
    /// The first line.
    pub heading: String,
    /// Each change.
    pub entries: Vec<ChangeEntry<'a>>,
    /// What else is to be said.
    pub notes: &'a [String],
    /// Where a piece of evidence is kept, if it is.
    pub evidence: &'a dyn Fn(&Digest) -> Option<String>,
    /// The command that accepts the changes of a target.
    pub accept: Option<&'a dyn Fn(&str) -> String>,
}

/// For a terminal or a log: one line per change that can be searched for, and details below it.
pub fn changes_text(changes: &Changes<'_>) -> String {
    let mut text = format!("{}\n", changes.heading);
    for note in changes.notes {
        let _ = writeln!(text, "note: {}", for_terminal(note));
    }
    for entry in &changes.entries {
        let _ = writeln!(text, "{}", change_line(entry));
        for detail in details(entry, changes) {
            let _ = writeln!(text, "    {detail}");
        }
    }
    text
}

/// For a pull request: a table, and the details of each change below it.
pub fn changes_markdown(changes: &Changes<'_>) -> String {
    let mut text = format!("**{}**\n", changes.heading);
    for note in changes.notes {
        let _ = writeln!(text, "\n- {}", for_markdown(note));
    }
    if !changes.entries.is_empty() {
        let of_adapter = changes.entries.iter().any(|entry| entry.change.effect.is_some());
        let (what, old, new) = if of_adapter {
            ("effect", "directly", "through the adapter")
        } else {
            ("class", "before", "after")
        };
        let _ = writeln!(text, "\n| | severity | {what} | code | target | field | {old} | {new} |");
        text.push_str("|---|---|---|---|---|---|---|---|\n");
    }
    for ChangeEntry { change, ruling } in &changes.entries {
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
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    for entry in &changes.entries {
        let (code, target) = (entry.change.code, for_markdown(&entry.change.target));
        let _ = writeln!(text, "\n<details><summary>{code}</summary>\n\n{target}\n");
        for detail in details(entry, changes) {
            let _ = writeln!(text, "- {}", for_markdown(&detail));
        }
        text.push_str("\n</details>\n");
    }
    text
}

/// A change in one line.
pub fn change_line(ChangeEntry { change, ruling }: &ChangeEntry<'_>) -> String {
    let level = ruling.map(|(level, _)| format!("{level}: ")).unwrap_or_default();
    let Change { target, code, class, severity, .. } = change;
    let (target, at) = (for_terminal(target), shown(&change.at));
    match change.effect {
        Some(effect) => format!("{level}{target}: {effect}: {code}: {at} ({severity})"),
        None => format!("{level}{target}: {code}: {at} ({severity} {class})"),
    }
}

fn details(entry: &ChangeEntry<'_>, changes: &Changes<'_>) -> Vec<String> {
    let change = entry.change;
    let mut lines = Vec::new();
    for known in explain(change.code.as_str()) {
        lines.push(known.meaning);
        if !matches!(change.effect, Some(AdapterEffect::Fixes | AdapterEffect::Alters)) {
            lines.push(format!("what to do: {}", known.remedy));
        }
    }
    if let Some(before) = &change.predecessor {
        lines.push(format!("in the place of: {} at {}", before.model, before.endpoint));
    }
    let Change { reason, evidence, .. } = change;
    let (old, new) = match change.effect {
        Some(_) => ("directly", "through the adapter"),
        None => ("before", "after"),
    };
    lines.extend(side(old, reason.old.as_deref(), &evidence.old, changes.evidence));
    lines.extend(side(new, reason.new.as_deref(), &evidence.new, changes.evidence));
    if !change.also.is_empty() {
        lines.push(format!("and so: {}", some(&change.also, SHOWN_ALSO, shown)));
    }
    if let Some((_, because)) = entry.ruling {
        lines.push(format!("decided by: {because}"));
    }
    if let Some(accept) = changes.accept {
        lines.push(format!("accept it: {}", accept(&change.target)));
    }
    lines.iter().map(|line| for_terminal(line)).collect()
}

fn side(
    when: &str,
    reason: Option<&str>,
    evidence: &[Digest],
    kept: &dyn Fn(&Digest) -> Option<String>,
) -> Option<String> {
    if reason.is_none() && evidence.is_empty() {
        return None;
    }
    let place = |digest: &Digest| kept(digest).unwrap_or_else(|| digest.to_string());
    let evidence = match evidence {
        [] => "no evidence".to_owned(),
        digests => format!("evidence {}", some(digests, SHOWN_EVIDENCE, place)),
    };
    Some(format!("{when}: {}; {evidence}", reason.unwrap_or("no reason given")))
}

/// The first of many, and how many more there are.
fn some<T>(all: &[T], most: usize, shown: impl Fn(&T) -> String) -> String {
    let first: Vec<String> = all.iter().take(most).map(shown).collect();
    match all.len().saturating_sub(most) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn shown(at: &FieldChange) -> String {
    let FieldChange { field, old, new } = at;
    for_terminal(&format!("{field} {} → {}", word(old), word(new)))
}

fn word(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => match Observed::deserialize(other) {
            Ok(Observed { passes, trials }) => format!("{passes} of {trials}"),
            Err(_) => other.to_string(),
        },
    }
}
