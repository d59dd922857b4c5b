//! Anthropic checks: each `tool_use` has its `tool_result` right after it, and each result its call.

use serde_json::Value;

use super::{Block, RoleTurn, turns};
use crate::sim::rules::complaint::Source::Seen;
use crate::sim::rules::complaint::{Complaint, Violation};
use crate::sim::rules::raw::{list, repeated, text};

const NO_TOOLS: Complaint = Complaint::bad(
    Seen("anthropics/anthropic-sdk-python#494"),
    "Requests which include tool_use or tool_result blocks must define tools",
);
const ID_TWICE: Complaint = Complaint::bad(
    Seen("trycua/cua#524"),
    "messages.{n}.content.{m}: `tool_use` ids must be unique",
);
const NO_RESULT: Complaint = Complaint::bad(
    Seen("anthropics/claude-code#8210"),
    "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
);
const ORPHAN: Complaint = Complaint::bad(
    Seen("anthropics/claude-code#13460"),
    "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
);
const NOT_FIRST: Complaint = Complaint::bad(
    Seen("apify/tester-mcp-client#12"),
    "messages.{n}: Did not find {count} tool_result block(s) at the beginning of this message. Messages following tool_use blocks must begin with a matching number of tool_result blocks.",
);

pub(super) fn check_pairing(body: &Value) -> Result<(), Violation> {
    let turns = turns(body);
    check_unique_ids(&turns)?;
    let mut open: Vec<&str> = Vec::new();
    let mut before = 0;
    for turn in &turns {
        check_results(turn, &open, before)?;
        open = ids(turn, "tool_use", "id");
        before = turn.n;
    }
    check_all_answered(&open, &[], before)?;
    check_tools_defined(body, &turns)
}

fn check_unique_ids(turns: &[RoleTurn<'_>]) -> Result<(), Violation> {
    let uses: Vec<&Block<'_>> =
        turns.iter().flat_map(|turn| &turn.blocks).filter(|b| b.kind() == "tool_use").collect();
    let twice = repeated(uses.iter().map(|block| text(block.value, "id")));
    match twice.and_then(|(place, _)| uses.get(place)) {
        Some(block) => Err(block.complain(&ID_TWICE)),
        None => Ok(()),
    }
}

/// The results of a turn against the calls of the one before it.
fn check_results(turn: &RoleTurn<'_>, open: &[&str], before: usize) -> Result<(), Violation> {
    let is_result = |block: &&Block<'_>| block.kind() == "tool_result";
    for block in turn.blocks.iter().filter(is_result) {
        let id = text(block.value, "tool_use_id");
        if !open.contains(&id) {
            return Err(block.complain_about(&ORPHAN, ("id", id)));
        }
    }
    check_all_answered(open, &ids(turn, "tool_result", "tool_use_id"), before)?;
    let leading = turn.blocks.iter().take_while(is_result).count();
    if leading < open.len() {
        let blanks = [("n", &*turn.n.to_string()), ("count", &*open.len().to_string())];
        return Err(NOT_FIRST.about(&blanks));
    }
    Ok(())
}

fn check_all_answered(open: &[&str], answered: &[&str], n: usize) -> Result<(), Violation> {
    let missing: Vec<&str> = open.iter().copied().filter(|id| !answered.contains(id)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(NO_RESULT.about(&[("n", &n.to_string()), ("ids", &missing.join(", "))]))
}

fn ids<'a>(turn: &RoleTurn<'a>, kind: &str, key: &str) -> Vec<&'a str> {
    turn.blocks.iter().filter(|b| b.kind() == kind).map(|b| text(b.value, key)).collect()
}

fn check_tools_defined(body: &Value, turns: &[RoleTurn<'_>]) -> Result<(), Violation> {
    let mut blocks = turns.iter().flat_map(|turn| &turn.blocks);
    let uses_tools = blocks.any(|block| matches!(block.kind(), "tool_use" | "tool_result"));
    if uses_tools && list(body, "tools").is_empty() {
        return Err(NO_TOOLS.about(&[]));
    }
    Ok(())
}
