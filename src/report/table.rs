//! How do verdicts look on a terminal?
//!
//! A symbol and a word for each status, so that nothing depends on colour.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, Color, ContentArrangement, Table};

use super::for_terminal;
use crate::profile::{
    ErrorRepair, Outcome, Profile, ReplayMode, SchemaLevel, Status, ToolCallFormat,
};

/// Whether colour may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// It may.
    Colored,
    /// It may not.
    Plain,
}

/// One row per model, one column per capability.
pub fn fleet_table(profiles: &[Profile], paint: Paint) -> String {
    let mut table = new_table(paint);
    table.set_header([
        "model",
        "dialect",
        "calls",
        "schema",
        "loop",
        "parallel",
        "repair",
        "reasoning",
        "stream",
        "history",
    ]);
    for profile in profiles {
        table.add_row(fleet_row(profile));
    }
    table.to_string()
}

fn fleet_row(profile: &Profile) -> Vec<Cell> {
    let results = &profile.results;
    let capabilities = &profile.capabilities;
    let cell = |outcome: Option<&Outcome>, word: String| status_cell(outcome, &word);
    let single = results.single_tool.as_ref().map(|result| &result.outcome);
    let repair = results.error_repair.as_ref().map(|result| &result.outcome);
    let replay = results.reasoning_replay.as_ref().map(|result| &result.outcome);
    vec![
        Cell::new(for_terminal(&profile.subject.model)),
        Cell::new(profile.dialect),
        cell(single, capabilities.tool_call_format.map_or_else(String::new, |it| calls(it).into())),
        cell(
            results.schema.as_ref().map(|result| &result.outcome),
            capabilities.schema_level.map_or_else(String::new, |it| level(it).into()),
        ),
        cell(results.closed_loop.as_ref().map(|result| &result.outcome), String::new()),
        cell(results.parallel_tool.as_ref().map(|result| &result.outcome), String::new()),
        cell(repair, capabilities.error_repair.map_or_else(String::new, |it| mending(it).into())),
        cell(
            replay,
            capabilities.reasoning_replay.mode.map_or_else(String::new, |it| mode(it).into()),
        ),
        cell(results.streaming.as_ref().map(|result| &result.outcome), String::new()),
        cell(results.history.as_ref().map(|result| &result.outcome), String::new()),
    ]
}

/// One row per probe of one endpoint, with the reason.
pub fn profile_table(profile: &Profile, paint: Paint) -> String {
    let mut table = new_table(paint);
    table.set_header(["probe", "verdict", "trials", "interval", "why"]);
    for outcome in profile.results.outcomes() {
        let interval =
            outcome.interval.map_or_else(String::new, |it| format!("{:.2}–{:.2}", it.0, it.1));
        let trials = match outcome.trials {
            0 => "–".to_owned(),
            trials => format!("{}/{trials}", outcome.passes),
        };
        table.add_row(vec![
            Cell::new(&outcome.probe),
            status_cell(Some(outcome), ""),
            Cell::new(trials),
            Cell::new(interval),
            Cell::new(for_terminal(&outcome.reason)),
        ]);
    }
    table.to_string()
}

fn new_table(paint: Paint) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    match paint {
        Paint::Colored => table.enforce_styling(),
        Paint::Plain => table.force_no_tty(),
    };
    table
}

fn status_cell(outcome: Option<&Outcome>, word: &str) -> Cell {
    let Some(outcome) = outcome else { return Cell::new("") };
    let (symbol, color) = match outcome.status {
        Status::Pass => ("✓", Color::Green),
        Status::Partial => ("~", Color::Yellow),
        Status::Fail => ("✗", Color::Red),
        Status::Inconclusive => ("?", Color::Magenta),
        Status::Skipped => ("–", Color::DarkGrey),
    };
    let word = if word.is_empty() { outcome.status.as_str() } else { word };
    Cell::new(format!("{symbol} {word}")).fg(color)
}

fn calls(format: ToolCallFormat) -> &'static str {
    match format {
        ToolCallFormat::Anthropic => "anthropic",
        ToolCallFormat::OpenAi => "openai",
        ToolCallFormat::Gemini => "gemini",
        ToolCallFormat::Xml => "xml",
        ToolCallFormat::JsonText => "json-text",
        ToolCallFormat::None => "none",
    }
}

fn level(level: SchemaLevel) -> &'static str {
    match level {
        SchemaLevel::StrictJsonSchema => "strict",
        SchemaLevel::SimpleObject => "simple",
        SchemaLevel::StringOnly => "strings",
        SchemaLevel::None => "none",
    }
}

fn mending(repair: ErrorRepair) -> &'static str {
    match repair {
        ErrorRepair::Reliable => "reliable",
        ErrorRepair::Limited => "limited",
        ErrorRepair::None => "none",
    }
}

fn mode(mode: ReplayMode) -> &'static str {
    match mode {
        ReplayMode::Required => "required",
        ReplayMode::Accepted => "accepted",
        ReplayMode::Ignored => "ignored",
        ReplayMode::Rejected => "rejected",
        ReplayMode::Absent => "absent",
    }
}
