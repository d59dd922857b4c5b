//! `toolprobe schema`: the JSON Schemas of our files.

use clap::{Args, ValueEnum};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, schema_for};
use serde_json::{Map, Value};

use super::CliError;
use super::Exit;
use super::shell::console::Console;
use crate::adapt::plan::{PLAN_VERSION, Plan};
use crate::adapt::rollout::{ROLLOUT_VERSION, RolloutState};
use crate::audit::{AUDIT_VERSION, AuditReport, FieldFile};
use crate::probe::ProbeFile;
use crate::profile::{PROFILE_VERSION, Profile};
use crate::regress::{Diff, Gate, Policy};
use crate::replay::{TRANSCRIPT_VERSION, Transcript};
use crate::sim::ModelFile;
use crate::store::{HISTORY_VERSION, HistoryRow, MANIFEST_VERSION, Manifest, MetricsRow};
use crate::target::Config;
use crate::telemetry::{TELEMETRY_VERSION, TurnEvent};
use crate::transport::{EXCHANGE_VERSION, Exchange};

/// Print the JSON Schema of a file
///
/// For editors that check TOML or JSON as it is written, and for programs that
/// read what is stored and printed.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The kind of file
    #[arg(value_enum, value_name = "KIND")]
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// What was found: profiles/*.json
    Profile,
    /// What is probed: toolprobe.toml
    Config,
    /// What is asked: probes/*.toml
    Probe,
    /// A simulated model: fixtures/models/*.toml
    Model,
    /// What was sent and received: a record of reports/RUN/evidence/*.jsonl
    Exchange,
    /// What a run was: reports/RUN/manifest.json
    Manifest,
    /// Which changes fail a build
    Policy,
    /// What an adapter or a run writes of each turn: one line of telemetry
    Telemetry,
    /// What was recorded: fixtures/transcripts/*.json
    Transcript,
    /// One row of reports/history.csv, its columns in order
    History,
    /// One row of reports/metrics.csv, its columns in order
    Metrics,
    /// What `toolprobe plan --format json` prints of a target
    Plan,
    /// Where each target stands: rollout.json
    Rollout,
    /// What `toolprobe diff --format json` prints
    Diff,
    /// What `toolprobe gate --format json` prints
    Gate,
    /// The request fields of a dialect: probes/fields/*.toml
    Fields,
    /// What `toolprobe audit --format json` prints
    Audit,
}

impl Kind {
    /// Its name, its version and its schema.
    fn schema(self) -> (&'static str, u32, Value) {
        match self {
            Self::Profile => ("profile", PROFILE_VERSION, schema_for!(Profile).to_value()),
            Self::Config => ("config", 1, schema_for!(Config).to_value()),
            Self::Probe => ("probe", 1, schema_for!(ProbeFile).to_value()),
            Self::Model => ("model", 1, schema_for!(ModelFile).to_value()),
            Self::Exchange => ("exchange", EXCHANGE_VERSION, schema_for!(Exchange).to_value()),
            Self::Manifest => ("manifest", MANIFEST_VERSION, schema_for!(Manifest).to_value()),
            Self::Policy => ("policy", 1, schema_for!(Policy).to_value()),
            Self::Telemetry => ("telemetry", TELEMETRY_VERSION, schema_for!(TurnEvent).to_value()),
            Self::Transcript => {
                ("transcript", TRANSCRIPT_VERSION, schema_for!(Transcript).to_value())
            }
            Self::History => ("history", HISTORY_VERSION, schema_for!(HistoryRow).to_value()),
            Self::Metrics => ("metrics", HISTORY_VERSION, schema_for!(MetricsRow).to_value()),
            Self::Plan => ("plan", PLAN_VERSION, schema_for!(Plan).to_value()),
            Self::Rollout => ("rollout", ROLLOUT_VERSION, schema_for!(RolloutState).to_value()),
            Self::Diff => ("diff", 1, output_schema::<Diff>()),
            Self::Gate => ("gate", 1, output_schema::<Gate>()),
            Self::Fields => ("fields", 1, schema_for!(FieldFile).to_value()),
            Self::Audit => ("audit", AUDIT_VERSION, output_schema::<AuditReport>()),
        }
    }
}

pub(super) fn run(args: &SchemaArgs, console: &Console) -> Result<Exit, CliError> {
    let (name, version, schema) = args.kind.schema();
    let text = serde_json::to_string_pretty(&name_schema(name, version, schema));
    console.result(&text.map_err(CliError::inconclusive)?)?;
    Ok(Exit::Fine)
}

/// The schema of what is only ever written: what is left out where it is empty is optional.
fn output_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema with a name that others can refer to.
fn name_schema(name: &str, version: u32, schema: Value) -> Value {
    let mut out = Map::new();
    out.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    out.insert("$id".to_owned(), format!("urn:toolprobe:schema:{name}:{version}").into());
    out.insert("title".to_owned(), format!("toolprobe {name}").into());
    if let Value::Object(schema) = schema {
        let own = schema.into_iter().filter(|(key, _)| key != "$schema" && key != "title");
        out.extend(own);
    }
    Value::Object(out)
}
