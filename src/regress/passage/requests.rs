//! Changes of requests: what left against what arrived, aspect by aspect.
//!
//! Requests of the same dialect must mean exactly the same. Where the dialects differ, only what both
//! of them can say is compared.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use strum::VariantArray as _;

use super::aspect::RequestAspect;
use super::bodies::{cache_marks, holds_media, instructions, media, result_names, sealed, turns};
use super::wording::same_wording;
use crate::dialect::DialectId;
use crate::ir::{
    Part, ReasoningField, ReasoningState, Reply, Request, Role, ToolCall, ToolChoice, ToolResult,
};

/// A request at one end of an adapter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SeenRequest {
    /// The dialect it is written in.
    pub dialect: DialectId,
    /// The body.
    pub body: Value,
    /// What it means.
    pub request: Request,
    /// The features that its headers ask for.
    pub betas: BTreeSet<String>,
}

/// What the provider issued in its replies, and so may come back through the adapter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Issued {
    ids: BTreeSet<String>,
    seals: bool,
    reasons: bool,
}

impl Issued {
    /// What these replies of the provider hold.
    pub(crate) fn in_replies<'a>(replies: impl Iterator<Item = &'a Reply>) -> Self {
        let mut issued = Self::default();
        for reply in replies {
            issued.ids.extend(reply.calls().map(|call| call.id.to_string()));
            issued.reasons |= !reply.reasoning_text().trim().is_empty();
            issued.seals |= !seals(reply.parts.iter()).is_empty();
        }
        issued
    }
}

/// The aspects in which a request changed on its way, without those that follow from another.
pub(crate) fn request_changes(
    left: &SeenRequest,
    arrived: &SeenRequest,
    issued: &Issued,
) -> Vec<RequestAspect> {
    let same = left.dialect == arrived.dialect;
    let renamed = renamed_tools(&left.request, &arrived.request);
    let ends = Ends { left, arrived, issued, same, renamed };
    let changed: Vec<RequestAspect> =
        RequestAspect::VARIANTS.iter().copied().filter(|aspect| ends.differ_in(*aspect)).collect();
    let follows =
        |aspect: RequestAspect| changed.iter().any(|cause| cause.includes().contains(&aspect));
    changed.iter().copied().filter(|aspect| !follows(*aspect)).collect()
}

struct Ends<'a> {
    left: &'a SeenRequest,
    arrived: &'a SeenRequest,
    issued: &'a Issued,
    /// Whether both speak the same dialect.
    same: bool,
    /// The tools that have another name when they arrive.
    renamed: BTreeMap<&'a str, &'a str>,
}

impl Ends<'_> {
    fn differ_in(&self, aspect: RequestAspect) -> bool {
        let (left, arrived) = (&self.left.request, &self.arrived.request);
        match aspect {
            RequestAspect::Tools => tools(left) != tools(arrived),
            RequestAspect::Schemas => self.schemas_differ(),
            RequestAspect::Strict => self.same && strict(left) != strict(arrived),
            RequestAspect::System => self.system_differs(),
            RequestAspect::Roles => self.turns_differ(),
            RequestAspect::Text => [Role::User, Role::Assistant]
                .iter()
                .any(|by| !same_wording(texts(left, *by), texts(arrived, *by))),
            RequestAspect::Media => self.media_differ(),
            RequestAspect::Calls => {
                let names = call_names(left).into_iter().map(|name| self.renamed(name));
                !names.eq(call_names(arrived))
            }
            RequestAspect::CallIds => self.ids_differ(),
            RequestAspect::Arguments => {
                pairs(calls(left), calls(arrived)).any(|(one, other)| one.input != other.input)
            }
            RequestAspect::ArgumentBytes => self.same && self.argument_bytes_differ(),
            RequestAspect::Results => self.results_differ(),
            RequestAspect::ErrorFlags => {
                self.same
                    && pairs(results(left), results(arrived)).any(|(a, b)| a.is_error != b.is_error)
                    && results(left).count() == results(arrived).count()
            }
            RequestAspect::Reasoning => self.reasoning_differs(),
            RequestAspect::ReasoningSeal => self.seals_differ(),
            RequestAspect::ToolChoice => self.choices_differ(),
            RequestAspect::Parallel => {
                self.arrived.dialect.has_parallel_switch()
                    && self.left.dialect.has_parallel_switch()
                    && left.parallel.unwrap_or(true) != arrived.parallel.unwrap_or(true)
                    && !self.switch_went_with_choice()
            }
            RequestAspect::TokenLimit => {
                (self.same || left.max_tokens.is_some()) && left.max_tokens != arrived.max_tokens
            }
            RequestAspect::Stream => left.stream != arrived.stream,
            RequestAspect::StreamOptions => {
                self.same
                    && left.stream
                    && asks_usage(&self.left.body) != asks_usage(&self.arrived.body)
            }
            RequestAspect::Caching => {
                self.same
                    && (self.fields_differ(aspect)
                        || cache_marks(&self.left.body) != cache_marks(&self.arrived.body))
            }
            RequestAspect::Headers => self.same && !self.left.betas.is_subset(&self.arrived.betas),
            _ => self.fields_differ(aspect),
        }
    }

    fn schemas_differ(&self) -> bool {
        let schema =
            |value: &Value| unordered(&if self.same { value.clone() } else { translatable(value) });
        let other = |name: &str| self.arrived.request.tools.iter().find(|tool| tool.name == name);
        self.left.request.tools.iter().any(|tool| {
            other(self.renamed(&tool.name))
                .is_some_and(|it| schema(&it.input_schema) != schema(&tool.input_schema))
        })
    }

    /// Ids may be others where the adapter gives the provider's own back, or where a dialect has none:
    /// then every result must still belong to its call.
    fn ids_differ(&self) -> bool {
        let ids = |request: &Request| -> Vec<String> {
            calls(request)
                .map(|call| call.id.to_string())
                .chain(results(request).map(|result| result.tool_call_id.to_string()))
                .collect()
        };
        let (left, arrived) = (ids(&self.left.request), ids(&self.arrived.request));
        let has_names = [DialectId::Gemini, DialectId::Ollama].contains(&self.arrived.dialect);
        if !self.same && has_names {
            return false;
        }
        if self.same && has_names && self.result_names_differ() {
            return true;
        }
        let own = || arrived.iter().all(|id| self.issued.ids.contains(id));
        let renamed = left.len() == arrived.len() && pattern(&left) == pattern(&arrived);
        left != arrived && !(renamed && (!self.same || own()))
    }

    fn argument_bytes_differ(&self) -> bool {
        pairs(calls(&self.left.request), calls(&self.arrived.request)).any(|(one, other)| {
            let both = argument_text(one).zip(argument_text(other));
            both.is_some_and(|(one, other)| one != other)
        })
    }

    fn results_differ(&self) -> bool {
        let (left, arrived) = (&self.left.request, &self.arrived.request);
        results(left).count() != results(arrived).count()
            || pairs(results(left), results(arrived)).any(|(one, other)| {
                if one.content == other.content {
                    return false;
                }
                let (one, other) = (text_of(&one.content), text_of(&other.content));
                if self.same {
                    return !same_wording([one.as_ref()], [other.as_ref()]);
                }
                let (one, other) = (plain(&one), plain(&other));
                !other.contains(&one) && !holds(&other, &one)
            })
    }

    fn reasoning_differs(&self) -> bool {
        let (left, arrived) = (&self.left.request, &self.arrived.request);
        if self.same {
            return reasoning(left) != reasoning(arrived);
        }
        let readable = |request: &Request| {
            reasoning(request).iter().filter(|(_, text, _)| !text.is_empty()).count()
        };
        self.issued.reasons && readable(left) > readable(arrived)
    }

    fn seals_differ(&self) -> bool {
        let all = |request: &Request| seals(request.messages.iter().flat_map(|it| &it.parts));
        let (left, arrived) = (all(&self.left.request), all(&self.arrived.request));
        if self.same {
            return !left.is_subset(&arrived)
                || !sealed(&self.left.body).is_subset(&sealed(&self.arrived.body));
        }
        self.issued.seals && !left.is_empty() && arrived.is_empty()
    }

    /// Who speaks, each turn once. Whether results are a turn of their own is a matter of the dialect.
    fn speakers(&self, request: &Request) -> Vec<&'static str> {
        let mut found: Vec<&str> = parts(request)
            .filter(|(_, part)| !matches!(part, Part::Reasoning(_)))
            .map(|(role, part)| match (role, part) {
                (_, Part::Result(_)) if self.same => "tool",
                (Role::Assistant, _) => "assistant",
                (Role::User | Role::Tool, _) => "user",
            })
            .collect();
        found.dedup();
        found
    }

    /// Leaving the field out is the same as leaving it to the model.
    fn choices_differ(&self) -> bool {
        let choice = |request: &Request| {
            request.tool_choice.clone().filter(|choice| *choice != ToolChoice::Auto)
        };
        self.arrived.dialect.has_tool_choice()
            && choice(&self.left.request).map(|it| self.renamed_choice(it))
                != choice(&self.arrived.request)
    }

    /// Anthropic's switch stands inside the tool choice: where that is gone, so is the switch.
    fn switch_went_with_choice(&self) -> bool {
        self.arrived.dialect == DialectId::AnthropicMessages
            && self.same
            && self.arrived.body.get("tool_choice").is_none()
            && self.choices_differ()
    }

    /// The name that a tool arrives with.
    fn renamed<'b>(&'b self, name: &'b str) -> &'b str {
        self.renamed.get(name).copied().unwrap_or(name)
    }

    fn renamed_choice(&self, choice: ToolChoice) -> ToolChoice {
        match choice {
            ToolChoice::Named(name) => ToolChoice::Named(self.renamed(&name).to_owned()),
            ToolChoice::Allowed { required, names } => {
                let names = names.iter().map(|name| self.renamed(name).to_owned()).collect();
                ToolChoice::Allowed { required, names }
            }
            other @ (ToolChoice::Auto | ToolChoice::None | ToolChoice::Required) => other,
        }
    }

    /// Within a dialect, rank and place of instructions count too.
    fn system_differs(&self) -> bool {
        !same_wording(system(&self.left.request), system(&self.arrived.request))
            || (self.same && instructions(&self.left.body) != instructions(&self.arrived.body))
    }

    /// Anthropic joins neighbours of one role, as its documentation says; nobody else does.
    fn turns_differ(&self) -> bool {
        let joins = self.arrived.dialect == DialectId::AnthropicMessages;
        self.speakers(&self.left.request) != self.speakers(&self.arrived.request)
            || (self.same && !joins && turns(&self.left.body) != turns(&self.arrived.body))
    }

    fn media_differ(&self) -> bool {
        let (left, arrived) = (&self.left.body, &self.arrived.body);
        if self.same { media(left) != media(arrived) } else { !holds_media(left, arrived) }
    }

    fn result_names_differ(&self) -> bool {
        let left = result_names(&self.left.body).into_iter();
        let left = left.map(|name| name.as_str().map(|name| self.renamed(name)));
        !left.eq(result_names(&self.arrived.body).into_iter().map(Value::as_str))
    }

    /// Further fields: all of them within a dialect, and what has the same meaning everywhere.
    fn fields_differ(&self, aspect: RequestAspect) -> bool {
        let (left, arrived) = (self.left.fields(aspect), self.arrived.fields(aspect));
        if self.same {
            return left != arrived;
        }
        let shared = ["stop", "temperature", "top_p"];
        left.iter()
            .filter(|(name, _)| shared.contains(&name.as_str()))
            .any(|(name, value)| arrived.get(name) != Some(value))
    }
}

impl SeenRequest {
    /// The fields beyond the conversation that belong to an aspect, by one name in all dialects.
    fn fields(&self, aspect: RequestAspect) -> BTreeMap<String, Value> {
        let nested = ["generationConfig", "options"];
        let mut fields = BTreeMap::new();
        for (key, value) in &self.request.extra {
            match value {
                Value::Object(inner) if nested.contains(&key.as_str()) => {
                    fields.extend(inner.iter().map(|(key, value)| name_entry(key, value)));
                }
                _ => {
                    fields.extend([name_entry(key, value)]);
                }
            }
        }
        // Decoding takes these for granted where they have the values that we send.
        let stateless = ["store", "include"];
        let stateless = stateless.iter().filter_map(|key| Some((key, self.body.get(key)?)));
        fields.extend(stateless.map(|(key, value)| name_entry(key, value)));
        fields.retain(|name, value| !value.is_null() && aspect_of(name) == aspect);
        fields
    }
}

fn name_entry(key: &str, value: &Value) -> (String, Value) {
    let mut name = String::new();
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    if name == "stop" || name == "stop_sequences" {
        let list = if value.is_array() { value.clone() } else { json!([value]) };
        return ("stop".to_owned(), list);
    }
    (name, value.clone())
}

/// The fields of each aspect, by their names in snake case.
const FIELDS: &[(RequestAspect, &[&str])] = &[
    (RequestAspect::Stop, &["stop"]),
    (
        RequestAspect::Sampling,
        &[
            "temperature",
            "top_p",
            "top_k",
            "min_p",
            "seed",
            "presence_penalty",
            "frequency_penalty",
            "repeat_penalty",
            "logit_bias",
        ],
    ),
    (
        RequestAspect::Caching,
        &["cache_control", "prompt_cache_key", "prompt_cache_retention", "cached_content"],
    ),
    (
        RequestAspect::Metadata,
        &["metadata", "user", "safety_identifier", "service_tier", "store", "labels"],
    ),
    (
        RequestAspect::Thinking,
        &[
            "thinking",
            "think",
            "reasoning",
            "reasoning_effort",
            "enable_thinking",
            "chat_template_kwargs",
            "thinking_config",
            "include",
        ],
    ),
    (
        RequestAspect::OutputFormat,
        &[
            "response_format",
            "text",
            "format",
            "output_config",
            "response_schema",
            "response_json_schema",
            "response_mime_type",
        ],
    ),
    (RequestAspect::StreamOptions, &["stream_options"]),
];

fn aspect_of(name: &str) -> RequestAspect {
    let known = FIELDS.iter().find(|(_, names)| names.contains(&name));
    known.map_or(RequestAspect::OtherFields, |(aspect, _)| *aspect)
}

fn tools(request: &Request) -> Vec<(&str, &str)> {
    request.tools.iter().map(|tool| (tool.name.as_str(), tool.description.trim())).collect()
}

fn strict(request: &Request) -> Vec<Option<bool>> {
    request.tools.iter().map(|tool| tool.strict).collect()
}

/// The instructions, by their paragraphs: they may have come in several parts.
fn system(request: &Request) -> impl Iterator<Item = &str> {
    request.system.as_deref().unwrap_or_default().split("\n\n")
}

fn parts(request: &Request) -> impl Iterator<Item = (Role, &Part)> {
    request
        .messages
        .iter()
        .flat_map(|message| message.parts.iter().map(move |part| (message.role, part)))
}

/// What the model said, or the others, part by part.
fn texts(request: &Request, by: Role) -> impl Iterator<Item = &str> {
    let is_model = by == Role::Assistant;
    let all = parts(request).filter(move |(role, _)| (*role == Role::Assistant) == is_model);
    all.filter_map(|(_, part)| match part {
        Part::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

fn calls(request: &Request) -> impl Iterator<Item = &ToolCall> {
    parts(request).filter_map(|(_, part)| match part {
        Part::Call(call) => Some(call),
        _ => None,
    })
}

fn call_names(request: &Request) -> Vec<&str> {
    let names = parts(request).filter_map(|(_, part)| match part {
        Part::Call(call) => Some(call.name.as_str()),
        Part::BrokenCall(call) => Some(call.name.as_str()),
        _ => None,
    });
    names.collect()
}

fn results(request: &Request) -> impl Iterator<Item = &ToolResult> {
    parts(request).filter_map(|(_, part)| match part {
        Part::Result(result) => Some(result),
        _ => None,
    })
}

/// The reasoning that is sent back, with the field it stands in and whether it stands behind a call of its
/// message.
fn reasoning(request: &Request) -> Vec<(&'static str, String, bool)> {
    let mut found = Vec::new();
    for message in &request.messages {
        let mut is_behind = false;
        for part in &message.parts {
            match part {
                Part::Call(_) => is_behind = true,
                Part::Reasoning(state) if !is_bare_seal(state) => {
                    found.push((state.field.wire_name(), plain(&state.text()), is_behind));
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether reasoning is nothing but a signature.
pub(super) fn is_bare_seal(state: &ReasoningState) -> bool {
    [ReasoningField::ThoughtSignature, ReasoningField::ExtraContentSignature].contains(&state.field)
}

fn seals<'a>(parts: impl Iterator<Item = &'a Part>) -> BTreeSet<String> {
    let states = parts.filter_map(|part| match part {
        Part::Reasoning(state) => Some(state),
        _ => None,
    });
    states
        .flat_map(|state| [state.signature(), state.encrypted()])
        .flatten()
        .filter(|seal| !seal.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The bytes of a call's arguments, in dialects that write them as text.
fn argument_text(call: &ToolCall) -> Option<&str> {
    let raw = &call.raw;
    raw.pointer("/function/arguments").or_else(|| raw.get("arguments"))?.as_str()
}

fn asks_usage(body: &Value) -> bool {
    body.pointer("/stream_options/include_usage").and_then(Value::as_bool).unwrap_or(false)
}

/// The tools that arrive under another name, and are otherwise the same in the same order.
pub(super) fn renamed_tools<'a>(
    left: &'a Request,
    arrived: &'a Request,
) -> BTreeMap<&'a str, &'a str> {
    let pairs = || left.tools.iter().zip(&arrived.tools);
    let is_same = left.tools.len() == arrived.tools.len()
        && pairs().all(|(one, other)| {
            one.description == other.description && one.input_schema == other.input_schema
        });
    let names = pairs().map(|(one, other)| (one.name.as_str(), other.name.as_str()));
    if is_same { names.filter(|(one, other)| one != other).collect() } else { BTreeMap::new() }
}

/// A schema whose sets (`enum`, `required`) are in the order of the alphabet: it means the same.
fn unordered(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => {
            let inner = object.iter().map(|(key, value)| {
                let mut value = unordered(value);
                if let ("enum" | "required", Value::Array(items)) = (key.as_str(), &mut value) {
                    items.sort_by_key(ToString::to_string);
                }
                (key.clone(), value)
            });
            inner.collect()
        }
        Value::Array(items) => items.iter().map(unordered).collect(),
        other => other.clone(),
    }
}

/// A schema without what dialects cannot all say.
fn translatable(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => object
            .iter()
            .filter(|(key, _)| {
                !["$schema", "additionalProperties", "title"].contains(&key.as_str())
            })
            .map(|(key, value)| (key.clone(), translatable(value)))
            .collect(),
        Value::Array(items) => items.iter().map(translatable).collect(),
        Value::String(text) => Value::String(text.to_lowercase()),
        other => other.clone(),
    }
}

/// Which ids are the same: each as the place of its first occurrence.
fn pattern(ids: &[String]) -> Vec<Option<usize>> {
    ids.iter().map(|id| ids.iter().position(|known| known == id)).collect()
}

fn pairs<A, B>(
    left: impl Iterator<Item = A>,
    arrived: impl Iterator<Item = B>,
) -> impl Iterator<Item = (A, B)> {
    left.zip(arrived)
}

fn text_of(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// Whether a JSON text holds another text, escaped.
fn holds(json: &str, text: &str) -> bool {
    let escaped = Value::from(text).to_string();
    json.contains(escaped.trim_matches('"'))
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Route;

    fn seen(dialect: DialectId, body: Value) -> SeenRequest {
        let request = dialect.codec().decode_request(&body, &Route::default()).unwrap();
        SeenRequest { dialect, body, request, betas: BTreeSet::new() }
    }

    fn chat(patch: impl FnOnce(&mut Value)) -> SeenRequest {
        let mut body = json!({"model": "m", "temperature": 0.3, "max_tokens": 9, "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Where?"},
            {"role": "assistant", "content": "I look.", "tool_calls": [{"id": "call_1",
                "type": "function", "function": {"name": "find", "arguments": "{\"a\": 1}"}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "here"}],
            "tools": [{"type": "function", "function": {"name": "find", "description": "Finds.",
                "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}}]});
        patch(&mut body);
        seen(DialectId::OpenAiChat, body)
    }

    fn changes(patch: impl FnOnce(&mut Value)) -> Vec<RequestAspect> {
        request_changes(&chat(|_| {}), &chat(patch), &Issued::default())
    }

    #[test]
    fn each_change_of_a_request_is_one_aspect() {
        assert_eq!(changes(|_| {}), []);
        assert_eq!(changes(|it| it["messages"][0]["content"] = json!("")), [RequestAspect::System]);
        assert_eq!(changes(|it| it["tools"] = json!([])), [RequestAspect::Tools]);
        assert_eq!(
            changes(|it| it["messages"][3]["content"] = json!("he")),
            [RequestAspect::Results]
        );
        assert_eq!(changes(|it| it["temperature"] = json!(1)), [RequestAspect::Sampling]);
        let arguments = "/messages/2/tool_calls/0/function/arguments";
        let written = |text: &str| changes(|it| *it.pointer_mut(arguments).unwrap() = json!(text));
        assert_eq!(written("{\"a\":1}"), [RequestAspect::ArgumentBytes]);
        assert_eq!(written("{\"a\":2}"), [RequestAspect::Arguments]);
        let moves = |it: &mut Value| it["messages"].as_array_mut().unwrap().rotate_left(1);
        assert_eq!(changes(moves), [RequestAspect::System]);
        let ranks = |it: &mut Value| it["messages"][0]["role"] = json!("developer");
        assert_eq!(changes(ranks), [RequestAspect::System]);
    }

    #[test]
    fn a_tool_with_another_name_is_one_change_wherever_the_name_stands() {
        let renames = |it: &mut Value| {
            it["tools"][0]["function"]["name"] = json!("gw_find");
            it["messages"][2]["tool_calls"][0]["function"]["name"] = json!("gw_find");
        };
        assert_eq!(changes(renames), [RequestAspect::Tools]);
        let forgets = |it: &mut Value| it["tools"][0]["function"]["name"] = json!("gw_find");
        assert_eq!(changes(forgets), [RequestAspect::Tools, RequestAspect::Calls]);
    }

    #[test]
    fn the_order_of_a_set_means_nothing() {
        let schema = json!({"properties": {"a": {"enum": ["x", "y"]}}, "required": ["a", "b"]});
        let other = json!({"properties": {"a": {"enum": ["y", "x"]}}, "required": ["b", "a"]});
        assert_eq!(unordered(&schema), unordered(&other));
        assert_ne!(unordered(&schema), unordered(&json!({"required": ["a"]})));
    }

    #[test]
    fn an_id_may_be_the_providers_own_instead_of_the_adapters() {
        let renamed = |it: &mut Value| {
            it["messages"][2]["tool_calls"][0]["id"] = json!("own_7");
            it["messages"][3]["tool_call_id"] = json!("own_7");
        };
        assert_eq!(changes(renamed), [RequestAspect::CallIds]);
        let issued = Issued { ids: BTreeSet::from(["own_7".to_owned()]), ..Issued::default() };
        assert_eq!(request_changes(&chat(|_| {}), &chat(renamed), &issued), []);
    }

    #[test]
    fn a_faithful_translation_changes_nothing() {
        let messages = json!({"model": "m", "temperature": 0.3, "max_tokens": 9,
            "system": "Be brief.", "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Where?"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"a": 1}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1",
                "content": "here"}]}],
            "tools": [{"name": "find", "description": "Finds.", "input_schema":
                {"type": "object", "properties": {"a": {"type": "integer"}}}}]});
        let arrived = seen(DialectId::AnthropicMessages, messages);
        assert_eq!(request_changes(&chat(|_| {}), &arrived, &Issued::default()), []);
    }
}
