//! `toolprobe audit`: what a gateway does to each field of a request.
//!
//! - `judge`: what the policy makes of each field

mod judge;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use url::Url;

pub(super) use judge::{is_denied, judge};

use super::args::endpoint::{AccessArgs, env, first_target, usage};
use super::args::output::write_to;
use super::args::policy::{InForce, PolicyArgs};
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::audit::{AUDIT_VERSION, AuditReport, Catalogue};
use crate::campaign::audit_fields;
use crate::report::{audit_markdown, audit_table, for_terminal};
use crate::target::{Connector, Defaults, TargetEntry, resolve_endpoint};
use crate::transport::Budget;

/// Show what a gateway does to each field of a request
///
/// The simulator stands behind your gateway: start `toolprobe sim` and make its
/// address the gateway's upstream. One request for each known field of the
/// dialect (tools, reasoning, caching, limits, structured output, unknown ones)
/// is sent through the gateway, and the body that arrived is compared with the
/// body that left. A field is kept, translated, changed, dropped, refused or
/// added; what is kept has no row. --format json holds both bodies.
///
/// Exits 0 when nothing is denied, 1 when something is, 3 when a model could
/// not be audited. Without a policy of your own, a field that is dropped or
/// changed in silence is denied where the upstream's protocol has something
/// that means the same, and warned of where it has not; refusals that say why
/// are allowed.
#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    /// The base URL of a gateway with the simulator behind it
    #[arg(value_name = "URL")]
    url: String,

    /// Models by their names at the gateway [default: all that it lists]
    #[arg(long, short, value_name = "LIST", value_delimiter = ',')]
    model: Vec<String>,

    #[command(flatten)]
    access: AccessArgs,

    /// The address of the simulator behind the gateway [default: it is asked
    /// through the gateway]
    #[arg(long, value_name = "URL")]
    upstream: Option<Url>,

    #[command(flatten)]
    policy: PolicyArgs,

    /// Also show what was translated
    #[arg(long)]
    all: bool,

    /// The form of the result
    #[arg(long, value_enum, default_value_t = AuditFormat::Table, value_name = "NAME")]
    format: AuditFormat,

    /// Write the result to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The forms of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AuditFormat {
    /// For people, on a terminal
    Table,
    /// For programs, with the bodies of both ends
    Json,
    /// For pages and pull requests
    Markdown,
}

pub(super) fn run(args: &AuditArgs, console: &Console) -> Result<Exit, CliError> {
    let in_force = args.policy.load()?;
    let catalogue = Catalogue::embedded().map_err(CliError::inconclusive)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let (report, missed) = runtime.block_on(args.audit(&catalogue, &in_force))?;
    let text = match args.format {
        AuditFormat::Table => audit_table(&report, args.all),
        AuditFormat::Markdown => audit_markdown(&report, args.all),
        AuditFormat::Json => {
            serde_json::to_string_pretty(&report).map_err(CliError::inconclusive)?
        }
    };
    match &args.output {
        Some(path) => write_to(path, &text)?,
        None => console.result(text.trim_end())?,
    }
    for problem in &missed {
        console.note(&for_terminal(problem));
    }
    let exit = if is_denied(&report) { Exit::Failed } else { Exit::Fine };
    Ok(if missed.is_empty() { exit } else { exit.and(Exit::Inconclusive) })
}

impl AuditArgs {
    fn entry(&self, model: Option<&str>) -> TargetEntry {
        let model = model.map(ToOwned::to_owned);
        TargetEntry { model, ..self.access.bare_entry(Some(&self.url)) }
    }

    /// The report, and why models are missing from it; an error where all are.
    async fn audit(
        &self,
        catalogue: &Catalogue,
        in_force: &InForce,
    ) -> Result<(AuditReport, Vec<String>), CliError> {
        let connector = Connector::new(Arc::new(Budget::unlimited()), None);
        let (mut models, mut missed) = (Vec::new(), Vec::new());
        for name in self.models(&connector).await? {
            let target = first_target(&self.entry(Some(&name)))?;
            let through = connector.connect(target, &env).map_err(CliError::usage)?;
            let upstream = self.upstream.as_ref();
            match audit_fields(&through, upstream, |access| catalogue.of(access.dialect)).await {
                Ok(passages) => models.push(judge(&name, catalogue, &passages, in_force)),
                Err(problem) => missed.push(format!("{name}: {problem}")),
            }
        }
        if models.is_empty() {
            return Err(CliError::usage(missed.join("; ")));
        }
        let adapter = self.url.clone();
        Ok((AuditReport { audit_version: AUDIT_VERSION, adapter, models }, missed))
    }

    /// The models that are asked for.
    async fn models(&self, connector: &Connector) -> Result<Vec<String>, CliError> {
        if !self.model.is_empty() {
            return Ok(self.model.clone());
        }
        let endpoint =
            resolve_endpoint(&self.entry(None), &Defaults::default(), Path::new(""), &env)
                .map_err(usage)?;
        let listed = connector.offered_models(&endpoint, &env).await.map_err(CliError::usage)?;
        listed
            .filter(|listed| !listed.is_empty())
            .ok_or_else(|| CliError::usage("the gateway lists no models; name them with --model"))
    }
}
