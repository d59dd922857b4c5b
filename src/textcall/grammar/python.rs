//! Pythonic calls: `name(key=value)`, in a list or one per line.

use super::{Reader, Step, is_name};
use crate::ir::Object;
use crate::textcall::literal;
use crate::textcall::parsed::{ProblemCode, Repair};
use crate::textcall::payload::{Draft, Refusal, Trust};
use crate::textcall::scan::{self, Scan};
use crate::textcall::view::{Read, Stop, View};

/// `[name(key=value), …]`
#[derive(Debug, PartialEq, Eq)]
pub(in crate::textcall) struct Python {
    /// Whether the calls stand in a list.
    pub(in crate::textcall) brackets: Brackets,
    /// The closing markers; models forget them.
    pub(in crate::textcall) close: &'static [&'static str],
    /// Whether the names must be offered ones.
    pub(in crate::textcall) trust: Trust,
}

/// Whether the calls stand in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::textcall) enum Brackets {
    /// They must.
    Required,
    /// They may.
    Optional,
}

impl Python {
    pub(in crate::textcall) fn reader(&'static self, at: usize) -> Box<dyn Reader> {
        let stage = Stage::Start;
        Box::new(Calls { config: self, at, stage, name: String::new(), list: false, any: false })
    }
}

#[derive(Debug)]
struct Calls {
    config: &'static Python,
    at: usize,
    stage: Stage,
    name: String,
    list: bool,
    any: bool,
}

#[derive(Debug)]
enum Stage {
    Start,
    Name,
    Scan(Scan),
    After,
}

impl Reader for Calls {
    fn awaits(&self) -> Option<u8> {
        match self.stage {
            Stage::Scan(_) => Some(b')'),
            _ => None,
        }
    }

    fn step(&mut self, view: &View<'_>) -> Read<Step> {
        loop {
            match &mut self.stage {
                Stage::Start => self.start(view)?,
                Stage::Name => self.name(view)?,
                Stage::Scan(scan) => {
                    let end = scan.run(view)?;
                    return self.called(view, end);
                }
                Stage::After => {
                    if let Some(end) = self.after(view)? {
                        return Ok(Step::End { end });
                    }
                }
            }
        }
    }
}

impl Calls {
    fn start(&mut self, view: &View<'_>) -> Read<()> {
        let at = view.skip_space(self.at);
        self.list = view.peek(at)? == '[';
        if !self.list && self.config.brackets == Brackets::Required {
            return Err(Stop::Reject);
        }
        self.at = if self.list { at + 1 } else { at };
        self.stage = Stage::Name;
        Ok(())
    }

    fn name(&mut self, view: &View<'_>) -> Read<()> {
        let at = view.skip_space(self.at);
        let rest = view.rest(at);
        let part_of_name = |c: char| c.is_alphanumeric() || "_.-:".contains(c);
        let name =
            rest.get(..rest.len() - rest.trim_start_matches(part_of_name).len()).unwrap_or("");
        let next = view.peek(at + name.len());
        if next != Ok('(') {
            let open = next.is_err() && (name.is_empty() || is_name(name));
            return Err(if open { view.short() } else { Stop::Reject });
        }
        let plain = name.strip_suffix(".call").filter(|_| !view.catalog.offers(name));
        let known =
            self.config.trust == Trust::Marked || view.catalog.offers(name) || plain.is_some();
        if !is_name(name) || !known {
            return Err(Stop::Reject);
        }
        plain.unwrap_or(name).clone_into(&mut self.name);
        self.at = at + name.len();
        self.stage = Stage::Scan(Scan::new(&scan::PYTHON, self.at));
        Ok(())
    }

    fn called(&mut self, view: &View<'_>, end: usize) -> Read<Step> {
        let text = view.slice(self.at + 1..end - 1);
        let name = std::mem::take(&mut self.name);
        let call = match literal::python_arguments(text) {
            Ok((arguments, repairs)) => assign(name, arguments, repairs, view),
            Err(_) if self.config.trust == Trust::Offered && !self.any => return Err(Stop::Reject),
            Err(detail) => {
                let detail = format!("the arguments of {name} are not Python literals: {detail}");
                Err((ProblemCode::InvalidArguments, detail))
            }
        };
        self.at = end;
        self.any = true;
        self.stage = Stage::After;
        Ok(Step::Found { calls: vec![call], text: None, end })
    }

    fn after(&mut self, view: &View<'_>) -> Read<Option<usize>> {
        let at = view.skip_space(self.at);
        match view.peek_or_end(at)? {
            Some(',' | ';') => {
                let next = view.skip_space(at + 1);
                let last = self.list && view.peek_or_end(next)? == Some(']');
                self.go_on(if last { Stage::After } else { Stage::Name }, next);
            }
            Some(']') if self.list => {
                self.list = false;
                self.go_on(Stage::After, at + 1);
            }
            next => {
                if let Some(length) = view.any(at, self.config.close)? {
                    return Ok(Some(at + length));
                }
                let line = view.slice(self.at..at).contains('\n');
                let word = next.is_some_and(|c| c.is_alphabetic() || c == '_');
                if !(word && line && self.config.brackets == Brackets::Optional) {
                    return Ok(Some(self.at));
                }
                self.go_on(Stage::Name, at);
            }
        }
        Ok(None)
    }

    fn go_on(&mut self, stage: Stage, at: usize) {
        self.stage = stage;
        self.at = at;
    }
}

/// Gives every argument its parameter; those given by position take the declared order.
fn assign(
    name: String,
    arguments: Vec<literal::Argument>,
    mut repairs: Vec<Repair>,
    view: &View<'_>,
) -> Result<Draft, Refusal> {
    if let [(None, serde_json::Value::Object(input))] = arguments.as_slice() {
        repairs.push(Repair::PositionalArgument);
        return Ok(Draft { name, id: None, input: input.clone(), repairs });
    }
    let declared = view.catalog.parameters(&name);
    let mut input = Object::new();
    for (index, (key, value)) in arguments.into_iter().enumerate() {
        let positional = key.is_none();
        let key = key.or_else(|| declared.get(index).map(|key| (*key).to_owned()));
        let Some(key) = key else {
            let detail = format!("argument {} of {name} has no parameter name", index + 1);
            return Err((ProblemCode::InvalidArguments, detail));
        };
        if positional {
            repairs.push(Repair::PositionalArgument);
        }
        input.insert(key, value);
    }
    repairs.dedup();
    Ok(Draft { name, id: None, input, repairs })
}
