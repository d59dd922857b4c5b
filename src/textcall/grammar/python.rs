//! Pythonic calls: `name(key=value)`, in a list or one per line.

use super::{Block, Family, Next, Step, is_name};
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

impl Family for Python {
    fn next(&self, view: &View<'_>, block: &mut Block) -> Read<Next> {
        let optional = self.brackets == Brackets::Optional;
        if block.marks.found {
            let word = |c: char| c.is_alphabetic() || c == '_';
            let follows = |gap: &str, next| optional && gap.contains('\n') && word(next);
            return match block.listed(view, self.close, follows)? {
                Ok(at) => self.name(view, block, at),
                Err(next) => Ok(next),
            };
        }
        let at = view.skip_space(block.at);
        block.marks.list = view.peek(at)? == '[';
        if !block.marks.list && !optional {
            return Err(Stop::Reject);
        }
        let at = if block.marks.list { view.skip_space(at + 1) } else { at };
        self.name(view, block, at)
    }

    fn decode(&self, view: &View<'_>, block: &mut Block, text: &str) -> Read<Option<Step>> {
        let call = std::mem::take(&mut block.call);
        let call = match literal::python_arguments(text) {
            Ok((arguments, repairs)) => assign(Draft { repairs, ..call }, arguments, view),
            Err(_) if self.trust == Trust::Offered && !block.marks.found => {
                return Err(Stop::Reject);
            }
            Err(detail) => {
                let name = call.name;
                let detail = format!("the arguments of {name} are not Python literals: {detail}");
                Err((ProblemCode::InvalidArguments, detail))
            }
        };
        Ok(Some(Step::Found { calls: vec![call], text: None, end: block.at }))
    }
}

impl Python {
    fn name(&self, view: &View<'_>, block: &mut Block, at: usize) -> Read<Next> {
        let rest = view.rest(at);
        let part_of_name = |c: char| c.is_alphanumeric() || "_.-:".contains(c);
        let after = rest.trim_start_matches(part_of_name);
        let name = rest.strip_suffix(after).unwrap_or("");
        if after.is_empty() && (name.is_empty() || is_name(name)) {
            return Err(view.short());
        }
        let plain = name.strip_suffix(".call").filter(|_| !view.catalog.offers(name));
        let known = self.trust == Trust::Marked || view.catalog.offers(name) || plain.is_some();
        if !after.starts_with('(') || !is_name(name) || !known {
            return Err(Stop::Reject);
        }
        plain.unwrap_or(name).clone_into(&mut block.call.name);
        Ok(Next::Value(&scan::PYTHON, at + name.len()))
    }
}

/// Gives every argument its parameter; those given by position take the declared order.
fn assign(
    mut call: Draft,
    arguments: Vec<literal::Argument>,
    view: &View<'_>,
) -> Result<Draft, Refusal> {
    if let [(None, serde_json::Value::Object(input))] = arguments.as_slice() {
        call.repairs.push(Repair::PositionalArgument);
        return Ok(Draft { input: input.clone(), ..call });
    }
    let declared = view.catalog.parameters(&call.name);
    for (index, (key, value)) in arguments.into_iter().enumerate() {
        if key.is_none() {
            call.repairs.push(Repair::PositionalArgument);
        }
        let key = key.or_else(|| declared.get(index).map(|key| (*key).to_owned()));
        let Some(key) = key else {
            let detail = format!("argument {} of {} has no parameter name", index + 1, call.name);
            return Err((ProblemCode::InvalidArguments, detail));
        };
        call.input.insert(key, value);
    }
    call.repairs.dedup();
    Ok(call)
}
