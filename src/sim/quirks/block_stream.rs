//! Stream quirks of Anthropic: what a server changes in the blocks.

use serde_json::Value;

use super::WireQuirk;
use super::event::Event;
use super::interleave::interleave;

/// One quirk on all events.
pub(super) fn distort(mut events: Vec<Event>, quirk: &WireQuirk) -> Vec<Event> {
    match quirk {
        WireQuirk::BlockStopMissing => {
            events.retain(|event| event.kind() != Some("content_block_stop"));
        }
        WireQuirk::InputMissing => {
            for block in events.iter_mut().filter_map(content_block) {
                block.shift_remove("input");
            }
        }
        WireQuirk::ArgumentsLost => events.retain(|event| !is_arguments(event)),
        WireQuirk::ArgumentsTailCut => cut_tails(&mut events),
        WireQuirk::CallsInterleaved => return interleave_calls(events),
        _ => {}
    }
    events
}

/// Takes turns between call blocks, from the start of each to its end.
fn interleave_calls(events: Vec<Event>) -> Vec<Event> {
    let index = |event: &Event| event.value()?.get("index")?.as_u64();
    let starts_call = |event: &&Event| {
        let kind = event.value().and_then(|value| value.pointer("/content_block/type")?.as_str());
        kind == Some("tool_use")
    };
    let calls: Vec<u64> = events.iter().filter(starts_call).filter_map(index).collect();
    interleave(events, |event| index(event).filter(|index| calls.contains(index)))
}

fn content_block(event: &mut Event) -> Option<&mut serde_json::Map<String, Value>> {
    event.value_mut()?.get_mut("content_block")?.as_object_mut()
}

fn is_arguments(event: &Event) -> bool {
    let kind = event.value().and_then(|value| value.pointer("/delta/type")?.as_str());
    kind == Some("input_json_delta")
}

/// Takes the last character off the last piece of each call's arguments.
fn cut_tails(events: &mut [Event]) {
    let goes_on: Vec<bool> = events.iter().skip(1).map(is_arguments).chain([false]).collect();
    let pieces =
        events.iter_mut().zip(goes_on).filter(|(event, more)| is_arguments(event) && !more);
    for (event, _) in pieces {
        if let Some(Value::String(text)) =
            event.value_mut().and_then(|value| value.pointer_mut("/delta/partial_json"))
        {
            text.pop();
        }
    }
}
