//! Pythonic calls: `name(key=value)`, in a list or one per line.

use super::{Block, Family, Next, Reader, Step, Who, is_name};
use crate::ir::Object;
use crate::textcall::literal;
use crate::textcall::parsed::{ProblemCode, Repair};
use crate::textcall::payload::{Draft, Refusal, Trust};
use crate::textcall::scan;
use crate::textcall::view::{Read, Stop, View};

/// `[name(key=value), …]`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Python {
    /// Whether the calls stand in a list.
    pub(crate) brackets: Brackets,
    /// The closing markers; models forget them.
    pub(crate) close: &'static [&'static str],
    /// Whether the names must be offered ones.
    pub(crate) trust: Trust,
}

/// Whether the calls stand in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Brackets {
    /// They must.
    Required,
    /// They may.
    Optional,
}

impl Python {
    pub(crate) fn reader(&'static self, at: usize) -> Box<dyn Reader> {
        Block::reader(Calls { config: self, list: false, any: false }, at)
    }
}

#[derive(Debug, Clone)]
struct Calls {
    config: &'static Python,
    list: bool,
    any: bool,
}

impl Family for Calls {
    fn next(&mut self, view: &View<'_>, from: usize) -> Read<Next> {
        if self.any {
            return self.after(view, from);
        }
        let at = view.skip_space(from);
        self.list = view.peek(at)? == '[';
        if !self.list && self.config.brackets == Brackets::Required {
            return Err(Stop::Reject);
        }
        self.name(view, if self.list { at + 1 } else { at })
    }

    fn decode(&mut self, view: &View<'_>, who: Who, text: &str, end: usize) -> Read<Step> {
        let name = who.name;
        let call = match literal::python_arguments(text) {
            Ok((arguments, repairs)) => assign(name, arguments, repairs, view),
            Err(_) if self.config.trust == Trust::Offered && !self.any => return Err(Stop::Reject),
            Err(detail) => {
                let detail = format!("the arguments of {name} are not Python literals: {detail}");
                Err((ProblemCode::InvalidArguments, detail))
            }
        };
        self.any = true;
        Ok(Step::Found { calls: vec![call], text: None, end })
    }
}

impl Calls {
    fn name(&self, view: &View<'_>, from: usize) -> Read<Next> {
        let at = view.skip_space(from);
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
        let who = Who { name: plain.unwrap_or(name).to_owned(), id: None };
        Ok(Next::Value(&scan::PYTHON, who, at + name.len()))
    }

    fn after(&mut self, view: &View<'_>, mut from: usize) -> Read<Next> {
        loop {
            let at = view.skip_space(from);
            match view.peek_or_end(at)? {
                Some(',' | ';') => {
                    from = view.skip_space(at + 1);
                    if !self.list || view.peek_or_end(from)? != Some(']') {
                        return self.name(view, from);
                    }
                }
                Some(']') if self.list => {
                    self.list = false;
                    from = at + 1;
                }
                next => {
                    if let Some(length) = view.any(at, self.config.close)? {
                        return Ok(Next::end(at + length));
                    }
                    let line = view.slice(from..at).contains('\n');
                    let word = next.is_some_and(|c| c.is_alphabetic() || c == '_');
                    let more = word && line && self.config.brackets == Brackets::Optional;
                    return if more { self.name(view, at) } else { Ok(Next::end(from)) };
                }
            }
        }
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
