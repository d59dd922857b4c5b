//! The tracker of streamed calls: to which call does a delta belong?
//!
//! A known id wins; else the index; else the latest call. A new id on a used index is a new call.
//! Where an endpoint keeps to neither ids nor indexes, it helps to know whether a call's arguments
//! have closed: what follows then cannot be more of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::braces::Braces;
use super::call::{RawCall, read_id};
use super::reasoning;
use crate::ir::{Defect, Defects};

/// The calls of a stream, in the order they were opened.
#[derive(Debug, Default)]
pub(super) struct CallTracker {
    calls: Vec<TrackedCall>,
    by_id: BTreeMap<(u64, String), usize>,
    by_index: BTreeMap<(u64, u64), usize>,
    /// The last call that was opened or continued, per choice.
    latest: BTreeMap<u64, usize>,
}

#[derive(Debug, Default)]
struct TrackedCall {
    call: RawCall,
    braces: Braces,
    /// Whether the last thing heard of a call with arguments was an empty delta.
    trailing: bool,
}

/// One entry of a delta's `tool_calls`.
struct CallDelta<'a> {
    choice: u64,
    id: Option<String>,
    index: Option<u64>,
    name: Option<&'a str>,
    arguments: Option<&'a Value>,
    signature: Option<&'a Value>,
    empty_id: bool,
    empty_name: bool,
}

impl<'a> CallDelta<'a> {
    fn read(choice: u64, value: &'a Value, defects: &mut Defects) -> Self {
        let function = value.get("function");
        let name = function.and_then(|function| function.get("name")).and_then(Value::as_str);
        Self {
            choice,
            id: read_id(value.get("id"), defects),
            index: value.get("index").and_then(Value::as_u64),
            name: name.filter(|name| !name.is_empty()),
            arguments: function
                .and_then(|function| function.get("arguments"))
                .filter(|arguments| !arguments.is_null()),
            signature: reasoning::signature(value),
            empty_id: value.get("id").and_then(Value::as_str) == Some(""),
            empty_name: name == Some(""),
        }
    }

    fn says_something(&self) -> bool {
        match self.arguments {
            None => false,
            Some(Value::String(text)) => !text.trim().is_empty(),
            Some(_) => true,
        }
    }
}

impl CallTracker {
    /// Takes one entry of `tool_calls`; the number of the call if it is a new one.
    pub(super) fn push(
        &mut self,
        choice: u64,
        entry: &Value,
        defects: &mut Defects,
    ) -> Option<usize> {
        let delta = CallDelta::read(choice, entry, defects);
        if delta.index.is_none() {
            defects.record(Defect::IndexMissing);
        }
        let known = self.target(&delta, defects);
        let number = known.unwrap_or_else(|| self.open(&delta, defects));
        self.file(number, &delta);
        if let Some(tracked) = self.calls.get_mut(number) {
            tracked.extend(&delta, known.is_some(), defects);
        }
        known.is_none().then_some(number)
    }

    /// Takes a delta of the legacy `function_call`: a choice has at most one, and none of its own
    /// where it has `tool_calls`, which it then only mirrors.
    pub(super) fn push_legacy(
        &mut self,
        choice: u64,
        function_call: &Value,
        defects: &mut Defects,
    ) -> Option<usize> {
        let entry = json!({"function": function_call});
        let delta = CallDelta::read(choice, &entry, defects);
        let known = self.latest.get(&choice).copied();
        let number = known.unwrap_or_else(|| self.open(&delta, defects));
        self.file(number, &delta);
        let tracked = self.calls.get_mut(number)?;
        if known.is_none() || tracked.call.legacy {
            tracked.call.legacy = true;
            tracked.extend(&delta, known.is_some(), defects);
        }
        known.is_none().then_some(number)
    }

    /// The calls, now that nothing more can come.
    pub(super) fn finish(self, defects: &mut Defects) -> Vec<RawCall> {
        if self.calls.iter().any(|tracked| tracked.trailing) {
            defects.record(Defect::TrailingEmptyDelta);
        }
        self.calls.into_iter().map(|tracked| tracked.call).collect()
    }

    /// The call that this delta continues; none if it opens one.
    fn target(&self, delta: &CallDelta, defects: &mut Defects) -> Option<usize> {
        let at_index =
            delta.index.and_then(|index| self.by_index.get(&(delta.choice, index)).copied());
        let Some(id) = &delta.id else {
            return self.target_without_id(delta, at_index, defects);
        };
        let Some(known) = self.by_id.get(&(delta.choice, id.clone())).copied() else {
            return self.target_of_new_id(delta, at_index, defects);
        };
        let head = delta.name.is_some() && delta.index.is_some() && at_index.is_none();
        if self.follows_complete(known, delta) || head && self.is_closed(known) {
            defects.record(Defect::IdDuplicate);
            return None;
        }
        if delta.index.is_some() && at_index != Some(known) {
            defects.record(Defect::IndexSplit);
        }
        Some(known)
    }

    /// A new id opens a call, unless it comes late, or in the middle of a call's arguments.
    fn target_of_new_id(
        &self,
        delta: &CallDelta,
        at_index: Option<usize>,
        defects: &mut Defects,
    ) -> Option<usize> {
        let number = at_index.or_else(|| {
            self.latest.get(&delta.choice).copied().filter(|_| delta.index.is_none())
        })?;
        let tracked = self.calls.get(number)?;
        let call = &tracked.call;
        if tracked.braces.is_closed() && delta.says_something() {
            return None;
        }
        let is_late = call.id.is_none() && (delta.name.is_none() || call.name.is_empty());
        if is_late {
            return Some(number);
        }
        if delta.name.is_some() || tracked.braces.is_closed() {
            return None;
        }
        defects.record(Defect::IdChanged);
        Some(number)
    }

    fn target_without_id(
        &self,
        delta: &CallDelta,
        at_index: Option<usize>,
        defects: &mut Defects,
    ) -> Option<usize> {
        let latest = self.latest.get(&delta.choice).copied();
        let (number, strayed) = match (delta.index, at_index) {
            (_, Some(number)) => (number, false),
            (None, None) => (latest?, false),
            (Some(_), None) => (latest?, true),
        };
        if strayed {
            let tail = delta.name.is_none() && delta.says_something() && !self.is_closed(number);
            if !tail {
                return None;
            }
            defects.record(Defect::IndexSplit);
        }
        (!self.follows_complete(number, delta) && !self.renames(number, delta)).then_some(number)
    }

    /// Whether this is the next call, because the arguments of that one have already closed.
    fn follows_complete(&self, number: usize, delta: &CallDelta) -> bool {
        delta.name.is_some() && delta.says_something() && self.is_closed(number)
    }

    fn renames(&self, number: usize, delta: &CallDelta) -> bool {
        let known = self.calls.get(number).map_or("", |tracked| tracked.call.name.as_str());
        !known.is_empty() && delta.name.is_some_and(|name| name != known)
    }

    fn is_closed(&self, number: usize) -> bool {
        self.calls.get(number).is_some_and(|tracked| tracked.braces.is_closed())
    }

    fn open(&mut self, delta: &CallDelta, defects: &mut Defects) -> usize {
        if let Some(index) = delta.index {
            if self.by_index.contains_key(&(delta.choice, index)) {
                defects.record(Defect::IndexReused);
            } else if index != 0 && !self.latest.contains_key(&delta.choice) {
                defects.record(Defect::IndexOffset);
            }
        }
        self.calls.push(TrackedCall::default());
        self.calls.len() - 1
    }

    /// Remembers by what the next deltas may name this call.
    fn file(&mut self, number: usize, delta: &CallDelta) {
        if let Some(id) = &delta.id {
            self.by_id.insert((delta.choice, id.clone()), number);
        }
        if let Some(index) = delta.index {
            self.by_index.insert((delta.choice, index), number);
        }
        self.latest.insert(delta.choice, number);
    }
}

impl TrackedCall {
    fn extend(&mut self, delta: &CallDelta, continues: bool, defects: &mut Defects) {
        if continues && delta.empty_id {
            defects.record(Defect::IdEmpty);
        }
        if continues && delta.empty_name {
            defects.record(Defect::NameEmpty);
        }
        if self.call.id.is_none() {
            self.call.id.clone_from(&delta.id);
        }
        if let Some(name) = delta.name {
            self.take_name(name, defects);
        }
        if let Some(signature) = delta.signature {
            self.call.signature = Some(signature.clone());
        }
        if let Some(arguments) = delta.arguments {
            self.take_arguments(arguments);
        }
    }

    fn take_name(&mut self, name: &str, defects: &mut Defects) {
        if !self.call.name.is_empty() {
            defects.record(Defect::NameRepeated);
            return;
        }
        if self.call.arguments.is_some() {
            defects.record(Defect::NameAfterArguments);
        }
        name.clone_into(&mut self.call.name);
    }

    fn take_arguments(&mut self, arguments: &Value) {
        match (&mut self.call.arguments, arguments) {
            (Some(Value::String(text)), Value::String(more)) => {
                self.trailing = more.is_empty() && !text.is_empty();
                self.braces.feed(more);
                text.push_str(more);
            }
            (Some(Value::Object(_)), Value::String(more)) if more.is_empty() => {
                self.trailing = true;
            }
            (before, whole) => {
                self.braces.feed(&match whole {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                *before = Some(whole.clone());
            }
        }
    }
}
