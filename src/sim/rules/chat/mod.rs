//! What do chat-completion servers refuse?
//!
//! A preset is a list of [`Check`]s with the provider's own words in them; the functions that look
//! are shared:
//!
//! - [`pairing`](self): calls and their results
//! - [`history`](self): roles, ids, fields and reasoning of the messages
//! - [`offer`](self): tools and tool choice

mod history;
mod offer;
mod pairing;

pub(super) use history::EmptyReasoning;
pub(super) use offer::{Forced, NameRule};
pub(super) use pairing::Pairing;

use serde_json::Value;

use super::Facts;
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
    /// Tool descriptions and the list of tools have an upper limit, in `OpenAI`'s words.
    ToolLimits,
    /// Each tool has parameters.
    ParametersPresent(Complaint),
    /// Strict tools have a schema that strict mode can take, in `OpenAI`'s words.
    StrictSchemas,
    /// The tool choice is one of the documented forms and names a tool that is there.
    ToolChoice,
    /// The tool choice is one of these words or an object; blank: `{word}`.
    ToolChoiceWords(&'static [&'static str], Complaint),
    /// Choices that force a call are refused; blank: `{word}`.
    ForcedChoice(Forced, Complaint),
    /// Calls in the history name tools that are declared.
    HistoryToolsDeclared(Complaint),
}

/// Runs the checks in order; the first complaint counts.
pub(super) fn run(checks: &[Check], body: &Value, facts: Facts<'_>) -> Result<(), Violation> {
    checks.iter().try_for_each(|check| one(check, body, facts))
}

fn one(check: &Check, body: &Value, facts: Facts<'_>) -> Result<(), Violation> {
    match check {
        Check::Messages => history::messages_present(body),
        Check::Roles(known, complaint) => history::roles(body, known, complaint),
        Check::AssistantSays(complaint) => history::assistant_says(body, complaint),
        Check::ContentTypes => history::content_types(body),
        Check::ArgumentsText => history::arguments_text(body),
        Check::ArgumentsJson(complaint) => history::arguments_json(body, complaint),
        Check::IdLength(most) => history::id_length(body, *most),
        Check::NineCharacterIds(complaint) => history::nine_character_ids(body, complaint),
        Check::Pairing(words) => pairing::pairing(body, words),
        Check::ResultCount(complaint) => pairing::result_count(body, complaint),
        Check::RoleOrder(complaint) => history::role_order(body, complaint),
        Check::LastRole(complaint) => history::last_role(body, complaint),
        Check::CallAtEnd(complaint) => history::call_at_end(body, complaint),
        Check::KnownFields => history::known_fields(body),
        Check::ReasoningRequired(empty, complaint) if facts.thinking => {
            history::reasoning_required(body, *empty, complaint)
        }
        Check::ReasoningRequired(..) => Ok(()),
        Check::ReasoningForbidden(complaint) => history::reasoning_forbidden(body, complaint),
        Check::ToolNames(rule) => offer::tool_names(body, rule),
        Check::ToolLimits => offer::tool_limits(body),
        Check::ParametersPresent(complaint) => offer::parameters_present(body, complaint),
        Check::StrictSchemas => offer::strict_schemas(body),
        Check::ToolChoice => offer::tool_choice(body),
        Check::ToolChoiceWords(words, complaint) => offer::choice_words(body, words, complaint),
        Check::ForcedChoice(forced, complaint) => {
            offer::forced_choice(body, *forced, facts.thinking, complaint)
        }
        Check::HistoryToolsDeclared(complaint) => offer::history_tools_declared(body, complaint),
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
