//! The table of corrections: what in a profile calls for each kind, and what to set then.
//!
//! A rule looks at results only. Where there is no verdict, there is no correction.

use std::collections::BTreeSet;

use super::contract::{marks_errors, refuses_by_contract};
use crate::ir::{Defect, Digest, Layer};
use crate::profile::{
    CaseResult, CaseVerdict, Correction, CorrectionKind, ErrorMarker, ErrorRepair, Keep,
    ParallelLimit, Placement, ProbeOutcome, Profile, ReasoningTurns, ReasoningUse, ReplayMode,
    Setting, Status, StreamUse, Switch, Taken, ToolCallFormat, ToolOffer,
};
use crate::prompted::ToolDelivery;

/// Exchanges that a correction names; the results have the others.
const SHOWN_EVIDENCE: usize = 2;

/// Nine letters and digits: the strictest ids that any provider asks for.
const SAFE_IDS: &str = "^[a-zA-Z0-9]{9}$";

/// Ids by which a client cannot pair results with calls.
const BAD_IDS: [Defect; 4] =
    [Defect::IdMissing, Defect::IdDuplicate, Defect::IdNotString, Defect::IdChanged];

/// A row of the table.
#[derive(Debug)]
pub struct Rule {
    /// The kind of correction.
    pub kind: CorrectionKind,
    /// What calls for it, in words.
    pub when: &'static str,
    need: fn(&Profile) -> Option<Need>,
}

/// What a rule found to be needed.
struct Need {
    setting: Setting,
    why: String,
    /// The results that call for it, with what each rests on.
    because: Vec<(String, Vec<Digest>)>,
}

impl Need {
    fn new(setting: Setting, why: impl Into<String>) -> Self {
        Self { setting, why: why.into(), because: Vec::new() }
    }

    fn because(mut self, result: impl Into<String>, evidence: &[Digest]) -> Self {
        self.because.push((result.into(), evidence.to_vec()));
        self
    }
}

/// All rules, one per kind, in the order of the kinds.
pub const RULES: &[Rule] = &[
    Rule {
        kind: CorrectionKind::Encoding,
        when: "replies have a shape that makes ordinary clients lose the call",
        need: encoding,
    },
    Rule {
        kind: CorrectionKind::Delivery,
        when: "calls come only if they are forced or the tools are taught, or not at all",
        need: delivery,
    },
    Rule {
        kind: CorrectionKind::Parsing,
        when: "calls stand in the text or in the reasoning",
        need: parsing,
    },
    Rule {
        kind: CorrectionKind::Schema,
        when: "a keyword or a type of JSON Schema is refused or not kept to",
        need: schema,
    },
    Rule {
        kind: CorrectionKind::Parallel,
        when: "two calls in one reply do not work",
        need: parallel,
    },
    Rule {
        kind: CorrectionKind::Streaming,
        when: "calls that work plainly are lost or damaged in a stream, or only streams carry them",
        need: streaming,
    },
    Rule {
        kind: CorrectionKind::ReasoningReplay,
        when: "a follow-up is refused without its reasoning, or with it",
        need: reasoning_replay,
    },
    Rule {
        kind: CorrectionKind::ResultPlacement,
        when: "results are refused or not read where the dialect allows them",
        need: result_placement,
    },
    Rule {
        kind: CorrectionKind::Ids,
        when: "ids are missing, not unique or not text, or are refused when they come back",
        need: ids,
    },
    Rule {
        kind: CorrectionKind::ErrorFeedback,
        when: "results are read, and tool errors are not corrected reliably",
        need: error_feedback,
    },
    Rule {
        kind: CorrectionKind::ToolChoice,
        when: "a tool choice is refused or not honoured",
        need: tool_choice,
    },
    Rule {
        kind: CorrectionKind::History,
        when: "a trimmed history is refused though the dialect allows it",
        need: history,
    },
];

/// The corrections that a profile's results call for.
pub fn corrections(profile: &Profile) -> Vec<Correction> {
    // Without tools, there is nothing else to correct.
    if let Some(need) = offer_nothing(profile) {
        return vec![correction(need)];
    }
    RULES.iter().filter_map(|rule| (rule.need)(profile)).map(correction).collect()
}

fn correction(need: Need) -> Correction {
    let evidence: BTreeSet<Digest> =
        need.because.iter().flat_map(|(_, evidence)| evidence.iter().cloned()).collect();
    Correction {
        setting: need.setting,
        why: need.why,
        because: need.because.into_iter().map(|(result, _)| result).collect(),
        evidence: evidence.into_iter().take(SHOWN_EVIDENCE).collect(),
    }
}

fn is_lacking(outcome: &ProbeOutcome) -> bool {
    matches!(outcome.status, Status::Partial | Status::Fail)
}

/// The defects that make ordinary clients lose calls in plain replies, and in streams.
fn breaking(outcome: &ProbeOutcome) -> impl Iterator<Item = Defect> {
    outcome.breaks.iter().map(|broken| broken.defect)
}

fn encoding(profile: &Profile) -> Option<Need> {
    let single = profile.results.single_tool.as_ref()?;
    let streamed = profile.results.streaming.as_ref().map(|it| &it.outcome);
    let all: BTreeSet<Defect> = breaking(&single.outcome)
        .chain(streamed.into_iter().flat_map(breaking))
        .filter(|defect| single.defects.contains(defect) && !BAD_IDS.contains(defect))
        .collect();
    if all.is_empty() {
        return None;
    }
    let normalize: Vec<Defect> = all.into_iter().collect();
    let need =
        Need::new(Setting::Encoding { normalize }, single_or_stream(&single.outcome, streamed));
    let need = need.because("results.singleTool", &single.outcome.evidence);
    Some(match streamed.filter(|it| !it.breaks.is_empty()) {
        Some(outcome) => need.because("results.streaming", &outcome.evidence),
        None => need,
    })
}

/// The words of the result that names the clients.
fn single_or_stream(single: &ProbeOutcome, streamed: Option<&ProbeOutcome>) -> String {
    let told = if single.breaks.is_empty() { streamed.unwrap_or(single) } else { single };
    told.reason.clone()
}

fn delivery(profile: &Profile) -> Option<Need> {
    let results = &profile.results;
    let single = results.single_tool.as_ref()?;
    if let Some(need) = offer_nothing(profile) {
        return Some(need);
    }
    let delivery = single.rung().filter(|delivery| *delivery != ToolDelivery::Native)?;
    let why = single.rungs.get("native").unwrap_or(&single.outcome.reason);
    let need = Need::new(Setting::Delivery { tools: ToolOffer::By(delivery) }, why.clone());
    Some(need.because("results.singleTool", &single.outcome.evidence))
}

/// No tools are offered where no call comes, or where calls come and none of them can be used.
fn offer_nothing(profile: &Profile) -> Option<Need> {
    let single = profile.results.single_tool.as_ref()?;
    let need = Need::new(Setting::Delivery { tools: ToolOffer::None }, &single.outcome.reason);
    let need = need.because("results.singleTool", &single.outcome.evidence);
    if profile.capabilities.tool_call_format == Some(ToolCallFormat::None) {
        return Some(need);
    }
    let schema = profile.results.schema.as_ref().map(|it| &it.outcome)?;
    let fails = |outcome: &ProbeOutcome| outcome.status == Status::Fail;
    (fails(&single.outcome) && fails(schema))
        .then(|| need.because("results.schema", &schema.evidence))
}

fn parsing(profile: &Profile) -> Option<Need> {
    let single = profile.results.single_tool.as_ref()?;
    let layer = single.layer.filter(|layer| *layer != Layer::Structured)?;
    let format = single.parser.clone()?;
    let repairs = single.json_text.as_ref().map(|json| json.repairs.clone()).unwrap_or_default();
    let need = Need::new(Setting::Parsing { format, layer, repairs }, &single.outcome.reason);
    Some(need.because("results.singleTool", &single.outcome.evidence))
}

/// Cases of the schema probe whose keyword can be left out of what is sent.
const KEYWORDS: [&str; 7] =
    ["enum", "pattern", "minimum-maximum", "additionalProperties", "anyOf", "oneOf", "$ref"];

/// Those of them that make the arguments of a tool a choice.
const ALTERNATIVES: [&str; 2] = ["anyOf", "oneOf"];

/// Cases of the schema probe that are about a type, beside which text can be allowed.
const TYPES: [&str; 5] = ["integer", "boolean", "null", "array", "nested-object"];

/// Cases that use what other cases are about: where those fail, nothing is known of these.
const BUILDS_ON: [(&str, &[&str]); 6] = [
    ("array", &["integer"]),
    ("nested-object", &["integer", "enum"]),
    ("minimum-maximum", &["integer"]),
    ("anyOf", &["integer"]),
    ("oneOf", &["integer"]),
    ("$ref", &["integer"]),
];

fn schema(profile: &Profile) -> Option<Need> {
    let cases = &profile.results.schema.as_ref()?.cases;
    let fails = |id: &str| cases.get(id).is_some_and(is_failed_case);
    let is_consequence = |id: &str| {
        BUILDS_ON.iter().any(|(case, bases)| *case == id && bases.iter().any(|base| fails(base)))
    };
    let failed: Vec<(&String, &CaseResult)> =
        cases.iter().filter(|(id, _)| fails(id) && !is_consequence(id)).collect();
    let (_, first) = failed.first()?;
    let among = |known: &[&str]| -> Vec<String> {
        failed
            .iter()
            .map(|(id, _)| (*id).clone())
            .filter(|id| known.contains(&id.as_str()))
            .collect()
    };
    let check = failed.iter().map(|(id, _)| (*id).clone());
    let is_other = |id: &String| !KEYWORDS.contains(&id.as_str()) && !TYPES.contains(&id.as_str());
    let check = check.filter(is_other).collect();
    let (drop, widen, split) = (among(&KEYWORDS), among(&TYPES), among(&ALTERNATIVES));
    let setting = Setting::Schema { drop, widen, split, check };
    let need = Need::new(setting, first.reason.clone());
    Some(failed.iter().fold(need, |need, (id, case)| {
        need.because(format!("results.schema.cases.{id}"), &case.evidence)
    }))
}

fn is_failed_case(case: &CaseResult) -> bool {
    match case.verdict {
        CaseVerdict::AcceptedInvalid
        | CaseVerdict::Ignored
        | CaseVerdict::Rejected
        | CaseVerdict::NoCall => true,
        CaseVerdict::AcceptedValid | CaseVerdict::Inconclusive | CaseVerdict::Skipped => false,
    }
}

fn parallel(profile: &Profile) -> Option<Need> {
    let result = profile.results.parallel_tool.as_ref()?;
    // Where no result is read, those of two calls are not read either.
    let closed_loop = profile.results.closed_loop.as_ref().map(|it| it.outcome.status);
    if closed_loop == Some(Status::Fail) {
        return None;
    }
    // Ids of our own are all that such calls need.
    if !is_lacking(&result.outcome) || bad_ids(profile).contains(&Defect::IdDuplicate) {
        return None;
    }
    let by = match result.off_switch {
        Switch::Honoured => ParallelLimit::Switch,
        Switch::Ignored | Switch::Rejected | Switch::Absent | Switch::Unknown => {
            ParallelLimit::Prompt
        }
    };
    let need = Need::new(Setting::Parallel { calls_per_turn: 1, by }, &result.outcome.reason);
    Some(need.because("results.parallelTool", &result.outcome.evidence))
}

/// The need to stream, where plain replies carry no calls.
fn only_streams(profile: &Profile) -> Option<Need> {
    let plain = profile.results.single_tool.as_ref()?.plain.as_deref()?;
    let setting = Setting::Streaming { tool_calls: StreamUse::Streamed, defects: Vec::new() };
    let need = || Need::new(setting, &plain.reason).because("results.singleTool", &plain.evidence);
    is_lacking(plain).then(need)
}

fn streaming(profile: &Profile) -> Option<Need> {
    if let Some(need) = only_streams(profile) {
        return Some(need);
    }
    let result = profile.results.streaming.as_ref().filter(|it| is_lacking(&it.outcome))?;
    let plain = profile.results.single_tool.iter().flat_map(|single| &single.defects);
    let handled: BTreeSet<Defect> = plain.copied().chain(BAD_IDS).collect();
    let breaks: Vec<Defect> = breaking(&result.outcome).collect();
    let own: Vec<Defect> = breaks.iter().copied().filter(|it| !handled.contains(it)).collect();
    let setting = match (breaks.is_empty(), own.is_empty()) {
        (true, _) => Setting::Streaming { tool_calls: StreamUse::Plain, defects: Vec::new() },
        (false, false) => Setting::Streaming { tool_calls: StreamUse::Accumulate, defects: own },
        // The corrections of plain replies cover it.
        (false, true) => return None,
    };
    let need = Need::new(setting, &result.outcome.reason);
    Some(need.because("results.streaming", &result.outcome.evidence))
}

fn reasoning_replay(profile: &Profile) -> Option<Need> {
    let replay = profile.results.reasoning_replay.as_ref()?;
    let (send, variant) = match replay.mode? {
        ReplayMode::Required => (ReasoningUse::Verbatim, "omitted"),
        ReplayMode::Rejected => (ReasoningUse::Omit, "faithful"),
        ReplayMode::Accepted | ReplayMode::Ignored | ReplayMode::Absent => return None,
    };
    let said = replay.variants.get(variant).and_then(|variant| variant.said.clone());
    let field = replay.field.map(|field| field.wire_name().to_owned());
    let turns = match send {
        ReasoningUse::Verbatim => ReasoningTurns::WithCalls,
        ReasoningUse::Omit => ReasoningTurns::All,
    };
    let setting = Setting::ReasoningReplay { send, field, turns };
    let need = Need::new(setting, said.unwrap_or_else(|| replay.outcome.reason.clone()));
    Some(need.because("results.reasoningReplay", &replay.outcome.evidence))
}

/// The endpoint's words about a history that it refuses beyond what its dialect demands.
fn refusal<'a>(profile: &'a Profile, shape: &str) -> Option<&'a str> {
    let variant = profile.results.history.as_ref()?.shapes.get(shape)?;
    let is_extra = variant.taken == Taken::Rejected && !refuses_by_contract(profile.dialect, shape);
    is_extra.then(|| variant.said.as_deref().unwrap_or("refused"))
}

const PLACEMENTS: [(&str, Placement); 3] = [
    ("text-after-results", Placement::BridgeBeforeUser),
    ("results-out-of-order", Placement::InCallOrder),
    ("text-before-results", Placement::BeforeText),
];

fn result_placement(profile: &Profile) -> Option<Need> {
    let refused = PLACEMENTS.iter().filter_map(|(shape, rule)| {
        Some((*rule, refusal(profile, shape)?, format!("results.history.shapes.{shape}")))
    });
    let mut found: Vec<(Placement, &str, String)> = refused.collect();
    let unread = unread_results(profile);
    if let Some(outcome) = unread {
        found.push((Placement::AsUserText, &outcome.reason, "results.closedLoop".to_owned()));
    }
    let (_, why, _) = found.first()?;
    let rules = found.iter().map(|(rule, _, _)| *rule).collect();
    let need = Need::new(Setting::ResultPlacement { rules }, *why);
    let history = profile.results.history.as_ref().map(|it| it.outcome.evidence.as_slice());
    let evidence = unread.map_or(history.unwrap_or_default(), |outcome| &outcome.evidence);
    Some(found.iter().fold(need, |need, (_, _, result)| need.because(result, evidence)))
}

/// The closed loop, where structured results are taken and never read.
fn unread_results(profile: &Profile) -> Option<&ProbeOutcome> {
    let is_structured = profile.results.single_tool.as_ref()?.layer == Some(Layer::Structured);
    let outcome = &profile.results.closed_loop.as_ref()?.outcome;
    // A model that corrects its calls after an error has read the error.
    let repairs = profile.results.error_repair.as_ref().map(|it| it.outcome.status);
    let reads_errors = matches!(repairs, Some(Status::Pass | Status::Partial));
    let is_unread = outcome.status == Status::Fail && refused_ids(profile).is_none();
    (is_structured && !reads_errors && is_unread).then_some(outcome)
}

/// What is wrong with ids, in plain replies and in streams.
fn bad_ids(profile: &Profile) -> BTreeSet<Defect> {
    let results = &profile.results;
    let plain = results.single_tool.iter().flat_map(|it| &it.defects);
    let streamed = results.streaming.iter().flat_map(|it| &it.defects);
    plain.chain(streamed).copied().filter(|defect| BAD_IDS.contains(defect)).collect()
}

/// The closed loop, where the ids that the endpoint gave out are refused when they come back.
fn refused_ids(profile: &Profile) -> Option<&ProbeOutcome> {
    let outcome = &profile.results.closed_loop.as_ref()?.outcome;
    let (_, said) = outcome.reason.split_once("refused: ")?;
    let mut words = said.split(|letter: char| !letter.is_ascii_alphanumeric());
    let is_about_ids =
        words.any(|word| ["id", "ids"].contains(&word.to_ascii_lowercase().as_str()));
    (outcome.status == Status::Fail && is_about_ids).then_some(outcome)
}

fn ids(profile: &Profile) -> Option<Need> {
    let defects: Vec<Defect> = bad_ids(profile).into_iter().collect();
    if defects.is_empty() {
        let outcome = refused_ids(profile)?;
        let setting = Setting::Ids { pattern: SAFE_IDS.to_owned(), defects };
        let need = Need::new(setting, &outcome.reason);
        return Some(need.because("results.closedLoop", &outcome.evidence));
    }
    let why = defects.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let need =
        Need::new(Setting::Ids { pattern: SAFE_IDS.to_owned(), defects: defects.clone() }, why);
    let results = &profile.results;
    let plain =
        results.single_tool.as_ref().map(|it| ("results.singleTool", &it.outcome, &it.defects));
    let streamed =
        results.streaming.as_ref().map(|it| ("results.streaming", &it.outcome, &it.defects));
    let shown = plain.into_iter().chain(streamed);
    let shown = shown.filter(|(_, _, has)| defects.iter().any(|defect| has.contains(defect)));
    Some(shown.fold(need, |need, (result, outcome, _)| need.because(result, &outcome.evidence)))
}

fn error_feedback(profile: &Profile) -> Option<Need> {
    let repair = profile.results.error_repair.as_ref()?;
    // Where no result is read, an error is not read either.
    if unread_results(profile).or(refused_ids(profile)).is_some() {
        return None;
    }
    let retries = match profile.capabilities.error_repair? {
        ErrorRepair::Reliable => return None,
        ErrorRepair::Limited => 2,
        ErrorRepair::None => 0,
    };
    let marker =
        if marks_errors(profile.dialect) { ErrorMarker::Native } else { ErrorMarker::Text };
    let need = Need::new(Setting::ErrorFeedback { marker, retries }, &repair.outcome.reason);
    Some(need.because("results.errorRepair", &repair.outcome.evidence))
}

fn tool_choice(profile: &Profile) -> Option<Need> {
    let cases = &profile.results.extended.get("tool-choice")?.cases;
    let with = |verdict: CaseVerdict| -> Vec<String> {
        cases.iter().filter(|(_, case)| case.verdict == verdict).map(|(id, _)| id.clone()).collect()
    };
    let (refused, ignored) = (with(CaseVerdict::Rejected), with(CaseVerdict::Ignored));
    let first = refused.iter().chain(&ignored).next().and_then(|id| cases.get(id))?;
    let why = first.reason.clone();
    let named: Vec<String> = refused.iter().chain(&ignored).cloned().collect();
    let need = Need::new(Setting::ToolChoice { refused, ignored }, why);
    let evidence =
        |id: &String| cases.get(id).map(|case| case.evidence.clone()).unwrap_or_default();
    Some(named.iter().fold(need, |need, id| {
        need.because(format!("results.extended.tool-choice.cases.{id}"), &evidence(id))
    }))
}

const KEPT: [(&str, Keep); 5] = [
    ("trimmed-reasoning", Keep::ReasoningWithCalls),
    ("dangling-call", Keep::ResultsWithCalls),
    ("missing-result", Keep::ResultsWithCalls),
    ("orphan-result", Keep::ResultsWithCalls),
    ("tools-omitted", Keep::Tools),
];

fn history(profile: &Profile) -> Option<Need> {
    let refused: Vec<(&str, Keep, &str)> = KEPT
        .iter()
        .filter_map(|(shape, keep)| Some((*shape, *keep, refusal(profile, shape)?)))
        .collect();
    let (_, _, why) = refused.first()?;
    let mut keep: Vec<Keep> = refused.iter().map(|(_, keep, _)| *keep).collect();
    keep.dedup();
    let need = Need::new(Setting::History { keep }, *why);
    let evidence = profile.results.history.as_ref().map(|it| it.outcome.evidence.as_slice());
    Some(refused.iter().fold(need, |need, (shape, _, _)| {
        need.because(format!("results.history.shapes.{shape}"), evidence.unwrap_or_default())
    }))
}
