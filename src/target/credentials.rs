//! Credentials and headers that every request to an endpoint carries.

use serde_json::Value;

use super::presets::{Hosting, Preset, PresetKey};
use super::{Access, Endpoint, Env, TargetEntry};
use crate::ir::Object;
use crate::secret::remember;
use crate::transport::{HeaderText, HttpCall, Secret, is_open_header};

/// The secrets of an endpoint, read from the environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Credentials {
    key: Option<Secret>,
    headers: Vec<(String, Secret)>,
}

/// An environment variable that should hold a credential and does not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no key for '{provider}': set {}, or name another variable with --api-key-env", .variables.join(" or "))]
pub struct MissingKey {
    /// Whose key it is.
    pub provider: String,
    /// The variables that may hold it.
    pub variables: Vec<String>,
}

impl Endpoint {
    /// Reads the key and the secret headers.
    pub fn credentials(&self, env: Env<'_>) -> Result<Credentials, MissingKey> {
        let key = match &self.key {
            KeyFrom::Nowhere => None,
            KeyFrom::Env(name) => Some(self.secret(name, env)?),
            KeyFrom::Missing(names) => return Err(self.missing(names.clone())),
        };
        let headers = self.headers_env.iter().map(|(header, variable)| {
            Ok((header.to_ascii_lowercase(), self.secret(variable, env)?))
        });
        Ok(Credentials { key, headers: headers.collect::<Result<_, _>>()? })
    }

    fn secret(&self, variable: &str, env: Env<'_>) -> Result<Secret, MissingKey> {
        let value = env(variable).filter(|value| !value.trim().is_empty());
        value.map(Secret::new).ok_or_else(|| self.missing(vec![variable.to_owned()]))
    }

    fn missing(&self, variables: Vec<String>) -> MissingKey {
        MissingKey { provider: self.provider.clone(), variables }
    }

    /// The call with the headers that this endpoint wants: the dialect's, the key, the user's.
    pub fn dress(&self, call: HttpCall, access: &Access, credentials: &Credentials) -> HttpCall {
        let mut call = call;
        for (name, value) in access.dialect.auth().fixed {
            if !self.headers.contains_key(*name) {
                call = call.header(*name, *value);
            }
        }
        if let Some(key) = &credentials.key {
            call = call.credential(&access.key_header.name, &access.key_header.prefix, key.clone());
        }
        call.headers.extend(self.headers.iter().map(|(name, text)| (name.clone(), text.clone())));
        for (name, secret) in &credentials.headers {
            call = call.credential(name, "", secret.clone());
        }
        call
    }
}

impl Credentials {
    /// Every secret, to be scrubbed from what is stored and shown.
    pub fn secrets(&self) -> impl Iterator<Item = &Secret> {
        self.key.iter().chain(self.headers.iter().map(|(_, secret)| secret))
    }
}

/// A header that the user sets. Any name may carry a credential; a value that stands in the name of the target, in
/// the model's or in the address (`open`) is known to everybody, and blanking it would spoil the evidence.
pub(super) fn own_header<'a>(
    name: &str,
    value: &str,
    mut open: impl Iterator<Item = &'a str>,
) -> (String, HeaderText) {
    let text = if is_open_header(name) || open.any(|text| text.contains(value)) {
        HeaderText::Plain(value.to_owned())
    } else {
        HeaderText::Secret { scheme: String::new(), secret: Secret::new(value) }
    };
    (name.to_ascii_lowercase(), text)
}

/// Names of fields that hold a credential, as some gateways take in the body of a request.
const CREDENTIAL_FIELDS: &[&str] = &[
    "accesstoken",
    "apikey",
    "authorization",
    "authtoken",
    "bearer",
    "credential",
    "password",
    "secret",
    "sessiontoken",
];

/// The credentials among the fields that a user adds to request bodies, known by their names.
pub(crate) fn secrets_in_fields(fields: &Object) -> Vec<Secret> {
    let mut found = Vec::new();
    for (name, value) in fields {
        collect_secrets(is_credential_field(name), value, &mut found);
    }
    found
}

fn collect_secrets(is_credential: bool, value: &Value, found: &mut Vec<Secret>) {
    match value {
        Value::String(text) if is_credential => found.extend(Secret::with_parts(text)),
        Value::Array(items) => {
            for item in items {
                collect_secrets(is_credential, item, found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                collect_secrets(is_credential || is_credential_field(name), value, found);
            }
        }
        _ => {}
    }
}

fn is_credential_field(name: &str) -> bool {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    CREDENTIAL_FIELDS.iter().any(|known| name.contains(known))
}

/// The longest name of a variable that is shown though it is not set.
const MAX_SHOWN_NAME: usize = 64;

/// Refuses what is probably a key, without showing it.
pub(super) fn check_variable(name: &str, env: Env<'_>) -> Result<(), String> {
    if looks_like_a_name(name) || env(name).is_some() {
        return Ok(());
    }
    remember(&Secret::new(name));
    Err("it takes the name of an environment variable, such as MY_KEY, and not the key itself; what \
         was given names no variable that is set, and is not shown because it may be a key"
        .to_owned())
}

/// Variables of keys are in upper case by custom; long ones have parts.
fn looks_like_a_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    let parted = name.len() < 20 || name.contains('_');
    let starts_well = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
    starts_well && parted && name.len() <= MAX_SHOWN_NAME && name.bytes().all(plain)
}

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyFrom {
    /// None is needed, as far as is known.
    Nowhere,
    /// This environment variable, which is set.
    Env(String),
    /// One of these, none of which is set.
    Missing(Vec<String>),
}

impl KeyFrom {
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Env(name) => Some(name),
            Self::Missing(names) => names.first().map(String::as_str),
            Self::Nowhere => None,
        }
    }
}

/// The variable the user names; else the first of the provider's that is set.
pub(super) fn key_from(entry: &TargetEntry, preset: Option<&Preset>, env: Env<'_>) -> KeyFrom {
    let is_set = |name: &str| env(name).is_some_and(|value| !value.trim().is_empty());
    if let Some(name) = &entry.api_key_env {
        let name = name.clone();
        return if is_set(&name) { KeyFrom::Env(name) } else { KeyFrom::Missing(vec![name]) };
    }
    let Some(preset) = preset else { return KeyFrom::Nowhere };
    match preset.keys.iter().find(|key| is_set(&key.env)) {
        Some(key) => KeyFrom::Env(key.env.clone()),
        None if preset.kind == Hosting::Local => KeyFrom::Nowhere,
        None => KeyFrom::Missing(preset.keys.iter().map(|key| key.env.clone()).collect()),
    }
}

pub(super) fn preset_key<'a>(preset: &'a Preset, name: &str) -> Option<&'a PresetKey> {
    // A variable of the user's own goes where the provider's first one goes.
    preset.keys.iter().find(|key| key.env == name).or(preset.keys.first())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::target::{Defaults, TargetEntry, resolve_endpoint};
    use crate::transport::HeaderText;

    fn endpoint(entry: &TargetEntry, env: Env<'_>) -> Endpoint {
        resolve_endpoint(entry, &Defaults::default(), Path::new(""), env).unwrap()
    }

    fn anthropic() -> TargetEntry {
        let mut entry =
            TargetEntry { provider: Some("anthropic".to_owned()), ..TargetEntry::default() };
        entry.headers.insert("X-Team".to_owned(), "a".to_owned());
        entry.headers_env.insert("X-Gate".to_owned(), "GATE".to_owned());
        entry
    }

    #[test]
    fn a_call_carries_version_key_and_the_users_headers() {
        let env = |name: &str| Some(format!("{name}-value"));
        let endpoint = endpoint(&anthropic(), &env);
        let credentials = endpoint.credentials(&env).unwrap();
        assert_eq!(credentials.secrets().count(), 2);
        let call = HttpCall::get("https://h".parse().unwrap());
        let call = endpoint.dress(call, &endpoint.accesses[0], &credentials);
        let names: Vec<&str> = call.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["anthropic-version", "x-api-key", "x-team", "x-gate"]);
        let secret = Secret::new("ANTHROPIC_API_KEY-value");
        assert_eq!(call.headers[1].1, HeaderText::Secret { scheme: String::new(), secret });
    }

    #[test]
    fn the_users_version_header_replaces_ours() {
        let mut entry = anthropic();
        entry.headers.insert("Anthropic-Version".to_owned(), "2026-10-21".to_owned());
        let endpoint = endpoint(&entry, &|_| None);
        let call = HttpCall::get("https://h".parse().unwrap());
        let call = endpoint.dress(call, &endpoint.accesses[0], &Credentials::default());
        let versions = call.headers.iter().filter(|(name, _)| name == "anthropic-version");
        let text = HeaderText::Plain("2026-10-21".to_owned());
        assert_eq!(versions.map(|(_, value)| value).collect::<Vec<_>>(), [&text]);
    }

    #[test]
    fn a_header_that_repeats_what_is_in_the_open_is_no_secret() {
        let mut entry = TargetEntry {
            base_url: Some("https://gate.test/research-team/v1".to_owned()),
            model: Some("acme/model-name-7b".to_owned()),
            ..TargetEntry::default()
        };
        for (name, value) in [
            ("x-model", "acme/model-name-7b"),
            ("x-team", "research-team"),
            ("x-gate", "acme/model-name-7b-key"),
        ] {
            entry.headers.insert(name.to_owned(), value.to_owned());
        }
        let headers = endpoint(&entry, &|_| None).headers;
        let plain = |name: &str| matches!(headers[name], HeaderText::Plain(_));
        assert!(plain("x-model") && plain("x-team") && !plain("x-gate"));
    }

    #[test]
    fn credentials_in_bodies_are_known_by_their_names() {
        let fields = serde_json::json!({
            "api_key": "key-1", "X-Auth-Token": ["key-2"], "nested": {"clientSecret": "key-3"},
            "metadata": {"credentials": {"user": "key-4"}}, "max_tokens": 5, "stop": "</s>",
        });
        let found = secrets_in_fields(fields.as_object().unwrap());
        let found: Vec<&str> = found.iter().map(Secret::expose).collect();
        assert_eq!(found, ["key-1", "key-2", "key-3", "key-4"]);
    }

    #[test]
    fn a_missing_key_is_told_by_the_variables_that_may_hold_it() {
        let shown =
            |env: Env<'_>| endpoint(&anthropic(), env).credentials(env).unwrap_err().to_string();
        assert_eq!(
            shown(&|_| None),
            "no key for 'anthropic': set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or name another \
             variable with --api-key-env"
        );
        let no_gate = |name: &str| (name != "GATE").then(|| "x".to_owned());
        assert!(shown(&no_gate).starts_with("no key for 'anthropic': set GATE,"));
    }
}
