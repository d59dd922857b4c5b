//! Which requests can a dialect carry?

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any};
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;
use serde_json::{Value, json};

use super::form::{ChoiceKind, NormalForm, Order};
use super::values::{json_object, text, word};
use crate::ir::{
    CallId, Message, Object, Part, Request, Role, ToolCall, ToolChoice, ToolResult, ToolSpec,
};

/// Requests in the dialect's normal form: calls are answered in full, nobody speaks twice in a row.
pub(in crate::dialect) fn requests(form: &NormalForm) -> BoxedStrategy<Request> {
    let tidy = form.tidy_request;
    let head = (word(), option::of(text()), any::<bool>(), option::of(1..9_000_u64), extra());
    (head, conversation(form), tools(form))
        .prop_map(move |((model, system, stream, max_tokens, extra), messages, offer)| {
            let Offer { tools, tool_choice, parallel } = offer;
            tidy(Request {
                model,
                system,
                messages,
                tools,
                tool_choice,
                parallel,
                stream,
                max_tokens,
                extra,
            })
        })
        .boxed()
}

/// A top-level field that no dialect knows: it must be sent, and read back into `extra`.
fn extra() -> impl Strategy<Value = Object> {
    option::of(json_object()).prop_map(|value| {
        value.map(|value| ("probe_extra".to_owned(), value)).into_iter().collect()
    })
}

#[derive(Debug, Clone)]
struct Offer {
    tools: Vec<ToolSpec>,
    tool_choice: Option<ToolChoice>,
    parallel: Option<bool>,
}

fn tools(form: &NormalForm) -> impl Strategy<Value = Offer> + use<> {
    let (strict, parallel, choices) = (form.strict, form.parallel, form.choices);
    let spec = (word(), text(), schema(), option::of(any::<bool>()));
    (vec(spec, 0..4), option::of(any::<bool>()), option::of(select(choices))).prop_map(
        move |(specs, many, choice)| {
            let tools: Vec<ToolSpec> = specs
                .into_iter()
                .enumerate()
                .map(|(n, (name, description, input_schema, is_strict))| ToolSpec {
                    name: format!("{name}_{n}"),
                    description,
                    input_schema,
                    strict: is_strict.filter(|_| strict),
                })
                .collect();
            let tool_choice = tools.first().and(choice).map(|form| chosen(form, &tools));
            let parallel = many.filter(|_| parallel && !tools.is_empty());
            Offer { tools, tool_choice, parallel }
        },
    )
}

fn chosen(form: ChoiceKind, tools: &[ToolSpec]) -> ToolChoice {
    let names = || tools.iter().take(2).map(|tool| tool.name.clone()).collect();
    match form {
        ChoiceKind::Auto => ToolChoice::Auto,
        ChoiceKind::None => ToolChoice::None,
        ChoiceKind::Required => ToolChoice::Required,
        ChoiceKind::Named => ToolChoice::Named(tools[0].name.clone()),
        ChoiceKind::AllowedAuto => ToolChoice::Allowed { required: false, names: names() },
        ChoiceKind::AllowedRequired => ToolChoice::Allowed { required: true, names: names() },
    }
}

fn schema() -> impl Strategy<Value = Value> {
    select(vec![
        json!({"type": "object", "properties": {}}),
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),
        json!({"type": "object", "additionalProperties": false, "required": ["at", "n"],
               "properties": {"at": {"type": "array", "items": {"type": "integer"}},
                              "n": {"type": "string", "enum": ["a", "b"], "description": "which"}}}),
    ])
}

/// Turns of a person's text and the model's steps; each step may end the conversation.
fn conversation(form: &NormalForm) -> BoxedStrategy<Vec<Message>> {
    let turn = (text(), vec(step(form), 0..3));
    vec(turn, 1..3)
        .prop_map(|turns| {
            let mut messages: Vec<Message> = Vec::new();
            for (prompt, steps) in turns {
                messages.push(Message::user(prompt));
                for (parts, results) in steps {
                    let done = results.is_empty();
                    messages.push(Message::assistant(parts));
                    if done {
                        break;
                    }
                    messages.push(Message::results(results));
                }
            }
            merge_unanswered_prompts(messages)
        })
        .prop_map(number_calls)
        .boxed()
}

/// Two prompts in a row would be one message in some dialects.
fn merge_unanswered_prompts(messages: Vec<Message>) -> Vec<Message> {
    let mut merged: Vec<Message> = Vec::new();
    for message in messages {
        if merged.last().is_none_or(|last| last.role != message.role) {
            merged.push(message);
        }
    }
    merged
}

/// Makes ids unique in the whole conversation, and the results follow.
fn number_calls(mut messages: Vec<Message>) -> Vec<Message> {
    for (m, message) in messages.iter_mut().enumerate() {
        let turn = if message.role == Role::Tool { m - 1 } else { m };
        let mut ordinal = 0;
        for part in &mut message.parts {
            let id = match part {
                Part::Call(call) => &mut call.id,
                Part::Result(result) => &mut result.tool_call_id,
                _ => continue,
            };
            *id = CallId::new(format!("{id}x{turn}x{ordinal}"));
            ordinal += 1;
        }
    }
    messages
}

type Step = (Vec<Part>, Vec<ToolResult>);

fn step(form: &NormalForm) -> impl Strategy<Value = Step> + use<> {
    let (errors, codes) = (form.errors, form.error_codes);
    let outcome = ((form.results)(), any::<bool>(), option::of("[A-Z]{2,8}"));
    (assistant_parts(form), vec(outcome, 4)).prop_map(move |(parts, outcomes)| {
        let calls = parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            _ => None,
        });
        let results = calls
            .zip(outcomes)
            .map(|(call, (content, failed, code))| ToolResult {
                tool_call_id: call.id.clone(),
                name: call.name.clone(),
                content,
                is_error: errors && failed,
                error_code: code.filter(|_| errors && codes && failed),
            })
            .collect();
        (parts, results)
    })
}

/// What a model can say in one message of this dialect: at least a text or a call, at most four
/// calls, and never reasoning at the end.
pub(super) fn assistant_parts(form: &NormalForm) -> BoxedStrategy<Vec<Part>> {
    let order = form.order;
    let attached =
        form.attached.map_or_else(|| Just(None).boxed(), |state| option::of(state()).boxed());
    let call = (call(form), attached).prop_map(|(call, state)| {
        state.map(Part::Reasoning).into_iter().chain([Part::Call(call)]).collect::<Vec<_>>()
    });
    let standing = form.standing.map_or_else(
        || Just(Vec::new()).boxed(),
        |state| option::of(state().prop_map(Part::Reasoning)).prop_map(Vec::from_iter).boxed(),
    );
    let spoken = option::of(text().prop_map(Part::Text)).prop_map(Vec::from_iter);
    let group = (standing, spoken, vec(call, 0..3)).prop_map(|(state, text, calls)| {
        (state, text, calls.into_iter().flatten().collect::<Vec<_>>())
    });
    let groups = if order == Order::Free { 1..3_usize } else { 1..2 };
    (vec(group, groups), text())
        .prop_map(|(groups, fallback)| {
            let mut parts = Vec::new();
            for (state, text, calls) in groups {
                let said = !text.is_empty() || !calls.is_empty();
                let open = matches!(parts.last(), Some(Part::Text(_)));
                parts.extend(state.into_iter().filter(|_| said));
                let split = !open || matches!(parts.last(), Some(Part::Reasoning(_)));
                parts.extend(text.into_iter().filter(|_| split));
                parts.extend(calls);
            }
            if matches!(parts.last(), None | Some(Part::Reasoning(_))) {
                parts.push(Part::Text(fallback));
            }
            parts
        })
        .boxed()
}

fn call(form: &NormalForm) -> impl Strategy<Value = ToolCall> + use<> {
    let format = form.format;
    ((form.call_ids)(), word(), json_object())
        .prop_map(move |(id, name, input)| ToolCall::new(CallId::new(id), name, input, format))
}
