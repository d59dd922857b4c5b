//! Tool choices, limits and declarations: said in the way that the endpoint takes.

use serde_json::json;

use crate::ir::{Message, Part, Request, Role, ToolChoice, ToolSpec};
use crate::prompted::Force;

const ONE_CALL: &str =
    "Call at most one tool in each reply, and wait for its result before you call the next.";

/// Takes the tools away: the model is not to call any.
pub(super) fn offer_nothing(request: &mut Request) {
    request.tools.clear();
    request.tool_choice = None;
    request.parallel = None;
}

/// Forbids several calls where there are tools to call.
pub(super) fn switch_parallel_off(request: &mut Request) {
    if !request.tools.is_empty() {
        request.parallel = Some(false);
    }
}

/// Asks in words for one call a turn.
pub(super) fn ask_for_one_call(request: &mut Request) {
    if request.tools.is_empty() {
        return;
    }
    request.parallel = None;
    request.system = Some(match request.system.take() {
        Some(system) => format!("{system}\n\n{ONE_CALL}"),
        None => ONE_CALL.to_owned(),
    });
}

/// Says in words what a choice would say that the endpoint refuses or does not honour. Where calls are not wanted, the
/// tools are taken away, unless the history needs their declarations.
pub(super) fn avoid(
    request: &mut Request,
    refused: &[String],
    ignored: &[String],
    declares_tools: bool,
) {
    let Some(choice) = &request.tool_choice else { return };
    let (id, words) = match choice {
        ToolChoice::Required | ToolChoice::Allowed { required: true, .. } => {
            ("required", format!("Now call one of the tools {}.", names(request)))
        }
        ToolChoice::Named(name) => ("named", format!("Now call the tool `{name}`.")),
        ToolChoice::None => ("none", "Do not call a tool now.".to_owned()),
        ToolChoice::Auto | ToolChoice::Allowed { required: false, .. } => return,
    };
    if !refused.iter().chain(ignored).any(|case| case == id) {
        return;
    }
    if *choice == ToolChoice::None && !declares_tools {
        return offer_nothing(request);
    }
    request.tool_choice = None;
    say(request, &words);
}

/// Adds words to those of the user, where the user spoke last.
pub(super) fn say(request: &mut Request, words: &str) {
    if let Some(last) = request.messages.last_mut().filter(|last| last.role == Role::User) {
        last.parts.push(Part::Text(format!("\n\n{words}")));
    }
}

/// Demands a call, until a call since the user's last words has its result.
pub(super) fn force(request: &mut Request, force: Force) {
    let is_open = matches!(request.tool_choice, None | Some(ToolChoice::Auto));
    if request.tools.is_empty() || !is_open || is_answered(&request.messages) {
        return;
    }
    // The choice names several tools and nothing says which: any of them.
    let one = request.tools.len() == 1;
    let choice = if one { force.choice(&request.tools) } else { ToolChoice::Required };
    request.tool_choice = Some(choice);
}

/// Whether a call since the user's last words has a result that is not an error.
fn is_answered(messages: &[Message]) -> bool {
    let is_text = |part: &Part| matches!(part, Part::Text(_));
    let is_ask = |it: &Message| it.role == Role::User && it.parts.iter().any(is_text);
    let since = messages.iter().rposition(is_ask).unwrap_or_default();
    let later = messages.iter().skip(since).flat_map(|message| &message.parts);
    later.into_iter().any(|part| matches!(part, Part::Result(result) if !result.is_error))
}

fn names(request: &Request) -> String {
    let names = request.tools.iter().map(|tool| format!("`{}`", tool.name));
    names.collect::<Vec<_>>().join(", ")
}

/// Declares the tools that the history calls, where none are declared.
pub(super) fn keep_tools(request: &mut Request) {
    if !request.tools.is_empty() {
        return;
    }
    for call in request.messages.iter().flat_map(Message::calls) {
        if request.tools.iter().all(|tool| tool.name != call.name) {
            request.tools.push(ToolSpec::new(
                call.name.clone(),
                "No longer available.",
                json!({"type": "object"}),
            ));
        }
    }
    if !request.tools.is_empty() {
        request.tool_choice = Some(ToolChoice::None);
    }
}
