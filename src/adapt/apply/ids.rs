//! Ids of our own: nine letters and digits, each once, the same for a call and its result.

use std::collections::BTreeSet;

use crate::ir::{CallId, Message, Part};

/// The most that any provider allows of an id, and the least that some ask for.
const LENGTH: usize = 9;

/// The ids of the calls and results of a conversation.
pub(super) fn used(messages: &[Message]) -> BTreeSet<CallId> {
    let parts = messages.iter().flat_map(|message| &message.parts);
    let ids = parts.filter_map(|part| match part {
        Part::Call(call) => Some(&call.id),
        Part::BrokenCall(call) => Some(&call.id),
        Part::Result(result) => Some(&result.tool_call_id),
        Part::Text(_) | Part::Reasoning(_) => None,
    });
    ids.cloned().collect()
}

/// Gives every call of a reply an id that no other call of the conversation has.
pub(super) fn read(parts: &mut [Part], used: &BTreeSet<CallId>) {
    let mut used = used.clone();
    for part in parts {
        match part {
            Part::Call(call) => call.id = fresh(&mut used, derive_id),
            Part::BrokenCall(call) => call.id = fresh(&mut used, derive_id),
            Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => {}
        }
    }
}

/// The first id in a row that is not used yet. A history that was trimmed makes no id come twice.
pub(super) fn fresh(used: &mut BTreeSet<CallId>, id: impl Fn(&str) -> CallId) -> CallId {
    let mut ids = (used.len()..).map(|number| id(&number.to_string()));
    let free = ids.find(|id| !used.contains(id)).unwrap_or_else(|| id("call"));
    used.insert(free.clone());
    free
}

/// Maps ids from elsewhere to such ones. The same id becomes the same one everywhere.
pub(super) fn write(messages: &mut [Message]) {
    for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
        match part {
            Part::Call(call) => call.id = map_id(&call.id),
            Part::BrokenCall(call) => call.id = map_id(&call.id),
            Part::Result(result) => result.tool_call_id = map_id(&result.tool_call_id),
            Part::Text(_) | Part::Reasoning(_) => {}
        }
    }
}

fn map_id(id: &CallId) -> CallId {
    let text = id.as_str();
    let is_safe = text.len() == LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_safe { id.clone() } else { derive_id(text) }
}

/// An id that follows from a text.
fn derive_id(text: &str) -> CallId {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let digits = (0..LENGTH).filter_map(|_| {
        let digit = DIGITS.get(usize::try_from(hash % 36).unwrap_or_default()).copied();
        hash /= 36;
        digit.map(char::from)
    });
    CallId::new(digits.collect::<String>())
}
