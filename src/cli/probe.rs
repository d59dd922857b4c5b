//! `toolprobe probe`: one endpoint, no configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;

use clap::Args;
use futures_util::StreamExt as _;

use super::asking::AskingArgs;
use super::console::Console;
use super::error::CliError;
use super::exit::Exit;
use super::output::OutputArgs;
use super::progress::Progress;
use super::spent::spent;
use super::{demands, dry_run};
use crate::profile::Requirement;
use crate::report::{Report, for_terminal};
use crate::runner::{
    Connection, Defaults, DialectChoice, Endpoint, ExtraBody, Job, Plan, Probed, Target,
    TargetEntry, connect, offered_models, resolve, resolve_endpoint, visit_all,
};
use crate::transport::Budget;

/// Probe one endpoint, without any configuration
///
/// URL is the base that the provider's own SDK takes, or the full path of the
/// call. The verdict is the result: it exits 0 whatever it says, unless
/// something that --require demands is not there.
#[derive(Debug, Args)]
pub(super) struct ProbeArgs {
    /// The endpoint's base URL
    #[arg(required_unless_present = "provider")]
    url: Option<String>,

    /// The model's name at the endpoint
    #[arg(long, short)]
    model: Option<String>,

    /// A provider that is known by name; `toolprobe list` shows them
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,

    /// The protocol, or auto to find out [default: auto]
    #[arg(long, value_name = "NAME")]
    dialect: Option<DialectChoice>,

    /// The environment variable that holds the key
    #[arg(long, value_name = "VAR")]
    api_key_env: Option<String>,

    /// A further header of every request
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    header: Vec<(String, String)>,

    /// Further fields of every request body, as a JSON object
    #[arg(long, value_name = "JSON")]
    extra_body: Option<ExtraBody>,

    /// The model's `chat_template.jinja` or `tokenizer_config.json`, if the
    /// server does not tell or tells another
    #[arg(long, value_name = "FILE")]
    chat_template: Option<PathBuf>,

    /// What must be there, or exit 1
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    require: Vec<Requirement>,

    #[command(flatten)]
    asking: AskingArgs,

    #[command(flatten)]
    output: OutputArgs,
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("it takes the form 'name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Probes, and says what was found.
pub(super) fn run(args: &ProbeArgs, console: &Console) -> Result<Exit, CliError> {
    let plan = args.asking.plan(&Defaults::default())?;
    if args.asking.is_dry_run() {
        return dry_run::show(&targets(args)?, &plan, &args.output, console);
    }
    let budget = args.asking.budget(&Defaults::default());
    let runtime = tokio::runtime::Runtime::new()?;
    let probed = runtime.block_on(probe(args, &plan, &budget, console))?;
    args.output.show(console, &Report::of_profile(&probed.profile))?;
    console.note(&spent(probed.cost.into()));
    Ok(demands::exit(&probed.profile, &args.require, console))
}

fn entry(args: &ProbeArgs) -> TargetEntry {
    TargetEntry {
        provider: args.provider.clone(),
        base_url: args.url.clone(),
        dialect: Some(args.dialect.unwrap_or(DialectChoice::Auto)),
        model: args.model.clone(),
        api_key_env: args.api_key_env.clone(),
        headers: args.header.iter().cloned().collect::<BTreeMap<_, _>>(),
        extra_body: args.extra_body.clone(),
        limits: args.asking.limits(),
        timeouts: args.asking.timeouts(),
        chat_template: args.chat_template.clone(),
        require: args.require.clone(),
        ..TargetEntry::default()
    }
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn targets(args: &ProbeArgs) -> Result<Vec<Target>, CliError> {
    let targets = resolve(&entry(args), &Defaults::default(), Path::new(""), &env);
    targets.map_err(CliError::usage)
}

async fn probe(
    args: &ProbeArgs,
    plan: &Plan,
    budget: &Arc<Budget>,
    console: &Console,
) -> Result<Probed, CliError> {
    let here = Path::new("");
    let endpoint = resolve_endpoint(&entry(args), &Defaults::default(), here, &env);
    let endpoint = endpoint.map_err(CliError::usage)?;
    let line = connect(&endpoint, &env, budget).map_err(CliError::usage)?;
    if args.model.is_none() {
        return Err(unnamed(&endpoint, &line).await);
    }
    let jobs: Vec<Job> = targets(args)?
        .into_iter()
        .take(1)
        .map(|target| Job { target, line: line.clone(), subject: None })
        .collect();
    let progress = Progress::new(console, jobs.len(), plan.probes().len());
    let visit = pin!(visit_all(&jobs, plan, 1, &progress)).next().await;
    progress.clear();
    match visit {
        Some((_, probed)) => Ok(probed?),
        None => Err(CliError::usage("no model to probe; name one with --model")),
    }
}

/// Without a model's name, what the endpoint offers is the best answer.
async fn unnamed(endpoint: &Endpoint, line: &Connection) -> CliError {
    let offered = offered_models(&*line.transport, endpoint, &line.credentials).await;
    CliError::usage(match offered.as_deref() {
        None | Some([]) => "which model? name it with --model".to_owned(),
        Some(names) => format!(
            "which model? name it with --model; the endpoint offers:\n  {}",
            names.iter().map(|name| for_terminal(name)).collect::<Vec<_>>().join("\n  ")
        ),
    })
}
