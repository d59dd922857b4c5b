//! Placement of results: adjacent, in order, bridged, or as words of the user.

use super::text_calls;
use crate::ir::{Message, Part, Role};
use crate::profile::Placement;
use crate::prompted::Protocol;

/// What the model is made to say between results and the user's next words.
const BRIDGE: &str = "I have read the results.";

/// Moves results to where they are taken.
pub(super) fn place(messages: &mut Vec<Message>, rules: &[Placement]) {
    for rule in rules {
        match rule {
            Placement::BridgeBeforeUser => bridge(messages),
            Placement::InCallOrder => order(messages),
            Placement::BeforeText => lead(messages),
            Placement::AsUserText => text_calls::write(messages, Protocol::ToolCall),
        }
    }
}

fn bridge(messages: &mut Vec<Message>) {
    let mut out: Vec<Message> = Vec::with_capacity(messages.len());
    for message in std::mem::take(messages) {
        let follows = out.last().is_some_and(|last| last.role == Role::Tool);
        if follows && message.role == Role::User {
            out.push(Message::assistant(vec![Part::Text(BRIDGE.to_owned())]));
        }
        out.push(message);
    }
    *messages = out;
}

fn order(messages: &mut [Message]) {
    let mut calls: Vec<String> = Vec::new();
    for message in messages {
        match message.role {
            Role::Assistant => calls = message.calls().map(|call| call.id.to_string()).collect(),
            Role::Tool => message.parts.sort_by_key(|part| match part {
                Part::Result(result) => {
                    calls.iter().position(|id| *id == result.tool_call_id.as_str())
                }
                _ => None,
            }),
            Role::User => {}
        }
    }
}

/// Splits results off the user's words and puts them first.
fn lead(messages: &mut Vec<Message>) {
    let mut out = Vec::with_capacity(messages.len());
    for message in std::mem::take(messages) {
        let is_result = |part: &Part| matches!(part, Part::Result(_));
        if message.role != Role::User || !message.parts.iter().any(is_result) {
            out.push(message);
            continue;
        }
        let (results, words): (Vec<Part>, Vec<Part>) =
            message.parts.into_iter().partition(is_result);
        out.push(Message { role: Role::Tool, parts: results });
        if !words.is_empty() {
            out.push(Message { role: Role::User, parts: words });
        }
    }
    *messages = out;
}
