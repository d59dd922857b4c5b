//! Changes of requests: what left against what arrived, aspect by aspect.
//!
//! Requests of the same dialect must mean exactly the same. Where the dialects differ, only what both
//! of them can say is compared.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use strum::VariantArray as _;

use super::aspect::RequestAspect;
use super::bodies::{
    asks_usage, cache_marks, holds_media, instructions, media, result_names, sealed, turns,
};
use super::contents::{
    argument_text, call_names, calls, holds, parts, plain, reasoning, results, seals, strict,
    system, text_of, texts, tools,
};
use super::schemas::{translatable, unordered};
use super::wording::same_wording;
use crate::dialect::DialectId;
use crate::ir::{Part, Reply, Request, Role, ToolChoice};

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
                calls(left).zip(calls(arrived)).any(|(one, other)| one.input != other.input)
            }
            RequestAspect::ArgumentBytes => self.same && self.argument_bytes_differ(),
            RequestAspect::Results => self.results_differ(),
            RequestAspect::ErrorFlags => {
                self.same
                    && results(left).zip(results(arrived)).any(|(a, b)| a.is_error != b.is_error)
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
        calls(&self.left.request).zip(calls(&self.arrived.request)).any(|(one, other)| {
            let both = argument_text(one).zip(argument_text(other));
            both.is_some_and(|(one, other)| one != other)
        })
    }

    fn results_differ(&self) -> bool {
        let (left, arrived) = (&self.left.request, &self.arrived.request);
        results(left).count() != results(arrived).count()
            || results(left).zip(results(arrived)).any(|(one, other)| {
                if one.content == other.content {
                    return false;
                }
                let (one, other) = (text_of(&one.content), text_of(&other.content));
                if self.same {
                    return !same_wording([one.as_ref()], [other.as_ref()]);
                }
                !plain(&other).contains(&plain(&one)) && !holds(&other, &one)
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

/// Which ids are the same: each as the place of its first occurrence.
fn pattern(ids: &[String]) -> Vec<Option<usize>> {
    ids.iter().map(|id| ids.iter().position(|known| known == id)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn a_result_of_several_lines_is_known_again_inside_a_list_of_parts() {
        let lines = "{\"a\": 1,\n  \"b\": \"é\"}";
        let left = chat(|it| it["messages"][3]["content"] = json!(lines));
        let arrived = |text: &str| {
            seen(
                DialectId::OpenAiResponses,
                json!({"model": "m", "temperature": 0.3, "max_output_tokens": 9,
                "instructions": "Be brief.", "input": [
                {"role": "user", "content": "Where?"}, {"role": "assistant", "content": "I look."},
                {"type": "function_call", "call_id": "call_1", "name": "find", "arguments": "{\"a\": 1}"},
                {"type": "function_call_output", "call_id": "call_1",
                    "output": [{"type": "input_text", "text": text}]}],
                "tools": [{"type": "function", "name": "find", "description": "Finds.", "parameters":
                    {"type": "object", "properties": {"a": {"type": "integer"}}}}]}),
            )
        };
        let changes = |text: &str| request_changes(&left, &arrived(text), &Issued::default());
        assert_eq!((changes(lines), changes("{}")), (vec![], vec![RequestAspect::Results]));
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
