//! History: results and metrics from run to run.
//!
//! ```text
//! reports/history.csv   one row per run, target and probe
//! reports/metrics.csv   one row per run and target, and one for all targets together
//! ```
//!
//! Rows are only ever added, but for a resumed run, which replaces its own. Runs that end at the same
//! time wait for each other.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::csv_file::{append, read, remove_run};
use super::{Rows, RunId, StoreError, files};
use crate::profile::{Profile, Status, slug};
use crate::telemetry::{Counts, Metrics};

/// The version of the rows that this binary writes.
pub(crate) const HISTORY_VERSION: u32 = 1;

/// What the row of all targets together is called.
const ALL: &str = "all";

/// The result of one probe of one target in one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HistoryRow {
    /// The version of this row.
    pub history_version: u32,
    /// Its id, which is also the name of its folder.
    pub run: RunId,
    /// When it began.
    #[schemars(with = "String")]
    pub time: DateTime<Utc>,
    /// The target's name.
    pub target: String,
    /// Its profile's name, which no other target has.
    pub profile: String,
    /// The suite.
    pub probe_version: String,
    /// The id of the probe.
    pub probe: String,
    /// Its verdict.
    pub status: Status,
    /// Conclusive trials that passed.
    pub passes: u32,
    /// Conclusive trials.
    pub trials: u32,
}

/// The seven metrics of one target in one run; rates are empty where there was nothing to count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MetricsRow {
    /// The version of this row.
    pub history_version: u32,
    /// Its id, which is also the name of its folder.
    pub run: RunId,
    /// When it began.
    #[schemars(with = "String")]
    pub time: DateTime<Utc>,
    /// The target's name, or `all`.
    pub target: String,
    /// Its profile's name; empty for all.
    pub profile: String,
    /// See [`Metrics`], as all that follow.
    pub tool_call_parse_success_rate: Option<f64>,
    /// See [`Metrics`].
    pub schema_validation_failure_rate: Option<f64>,
    /// See [`Metrics`].
    pub tool_result_closure_errors: u64,
    /// See [`Metrics`].
    pub reasoning_replay_errors: u64,
    /// See [`Metrics`].
    pub parallel_downgrade_rate: Option<f64>,
    /// See [`Metrics`].
    pub repair_success_rate: Option<f64>,
    /// See [`Metrics`].
    pub unsafe_executions_blocked: u64,
}

/// The history beside the folders of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunHistory {
    reports: PathBuf,
}

impl RunHistory {
    /// The history of the runs in this folder.
    pub(crate) fn of(reports: impl Into<PathBuf>) -> Self {
        Self { reports: reports.into() }
    }

    /// Adds the rows of a run, in the place of those that it added before. Returns the incomplete line
    /// that was removed first, if there was one.
    pub(crate) fn add(
        &self,
        run: &RunId,
        time: DateTime<Utc>,
        profiles: &[&Profile],
    ) -> Result<Option<String>, StoreError> {
        let _lock = files::lock(&self.reports)?;
        files::remove_leftovers(&self.reports)?;
        remove_run(&self.results_path(), run)?;
        remove_run(&self.metrics_path(), run)?;
        let results: Vec<HistoryRow> =
            profiles.iter().flat_map(|profile| result_rows(run, time, profile)).collect();
        let cut = append(&self.results_path(), &results)?;
        append(&self.metrics_path(), &metrics_rows(run, time, profiles))?;
        Ok(cut)
    }

    /// The results of all runs.
    pub(crate) fn results(&self) -> Result<Rows<HistoryRow>, StoreError> {
        read(&self.results_path())
    }

    fn results_path(&self) -> PathBuf {
        self.reports.join("history.csv")
    }

    fn metrics_path(&self) -> PathBuf {
        self.reports.join("metrics.csv")
    }
}

/// The metrics of several profiles together; `None` where none has any.
pub(crate) fn merge_metrics<'a>(
    profiles: impl IntoIterator<Item = &'a Profile>,
) -> Option<Metrics> {
    let counts = profiles.into_iter().filter_map(|profile| Some(profile.metrics?.counts));
    counts.reduce(Counts::merged).map(Counts::metrics)
}

fn result_rows(run: &RunId, time: DateTime<Utc>, profile: &Profile) -> Vec<HistoryRow> {
    let row = |outcome: &crate::profile::ProbeOutcome| HistoryRow {
        history_version: HISTORY_VERSION,
        run: run.clone(),
        time,
        target: profile.name(),
        profile: slug(&profile.name()),
        probe_version: profile.probe_version.clone(),
        probe: outcome.probe.clone(),
        status: outcome.status,
        passes: outcome.passes,
        trials: outcome.trials,
    };
    profile.results.outcomes().map(row).collect()
}

fn metrics_rows(run: &RunId, time: DateTime<Utc>, profiles: &[&Profile]) -> Vec<MetricsRow> {
    let row = |target: String, profile: String, metrics: Metrics| MetricsRow {
        history_version: HISTORY_VERSION,
        run: run.clone(),
        time,
        target,
        profile,
        tool_call_parse_success_rate: metrics.tool_call_parse_success_rate,
        schema_validation_failure_rate: metrics.schema_validation_failure_rate,
        tool_result_closure_errors: metrics.tool_result_closure_errors,
        reasoning_replay_errors: metrics.reasoning_replay_errors,
        parallel_downgrade_rate: metrics.parallel_downgrade_rate,
        repair_success_rate: metrics.repair_success_rate,
        unsafe_executions_blocked: metrics.unsafe_executions_blocked,
    };
    let each = profiles
        .iter()
        .filter_map(|profile| Some(row(profile.name(), slug(&profile.name()), profile.metrics?)));
    let all = merge_metrics(profiles.iter().copied())
        .map(|metrics| row(ALL.to_owned(), String::new(), metrics));
    all.into_iter().chain(each).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::ir::Layer;
    use crate::profile::testing::{at, profile, single_tool};

    fn run_of_day(number: u32) -> (RunId, DateTime<Utc>) {
        let time = at(&format!("2026-11-{number:02}T08:30:00Z"));
        (RunId::new(time, 1), time)
    }

    fn probed() -> Profile {
        let mut profile = profile();
        profile.results.single_tool = Some(single_tool(Layer::Structured));
        profile.metrics = Some(Counts { attempts: 4, parsed: 3, ..Counts::default() }.metrics());
        profile
    }

    /// A history of two runs, and where its results are.
    fn two_runs() -> (tempfile::TempDir, RunHistory, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let history = RunHistory::of(dir.path());
        for number in [1, 2] {
            let (run, time) = run_of_day(number);
            assert_eq!(history.add(&run, time, &[&probed(), &probed()]).unwrap(), None);
        }
        let path = history.results_path();
        (dir, history, path)
    }

    #[test]
    fn each_run_adds_a_row_for_each_target_and_probe() {
        let (_dir, history, path) = two_runs();
        let Rows { rows, cut } = history.results().unwrap();
        assert_eq!((rows.len(), cut), (4, None));
        assert_eq!(rows[2].run, run_of_day(2).0);
        assert_eq!(rows[0].target, "acme/big");
        assert_eq!((rows[0].probe.as_str(), rows[0].status), ("basic-format", Status::Pass));
        let text = fs::read_to_string(path).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with("historyVersion,")).count(), 1);
    }

    #[test]
    fn metrics_are_kept_for_all_targets_together_and_for_each() {
        let (_dir, history, _) = two_runs();
        let rows = read::<MetricsRow>(&history.metrics_path()).unwrap().rows;
        assert_eq!(rows.len(), 6);
        assert_eq!((rows[0].target.as_str(), rows[1].target.as_str()), (ALL, "acme/big"));
        assert_eq!(rows[0].tool_call_parse_success_rate, Some(0.75));
        assert_eq!(rows[0].repair_success_rate, None);
    }

    #[test]
    fn a_row_that_was_cut_short_is_told_and_left_out_and_cut_off_by_the_next_run() {
        let (_dir, history, path) = two_runs();
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}1,20261103T0830")).unwrap();
        let read = history.results().unwrap();
        assert_eq!((read.rows.len(), read.cut.as_deref()), (4, Some("1,20261103T0830")));
        let (run, time) = run_of_day(3);
        let cut = history.add(&run, time, &[&probed()]).unwrap();
        assert_eq!(cut.as_deref(), Some("1,20261103T0830"));
        assert_eq!(history.results().unwrap().rows.len(), 5);
        assert!(fs::read_to_string(&path).unwrap().starts_with(&whole), "nothing else is touched");
    }

    #[test]
    fn a_file_with_other_columns_is_never_added_to() {
        let (_dir, history, path) = two_runs();
        let newer = fs::read_to_string(&path).unwrap().replacen("trials\n", "trials,more\n", 1);
        fs::write(&path, &newer).unwrap();
        let (run, time) = run_of_day(3);
        let error = history.add(&run, time, &[&probed()]).unwrap_err().to_string();
        assert!(error.contains("history.csv:1:1: not a history: its columns"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), newer);
    }

    #[test]
    fn a_bad_row_is_named_with_its_line() {
        let (_dir, history, path) = two_runs();
        let text = fs::read_to_string(&path).unwrap().replacen(",pass,", ",passed,", 1);
        fs::write(&path, text).unwrap();
        let error = history.results().unwrap_err().to_string();
        assert!(error.contains("history.csv:2:1: not a history: "), "{error}");
        assert!(error.contains("`passed`"), "{error}");
    }

    #[test]
    fn a_run_that_goes_on_replaces_its_own_rows_and_no_others() {
        let (_dir, history, path) = two_runs();
        let (run, time) = run_of_day(1);
        history.add(&run, time, &[]).unwrap();
        let runs =
            |rows: Vec<RunId>| rows.iter().all(|run| *run == run_of_day(2).0).then_some(rows.len());
        let results = history.results().unwrap().rows;
        assert_eq!(runs(results.into_iter().map(|row| row.run).collect()), Some(2));
        let metrics = read::<MetricsRow>(&history.metrics_path()).unwrap().rows;
        assert_eq!(runs(metrics.into_iter().map(|row| row.run).collect()), Some(3));
        for _ in 0..2 {
            history.add(&run, time, &[&probed()]).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 4);
        }
    }

    #[test]
    fn a_history_that_is_not_there_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(RunHistory::of(dir.path()).results().unwrap(), Rows { rows: vec![], cut: None });
    }
}
