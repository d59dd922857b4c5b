//! Presets: the providers that are known by name, and how they are reached.
//!
//! The data is `presets.toml` beside this file. A preset is a starting point: whatever a target says
//! for itself wins.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;
use url::Url;

use crate::dialect::{DialectId, LimitField};
use crate::profile::ThinkingSwitch;
use crate::suggest::did_you_mean;

static TEXT: &str = include_str!("presets.toml");

/// Unreadable data gives an empty list, and a test that fails.
static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// All presets, in the order they are listed to people.
pub(crate) fn presets() -> &'static [Preset] {
    &FILE.providers
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The ways in which thinking is switched, by the names that endpoints use for them.
    thinking: BTreeMap<String, ThinkingSwitch>,
    providers: Vec<Preset>,
}

/// A provider that is known by name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Preset {
    /// Its name in files, flags and profiles.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Other names it is found by.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Whose machine it runs on.
    pub kind: Hosting,
    /// Where its key is looked for, in this order.
    pub keys: Vec<PresetKey>,
    /// Where it speaks what, preferred first.
    pub endpoints: Vec<PresetEndpoint>,
    /// The `{names}` in its URLs.
    #[serde(default)]
    pub variables: Vec<Variable>,
    /// Headers that every request needs.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// What its users are likely to stumble over.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Why the preset was removed.
    #[serde(default)]
    pub retired: Option<String>,
    /// Why it cannot be probed.
    #[serde(default)]
    pub unsupported: Option<String>,
}

/// Whose machine an endpoint runs on, which says how soon a profile of it is old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hosting {
    /// A provider's, who may change the model under its name at any time.
    Cloud,
    /// The user's own.
    Local,
}

impl Hosting {
    /// How long a profile stays fresh where a target says nothing else.
    pub fn default_ttl(self) -> Duration {
        match self {
            Self::Cloud => DAY,
            Self::Local => 7 * DAY,
        }
    }

    /// What a URL says about it: loopback, private and plain names are the user's own.
    pub fn of(url: &Url) -> Self {
        let local = match url.host() {
            Some(url::Host::Ipv4(ip)) => {
                ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
            }
            Some(url::Host::Ipv6(ip)) => {
                ip.is_loopback() || ip.is_unique_local() || ip.is_unspecified()
            }
            Some(url::Host::Domain(name)) => {
                !name.contains('.')
                    || name
                        .rsplit('.')
                        .next()
                        .is_some_and(|top| matches!(top, "local" | "localhost"))
            }
            None => true,
        };
        if local { Self::Local } else { Self::Cloud }
    }
}

/// An environment variable that may hold the key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PresetKey {
    /// Its name.
    pub env: String,
    /// The header this key goes into, where it is not the dialect's own.
    #[serde(default)]
    pub header: Option<String>,
    /// What stands before the key in that header.
    #[serde(default)]
    pub prefix: String,
}

/// One dialect of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PresetEndpoint {
    /// What is spoken.
    pub dialect: DialectId,
    /// Where, with `{names}` to be filled in.
    pub base_url: String,
    /// The header the key goes into here, where it is not the dialect's own.
    #[serde(default)]
    pub header: Option<String>,
    /// What stands before the key in that header.
    #[serde(default)]
    pub prefix: String,
    /// The name of the way in which thinking is switched here, where that is known.
    #[serde(default)]
    thinking: Option<String>,
    /// The field of a chat request that carries the token limit, where it is not `max_tokens`.
    #[serde(default)]
    pub limit_field: Option<LimitField>,
}

impl PresetEndpoint {
    /// How thinking is switched here, where that is known.
    pub(crate) fn thinking(&self) -> Option<&'static ThinkingSwitch> {
        FILE.thinking.get(self.thinking.as_deref()?)
    }
}

/// A `{name}` in a provider's URLs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variable {
    /// The name between the braces.
    pub name: String,
    /// What it stands for.
    pub about: String,
    /// The environment variable that may hold it.
    #[serde(default)]
    pub env: Option<String>,
    /// Its value where nobody gives one.
    #[serde(default)]
    pub default: Option<String>,
}

/// Why a provider cannot be used by its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PresetError {
    /// No preset has the name.
    #[error("unknown provider '{name}'{suggestion} (one of: {})", all_ids())]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest one, when one is near, as the rest of a sentence.
        suggestion: String,
    },
    /// The preset was removed.
    #[error("provider '{id}' is retired: {why}; remove the target or name another provider")]
    Retired {
        /// Which one.
        id: String,
        /// What became of it, in words.
        why: String,
    },
    /// None of our dialects is spoken there.
    #[error(
        "provider '{id}' cannot be probed: {why}; put a gateway in front of it and give its base_url"
    )]
    Unsupported {
        /// Which one.
        id: String,
        /// What it speaks instead, in words.
        why: String,
    },
}

fn all_ids() -> String {
    let usable = presets().iter().filter(|preset| preset.is_usable());
    usable.map(|preset| preset.id.as_str()).collect::<Vec<_>>().join(", ")
}

impl Preset {
    /// The usable preset of this id or alias.
    pub(crate) fn find(name: &str) -> Result<&'static Self, PresetError> {
        let wanted = name.to_ascii_lowercase();
        let found = presets().iter().find(|preset| preset.names().any(|known| known == wanted));
        let preset = found.ok_or_else(|| unknown(name, &wanted))?;
        let id = preset.id.clone();
        match (&preset.retired, &preset.unsupported) {
            (Some(why), _) => Err(PresetError::Retired { id, why: why.clone() }),
            (None, Some(why)) => Err(PresetError::Unsupported { id, why: why.clone() }),
            (None, None) => Ok(preset),
        }
    }

    /// The cloud provider whose host this is. Ports of the user's own machine say nothing.
    pub(crate) fn of_url(url: &Url) -> Option<&'static Self> {
        let host = url.host_str()?;
        let cloud = presets().iter().filter(|p| p.is_usable() && p.kind == Hosting::Cloud);
        cloud.into_iter().find(|preset| preset.hosts().any(|pattern| host_matches(&pattern, host)))
    }

    /// Whether it can be probed at all.
    pub(crate) fn is_usable(&self) -> bool {
        self.retired.is_none() && self.unsupported.is_none()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.id.as_str()).chain(self.aliases.iter().map(String::as_str))
    }

    /// The hosts of its endpoints; variables without a default stay as they are.
    fn hosts(&self) -> impl Iterator<Item = String> {
        self.endpoints.iter().filter_map(|endpoint| {
            let (_, rest) = endpoint.base_url.split_once("://")?;
            let host = rest.split('/').next()?.to_owned();
            Some(self.variables.iter().fold(host, |host, variable| match &variable.default {
                Some(default) => host.replace(&format!("{{{}}}", variable.name), default),
                None => host,
            }))
        })
    }
}

/// Whether a host is the pattern's, whose one `{variable}` stands for any one label or part of one.
fn host_matches(pattern: &str, host: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('{') else { return pattern == host };
    let Some((_, after)) = rest.split_once('}') else { return false };
    host.strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(after))
        .is_some_and(|value| !value.is_empty() && !value.contains('.'))
}

fn unknown(name: &str, wanted: &str) -> PresetError {
    let suggestion = did_you_mean(wanted, presets().iter().flat_map(Preset::names));
    PresetError::Unknown { name: name.to_owned(), suggestion }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_data_reads_well() {
        let file: File = toml::from_str(TEXT).unwrap();
        assert_eq!(file.providers, presets());
        assert!(presets().len() >= 26);
    }

    #[test]
    fn every_name_stands_for_one_provider() {
        let mut seen = BTreeSet::new();
        for name in presets().iter().flat_map(Preset::names) {
            assert!(seen.insert(name), "{name} is there twice");
            assert_eq!(name, name.to_ascii_lowercase());
        }
    }

    #[test]
    fn every_usable_provider_has_an_endpoint_and_a_cloud_has_a_key() {
        for preset in presets().iter().filter(|preset| preset.is_usable()) {
            assert!(!preset.endpoints.is_empty(), "{}", preset.id);
            assert!(!preset.keys.is_empty(), "{}", preset.id);
            let dialects: BTreeSet<_> = preset.endpoints.iter().map(|e| e.dialect).collect();
            assert_eq!(dialects.len(), preset.endpoints.len(), "{}", preset.id);
        }
    }

    #[test]
    fn urls_use_exactly_the_variables_that_are_declared() {
        for preset in presets() {
            let mut used = BTreeSet::new();
            for endpoint in &preset.endpoints {
                let names = endpoint.base_url.split('{').skip(1);
                used.extend(names.filter_map(|rest| rest.split('}').next()));
                let filled = endpoint.base_url.replace(['{', '}'], "");
                let scheme = Url::parse(&filled).unwrap().scheme().to_owned();
                let expected = if preset.kind == Hosting::Cloud { "https" } else { "http" };
                assert_eq!(scheme, expected, "{}", preset.id);
            }
            let declared: BTreeSet<_> = preset.variables.iter().map(|v| v.name.as_str()).collect();
            assert_eq!(used, declared, "{}", preset.id);
        }
    }

    #[test]
    fn every_switch_of_thinking_is_one_and_is_used() {
        let named: BTreeSet<&str> = presets()
            .iter()
            .flat_map(|preset| &preset.endpoints)
            .filter_map(|endpoint| endpoint.thinking.as_deref())
            .collect();
        let known: BTreeSet<&str> = FILE.thinking.keys().map(String::as_str).collect();
        assert_eq!(named, known);
        for (name, switch) in &FILE.thinking {
            assert_ne!(switch.on, switch.off, "{name}");
            assert!(switch.on.keys().eq(switch.off.keys()), "{name} switches one thing");
        }
    }

    #[test]
    fn a_provider_is_found_by_id_and_alias_in_any_case() {
        for (name, id) in [("openai", "openai"), ("Kimi", "moonshot"), ("llama.cpp", "llama-cpp")] {
            assert_eq!(Preset::find(name).unwrap().id, id);
        }
    }

    #[test]
    fn a_misspelt_provider_gets_a_suggestion_and_the_list() {
        let shown = Preset::find("antropic").unwrap_err().to_string();
        assert!(
            shown.starts_with(
                "unknown provider 'antropic'; did you mean 'anthropic'? (one of: openai, anthropic"
            ),
            "{shown}"
        );
        assert!(!shown.contains("github-models"), "retired ones are no advice: {shown}");
        let shown = Preset::find("zzz").unwrap_err().to_string();
        assert!(shown.starts_with("unknown provider 'zzz' (one of: "), "{shown}");
    }

    #[test]
    fn what_cannot_be_probed_says_why() {
        assert_eq!(
            Preset::find("github-models").unwrap_err().to_string(),
            "provider 'github-models' is retired: the service ended on 2026-07-30; remove the \
             target or name another provider"
        );
        let shown = Preset::find("stackspot").unwrap_err().to_string();
        assert!(shown.starts_with("provider 'stackspot' cannot be probed: "), "{shown}");
    }

    #[test]
    fn a_cloud_is_known_by_its_host() {
        let of = |url: &str| Preset::of_url(&Url::parse(url).unwrap()).map(|p| p.id.as_str());
        for (url, id) in [
            ("https://api.openai.com/v1", Some("openai")),
            ("https://openrouter.ai/api/v1/chat/completions", Some("openrouter")),
            ("https://my-res.openai.azure.com/openai/v1", Some("azure")),
            ("https://europe-west4-aiplatform.googleapis.com/v1", Some("vertex")),
            ("https://bedrock-mantle.us-east-1.api.aws/v1", Some("bedrock")),
            ("https://evil.example/api.openai.com", None),
            ("https://a.b.openai.azure.com.evil.example/", None),
            ("http://localhost:11434", None),
        ] {
            assert_eq!(of(url), id, "{url}");
        }
    }

    #[test]
    fn the_users_own_machines_are_local() {
        for url in ["http://localhost:1", "http://10.0.0.7/v1", "http://[::1]:8", "http://gpu-box"]
        {
            assert_eq!(Hosting::of(&Url::parse(url).unwrap()), Hosting::Local, "{url}");
        }
        for url in ["https://api.openai.com", "http://8.8.8.8", "http://[2001:db8::1]/"] {
            assert_eq!(Hosting::of(&Url::parse(url).unwrap()), Hosting::Cloud, "{url}");
        }
        assert_eq!(Hosting::Cloud.default_ttl(), DAY);
        assert_eq!(Hosting::Local.default_ttl(), 7 * DAY);
    }
}
