//! `toolprobe sim`: serve the simulated models until stopped.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::CliError;
use super::Exit;
use super::args::transcripts::read_transcripts;
use super::shell::clock;
use super::shell::console::Console;
use super::shell::signal::StopSignals;
use crate::replay::{MissListener, Recordings};
use crate::report::{for_terminal, plural};
use crate::sim::{Fleet, Options, RecordedAnswers as _, Running, Sim};

/// Serve the simulated models until stopped
///
/// All models stand behind one port, on the providers' own paths. The first
/// line on standard output is the base URL. At most 512 connections are kept
/// (the oldest that waits for a request makes room), a request may take a
/// minute to arrive and have 32 MB, and all of them together 64 MB.
///
/// With --transcripts, recorded replies are served instead. A request is
/// recognised by what it means (the conversation, the tools, and how they may
/// be used), so that an adapter in between may write its own bytes. One that
/// no recording matches is refused with status 400, and the answer and a line
/// on standard error tell where the nearest recording differs.
#[derive(Debug, Args)]
pub(super) struct SimArgs {
    /// Where to listen; port 0 picks a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8089")]
    addr: String,

    /// A folder of model files to serve instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,

    /// A folder of transcripts (`toolprobe record`) to serve instead of
    /// simulated models
    #[arg(long, value_name = "DIR", conflicts_with_all = ["models", "api_key"])]
    transcripts: Option<PathBuf>,

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
    let runtime = tokio::runtime::Runtime::new()?;
    if let Some(folder) = &args.transcripts {
        let recordings = Recordings::of(&read_transcripts(folder)?).telling(say_on_stderr(console));
        return runtime.block_on(serve(Served::Recorded(Arc::new(recordings)), args, console));
    }
    let fleet = match &args.models {
        Some(dir) => Fleet::from_dir(dir),
        None => Fleet::embedded(),
    }
    .map_err(CliError::usage)?;
    runtime.block_on(serve(Served::Simulated(fleet), args, console))
}

/// What is served.
enum Served {
    Simulated(Fleet),
    Recorded(Arc<Recordings>),
}

impl Served {
    async fn start(self, addr: &str, options: Options) -> io::Result<Running> {
        match self {
            Self::Simulated(fleet) => Sim::start(fleet, addr, options).await,
            Self::Recorded(recordings) => Sim::replay(recordings, addr, options).await,
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Simulated(fleet) => format!("{} simulated models", fleet.len()),
            Self::Recorded(recordings) => {
                format!("recordings of {}", plural(recordings.models().len(), "model"))
            }
        }
    }
}

/// Tells of requests that no recording matches, one line each.
fn say_on_stderr(console: &Console) -> MissListener {
    let console = console.clone();
    Arc::new(move |words| console.note(&for_terminal(words)))
}

async fn serve(served: Served, args: SimArgs, console: &Console) -> Result<Exit, CliError> {
    // Before the URL is printed: its reader may stop us at once.
    let mut stop = StopSignals::listen()?;
    let what = served.describe();
    let clock = clock::of_simulator()?;
    let options = Options { api_key: args.api_key, clock, ..Options::default() };
    let running = served
        .start(&args.addr, options)
        .await
        .map_err(|source| CliError::usage(SimError::listen(args.addr, source)))?;
    announce(&running, &what, console)?;
    stop.next().await;
    console.note("stopping");
    running.shutdown().await?;
    Ok(Exit::Fine)
}

fn announce(running: &Running, what: &str, console: &Console) -> Result<(), CliError> {
    console.result(&running.base_url())?;
    console.note(&format!("serving {what}; stop with Ctrl-C"));
    if !running.addr().ip().to_canonical().is_loopback() {
        console.problem(&format!(
            "warning: {} is open to other machines: whoever reaches it can send requests; \
             `--addr 127.0.0.1:PORT` keeps it to this one, --api-key asks for a key",
            running.addr()
        ));
    }
    Ok(())
}
