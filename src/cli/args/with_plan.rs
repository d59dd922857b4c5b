//! `--with-plan`: a target measured once more, through its own plan.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::Serialize;

use crate::adapt::plan::{Gain, GainChange, Plan, gains};
use crate::campaign::{ProbeTargetError, RunSettings, probe_with_plan};
use crate::cli::shell::error::CliError;
use crate::profile::Profile;
use crate::report::grid;
use crate::target::Connection;

/// How often a plan is tried, as long as it grows.
const MAX_ROUNDS: usize = 3;

/// One target without its plan and with it.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    /// What was found without the plan.
    pub(crate) before: Profile,
    /// What was done about it.
    pub(crate) plan: Plan,
    /// What was found then.
    pub(crate) after: Profile,
    /// What that regained, lost and left lacking.
    pub(crate) gains: Vec<Gain>,
}

impl Comparison {
    /// Probes a target through the plan that follows from its profile. What one defect hid of another is found then, so
    /// that the plan may grow and be tried again. A target that needs no plan is not probed once more.
    pub(crate) async fn measure(
        connection: &Connection,
        settings: &RunSettings,
        before: &Profile,
    ) -> Result<Self, ProbeTargetError> {
        let (mut plan, mut after) = (Plan::of(before), before.clone());
        for round in 1..=MAX_ROUNDS {
            if plan.corrections.is_empty() {
                break;
            }
            after = probe_with_plan(connection, settings, &plan).await?.profile;
            match plan.with_more(&after).filter(|_| round < MAX_ROUNDS) {
                Some(more) => plan = more,
                None => break,
            }
        }
        let gains = gains(before, &after, &plan);
        Ok(Self { before: before.clone(), plan, after, gains })
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let model = &self.before.subject.model;
        let row = |gain: &Gain| {
            let change = match gain.change {
                GainChange::Regained => "✓ regained",
                GainChange::Lost => "✗ lost",
                GainChange::Lacking => "– still lacking",
            };
            let by = gain.by.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let finding = gain.finding.trim_start_matches("results.").to_owned();
            vec![
                model.clone(),
                finding,
                gain.before.clone(),
                gain.after.clone(),
                change.to_owned(),
                by,
            ]
        };
        if self.plan.corrections.is_empty() {
            let dash = || "–".to_owned();
            return vec![vec![
                model.clone(),
                dash(),
                dash(),
                dash(),
                "nothing to correct".to_owned(),
                dash(),
            ]];
        }
        self.gains.iter().map(row).collect()
    }
}

/// Each target of a run that was reached, in the order of the targets.
pub(crate) async fn measure_all(
    connections: &[Connection],
    settings: &RunSettings,
    found: &BTreeMap<String, Profile>,
    at_once: usize,
) -> Result<Vec<Comparison>, ProbeTargetError> {
    let reached = connections.iter().filter_map(|it| Some((it, found.get(&it.target.name)?)));
    let measured =
        reached.map(|(connection, before)| Comparison::measure(connection, settings, before));
    stream::iter(measured).buffered(at_once).try_collect().await
}

/// For programs.
pub(crate) fn json(compared: &(impl Serialize + ?Sized)) -> Result<String, CliError> {
    serde_json::to_string_pretty(compared).map_err(CliError::inconclusive)
}

/// Before and after, side by side.
pub(crate) fn table(comparisons: &[Comparison]) -> String {
    let rows = comparisons.iter().flat_map(Comparison::rows);
    grid(&["model", "finding", "without plan", "with plan", "change", "by"], rows)
}
