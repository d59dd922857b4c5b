//! Checks of chat-completion servers.
//!
//! A preset is a list of [`Check`]s with the provider's own words in them; the functions that look
//! are shared:
//!
//! - `pairing`: calls and their results
//! - `history`: roles, ids, fields and reasoning of the messages
//! - `offer`: tools and tool choice

mod history;
mod offer;
mod pairing;

pub(super) use history::EmptyReasoning;
pub(super) use offer::{ForcedRule, NO_SUCH_TOOL, NameRule, UNKNOWN_CHOICE};
pub(super) use pairing::Pairing;

use serde_json::Value;

use super::RequestFacts;
use super::complaint::{Complaint, Violation};
use super::raw::{list, text};

/// One thing that a provider looks at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// There is a list of messages with something in it, in `OpenAI`'s words.
    Messages,
    /// Only these roles; blanks: `{n}`, `{role}`, `{column}`.
    Roles(&'static [&'static str], Complaint),
    /// No assistant message without content and calls; blank: `{n}`.
    AssistantSays(Complaint),
    /// Message content has one of the documented types, in `OpenAI`'s words.
    ContentTypes,
    /// Call arguments in the history are text, in `OpenAI`'s words.
    ArgumentsText,
    /// Call arguments in the history are JSON; blanks: `{n}`, `{id}`, `{problem}`.
    ArgumentsJson(Complaint),
    /// At most this many characters in a call's id, in `OpenAI`'s words.
    IdLength(usize),
    /// Ids of nine letters and digits; blank: `{id}`.
    NineCharacterIds(Complaint),
    /// Each call has its result and each result its call.
    Pairing(Pairing),
    /// As many results as calls, whatever their ids.
    ResultCount(Complaint),
    /// Which role may follow which; blanks: `{role}`, `{before}`.
    RoleOrder(Complaint),
    /// The last message is not the assistant's; blank: `{role}`.
    LastRole(Complaint),
    /// A call may not stand at the very end.
    CallAtEnd(Complaint),
    /// Messages hold no field that is not documented; a 422 with a list of them.
    KnownFields,
    /// While thinking, assistant messages with calls hold `reasoning_content`; blank: `{n}`.
    ReasoningRequired(EmptyReasoning, Complaint),
    /// No message holds `reasoning_content`.
    ReasoningForbidden(Complaint),
    /// Tool names follow a rule.
    ToolNames(NameRule),
    /// At most so many tools, in `OpenAI`'s words.
    ToolCount,
    /// Descriptions of tools have an upper limit, in `OpenAI`'s words.
    DescriptionLength,
    /// Each tool has parameters.
    ParametersPresent(Complaint),
    /// Strict tools have a schema that strict mode can take, in `OpenAI`'s words.
    StrictSchemas,
    /// The tool choice is one of the documented forms and names a tool that is there.
    ToolChoice,
    /// The tool choice is one of these words or an object; blank: `{word}`.
    ToolChoiceWords(&'static [&'static str], Complaint),
    /// Choices that force a call are refused; blank: `{word}`.
    ForcedChoice(ForcedRule, Complaint),
    /// Calls in the history name tools that are declared.
    HistoryToolsDeclared(Complaint),
}

/// Runs the checks in order; the first complaint counts.
pub(super) fn run(
    checks: &[Check],
    body: &Value,
    facts: RequestFacts<'_>,
) -> Result<(), Violation> {
    checks.iter().try_for_each(|check| run_check(check, body, facts))
}

fn run_check(check: &Check, body: &Value, facts: RequestFacts<'_>) -> Result<(), Violation> {
    match check {
        Check::Messages => history::check_messages_present(body),
        Check::Roles(known, complaint) => history::check_roles(body, known, complaint),
        Check::AssistantSays(complaint) => history::check_assistant_says(body, complaint),
        Check::ContentTypes => history::check_content_types(body),
        Check::ArgumentsText => history::check_arguments_text(body),
        Check::ArgumentsJson(complaint) => history::check_arguments_json(body, complaint),
        Check::IdLength(most) => history::check_id_length(body, *most),
        Check::NineCharacterIds(complaint) => history::check_nine_character_ids(body, complaint),
        Check::Pairing(words) => pairing::check_pairing(body, words),
        Check::ResultCount(complaint) => pairing::check_result_count(body, complaint),
        Check::RoleOrder(complaint) => history::check_role_order(body, complaint),
        Check::LastRole(complaint) => history::check_last_role(body, complaint),
        Check::CallAtEnd(complaint) => history::check_call_at_end(body, complaint),
        Check::KnownFields => history::check_known_fields(body),
        Check::ReasoningRequired(empty, complaint) if facts.thinking => {
            history::check_reasoning_required(body, *empty, complaint)
        }
        Check::ReasoningRequired(..) => Ok(()),
        Check::ReasoningForbidden(complaint) => history::check_reasoning_forbidden(body, complaint),
        Check::ToolNames(rule) => offer::check_tool_names(body, rule),
        Check::ToolCount => offer::check_tool_count(body),
        Check::DescriptionLength => offer::check_description_length(body),
        Check::ParametersPresent(complaint) => offer::check_parameters_present(body, complaint),
        Check::StrictSchemas => offer::check_strict_schemas(body),
        Check::ToolChoice => offer::check_tool_choice(body),
        Check::ToolChoiceWords(words, complaint) => {
            offer::check_choice_words(body, words, complaint)
        }
        Check::ForcedChoice(forced, complaint) => {
            offer::check_forced_choice(body, *forced, facts.thinking, complaint)
        }
        Check::HistoryToolsDeclared(complaint) => {
            offer::check_history_tools_declared(body, complaint)
        }
    }
}

fn messages(body: &Value) -> impl Iterator<Item = (usize, &Value)> {
    list(body, "messages").iter().enumerate()
}

fn role(message: &Value) -> &str {
    text(message, "role")
}

/// Each call in the history: its message's place, its own place, and itself.
fn calls(body: &Value) -> impl Iterator<Item = (usize, usize, &Value)> {
    messages(body).flat_map(|(n, message)| {
        list(message, "tool_calls").iter().enumerate().map(move |(m, call)| (n, m, call))
    })
}
