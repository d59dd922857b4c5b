//! Results: what each probe found.
//!
//! Capabilities are never stored as bare booleans: these results are what they are read off.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ClientBreak, Interval, ReplyMode, Status};
use crate::ir::{CallFormat, Defect, Digest, Layer, ReasoningField};
use crate::prompted::{Force, ToolDelivery};

/// What every result says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProbeOutcome {
    /// The probe that found it.
    pub probe: String,
    /// The verdict.
    pub status: Status,
    /// Conclusive trials that passed.
    pub passes: u32,
    /// Conclusive trials.
    pub trials: u32,
    /// The 95 % interval of the rate; null without conclusive trials.
    pub interval: Option<Interval>,
    /// Why, in words; the most frequent reason where trials differ.
    pub reason: String,
    /// What a negative was compared with, and that worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// The defects that make ordinary clients lose the call, where they lowered the verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<ClientBreak>,
    /// The exchanges it rests on.
    pub evidence: Vec<Digest>,
}

/// The results of one target, by what they are about.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Results {
    /// What `basic-format` found: the form that calls arrive in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_tool: Option<SingleTool>,
    /// What `schema` found, keyword by keyword.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Cases>,
    /// What `closed-loop` found: whether results are answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_loop: Option<Loop>,
    /// What `parallel` found: several calls in one reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_tool: Option<ParallelTool>,
    /// What `error-repair` found: whether tool errors are corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_repair: Option<Repair>,
    /// What `reasoning-replay` found: what sending reasoning back does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_replay: Option<Replay>,
    /// What `streaming` found: streamed calls against their plain twins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streaming: Option<Streaming>,
    /// What `history` found: which histories are taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<History>,
    /// Everything beyond the eight steps, by the probe's id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extended: BTreeMap<String, Cases>,
}

/// What a probe found, in the shape that its kind gives it. A kind without a shape of its own gives
/// a list of cases.
pub(crate) enum ProbeResult {
    SingleTool(SingleTool),
    Cases(Cases),
    Loop(Loop),
    ParallelTool(ParallelTool),
    Repair(Repair),
    Replay(Replay),
    Streaming(Streaming),
    History(History),
}

impl ProbeResult {
    /// The result as a list of cases, without what only its kind has.
    fn into_cases(self) -> Cases {
        match self {
            Self::Cases(cases) => cases,
            Self::Streaming(result) => Cases::of(result.outcome, result.twins),
            Self::SingleTool(SingleTool { outcome, .. })
            | Self::Loop(Loop { outcome, .. })
            | Self::ParallelTool(ParallelTool { outcome, .. })
            | Self::Repair(Repair { outcome, .. })
            | Self::Replay(Replay { outcome, .. })
            | Self::History(History { outcome, .. }) => Cases::of(outcome, []),
        }
    }
}

impl Results {
    /// Puts the result of a probe in its place: the built-in probes have fields of their own, and
    /// every other id stands among the extended ones, whatever its kind.
    pub(crate) fn insert(&mut self, probe: &str, result: ProbeResult) {
        match (probe, result) {
            ("basic-format", ProbeResult::SingleTool(result)) => self.single_tool = Some(result),
            ("schema", ProbeResult::Cases(result)) => self.schema = Some(result),
            ("closed-loop", ProbeResult::Loop(result)) => self.closed_loop = Some(result),
            ("parallel", ProbeResult::ParallelTool(result)) => self.parallel_tool = Some(result),
            ("error-repair", ProbeResult::Repair(result)) => self.error_repair = Some(result),
            ("reasoning-replay", ProbeResult::Replay(result)) => {
                self.reasoning_replay = Some(result);
            }
            ("streaming", ProbeResult::Streaming(result)) => self.streaming = Some(result),
            ("history", ProbeResult::History(result)) => self.history = Some(result),
            (id, result) => {
                self.extended.insert(id.to_owned(), result.into_cases());
            }
        }
    }

    /// Every outcome, in the order of the suite, the extended ones last.
    pub fn outcomes(&self) -> impl Iterator<Item = &ProbeOutcome> {
        let eight = [
            self.single_tool.as_ref().map(|it| &it.outcome),
            self.schema.as_ref().map(|it| &it.outcome),
            self.closed_loop.as_ref().map(|it| &it.outcome),
            self.parallel_tool.as_ref().map(|it| &it.outcome),
            self.error_repair.as_ref().map(|it| &it.outcome),
            self.reasoning_replay.as_ref().map(|it| &it.outcome),
            self.streaming.as_ref().map(|it| &it.outcome),
            self.history.as_ref().map(|it| &it.outcome),
        ];
        eight.into_iter().flatten().chain(self.extended.values().map(|cases| &cases.outcome))
    }

    /// Whether anything at all was concluded.
    pub fn has_verdict(&self) -> bool {
        self.outcomes().any(|it| !matches!(it.status, Status::Inconclusive | Status::Skipped))
    }
}

/// How good the JSON of calls in text is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JsonText {
    /// The worst that was seen.
    pub strictness: Strictness,
    /// The repairs that were needed, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<String>,
}

/// See [`JsonText`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// Valid JSON as it stood.
    Strict,
    /// Valid after bounded repair.
    Repaired,
    /// Not to be read at all.
    Broken,
}

/// The result of `basic-format`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SingleTool {
    /// The verdict.
    #[serde(flatten)]
    pub outcome: ProbeOutcome,
    /// The form calls arrive in; null when none did.
    pub format: Option<CallFormat>,
    /// The text format to parse them with, where they arrive as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parser: Option<String>,
    /// How the tools were made known.
    pub delivery: Option<ToolDelivery>,
    /// How calls had to be demanded, where they come only then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<Force>,
    /// Whether the probes were asked for plain replies or for streams.
    #[serde(default, skip_serializing_if = "ReplyMode::is_plain")]
    pub replies: ReplyMode,
    /// What plain requests gave, where only streams carry calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<Box<ProbeOutcome>>,
    /// Where in the reply they stood.
    pub layer: Option<Layer>,
    /// The JSON of calls in text, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_text: Option<JsonText>,
    /// What a strict client would not have taken of the replies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defects: Vec<Defect>,
    /// The field of a declaration that schemas have to stand in, where it is not the dialect's first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_field: Option<String>,
    /// What each rung of the ladder gave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rungs: BTreeMap<String, String>,
}

impl SingleTool {
    /// The rung that calls arrive on, to be asked on again.
    pub fn rung(&self) -> Option<ToolDelivery> {
        match (self.delivery?, self.force) {
            (ToolDelivery::Forced(_), Some(force)) => Some(ToolDelivery::Forced(force)),
            (delivery, _) => Some(delivery),
        }
    }
}

/// How an endpoint took one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CaseVerdict {
    /// The request was taken and the call was right.
    AcceptedValid,
    /// The request was taken and the call was wrong.
    AcceptedInvalid,
    /// The request was taken and what it demanded was not done.
    Ignored,
    /// The request was refused, clearly.
    Rejected,
    /// The request was taken and no call came.
    NoCall,
    /// No verdict.
    Inconclusive,
    /// Not asked.
    #[default]
    Skipped,
}

/// One case of a probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaseResult {
    /// How the endpoint took it; where trials differ, the worst of them, which must be reckoned with.
    pub verdict: CaseVerdict,
    /// Conclusive trials that passed.
    pub passes: u32,
    /// Conclusive trials.
    pub trials: u32,
    /// Why, in words.
    pub reason: String,
    /// The exchanges it rests on.
    pub evidence: Vec<Digest>,
}

/// The result of a probe that is a list of cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cases {
    /// The verdict over all cases.
    #[serde(flatten)]
    pub outcome: ProbeOutcome,
    /// The cases that did not pass, in order.
    pub failures: Vec<String>,
    /// Each case.
    pub cases: BTreeMap<String, CaseResult>,
}

impl Cases {
    /// The result of these cases, in the order they were asked.
    pub fn of(
        outcome: ProbeOutcome,
        cases: impl IntoIterator<Item = (String, CaseResult)>,
    ) -> Self {
        let cases: Vec<(String, CaseResult)> = cases.into_iter().collect();
        let failed = cases.iter().filter(|(_, case)| case.trials > case.passes);
        let failures = failed.map(|(id, _)| id.clone()).collect();
        Self { outcome, failures, cases: cases.into_iter().collect() }
    }
}

/// The result of `closed-loop`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Loop {
    /// The verdict.
    #[serde(flatten)]
    pub outcome: ProbeOutcome,
    /// Prompt tokens that the call and its result added, where the endpoint counts.
    pub prompt_token_delta: Option<i64>,
}

/// What became of a switch in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// It did what it says.
    Honoured,
    /// It was taken and did nothing.
    Ignored,
    /// It was refused.
    Rejected,
    /// The dialect has none.
    Absent,
    /// Nothing shows which.
    #[default]
    Unknown,
}

/// The result of `parallel`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParallelTool {
    /// The verdict.
    #[serde(flatten)]
    pub outcome: ProbeOutcome,
    /// Whether parallel calls can be switched off.
    pub off_switch: Switch,
    /// Whether the results of several calls are taken; absent where no such calls came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_taken: Option<Taken>,
}

/// The result of `error-repair`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Repair {
    /// The verdict.
    #[serde(flatten)]
    pub outcome: ProbeOutcome,
    /// How often the same call was seen three times in a row.
    pub loops: u32,
}

/// What an endpoint does with reasoning that is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayMode {
    /// Omitting it is refused, the faithful replay is not.
    Required,
    /// Both are accepted, and nothing shows that it was dropped.
    Accepted,
    /// Both are accepted, and the prompt tokens show that it never reached the model.
    Ignored,
    /// Including it is refused, omitting it is not.
    Rejected,
    /// The model gave no reasoning state to send back.
    Absent,
}

/// How the follow-up was taken with the reasoning changed in one way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Variant {
    /// Whether it was taken.
    pub taken: Taken,
    /// The endpoint's words, where it refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Prompt tokens of the follow-up, where the endpoint counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
}

/// Whether a request was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Taken {
    /// Yes, and it was made use of as far as can be seen.
    Accepted,
    /// Yes, but what was sent had no effect.
    Ignored,
    /// No, clearly.
    Rejected,
    /// Infrastructure kept it open.
    Inconclusive,
    /// Not asked, or the control did not pass.
    Skipped,
}

/// The result of `reasoning-replay`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// The verdict.
    #[serde(flatten)]
    pub outcome: ProbeOutcome,
    /// What the endpoint does with it; null without a verdict.
    pub mode: Option<ReplayMode>,
    /// Where the reasoning stood.
    pub field: Option<ReasoningField>,
    /// Each way of sending it back: faithful, omitted, emptied, altered, wrong-field.
    pub variants: BTreeMap<String, Variant>,
}

/// The result of `streaming`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Streaming {
    /// The verdict.
    #[serde(flatten)]
    pub outcome: ProbeOutcome,
    /// What a strict client would not have taken, over all streams.
    pub defects: Vec<Defect>,
    /// Each twin against its plain run.
    pub twins: BTreeMap<String, CaseResult>,
}

/// The result of `history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// The verdict: whether the well-formed history was taken.
    #[serde(flatten)]
    pub outcome: ProbeOutcome,
    /// Prompt tokens that the tools take: the well-formed history with them, less the same without;
    /// absent where the endpoint does not count, or does not take it without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_token_delta: Option<i64>,
    /// Each malformed one.
    pub shapes: BTreeMap<String, Variant>,
}
