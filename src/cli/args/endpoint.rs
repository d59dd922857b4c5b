//! The flags that describe one endpoint, and a connection to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::asking::AskingArgs;
use crate::cli::shell::error::CliError;
use crate::report::for_terminal;
use crate::target::{
    Connection, Connector, Defaults, DialectChoice, ExtraBody, Target, TargetEntry, TargetError,
    resolve, resolve_endpoint,
};
use crate::transport::Budget;

/// The flags that say how an endpoint is spoken to, whichever model is behind it.
#[derive(Debug, Clone, Args)]
pub(crate) struct AccessArgs {
    /// The protocol, or auto to find out [default: auto]
    #[arg(long, value_name = "NAME")]
    dialect: Option<DialectChoice>,

    /// The environment variable that holds the key
    #[arg(long, value_name = "VAR")]
    api_key_env: Option<String>,

    /// The header that carries the key [default: the protocol's own]
    #[arg(long, value_name = "NAME", requires = "api_key_env")]
    api_key_header: Option<String>,

    /// A further header of every request
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    header: Vec<(String, String)>,

    /// A header whose value is in an environment variable, for credentials
    #[arg(long, value_name = "NAME=VARIABLE", value_parser = header_env)]
    header_env: Vec<(String, String)>,

    /// Send credentials over plain HTTP to another machine, where everybody on
    /// the way can read them
    #[arg(long)]
    insecure_http: bool,
}

/// The flags that describe one endpoint and its model.
#[derive(Debug, Clone, Args)]
pub(crate) struct EndpointArgs {
    /// The model's name at the endpoint
    #[arg(long, short)]
    pub(crate) model: Option<String>,

    /// A provider that is known by name; `toolprobe list` shows them
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,

    #[command(flatten)]
    access: AccessArgs,

    /// Further fields of every request body, as a JSON object
    #[arg(long, value_name = "JSON")]
    extra_body: Option<ExtraBody>,

    /// The fields that switch thinking on, as a JSON object: the full suite asks
    /// for every tool choice with thinking on and off [default: the provider's]
    #[arg(long, value_name = "JSON", requires = "thinking_off")]
    thinking_on: Option<ExtraBody>,

    /// The fields that switch thinking off
    #[arg(long, value_name = "JSON", requires = "thinking_on")]
    thinking_off: Option<ExtraBody>,

    /// The model's `chat_template.jinja` or `tokenizer_config.json`, if the
    /// server does not tell or tells another
    #[arg(long, value_name = "FILE")]
    chat_template: Option<PathBuf>,
}

/// A header as it is written on the command line.
pub(crate) fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("it takes the form 'name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// A header and the environment variable that holds its value.
fn header_env(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(name, variable)| (name.trim(), variable.trim()));
    match pair.filter(|(name, variable)| !name.is_empty() && !variable.is_empty()) {
        Some((name, variable)) => Ok((name.to_owned(), variable.to_owned())),
        None => Err("it takes the form 'name=VARIABLE'".to_owned()),
    }
}

/// What is wrong with an endpoint, in the words of the command line: a field of the configuration is
/// a flag there.
pub(crate) fn usage(error: TargetError) -> CliError {
    let TargetError { field, problem } = error;
    CliError::usage(match field.as_str() {
        "base_url" => problem,
        "headers" => {
            let problem =
                problem.replace("which does not belong in a file", "which others can see");
            let problem = problem.replace(
                "name the environment variable that holds it in api_key_env or headers_env",
                "put it into an environment variable and name that with --header-env NAME=VARIABLE, \
                 or the key's with --api-key-env VARIABLE",
            );
            format!("--header: {problem}")
        }
        "headers_env" => format!("--header-env: {problem}"),
        field => format!("--{}: {problem}", field.replace('_', "-")),
    })
}

impl AccessArgs {
    /// The endpoint as a configuration would have it, with the limits that flags set.
    pub(crate) fn entry(&self, url: Option<&str>, asking: &AskingArgs) -> TargetEntry {
        TargetEntry {
            bounds: asking.bounds(),
            limits: asking.limits(),
            timeouts: asking.timeouts(),
            ..self.bare_entry(url)
        }
    }

    /// The endpoint as a configuration would have it.
    pub(crate) fn bare_entry(&self, url: Option<&str>) -> TargetEntry {
        TargetEntry {
            base_url: url.map(ToOwned::to_owned),
            dialect: Some(self.dialect.unwrap_or(DialectChoice::Auto)),
            api_key_env: self.api_key_env.clone(),
            api_key_header: self.api_key_header.clone(),
            headers: self.header.iter().cloned().collect(),
            headers_env: self.header_env.iter().cloned().collect(),
            insecure_http: Some(self.insecure_http),
            ..TargetEntry::default()
        }
    }
}

impl EndpointArgs {
    /// The endpoint as a configuration would have it.
    pub(crate) fn entry(&self, url: Option<&str>, asking: &AskingArgs) -> TargetEntry {
        TargetEntry {
            provider: self.provider.clone(),
            model: self.model.clone(),
            extra_body: self.extra_body.clone(),
            thinking_on: self.thinking_on.clone(),
            thinking_off: self.thinking_off.clone(),
            chat_template: self.chat_template.clone(),
            ..self.access.entry(url, asking)
        }
    }
}

/// The environment of this process.
pub(crate) fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The one target of an entry.
pub(crate) fn first_target(entry: &TargetEntry) -> Result<Target, CliError> {
    let targets = resolve(entry, &Defaults::default(), Path::new(""), &env);
    let first = targets.map_err(usage)?.into_iter().next();
    first.ok_or_else(|| CliError::usage("no model to probe; name one with --model"))
}

/// A connection to the one target of an entry.
pub(crate) async fn connect_to(
    entry: &TargetEntry,
    budget: &Arc<Budget>,
    asking: &AskingArgs,
) -> Result<Connection, CliError> {
    let connector = Connector::new(Arc::clone(budget), None)
        .within(&entry.bounds)
        .at_prices(asking.prices(&Defaults::default())?);
    if entry.model.is_none() {
        let endpoint = resolve_endpoint(entry, &Defaults::default(), Path::new(""), &env);
        let endpoint = endpoint.map_err(usage)?;
        let offered = connector.offered_models(&endpoint, &env).await.map_err(CliError::usage)?;
        return Err(which_model(offered.as_deref()));
    }
    connector.connect(first_target(entry)?, &env).map_err(CliError::usage)
}

/// Without a model's name, what the endpoint offers is the best answer.
fn which_model(offered: Option<&[String]>) -> CliError {
    CliError::usage(match offered {
        None | Some([]) => "which model? name it with --model".to_owned(),
        Some(names) => format!(
            "which model? name it with --model; the endpoint offers:\n  {}",
            names.iter().map(|name| for_terminal(name)).collect::<Vec<_>>().join("\n  ")
        ),
    })
}
