//! Undo: the original request, made again from what was sent.
//!
//! Whatever of the original stands in the request that was sent, under another id, under another name or as
//! text, is pointed at. Only what does not stand there is kept: the schemas that were simplified, the options,
//! and reasoning that must not be sent.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use crate::ir::{CallId, Message, Part, Request, Role, ToolChoice, ToolSpec};
use crate::prompted::Protocol;
use crate::textcall::{self, Catalog, Options};

/// Messages of what was sent in which the parts of one original message can stand: a turn may have been put
/// before them, and results may have been parted from words.
const WINDOW: usize = 3;

/// What it takes to make the original request from the one that was sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Undo {
    /// The tools as they were.
    pub(super) tools: Vec<ToolSpec>,
    tool_choice: Option<ToolChoice>,
    parallel: Option<bool>,
    stream: bool,
    /// How much of the system prompt is the caller's; `None` where all of it was added.
    system: Option<usize>,
    messages: Vec<(Role, Vec<Origin>)>,
}

/// A part of what was sent: the message, and the part in it.
type Place = (usize, usize);

/// Where a part of the original stands in what was sent.
#[derive(Debug, Clone, PartialEq)]
enum Origin {
    /// There, but for the id and the name.
    At(Place, Option<(CallId, String)>),
    /// These bytes of the text there.
    Text(Place, Range<usize>),
    /// Written as text into these bytes; the part has everything but what it brings.
    Written(Place, Range<usize>, Part),
    /// Nowhere.
    Kept(Part),
}

impl Undo {
    /// What it takes to get from what is sent back to the original. `offered` are the tools whose calls can
    /// stand in the text.
    pub(super) fn of(original: &Request, sent: &Request, offered: &[ToolSpec]) -> Self {
        Self {
            tools: original.tools.clone(),
            tool_choice: original.tool_choice.clone(),
            parallel: original.parallel,
            stream: original.stream,
            system: original.system.as_ref().map(String::len),
            messages: Search::new(sent, offered).find_all(&original.messages),
        }
    }

    /// The original request.
    pub(super) fn apply(self, mut sent: Request, offered: &[ToolSpec]) -> Request {
        let catalog = Catalog::new(offered);
        let messages = self.messages.into_iter().map(|(role, origins)| {
            let parts = origins.into_iter().filter_map(|it| it.part(&sent.messages, &catalog));
            Message { role, parts: parts.collect() }
        });
        let messages = messages.collect();
        if let (Some(system), Some(length)) = (&mut sent.system, self.system) {
            system.truncate(length);
        }
        let Self { tools, tool_choice, parallel, stream, .. } = self;
        let system = sent.system.filter(|_| self.system.is_some());
        Request { system, messages, tools, tool_choice, parallel, stream, ..sent }
    }

    /// The parts that were not sent in any form.
    #[cfg(test)]
    pub(super) fn kept(&self) -> impl Iterator<Item = &Part> {
        let origins = self.messages.iter().flat_map(|(_, origins)| origins);
        origins.filter_map(|origin| match origin {
            Origin::Kept(part) => Some(part),
            Origin::At(..) | Origin::Text(..) | Origin::Written(..) => None,
        })
    }
}

impl Origin {
    /// The part of the original, made again.
    fn part(self, sent: &[Message], catalog: &Catalog) -> Option<Part> {
        let at = |(message, part): Place| sent.get(message)?.parts.get(part);
        match self {
            Self::At(place, None) => at(place).cloned(),
            Self::At(place, Some((id, name))) => Some(renamed(at(place)?.clone(), id, name)),
            Self::Text(place, range) => {
                Some(Part::Text(text_of(at(place)?)?.get(range)?.to_owned()))
            }
            Self::Written(place, range, part) => {
                filled(part, text_of(at(place)?)?.get(range)?, catalog)
            }
            Self::Kept(part) => Some(part),
        }
    }
}

/// The text that calls and results can stand in.
fn text_of(part: &Part) -> Option<String> {
    match part {
        Part::Text(text) => Some(text.clone()),
        Part::Reasoning(state) => Some(state.text()),
        Part::Call(_) | Part::BrokenCall(_) | Part::Result(_) => None,
    }
}

fn renamed(part: Part, id: CallId, name: String) -> Part {
    match part {
        Part::Call(call) => Part::Call(crate::ir::ToolCall { id, name, ..call }),
        Part::BrokenCall(call) => Part::BrokenCall(crate::ir::BrokenCall { id, name, ..call }),
        Part::Result(result) => {
            Part::Result(crate::ir::ToolResult { tool_call_id: id, name, ..result })
        }
        other @ (Part::Text(_) | Part::Reasoning(_)) => other,
    }
}

/// A part that was written as text, with what it brings read from there.
fn filled(mut part: Part, text: &str, catalog: &Catalog) -> Option<Part> {
    match &mut part {
        Part::Call(call) => {
            let parsed = textcall::parse(text, catalog, Options::default());
            call.input = parsed.calls().next()?.input.clone();
        }
        Part::Result(result) => {
            let (_, body) = Protocol::read_results(text).into_iter().next()?;
            result.content = body.get("content")?.clone();
        }
        Part::BrokenCall(call) => text.clone_into(&mut call.arguments),
        Part::Text(_) | Part::Reasoning(_) => {}
    }
    Some(part)
}

/// A part without what it brings: that stands in the text that was sent.
fn emptied(mut part: Part) -> Part {
    match &mut part {
        Part::Call(call) => {
            call.input = Value::Null;
            call.raw = Value::Null;
        }
        Part::Result(result) => result.content = Value::Null,
        Part::BrokenCall(call) => call.arguments.clear(),
        Part::Text(_) | Part::Reasoning(_) => {}
    }
    part
}

/// Finds the parts of the original in what was sent, each place and each byte once.
struct Search<'a> {
    sent: &'a Request,
    catalog: Catalog,
    taken: BTreeSet<Place>,
    /// How much of each text is taken.
    read: BTreeMap<Place, usize>,
}

impl<'a> Search<'a> {
    fn new(sent: &'a Request, offered: &[ToolSpec]) -> Self {
        let catalog = Catalog::new(offered);
        Self { sent, catalog, taken: BTreeSet::new(), read: BTreeMap::new() }
    }

    fn find_all(mut self, original: &[Message]) -> Vec<(Role, Vec<Origin>)> {
        let mut from = 0;
        let mut found = Vec::with_capacity(original.len());
        for message in original {
            let origins: Vec<Origin> =
                message.parts.iter().map(|part| self.find(part, from)).collect();
            let places = origins.iter().filter_map(|origin| match origin {
                Origin::At((message, _), _)
                | Origin::Text((message, _), _)
                | Origin::Written((message, _), ..) => Some(message + 1),
                Origin::Kept(_) => None,
            });
            from = places.max().unwrap_or(from);
            found.push((message.role, origins));
        }
        found
    }

    fn find(&mut self, part: &Part, from: usize) -> Origin {
        let sent = self.sent.messages.iter().enumerate().skip(from).take(WINDOW);
        let places: Vec<(Place, &'a Part)> = sent
            .flat_map(|(m, message)| {
                message.parts.iter().enumerate().map(move |(p, part)| ((m, p), part))
            })
            .collect();
        let as_is = places.iter().find_map(|(place, sent)| self.at(part, *place, sent));
        let found = as_is
            .or_else(|| places.iter().find_map(|(place, sent)| self.within(part, *place, sent)));
        found.unwrap_or_else(|| Origin::Kept(part.clone()))
    }

    fn at(&mut self, part: &Part, place: Place, sent: &Part) -> Option<Origin> {
        // Words of another part may have been found within reasoning; it still stands there whole.
        let is_read = self.read.contains_key(&place) && !matches!(part, Part::Reasoning(_));
        if self.taken.contains(&place) || is_read {
            return None;
        }
        let names = match (part, sent) {
            (Part::Call(call), Part::Call(_)) => Some((call.id.clone(), call.name.clone())),
            (Part::BrokenCall(call), Part::BrokenCall(_)) => {
                Some((call.id.clone(), call.name.clone()))
            }
            (Part::Result(result), Part::Result(_)) => {
                Some((result.tool_call_id.clone(), result.name.clone()))
            }
            _ => None,
        };
        let again = match names.clone() {
            Some((id, name)) => renamed(sent.clone(), id, name),
            None => sent.clone(),
        };
        if again != *part {
            return None;
        }
        self.taken.insert(place);
        Some(Origin::At(place, names.filter(|_| sent != part)))
    }

    fn within(&mut self, part: &Part, place: Place, sent: &Part) -> Option<Origin> {
        let text = text_of(sent)?;
        let start = self.read.get(&place).copied().unwrap_or_default();
        let rest = text.get(start..)?;
        let range = match part {
            Part::Text(words) => rest.find(words).map(|at| at..at + words.len()),
            Part::BrokenCall(call) => {
                rest.find(&call.arguments).map(|at| at..at + call.arguments.len())
            }
            Part::Call(call) => {
                let parsed = textcall::parse(rest, &self.catalog, Options::default());
                parsed.calls().find(|it| it.input == call.input).map(|it| it.span.clone())
            }
            Part::Result(result) => Protocol::read_results(rest)
                .into_iter()
                .find(|(_, body)| body.get("content") == Some(&result.content))
                .map(|(range, _)| range),
            Part::Reasoning(_) => None,
        }?;
        let range = start + range.start..start + range.end;
        self.read.insert(place, range.end);
        Some(match part {
            Part::Text(_) => Origin::Text(place, range),
            other => Origin::Written(place, range, emptied(other.clone())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{ReasoningField, ReasoningState};

    #[test]
    fn reasoning_that_holds_the_words_of_another_part_is_found_all_the_same() {
        let thought =
            Part::Reasoning(ReasoningState::new(ReasoningField::ReasoningContent, "so, yes"));
        let said =
            |parts| Request { messages: vec![Message::assistant(parts)], ..Request::default() };
        let original = said(vec![Part::Text("yes".to_owned()), thought.clone()]);
        let sent = said(vec![thought, Part::Text("yes, and more".to_owned())]);
        let undo = Undo::of(&original, &sent, &[]);
        assert_eq!(undo.kept().collect::<Vec<_>>(), Vec::<&Part>::new());
        assert_eq!(undo.apply(sent, &[]), original);
    }
}
