//! Checks of Anthropic.
//!
//! - `offer`: tools and tool choice
//! - `blocks`: the content blocks by themselves
//! - `pairing`: `tool_use` and `tool_result`
//! - `thinking`: what must come back, in the three modes on record

mod blocks;
mod offer;
mod pairing;
mod thinking;

pub(super) use thinking::ThinkingMode;

use serde_json::Value;

use super::RequestFacts;
use super::complaint::Source::{Invented, Seen};
use super::complaint::{Complaint, Violation};
use super::raw::{has, list, text};

const MISSING: Complaint = Complaint::bad(Invented, "{field}: Field required");
const NO_MESSAGE: Complaint =
    Complaint::bad(Invented, "messages: at least one message is required");
const SYSTEM_ROLE: Complaint = Complaint::bad(
    Seen("Maol-1997/cursor-claude-connector#3"),
    "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.",
);
const ROLE: Complaint =
    Complaint::bad(Invented, "messages.{n}.role: Input should be 'user' or 'assistant'");

/// Runs all checks; the mode says what is done about replayed thinking.
pub(super) fn run(
    mode: ThinkingMode,
    body: &Value,
    facts: RequestFacts<'_>,
) -> Result<(), Violation> {
    check_required(body)?;
    if mode == ThinkingMode::PassedBack {
        // What else this provider checks is not known.
        return thinking::check_passed_back(body, facts);
    }
    check_roles(body, facts)?;
    offer::check_tools(body)?;
    offer::check_choice(body)?;
    offer::check_thinking_budget(body)?;
    blocks::check_contents(body)?;
    pairing::check_pairing(body)?;
    offer::check_forced_while_thinking(body, facts)?;
    thinking::check_replayed(mode, body, facts)
}

fn check_required(body: &Value) -> Result<(), Violation> {
    let missing = ["model", "messages", "max_tokens"].into_iter().find(|key| !has(body, key));
    match missing {
        Some(field) => Err(MISSING.about(&[("field", field)])),
        None if list(body, "messages").is_empty() => Err(NO_MESSAGE.about(&[])),
        None => Ok(()),
    }
}

/// The beta that allows instructions in the middle of a conversation.
const MID_CONVERSATION_SYSTEM: &str = "mid-conversation-system-";

/// Instructions may not come first: <https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages>
fn check_roles(body: &Value, facts: RequestFacts<'_>) -> Result<(), Violation> {
    let mut betas = facts.betas.split(',').map(str::trim);
    let instructs = betas.any(|beta| beta.starts_with(MID_CONVERSATION_SYSTEM));
    for (n, message) in list(body, "messages").iter().enumerate() {
        match text(message, "role") {
            "user" | "assistant" => {}
            "system" if instructs && n > 0 => {}
            "system" => return Err(SYSTEM_ROLE.about(&[])),
            _ => return Err(ROLE.at(n)),
        }
    }
    Ok(())
}

/// A content block and where it stands.
#[derive(Debug, Clone, Copy)]
struct Block<'a> {
    n: usize,
    m: usize,
    value: &'a Value,
}

impl Block<'_> {
    fn kind(&self) -> &str {
        text(self.value, "type")
    }

    fn is_thinking(&self) -> bool {
        matches!(self.kind(), "thinking" | "redacted_thinking")
    }

    fn complain(&self, complaint: &Complaint) -> Violation {
        self.complain_about(complaint, ("", ""))
    }

    fn complain_about(&self, complaint: &Complaint, blank: (&str, &str)) -> Violation {
        complaint.about(&[("n", &self.n.to_string()), ("m", &self.m.to_string()), blank])
    }
}

/// The blocks of one side's turn: messages of the same role that follow each other count as one.
struct RoleTurn<'a> {
    role: &'a str,
    n: usize,
    blocks: Vec<Block<'a>>,
}

fn turns(body: &Value) -> Vec<RoleTurn<'_>> {
    let mut turns: Vec<RoleTurn<'_>> = Vec::new();
    let said = |(_, message): &(usize, &Value)| text(message, "role") != "system";
    for (n, message) in list(body, "messages").iter().enumerate().filter(said) {
        let role = text(message, "role");
        let blocks = list(message, "content").iter().enumerate();
        let blocks = blocks.map(|(m, value)| Block { n, m, value });
        match turns.last_mut() {
            Some(turn) if turn.role == role => turn.blocks.extend(blocks),
            _ => turns.push(RoleTurn { role, n, blocks: blocks.collect() }),
        }
    }
    turns
}
