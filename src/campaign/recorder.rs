//! The recorder of a run: what is written to its folder, and when.
//!
//! The manifest is written before anything is asked and again at the end; evidence and profile of a
//! target as soon as it is done with. Whatever ends a run early, what was found is there, and the run
//! can go on from it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::cost::Spending;
use super::resume::ResumeError;
use super::{Confirmed, ProbeTargetError, ProbedTarget, Resumed, RunEnd, RunSettings};
use crate::profile::{CaseResult, CaseVerdict, Profile, Status};
use crate::store::{
    Claim, Completion, MANIFEST_VERSION, Manifest, RunFolder, RunTarget, Selection, StoreError,
    Totals, merge_metrics,
};
use crate::target::{Connection, Target};
use crate::telemetry::Counts;
use crate::transport::Budget;

/// Writes a run down while it goes on.
#[derive(Debug)]
pub(crate) struct RunRecorder {
    folder: RunFolder,
    manifest: Manifest,
    /// What it cost before it was broken off.
    before: Totals,
    spending: Spending,
    _claim: Claim,
}

/// What a run is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunSubject {
    /// The targets there are, or those that were named.
    Targets(Selection),
    /// The adapter at this address.
    Adapter(String),
    /// One endpoint on the command line.
    OneOff,
}

impl RunRecorder {
    /// Makes the folder of a run that is about to ask these targets.
    pub(crate) fn begin(
        reports: &Path,
        settings: &RunSettings,
        connections: &[Connection],
        subject: RunSubject,
        budget: &Arc<Budget>,
    ) -> Result<Self, StoreError> {
        let folder = RunFolder::create(reports, settings.verified_at)?;
        let claim = folder.claim()?;
        let one_off = subject == RunSubject::OneOff;
        let (selection, adapter) = match subject {
            RunSubject::Targets(selection) => (selection, None),
            RunSubject::Adapter(address) => (Selection::Named, Some(address)),
            RunSubject::OneOff => (Selection::Named, None),
        };
        let manifest = Manifest {
            manifest_version: MANIFEST_VERSION,
            run: folder.id().clone(),
            started_at: settings.verified_at,
            finished_at: None,
            toolprobe_version: env!("CARGO_PKG_VERSION").to_owned(),
            probe_version: settings.suite.version().to_owned(),
            suite: settings.name.as_str().to_owned(),
            seed: settings.seed,
            trials: settings.trials,
            tools: settings.suite.own_tools().to_vec(),
            selection,
            adapter,
            one_off,
            completion: Completion::Running,
            totals: Totals::default(),
            metrics: None,
            confirmations: Vec::new(),
            targets: connections.iter().filter_map(|it| not_yet_asked(&it.target)).collect(),
        };
        folder.write_manifest(&manifest)?;
        let (before, spending) = (Totals::default(), Spending::begin(budget));
        Ok(Self { folder, manifest, before, spending, _claim: claim })
    }

    /// Goes on with a run that was broken off. What it knows of a target that is still the same
    /// stands and is given back by the target's name; the rest is to be asked.
    pub(crate) fn resume(
        resumed: Resumed,
        connections: &[Connection],
        budget: &Arc<Budget>,
    ) -> Result<(Self, BTreeMap<String, Profile>), ResumeError> {
        let claim = resumed.folder.claim()?;
        let (mut targets, mut found) = (Vec::new(), BTreeMap::new());
        for connection in connections {
            match resumed.find_settled(&connection.target)? {
                Some((target, profile)) => {
                    found.insert(target.name.clone(), profile);
                    targets.push(target);
                }
                None => targets.extend(not_yet_asked(&connection.target)),
            }
        }
        let Resumed { folder, mut manifest, .. } = resumed;
        for file in manifest.targets.iter().filter_map(|target| target.profile.as_ref()) {
            if !targets.iter().any(|target| target.profile.as_ref() == Some(file)) {
                folder.profiles().remove(file)?;
                folder.turns().remove(file)?;
            }
        }
        let before = std::mem::take(&mut manifest.totals);
        manifest.finished_at = None;
        manifest.completion = Completion::Running;
        manifest.confirmations.clear();
        manifest.metrics = merge_metrics(found.values());
        manifest.targets = targets;
        folder.write_manifest(&manifest)?;
        let spending = Spending::begin(budget);
        Ok((Self { folder, manifest, before, spending, _claim: claim }, found))
    }

    /// Keeps what came of the target of this name.
    pub(crate) fn keep(
        &mut self,
        name: &str,
        result: &Result<ProbedTarget, ProbeTargetError>,
    ) -> Result<(), StoreError> {
        let mut targets = self.manifest.targets.iter_mut();
        let Some(target) = targets.find(|target| target.name == name) else { return Ok(()) };
        match result {
            Err(error) => target.problem = Some(error.to_string()),
            Ok(probed) => {
                let evidence = self.folder.evidence();
                for exchange in &probed.exchanges {
                    evidence.put(exchange.digest(), exchange)?;
                }
                let file = self.folder.profiles().write(&probed.profile)?;
                let name = probed.profile.subject.name();
                self.folder.turns().write(&file, &name, &probed.telemetry)?;
                target.profile = Some(file);
                target.subject = probed.profile.subject.clone();
                target.dialect = Some(probed.profile.dialect);
                target.problem = open_question(&probed.profile);
                target.cost = Some(probed.cost);
                target.thinking.clone_from(&probed.thinking);
                let known = self.manifest.metrics.iter().chain(&probed.profile.metrics);
                let counts = known.map(|metrics| metrics.counts).reduce(Counts::merged);
                self.manifest.metrics = counts.map(Counts::metrics);
            }
        }
        // Not only at the end: whatever kills the run now, this target is done with.
        self.folder.write_manifest(&self.manifest)
    }

    /// Says that the run is over, and whether it came to its end.
    pub(crate) fn finish(&mut self, end: RunEnd, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.manifest.finished_at = Some(now);
        self.manifest.totals = self.before.plus(self.spending.totals());
        self.manifest.completion = match (end, self.without_verdict()) {
            (RunEnd::Interrupted, _) => {
                Completion::Incomplete { because: "it was interrupted".to_owned() }
            }
            (RunEnd::Finished, Some(because)) => Completion::Incomplete { because },
            (RunEnd::Finished, None) => Completion::Complete,
        };
        self.folder.write_manifest(&self.manifest)
    }

    /// Keeps what sampling suspected regressions again showed.
    pub(crate) fn confirm(&mut self, confirmed: Vec<Confirmed>) -> Result<(), StoreError> {
        let evidence = self.folder.evidence();
        for Confirmed { confirmations, exchanges } in confirmed {
            for exchange in &exchanges {
                evidence.put(exchange.digest(), exchange)?;
            }
            self.manifest.confirmations.extend(confirmations);
        }
        self.folder.write_manifest(&self.manifest)
    }

    /// The run's files.
    pub(crate) fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// What is known of the run so far.
    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn without_verdict(&self) -> Option<String> {
        let open = self.manifest.targets.iter().filter(|target| target.problem.is_some());
        let names: Vec<&str> = open.map(|target| target.name.as_str()).collect();
        (!names.is_empty()).then(|| format!("no verdict, or not all of one: {}", names.join(", ")))
    }
}

/// A target before it was asked. Its access may still have to be found.
fn not_yet_asked(target: &Target) -> Option<RunTarget> {
    let accesses = &target.endpoint.accesses;
    let access = accesses.first()?;
    Some(RunTarget {
        name: target.name.clone(),
        subject: target.subject_at(access, None),
        dialect: (accesses.len() == 1).then_some(access.dialect),
        extra_body: target.extra_body.clone(),
        thinking: if accesses.len() == 1 { access.thinking.clone() } else { None },
        profile: None,
        problem: None,
        cost: None,
    })
}

/// The first probe that was kept from a conclusion, and by what. Without a verdict on single calls
/// there is none at all.
pub(crate) fn open_question(profile: &Profile) -> Option<String> {
    let single = profile.results.single_tool.as_ref().map(|single| &single.outcome);
    single
        .filter(|single| single.status == Status::Skipped)
        .or_else(|| profile.results.outcomes().find(|it| it.status == Status::Inconclusive))
        .map(|open| format!("{}: {}", open.probe, open.reason))
        .or_else(|| open_case(profile))
}

/// The case that keeps the level of schemas open.
fn open_case(profile: &Profile) -> Option<String> {
    let schema = profile.results.schema.as_ref();
    let schema = schema.filter(|_| profile.capabilities.schema_level.is_none())?;
    let is_open = |case: &&CaseResult| case.verdict == CaseVerdict::Inconclusive;
    let open = schema.cases.values().find(is_open)?;
    Some(format!("{}: {}", schema.outcome.probe, open.reason))
}
