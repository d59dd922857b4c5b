//! Corrections: what an adapter must do about what was found.
//!
//! The rules that make them from results are in [`crate::adapt`]; here is what a profile stores.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ir::{Defect, Digest, Layer};
use crate::prompted::ToolDelivery;

/// One correction: what to set, and the results that call for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Correction {
    /// The kind, and what to set.
    #[serde(flatten)]
    pub setting: Setting,
    /// What was found, in words.
    pub why: String,
    /// The results that call for it, as paths into the profile. It disappears with them.
    pub because: Vec<String>,
    /// Exchanges that show it; all of them stand at the results.
    pub evidence: Vec<Digest>,
}

/// What a correction sets, by kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "set", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Setting {
    /// Shapes of replies that are brought into the dialect's own before a client reads them.
    Encoding {
        /// The shapes, by their defects.
        normalize: Vec<Defect>,
    },
    /// How tools are made known.
    Delivery {
        /// Differently from the dialect, as given here.
        tools: ToolOffer,
    },
    /// Calls that are read from text.
    Parsing {
        /// The text format.
        format: String,
        /// Where the calls stand.
        layer: Layer,
        /// The repairs that may be made to read them; no other.
        repairs: Vec<String>,
    },
    /// A simpler schema is sent. Arguments are always checked against the original one.
    Schema {
        /// Keywords that are left out and told in the description instead.
        drop: Vec<String>,
        /// Types beside which text is allowed; the value is restored from it.
        widen: Vec<String>,
        /// Keywords of alternatives: a tool whose arguments are such a choice is offered as several.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        split: Vec<String>,
        /// Keywords that the model does not keep to, so that only the local check does.
        check: Vec<String>,
    },
    /// Several calls in one reply are avoided.
    Parallel {
        /// How many calls a turn may have.
        calls_per_turn: u32,
        /// What keeps the model to it; the executor does in any case.
        by: ParallelLimit,
    },
    /// How requests with tools are streamed.
    Streaming {
        /// Whether calls may come in a stream.
        tool_calls: StreamUse,
        /// Defects of the streams that an accumulator must cope with.
        defects: Vec<Defect>,
    },
    /// Reasoning that goes back with the next request. It is never emptied, never summarised.
    ReasoningReplay {
        /// Whether it goes back at all.
        send: ReasoningUse,
        /// The field on the wire.
        field: Option<String>,
        /// The turns it belongs to.
        turns: ReasoningTurns,
    },
    /// Where results stand in a history.
    ResultPlacement {
        /// What must hold.
        rules: Vec<Placement>,
    },
    /// Ids that pair calls with results.
    Ids {
        /// What ids that go out look like, as a regular expression; others are mapped to such ones.
        pattern: String,
        /// What is wrong with the ids that come in; each call gets one of its own.
        defects: Vec<Defect>,
    },
    /// How a failed call is told to the model.
    ErrorFeedback {
        /// How it is marked.
        marker: ErrorMarker,
        /// How often the model may try again before somebody is asked.
        retries: u32,
    },
    /// Tool choices that must not be sent.
    ToolChoice {
        /// Choices that are refused, as `required` or `required, thinking on`.
        refused: Vec<String>,
        /// Choices that are taken and not honoured.
        ignored: Vec<String>,
    },
    /// What must stay together when a history is trimmed.
    History {
        /// What is kept.
        keep: Vec<Keep>,
    },
}

/// The kinds of corrections, in the order they are listed to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
    strum::Display,
    strum::VariantArray
)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the kind of the setting of the same name")]
#[strum(serialize_all = "kebab-case")]
pub enum CorrectionKind {
    Encoding,
    Delivery,
    Parsing,
    Schema,
    Parallel,
    Streaming,
    ReasoningReplay,
    ResultPlacement,
    Ids,
    ErrorFeedback,
    ToolChoice,
    History,
}

impl CorrectionKind {
    /// The one spelling used in data and output.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How tools are made known where the dialect's own field does not do. Spelt as a profile's
/// `toolDelivery`, or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
pub enum ToolOffer {
    /// In this way.
    By(ToolDelivery),
    /// Not at all: the model may plan and explain, and calls nothing.
    None,
}

const NO_TOOLS: &str = "none";

impl From<ToolOffer> for String {
    fn from(offer: ToolOffer) -> Self {
        match offer {
            ToolOffer::By(delivery) => delivery.into(),
            ToolOffer::None => NO_TOOLS.to_owned(),
        }
    }
}

impl TryFrom<String> for ToolOffer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == NO_TOOLS { Ok(Self::None) } else { ToolDelivery::try_from(text).map(Self::By) }
    }
}

/// What keeps a model to one call a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ParallelLimit {
    /// The dialect's switch, which was seen to work.
    Switch,
    /// A sentence in the system prompt.
    Prompt,
}

/// Whether calls may come in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StreamUse {
    /// No: requests with tools are not streamed.
    Plain,
    /// Yes, if deltas are put together by id and not by index, and only at the end.
    Accumulate,
    /// Always: whole replies lose the calls.
    Streamed,
}

/// Whether reasoning goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReasoningUse {
    /// As it came, byte for byte.
    Verbatim,
    /// Not at all.
    Omit,
}

/// The turns whose reasoning is sent back or left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReasoningTurns {
    /// Those with calls.
    WithCalls,
    /// All of them.
    All,
}

/// A rule about where results stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// A turn of the model stands between results and the user's next words.
    BridgeBeforeUser,
    /// In the order of the calls.
    InCallOrder,
    /// Before any words of the user, right after the calls.
    BeforeText,
    /// As words of the user, because results do not reach the model as results.
    AsUserText,
}

/// How a failed call is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorMarker {
    /// By the dialect's own field.
    Native,
    /// By `[ERROR:<code>]` before a structured body.
    Text,
}

/// What stays when a history is trimmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// The reasoning of a turn with its calls.
    ReasoningWithCalls,
    /// Each call with its result.
    ResultsWithCalls,
    /// The declarations of tools that the history calls.
    Tools,
}

impl Setting {
    /// Its kind.
    pub fn kind(&self) -> CorrectionKind {
        match self {
            Self::Encoding { .. } => CorrectionKind::Encoding,
            Self::Delivery { .. } => CorrectionKind::Delivery,
            Self::Parsing { .. } => CorrectionKind::Parsing,
            Self::Schema { .. } => CorrectionKind::Schema,
            Self::Parallel { .. } => CorrectionKind::Parallel,
            Self::Streaming { .. } => CorrectionKind::Streaming,
            Self::ReasoningReplay { .. } => CorrectionKind::ReasoningReplay,
            Self::ResultPlacement { .. } => CorrectionKind::ResultPlacement,
            Self::Ids { .. } => CorrectionKind::Ids,
            Self::ErrorFeedback { .. } => CorrectionKind::ErrorFeedback,
            Self::ToolChoice { .. } => CorrectionKind::ToolChoice,
            Self::History { .. } => CorrectionKind::History,
        }
    }

    /// What to set, on one line, without the kind.
    pub fn summary(&self) -> String {
        match self {
            Self::Encoding { normalize } => format!("normalize {}", list(normalize)),
            Self::Delivery { tools: ToolOffer::By(ToolDelivery::Forced(_)) } => {
                "force a call until there is a result".to_owned()
            }
            Self::Delivery { tools: ToolOffer::By(delivery) } => {
                format!("offer tools as {}", String::from(*delivery))
            }
            Self::Delivery { tools: ToolOffer::None } => "offer no tools".to_owned(),
            Self::Parsing { format, layer, repairs } => parsing(format, *layer, repairs),
            Self::Schema { drop, widen, split, check } => schema(drop, widen, split, check),
            Self::Parallel { calls_per_turn, by } => {
                let by = match by {
                    ParallelLimit::Switch => "switch",
                    ParallelLimit::Prompt => "prompt",
                };
                format!("{calls_per_turn} call a turn, by {by} and executor")
            }
            Self::Streaming { tool_calls, defects } => streaming(*tool_calls, defects),
            Self::ReasoningReplay { send, field, turns } => {
                reasoning(*send, field.as_deref(), *turns)
            }
            Self::ResultPlacement { rules } => {
                rules.iter().map(|it| placement(*it)).collect::<Vec<_>>().join("; ")
            }
            Self::Ids { defects, .. } if defects.is_empty() => "ids of our own".to_owned(),
            Self::Ids { defects, .. } => format!("ids of our own for {}", list(defects)),
            Self::ErrorFeedback { marker, retries } => {
                let marker = match marker {
                    ErrorMarker::Native => "native flag",
                    ErrorMarker::Text => "[ERROR:<code>]",
                };
                format!("{marker} and a structured body, {retries} retries")
            }
            Self::ToolChoice { refused, ignored } => tool_choice(refused, ignored),
            Self::History { keep } => {
                keep.iter().map(|it| describe_keep(*it)).collect::<Vec<_>>().join("; ")
            }
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind(), self.summary())
    }
}

fn list(words: &[impl ToString]) -> String {
    words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn parsing(format: &str, layer: Layer, repairs: &[String]) -> String {
    let place = match layer {
        Layer::Structured => "the call fields",
        Layer::Content => "the text",
        Layer::Reasoning => "the reasoning",
    };
    let repairs =
        if repairs.is_empty() { String::new() } else { format!(", repairing {}", list(repairs)) };
    format!("read {format} from {place}{repairs}")
}

fn schema(drop: &[String], widen: &[String], split: &[String], check: &[String]) -> String {
    let parts = [
        ("drop", drop),
        ("allow text for", widen),
        ("split tools by", split),
        ("only check", check),
    ];
    let parts = parts.iter().filter(|(_, words)| !words.is_empty());
    parts.map(|(verb, words)| format!("{verb} {}", list(words))).collect::<Vec<_>>().join("; ")
}

fn streaming(tool_calls: StreamUse, defects: &[Defect]) -> String {
    match tool_calls {
        StreamUse::Plain => "no streaming with tools".to_owned(),
        StreamUse::Streamed => "always stream with tools".to_owned(),
        StreamUse::Accumulate => format!("accumulate calls by id, despite {}", list(defects)),
    }
}

fn reasoning(send: ReasoningUse, field: Option<&str>, turns: ReasoningTurns) -> String {
    let field = field.unwrap_or("reasoning");
    let turns = match turns {
        ReasoningTurns::WithCalls => "turns with calls",
        ReasoningTurns::All => "all turns",
    };
    match send {
        ReasoningUse::Verbatim => format!("send {field} back verbatim, on {turns}"),
        ReasoningUse::Omit => format!("never send {field} back"),
    }
}

fn placement(rule: Placement) -> &'static str {
    match rule {
        Placement::BridgeBeforeUser => "a turn of the model between results and user",
        Placement::InCallOrder => "results in the order of the calls",
        Placement::BeforeText => "results right after the calls, before any text",
        Placement::AsUserText => "results as words of the user",
    }
}

fn tool_choice(refused: &[String], ignored: &[String]) -> String {
    let quoted =
        |words: &[String]| words.iter().map(|it| format!("'{it}'")).collect::<Vec<_>>().join(", ");
    let parts = [("never send", refused), ("do not rely on", ignored)];
    let parts = parts.iter().filter(|(_, words)| !words.is_empty());
    parts.map(|(verb, words)| format!("{verb} {}", quoted(words))).collect::<Vec<_>>().join("; ")
}

fn describe_keep(keep: Keep) -> &'static str {
    match keep {
        Keep::ReasoningWithCalls => "keep reasoning with its calls",
        Keep::ResultsWithCalls => "keep results with their calls",
        Keep::Tools => "keep the tools declared",
    }
}
