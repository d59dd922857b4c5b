//! `toolprobe probe`: one endpoint, no configuration.

use clap::Args;

use super::args::asking::AskingArgs;
use super::args::endpoint::{EndpointArgs, connect_to, probed, resolved};
use super::args::output::OutputArgs;
use super::shell::console::Console;
use super::shell::demands;
use super::shell::dry_run;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use super::shell::spent::spent;
use crate::profile::Requirement;
use crate::report::Report;
use crate::target::Defaults;

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

    #[command(flatten)]
    endpoint: EndpointArgs,

    /// What must be there, or exit 1
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    require: Vec<Requirement>,

    #[command(flatten)]
    asking: AskingArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Probes, and says what was found.
pub(super) fn run(args: &ProbeArgs, console: &Console) -> Result<Exit, CliError> {
    let settings = args.asking.settings(&Defaults::default())?;
    let entry = args.endpoint.entry(args.url.as_deref(), &args.asking);
    if args.asking.is_dry_run() {
        return dry_run::show(&resolved(&entry)?, &settings, &args.output, console);
    }
    let budget = args.asking.budget(&Defaults::default());
    let runtime = tokio::runtime::Runtime::new()?;
    let probed = runtime
        .block_on(async { probed(connect_to(&entry, &budget).await?, &settings, console).await })?;
    args.output.show(console, &Report::of_profile(&probed.profile))?;
    console.note(&spent(probed.cost.into()));
    Ok(demands::exit(&probed.profile, &args.require, console))
}
