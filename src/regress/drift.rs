//! Drift: slow declines over many runs, and probes that are too flaky to be judged by one.
//!
//! A cumulative sum over a target's history: each run adds how much better a lower rate explains it
//! than the rate of the first runs does, and the sum never falls below zero. A decline that no single
//! run shows adds up; chance does not.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::estimate;
use crate::profile::{Observed, Status};
use crate::store::HistoryRow;

/// How far back runs count.
const WINDOW: usize = 100;

/// The first runs, which the others are compared with.
const LEARNING: usize = 14;

/// The decline of the rate that the sum is tuned to.
const DECLINE: f64 = 0.20;

/// Where the sum is called a drift: chance gets there in fewer than one of twenty histories of a
/// hundred runs.
const ALARM: f64 = 7.0;

/// No rate is taken to be nearer to 0 or 1 than this.
const MARGIN: f64 = 0.02;

/// The runs that flips are counted in.
const RECENT: usize = 14;

/// How often the verdict must flip in them for a probe to count as flaky: more often than by
/// breaking and being mended twice.
const FLIPS: usize = 5;

/// A slow decline.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Drift {
    /// The target's name.
    pub target: String,
    /// Its profile's name.
    pub profile: String,
    /// The id of the probe whose rate fell.
    pub probe: String,
    /// When it began.
    #[schemars(with = "String")]
    pub since: DateTime<Utc>,
    /// The run of that first.
    pub since_run: String,
    /// How the trials before came out.
    pub before: Observed,
    /// How those since then came out.
    pub after: Observed,
}

/// Why a history says nothing of declines yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Undecided {
    /// It holds no run.
    #[error("there is no history yet; `toolprobe run` adds to it")]
    NoHistory,
    /// No series is long enough.
    #[error(
        "too few runs to judge: {runs} with a verdict by the same suite, and a decline shows from \
         {needed} on"
    )]
    TooShort {
        /// The runs of the longest series.
        runs: usize,
        /// How many it takes.
        needed: usize,
    },
}

/// Why nothing can be said of declines; `None` where at least one series is long enough.
pub(crate) fn why_undecided(rows: &[HistoryRow]) -> Option<Undecided> {
    let runs = series(rows).values().map(Vec::len).max();
    match runs {
        None => Some(Undecided::NoHistory),
        Some(runs) if runs <= LEARNING => Some(Undecided::TooShort { runs, needed: LEARNING + 1 }),
        Some(_) => None,
    }
}

/// The series of one target and probe.
type Series<'a> = Vec<&'a HistoryRow>;

/// The declines that the newest run still shows.
pub(crate) fn find_drifts(rows: &[HistoryRow]) -> Vec<Drift> {
    series(rows).values().filter_map(drift_of).collect()
}

/// The targets, by name, and the probes whose verdict flips too often from run to run.
pub(crate) fn flaky_probes(rows: &[HistoryRow]) -> BTreeSet<(String, String)> {
    let flips = |series: &Series<'_>| {
        let recent = series.iter().rev().take(RECENT);
        let verdicts: Vec<Status> = recent.map(|row| row.status).collect();
        verdicts.windows(2).filter(|pair| pair.first() != pair.last()).count()
    };
    let series = series(rows);
    let too_often = series.values().filter(|series| flips(series) >= FLIPS);
    too_often
        .filter_map(|series| series.last())
        .map(|row| (row.target.clone(), row.probe.clone()))
        .collect()
}

/// The conclusive runs of each target and probe, oldest first, since the suite last changed.
fn series(rows: &[HistoryRow]) -> BTreeMap<(&str, &str), Series<'_>> {
    let mut all: BTreeMap<(&str, &str), Series<'_>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.trials > 0) {
        let series = all.entry((&row.profile, &row.probe)).or_default();
        if series.last().is_some_and(|last| last.probe_version != row.probe_version) {
            series.clear();
        }
        series.push(row);
    }
    for series in all.values_mut() {
        series.sort_by_key(|row| row.time);
        series.drain(..series.len().saturating_sub(WINDOW));
    }
    all
}

fn drift_of(series: &Series<'_>) -> Option<Drift> {
    let (first, later) = series.split_at_checked(LEARNING)?;
    let usual = usual_rate(sum(first))?;
    let begun = later.get(alarm_start(usual, later)?..)?;
    let first = begun.first()?;
    Some(Drift {
        target: first.target.clone(),
        profile: first.profile.clone(),
        probe: first.probe.clone(),
        since: first.time,
        since_run: first.run.to_string(),
        before: sum(series.get(..series.len() - begun.len())?),
        after: sum(begun),
    })
}

/// The rate of the first runs, less the error that so few trials leave in it: taken too high, it
/// would make a decline of chance.
fn usual_rate(first: Observed) -> Option<f64> {
    let rate = estimate(first)?;
    let error = (rate * (1.0 - rate) / f64::from(first.trials)).sqrt();
    Some((rate - error).clamp(DECLINE + MARGIN, 1.0 - MARGIN))
}

/// The run after which the sum rose to the alarm and stayed there.
fn alarm_start(usual: f64, runs: &[&HistoryRow]) -> Option<usize> {
    let lower = usual - DECLINE;
    let (per_pass, per_fail) = ((lower / usual).ln(), ((1.0 - lower) / (1.0 - usual)).ln());
    let (mut sum, mut begun) = (0.0, 0);
    for (index, run) in runs.iter().enumerate() {
        if sum <= 0.0 {
            (sum, begun) = (0.0, index);
        }
        let passes = f64::from(run.passes);
        sum += passes * per_pass + (f64::from(run.trials) - passes) * per_fail;
    }
    (sum >= ALARM).then_some(begun)
}

fn sum(runs: &[&HistoryRow]) -> Observed {
    runs.iter().fold(Observed::default(), |sum, run| Observed {
        passes: sum.passes + run.passes,
        trials: sum.trials + run.trials,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Luck, percent};
    use super::*;
    use crate::profile::Tally;

    const HISTORIES: u32 = 1000;
    const RUNS: u32 = 100;

    fn row(run: u32, passes: u32, trials: u32) -> HistoryRow {
        let time = DateTime::UNIX_EPOCH + chrono::Days::new(u64::from(run));
        let tally = Tally { passes, fails: trials - passes, ..Tally::default() };
        HistoryRow {
            history_version: 1,
            run: time.format("%Y%m%dT%H%M%SZ").to_string().parse().unwrap(),
            time,
            target: "acme/model".to_owned(),
            profile: "acme-model".to_owned(),
            probe_version: "v1".to_owned(),
            probe: "parallel".to_owned(),
            status: tally.status(),
            passes,
            trials,
        }
    }

    fn history(trials: u32, luck: &mut Luck, rate: impl Fn(u32) -> f64) -> Vec<HistoryRow> {
        (0..RUNS).map(|run| row(run, luck.passes(trials, rate(run)), trials)).collect()
    }

    /// The first run whose history shows a drift, and the run it is said to have begun.
    fn noticed(rows: &[HistoryRow]) -> Option<(u32, u32)> {
        (1..=rows.len()).find_map(|known| {
            let found = find_drifts(&rows[..known]).pop()?;
            let began = rows.iter().position(|row| row.time == found.since).unwrap();
            Some((u32::try_from(known - 1).unwrap(), u32::try_from(began).unwrap()))
        })
    }

    #[test]
    fn a_steady_rate_is_called_a_drift_in_fewer_than_one_history_of_twenty() {
        let mut luck = Luck::seeded(5);
        for trials in [3, 10] {
            for rate in [0.99, 0.95, 0.9, 0.8, 0.5] {
                let alarms = (0..HISTORIES / 4)
                    .filter(|_| noticed(&history(trials, &mut luck, |_| rate)).is_some());
                let alarms = percent(u32::try_from(alarms.count()).unwrap(), HISTORIES / 4);
                println!("{trials} trials at {rate}: {alarms:.1} % false alarms in {RUNS} runs");
                assert!(alarms <= 5.0, "{trials} trials at {rate}: {alarms} %");
            }
        }
    }

    #[test]
    fn a_point_a_run_is_noticed_with_about_the_run_it_began_in() {
        const BEGAN: u32 = 30;
        let fading = |run: u32| 0.95 - 0.01 * f64::from(run.clamp(BEGAN, BEGAN + 35) - BEGAN);
        let mut luck = Luck::seeded(6);
        for trials in [3, 10] {
            let found: Vec<(u32, u32)> = (0..HISTORIES / 4)
                .filter_map(|_| noticed(&history(trials, &mut luck, fading)))
                .filter(|(run, _)| *run >= BEGAN)
                .collect();
            let count = u32::try_from(found.len()).unwrap();
            let mean = |sum: u32| f64::from(sum) / f64::from(count);
            let delay = mean(found.iter().map(|(run, _)| run - BEGAN).sum());
            let began = mean(found.iter().map(|(_, began)| began).sum());
            let detected = percent(count, HISTORIES / 4);
            println!(
                "{trials} trials: {detected:.1} % noticed after {delay:.1} runs on average, said \
                 to begin in run {began:.1} (truly {BEGAN})"
            );
            assert!(detected >= 95.0, "{trials} trials: {detected} %");
            assert!((f64::from(BEGAN) - 5.0..f64::from(BEGAN) + 25.0).contains(&began));
        }
    }

    #[test]
    fn runs_without_a_verdict_and_other_suites_do_not_count() {
        let mut rows: Vec<HistoryRow> = (0..20).map(|run| row(run, 3, 3)).collect();
        rows.extend((20..60).map(|run| row(run, 0, 0)));
        assert_eq!(find_drifts(&rows), []);
        rows.extend(
            (60..70).map(|run| HistoryRow { probe_version: "v2".to_owned(), ..row(run, 0, 3) }),
        );
        assert_eq!(find_drifts(&rows), [], "another suite is another question");
    }

    #[test]
    fn a_verdict_that_flips_often_is_flaky_and_one_that_broke_and_was_mended_is_not() {
        let runs = |passes: &[u32]| -> Vec<HistoryRow> {
            (0_u32..).zip(passes).map(|(run, passes)| row(run, *passes, 3)).collect()
        };
        let flaky_one = runs(&[3, 2, 3, 3, 2, 3, 2, 3]);
        let pair = ("acme/model".to_owned(), "parallel".to_owned());
        assert_eq!(flaky_probes(&flaky_one), BTreeSet::from([pair]));
        assert!(flaky_probes(&runs(&[3, 3, 0, 0, 3, 3, 0, 3])).is_empty());
    }
}
