//! Splitting: a tool whose arguments are one of several alternatives is offered as one tool for each.

use serde_json::Value;

use super::choice;
use crate::ir::{Message, Object, Part, Reply, Request, ToolChoice, ToolSpec};
use crate::tools::ArgumentSchema;

/// The longest name that every provider takes.
const MAX_NAME: usize = 64;

/// A tool of the caller, and what is offered in its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Offer {
    tool: ToolSpec,
    parts: Vec<ToolSpec>,
}

/// What is offered for each tool; nothing for a tool that stays whole.
pub(super) fn offers(tools: &[ToolSpec], keywords: &[String]) -> Vec<Offer> {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let offer = |tool: &ToolSpec| {
        let parts = parts(tool, keywords)?;
        let is_free = parts.iter().all(|part| !names.contains(&part.name.as_str()));
        is_free.then(|| Offer { tool: tool.clone(), parts })
    };
    tools.iter().filter_map(offer).collect()
}

/// The parts of a tool whose schema is, at its root, a choice between objects.
fn parts(tool: &ToolSpec, keywords: &[String]) -> Option<Vec<ToolSpec>> {
    let root = tool.input_schema.as_object()?;
    let keyword = keywords.iter().find(|keyword| root.contains_key(*keyword))?;
    let branches: Vec<&Object> =
        root.get(keyword)?.as_array()?.iter().map(|it| resolve(root, it)).collect::<Option<_>>()?;
    if branches.len() < 2 {
        return None;
    }
    let part = |(index, branch): (usize, &&Object)| {
        let number = index + 1;
        ToolSpec {
            name: part_name(&tool.name, number),
            description: format!("{} Form {number} of {}.", tool.description, branches.len()),
            input_schema: Value::Object(merge_branch(root, keyword, branch)),
            strict: tool.strict,
        }
    };
    Some(branches.iter().enumerate().map(part).collect())
}

fn part_name(name: &str, number: usize) -> String {
    let suffix = format!("__{number}");
    let short: String = name.chars().take(MAX_NAME.saturating_sub(suffix.len())).collect();
    short + &suffix
}

fn resolve<'s>(root: &'s Object, branch: &'s Value) -> Option<&'s Object> {
    let branch = branch.as_object()?;
    let Some(pointer) = branch.get("$ref").and_then(|it| it.as_str()?.strip_prefix("#/")) else {
        return Some(branch);
    };
    let mut steps = pointer.split('/');
    let first = root.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))?.as_object()
}

/// The root without its choice, and one branch with it.
fn merge_branch(root: &Object, keyword: &str, branch: &Object) -> Object {
    let mut out = root.clone();
    out.shift_remove(keyword);
    for (key, value) in branch {
        let both = match (out.get(key), value) {
            (Some(Value::Object(mine)), Value::Object(more)) if key == "properties" => {
                let more = more.iter().map(|(name, it)| (name.clone(), it.clone()));
                Value::Object(mine.clone().into_iter().chain(more).collect())
            }
            (Some(Value::Array(mine)), Value::Array(more)) if key == "required" => {
                mine.iter().chain(more.iter().filter(|it| !mine.contains(it))).cloned().collect()
            }
            _ => value.clone(),
        };
        out.insert(key.clone(), both);
    }
    out
}

/// The tools, where each split tool is replaced by its parts.
pub(super) fn offer_parts(tools: &[ToolSpec], offers: &[Offer]) -> Vec<ToolSpec> {
    let offered = tools.iter().flat_map(|tool| match offer_of(offers, &tool.name) {
        Some(offer) => offer.parts.clone(),
        None => vec![tool.clone()],
    });
    offered.collect()
}

/// Offers the parts, and names them in the history and in the tool choice.
pub(super) fn write(request: &mut Request, offers: &[Offer]) {
    request.tools = offer_parts(&request.tools, offers);
    rename_history(&mut request.messages, offers);
    if let Some(ToolChoice::Named(name)) = &request.tool_choice
        && let Some(offer) = offer_of(offers, name)
    {
        let names: Vec<String> = offer.parts.iter().map(|it| format!("`{}`", it.name)).collect();
        let is_only = request.tools.len() == offer.parts.len();
        request.tool_choice = is_only.then_some(ToolChoice::Required);
        if !is_only {
            choice::say(request, &format!("Now call one of the tools {}.", names.join(", ")));
        }
    }
}

fn offer_of<'o>(offers: &'o [Offer], tool: &str) -> Option<&'o Offer> {
    offers.iter().find(|offer| offer.tool.name == tool)
}

fn rename_history(messages: &mut [Message], offers: &[Offer]) {
    let mut renamed: Vec<(String, String)> = Vec::new();
    for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
        match part {
            Part::Call(call) => {
                if let Some(name) = offer_of(offers, &call.name).map(|it| it.fitting(&call.input)) {
                    renamed.push((call.id.to_string(), name.clone()));
                    call.name = name;
                }
            }
            Part::Result(result) => {
                let id = result.tool_call_id.as_str();
                if let Some((_, name)) = renamed.iter().find(|(call, _)| call == id) {
                    result.name.clone_from(name);
                }
            }
            Part::Text(_) | Part::Reasoning(_) | Part::BrokenCall(_) => {}
        }
    }
}

impl Offer {
    /// The name of the part that arguments fit; the first one where they fit none.
    fn fitting(&self, input: &Value) -> String {
        let fits = |part: &&ToolSpec| {
            let schema = ArgumentSchema::new(&part.input_schema);
            schema.is_ok_and(|schema| schema.complaints(input).is_empty())
        };
        let part = self.parts.iter().find(fits).or(self.parts.first());
        part.map_or_else(|| self.tool.name.clone(), |part| part.name.clone())
    }

    fn has(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part.name == name)
    }
}

/// Gives calls of the parts the name of the tool again.
pub(super) fn read(reply: &mut Reply, offers: &[Offer]) {
    for part in &mut reply.parts {
        let name = match part {
            Part::Call(call) => &mut call.name,
            Part::BrokenCall(call) => &mut call.name,
            Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => continue,
        };
        if let Some(offer) = offers.iter().find(|offer| offer.has(name)) {
            name.clone_from(&offer.tool.name);
        }
    }
}
