//! Gains: what a plan regains of what an endpoint lost without it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Plan;
use crate::profile::{CorrectionKind, Profile};

/// One finding, without the plan and with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Gain {
    /// Where in the profile it stands.
    pub finding: String,
    /// What was found without the plan.
    pub before: String,
    /// What was found with it.
    pub after: String,
    /// Whether it got better, worse, or stayed as it was.
    pub change: GainChange,
    /// The corrections that are about it; all of the plan where none is by itself.
    pub by: Vec<CorrectionKind>,
}

/// What a plan did to a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum GainChange {
    /// It was lacking, and is not any more.
    Regained,
    /// It was there, and is not any more.
    Lost,
    /// It was lacking, and still is.
    Lacking,
}

/// The words that a finding that is as it should be has.
const GOOD: [&str; 5] = ["pass", "accepted-valid", "accepted", "structured", "honoured"];

/// The results that are looked at whatever the plan says.
const RESULTS: [&str; 7] =
    ["singleTool", "schema", "closedLoop", "parallelTool", "errorRepair", "streaming", "history"];

/// Words that say nothing.
const OPEN: [&str; 2] = ["inconclusive", "skipped"];

/// What changed between two profiles of one endpoint, without the plan and with it.
pub(crate) fn gains(before: &Profile, after: &Profile, plan: &Plan) -> Vec<Gain> {
    let value = |profile: &Profile| serde_json::to_value(&profile.results).unwrap_or_default();
    let (old, new) = (value(before), value(after));
    let mut paths: Vec<Vec<String>> = RESULTS.iter().map(|it| vec![(*it).to_owned()]).collect();
    paths.push(vec!["singleTool".to_owned(), "layer".to_owned()]);
    let named = plan.corrections.iter().flat_map(|it| &it.because);
    paths.extend(named.map(|path| steps(path)).filter(|path| path.len() > 1));
    paths.iter().filter_map(|path| gain(path, &old, &new, plan)).collect()
}

/// The steps of a path below the results; names of cases may hold dots and commas.
fn steps(path: &str) -> Vec<String> {
    let path = path.strip_prefix("results.").unwrap_or(path);
    let depth = if path.starts_with("extended.") { 4 } else { 3 };
    path.splitn(depth, '.').map(str::to_owned).collect()
}

fn gain(path: &[String], old: &Value, new: &Value, plan: &Plan) -> Option<Gain> {
    let (before, after) = (word(old, path)?, word(new, path)?);
    // A history that is taken is taken, whether or not the model makes use of it.
    let is_shape = path.iter().any(|step| step == "shapes");
    let is_good = |word: &str| GOOD.contains(&word) || is_shape && word == "ignored";
    let change = match (is_good(&before), is_good(&after)) {
        (false, true) => GainChange::Regained,
        (true, false) if !OPEN.contains(&after.as_str()) => GainChange::Lost,
        (false, false) if !OPEN.contains(&before.as_str()) => GainChange::Lacking,
        _ => return None,
    };
    let finding = format!("results.{}", path.join("."));
    let about: Vec<CorrectionKind> = plan
        .corrections
        .iter()
        .filter(|it| it.because.iter().any(|because| is_about(because, &finding)))
        .map(|it| it.setting.kind())
        .collect();
    let by = if about.is_empty() { plan.kinds().collect() } else { about };
    Some(Gain { finding, before, after, change, by })
}

/// Whether one of the two stands below the other.
fn is_about(one: &str, other: &str) -> bool {
    let below = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    below(one, other) || below(other, one)
}

/// What is said at a path, in one word.
fn word(results: &Value, path: &[String]) -> Option<String> {
    let found = path.iter().try_fold(results, |value, step| value.get(step))?;
    let said = ["status", "verdict", "taken"].iter().find_map(|key| found.get(*key));
    said.unwrap_or(found).as_str().map(str::to_owned)
}
