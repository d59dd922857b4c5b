//! `toolprobe sim`: serve the simulated models until stopped.

use std::io;
use std::path::PathBuf;

use clap::Args;

use super::CliError;
use super::Exit;
use super::shell::clock;
use super::shell::console::Console;
use super::shell::signal::StopSignals;
use crate::sim::{Fleet, Options, Running, Sim};

/// Serve the simulated models until stopped
///
/// All models stand behind one port, on the providers' own paths. The first
/// line on standard output is the base URL. At most 512 connections are kept
/// (the oldest that waits for a request makes room), a request may take a
/// minute to arrive and have 32 MB, and all of them together 64 MB.
#[derive(Debug, Args)]
pub(super) struct SimArgs {
    /// Where to listen; port 0 picks a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8089")]
    addr: String,

    /// A folder of model files to serve instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,

    /// Refuse requests that do not carry this key (default: none is needed)
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,
}

#[derive(Debug, thiserror::Error)]
enum SimError {
    #[error(
        "cannot listen on {addr}: another program does already; `--addr 127.0.0.1:0` picks a free port"
    )]
    InUse { addr: String },
    #[error("cannot listen on {addr}")]
    Listen { addr: String, source: io::Error },
}

impl SimError {
    fn listen(addr: String, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::AddrInUse => Self::InUse { addr },
            _ => Self::Listen { addr, source },
        }
    }
}

pub(super) fn run(args: SimArgs, console: &Console) -> Result<Exit, CliError> {
    let fleet = match &args.models {
        Some(dir) => Fleet::from_dir(dir),
        None => Fleet::embedded(),
    }
    .map_err(CliError::usage)?;
    tokio::runtime::Runtime::new()?.block_on(serve(fleet, args, console))
}

async fn serve(fleet: Fleet, args: SimArgs, console: &Console) -> Result<Exit, CliError> {
    // Before the URL is printed: whoever reads it may stop us at once.
    let mut stop = StopSignals::listen()?;
    let models = fleet.len();
    let clock = clock::of_simulator()?;
    let options = Options { api_key: args.api_key, clock, ..Options::default() };
    let running = Sim::start(fleet, &args.addr, options)
        .await
        .map_err(|source| CliError::usage(SimError::listen(args.addr, source)))?;
    announce(&running, models, console)?;
    stop.next().await;
    console.note("stopping");
    running.shutdown().await?;
    Ok(Exit::Fine)
}

fn announce(running: &Running, models: usize, console: &Console) -> Result<(), CliError> {
    console.result(&running.base_url())?;
    console.note(&format!("serving {models} simulated models; stop with Ctrl-C"));
    if !running.addr().ip().to_canonical().is_loopback() {
        console.problem(&format!(
            "warning: {} is open to other machines: whoever reaches it can send requests; \
             `--addr 127.0.0.1:PORT` keeps it to this one, --api-key asks for a key",
            running.addr()
        ));
    }
    Ok(())
}
