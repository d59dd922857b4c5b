//! Model listings: what the server says about its models.
//!
//! Each provider's own listings, with the models of its dialect.

use axum::http::{HeaderMap, Method};
use serde_json::{Value, json};

use super::answer::HttpAnswer;
use crate::dialect::DialectId;
use crate::sim::{Fleet, ModelFile, NativeTools, RulesId, ThinkingWhen};

/// When the simulated models were made, in the spellings that listings use.
const CREATED: i64 = 1_767_225_600;
const CREATED_AT: &str = "2026-01-01T00:00:00Z";
/// The version that simulated local servers tell.
const BUILD: &str = concat!("toolprobe-sim-", env!("CARGO_PKG_VERSION"));

/// A model as listings name it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) name: &'a str,
    pub(super) dialect: DialectId,
}

/// The answer to a request about simulated models; `None` for other requests.
pub(super) fn answer(
    fleet: &Fleet,
    method: &Method,
    path: &str,
    query: &[(String, String)],
    headers: &HeaderMap,
    body: &[u8],
) -> Option<HttpAnswer> {
    match (method.as_str(), path.trim_end_matches('/')) {
        ("POST", "/api/show") => return Some(show(fleet, body)),
        ("GET", "/props") => return Some(props(fleet, query)),
        _ => {}
    }
    let models: Vec<Listed<'_>> = fleet.iter().flat_map(listed).collect();
    names(&models, method, path, headers)
}

/// A model, once for each dialect that it is offered in.
fn listed(model: &ModelFile) -> impl Iterator<Item = Listed<'_>> {
    let dialects = DialectId::ALL.into_iter();
    let offered = dialects.filter(|dialect| model.offered(None, *dialect).is_some());
    offered.map(|dialect| Listed { name: &model.name, dialect })
}

/// The answer to a request for a list of models, or whether the server is there.
pub(super) fn names(
    models: &[Listed<'_>],
    method: &Method,
    path: &str,
    headers: &HeaderMap,
) -> Option<HttpAnswer> {
    let found = match (method.as_str(), path.trim_end_matches('/')) {
        ("GET", "/health" | "/v1/health") => Some(json!({"status": "ok"})),
        ("GET", "/api/version") => Some(json!({"version": BUILD})),
        ("GET", "/api/tags") => Some(json!({"models": each(models, DialectId::Ollama, tag)})),
        ("GET", "/v1beta/models") => Some(gemini_list(models)),
        ("GET", "/v1/models" | "/models") => Some(if headers.contains_key("anthropic-version") {
            anthropic_list(models)
        } else if headers.contains_key("x-goog-api-key") {
            gemini_list(models)
        } else {
            json!({"object": "list", "data": openai_models(models)})
        }),
        _ => None,
    };
    found.map(|body| HttpAnswer::json(200, &body))
}

fn each(models: &[Listed<'_>], dialect: DialectId, entry: fn(&str) -> Value) -> Vec<Value> {
    models.iter().filter(|it| it.dialect == dialect).map(|it| entry(it.name)).collect()
}

fn openai_models(models: &[Listed<'_>]) -> Vec<Value> {
    let entry = |name: &str| json!({"id": name, "object": "model", "created": CREATED, "owned_by": "toolprobe"});
    let mut listed = each(models, DialectId::OpenAiChat, entry);
    listed.extend(each(models, DialectId::OpenAiResponses, entry));
    listed
}

fn anthropic_list(models: &[Listed<'_>]) -> Value {
    let models = each(
        models,
        DialectId::AnthropicMessages,
        |name| json!({"type": "model", "id": name, "display_name": name, "created_at": CREATED_AT}),
    );
    let id = |model: Option<&Value>| model.map(|model| model["id"].clone());
    json!({"first_id": id(models.first()), "last_id": id(models.last()), "has_more": false,
           "data": models})
}

fn gemini_list(models: &[Listed<'_>]) -> Value {
    let models = each(models, DialectId::Gemini, |name| {
        json!({"name": format!("models/{name}"), "version": "001", "displayName": name,
               "supportedGenerationMethods": ["generateContent", "streamGenerateContent"]})
    });
    json!({"models": models})
}

fn tag(name: &str) -> Value {
    json!({"name": name, "model": name, "modified_at": CREATED_AT, "size": 0,
           "digest": "", "details": details()})
}

fn details() -> Value {
    json!({"parent_model": "", "format": "gguf", "family": "sim", "families": ["sim"],
           "parameter_size": "0B", "quantization_level": "F16"})
}

/// Ollama's description of one model.
fn show(fleet: &Fleet, body: &[u8]) -> HttpAnswer {
    let asked: Value = serde_json::from_slice(body).unwrap_or_default();
    let name = asked.get("model").or_else(|| asked.get("name")).and_then(Value::as_str);
    let model = name.and_then(|name| fleet.get(name));
    let Some(model) = model.filter(|model| model.dialect == DialectId::Ollama) else {
        let error = format!("model '{}' not found", name.unwrap_or_default());
        return HttpAnswer::json(404, &json!({"error": error}));
    };
    let tools = (model.tools != NativeTools::Rejected).then_some("tools");
    let thinks = (model.thinking.when != ThinkingWhen::Never).then_some("thinking");
    let capabilities: Vec<&str> = ["completion"].into_iter().chain(tools).chain(thinks).collect();
    let template = model.chat_template.as_deref().unwrap_or_default();
    HttpAnswer::json(
        200,
        &json!({"modelfile": "", "parameters": "", "template": template, "details": details(),
                "model_info": {}, "capabilities": capabilities, "modified_at": CREATED_AT}),
    )
}

/// llama.cpp's description of one model; its router takes the name as a parameter.
fn props(fleet: &Fleet, query: &[(String, String)]) -> HttpAnswer {
    let name = query.iter().find(|(key, _)| key == "model").map(|(_, name)| name.as_str());
    let model = name.and_then(|name| fleet.get(name));
    let Some(model) = model.filter(|model| model.rules() == RulesId::LlamaCpp) else {
        let error = json!({"code": 400, "type": "invalid_request_error",
                           "message": "model name is missing or not served by llama.cpp here"});
        return HttpAnswer::json(400, &json!({"error": error}));
    };
    HttpAnswer::json(
        200,
        &json!({"total_slots": 1, "model_path": model.name, "build_info": BUILD,
                "chat_template": model.chat_template, "bos_token": "", "eos_token": ""}),
    )
}
