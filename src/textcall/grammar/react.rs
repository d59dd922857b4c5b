//! `Action:` names a tool on one line, `Action Input:` holds its arguments on the next.

use serde_json::Value;

use super::{Block, Family, MessageKind, Next, Reader, Step, Who, is_name, json_value};
use crate::ir::Object;
use crate::textcall::coerce::{Types, coerce};
use crate::textcall::payload::Draft;
use crate::textcall::scan;
use crate::textcall::view::{Read, Stop, View};

/// `Action: NAME⏎Action Input: {…}⏎Observation:`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct React {
    /// What stands before the arguments.
    pub(crate) input: &'static str,
    /// What the host would say next: from here on the model makes things up.
    pub(crate) observation: &'static str,
}

impl React {
    pub(crate) fn reader(&'static self, at: usize) -> Box<dyn Reader> {
        Block::reader(Turn { config: self, called: false }, at)
    }
}

#[derive(Debug, Clone)]
struct Turn {
    config: &'static React,
    called: bool,
}

/// The longest line that is waited for.
const MAX_LINE: usize = 512;

impl Family for Turn {
    fn next(&mut self, view: &View<'_>, from: usize) -> Read<Next> {
        if self.called {
            return self.after(view, from).map(Next::Step);
        }
        let (name, input) = self.name(view, from)?;
        let mut at = view.skip_space(input);
        if let Some((_, inside)) = view.fence(at)? {
            at = view.skip_space(inside);
        } else if view.peek(at)? == '`' {
            at += 1;
        }
        if view.peek(at)? == '{' {
            return Ok(Next::Value(&scan::JSON, Who { name, id: None }, at));
        }
        self.plain_input(view, name, input).map(Next::Step)
    }

    fn decode(&mut self, _: &View<'_>, who: Who, text: &str, end: usize) -> Read<Step> {
        match json_value(text, end)? {
            (Value::Object(input), _) => Ok(self.call(who.name, input, end)),
            _ => Err(Stop::Reject),
        }
    }
}

impl Turn {
    /// The name, and the place after the words that announce the arguments.
    fn name(&self, view: &View<'_>, from: usize) -> Read<(String, usize)> {
        let rest = view.rest(from);
        let decoration = |c: char| c.is_whitespace() || "`*\"'".contains(c);
        let Some(length) = rest.find('\n') else {
            let hopeless = rest.len() > MAX_LINE || rest.trim_matches(decoration).contains(' ');
            return Err(if hopeless { Stop::Reject } else { view.short() });
        };
        let name = rest.get(..length).unwrap_or("").trim_matches(decoration);
        let next = view.skip_space(from + length);
        if !is_name(name) {
            return Err(Stop::Reject);
        }
        if !view.has(next, self.config.input)? {
            return Err(view.short_at(next));
        }
        Ok((name.to_owned(), next + self.config.input.len()))
    }

    /// A line of text: the argument of a tool that takes one. It is complete when its line is.
    fn plain_input(&mut self, view: &View<'_>, name: String, from: usize) -> Read<Step> {
        let rest = view.rest(from);
        let Some(length) = rest.find('\n') else {
            return Err(if rest.len() > MAX_LINE { Stop::Reject } else { view.short() });
        };
        let text = rest.get(..length).unwrap_or("").trim().trim_matches('`');
        let declared = view.catalog.parameters(&name);
        let root = view.catalog.schema(&name).ok_or(Stop::Reject)?;
        let input = match declared.as_slice() {
            [] => Object::new(),
            [key] if !text.is_empty() => {
                let types = Types::of_parameter(Some(root), key);
                let quoted = serde_json::from_str(text).ok().filter(Value::is_string);
                let value = quoted.unwrap_or_else(|| coerce(text, types));
                [((*key).to_owned(), value)].into_iter().collect()
            }
            _ => return Err(Stop::Reject),
        };
        Ok(self.call(name, input, from + length))
    }

    fn call(&mut self, name: String, input: Object, end: usize) -> Step {
        self.called = true;
        Step::call(Draft { name, id: None, input, repairs: Vec::new() }, end)
    }

    fn after(&self, view: &View<'_>, from: usize) -> Read<Step> {
        let ticks = view.rest(from).trim_start();
        let (mut end, mut at) = (from, view.skip_space(from));
        if ticks.starts_with('`') || ticks.is_empty() && !view.is_final() {
            let run = ticks.len() - ticks.trim_start_matches('`').len();
            view.peek_or_end(at + run)?;
            end = at + run;
            at = view.skip_space(end);
        }
        if view.has(at, self.config.observation)? {
            return Ok(Step::Message { kind: MessageKind::Invention, body: at });
        }
        Ok(Step::End { end })
    }
}
