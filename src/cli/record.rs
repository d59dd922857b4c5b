//! `toolprobe record`: probes one target and writes its exchanges as a transcript.

use std::path::PathBuf;

use clap::Args;

use super::args::asking::AskingArgs;
use super::args::endpoint::{EndpointArgs, connect_to, env};
use super::args::scope::ScopeArgs;
use super::probe::probe_one;
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use super::shell::signal::stop_requests;
use crate::campaign::{RunEnd, RunSettings, open_question};
use crate::replay::{Origin, Transcript, transcribe};
use crate::report::{Report, ReportFormat, plural};
use crate::sim::{ModelFile, Provenance, Running};
use crate::target::{Connection, Connector, Defaults};

/// Record an endpoint's exchanges as a transcript that can be replayed
///
/// The endpoint is probed, and what was said is written down without
/// credentials. A transcript that does not replay to the same verdicts is not
/// written, and neither is one without verdicts. After Ctrl-C, what was measured
/// is shown, and nothing is written.
#[derive(Debug, Args)]
pub(super) struct RecordArgs {
    /// The endpoint's base URL, or the name of a target of toolprobe.toml or
    /// of a simulated model
    #[arg(value_name = "URL|TARGET", required_unless_present = "provider")]
    what: Option<String>,

    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    /// Replace the file if it is there
    #[arg(long)]
    force: bool,

    /// The configuration [default: toolprobe.toml, if it is here]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The simulated models of this folder, whatever is configured
    #[arg(long, value_name = "DIR", conflicts_with = "config")]
    models: Option<PathBuf>,

    #[command(flatten)]
    endpoint: EndpointArgs,

    #[command(flatten)]
    asking: AskingArgs,
}

/// Probes one target, checks that what was said replays, and writes it.
pub(super) fn run(args: &RecordArgs, console: &Console) -> Result<Exit, CliError> {
    // Before anything is spent.
    if args.output.exists() && !args.force {
        let path = args.output.display();
        return Err(CliError::usage(format!("{path} is there already; --force replaces it")));
    }
    if args.asking.is_dry_run() {
        let remedy = "`toolprobe probe --dry-run` tells what asking costs";
        return Err(CliError::usage(format!("there is no dry run of a recording; {remedy}")));
    }
    let runtime = tokio::runtime::Runtime::new()?;
    let transcript = runtime.block_on(record(args, console))?;
    transcript.write(&args.output).map_err(CliError::usage)?;
    let exchanges = plural(transcript.exchanges.len(), "exchange");
    console.note(&format!("{exchanges} in {}", args.output.display()));
    Ok(Exit::Fine)
}

async fn record(args: &RecordArgs, console: &Console) -> Result<Transcript, CliError> {
    match &args.what {
        Some(name) if !name.contains("://") && args.endpoint.model.is_none() => {
            of_target(args, name, console).await
        }
        url => {
            let settings = args.asking.settings(&Defaults::default())?;
            let budget = args.asking.budget(&Defaults::default())?;
            let entry = args.endpoint.entry(url.as_deref(), &args.asking);
            let connection = connect_to(&entry, &budget, &args.asking).await?;
            of_connection(args, connection, &settings, None, console).await
        }
    }
}

/// A target of the configuration, or a simulated model.
async fn of_target(
    args: &RecordArgs,
    name: &str,
    console: &Console,
) -> Result<Transcript, CliError> {
    let scope = ScopeArgs::only(name, args.config.clone(), args.models.clone()).load()?;
    let settings = args.asking.settings(scope.defaults())?;
    let server = scope.serve().await?;
    let base_url = server.as_ref().map(Running::base_url).unwrap_or_default();
    let target = scope.targets(&base_url)?.into_iter().next();
    let target = target.ok_or_else(|| CliError::usage(format!("no target is called '{name}'")))?;
    let budget = args.asking.budget(scope.defaults())?;
    let connector = Connector::new(budget, scope.defaults().concurrency)
        .limiting(&scope.defaults().providers)
        .at_prices(args.asking.prices(scope.defaults())?);
    let connection = connector.connect(args.asking.limit(target), &env);
    let connection = connection.map_err(CliError::usage)?;
    of_connection(args, connection, &settings, scope.model(name), console).await
}

async fn of_connection(
    args: &RecordArgs,
    connection: Connection,
    settings: &RunSettings,
    model: Option<&ModelFile>,
    console: &Console,
) -> Result<Transcript, CliError> {
    let extra_body = connection.target.extra_body.clone();
    let stop = &mut stop_requests(&args.asking, &Defaults::default())?.concluding();
    let (probed, end) = probe_one(&connection, settings, None, stop, console).await?;
    let profile = &probed.profile;
    if end != RunEnd::Finished {
        console
            .result(&ReportFormat::Table.render(&Report::of_profile(profile), console.style())?)?;
        return Err(CliError::inconclusive("nothing recorded: interrupted"));
    }
    if let Some(why) = open_question(profile) {
        return Err(CliError::inconclusive(format!("nothing recorded: no verdict on {why}")));
    }
    let origin = match model {
        Some(model) => simulated_origin(model),
        None => {
            Origin { provenance: Provenance::Recorded, source: profile.subject.endpoint.clone() }
        }
    };
    let transcript = transcribe(probed, extra_body, settings, origin).await;
    transcript.map_err(CliError::inconclusive)
}

/// The bytes are the simulator's own; the source names where the model's behaviour is known from.
fn simulated_origin(model: &ModelFile) -> Origin {
    let known = match (&model.source, model.provenance) {
        (Some(page), Provenance::Recorded) => format!("as recorded at {page}"),
        (Some(page), _) => format!("as documented at {page}"),
        (None, _) => "made up to cover the case".to_owned(),
    };
    let source = format!("the simulated model {}, {known}", model.name);
    Origin { provenance: Provenance::Simulated, source }
}
