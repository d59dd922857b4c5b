//! The model's view: what of a request reaches the model.

use super::{PlannedCall, errors, requested, taught, written};
use crate::ir::{Message, Part, Request, Role, ToolChoice, ToolResult, ToolSpec};
use crate::prompted::Protocol;
use crate::sim::model::{ModelFile, NativeTools, TextForm};
use crate::sim::quirks::ModelQuirk;

/// Where the model's tools come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sim) enum ToolSource {
    /// In the request's own field.
    Native,
    /// In the system prompt.
    Taught(Protocol),
    /// Not at all.
    None,
}

/// A result with the call that it answers.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::sim) struct AnsweredCall {
    pub(in crate::sim) result: ToolResult,
    /// The call it belongs to; `None` for a result without one.
    pub(in crate::sim) call: Option<PlannedCall>,
}

/// What the model sees.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::sim) struct ModelView {
    pub(in crate::sim) tool_source: ToolSource,
    /// The tools it may call.
    pub(in crate::sim) tools: Vec<ToolSpec>,
    pub(in crate::sim) choice: ToolChoice,
    /// Whether it may make several calls.
    pub(in crate::sim) parallel: bool,
    /// The text it is to answer.
    pub(in crate::sim) ask: String,
    /// The calls it has made for that text.
    pub(in crate::sim) done: Vec<PlannedCall>,
    /// The results that no reply has taken up yet.
    pub(in crate::sim) results: Vec<AnsweredCall>,
    /// How many results were errors since that text.
    pub(in crate::sim) failures: usize,
}

impl ModelView {
    pub(super) fn of(request: &Request, model: &ModelFile, active: &[ModelQuirk]) -> Self {
        let (tool_source, offered) = offer(request, model);
        let heard = heard(request, tool_source, model.text_form);
        let choice = match &request.tool_choice {
            Some(choice) if !active.contains(&ModelQuirk::IgnoresToolChoice) => choice.clone(),
            _ => ToolChoice::Auto,
        };
        let tools = allowed_tools(offered, &choice);
        let mut view = Self {
            tool_source,
            choice,
            parallel: request.parallel != Some(false)
                || active.contains(&ModelQuirk::IgnoresParallelSwitch),
            ask: String::new(),
            done: Vec::new(),
            results: Vec::new(),
            failures: 0,
            tools,
        };
        let are_native = request.messages.iter().any(|message| results(message).next().is_some());
        view.listen(&heard, are_native && active.contains(&ModelQuirk::ResultsNotRendered));
        view
    }

    /// Finds the text to be answered, and what has happened since.
    fn listen(&mut self, messages: &[Message], results_are_lost: bool) {
        let replied = messages.iter().rposition(|message| message.role == Role::Assistant);
        let latest = messages.get(replied.map_or(0, |place| place + 1)..).unwrap_or_default();
        let text = user_text(latest);
        let has_results = latest.iter().any(|message| results(message).next().is_some());
        if !has_results || !requested::find_calls(&text, &self.tools).is_empty() {
            self.ask = text;
            return;
        }
        let asked = messages.iter().rposition(|message| {
            message.role == Role::User
                && !requested::find_calls(&message.text(), &self.tools).is_empty()
        });
        let asked = asked.or_else(|| messages.iter().position(|m| m.role == Role::User));
        let since = messages.get(asked.unwrap_or(0)..).unwrap_or_default();
        self.ask = since
            .first()
            .map(|message| user_text(std::slice::from_ref(message)))
            .unwrap_or_default();
        if results_are_lost {
            return;
        }
        self.ask = [self.ask.as_str(), text.as_str()].join("\n");
        self.done = since.iter().flat_map(Message::calls).map(PlannedCall::of).collect();
        self.failures =
            since.iter().flat_map(results).filter(|r| errors::report(r).is_some()).count();
        self.results =
            latest.iter().flat_map(results).map(|result| answered(result, messages)).collect();
    }
}

impl PlannedCall {
    pub(super) fn of(call: &crate::ir::ToolCall) -> Self {
        Self { name: call.name.clone(), input: call.input.clone() }
    }
}

/// Where the tools come from, and the tools.
fn offer(request: &Request, model: &ModelFile) -> (ToolSource, Vec<ToolSpec>) {
    if !request.tools.is_empty() && model.tools == NativeTools::Used {
        return (ToolSource::Native, request.tools.clone());
    }
    let system = request.system.as_deref().unwrap_or_default();
    let protocol = taught::protocol(system).filter(|taught| model.follows.contains(taught));
    match protocol {
        Some(protocol) => (ToolSource::Taught(protocol), taught::tools(system)),
        None => (ToolSource::None, Vec::new()),
    }
}

/// The conversation with calls and results as such, where they are written as text.
fn heard(request: &Request, tool_source: ToolSource, form: TextForm) -> Vec<Message> {
    match (tool_source, form) {
        (ToolSource::Taught(protocol), _) => {
            taught::structured(&request.messages, &|text| taught::calls(protocol, text))
        }
        (ToolSource::None, _) => request.messages.clone(),
        (ToolSource::Native, TextForm::None) => told(&request.messages),
        (ToolSource::Native, form) => {
            taught::structured(&request.messages, &|text| written::read(form, text, &request.tools))
        }
    }
}

/// The conversation of a model with native tools, which also understands calls and results that it is told of in
/// words.
fn told(messages: &[Message]) -> Vec<Message> {
    let read = |text: &str| taught::calls(Protocol::ToolCall, text);
    let is_told = |it: &Message| it.role == Role::Assistant && !read(&it.text()).is_empty();
    if messages.iter().any(is_told) {
        taught::structured(messages, &read)
    } else {
        messages.to_vec()
    }
}

fn allowed_tools(tools: Vec<ToolSpec>, choice: &ToolChoice) -> Vec<ToolSpec> {
    match choice {
        ToolChoice::None => Vec::new(),
        ToolChoice::Named(name) => tools.into_iter().filter(|tool| tool.name == *name).collect(),
        ToolChoice::Allowed { names, .. } => {
            tools.into_iter().filter(|tool| names.contains(&tool.name)).collect()
        }
        ToolChoice::Auto | ToolChoice::Required => tools,
    }
}

fn user_text(messages: &[Message]) -> String {
    let said = messages.iter().filter(|message| message.role == Role::User).map(Message::text);
    said.collect::<Vec<_>>().join("\n")
}

fn results(message: &Message) -> impl Iterator<Item = &ToolResult> {
    message.parts.iter().filter_map(|part| match part {
        Part::Result(result) => Some(result),
        _ => None,
    })
}

/// Pairs by id, else by name, as dialects without ids do.
fn answered(result: &ToolResult, messages: &[Message]) -> AnsweredCall {
    let calls = || messages.iter().rev().flat_map(Message::calls);
    let call = calls()
        .find(|call| call.id == result.tool_call_id && !call.id.as_str().is_empty())
        .or_else(|| calls().find(|call| call.name == result.name));
    AnsweredCall { result: result.clone(), call: call.map(PlannedCall::of) }
}
