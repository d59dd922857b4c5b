//! `Action:` names a tool on one line, `Action Input:` holds its arguments on the next.

use serde_json::Value;

use super::{MessageKind, Reader, Step, is_name};
use crate::ir::Object;
use crate::textcall::coerce::{Types, coerce};
use crate::textcall::literal;
use crate::textcall::parsed::ProblemCode;
use crate::textcall::payload::Draft;
use crate::textcall::scan::{self, Scan};
use crate::textcall::view::{Read, Stop, View};

/// `Action: NAME⏎Action Input: {…}⏎Observation:`
#[derive(Debug, PartialEq, Eq)]
pub(in crate::textcall) struct React {
    /// What stands before the arguments.
    pub(in crate::textcall) input: &'static str,
    /// What the host would say next: from here on the model makes things up.
    pub(in crate::textcall) observation: &'static str,
}

impl React {
    pub(in crate::textcall) fn reader(&'static self, at: usize) -> Box<dyn Reader> {
        Box::new(Turn { config: self, at, stage: Stage::Name, name: String::new() })
    }
}

#[derive(Debug)]
struct Turn {
    config: &'static React,
    at: usize,
    stage: Stage,
    name: String,
}

#[derive(Debug)]
enum Stage {
    Name,
    Input,
    Scan(Scan),
    After,
}

/// The longest line that is waited for.
const MAX_LINE: usize = 512;

impl Reader for Turn {
    fn awaits(&self) -> Option<u8> {
        match self.stage {
            Stage::Scan(_) => Some(b'}'),
            _ => None,
        }
    }

    fn step(&mut self, view: &View<'_>) -> Read<Step> {
        loop {
            match &mut self.stage {
                Stage::Name => self.name(view)?,
                Stage::Input => {
                    if let Some(step) = self.input(view)? {
                        return Ok(step);
                    }
                }
                Stage::Scan(scan) => {
                    let end = scan.run(view)?;
                    return self.scanned(view, end);
                }
                Stage::After => return self.after(view),
            }
        }
    }
}

impl Turn {
    fn name(&mut self, view: &View<'_>) -> Read<()> {
        let rest = view.rest(self.at);
        let decoration = |c: char| c.is_whitespace() || "`*\"'".contains(c);
        let Some(length) = rest.find('\n') else {
            let hopeless = rest.len() > MAX_LINE || rest.trim_matches(decoration).contains(' ');
            return Err(if hopeless { Stop::Reject } else { view.short() });
        };
        let name = rest.get(..length).unwrap_or("").trim_matches(decoration);
        let next = view.skip_space(self.at + length);
        if !is_name(name) {
            return Err(Stop::Reject);
        }
        if !view.has(next, self.config.input)? {
            return Err(if next == view.end() { view.short() } else { Stop::Reject });
        }
        name.clone_into(&mut self.name);
        self.at = next + self.config.input.len();
        self.stage = Stage::Input;
        Ok(())
    }

    fn input(&mut self, view: &View<'_>) -> Read<Option<Step>> {
        let mut at = view.skip_space(self.at);
        if let Some((_, inside)) = view.fence(at)? {
            at = view.skip_space(inside);
        } else if view.peek(at)? == '`' {
            at += 1;
        }
        if view.peek(at)? == '{' {
            self.at = at;
            self.stage = Stage::Scan(Scan::new(&scan::JSON, at));
            return Ok(None);
        }
        self.plain_input(view).map(Some)
    }

    /// A line of text: the argument of a tool that takes one. It is complete when its line is.
    fn plain_input(&mut self, view: &View<'_>) -> Read<Step> {
        let rest = view.rest(self.at);
        let Some(length) = rest.find('\n') else {
            return Err(if rest.len() > MAX_LINE { Stop::Reject } else { view.short() });
        };
        let text = rest.get(..length).unwrap_or("").trim().trim_matches('`');
        let declared = view.catalog.parameters(&self.name);
        let root = view.catalog.schema(&self.name).ok_or(Stop::Reject)?;
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
        Ok(self.called(input, self.at + length))
    }

    fn scanned(&mut self, view: &View<'_>, end: usize) -> Read<Step> {
        match literal::json(view.slice(self.at..end)) {
            Ok((Value::Object(input), _)) => Ok(self.called(input, end)),
            Ok(_) => Err(Stop::Reject),
            Err(detail) => {
                let detail = format!("invalid JSON: {detail}");
                Err(Stop::Broken { code: ProblemCode::InvalidJson, detail, end })
            }
        }
    }

    fn called(&mut self, input: Object, end: usize) -> Step {
        self.at = end;
        self.stage = Stage::After;
        let name = std::mem::take(&mut self.name);
        Step::call(Draft { name, id: None, input, repairs: Vec::new() }, end)
    }

    fn after(&mut self, view: &View<'_>) -> Read<Step> {
        let ticks = view.rest(self.at).trim_start();
        let mut at = view.skip_space(self.at);
        if ticks.starts_with('`') || ticks.is_empty() && !view.is_final() {
            let run = ticks.len() - ticks.trim_start_matches('`').len();
            view.peek_or_end(at + run)?;
            self.at = at + run;
            at = view.skip_space(self.at);
        }
        if view.has(at, self.config.observation)? {
            return Ok(Step::Message { kind: MessageKind::Invention, body: at });
        }
        Ok(Step::End { end: self.at })
    }
}
