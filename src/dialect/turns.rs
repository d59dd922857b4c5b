//! The two speakers of dialects where a user's message holds the results of tools as well.

use crate::ir::{Message, Part, Role};

/// The leading results as a tool message, the rest as the user's.
pub(super) fn split_results(mut parts: Vec<Part>) -> impl Iterator<Item = Message> {
    let results = parts.iter().take_while(|part| matches!(part, Part::Result(_))).count();
    let rest = parts.split_off(results);
    let user =
        (parts.is_empty() || !rest.is_empty()).then_some(Message { role: Role::User, parts: rest });
    let tool = (!parts.is_empty()).then_some(Message { role: Role::Tool, parts });
    tool.into_iter().chain(user)
}
