//! Stream quirks of Responses: what a server changes in the items.

use super::WireQuirk;
use super::event::Event;

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
