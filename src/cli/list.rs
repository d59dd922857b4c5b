//! `toolprobe list`: what is built in.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::CliError;
use super::Exit;
use super::args::output::PlainFormat;
use super::shell::console::Console;
use crate::dialect::DialectId;
use crate::probe::{Suite, SuiteName};
use crate::regress::{self, explanations};
use crate::report::pairs;
use crate::sim::Fleet;
use crate::target::{Preset, presets};
use crate::textcall::FORMATS;

/// From how many names on a list is cut short where all topics are shown.
const SHORT: usize = 32;

/// List what is built in
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// What to list, with a line on each [default: the names only]
    #[arg(value_enum, value_name = "TOPIC")]
    topic: Option<Topic>,

    /// The form of the list
    #[arg(long, value_enum, default_value_t = PlainFormat::Table, value_name = "NAME")]
    format: PlainFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
enum Topic {
    /// The provider protocols
    Dialects,
    /// The text formats that calls are found in
    Formats,
    /// The providers that are known by name
    Providers,
    /// What the suite asks
    Probes,
    /// The simulated models
    Models,
    /// What lenient decoders record
    Defects,
    /// What diffs and parsers say; see `toolprobe explain`
    Codes,
}

/// One thing that is built in.
#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    about: String,
}

impl Topic {
    fn as_str(self) -> &'static str {
        self.into()
    }

    fn entries(self) -> Result<Vec<Entry>, CliError> {
        Ok(match self {
            Self::Dialects => DialectId::ALL.iter().map(|id| dialect(*id)).collect(),
            Self::Formats => {
                FORMATS.iter().map(|format| entry(format.id, openers(format.openers))).collect()
            }
            Self::Providers => presets().iter().map(provider).collect(),
            Self::Probes => {
                let suite = Suite::embedded().map_err(CliError::usage)?;
                suite
                    .select(SuiteName::Full)
                    .map(|it| entry(&it.id, it.file.about.clone()))
                    .collect()
            }
            Self::Models => {
                let fleet = Fleet::embedded().map_err(CliError::usage)?;
                fleet.iter().map(|model| entry(&model.name, model.about.clone())).collect()
            }
            Self::Defects => codes(|kind| matches!(kind, regress::CodeKind::Defect)),
            Self::Codes => codes(|kind| !matches!(kind, regress::CodeKind::Defect)),
        })
    }
}

fn entry(name: &str, about: String) -> Entry {
    Entry { name: name.to_owned(), about }
}

fn dialect(id: DialectId) -> Entry {
    let about = match id {
        DialectId::AnthropicMessages => "Anthropic's /v1/messages",
        DialectId::OpenAiChat => "OpenAI's /v1/chat/completions and what is compatible",
        DialectId::OpenAiResponses => "OpenAI's /v1/responses",
        DialectId::Gemini => "Google's /v1beta/models/MODEL:generateContent",
        DialectId::Ollama => "Ollama's /api/chat",
    };
    entry(id.as_str(), about.to_owned())
}

fn openers(openers: &[&str]) -> String {
    if openers.is_empty() {
        "found by its shape alone".to_owned()
    } else {
        format!("calls after {}", openers.join("  "))
    }
}

fn provider(preset: &Preset) -> Entry {
    let dialects: Vec<&str> = preset.endpoints.iter().map(|it| it.dialect.as_str()).collect();
    let keys: Vec<&str> = preset.keys.iter().map(|key| key.env.as_str()).collect();
    let mut about =
        format!("{}: {}; key in {}", preset.name, dialects.join(", "), keys.join(" or "));
    for why in preset.retired.iter().chain(&preset.unsupported) {
        // Writing to a string does not fail.
        let _ = write!(about, "; not probed: {why}");
    }
    entry(&preset.id, about)
}

fn codes(wanted: impl Fn(regress::CodeKind) -> bool) -> Vec<Entry> {
    let known = explanations().into_iter().filter(|it| wanted(it.kind));
    known.map(|it| Entry { name: it.code, about: it.meaning }).collect()
}

pub(super) fn run(args: &ListArgs, console: &Console) -> Result<Exit, CliError> {
    let text = match (args.topic, args.format) {
        (Some(topic), PlainFormat::Table) => {
            let entries = topic.entries()?;
            let rows = entries.iter().map(|entry| (entry.name.as_str(), entry.about.clone()));
            pairs(rows, console.style())
        }
        (None, PlainFormat::Table) => names(console)?,
        (Some(topic), PlainFormat::Json) => pretty(&json!(topic.entries()?))?,
        (None, PlainFormat::Json) => {
            let topics = Topic::value_variants()
                .iter()
                .map(|it| Ok((it.as_str().to_owned(), json!(it.entries()?))));
            pretty(&Value::Object(topics.collect::<Result<Map<_, _>, CliError>>()?))?
        }
    };
    console.result(&text)?;
    Ok(Exit::Fine)
}

/// The names of everything, but for long lists; what each is takes a topic.
fn names(console: &Console) -> Result<String, CliError> {
    let mut rows = Vec::new();
    for topic in Topic::value_variants() {
        let entries = topic.entries()?;
        let mut names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        if names.len() > SHORT {
            names.truncate(SHORT / 4);
            names.push("…");
        }
        rows.push((topic.as_str(), format!("({}) {}", entries.len(), names.join(", "))));
    }
    let text = pairs(rows.into_iter(), console.style());
    Ok(format!("{text}\n\n`toolprobe list TOPIC` says what each is."))
}

fn pretty(value: &Value) -> Result<String, CliError> {
    serde_json::to_string_pretty(value).map_err(CliError::inconclusive)
}
