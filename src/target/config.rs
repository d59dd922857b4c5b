//! `toolprobe.toml`: the configuration and its defaults.
//!
//! Text in, typed structs out: nothing here reads a file or the environment.

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::config_error::ConfigError;
use super::resolve::{Env, Target, resolve};
use super::{Span, TargetEntry};
use crate::probe::SuiteName;
use crate::profile::Mode;
use crate::suggest::did_you_mean;
use crate::transport::{self, EndpointLimits, Oversize};

/// What `toolprobe init` writes.
pub const STARTER: &str = include_str!("starter.toml");

/// The whole of `toolprobe.toml`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What holds for all targets; command line flags win over it.
    #[serde(default)]
    pub defaults: Defaults,
    /// What is probed.
    #[serde(default)]
    #[schemars(with = "Vec<TargetEntry>")]
    pub targets: Vec<Spanned<TargetEntry>>,
}

/// What holds for all targets.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    /// How much is asked.
    pub suite: Option<SuiteName>,
    /// Whether plain replies, streams or both are asked for.
    pub mode: Option<Mode>,
    /// How often each probe is tried.
    pub trials: Option<NonZeroU32>,
    /// Where the values of the trials come from.
    pub seed: Option<u64>,
    /// Requests at the same time, over all endpoints; by default there is no such limit.
    pub concurrency: Option<NonZeroUsize>,
    /// Requests that a run may send at most.
    pub max_requests: Option<NonZeroU64>,
    /// Tokens that a run may use at most, prompts and replies together.
    pub max_tokens_total: Option<NonZeroU64>,
    /// What a run may cost at most, in the currency of the prices.
    pub max_cost: Option<f64>,
    /// The file with the prices of the models, from the folder of the configuration.
    pub prices: Option<PathBuf>,
    /// How long a run may go on before it stops as it does on Ctrl-C.
    pub deadline: Option<Span>,
    /// Whether credentials may be sent over plain HTTP to other machines.
    pub insecure_http: Option<bool>,
    /// How long a profile stays fresh; by default a day for clouds, a week for local servers.
    pub ttl: Option<Span>,
    /// How long to wait for what.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// How hard each endpoint may be asked, over all of its targets.
    #[serde(default)]
    pub limits: Limits,
    /// How hard each provider may be asked, over all of its endpoints.
    #[serde(default)]
    pub providers: BTreeMap<String, Limits>,
    /// How large a reply and its parts may be.
    #[serde(default)]
    pub bounds: Bounds,
}

/// How large a reply and its parts may be, where that is not the default.
pub(crate) type Bounds = BTreeMap<Oversize, NonZeroUsize>;

/// How long to wait for what. What is not said is left to the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    /// For the connection.
    pub connect: Option<Span>,
    /// For the first byte of the reply.
    pub first_byte: Option<Span>,
    /// Between two pieces of a reply.
    pub idle: Option<Span>,
    /// For the whole exchange.
    pub total: Option<Span>,
}

impl Timeouts {
    /// The transport's limits with these over its own.
    pub fn over(self, own: transport::Timeouts) -> transport::Timeouts {
        let or = |span: Option<Span>, own| span.map_or(own, |span| span.0);
        transport::Timeouts {
            connect: or(self.connect, own.connect),
            first_byte: or(self.first_byte, own.first_byte),
            idle: or(self.idle, own.idle),
            total: or(self.total, own.total),
        }
    }

    /// These, and the others' where these say nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            connect: self.connect.or(other.connect),
            first_byte: self.first_byte.or(other.first_byte),
            idle: self.idle.or(other.idle),
            total: self.total.or(other.total),
        }
    }
}

/// How hard an endpoint may be asked, over all targets with its scheme, host, port and credentials. Of
/// several that say something, the strictest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Requests at the same time; 8 where no target says anything.
    pub concurrency: Option<NonZeroUsize>,
    /// Requests in any minute.
    pub requests_per_minute: Option<NonZeroU32>,
}

impl Limits {
    /// These, and the others' where these say nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            concurrency: self.concurrency.or(other.concurrency),
            requests_per_minute: self.requests_per_minute.or(other.requests_per_minute),
        }
    }
}

impl From<Limits> for EndpointLimits {
    fn from(limits: Limits) -> Self {
        Self { concurrency: limits.concurrency, per_minute: limits.requests_per_minute }
    }
}

/// A configuration with the text it came from, so that errors can say where.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigFile {
    /// What it says.
    pub config: Config,
    path: PathBuf,
    text: String,
}

impl ConfigFile {
    /// Reads the text of the file at this path.
    pub fn parse(path: &Path, text: impl Into<String>) -> Result<Self, ConfigError> {
        let text = text.into();
        let mut config: Config =
            toml::from_str(&text).map_err(|error| ConfigError::from_toml(path, &text, &error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let prices = &mut config.defaults.prices;
        *prices = prices.take().map(|prices| folder.join(prices));
        Ok(Self { config, path: path.to_owned(), text })
    }

    /// Everything it asks to be probed, in its order; names are unique.
    pub fn targets(&self, env: Env<'_>) -> Result<Vec<Target>, ConfigError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let mut names = BTreeSet::new();
        let mut targets = Vec::new();
        for entry in &self.config.targets {
            let resolved = resolve(entry.get_ref(), &self.config.defaults, folder, env);
            let resolved =
                resolved.map_err(|error| self.wrong(entry, &error.field, error.problem))?;
            for target in resolved {
                if !names.insert(target.name.clone()) {
                    let problem = format!(
                        "two targets are called '{}'; give each a name of its own",
                        target.name
                    );
                    return Err(self.wrong(entry, "name", problem));
                }
                targets.push(target);
            }
        }
        self.check_providers(&targets)?;
        Ok(targets)
    }

    /// Limits of a provider that no target has are a mistake, most likely in its name.
    fn check_providers(&self, targets: &[Target]) -> Result<(), ConfigError> {
        let known: BTreeSet<&str> =
            targets.iter().map(|it| it.endpoint.provider.as_str()).collect();
        let mut named = self.config.defaults.providers.keys();
        let Some(unknown) = named.find(|name| !known.contains(name.as_str())) else {
            return Ok(());
        };
        let hint = did_you_mean(unknown, known.iter().copied());
        let problem = format!("no target is of the provider '{unknown}'{hint}");
        let field = format!("defaults.providers.{unknown}");
        let offset = self.text.find(unknown.as_str()).unwrap_or(0);
        Err(ConfigError::at(&self.path, &self.text, offset, Some(field), problem))
    }

    /// An error in an entry: at the line that sets the field, or where the entry begins.
    fn wrong(&self, entry: &Spanned<TargetEntry>, field: &str, problem: String) -> ConfigError {
        let span = entry.span();
        let text = self.text.get(span.start..).unwrap_or_default();
        let offset = span.start + offset_of(text, field).unwrap_or(0);
        ConfigError::at(&self.path, &self.text, offset, Some(field.to_owned()), problem)
    }
}

/// Where a line of the table that opens a text sets this field.
fn offset_of(text: &str, field: &str) -> Option<usize> {
    // `vars.resource` is set inside the inline table `vars`.
    let key = field.split('.').next().unwrap_or(field);
    let lines = text.split_inclusive('\n').enumerate();
    let own = lines.take_while(|(index, line)| *index == 0 || !line.starts_with("[["));
    let mut start = 0;
    for (_, line) in own {
        if line.split_once('=').is_some_and(|(set, _)| set.trim() == key) {
            return Some(start + line.len() - line.trim_start().len());
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_env(_: &str) -> Option<String> {
        None
    }

    fn file(text: &str) -> Result<ConfigFile, ConfigError> {
        ConfigFile::parse(Path::new("ci/toolprobe.toml"), text)
    }

    /// What is said of a file that cannot be used.
    fn problem(text: &str) -> String {
        let targets = file(text).and_then(|file| file.targets(&no_env));
        targets.unwrap_err().to_string()
    }

    /// The starter file with its comment marks taken off.
    fn uncommented() -> String {
        let lines = STARTER.lines().map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.starts_with(['[', ']', ' ']) || rest.contains(" = ") => rest,
            _ => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_starter_reads_well_as_it_is_and_with_every_example_in_use() {
        let plain = file(STARTER).unwrap();
        assert_eq!(plain.config.defaults.suite, Some(SuiteName::Standard));
        assert_eq!(plain.targets(&no_env).unwrap(), []);
        let used = file(&uncommented()).unwrap();
        let targets = used.targets(&no_env).unwrap();
        let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "openai/gpt-5",
                "openai/gpt-5-mini",
                "my-server",
                "deepseek/deepseek-chat@thinking-on",
                "deepseek/deepseek-chat@thinking-off",
                "azure/my-deployment",
            ]
        );
    }

    #[test]
    fn every_field_of_the_schema_is_a_field_of_the_struct() {
        let schema = serde_json::to_value(schemars::schema_for!(Config)).unwrap();
        let entry = &schema["$defs"]["TargetEntry"];
        assert_eq!(entry["additionalProperties"], false);
        assert!(entry["properties"]["extra_body"].is_object());
        assert_eq!(schema["properties"]["targets"]["type"], "array");
    }

    #[test]
    fn limits_of_a_provider_that_no_target_has_are_a_mistake() {
        let targets = "[[targets]]\nprovider = \"ollama\"\nmodel = \"m\"\n";
        let shown = problem(&format!("[defaults.providers.olama]\nconcurrency = 2\n{targets}"));
        assert_eq!(
            shown,
            "ci/toolprobe.toml:1:21: field `defaults.providers.olama`: no target is of the provider \
             'olama'; did you mean 'ollama'?"
        );
    }

    #[test]
    fn an_unknown_field_is_named_with_its_place_and_the_nearest_one() {
        let shown = problem("[[targets]]\nprovider = \"openai\"\nmodle = \"m\"\n");
        assert!(
            shown.starts_with("ci/toolprobe.toml:3:1: field `modle`: unknown field `modle`"),
            "{shown}"
        );
        assert!(shown.ends_with("; did you mean 'model'?"), "{shown}");
    }

    #[test]
    fn a_wrong_value_is_named_with_its_place() {
        for (text, start) in [
            ("[defaults]\ntrials = 0\n", "ci/toolprobe.toml:2:10: field `trials`: "),
            ("[defaults]\nsuite = \"lite\"\n", "ci/toolprobe.toml:2:9: field `suite`: "),
            ("[defaults]\nttl = 24\n", "ci/toolprobe.toml:2:7: field `ttl`: "),
            (
                "[[targets]]\ndialect = \"opnai-chat\"\n",
                "ci/toolprobe.toml:2:11: field `dialect`: unknown dialect 'opnai-chat'; did you \
                 mean 'openai-chat'?",
            ),
            ("[[targets]]\nrequire = [\"paralel\"]\n", "ci/toolprobe.toml:2:12: field `require`: "),
            ("[[targets]]\nmodel = \"m\nprovider = 1", "ci/toolprobe.toml:2:11: field `model`: "),
        ] {
            let shown = problem(text);
            assert!(shown.starts_with(start), "{shown}");
        }
    }

    #[test]
    fn what_only_makes_no_sense_together_is_named_with_its_place_too() {
        let first = "[[targets]]\nprovider = \"ollama\"\nmodel = \"a\"\n\n";
        for (text, expected) in [
            (
                "[[targets]]\nmodel = \"m\"\n  provider = \"opnai\"\n",
                "ci/toolprobe.toml:7:3: field `provider`: unknown provider 'opnai'; did you mean \
                 'openai'?",
            ),
            (
                "[[targets]]\nprovider = \"ollama\"\n",
                "ci/toolprobe.toml:5:1: field `model`: a target needs a model",
            ),
            (
                "[[targets]]\nmodel = \"m\"\nmodels = [\"n\"]\nprovider = \"ollama\"",
                "ci/toolprobe.toml:7:1: field `models`: give either model or models",
            ),
            (
                "[[targets]]\nprovider = \"ollama\"\nmodel = \"a\"\n",
                "ci/toolprobe.toml:5:1: field `name`: two targets are called 'ollama/a'",
            ),
            (
                "[[targets]]\nprovider = \"azure\"\nvars = { resource = \"a@evil\" }\nmodel = \"a\"\n",
                "ci/toolprobe.toml:7:1: field `vars.resource`: 'a@evil' cannot stand in a URL",
            ),
        ] {
            let shown = problem(&format!("{first}{text}"));
            assert!(shown.starts_with(expected), "{shown}");
        }
    }

    #[test]
    fn paths_start_where_the_file_is() {
        let text = "[[targets]]\nprovider = \"vllm\"\nmodel = \"m\"\nchat_template = \"t.jinja\"\n";
        let targets = file(text).unwrap().targets(&no_env).unwrap();
        assert_eq!(targets[0].endpoint.chat_template, Some(PathBuf::from("ci/t.jinja")));
    }
}
