//! The view: what all formats show of a report.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::{Changes, EvidenceLinks};
use crate::dialect::DialectId;
use crate::ir::{Defect, Digest};
use crate::profile::{
    CaseResult, CaseVerdict, Cases, History, ProbeOutcome, Profile, Replay, Results, SingleTool,
    Status, Streaming, Subject, Tally, Variant,
};
use crate::regress::Change;
use crate::store::{Manifest, TargetCost};

/// What a report is about: the profile of one target, or a run and its profiles.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    pub(super) profiles: &'a [Profile],
    pub(super) run: Option<&'a Manifest>,
    pub(super) evidence: Option<&'a EvidenceLinks>,
    pub(super) gate: Option<&'a Changes<'a>>,
    /// What a single target cost, and how long its probes took.
    spent: Option<(TargetCost, &'a BTreeMap<String, u64>)>,
}

impl<'a> Report<'a> {
    /// One target.
    pub fn of_profile(profile: &'a Profile) -> Self {
        let profiles = std::slice::from_ref(profile);
        Self { profiles, run: None, evidence: None, gate: None, spent: None }
    }

    /// All targets of a run.
    pub fn of_run(run: &'a Manifest, profiles: &'a [Profile]) -> Self {
        Self { profiles, run: Some(run), evidence: None, gate: None, spent: None }
    }

    /// The same of a single target, with what it cost and how many milliseconds its probes took.
    #[must_use]
    pub fn with_cost(self, cost: TargetCost, probe_ms: &'a BTreeMap<String, u64>) -> Self {
        Self { spent: Some((cost, probe_ms)), ..self }
    }

    /// The same, with links to what the results rest on.
    #[must_use]
    pub fn with_evidence(self, links: &'a EvidenceLinks) -> Self {
        Self { evidence: Some(links), ..self }
    }

    /// The same, with what the gate made of it.
    #[must_use]
    pub fn with_gate(self, changes: &'a Changes<'a>) -> Self {
        Self { gate: Some(changes), ..self }
    }

    /// All targets, in the order of the run, also those without a profile.
    pub(super) fn targets(&self) -> Vec<TargetView<'a>> {
        let Some(run) = self.run else {
            let (cost, times) = self.spent.unzip();
            let target = |profile| TargetView { cost, times, ..TargetView::of(profile) };
            return self.profiles.iter().map(target).collect();
        };
        let found: HashMap<String, &Profile> =
            self.profiles.iter().map(|profile| (profile.name(), profile)).collect();
        let target = run.targets.iter().map(|target| TargetView {
            name: target.name.clone(),
            subject: &target.subject,
            dialect: target.dialect,
            profile: found.get(&target.name).copied(),
            problem: target.problem.as_deref(),
            cost: target.cost,
            times: Some(&target.probe_ms),
        });
        target.collect()
    }
}

/// One target of a report.
#[derive(Debug, Clone)]
pub(super) struct TargetView<'a> {
    /// Its name in the run, else its model's.
    pub(super) name: String,
    pub(super) subject: &'a Subject,
    pub(super) dialect: Option<DialectId>,
    /// `None` where it was not reached.
    pub(super) profile: Option<&'a Profile>,
    /// Why it has no verdict, or not all of one.
    pub(super) problem: Option<&'a str>,
    /// What asking it cost, where that was counted.
    pub(super) cost: Option<TargetCost>,
    /// How long each probe took, where that was measured.
    pub(super) times: Option<&'a BTreeMap<String, u64>>,
}

impl<'a> TargetView<'a> {
    fn of(profile: &'a Profile) -> Self {
        let Subject { model, variant, .. } = &profile.subject;
        let name = match variant {
            Some(variant) => format!("{model}@{variant}"),
            None => model.clone(),
        };
        let (subject, dialect) = (&profile.subject, Some(profile.dialect));
        let profile = Some(profile);
        Self { name, subject, dialect, profile, problem: None, cost: None, times: None }
    }

    /// How long a probe took; nothing where that was not measured.
    pub(super) fn time_of(&self, probe: &str) -> Duration {
        let millis = self.times.and_then(|times| times.get(probe));
        Duration::from_millis(millis.copied().unwrap_or_default())
    }

    /// Whether a change is one of this target.
    pub(super) fn is_subject_of(&self, change: &Change) -> bool {
        change.target == self.name || change.target == self.subject.name()
    }

    /// The results in the order of the suite; none where there is no profile.
    pub(super) fn sections(&self) -> Vec<ProbeView<'a>> {
        self.profile.map(|profile| sections(&profile.results)).unwrap_or_default()
    }
}

/// What one probe found.
#[derive(Debug, Clone)]
pub(super) struct ProbeView<'a> {
    pub(super) outcome: &'a ProbeOutcome,
    /// The names of the cases that did not pass.
    failures: &'a [String],
    pub(super) cases: Vec<CaseView<'a>>,
    /// What else is worth knowing, by the names that profiles use.
    pub(super) facts: Vec<(&'static str, String)>,
}

/// One case of a probe, or one thing that was observed on the way.
#[derive(Debug, Clone)]
pub(super) struct CaseView<'a> {
    pub(super) name: &'a str,
    /// The endpoint's answer in a word.
    pub(super) word: String,
    /// `None` for what was only observed.
    pub(super) judged: Option<Judged<'a>>,
    pub(super) why: &'a str,
}

/// What a case counts as.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judged<'a> {
    pub(super) status: Status,
    pub(super) passes: u32,
    pub(super) trials: u32,
    pub(super) evidence: &'a [Digest],
}

impl<'a> ProbeView<'a> {
    fn of(outcome: &'a ProbeOutcome) -> Self {
        Self { outcome, failures: &[], cases: Vec::new(), facts: Vec::new() }
    }

    fn of_cases(cases: &'a Cases) -> Self {
        let each = cases.cases.iter().map(|(name, case)| CaseView::judged(name, case)).collect();
        Self { failures: &cases.failures, cases: each, ..Self::of(&cases.outcome) }
    }

    /// The reason, with the cases that it is about.
    pub(super) fn why(&self) -> String {
        match self.failures {
            [] => self.outcome.reason.clone(),
            failures => format!("{}: {}", failures.join(", "), self.outcome.reason),
        }
    }
}

impl<'a> CaseView<'a> {
    fn judged(name: &'a str, case: &'a CaseResult) -> Self {
        let CaseResult { verdict, passes, trials, reason, evidence } = case;
        let tally = Tally {
            passes: *passes,
            fails: trials.saturating_sub(*passes),
            inconclusive: u32::from(*verdict == CaseVerdict::Inconclusive),
            skipped: u32::from(*verdict == CaseVerdict::Skipped),
        };
        let judged = Judged { status: tally.status(), passes: *passes, trials: *trials, evidence };
        Self { name, word: word(verdict), judged: Some(judged), why: reason }
    }

    fn observed(name: &'a str, variant: &'a Variant) -> Self {
        let why = variant.said.as_deref().unwrap_or_default();
        Self { name, word: word(&variant.taken), judged: None, why }
    }
}

fn sections(results: &Results) -> Vec<ProbeView<'_>> {
    let eight = [
        results.single_tool.as_ref().map(single_tool),
        results.schema.as_ref().map(ProbeView::of_cases),
        results.closed_loop.as_ref().map(|it| {
            with_fact(&it.outcome, "promptTokenDelta", it.prompt_token_delta.map(|n| n.to_string()))
        }),
        results
            .parallel_tool
            .as_ref()
            .map(|it| with_fact(&it.outcome, "offSwitch", Some(word(&it.off_switch)))),
        results.error_repair.as_ref().map(|it| {
            let loops = (it.loops > 0).then(|| it.loops.to_string());
            with_fact(&it.outcome, "loops", loops)
        }),
        results.reasoning_replay.as_ref().map(reasoning_replay),
        results.streaming.as_ref().map(streaming),
        results.history.as_ref().map(history),
    ];
    eight.into_iter().flatten().chain(results.extended.values().map(ProbeView::of_cases)).collect()
}

fn with_fact<'a>(
    outcome: &'a ProbeOutcome,
    name: &'static str,
    value: Option<String>,
) -> ProbeView<'a> {
    let facts = value.into_iter().map(|value| (name, value)).collect();
    ProbeView { facts, ..ProbeView::of(outcome) }
}

fn single_tool(single: &SingleTool) -> ProbeView<'_> {
    let rungs = single.rungs.iter().map(|(name, why)| CaseView {
        name,
        word: String::new(),
        judged: None,
        why,
    });
    let layer = single.layer.map(|layer| word(&layer));
    let mut section =
        ProbeView { cases: rungs.collect(), ..with_fact(&single.outcome, "layer", layer) };
    section.facts.extend(codes(&single.defects).map(|codes| ("defects", codes)));
    section
}

fn reasoning_replay(replay: &Replay) -> ProbeView<'_> {
    let cases = replay.variants.iter().map(|(name, variant)| CaseView::observed(name, variant));
    let field = replay.field.as_ref().map(word);
    ProbeView { cases: cases.collect(), ..with_fact(&replay.outcome, "field", field) }
}

fn streaming(streaming: &Streaming) -> ProbeView<'_> {
    let cases = streaming.twins.iter().map(|(name, twin)| CaseView::judged(name, twin)).collect();
    ProbeView { cases, ..with_fact(&streaming.outcome, "defects", codes(&streaming.defects)) }
}

/// The codes of defects in one line; nothing where there are none.
fn codes(defects: &[Defect]) -> Option<String> {
    let codes: Vec<String> = defects.iter().map(ToString::to_string).collect();
    (!codes.is_empty()).then(|| codes.join(", "))
}

fn history(history: &History) -> ProbeView<'_> {
    let cases =
        history.shapes.iter().map(|(name, shape)| CaseView::observed(name, shape)).collect();
    let delta = history.prompt_token_delta.map(|delta| delta.to_string());
    ProbeView { cases, ..with_fact(&history.outcome, "promptTokenDelta", delta) }
}

/// What the adapter of this endpoint should be set to, by the names that profiles use.
pub(super) fn settings(profile: &Profile) -> Vec<(&'static str, String)> {
    let it = &profile.capabilities;
    let replay = match (&it.reasoning_replay.mode, &it.reasoning_replay.field) {
        (Some(mode), Some(field)) => format!("{} (in {field})", word(mode)),
        (mode, _) => word(mode),
    };
    let json_text = it.json_text.as_ref().map(|json| match json.repairs.as_slice() {
        [] => word(&json.strictness),
        repairs => format!("{} ({})", word(&json.strictness), repairs.join(", ")),
    });
    let parser = it.parser.clone().unwrap_or_else(|| "none needed".to_owned());
    let mut settings = vec![
        ("toolCallFormat", word(&it.tool_call_format)),
        ("parser", if it.tool_call_format.is_some() { parser } else { word(&()) }),
        ("toolDelivery", word(&it.tool_delivery)),
        ("schemaLevel", word(&it.schema_level)),
        ("supportsParallelToolUse", word(&it.supports_parallel_tool_use)),
        ("supportsStreamingToolUse", word(&it.supports_streaming_tool_use)),
        ("supportsPlainToolUse", word(&it.supports_plain_tool_use)),
        ("requiresReasoningReplay", word(&it.requires_reasoning_replay)),
        ("reasoningReplay", replay),
        ("errorRepair", word(&it.error_repair)),
    ];
    settings.extend(json_text.map(|text| ("jsonText", text)));
    settings
}

/// What the server says of itself, in one line; `None` where it says nothing.
pub(super) fn server(profile: &Profile) -> Option<String> {
    let told: Vec<String> =
        profile.server.iter().map(|(name, value)| format!("{name} {value}")).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// A value as the data spells it, so that there is one spelling everywhere.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => text,
        Ok(Value::Null) | Err(_) => "unknown".to_owned(),
        Ok(other) => other.to_string(),
    }
}

/// The symbol of a status, so that nothing depends on colour.
pub(super) fn symbol(status: Status) -> &'static str {
    match status {
        Status::Pass => "✓",
        Status::Partial => "~",
        Status::Fail => "✗",
        Status::Inconclusive => "?",
        Status::Skipped => "–",
    }
}

/// All statuses, in the order a legend lists them.
pub(super) const STATUSES: [Status; 5] =
    [Status::Pass, Status::Partial, Status::Fail, Status::Inconclusive, Status::Skipped];

/// How many conclusive trials passed, such as `2/3`.
pub(super) fn passes_of_trials(passes: u32, trials: u32) -> String {
    if trials == 0 { "–".to_owned() } else { format!("{passes}/{trials}") }
}

/// The interval of the rate in per cent, such as `44–100 %`.
pub(super) fn interval(outcome: &ProbeOutcome) -> String {
    outcome
        .interval
        .map_or_else(String::new, |it| format!("{:.0}–{:.0} %", it.0 * 100.0, it.1 * 100.0))
}
