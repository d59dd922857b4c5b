//! Chat checks: tools and tool choice.

use serde_json::Value;

use super::calls;
use crate::sim::rules::complaint::Source::{Invented, Seen};
use crate::sim::rules::complaint::{Complaint, Violation};
use crate::sim::rules::raw::{has, is_name, list, text};
use crate::sim::rules::strict;

/// What a tool may be called.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct NameRule {
    /// The most characters.
    pub(in super::super) most: usize,
    /// Whether it must begin with a letter.
    pub(in super::super) letter_first: bool,
    /// The provider's words; blanks: `{n}`, `{name}`.
    pub(in super::super) complaint: Complaint,
}

/// When a tool choice that forces a call is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum ForcedRule {
    /// While the model is thinking.
    WhileThinking,
    /// Always, and `none` too: the choice must be auto.
    UnlessAuto,
}

fn tools(body: &Value) -> impl Iterator<Item = (usize, &Value)> {
    list(body, "tools").iter().map(|tool| tool.get("function").unwrap_or(tool)).enumerate()
}

pub(super) fn check_tool_names(body: &Value, rule: &NameRule) -> Result<(), Violation> {
    let odd = tools(body).find(|(_, tool)| {
        let name = text(tool, "name");
        let starts = !rule.letter_first || name.starts_with(|c: char| c.is_ascii_alphabetic());
        !(starts && is_name(name, rule.most, "_-"))
    });
    odd.map_or(Ok(()), |(n, tool)| {
        Err(rule.complaint.about(&[("n", &n.to_string()), ("name", text(tool, "name"))]))
    })
}

const MOST_TOOLS: usize = 128;
const MOST_DESCRIPTION: usize = 1024;
const TOO_MANY_TOOLS: Complaint = Complaint::bad(
    Seen("0x4m4/hexstrike-ai#29"), "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length {length} instead.",
)
.param("tools")
.code("array_above_max_length");
const DESCRIPTION_TOO_LONG: Complaint = Complaint::bad(
    Seen("nanbingxyz/5ire#33"), "Invalid 'tools[{n}].function.description': string too long. Expected a string with maximum length 1024, but got a string with length {length} instead.",
)
.param("tools[{n}].function.description")
.code("string_above_max_length");

pub(super) fn check_tool_count(body: &Value) -> Result<(), Violation> {
    let count = list(body, "tools").len();
    if count > MOST_TOOLS {
        return Err(TOO_MANY_TOOLS.about(&[("length", &count.to_string())]));
    }
    Ok(())
}

pub(super) fn check_description_length(body: &Value) -> Result<(), Violation> {
    let lengths = tools(body).map(|(n, tool)| (n, text(tool, "description").chars().count()));
    match lengths.into_iter().find(|(_, length)| *length > MOST_DESCRIPTION) {
        None => Ok(()),
        Some((n, length)) => {
            Err(DESCRIPTION_TOO_LONG
                .about(&[("n", &n.to_string()), ("length", &length.to_string())]))
        }
    }
}

pub(super) fn check_parameters_present(
    body: &Value,
    complaint: &Complaint,
) -> Result<(), Violation> {
    let without = tools(body).find(|(_, tool)| !has(tool, "parameters"));
    without.map_or(Ok(()), |(n, _)| Err(complaint.at(n)))
}

pub(super) fn check_strict_schemas(body: &Value) -> Result<(), Violation> {
    tools(body)
        .filter(|(_, tool)| tool.get("strict").and_then(Value::as_bool) == Some(true))
        .try_for_each(|(n, tool)| strict::check(tool, &format!("tools[{n}].function.parameters")))
}

const CHOICE_WITHOUT_TOOLS: Complaint = Complaint::bad(
    Invented,
    "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
)
.param("tool_choice");
const PARALLEL_WITHOUT_TOOLS: Complaint = Complaint::bad(
    Seen("openai/swarm#30"), "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
)
.param("parallel_tool_calls");
pub(in crate::sim::rules) const UNKNOWN_CHOICE: Complaint = Complaint::bad(
    Invented,
    "Invalid value: '{word}'. Supported values are: 'none', 'auto', and 'required'.",
)
.param("tool_choice")
.code("invalid_value");
pub(in crate::sim::rules) const NO_SUCH_TOOL: Complaint =
    Complaint::bad(Invented, "Tool choice '{word}' not found in 'tools' parameter.")
        .param("tool_choice");

pub(super) fn check_tool_choice(body: &Value) -> Result<(), Violation> {
    let choice = body.get("tool_choice").unwrap_or(&Value::Null);
    if list(body, "tools").is_empty() {
        let named = !choice.is_null() && choice != "none" && choice != "auto";
        return match (named, has(body, "parallel_tool_calls")) {
            (true, _) => Err(CHOICE_WITHOUT_TOOLS.about(&[])),
            (false, true) => Err(PARALLEL_WITHOUT_TOOLS.about(&[])),
            (false, false) => Ok(()),
        };
    }
    check_choice_words(body, &["none", "auto", "required"], &UNKNOWN_CHOICE)?;
    match choice.pointer("/function/name").and_then(Value::as_str) {
        Some(name) if !tools(body).any(|(_, tool)| text(tool, "name") == name) => {
            Err(NO_SUCH_TOOL.about(&[("word", name)]))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_choice_words(
    body: &Value,
    words: &[&str],
    complaint: &Complaint,
) -> Result<(), Violation> {
    match body.get("tool_choice").and_then(Value::as_str) {
        Some(word) if !words.contains(&word) => Err(complaint.about(&[("word", word)])),
        _ => Ok(()),
    }
}

pub(super) fn check_forced_choice(
    body: &Value,
    forced: ForcedRule,
    thinking: bool,
    complaint: &Complaint,
) -> Result<(), Violation> {
    let word = match body.get("tool_choice") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::String(word)) => word.as_str(),
        Some(_) => "specified",
    };
    let refused = match forced {
        ForcedRule::WhileThinking => thinking && !matches!(word, "auto" | "none"),
        ForcedRule::UnlessAuto => word != "auto",
    };
    if refused { Err(complaint.about(&[("word", word)])) } else { Ok(()) }
}

pub(super) fn check_history_tools_declared(
    body: &Value,
    complaint: &Complaint,
) -> Result<(), Violation> {
    let undeclared = calls(body).find(|(_, _, call)| {
        let name = call.get("function").map(|function| text(function, "name")).unwrap_or_default();
        !tools(body).any(|(_, tool)| text(tool, "name") == name)
    });
    undeclared.map_or(Ok(()), |(n, _, _)| Err(complaint.at(n)))
}
