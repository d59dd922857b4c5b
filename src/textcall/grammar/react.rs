//! `Action:` names a tool on one line, `Action Input:` holds its arguments on the next.

use serde_json::Value;

use super::{Block, Family, MessageKind, Next, Step, head, is_name};
use crate::textcall::coerce::{Types, coerce};
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

impl Family for React {
    fn next(&self, view: &View<'_>, block: &mut Block) -> Read<Next> {
        if block.marks.found {
            return self.after(view, block.at).map(Next::Step);
        }
        let (name, input) = self.name(view, block.at)?;
        name.clone_into(&mut block.call.name);
        let mut at = view.skip_space(input);
        if let Some((_, inside)) = view.fence(at)? {
            at = view.skip_space(inside);
        } else if view.peek(at)? == '`' {
            at += 1;
        }
        if view.peek(at)? == '{' {
            return Ok(Next::Value(&scan::JSON, at));
        }
        plain_input(view, block, input).map(Next::Step)
    }

    fn closers(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

impl React {
    /// The name, and the place after the words that announce the arguments.
    fn name<'a>(&self, view: &View<'a>, from: usize) -> Read<(&'a str, usize)> {
        let decoration = |c: char| c.is_whitespace() || "`*\"'".contains(c);
        let one_word = |line: &str| !line.trim_matches(decoration).contains(' ');
        let line = head(view, from, |rest| rest.find('\n'), one_word)?;
        let name = line.trim_matches(decoration);
        let next = view.skip_space(from + line.len());
        if !is_name(name) {
            return Err(Stop::Reject);
        }
        if !view.has(next, self.input)? {
            return Err(view.short_at(next));
        }
        Ok((name, next + self.input.len()))
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
        if view.has(at, self.observation)? {
            return Ok(Step::Message { kind: MessageKind::Invention, body: at });
        }
        Ok(Step::End { end })
    }
}

/// A line of text: the argument of a tool that takes one. It is complete when its line is.
fn plain_input(view: &View<'_>, block: &mut Block, from: usize) -> Read<Step> {
    let line = head(view, from, |rest| rest.find('\n'), |_| true)?;
    let text = line.trim().trim_matches('`');
    let call = &mut block.call;
    let root = view.catalog.schema(&call.name).ok_or(Stop::Reject)?;
    match view.catalog.parameters(&call.name).as_slice() {
        [] => {}
        [key] if !text.is_empty() => {
            let quoted = serde_json::from_str(text).ok().filter(Value::is_string);
            let types = Types::of_parameter(Some(root), key);
            let value = quoted.unwrap_or_else(|| coerce(text, &types));
            call.input.insert((*key).to_owned(), value);
        }
        _ => return Err(Stop::Reject),
    }
    Ok(block.called(from + line.len()))
}
