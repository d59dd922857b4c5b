//! Ids of our own: nine letters and digits, each once, the same for a call and its result.

use crate::ir::{CallId, Message, Part};

/// The most that any provider allows of an id, and the least that some ask for.
const LENGTH: usize = 9;

/// Gives every call of a reply an id that no other call of the conversation has.
pub(super) fn read(parts: &mut [Part], turn: usize) {
    for (index, part) in parts.iter_mut().enumerate() {
        match part {
            Part::Call(call) => call.id = derive_id(&format!("{turn} {index} {}", call.id)),
            Part::BrokenCall(call) => call.id = derive_id(&format!("{turn} {index} {}", call.id)),
            Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => {}
        }
    }
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
