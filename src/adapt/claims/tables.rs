//! The shapes in which tables make claims about models.

use serde_json::Value;

use super::ClaimOf;
use crate::profile::Claim;

/// A file that makes no claim that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no claims were found: it must be LiteLLM's model table, models.dev's api.json, OpenRouter's \
     list of models, Ollama's answer to /api/show, or llama.cpp's answer to /props"
)]
pub struct BadTable;

/// `LiteLLM`'s names.
const LITELLM: [(&str, Claim); 4] = [
    ("supports_function_calling", Claim::Tools),
    ("supports_parallel_function_calling", Claim::Parallel),
    ("supports_tool_choice", Claim::ToolChoice),
    ("supports_reasoning", Claim::Reasoning),
];

/// The names of models.dev.
const MODELS_DEV: [(&str, Claim); 2] =
    [("tool_call", Claim::Tools), ("reasoning", Claim::Reasoning)];

/// `OpenRouter`'s parameters: a model without one is said not to have it.
const OPENROUTER: [(&str, Claim); 4] = [
    ("tools", Claim::Tools),
    ("parallel_tool_calls", Claim::Parallel),
    ("tool_choice", Claim::ToolChoice),
    ("reasoning", Claim::Reasoning),
];

/// Ollama's words.
const OLLAMA: [(&str, Claim); 2] = [("tools", Claim::Tools), ("thinking", Claim::Reasoning)];

/// llama.cpp's flags.
const LLAMA_CPP: [(&str, Claim); 3] = [
    ("supports_tools", Claim::Tools),
    ("supports_parallel_tool_calls", Claim::Parallel),
    ("supports_preserve_reasoning", Claim::ReasoningReplay),
];

/// What a server says of the model that it was asked about: llama.cpp's `/props` or Ollama's `/api/show`.
pub(crate) fn server_claims(answer: &Value) -> Vec<ClaimOf> {
    let caps = flags("", answer.get("chat_template_caps"), &LLAMA_CPP);
    let named = answer.get("capabilities").filter(|it| it.is_array());
    caps.into_iter().chain(words("", named, &OLLAMA)).collect()
}

/// The claims of a table, whichever it is.
pub fn read_claims(table: &Value) -> Result<Vec<ClaimOf>, BadTable> {
    let said = server_claims(table);
    let claims = match table {
        _ if !said.is_empty() => said,
        _ if table.get("data").is_some_and(Value::is_array) => openrouter(table),
        Value::Object(entries) => entries.iter().flat_map(|(name, it)| entry(name, it)).collect(),
        _ => Vec::new(),
    };
    if claims.is_empty() { Err(BadTable) } else { Ok(claims) }
}

/// A model of `LiteLLM`'s table, or a provider of models.dev.
fn entry(name: &str, value: &Value) -> Vec<ClaimOf> {
    match value.get("models").and_then(Value::as_object) {
        Some(models) => {
            models.iter().flat_map(|(id, it)| flags(id, Some(it), &MODELS_DEV)).collect()
        }
        None => flags(name, Some(value), &LITELLM),
    }
}

fn openrouter(table: &Value) -> Vec<ClaimOf> {
    let models = table.get("data").and_then(Value::as_array).into_iter().flatten();
    let claims = models.filter_map(|model| {
        let id = model.get("id")?.as_str()?;
        Some(words(id, model.get("supported_parameters"), &OPENROUTER))
    });
    claims.flatten().collect()
}

/// Claims that are yes or no by name.
fn flags(model: &str, object: Option<&Value>, names: &[(&str, Claim)]) -> Vec<ClaimOf> {
    let told = names.iter().filter_map(|(name, claim)| {
        let says = object?.get(*name)?.as_bool()?;
        Some(ClaimOf { model: model.to_owned(), claim: *claim, says })
    });
    told.collect()
}

/// Claims that are made by naming, and denied by not naming.
fn words(model: &str, list: Option<&Value>, names: &[(&str, Claim)]) -> Vec<ClaimOf> {
    let Some(list) = list.and_then(Value::as_array) else { return Vec::new() };
    let says = |name: &str| list.iter().any(|it| it.as_str() == Some(name));
    let claim = |(name, claim): &(&str, Claim)| ClaimOf {
        model: model.to_owned(),
        claim: *claim,
        says: says(name),
    };
    names.iter().map(claim).collect()
}
