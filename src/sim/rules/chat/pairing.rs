//! Chat checks: each call has its result, and each result its call.

use serde_json::Value;

use super::{messages, role};
use crate::sim::rules::complaint::{Complaint, Violation};
use crate::sim::rules::raw::{list, text};

/// A provider's words about calls and results that do not match.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Pairing {
    /// Calls without results; blanks: `{ids}`, `{n}` (where the results should have been).
    pub(in super::super) missing: Complaint,
    /// A result where there are no calls; blanks: `{id}`, `{n}`.
    pub(in super::super) orphan: Complaint,
    /// A result next to calls, for none of them; blanks: `{id}`, `{n}`.
    pub(in super::super) unknown: Complaint,
}

pub(super) fn check_pairing(body: &Value, words: &Pairing) -> Result<(), Violation> {
    let mut open: Vec<&str> = Vec::new();
    let mut among_results = false;
    let mut end = 0;
    for (n, message) in messages(body) {
        end = n;
        if role(message) == "tool" {
            let id = text(message, "tool_call_id");
            let blanks = [("id", id), ("n", &*n.to_string())];
            if !among_results {
                return Err(words.orphan.about(&blanks));
            }
            let Some(place) = open.iter().position(|call| *call == id) else {
                return Err(words.unknown.about(&blanks));
            };
            open.remove(place);
            continue;
        }
        check_answered(&open, n, words)?;
        open = list(message, "tool_calls").iter().map(|call| text(call, "id")).collect();
        among_results = !open.is_empty();
    }
    check_answered(&open, end, words)
}

fn check_answered(open: &[&str], n: usize, words: &Pairing) -> Result<(), Violation> {
    if open.is_empty() {
        return Ok(());
    }
    Err(words.missing.about(&[("ids", &open.join(", ")), ("n", &n.to_string())]))
}

/// Mistral counts, and leaves the ids alone.
pub(super) fn check_result_count(body: &Value, complaint: &Complaint) -> Result<(), Violation> {
    let mut expected = 0_usize;
    for (n, message) in messages(body) {
        if role(message) == "tool" {
            expected = expected.checked_sub(1).ok_or_else(|| complaint.at(n))?;
        } else if expected > 0 {
            return Err(complaint.at(n));
        } else {
            expected = list(message, "tool_calls").len();
        }
    }
    if expected > 0 { Err(complaint.about(&[])) } else { Ok(()) }
}
