//! `toolprobe audit`: what a gateway does to each field of a request.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::args::endpoint::{AccessArgs, env, first_target, usage};
use super::args::output::write_to;
use super::args::policy::{InForce, PolicyArgs};
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::audit::{
    AUDIT_VERSION, AuditReport, Catalogue, Fate, FateKind, Field, FieldRow, ModelAudit, Passage,
    fate_of, find_added,
};
use crate::campaign::{FieldPassages, audit_fields};
use crate::regress::{
    AdapterEffect, ChangeClass, FIELD_ADDED, FIELD_CHANGED, FIELD_DROPPED, FIELD_REFUSED, Level,
    PolicyInput, Severity, rule_on,
};
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
    let denied = report.models.iter().flat_map(|model| &model.rows).any(is_denied);
    let exit = if denied { Exit::Failed } else { Exit::Fine };
    Ok(if missed.is_empty() { exit } else { exit.and(Exit::Inconclusive) })
}

fn is_denied(row: &FieldRow) -> bool {
    row.level == Level::Deny.to_string()
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
            match audit_fields(&through, |access| catalogue.of(access.dialect)).await {
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

fn judge(
    model: &str,
    catalogue: &Catalogue,
    passages: &FieldPassages,
    in_force: &InForce,
) -> ModelAudit {
    let FieldPassages { access, baseline, fields } = passages;
    let known = catalogue.of(access.dialect);
    let judged =
        known.iter().zip(fields).map(|(field, passage)| (field, passage, fate_of(field, passage)));
    let (mut kept, mut rows) = (0, added_fields(model, baseline, in_force));
    for (field, passage, fate) in judged {
        if fate.kind == FateKind::Kept {
            kept += 1;
        } else {
            rows.push(row(model, field, passage, fate, in_force));
        }
    }
    rows.sort_by_key(|row| row.fate);
    let upstream = baseline.arrived.as_ref().ok().map(|(upstream, _)| *upstream);
    let (model, dialect) = (model.to_owned(), access.dialect);
    ModelAudit { model, dialect, upstream, fields: known.len(), kept, rows }
}

fn row(model: &str, field: &Field, passage: &Passage, fate: Fate, in_force: &InForce) -> FieldRow {
    let level = level(model, fate.kind, fate.has_equivalent, in_force);
    FieldRow {
        field: field.name.clone(),
        concerns: Some(field.concerns),
        fate: fate.kind,
        because: fate.because,
        has_equivalent: fate.has_equivalent,
        lost: field.lost.clone(),
        source: field.source.clone(),
        level,
        sent: passage.sent.clone(),
        arrived: arrived_body(passage),
    }
}

/// What the adapter adds to every request.
fn added_fields(model: &str, baseline: &Passage, in_force: &InForce) -> Vec<FieldRow> {
    let one = |(field, value): (String, Value)| FieldRow {
        field,
        concerns: None,
        fate: FateKind::Added,
        because: format!("came as {value}"),
        has_equivalent: None,
        lost: String::new(),
        source: String::new(),
        level: level(model, FateKind::Added, None, in_force),
        sent: baseline.sent.clone(),
        arrived: arrived_body(baseline),
    };
    find_added(baseline).into_iter().map(one).collect()
}

fn arrived_body(passage: &Passage) -> Value {
    passage.arrived.as_ref().map_or(Value::Null, |(_, body)| body.clone())
}

/// What the policy makes of a fate. What could have been translated is broken; what could not is only
/// hidden.
fn level(model: &str, fate: FateKind, has_equivalent: Option<bool>, in_force: &InForce) -> String {
    let lost = if has_equivalent == Some(true) {
        (ChangeClass::Regression, Severity::Major, AdapterEffect::Breaks)
    } else {
        (ChangeClass::Missing, Severity::Minor, AdapterEffect::Hides)
    };
    let alters = (ChangeClass::Drift, Severity::Info, AdapterEffect::Alters);
    let (rule, (class, severity, effect)) = match fate {
        FateKind::Dropped => (&FIELD_DROPPED, lost),
        FateKind::Changed => (&FIELD_CHANGED, lost),
        FateKind::Refused => (&FIELD_REFUSED, alters),
        FateKind::Added => (&FIELD_ADDED, alters),
        FateKind::Translated | FateKind::Kept => return Level::Allow.to_string(),
    };
    let target = &format!("adapter/{model}");
    let about = PolicyInput { code: rule.into(), class, severity, target, effect: Some(effect) };
    let InForce { policy, built_in, today } = in_force;
    rule_on(about, policy, built_in, *today).0.to_string()
}
