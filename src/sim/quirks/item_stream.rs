//! Stream quirks of Responses: what a server changes in the items.

use serde_json::{Value, json};

use super::WireQuirk;
use super::event::Event;
use super::interleave::interleave;

/// One quirk on all events.
pub(super) fn distort(mut events: Vec<Event>, quirk: &WireQuirk) -> Vec<Event> {
    let without = |events: &mut Vec<Event>, key: &str| {
        for map in events.iter_mut().filter_map(|event| event.value_mut()?.as_object_mut()) {
            map.shift_remove(key);
        }
    };
    match quirk {
        WireQuirk::SequenceMissing => without(&mut events, "sequence_number"),
        WireQuirk::OutputIndexMissing => without(&mut events, "output_index"),
        WireQuirk::ArgumentsDoneMissing => {
            events.retain(|event| event.kind() != Some("response.function_call_arguments.done"));
        }
        WireQuirk::CallsInterleaved => {
            let kinds = call_items(&events);
            events = interleave(events, |event| item_index(event).filter(|at| kinds.contains(at)));
            renumber(&mut events);
        }
        WireQuirk::OutputMissing => {
            let first = events.iter_mut().find(|event| event.kind() == Some("response.created"));
            if let Some(response) =
                first.and_then(|e| e.value_mut()?.get_mut("response")?.as_object_mut())
            {
                response.shift_remove("output");
            }
        }
        _ => {}
    }
    events
}

fn item_index(event: &Event) -> Option<u64> {
    event.value()?.get("output_index")?.as_u64()
}

/// The places of the items that are calls.
fn call_items(events: &[Event]) -> Vec<u64> {
    let is_call = |event: &&Event| {
        let kind = event.value().and_then(|value| value.pointer("/item/type")?.as_str());
        kind == Some("function_call")
    };
    events.iter().filter(is_call).filter_map(item_index).collect()
}

fn renumber(events: &mut [Event]) {
    for (place, event) in events.iter_mut().enumerate() {
        if let Some(Value::Object(fields)) = event.value_mut() {
            fields.insert("sequence_number".to_owned(), json!(place));
        }
    }
}
