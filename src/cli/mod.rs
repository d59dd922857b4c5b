//! The command line: commands, their flags, what they print, exit codes.
//!
//! One file per command, each with its arguments and a `run` that gives an `Exit`. Only this
//! folder prints, and only [`main`] turns errors into text and codes.

mod accept;
mod args;
mod assess;
mod audit;
mod claims;
mod completions;
mod diff;
mod doctor;
mod drift;
mod explain;
mod gate;
#[cfg(test)]
mod help;
mod init;
mod list;
mod merge;
mod metrics;
mod parse;
mod plan;
mod probe;
mod prune;
mod record;
mod replay;
mod report;
mod rollout;
mod run;
mod schema;
mod shell;
mod show;
mod sim;
mod status;

pub(crate) use shell::exit::Exit;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use args::secrets::{remember_proxies, remember_secrets};
use shell::console::{self, Color, Console};
use shell::error::CliError;

/// Measure how an LLM endpoint really does tool calling.
#[derive(Debug, Parser)]
#[command(name = "toolprobe", version, max_term_width = 80, after_help = EXIT_CODES)]
struct Cli {
    /// When to colour what people read
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,

    /// Say nothing but results and errors
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,

    /// Say more about what is going on; twice for every exchange
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    verbose: u8,

    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 fine, 1 a demand not met or a regression, \
                          2 usage or configuration, 3 inconclusive";

#[derive(Debug, Subcommand)]
enum Command {
    Accept(accept::AcceptArgs),
    Audit(audit::AuditArgs),
    Assess(assess::AssessArgs),
    Claims(claims::ClaimsArgs),
    Completions(completions::CompletionsArgs),
    Diff(diff::DiffArgs),
    Doctor(doctor::DoctorArgs),
    Drift(drift::DriftArgs),
    Explain(explain::ExplainArgs),
    Gate(Box<gate::GateArgs>),
    Init(init::InitArgs),
    List(list::ListArgs),
    Merge(merge::MergeArgs),
    Metrics(metrics::MetricsArgs),
    Parse(parse::ParseArgs),
    Plan(plan::PlanArgs),
    Probe(Box<probe::ProbeArgs>),
    Prune(prune::PruneArgs),
    Record(Box<record::RecordArgs>),
    Replay(replay::ReplayArgs),
    Report(report::ReportArgs),
    Rollout(rollout::RolloutArgs),
    Run(Box<run::RunArgs>),
    Schema(schema::SchemaArgs),
    Show(show::ShowArgs),
    Sim(sim::SimArgs),
    Status(Box<status::StatusArgs>),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    // A panic may quote what a server sent.
    std::panic::set_hook(Box::new(|panic| {
        console::print_error(&format!("internal error: {panic}"));
    }));
    remember_proxies(|name| std::env::var(name).ok());
    remember_secrets(std::env::args_os().map(|it| it.to_string_lossy().into_owned()));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage_exit(&error),
    };
    let console = Console::new(cli.color, cli.quiet, cli.verbose);
    match run(cli.command, &console) {
        Ok(exit) => exit.into(),
        Err(error) => {
            console.error(&error);
            error.exit().into()
        }
    }
}

fn run(command: Command, console: &Console) -> Result<Exit, CliError> {
    match command {
        Command::Assess(args) => assess::run(&args, console),
        Command::Audit(args) => audit::run(&args, console),
        Command::Accept(args) => accept::run(&args, console),
        Command::Claims(args) => claims::run(&args, console),
        Command::Completions(args) => completions::run(&args, Cli::command(), console),
        Command::Diff(args) => diff::run(&args, console),
        Command::Doctor(args) => doctor::run(&args, console),
        Command::Drift(args) => drift::run(&args, console),
        Command::Explain(args) => explain::run(&args, console),
        Command::Gate(args) => gate::run(&args, console),
        Command::Init(args) => init::run(&args, console),
        Command::List(args) => list::run(&args, console),
        Command::Merge(args) => merge::run(&args, console),
        Command::Metrics(args) => metrics::run(&args, console),
        Command::Parse(args) => parse::run(&args, console),
        Command::Plan(args) => plan::run(&args, console),
        Command::Probe(args) => probe::run(&args, console),
        Command::Prune(args) => prune::run(&args, console),
        Command::Record(args) => record::run(&args, console),
        Command::Replay(args) => replay::run(&args, console),
        Command::Report(args) => report::run(&args, console),
        Command::Rollout(args) => rollout::run(&args, console),
        Command::Run(args) => run::run(&args, console),
        Command::Schema(args) => schema::run(&args, console),
        Command::Show(args) => show::run(&args, console),
        Command::Sim(args) => sim::run(args, console),
        Command::Status(args) => status::run(&args, console),
    }
}

/// Help and version are answers, everything else clap has to say is a usage error.
fn usage_exit(error: &clap::Error) -> ExitCode {
    // Nobody may be reading; what was asked for is wrong all the same.
    if error.use_stderr() {
        // It quotes what was typed.
        console::print_error(&error.render().to_string());
        return Exit::Usage.into();
    }
    let _ = error.print();
    Exit::Fine.into()
}
