//! Anthropic checks: thinking that is sent back.
//!
//! Three behaviours are on record for three generations of models; each is a mode. Whatever the
//! mode, a signature that was never issued is refused.

use serde_json::Value;

use super::{Block, RoleTurn, turns};
use crate::sim::rules::RequestFacts;
use crate::sim::rules::complaint::Source::{Invented, Seen};
use crate::sim::rules::complaint::{Complaint, Violation};
use crate::sim::rules::raw::text;
use crate::sim::seal::{Seal, sealed_turn};

/// What is done about thinking that was left out or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum ThinkingMode {
    /// The turn that holds the open calls must start with thinking.
    Start,
    /// The thinking of the latest turn must be what was issued; leaving it out is a change.
    NoModify,
    /// Only signatures are looked at.
    Signature,
    /// Every turn with calls must hold thinking: `DeepSeek` behind the same dialect.
    PassedBack,
}

const START: Complaint = Complaint::bad(
    Seen("anomalyco/opencode#3077"),
    "messages.{n}.content.{m}.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
);
const MODIFIED: Complaint = Complaint::bad(
    Seen("anthropics/claude-code#63284"),
    "messages.{n}.content.{m}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
);
const SIGNATURE: Complaint = Complaint::bad(
    Seen("NousResearch/hermes-agent#24107"),
    "messages.{n}.content.{m}: Invalid `signature` in `thinking` block",
);
const DATA: Complaint = Complaint::bad(
    Invented,
    "messages.{n}.content.{m}: Invalid `data` in `redacted_thinking` block",
);
const DISABLED: Complaint = Complaint::bad(
    Seen("tailcallhq/forgecode#1853"),
    "messages.{n}.content.{m}: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request.",
);

const NOT_PASSED_BACK: Complaint = Complaint::bad(
    Seen("OEvortex/aether#31"),
    "The `content[].thinking` in the thinking mode must be passed back to the API.",
);

pub(super) fn check_passed_back(body: &Value, facts: RequestFacts<'_>) -> Result<(), Violation> {
    let turns = turns(body);
    let lacks = |turn: &RoleTurn<'_>| {
        let calls = turn.blocks.iter().any(|block| block.kind() == "tool_use");
        turn.role == "assistant" && calls && !turn.blocks.iter().any(Block::is_thinking)
    };
    match turns.iter().find(|turn| facts.thinking && lacks(turn)) {
        Some(_) => Err(NOT_PASSED_BACK.about(&[])),
        None => Ok(()),
    }
}

pub(super) fn check_replayed(
    mode: ThinkingMode,
    body: &Value,
    facts: RequestFacts<'_>,
) -> Result<(), Violation> {
    let turns = turns(body);
    if !facts.thinking {
        return check_disabled(&turns);
    }
    let latest = turns.iter().rfind(|turn| turn.role == "assistant");
    match (mode, latest) {
        (ThinkingMode::Start, Some(latest)) => check_start(latest)?,
        (ThinkingMode::NoModify, Some(latest)) => check_unmodified(latest)?,
        (ThinkingMode::Signature | ThinkingMode::PassedBack, _) | (_, None) => {}
    }
    turns.iter().flat_map(|turn| &turn.blocks).try_for_each(check_issued)
}

fn check_disabled(turns: &[RoleTurn<'_>]) -> Result<(), Violation> {
    let last = turns.last().filter(|turn| turn.role == "assistant");
    match last.and_then(|turn| turn.blocks.iter().find(|block| block.is_thinking())) {
        Some(block) => Err(block.complain(&DISABLED)),
        None => Ok(()),
    }
}

fn check_start(latest: &RoleTurn<'_>) -> Result<(), Violation> {
    let calls = latest.blocks.iter().any(|block| block.kind() == "tool_use");
    match latest.blocks.first().filter(|block| calls && !block.is_thinking()) {
        Some(first) => Err(first.complain_about(&START, ("found", first.kind()))),
        None => Ok(()),
    }
}

fn check_unmodified(latest: &RoleTurn<'_>) -> Result<(), Violation> {
    let mut thinking = latest.blocks.iter().filter(|block| block.is_thinking()).peekable();
    let sealed = |block: &&Block<'_>| sealed_turn(text(block.value, "id")).is_some();
    if let (None, Some(call)) = (thinking.peek(), latest.blocks.iter().find(sealed)) {
        return Err(call.complain(&MODIFIED));
    }
    match thinking.find(|block| !is_intact(block)) {
        Some(block) => Err(block.complain(&MODIFIED)),
        None => Ok(()),
    }
}

fn is_intact(block: &Block<'_>) -> bool {
    match block.kind() {
        "thinking" => Seal::Signature
            .vouches_for(text(block.value, "signature"), text(block.value, "thinking")),
        _ => Seal::Redacted.is_genuine(text(block.value, "data")),
    }
}

fn check_issued(block: &Block<'_>) -> Result<(), Violation> {
    match block.kind() {
        "thinking" if !Seal::Signature.is_genuine(text(block.value, "signature")) => {
            Err(block.complain(&SIGNATURE))
        }
        "redacted_thinking" if !Seal::Redacted.is_genuine(text(block.value, "data")) => {
            Err(block.complain(&DATA))
        }
        _ => Ok(()),
    }
}
