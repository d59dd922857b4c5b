//! `toolprobe show`: one exchange, readably.

use std::path::PathBuf;

use clap::Args;
use url::Url;

use super::args::scope::ScopeArgs;
use super::args::stored::EvidenceFiles;
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::report::{curl, exchange_text};
use crate::target::{ADDRESS, Endpoint, KeyFrom, Preset};
use crate::transport::RecordedExchange;

/// Where `toolprobe sim` listens where nothing else is said.
const SIMULATOR: &str = "http://127.0.0.1:8089";

/// The variable in a command where nothing is known of the key.
const KEY: &str = "API_KEY";

/// Show one exchange: what was sent, and what came back
///
/// Gates, reports and profiles name the exchanges that they rest on by their
/// address. It is looked for in all runs that are kept.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The exchange's address; its first digits are enough
    #[arg(value_name = "ADDRESS")]
    address: String,

    /// Print a command that repeats the request, with the key's variable
    #[arg(long)]
    curl: bool,

    /// The environment variable that holds the key [default: that of the
    /// target in toolprobe.toml, or of the provider]
    #[arg(long, value_name = "VAR", requires = "curl")]
    api_key_env: Option<String>,

    /// The configuration [default: toolprobe.toml, if it is here]
    #[arg(long, value_name = "FILE", requires = "curl")]
    config: Option<PathBuf>,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,
}

pub(super) fn run(args: &ShowArgs, console: &Console) -> Result<Exit, CliError> {
    let exchange = EvidenceFiles::below(&args.reports).read(&args.address)?;
    if !args.curl {
        console.result(&exchange_text(&exchange))?;
        return Ok(Exit::Fine);
    }
    let sent = &exchange.request.url;
    let url = match sent.strip_prefix(ADDRESS) {
        Some(path) => {
            console.note(&format!("`toolprobe sim` serves the simulated models at {SIMULATOR}"));
            format!("{SIMULATOR}{path}")
        }
        None => sent.clone(),
    };
    let endpoint = find_endpoint(args, &exchange);
    let variable = |header: Option<&str>| variable(args, endpoint.as_ref(), &url, header);
    console.result(&curl(&exchange, &url, variable))?;
    Ok(Exit::Fine)
}

/// The configured endpoint that was asked. Without a configuration that can be read there is none.
fn find_endpoint(args: &ShowArgs, exchange: &RecordedExchange) -> Option<Endpoint> {
    let asked = Url::parse(&exchange.request.url).ok()?;
    let scope = ScopeArgs::all(args.config.clone()).load().ok()?;
    if scope.is_simulated() {
        return None;
    }
    let is_asked = |endpoint: &Endpoint| {
        endpoint.accesses.iter().any(|access| access.base_url.origin() == asked.origin())
    };
    let mut endpoints = scope.targets("").ok()?.into_iter().map(|target| target.endpoint);
    endpoints.find(is_asked)
}

/// The variable that held the credential of a header, or of the address.
fn variable(
    args: &ShowArgs,
    endpoint: Option<&Endpoint>,
    url: &str,
    header: Option<&str>,
) -> String {
    let of_header = endpoint.zip(header).and_then(|(endpoint, header)| {
        let is_meant = |name: &&String| name.eq_ignore_ascii_case(header);
        let name = endpoint.headers_env.keys().find(is_meant)?;
        endpoint.headers_env.get(name).cloned()
    });
    let of_key = || match endpoint.map(|endpoint| &endpoint.key) {
        Some(KeyFrom::Env(name)) => Some(name.clone()),
        Some(KeyFrom::Missing(names)) => names.first().cloned(),
        Some(KeyFrom::Nowhere) | None => None,
    };
    let of_provider = || {
        let preset = Preset::of_url(&Url::parse(url).ok()?)?;
        preset.keys.first().map(|key| key.env.clone())
    };
    of_header
        .or_else(|| args.api_key_env.clone())
        .or_else(of_key)
        .or_else(of_provider)
        .unwrap_or_else(|| KEY.to_owned())
}
