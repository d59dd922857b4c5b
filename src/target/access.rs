//! Access to an endpoint: dialect, URL, and the header that carries the key.

use url::Url;

use super::entry::thinking;
use super::presets::{Hosting, Preset, PresetEndpoint, PresetKey};
use super::resolve::{Env, TargetError};
use super::{DialectChoice, TargetEntry};
use crate::dialect::{DialectId, LimitField, dialect_of};
use crate::profile::ThinkingSwitch;

/// One dialect at one URL, and the header that carries the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// What is spoken.
    pub dialect: DialectId,
    /// The base URL, or the full path of the call.
    pub base_url: Url,
    /// The header that carries the key.
    pub key_header: KeyHeader,
    /// How thinking is switched, where that is known.
    pub thinking: Option<ThinkingSwitch>,
    /// The field of a request that carries the token limit, where it is known not to be the usual one.
    pub limit_field: Option<LimitField>,
}

/// How a key is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyHeader {
    /// The header's name.
    pub name: String,
    /// What stands before the key in its value.
    pub prefix: String,
}

impl KeyHeader {
    fn of(dialect: DialectId) -> Self {
        let auth = dialect.auth();
        Self { name: auth.header.to_owned(), prefix: auth.prefix.to_owned() }
    }

    /// A header that a user names: `authorization` has its scheme, others carry the bare key.
    fn named(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let prefix = if name == "authorization" { "Bearer " } else { "" };
        Self { name, prefix: prefix.to_owned() }
    }

    /// The user's word, then the key's own, then the endpoint's, then the dialect's.
    fn choose(
        entry: &TargetEntry,
        key: Option<&PresetKey>,
        endpoint: Option<&PresetEndpoint>,
        dialect: DialectId,
    ) -> Self {
        let own = |header: &Option<String>, prefix: &str| {
            header.clone().map(|name| Self { name, prefix: prefix.to_owned() })
        };
        entry
            .api_key_header
            .as_deref()
            .map(Self::named)
            .or_else(|| key.and_then(|key| own(&key.header, &key.prefix)))
            .or_else(|| endpoint.and_then(|endpoint| own(&endpoint.header, &endpoint.prefix)))
            .unwrap_or_else(|| Self::of(dialect))
    }
}

/// The dialects that an unknown endpoint may speak, the one that tells most first.
pub(super) const PREFERENCE: [DialectId; 5] = [
    DialectId::OpenAiChat,
    DialectId::AnthropicMessages,
    DialectId::OpenAiResponses,
    DialectId::Gemini,
    DialectId::Ollama,
];

/// The accesses of an entry: one when its dialect is known, else all candidates, likeliest first.
pub(super) fn accesses(
    entry: &TargetEntry,
    preset: Option<&Preset>,
    key: Option<&PresetKey>,
    env: Env<'_>,
) -> Result<Vec<Access>, TargetError> {
    let header = |endpoint: Option<&PresetEndpoint>, dialect| {
        KeyHeader::choose(entry, key, endpoint, dialect)
    };
    let switch = |endpoint: Option<&PresetEndpoint>| {
        thinking(entry, endpoint.and_then(PresetEndpoint::thinking))
    };
    match (&entry.base_url, preset) {
        (Some(text), _) => {
            let base = parse_base(text)?;
            let dialects = dialects_at(entry, preset, &base, env)?;
            let access = |dialect| {
                let endpoint = preset.and_then(|preset| endpoint_of(preset, dialect));
                let key_header = header(endpoint, dialect);
                let thinking = switch(endpoint)?;
                let limit_field = endpoint.and_then(|endpoint| endpoint.limit_field);
                Ok(Access { dialect, base_url: base.clone(), key_header, thinking, limit_field })
            };
            dialects.into_iter().map(access).collect()
        }
        (None, Some(preset)) => {
            let access = |endpoint: &PresetEndpoint| {
                let base_url = parse_base(&fill(preset, endpoint, entry, env)?)?;
                let key_header = header(Some(endpoint), endpoint.dialect);
                let thinking = switch(Some(endpoint))?;
                let (dialect, limit_field) = (endpoint.dialect, endpoint.limit_field);
                Ok(Access { dialect, base_url, key_header, thinking, limit_field })
            };
            preset_endpoints(preset, entry.dialect)?.into_iter().map(access).collect()
        }
        (None, None) => Err(TargetError::new(
            "base_url",
            "a target needs a provider that is known by name, or a base_url",
        )),
    }
}

fn parse_base(text: &str) -> Result<Url, TargetError> {
    let text = text.trim();
    let problem = match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => return Ok(url),
        _ => match with_scheme(text) {
            Some(url) => format!("'{}' has no scheme; did you mean {url}?", without_secrets(text)),
            None => format!(
                "'{}' is not an http or https URL, such as {}",
                without_secrets(text),
                if is_bare_ipv6(text) { "http://[::1]:8080/v1" } else { "https://host/v1" }
            ),
        },
    };
    Err(TargetError::new("base_url", problem))
}

/// Whether the host seems to be an IPv6 address without its brackets.
fn is_bare_ipv6(text: &str) -> bool {
    let host = text.split("://").nth(1).and_then(|rest| rest.split('/').next());
    host.is_some_and(|host| host.matches(':').count() > 1 && !host.contains('['))
}

/// The URL nearest to a text without a scheme.
fn with_scheme(text: &str) -> Option<String> {
    let rest = text.trim_start_matches("//");
    if rest.contains("://") || rest.is_empty() {
        return None;
    }
    let url = Url::parse(&format!("https://{rest}")).ok()?;
    let host = url.host_str()?;
    let is_known = host.contains(['.', ':']) || host == "localhost" || url.port().is_some();
    let plain = Hosting::of(&url) == Hosting::Local || url.port().is_some_and(|port| port != 443);
    let scheme = if plain { "http" } else { "https" };
    is_known.then(|| format!("{scheme}://{}", without_secrets(rest)))
}

/// A URL may carry a password, and a key in its query.
fn without_secrets(text: &str) -> &str {
    let text = text.rsplit('@').next().unwrap_or_default();
    text.split('?').next().unwrap_or_default()
}

fn endpoint_of(preset: &Preset, dialect: DialectId) -> Option<&PresetEndpoint> {
    preset.endpoints.iter().find(|endpoint| endpoint.dialect == dialect)
}

/// The endpoints of a preset that a choice leaves, without a URL of the user's own.
fn preset_endpoints(
    preset: &Preset,
    choice: Option<DialectChoice>,
) -> Result<Vec<&PresetEndpoint>, TargetError> {
    match choice {
        Some(DialectChoice::Auto) => Ok(preset.endpoints.iter().collect()),
        None => Ok(preset.endpoints.iter().take(1).collect()),
        Some(DialectChoice::Fixed(dialect)) => {
            let endpoint = endpoint_of(preset, dialect).ok_or_else(|| {
                let spoken: Vec<&str> =
                    preset.endpoints.iter().map(|e| e.dialect.as_str()).collect();
                let spoken = spoken.join(", ");
                let problem = format!(
                    "provider '{}' is not known to speak {dialect}; it speaks: {spoken}; give a \
                     base_url if yours does",
                    preset.id
                );
                TargetError::new("dialect", problem)
            })?;
            Ok(vec![endpoint])
        }
    }
}

/// The dialects to try at a URL of the user's own, likeliest first.
fn dialects_at(
    entry: &TargetEntry,
    preset: Option<&Preset>,
    base: &Url,
    env: Env<'_>,
) -> Result<Vec<DialectId>, TargetError> {
    let called = dialect_of(base);
    match (entry.dialect, called) {
        (Some(DialectChoice::Fixed(asked)), Some(found)) if asked != found => {
            let problem = format!("'{asked}' was asked for, but base_url is the {found} call");
            Err(TargetError::new("dialect", problem))
        }
        (Some(DialectChoice::Fixed(asked)), _) => Ok(vec![asked]),
        (_, Some(found)) => Ok(vec![found]),
        (choice, None) => {
            let Some(preset) = preset else { return Ok(by_hints(base)) };
            let known = preset.endpoints.iter().find(|endpoint| {
                fill(preset, endpoint, entry, env).is_ok_and(|url| same_place(&url, base))
            });
            let mut dialects: Vec<DialectId> =
                known.into_iter().chain(&preset.endpoints).map(|e| e.dialect).collect();
            match choice {
                Some(_) => dedup(&mut dialects),
                None => dialects.truncate(1),
            }
            Ok(dialects)
        }
    }
}

/// All dialects, those that the URL's path or port hints at first.
fn by_hints(base: &Url) -> Vec<DialectId> {
    let path = base.path().trim_end_matches('/');
    let hinted = match path.rsplit('/').next().unwrap_or_default() {
        "anthropic" => Some(DialectId::AnthropicMessages),
        "openai" => Some(DialectId::OpenAiChat),
        "v1beta" => Some(DialectId::Gemini),
        "api" => Some(DialectId::Ollama),
        "" if base.port() == Some(11434) => Some(DialectId::Ollama),
        _ => None,
    };
    let mut dialects: Vec<DialectId> = hinted.into_iter().chain(PREFERENCE).collect();
    dedup(&mut dialects);
    dialects
}

/// Keeps the first of each.
fn dedup(dialects: &mut Vec<DialectId>) {
    let mut seen = Vec::new();
    dialects.retain(|dialect| {
        let new = !seen.contains(dialect);
        seen.push(*dialect);
        new
    });
}

fn same_place(known: &str, base: &Url) -> bool {
    let Ok(known) = Url::parse(known) else { return false };
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    known.origin() == base.origin() && path(&known) == path(base)
}

/// A preset's URL with its variables filled in: by the entry, the environment, or a default.
fn fill(
    preset: &Preset,
    endpoint: &PresetEndpoint,
    entry: &TargetEntry,
    env: Env<'_>,
) -> Result<String, TargetError> {
    let mut url = endpoint.base_url.clone();
    for variable in &preset.variables {
        let mark = format!("{{{}}}", variable.name);
        if !url.contains(&mark) {
            continue;
        }
        let field = format!("vars.{}", variable.name);
        let value = entry
            .vars
            .get(&variable.name)
            .cloned()
            .or_else(|| variable.env.as_deref().and_then(env))
            .or_else(|| variable.default.clone())
            .ok_or_else(|| {
                let or_env = variable.env.as_ref().map(|env| format!(" or {env}"));
                let problem = format!(
                    "provider '{}' needs {}; set vars.{}{}",
                    preset.id,
                    variable.about,
                    variable.name,
                    or_env.unwrap_or_default()
                );
                TargetError::new(&field, problem)
            })?;
        if !is_url_part(&value) {
            let problem = format!("'{value}' cannot stand in a URL; it is {}", variable.about);
            return Err(TargetError::new(&field, problem));
        }
        url = url.replace(&mark, &value);
    }
    Ok(url)
}

/// Letters, digits and what hosts and paths are made of: nothing that moves a URL to another host.
fn is_url_part(value: &str) -> bool {
    !value.is_empty()
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'/'))
}
