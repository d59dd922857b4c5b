//! The environment variable that a target's key comes from.

use super::presets::{Hosting, Preset, PresetKey};
use super::{Env, TargetEntry};

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
