//! Requests of an adapter that no recording matches, as rows of its report.
//!
//! What the probes then could not ask follows from them, so it is told beneath their rows.

use serde_json::Value;

use super::{
    AdapterEffect, CONVERSATION_DIVERGED, Change, Diff, FieldChange, REQUEST_UNRECORDED,
    ReplayRule, Sides,
};
use crate::ir::Digest;
use crate::profile::FieldPath;

/// Whose words were never recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The adapter's: what the client said was recorded.
    Adapter,
    /// The client's own: the replies that it got made it say something else.
    Client,
}

/// What was asked of an upstream that has no recording of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unrecorded {
    /// Who asked otherwise.
    pub speaker: Speaker,
    /// The place that differs in most of the requests, such as `conversation.result.content`.
    pub place: String,
    /// Where the first of them differs from the nearest recording, in words.
    pub words: String,
    /// The exchanges in which they were refused.
    pub evidence: Vec<Digest>,
}

/// The changes of one target, with what its upstream has no recording of. What the probes then could
/// not ask follows from that.
pub(crate) fn with_unrecorded(diff: Diff, target: &str, unrecorded: &Unrecorded) -> Diff {
    let (known, follows): (Vec<Change>, Vec<Change>) =
        diff.changes.into_iter().partition(|change| change.effect == Some(AdapterEffect::Fixes));
    let also = follows.into_iter().map(|change| change.at).collect();
    let row = Change { also, ..row(target, unrecorded) };
    Diff { compared: diff.compared, changes: [vec![row], known].concat() }
}

fn row(target: &str, unrecorded: &Unrecorded) -> Change {
    let Unrecorded { speaker, place, words, evidence } = unrecorded;
    let rule = match speaker {
        Speaker::Adapter => &REQUEST_UNRECORDED,
        Speaker::Client => &CONVERSATION_DIVERGED,
    };
    let steps: Vec<&str> = ["requests"].into_iter().chain(place.split('.')).collect();
    let at = FieldChange {
        field: FieldPath::of(&steps),
        old: Value::from("recorded"),
        new: Value::from("not recorded"),
    };
    let count = evidence.len();
    let times = if count == 1 { "1 request" } else { &format!("{count} requests") };
    Change {
        target: target.to_owned(),
        file: String::new(),
        code: rule.into(),
        class: ReplayRule::CLASS,
        severity: rule.severity,
        at,
        probe: None,
        reason: Sides { old: None, new: Some(format!("{times}, the first: {words}")) },
        evidence: Sides { old: Vec::new(), new: evidence.clone() },
        also: Vec::new(),
        likely_cause: None,
        probe_changed: false,
        confirmation: None,
        effect: Some(AdapterEffect::Breaks),
    }
}
