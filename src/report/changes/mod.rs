//! Changes between two sets of profiles, in every form.
//!
//! - `text`, `markdown`: for people; `html`: the part of a page
//! - `sarif`, `code_quality`: for code hosts
//! - `github`: annotations, and the summary of a job

mod code_quality;
mod github;
mod html;
mod markdown;
mod sarif;
mod text;

pub(crate) use code_quality::changes_code_quality;
pub(crate) use github::{append_summary, changes_annotations};
pub(super) use html::section;
pub(crate) use markdown::changes_markdown;
pub(crate) use sarif::changes_sarif;
pub(crate) use text::{change_text, changes_text};

use std::path::Path;

use serde::Deserialize as _;
use serde_json::Value;

use super::escape::for_terminal;
use crate::audit::AuditReport;
use crate::ir::Digest;
use crate::profile::Observed;
use crate::regress::{AdapterEffect, Change, ChangeClass, FieldChange, Gate, Level, explain};

/// How many addresses of evidence are shown for each side.
const SHOWN_EVIDENCE: usize = 2;

/// How many consequences of a change are shown.
const SHOWN_ALSO: usize = 4;

/// A change, and what a policy made of it.
#[derive(Debug, Clone, Copy)]
pub struct ChangeEntry<'a> {
    /// What differs, and between what.
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
    /// What `toolprobe show` takes for a piece of evidence, if it is kept.
    pub evidence: &'a dyn Fn(&Digest) -> Option<String>,
    /// The command that accepts a change.
    pub accept: Option<&'a dyn Fn(&Change) -> String>,
    /// The gate that ruled on them, where one did.
    pub gate: Option<&'a Gate>,
    /// Where the snapshots are that they are changes of.
    pub snapshots: Option<&'a Path>,
    /// The page of the CI job that keeps the evidence.
    pub link: Option<String>,
    /// What became of each field of a request, where the changes are an adapter's.
    pub(crate) audit: Option<&'a AuditReport>,
}

impl<'a> Changes<'a> {
    /// Changes that no gate has ruled on.
    pub(crate) fn unjudged(
        heading: String,
        changes: &'a [Change],
        evidence: &'a dyn Fn(&Digest) -> Option<String>,
    ) -> Self {
        let entries = changes.iter().map(|change| ChangeEntry { change, ruling: None }).collect();
        let (notes, accept, gate, snapshots, link) = (&[] as &[String], None, None, None, None);
        Self { heading, entries, notes, evidence, accept, gate, snapshots, link, audit: None }
    }

    /// The file of the user's that a change is about: the target's snapshot, else the configuration.
    fn location(&self, change: &Change) -> String {
        match self.snapshots {
            Some(folder) => format!("{}/{}", folder.display(), change.file),
            None => "toolprobe.toml".to_owned(),
        }
    }
}

impl ChangeEntry<'_> {
    /// What became of it; without a policy, what `toolprobe diff` exits with.
    pub(super) fn level(&self) -> Level {
        match (self.ruling, self.change.class) {
            (Some((level, _)), _) => level,
            (None, ChangeClass::Regression) => Level::Deny,
            (None, _) if self.change.code.as_str().ends_with("-inconclusive") => {
                Level::Inconclusive
            }
            (None, _) => Level::Allow,
        }
    }
}

/// A change in one line.
pub(crate) fn change_line(ChangeEntry { change, ruling }: &ChangeEntry<'_>) -> String {
    let level = ruling.map(|(level, _)| format!("{level}: ")).unwrap_or_default();
    let Change { target, code, class, severity, .. } = change;
    let (target, at) = (for_terminal(target), describe_field(&change.at));
    match change.effect {
        Some(effect) => format!("{level}{target}: {effect}: {code}: {at} ({severity})"),
        None => format!("{level}{target}: {code}: {at} ({severity} {class})"),
    }
}

pub(super) fn details(entry: &ChangeEntry<'_>, changes: &Changes<'_>) -> Vec<String> {
    let change = entry.change;
    let mut lines = Vec::new();
    for known in explain(change.code.as_str()) {
        lines.push(known.meaning);
        if !matches!(change.effect, Some(AdapterEffect::Fixes | AdapterEffect::Alters)) {
            lines.push(format!("what to do: {}", known.remedy));
        }
    }
    if let Some(cause) = &change.likely_cause {
        lines.push(format!("likely cause: {cause}"));
    }
    if change.probe_changed {
        lines.push("its probe asked something else before".to_owned());
    }
    let Change { reason, evidence, .. } = change;
    let (old, new) = match change.effect {
        Some(_) => ("directly", "through the adapter"),
        None => ("before", "after"),
    };
    lines.extend(side(old, reason.old.as_deref(), &evidence.old, changes.evidence));
    lines.extend(side(new, reason.new.as_deref(), &evidence.new, changes.evidence));
    let kept = evidence.new.iter().chain(&evidence.old).find_map(changes.evidence);
    lines.extend(kept.map(|address| format!("see it: toolprobe show {address}")));
    if !change.also.is_empty() {
        lines.push(format!("and so: {}", some(&change.also, SHOWN_ALSO, describe_field)));
    }
    if let Some((_, because)) = entry.ruling {
        lines.push(format!("decided by: {because}"));
    }
    if let Some(accept) = changes.accept {
        lines.push(format!("accept it: {}", accept(change)));
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
fn some<T>(all: &[T], most: usize, describe: impl Fn(&T) -> String) -> String {
    let first: Vec<String> = all.iter().take(most).map(describe).collect();
    match all.len().saturating_sub(most) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn describe_field(at: &FieldChange) -> String {
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
