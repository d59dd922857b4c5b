//! The flags that describe one endpoint, and a connection to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::asking::AskingArgs;
use crate::cli::shell::error::CliError;
use crate::report::for_terminal;
use crate::target::{
    Connection, Connector, Defaults, DialectChoice, ExtraBody, Target, TargetEntry, resolve,
    resolve_endpoint,
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

    /// A further header of every request
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    header: Vec<(String, String)>,
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

impl AccessArgs {
    /// The endpoint as a configuration would have it.
    pub(crate) fn entry(&self, url: Option<&str>, asking: &AskingArgs) -> TargetEntry {
        TargetEntry {
            base_url: url.map(ToOwned::to_owned),
            dialect: Some(self.dialect.unwrap_or(DialectChoice::Auto)),
            api_key_env: self.api_key_env.clone(),
            headers: self.header.iter().cloned().collect(),
            limits: asking.limits(),
            timeouts: asking.timeouts(),
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
    let first = targets.map_err(CliError::usage)?.into_iter().next();
    first.ok_or_else(|| CliError::usage("no model to probe; name one with --model"))
}

/// A connection to the one target of an entry.
pub(crate) async fn connect_to(
    entry: &TargetEntry,
    budget: &Arc<Budget>,
) -> Result<Connection, CliError> {
    let connector = Connector::new(Arc::clone(budget), None);
    if entry.model.is_none() {
        let endpoint = resolve_endpoint(entry, &Defaults::default(), Path::new(""), &env);
        let endpoint = endpoint.map_err(CliError::usage)?;
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
