//! Codex CLI: the provider in `config.toml`, and the catalogue of models that it can name.

use serde_json::{Value, json};

use super::clients::strict_json;
use super::facts::Facts;
use super::{Comment, Rendered};
use crate::dialect::DialectId;

/// Codex has spoken the Responses API only since `wire_api = "chat"` was taken out.
const SPEAKS: [DialectId; 1] = [DialectId::OpenAiResponses];

pub(super) fn config(facts: &Facts<'_>) -> Rendered {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let id = facts.provider().replace(|c: char| !is_word(c), "-");
    let text = |value: &str| Value::from(value).to_string();
    let body = format!(
        "model = {}\nmodel_provider = {}\n\n[model_providers.{}]\nname = {}\nbase_url = {}\n\
         wire_api = \"responses\"\n",
        text(facts.model()),
        text(&id),
        text(&id),
        text(facts.provider()),
        text(&facts.versioned_base()),
    );
    let rendered =
        Rendered { body, comment: Comment::Mark("#"), expresses: &[], notes: Vec::new() };
    let catalog = "model_catalog_json can name the catalogue that --for codex-catalog prints";
    rendered.with_notes(facts.unspoken(&SPEAKS)).with_notes(vec![catalog.to_owned()])
}

/// What every entry must have, and no probe measures: the values of a model that Codex does not know.
const FILLED: &str = "required by Codex and not measured: shell_type, visibility, supported_in_api, \
                      priority, support_verbosity, truncation_policy, experimental_supported_tools, \
                      base_instructions, supported_reasoning_levels";

/// The catalogue replaces Codex's own: it knows this model and no other.
pub(super) fn catalog(facts: &Facts<'_>) -> Rendered {
    let model = json!({
        "slug": facts.model(), "display_name": facts.model(),
        "supported_reasoning_levels": [],
        "shell_type": "unified_exec", "visibility": "list", "supported_in_api": true, "priority": 1,
        "support_verbosity": false, "truncation_policy": {"mode": "tokens", "limit": 10_000},
        "experimental_supported_tools": [], "supports_search_tool": false,
        "base_instructions": "You are a coding agent. Use the tools that you are given.",
    });
    let rendered = strict_json(json!({"models": [model]}), &[]);
    rendered.with_notes(facts.unspoken(&SPEAKS)).with_notes(vec![FILLED.to_owned()])
}
