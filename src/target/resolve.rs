//! Targets and endpoints, resolved from an entry, a preset and the defaults.
//!
//! A target holds no secret: only the name of the environment variable that does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use url::{Position, Url};

use super::access::accesses;
use super::credentials::{check_variable, key_from, own_header, preset_key};
use super::entry::{check_headers, check_vars, extra_body, models, variants};
use super::presets::{Hosting, Preset};
use super::{Access, Bounds, Defaults, KeyFrom, Limits, TargetEntry, Timeouts};
use crate::ir::{Digest, Object};
use crate::profile::{Requirement, Subject, origin};
use crate::transport::HeaderText;

/// Stands for a provider that is not known by name.
const CUSTOM: &str = "custom";

/// How the environment is looked at: injected, so that resolving stays pure.
pub(crate) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// One model with one setting at one endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// What it is known by: unique, and the same from run to run.
    pub name: String,
    /// The model's name at the endpoint.
    pub model: String,
    /// The setting's name, where the entry has several.
    pub variant: Option<String>,
    /// Fields merged into every request body.
    pub extra_body: Object,
    /// What must be there for the run to succeed.
    pub require: Vec<Requirement>,
    /// What its profile is about, where that is not the address that is asked: the simulated models,
    /// and models through an adapter.
    pub subject: Option<Subject>,
    /// Where it is.
    pub endpoint: Endpoint,
}

/// Where a target is and how it may be asked: all that does not depend on the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// The provider's id; `custom` for an unknown provider.
    pub provider: String,
    /// Whose machine it runs on.
    pub hosting: Hosting,
    /// How to reach it: one access when the dialect is known, else candidates, likeliest first.
    pub accesses: Vec<Access>,
    /// Where the key comes from.
    pub key: KeyFrom,
    /// Headers of every request. Those that the user sets are secret, but for those of the protocol.
    pub headers: BTreeMap<String, HeaderText>,
    /// Headers whose values are in environment variables of these names.
    pub headers_env: BTreeMap<String, String>,
    /// How hard it may be asked.
    pub limits: Limits,
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// A local chat template or tokenizer configuration.
    pub chat_template: Option<PathBuf>,
    /// How long a profile stays fresh.
    pub ttl: Duration,
    /// What stands for its address in records, where that is another in every run.
    pub alias: Option<String>,
    /// Whether a credential may be sent over plain HTTP to another machine.
    pub insecure_http: bool,
    /// How large a reply and its parts may be, where that is not the default.
    pub bounds: Bounds,
}

/// What is wrong with an entry, and in which field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct TargetError {
    /// Its key in the configuration.
    pub field: String,
    /// What is wrong with it, and what to do.
    pub problem: String,
}

impl TargetError {
    pub(super) fn new(field: &str, problem: impl Into<String>) -> Self {
        Self { field: field.to_owned(), problem: problem.into() }
    }
}

impl Target {
    /// What a profile of this target is about when it is asked over this access.
    pub fn subject_at(&self, access: &Access, chat_template: Option<&Digest>) -> Subject {
        self.subject.clone().unwrap_or_else(|| Subject {
            provider: self.endpoint.provider.clone(),
            model: self.model.clone(),
            endpoint: shown_url(&access.base_url),
            chat_template_hash: chat_template.map(ToString::to_string),
            variant: self.variant.clone(),
        })
    }
}

/// A base URL as profiles show it: no user info, no trailing slash, and of the query only what
/// selects an API version.
fn shown_url(url: &Url) -> String {
    let mut shown = format!("{}://{}", url.scheme(), shown_host(url));
    shown.push_str(url.path().trim_end_matches('/'));
    if let Some((_, version)) = url.query_pairs().find(|(name, _)| name == "api-version") {
        shown = format!("{shown}?api-version={version}");
    }
    shown
}

/// Everything that an entry asks to be probed: each model with each variant.
///
/// `folder` is where relative paths of the entry start.
pub(crate) fn resolve(
    entry: &TargetEntry,
    defaults: &Defaults,
    folder: &Path,
    env: Env<'_>,
) -> Result<Vec<Target>, TargetError> {
    let endpoint = resolve_endpoint(entry, defaults, folder, env)?;
    let models = models(entry)?;
    let several = models.len() > 1;
    let base_name = entry.name.clone().unwrap_or_else(|| default_name(entry, &endpoint));
    let mut targets = Vec::new();
    for model in models {
        for variant in variants(entry)? {
            let mut name = base_name.clone();
            if several || entry.name.is_none() {
                name = format!("{name}/{model}");
            }
            if let Some(variant) = variant {
                name = format!("{name}@{}", variant.name);
            }
            targets.push(Target {
                name,
                model: model.to_owned(),
                variant: variant.map(|variant| variant.name.clone()),
                extra_body: extra_body(entry, variant),
                require: entry.require.clone(),
                subject: None,
                endpoint: endpoint.clone(),
            });
        }
    }
    Ok(targets)
}

/// What the models of an entry without a name are called after: the provider, and the host where the
/// provider does not say it. One that is not known by name is only where it is.
fn default_name(entry: &TargetEntry, endpoint: &Endpoint) -> String {
    let provider = &endpoint.provider;
    let own = entry.base_url.as_deref().and_then(|text| Url::parse(text.trim()).ok());
    let is_known = |url: &Url| {
        let preset = Preset::find(provider).ok();
        let known = preset.iter().flat_map(|preset| &preset.endpoints);
        let mut known = known.filter_map(|it| Url::parse(&it.base_url).ok());
        known.any(|known| origin(&known) == origin(url))
    };
    match own.filter(|url| !is_known(url)) {
        Some(url) if provider == CUSTOM => shown_host(&url),
        Some(url) => format!("{provider}/{}", shown_host(&url)),
        None => provider.clone(),
    }
}

fn shown_host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// The endpoint of an entry, whose model may not be known yet.
pub(crate) fn resolve_endpoint(
    entry: &TargetEntry,
    defaults: &Defaults,
    folder: &Path,
    env: Env<'_>,
) -> Result<Endpoint, TargetError> {
    let preset = preset(entry)?;
    check_vars(entry, preset)?;
    check_headers(entry)?;
    check_variables(entry, env)?;
    let key = key_from(entry, preset, env);
    let preset_key = preset.zip(key.name()).and_then(|(preset, name)| preset_key(preset, name));
    let accesses = accesses(entry, preset, preset_key, env)?;
    let hosting = match (preset, accesses.first()) {
        (Some(preset), _) => preset.kind,
        (None, Some(access)) => Hosting::of(&access.base_url),
        (None, None) => Hosting::Cloud,
    };
    let ttl = entry.ttl.or(defaults.ttl).map_or(hosting.default_ttl(), |span| span.0);
    let presets = preset.into_iter().flat_map(|preset| &preset.headers);
    let mut headers: BTreeMap<String, HeaderText> =
        presets.map(|(name, value)| (name.clone(), HeaderText::Plain(value.clone()))).collect();
    let open = || open_texts(entry, &accesses);
    headers.extend(entry.headers.iter().map(|(name, value)| own_header(name, value, open())));
    Ok(Endpoint {
        provider: preset.map_or(CUSTOM, |preset| preset.id.as_str()).to_owned(),
        hosting,
        accesses,
        key,
        headers,
        headers_env: entry.headers_env.clone(),
        limits: entry.limits.or(defaults.limits),
        timeouts: entry.timeouts.or(defaults.timeouts),
        chat_template: entry.chat_template.as_ref().map(|path| folder.join(path)),
        ttl,
        alias: None,
        bounds: defaults.bounds.iter().chain(&entry.bounds).map(|(k, v)| (*k, *v)).collect(),
        insecure_http: entry.insecure_http.or(defaults.insecure_http).unwrap_or(false),
    })
}

/// What an entry says in the open: its models, and the places of its addresses.
fn open_texts<'a>(entry: &'a TargetEntry, accesses: &'a [Access]) -> impl Iterator<Item = &'a str> {
    let place = |access: &'a Access| &access.base_url[Position::BeforeHost..Position::AfterPath];
    let names = entry.name.iter().chain(&entry.model).chain(&entry.models).map(String::as_str);
    names.chain(accesses.iter().map(place))
}

/// Where the name of a variable is asked for, people paste the key itself.
fn check_variables(entry: &TargetEntry, env: Env<'_>) -> Result<(), TargetError> {
    let key = entry.api_key_env.iter().map(|name| ("api_key_env", name));
    let headers = entry.headers_env.values().map(|name| ("headers_env", name));
    key.chain(headers).try_for_each(|(field, name)| {
        check_variable(name, env).map_err(|problem| TargetError::new(field, problem))
    })
}

/// The provider that is named, or whose host the URL has.
fn preset(entry: &TargetEntry) -> Result<Option<&'static Preset>, TargetError> {
    if let Some(name) = &entry.provider {
        let preset = Preset::find(name);
        return preset.map(Some).map_err(|e| TargetError::new("provider", e.to_string()));
    }
    let url = entry.base_url.as_deref().and_then(|text| Url::parse(text).ok());
    Ok(url.as_ref().and_then(Preset::of_url))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::dialect::DialectId;
    use crate::target::entry::VariantEntry;
    use crate::target::{DialectChoice, ExtraBody, Span};

    fn entry(provider: &str) -> TargetEntry {
        TargetEntry {
            provider: Some(provider.to_owned()),
            model: Some("m".to_owned()),
            ..TargetEntry::default()
        }
    }

    fn at(url: &str) -> TargetEntry {
        let base_url = Some(url.to_owned());
        TargetEntry { base_url, model: Some("m".to_owned()), ..TargetEntry::default() }
    }

    /// Resolves with these variables set, each to `value of NAME`.
    fn resolved(entry: &TargetEntry, set: &[&str]) -> Result<Vec<Target>, TargetError> {
        let env = |name: &str| set.contains(&name).then(|| format!("value-of-{name}"));
        resolve(entry, &Defaults::default(), Path::new(""), &env)
    }

    fn one(entry: &TargetEntry, set: &[&str]) -> Target {
        let mut targets = resolved(entry, set).unwrap();
        assert_eq!(targets.len(), 1);
        targets.remove(0)
    }

    fn accesses(target: &Target) -> Vec<(DialectId, &str)> {
        target
            .endpoint
            .accesses
            .iter()
            .map(|access| (access.dialect, access.base_url.as_str()))
            .collect()
    }

    #[test]
    fn every_usable_provider_resolves_with_a_model_alone_once_its_variables_are_set() {
        let env = |name: &str| Some(format!("x{}", name.len()));
        for preset in crate::target::presets().iter().filter(|preset| preset.is_usable()) {
            let entry = entry(&preset.id);
            let targets = resolve(&entry, &Defaults::default(), Path::new(""), &env).unwrap();
            let endpoint = &targets[0].endpoint;
            assert_eq!(endpoint.accesses.len(), 1, "{}", preset.id);
            assert_eq!(endpoint.accesses[0].dialect, preset.endpoints[0].dialect);
            assert_eq!(endpoint.ttl, preset.kind.default_ttl());
            assert_eq!(endpoint.key, KeyFrom::Env(preset.keys[0].env.clone()));
        }
    }

    #[test]
    fn a_key_goes_where_its_provider_wants_it() {
        for (provider, variable, name, prefix) in [
            ("openai", "OPENAI_API_KEY", "authorization", "Bearer "),
            ("anthropic", "ANTHROPIC_API_KEY", "x-api-key", ""),
            ("anthropic", "ANTHROPIC_AUTH_TOKEN", "authorization", "Bearer "),
            ("gemini", "GEMINI_API_KEY", "x-goog-api-key", ""),
        ] {
            let target = one(&entry(provider), &[variable]);
            assert_eq!(target.endpoint.key, KeyFrom::Env(variable.to_owned()));
            let header = &target.endpoint.accesses[0].key_header;
            assert_eq!(
                (header.name.as_str(), header.prefix.as_str()),
                (name, prefix),
                "{variable}"
            );
        }
        let azure = one(&entry("azure"), &["AZURE_OPENAI_API_KEY", "AZURE_RESOURCE_NAME"]);
        assert_eq!(azure.endpoint.accesses[0].key_header.name, "api-key");
        let own = TargetEntry {
            api_key_env: Some("MINE".to_owned()),
            api_key_header: Some("X-Gateway-Key".to_owned()),
            ..at("http://gateway/v1")
        };
        let header = &one(&own, &["MINE"]).endpoint.accesses[0].key_header;
        assert_eq!((header.name.as_str(), header.prefix.as_str()), ("x-gateway-key", ""));
    }

    #[test]
    fn the_first_variable_that_is_set_wins_and_a_missing_one_is_told_by_name() {
        let target = one(&entry("gemini"), &["GEMINI_API_KEY", "GOOGLE_API_KEY"]);
        assert_eq!(target.endpoint.key, KeyFrom::Env("GOOGLE_API_KEY".to_owned()));
        let missing = one(&entry("moonshot"), &[]).endpoint.key;
        let names = ["MOONSHOT_API_KEY", "KIMI_API_KEY"].map(str::to_owned).to_vec();
        assert_eq!(missing, KeyFrom::Missing(names));
        assert_eq!(one(&entry("vllm"), &[]).endpoint.key, KeyFrom::Nowhere);
        let own = TargetEntry { api_key_env: Some("MINE".to_owned()), ..entry("vllm") };
        let missing = KeyFrom::Missing(vec!["MINE".to_owned()]);
        assert_eq!(one(&own, &[]).endpoint.key, missing);
    }

    #[test]
    fn thinking_is_switched_as_the_provider_does_unless_the_entry_says_how() {
        let switch = |entry: &TargetEntry| one(entry, &[]).endpoint.accesses[0].thinking.clone();
        let known = switch(&entry("deepseek")).unwrap();
        assert_eq!(Value::from(known.off), json!({"thinking": {"type": "disabled"}}));
        assert_eq!(switch(&entry("mistral")), None);
        let body = |text: &str| Some(text.parse().unwrap());
        let own = TargetEntry { thinking_on: body(r#"{"think_hard": 1}"#), ..entry("deepseek") };
        let merged = switch(&own).unwrap();
        assert_eq!(Value::from(merged.on), json!({"think_hard": 1}));
        assert_eq!(Value::from(merged.off), json!({"thinking": {"type": "disabled"}}));
        let half = TargetEntry { thinking_on: body("{}"), ..at("http://localhost:1/v1") };
        let error = resolved(&half, &[]).unwrap_err().to_string();
        assert_eq!(error, "thinking_off: thinking_on needs it beside it");
    }

    #[test]
    fn a_preset_has_a_url_per_dialect() {
        let with = |dialect| TargetEntry { dialect: Some(dialect), ..entry("deepseek") };
        let fixed = one(&with(DialectChoice::Fixed(DialectId::AnthropicMessages)), &[]);
        let url = "https://api.deepseek.com/anthropic";
        assert_eq!(accesses(&fixed), [(DialectId::AnthropicMessages, url)]);
        assert_eq!(one(&with(DialectChoice::Auto), &[]).endpoint.accesses.len(), 3);
        let error = resolved(&with(DialectChoice::Fixed(DialectId::Ollama)), &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "dialect: provider 'deepseek' is not known to speak ollama; it speaks: openai-chat, \
             anthropic-messages, openai-responses; give a base_url if yours does"
        );
    }

    #[test]
    fn variables_come_from_the_entry_then_the_environment_then_the_default() {
        let mut qwen = entry("qwen");
        assert_eq!(
            accesses(&one(&qwen, &[]))[0].1,
            "https://dashscope.aliyuncs.com/compatible-mode/v1"
        );
        qwen.vars.insert("site".to_owned(), "dashscope-intl".to_owned());
        let url = "https://dashscope-intl.aliyuncs.com/compatible-mode/v1";
        assert_eq!(accesses(&one(&qwen, &[]))[0].1, url);
        let bedrock = one(&entry("bedrock"), &["AWS_REGION"]);
        assert_eq!(
            accesses(&bedrock)[0].1,
            "https://bedrock-mantle.value-of-aws_region.api.aws/v1"
        );
        assert_eq!(
            resolved(&entry("bedrock"), &[]).unwrap_err().to_string(),
            "vars.region: provider 'bedrock' needs the AWS region, such as us-east-1; set \
             vars.region or AWS_REGION"
        );
        qwen.vars.insert("sight".to_owned(), "x".to_owned());
        let shown = resolved(&qwen, &[]).unwrap_err().to_string();
        assert!(shown.starts_with("vars.sight: no such variable"), "{shown}");
    }

    #[test]
    fn a_url_alone_says_as_much_as_it_can() {
        use DialectId::{AnthropicMessages, Gemini, Ollama, OpenAiChat, OpenAiResponses};
        let dialects = |url: &str| -> Vec<DialectId> {
            one(&at(url), &[]).endpoint.accesses.iter().map(|access| access.dialect).collect()
        };
        assert_eq!(dialects("http://h:9/v1/responses"), [OpenAiResponses]);
        assert_eq!(dialects("https://api.openai.com/v1/"), [OpenAiChat]);
        assert_eq!(dialects("https://api.deepseek.com/anthropic"), [AnthropicMessages]);
        assert_eq!(
            dialects("http://h:9/v1"),
            [OpenAiChat, AnthropicMessages, OpenAiResponses, Gemini, Ollama]
        );
        assert_eq!(dialects("http://h:9/proxy/anthropic")[0], AnthropicMessages);
        assert_eq!(dialects("http://h:11434")[0], Ollama);
        assert_eq!(dialects("http://h:11434").len(), 5);
    }

    #[test]
    fn a_known_host_brings_its_provider() {
        let target = one(&at("https://api.groq.com/openai/v1"), &["GROQ_API_KEY"]);
        assert_eq!(target.endpoint.provider, "groq");
        assert_eq!(target.endpoint.key, KeyFrom::Env("GROQ_API_KEY".to_owned()));
        let own = one(&at("http://10.1.2.3:9/v1"), &["OPENAI_API_KEY"]);
        assert_eq!(own.endpoint.provider, "custom");
        assert_eq!(own.endpoint.key, KeyFrom::Nowhere);
        assert_eq!(own.endpoint.hosting, Hosting::Local);
    }

    #[test]
    fn each_model_with_each_variant_is_a_target_of_its_own() {
        let body = |text: &str| text.parse::<ExtraBody>().unwrap();
        let entry = TargetEntry {
            model: None,
            models: vec!["a".to_owned(), "b".to_owned()],
            extra_body: Some(body(r#"{"top_k": 1, "think": "low"}"#)),
            variants: vec![
                VariantEntry { name: "on".to_owned(), extra_body: body(r#"{"think": true}"#) },
                VariantEntry { name: "off".to_owned(), extra_body: body(r#"{"think": false}"#) },
            ],
            ..entry("ollama")
        };
        let targets = resolved(&entry, &[]).unwrap();
        let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
        assert_eq!(names, ["ollama/a@on", "ollama/a@off", "ollama/b@on", "ollama/b@off"]);
        assert_eq!(json!(targets[1].extra_body), json!({"top_k": 1, "think": false}));
        let subjects: Vec<Subject> =
            targets.iter().map(|t| t.subject_at(&t.endpoint.accesses[0], None)).collect();
        assert_ne!(subjects[0], subjects[1]);
        assert_eq!(subjects[0].name(), names[0]);
    }

    #[test]
    fn credentials_do_not_stand_in_the_file() {
        let mut entry = entry("vllm");
        entry.headers.insert("Authorization".to_owned(), "Bearer x".to_owned());
        let shown = resolved(&entry, &[]).unwrap_err().to_string();
        assert!(shown.starts_with("headers: 'Authorization' carries a credential"), "{shown}");
        entry.headers.clear();
        entry.headers_env.insert("bad name".to_owned(), "X".to_owned());
        let shown = resolved(&entry, &[]).unwrap_err().to_string();
        assert_eq!(shown, "headers_env: 'bad name' cannot be the name of a header");
    }

    #[test]
    fn a_pasted_key_is_refused_and_not_shown() {
        let pasted = [
            "sk-proj-abcdefghijklmnop",
            "AIzaSyAbcdefghijklmnopqrstuvwxyz0123456",
            "0123456789abcdef0123456789abcdef",
            "AKIAABCDEFGHIJKLMNOP",
            "Bearer abc",
        ];
        for key in pasted {
            let mut own = TargetEntry { api_key_env: Some(key.to_owned()), ..entry("vllm") };
            let shown = resolved(&own, &[]).unwrap_err().to_string();
            assert!(shown.starts_with("api_key_env: it takes the name"), "{shown}");
            assert!(!shown.contains(key), "{shown}");
            own.headers_env.insert("x-gate".to_owned(), own.api_key_env.take().unwrap());
            let shown = resolved(&own, &[]).unwrap_err().to_string();
            assert!(shown.starts_with("headers_env: ") && !shown.contains(key), "{shown}");
        }
        let own = TargetEntry { api_key_env: Some("my.own-name".to_owned()), ..entry("vllm") };
        assert!(resolved(&own, &["my.own-name"]).is_ok());
    }

    #[test]
    fn bad_urls_are_refused_without_showing_their_passwords() {
        for url in ["ftp://me:hunter22@h/v1?key=hunter22", "localhost:8080", "h/v1", ""] {
            let shown = resolved(&at(url), &[]).unwrap_err().to_string();
            assert!(shown.starts_with("base_url: '"), "{shown}");
            assert!(!shown.contains("hunter22"), "{shown}");
        }
        let shown = resolved(&TargetEntry::default(), &[]).unwrap_err().to_string();
        assert!(shown.starts_with("base_url: a target needs a provider"), "{shown}");
    }

    #[test]
    fn a_subject_shows_no_password_and_no_key() {
        let target = one(&at("https://me:pw@h.test:8443/v1/?key=abc&api-version=2&x=1"), &[]);
        let subject = target.subject_at(&target.endpoint.accesses[0], Some(&Digest::of("t")));
        assert_eq!(subject.endpoint, "https://h.test:8443/v1?api-version=2");
        assert!(subject.chat_template_hash.unwrap().starts_with("sha256:"));
    }

    #[test]
    fn what_a_target_says_wins_over_the_defaults() {
        let span = |text: &str| Some(text.parse::<Span>().unwrap());
        let defaults = Defaults {
            ttl: span("3d"),
            timeouts: Timeouts { total: span("9s"), idle: span("5s"), ..Timeouts::default() },
            ..Defaults::default()
        };
        let timeouts = Timeouts { total: span("1m"), ..Timeouts::default() };
        let own = TargetEntry { timeouts, ttl: span("2h"), ..entry("vllm") };
        let of = |entry: &TargetEntry| {
            resolve_endpoint(entry, &defaults, Path::new(""), &|_| None).unwrap()
        };
        assert_eq!(of(&own).ttl, Duration::from_secs(7200));
        assert_eq!(of(&own).timeouts.total, span("1m"));
        assert_eq!(of(&own).timeouts.idle, span("5s"));
        assert_eq!(of(&entry("vllm")).ttl, Duration::from_secs(3 * 86_400));
    }
}
