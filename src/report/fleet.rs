//! The fleet: columns of a table of many targets.

use super::view::word;
use crate::profile::{ProbeOutcome, Profile, SchemaLevel, Status};

/// One column: a capability.
pub(super) struct Column {
    /// What stands above it where there is little room.
    pub(super) head: &'static str,
    /// What it asks.
    pub(super) about: &'static str,
    pub(super) cell: fn(&Profile) -> Option<Cell>,
}

/// What stands in a column for one target; nothing where it was not asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) status: Status,
    /// What the status alone does not say; empty where it says it all.
    pub(super) word: String,
}

/// The columns, those with words first.
pub(super) const COLUMNS: [Column; 8] = [
    Column { head: "calls", about: "the form calls arrive in", cell: calls },
    Column { head: "schema", about: "how much of JSON Schema is kept to", cell: schema },
    Column { head: "reasoning", about: "what sending it back does", cell: reasoning },
    Column { head: "loop", about: "answers from tool results", cell: closed_loop },
    Column { head: "par", about: "several calls in one reply", cell: parallel },
    Column { head: "fix", about: "corrects tool errors", cell: repair },
    Column { head: "str", about: "streamed calls equal plain ones", cell: streaming },
    Column { head: "hist", about: "takes a history with calls", cell: history },
];

fn cell(outcome: &ProbeOutcome, word: String) -> Cell {
    Cell { status: outcome.status, word }
}

fn plain(outcome: Option<&ProbeOutcome>) -> Option<Cell> {
    outcome.map(|outcome| cell(outcome, String::new()))
}

fn calls(profile: &Profile) -> Option<Cell> {
    let format = &profile.capabilities.tool_call_format;
    profile.results.single_tool.as_ref().map(|it| cell(&it.outcome, word(format)))
}

fn schema(profile: &Profile) -> Option<Cell> {
    let level = match profile.capabilities.schema_level {
        Some(SchemaLevel::StrictJsonSchema) => "strict",
        Some(SchemaLevel::SimpleObject) => "simple",
        Some(SchemaLevel::StringOnly) => "strings",
        Some(SchemaLevel::None) => "none",
        None => "unknown",
    };
    profile.results.schema.as_ref().map(|it| cell(&it.outcome, level.to_owned()))
}

fn reasoning(profile: &Profile) -> Option<Cell> {
    let mode = &profile.capabilities.reasoning_replay.mode;
    profile.results.reasoning_replay.as_ref().map(|it| cell(&it.outcome, word(mode)))
}

fn closed_loop(profile: &Profile) -> Option<Cell> {
    plain(profile.results.closed_loop.as_ref().map(|it| &it.outcome))
}

fn parallel(profile: &Profile) -> Option<Cell> {
    plain(profile.results.parallel_tool.as_ref().map(|it| &it.outcome))
}

fn repair(profile: &Profile) -> Option<Cell> {
    plain(profile.results.error_repair.as_ref().map(|it| &it.outcome))
}

fn streaming(profile: &Profile) -> Option<Cell> {
    plain(profile.results.streaming.as_ref().map(|it| &it.outcome))
}

fn history(profile: &Profile) -> Option<Cell> {
    plain(profile.results.history.as_ref().map(|it| &it.outcome))
}
