//! `toolprobe claims`: what static tables say of models, held against what was measured.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;
use url::Url;

use super::args::output::PlainFormat;
use super::args::stored::{profiles_of, read_json};
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::adapt::claims::{ClaimCheck, check_claims, read_claims};
use crate::profile::ClaimVerdict;
use crate::report::{grid, plural};
use crate::transport::{
    HttpCall, HttpTransport, Scrubber, SizeLimits, Timeouts, Transport as _, by_status,
};

/// Hold what a static table says of models against what was measured
///
/// SOURCE is a file or a URL: LiteLLM's model table, the api.json of models.dev,
/// OpenRouter's list of models, Ollama's answer to /api/show, or llama.cpp's
/// answer to /props. Both kinds of error are shown: a false yes, and a false
/// no. Exits 0 whatever it finds, or 1 with --check if a claim is false.
#[derive(Debug, Args)]
pub(super) struct ClaimsArgs {
    /// The table
    #[arg(value_name = "FILE|URL")]
    source: String,

    /// The profiles, or a run, to hold it against
    #[arg(long, value_name = "PROFILES|RUN", default_value = "profiles")]
    profiles: String,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,

    /// Exit 1 if a claim is false
    #[arg(long)]
    check: bool,

    /// The form of the result
    #[arg(long, value_enum, default_value_t = PlainFormat::Table, value_name = "NAME")]
    format: PlainFormat,
}

pub(super) fn run(args: &ClaimsArgs, console: &Console) -> Result<Exit, CliError> {
    let table = match args.source.parse::<Url>() {
        Ok(url) if ["http", "https"].contains(&url.scheme()) => fetch(&url)?,
        _ => read_json(Path::new(&args.source))?,
    };
    let claims =
        read_claims(&table).map_err(|bad| CliError::usage(format!("{}: {bad}", args.source)))?;
    let profiles = profiles_of(&args.profiles, &args.reports)?;
    let checks: Vec<ClaimCheck> =
        profiles.iter().flat_map(|profile| check_claims(&claims, profile)).collect();
    let wrong = checks.iter().filter(|it| it.verdict.is_false()).count();
    console.result(&render(args.format, &checks)?)?;
    console.note(&format!("false: {wrong} of {}", plural(checks.len(), "claim")));
    Ok(if args.check && wrong > 0 { Exit::Failed } else { Exit::Fine })
}

fn fetch(url: &Url) -> Result<Value, CliError> {
    let runtime = tokio::runtime::Runtime::new()?;
    let transport =
        HttpTransport::new(Timeouts::default(), SizeLimits::default(), Scrubber::default());
    let transport = transport.map_err(CliError::inconclusive)?;
    let call = HttpCall::get(url.clone());
    let exchange = runtime.block_on(transport.send(&call, &by_status));
    let failed = |problem: String| CliError::inconclusive(format!("cannot read {url}: {problem}"));
    let response = exchange.response().map_err(|error| failed(error.to_string()))?;
    if !response.is_success() {
        return Err(failed(format!("HTTP {}", response.status)));
    }
    response.json().map_err(|error| failed(error.to_string()))
}

fn render(format: PlainFormat, checks: &[ClaimCheck]) -> Result<String, CliError> {
    match format {
        PlainFormat::Json => serde_json::to_string_pretty(checks).map_err(CliError::inconclusive),
        PlainFormat::Table => {
            let row = |it: &ClaimCheck| {
                let word = |known: Option<bool>| match known {
                    Some(true) => "yes",
                    Some(false) => "no",
                    None => "?",
                };
                let verdict = match it.verdict {
                    ClaimVerdict::FalseYes => "✗ false yes",
                    ClaimVerdict::FalseNo => "✗ false no",
                    ClaimVerdict::Holds => "✓ holds",
                    ClaimVerdict::Unmeasured => "? not measured",
                };
                let claim = it.claim.as_str().to_owned();
                let words = [word(Some(it.claimed)), word(it.measured), verdict];
                let words = words.iter().map(|it| (*it).to_owned());
                [it.model.clone(), claim].into_iter().chain(words).collect()
            };
            let head = ["model", "claim", "claimed", "measured", "verdict"];
            Ok(grid(&head, checks.iter().map(row)))
        }
    }
}
