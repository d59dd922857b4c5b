//! The grammar of calls alone or in a list: JSON objects that name the tool, or `name(key=value)`.

use serde_json::Value;

use super::{
    Block, CallGrammar, CallOrEnd, Next, ReadStep, head, head_window, is_name, json_value,
};
use crate::textcall::literal;
use crate::textcall::parsed::{ProblemCode, Repair};
use crate::textcall::payload::{self, CallDraft, Refusal, Trust};
use crate::textcall::scan::Flavour;
use crate::textcall::steps::charge;
use crate::textcall::view::{ReadResult, ReadStop, View};

/// `[{"name": N, "arguments": {…}}, …]` or `[name(key=value), …]`, in markers, in a fence or bare.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// What the calls are written in.
    pub(crate) notation: Notation,
    /// Whether they stand in a list.
    pub(crate) starts: Starts,
    /// What a Markdown fence around the payload means.
    pub(crate) fence: Fence,
    /// Tokens that may stand between the opener and the payload.
    pub(crate) gap: &'static [&'static str],
    /// The closing markers; models forget them.
    pub(crate) close: &'static [&'static str],
    /// Whether a marker vouches for the call.
    pub(crate) trust: Trust,
    /// Names that mean "no call".
    pub(crate) pseudo: &'static [&'static str],
}

/// What calls are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    Json,
    Python,
}

/// Whether calls stand in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Starts {
    /// They do not.
    Object,
    /// They must.
    List,
    /// They may.
    Either,
}

/// What a Markdown fence around the payload means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fence {
    /// That this is not the format.
    Refused,
    /// A slip of the model.
    Slip,
    /// Part of the format, which may be left out.
    Usual,
    /// Part of the format.
    Native,
}

impl Listed {
    /// Either shape, no closer, vouched for by its marker.
    pub(crate) const MARKED: Self = Self {
        notation: Notation::Json,
        starts: Starts::Either,
        fence: Fence::Slip,
        gap: &[],
        close: &[],
        trust: Trust::Marked,
        pseudo: &[],
    };

    /// Either shape, without a marker.
    pub(crate) const BARE: Self =
        Self { trust: Trust::Offered, fence: Fence::Refused, ..Self::MARKED };
}

/// The words after a fence that a call may be in.
const FENCES: [&str; 7] = ["", "json", "json5", "jsonc", "tool_call", "tool_use", "function_call"];

impl CallGrammar for Listed {
    fn next(&self, view: &View<'_>, block: &mut Block) -> ReadResult<Next> {
        let place = if block.found { self.after(view, block)? } else { self.start(view, block)? };
        match (place, self.notation) {
            (Ok(at), Notation::Json) => self.object(view, block, at),
            (Ok(at), Notation::Python) => self.name(view, block, at),
            (Err(end), _) => Ok(end),
        }
    }

    fn decode(&self, view: &View<'_>, block: &mut Block, text: &str) -> ReadResult<Next> {
        let rejects = self.trust == Trust::Offered && !block.found;
        let end = block.at;
        if self.notation == Notation::Python {
            let call = read_python_call(view, std::mem::take(&mut block.call), text);
            let call = if rejects { Ok(call.map_err(|_| ReadStop::Reject)?) } else { call };
            return Ok(Next::Step(ReadStep::Found { calls: vec![call], text: None, end }));
        }
        let (value, mut repairs) =
            json_value(text, end).map_err(|stop| if rejects { ReadStop::Reject } else { stop })?;
        let offered = self.trust == Trust::Offered;
        if offered && !payload::offered(&value, view.catalog) {
            return Err(ReadStop::Reject);
        }
        if block.fenced && self.fence == Fence::Slip {
            repairs.push(Repair::Fence);
        }
        let mut calls = payload::calls(&value);
        let pseudo = |call: &CallDraft| self.pseudo.contains(&call.name.as_str());
        calls.retain(|call| !call.as_ref().is_ok_and(pseudo));
        calls.iter_mut().flatten().for_each(|call| call.repairs.extend(&repairs));
        let text = payload::message_text(&value).filter(|_| offered).map(str::to_owned);
        Ok(Next::Step(ReadStep::Found { calls, text, end }))
    }
}

impl Listed {
    /// Finds the first call, in the list if there is one.
    fn start(&self, view: &View<'_>, block: &mut Block) -> ReadResult<CallOrEnd> {
        let mut at = view.skip_tokens(block.at, self.gap)?;
        match (view.fence(at)?, self.fence) {
            (Some(_), Fence::Refused) | (None, Fence::Native) => return Err(ReadStop::Reject),
            (Some((word, _)), Fence::Native) if !FENCES.contains(&word) => {
                return Err(ReadStop::Reject);
            }
            (Some((_, inside)), _) => {
                block.fenced = true;
                at = view.skip_space(inside);
            }
            (None, _) => {}
        }
        let list = view.peek(at)? == '[';
        if list && self.starts == Starts::Object || !list && self.starts == Starts::List {
            return Err(ReadStop::Reject);
        }
        block.list = list;
        Ok(Ok(if list { view.skip_space(at + 1) } else { at }))
    }

    /// Looks behind a call for the next one, where a comma or nothing at all stands between them.
    fn after(&self, view: &View<'_>, block: &mut Block) -> ReadResult<CallOrEnd> {
        let mut from = block.at;
        loop {
            let at = view.skip_space(from);
            match view.peek_or_end(at)? {
                Some(',' | ';') => {
                    from = view.skip_space(at + 1);
                    if !block.list || view.peek_or_end(from)? != Some(']') {
                        return Ok(Ok(from));
                    }
                }
                Some(']') if block.list => {
                    block.list = false;
                    from = at + 1;
                }
                Some('`') if block.fenced && view.has(at, "```")? => {
                    block.fenced = false;
                    from = at + 3;
                }
                Some(next) if !block.list && self.follows(view.slice(from..at), next) => {
                    return Ok(Ok(at));
                }
                // One bracket too many before the closing marker.
                Some('}' | ']') if view.skip_any(at + 1, self.close)? > at + 1 => from = at + 1,
                _ => return Ok(Err(Next::end(view.skip_any(from, self.close)?))),
            }
        }
    }

    /// Whether a call that no comma announces starts with this character behind this gap.
    fn follows(&self, gap: &str, first: char) -> bool {
        let line = self.starts == Starts::Either && gap.contains('\n');
        let word = first.is_alphabetic() || first == '_';
        if self.notation == Notation::Json { first == '{' } else { line && word }
    }

    /// Makes sure that an object starts here, and one that can be a call.
    fn object(&self, view: &View<'_>, block: &Block, at: usize) -> ReadResult<Next> {
        if view.peek(at)? != '{' {
            return Err(ReadStop::Reject);
        }
        let inside = view.skip_space(at + 1);
        let first = view.peek(inside)?;
        let quoted = matches!(first, '"' | '\'');
        if !(quoted || first.is_alphabetic() || "}_/".contains(first)) {
            return Err(ReadStop::Reject);
        }
        if self.trust == Trust::Offered && !block.found {
            let key = head(view, inside + 1, |rest| rest.find(first), |_| quoted)?;
            if !quoted || !payload::starts_call(key, view.catalog) {
                return Err(ReadStop::Reject);
            }
        }
        Ok(Next::Value(Flavour::Json, at))
    }

    fn name(&self, view: &View<'_>, block: &mut Block, at: usize) -> ReadResult<Next> {
        let rest = head_window(view, at);
        charge(rest.len());
        let part_of_name = |c: char| c.is_alphanumeric() || "_.-:".contains(c);
        let after = rest.trim_start_matches(part_of_name);
        let name = rest.get(..rest.len() - after.len()).unwrap_or("");
        if after.is_empty() && (name.is_empty() || is_name(name)) {
            return Err(view.short());
        }
        let plain = name.strip_suffix(".call").filter(|_| !view.catalog.offers(name));
        let known = self.trust == Trust::Marked || view.catalog.offers(name) || plain.is_some();
        if !after.starts_with('(') || !is_name(name) || !known {
            return Err(ReadStop::Reject);
        }
        plain.unwrap_or(name).clone_into(&mut block.call.name);
        Ok(Next::Value(Flavour::Python, at + name.len()))
    }
}

/// Reads arguments in parentheses. Those given by position take the declared order.
fn read_python_call(
    view: &View<'_>,
    mut call: CallDraft,
    text: &str,
) -> Result<CallDraft, Refusal> {
    let name = &call.name;
    let refusal = |detail: String| (ProblemCode::InvalidArguments, detail);
    let (arguments, repairs) = literal::python_arguments(text).map_err(|detail| {
        refusal(format!("the arguments of {name} are not Python literals: {detail}"))
    })?;
    call.repairs = repairs;
    if arguments.iter().any(|(key, _)| key.is_none()) {
        call.repairs.push(Repair::PositionalArgument);
    }
    if let [(None, Value::Object(input))] = arguments.as_slice() {
        return Ok(CallDraft { input: input.clone(), ..call });
    }
    let declared = view.catalog.parameters(name);
    for (index, (key, value)) in arguments.into_iter().enumerate() {
        let key = key.or_else(|| declared.get(index).map(|key| (*key).to_owned()));
        let nameless = || format!("argument {} of {name} has no parameter name", index + 1);
        call.input.insert(key.ok_or_else(|| refusal(nameless()))?, value);
    }
    Ok(call)
}
