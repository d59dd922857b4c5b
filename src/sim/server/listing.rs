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

/// The answer to a request for a listing; `None` for other requests.
pub(super) fn answer(
    fleet: &Fleet,
    method: &Method,
    path: &str,
    query: &[(String, String)],
    headers: &HeaderMap,
    body: &[u8],
) -> Option<HttpAnswer> {
    let path = path.trim_end_matches('/');
    let found = match (method.as_str(), path) {
        ("GET", "/health" | "/v1/health") => Some(json!({"status": "ok"})),
        ("GET", "/api/version") => Some(json!({"version": BUILD})),
        ("GET", "/api/tags") => Some(json!({"models": each(fleet, DialectId::Ollama, tag)})),
        ("POST", "/api/show") => return Some(show(fleet, body)),
        ("GET", "/props") => return Some(props(fleet, query)),
        ("GET", "/v1beta/models") => Some(gemini_list(fleet)),
        ("GET", "/v1/models" | "/models") => Some(if headers.contains_key("anthropic-version") {
            anthropic_list(fleet)
        } else if headers.contains_key("x-goog-api-key") {
            gemini_list(fleet)
        } else {
            json!({"object": "list", "data": openai_models(fleet)})
        }),
        _ => None,
    };
    found.map(|body| HttpAnswer::json(200, &body))
}

fn of(fleet: &Fleet, dialect: DialectId) -> impl Iterator<Item = &ModelFile> {
    fleet.iter().filter(move |model| model.offered(None, dialect).is_some())
}

fn each(fleet: &Fleet, dialect: DialectId, entry: fn(&ModelFile) -> Value) -> Vec<Value> {
    of(fleet, dialect).map(entry).collect()
}

fn openai_models(fleet: &Fleet) -> Vec<Value> {
    let chat = of(fleet, DialectId::OpenAiChat);
    let entry = |model: &ModelFile| json!({"id": model.name, "object": "model", "created": CREATED, "owned_by": "toolprobe"});
    chat.chain(of(fleet, DialectId::OpenAiResponses)).map(entry).collect()
}

fn anthropic_list(fleet: &Fleet) -> Value {
    let models = each(fleet, DialectId::AnthropicMessages, |model| {
        json!({"type": "model", "id": model.name, "display_name": model.name,
               "created_at": CREATED_AT})
    });
    let id = |model: Option<&Value>| model.map(|model| model["id"].clone());
    json!({"first_id": id(models.first()), "last_id": id(models.last()), "has_more": false,
           "data": models})
}

fn gemini_list(fleet: &Fleet) -> Value {
    let models = each(fleet, DialectId::Gemini, |model| {
        json!({"name": format!("models/{}", model.name), "version": "001",
               "displayName": model.name,
               "supportedGenerationMethods": ["generateContent", "streamGenerateContent"]})
    });
    json!({"models": models})
}

fn tag(model: &ModelFile) -> Value {
    json!({"name": model.name, "model": model.name, "modified_at": CREATED_AT, "size": 0,
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
