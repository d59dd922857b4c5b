//! One `[[targets]]` table of the configuration, and the checks of its fields.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::presets::Preset;
use super::{Bounds, DialectChoice, ExtraBody, Limits, Span, TargetError, Timeouts};
use crate::ir::Object;
use crate::profile::{Requirement, ThinkingSwitch};

/// One `[[targets]]` table: an endpoint and the models behind it.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetEntry {
    /// What the target is known by in output, snapshots, policies and history; by default made from
    /// the provider, the host and the model.
    pub name: Option<String>,
    /// A provider that is known by name.
    pub provider: Option<String>,
    /// The base URL, as the provider's own SDK takes it; needed without a provider.
    pub base_url: Option<String>,
    /// The dialect, or `auto` to ask the endpoint; by default the provider's first.
    pub dialect: Option<DialectChoice>,
    /// The model, by its name at the endpoint.
    pub model: Option<String>,
    /// Several models, each a target of its own.
    #[serde(default)]
    pub models: Vec<String>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// The header that carries the key, where it is not the dialect's own.
    pub api_key_header: Option<String>,
    /// The `{names}` in the provider's URL.
    #[serde(default)]
    pub vars: BTreeMap<String, String>,
    /// Headers of every request. No credentials: those go into `headers_env`. Their values are not
    /// stored all the same, but for headers of the protocol such as `anthropic-beta`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Headers whose values are in environment variables of these names.
    #[serde(default)]
    pub headers_env: BTreeMap<String, String>,
    /// Whether a credential may be sent over plain HTTP to another machine.
    pub insecure_http: Option<bool>,
    /// How large a reply and its parts may be.
    #[serde(default)]
    pub bounds: Bounds,
    /// Fields merged into every request body: a table, or JSON text.
    pub extra_body: Option<ExtraBody>,
    /// The fields that switch thinking on: the full suite asks for every tool choice with them too.
    pub thinking_on: Option<ExtraBody>,
    /// The fields that switch thinking off. By default both are the provider's.
    pub thinking_off: Option<ExtraBody>,
    /// Several settings, each a target of its own, such as thinking on and off.
    #[serde(default)]
    pub variants: Vec<VariantEntry>,
    /// How hard the endpoint may be asked.
    #[serde(default)]
    pub limits: Limits,
    /// How long to wait for what.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// `chat_template.jinja` or `tokenizer_config.json`; wins over what the server tells.
    pub chat_template: Option<PathBuf>,
    /// How long a profile stays fresh.
    pub ttl: Option<Span>,
    /// What must be there for the run to succeed.
    #[serde(default)]
    pub require: Vec<Requirement>,
}

/// One of several settings that a model is probed with.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VariantEntry {
    /// What it is called in output and in profiles, such as `thinking-off`.
    pub name: String,
    /// Fields merged into every request body, over the target's own.
    pub extra_body: ExtraBody,
}

pub(super) fn models(entry: &TargetEntry) -> Result<Vec<&str>, TargetError> {
    let names: Vec<&str> = match (&entry.model, entry.models.as_slice()) {
        (Some(_), [_, ..]) => {
            return Err(TargetError::new("models", "give either model or models, not both"));
        }
        (Some(model), []) => vec![model],
        (None, models) => models.iter().map(String::as_str).collect(),
    };
    if names.is_empty() {
        let problem = "a target needs a model; `toolprobe probe URL` without --model lists what an \
                       endpoint offers";
        return Err(TargetError::new("model", problem));
    }
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err(TargetError::new("model", "a model's name cannot be empty"));
    }
    Ok(names)
}

/// The entry's variants; one without a name when it has none.
pub(super) fn variants(entry: &TargetEntry) -> Result<Vec<Option<&VariantEntry>>, TargetError> {
    if entry.variants.is_empty() {
        return Ok(vec![None]);
    }
    for variant in &entry.variants {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        if variant.name.is_empty() || !variant.name.bytes().all(plain) {
            let problem = format!(
                "'{}' cannot name a variant; use letters, digits, dashes and dots",
                variant.name
            );
            return Err(TargetError::new("variants", problem));
        }
    }
    Ok(entry.variants.iter().map(Some).collect())
}

/// The entry's fields with the variant's over them, key by key at the top.
pub(super) fn extra_body(entry: &TargetEntry, variant: Option<&VariantEntry>) -> Object {
    let mut body = entry.extra_body.clone().unwrap_or_default().0;
    if let Some(variant) = variant {
        body.extend(variant.extra_body.0.clone());
    }
    body
}

/// How thinking is switched: as the entry says, and as the provider's endpoint does where it is
/// silent.
pub(super) fn thinking(
    entry: &TargetEntry,
    known: Option<&ThinkingSwitch>,
) -> Result<Option<ThinkingSwitch>, TargetError> {
    let or = |own: &Option<ExtraBody>, known: Option<&Object>| {
        own.as_ref().map(|body| body.0.clone()).or_else(|| known.cloned())
    };
    let on = or(&entry.thinking_on, known.map(|switch| &switch.on));
    let off = or(&entry.thinking_off, known.map(|switch| &switch.off));
    match (on, off) {
        (Some(on), Some(off)) => Ok(Some(ThinkingSwitch { on, off })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(TargetError::new("thinking_off", "thinking_on needs it beside it")),
        (None, Some(_)) => Err(TargetError::new("thinking_on", "thinking_off needs it beside it")),
    }
}

pub(super) fn check_vars(entry: &TargetEntry, preset: Option<&Preset>) -> Result<(), TargetError> {
    let known: Vec<&str> = preset
        .map(|preset| preset.variables.iter().map(|variable| variable.name.as_str()).collect())
        .unwrap_or_default();
    let Some(unknown) = entry.vars.keys().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let problem = if known.is_empty() {
        "the URL has no variables".to_owned()
    } else {
        format!("no such variable in the provider's URL; it has: {}", known.join(", "))
    };
    Err(TargetError::new(&format!("vars.{unknown}"), problem))
}

/// Headers that carry credentials, which must not stand in a file.
const CREDENTIALS: [&str; 8] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "cookie",
    "x-auth-token",
    "cf-aig-authorization",
];

pub(super) fn check_headers(entry: &TargetEntry) -> Result<(), TargetError> {
    let own = entry.api_key_header.iter().map(|name| ("api_key_header", name));
    let plain = entry.headers.keys().map(|name| ("headers", name));
    let secret = entry.headers_env.keys().map(|name| ("headers_env", name));
    for (field, name) in own.chain(plain).chain(secret) {
        if !is_header_name(name) {
            let problem = format!("'{name}' cannot be the name of a header");
            return Err(TargetError::new(field, problem));
        }
    }
    let credential =
        entry.headers.keys().find(|name| CREDENTIALS.contains(&name.to_ascii_lowercase().as_str()));
    match credential {
        Some(name) => {
            let problem = format!(
                "'{name}' carries a credential, which does not belong in a file; name the \
                 environment variable that holds it in api_key_env or headers_env"
            );
            Err(TargetError::new("headers", problem))
        }
        None => Ok(()),
    }
}

fn is_header_name(name: &str) -> bool {
    let mark = |b: u8| b"!#$%&'*+-.^_`|~".contains(&b);
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || mark(b))
}
