//! Interleaving: the events of several calls, taken in turns.

use std::collections::BTreeMap;
use std::collections::VecDeque;

use super::event::Event;

/// Takes turns between the calls of each unbroken row of call events; all else keeps its place.
pub(super) fn interleave(events: Vec<Event>, call: impl Fn(&Event) -> Option<u64>) -> Vec<Event> {
    let mut out = Vec::with_capacity(events.len());
    let mut calls: BTreeMap<u64, VecDeque<Event>> = BTreeMap::new();
    for event in events {
        if let Some(index) = call(&event) {
            calls.entry(index).or_default().push_back(event);
        } else {
            take_turns(&mut calls, &mut out);
            out.push(event);
        }
    }
    take_turns(&mut calls, &mut out);
    out
}

fn take_turns(calls: &mut BTreeMap<u64, VecDeque<Event>>, out: &mut Vec<Event>) {
    while !calls.is_empty() {
        out.extend(calls.values_mut().filter_map(VecDeque::pop_front));
        calls.retain(|_, events| !events.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn calls_take_turns_and_what_is_not_a_call_stays_where_it_is() {
        let events =
            [json!("start"), json!([0, "a"]), json!([0, "b"]), json!([1, "c"]), json!("end")];
        let index = |event: &Event| event.value()?.get(0)?.as_u64();
        let out = interleave(events.map(Event::json).to_vec(), index);
        let values: Vec<&Value> = out.iter().filter_map(Event::value).collect();
        let expected =
            [json!("start"), json!([0, "a"]), json!([1, "c"]), json!([0, "b"]), json!("end")];
        assert_eq!(values, expected.iter().collect::<Vec<_>>());
    }
}
