//! The recorder of a run: what is written to its folder, and when.
//!
//! The manifest is written before anything is asked and again at the end; exchanges as they happen, and
//! the profile of a target as soon as it is done with. Whatever ends a run early, what was asked is
//! there, and the run can go on from it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::cost::Spending;
use super::resume::{ResumeError, is_asked_alike};
use super::{Confirmed, ProbeTargetError, ProbedTarget, Resumed, RunEnd, RunSettings};
use crate::ir::Digest;
use crate::profile::{CaseResult, CaseVerdict, Profile, Status};
use crate::store::{
    Claim, Completion, Evidence, JournalFile, MANIFEST_VERSION, Manifest, RunFolder, RunTarget,
    Selection, Shard, StoreError, Totals, merge_metrics,
};
use crate::target::{Connection, Target};
use crate::telemetry::Counts;
use crate::transport::{Budget, Journal, Journaled};

/// About how often the manifest is written while a run of many targets goes on.
const WRITINGS: usize = 64;

/// Writes a run down while it goes on.
#[derive(Debug)]
pub(crate) struct RunRecorder {
    folder: RunFolder,
    manifest: Manifest,
    /// By the target's name.
    journals: BTreeMap<String, Arc<JournalFile>>,
    spending: Spending,
    claim: Claim,
    /// Targets that the written manifest does not know to be done with.
    unwritten: usize,
}

/// What a run is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunSubject {
    /// The targets there are, or those that were named.
    Targets(Share),
    /// The same, looking on only.
    Shadow(Share),
    /// The adapter at this address.
    Adapter(String),
    /// One endpoint on the command line.
    OneOff,
}

/// Which of the targets a run asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) selection: Selection,
    pub(crate) shard: Option<Shard>,
    /// What all of them are, where it is a part.
    pub(crate) of: Option<Digest>,
}

impl RunRecorder {
    /// Makes the folder of a run that is about to ask these targets, and has their exchanges kept in
    /// it.
    pub(crate) fn begin<'a>(
        reports: &Path,
        settings: &RunSettings,
        connections: impl IntoIterator<Item = &'a mut Connection>,
        subject: RunSubject,
        budget: &Arc<Budget>,
    ) -> Result<Self, StoreError> {
        let folder = RunFolder::create(reports, settings.verified_at)?;
        let claim = folder.claim()?;
        let evidence = folder.evidence();
        let (mut journals, mut targets) = (BTreeMap::new(), Vec::new());
        for connection in connections {
            targets.extend(not_yet_asked(&connection.target));
            let name = connection.target.name.clone();
            journals.insert(name.clone(), attach(connection, evidence.begin(&name))?);
        }
        let one_off = subject == RunSubject::OneOff;
        let shadow = matches!(subject, RunSubject::Shadow(_));
        let named = Share { selection: Selection::Named, shard: None, of: None };
        let (share, adapter) = match subject {
            RunSubject::Targets(share) | RunSubject::Shadow(share) => (share, None),
            RunSubject::Adapter(address) => (named, Some(address)),
            RunSubject::OneOff => (named, None),
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
            manner: settings.suite.manner(),
            tools: settings.suite.own_tools().to_vec(),
            selection: share.selection,
            shard: share.shard,
            shared_targets: share.of,
            adapter,
            one_off,
            shadow,
            budget: budget.limits().into(),
            cost: None,
            completion: Completion::Running,
            totals: Totals::default(),
            metrics: None,
            confirmations: Vec::new(),
            kept: Vec::new(),
            targets,
        };
        folder.write_manifest(&manifest)?;
        Ok(Self {
            folder,
            manifest,
            journals,
            spending: Spending::begin(budget, 0),
            claim,
            unwritten: 0,
        })
    }

    /// Goes on with a run that was broken off. What it knows of a target that is still the same
    /// stands and is given back by the target's name; the rest is to be asked, as far as the journals
    /// do not hold the answers. What was spent counts.
    pub(crate) fn resume(
        resumed: Resumed,
        connections: &mut [Connection],
        budget: &Arc<Budget>,
    ) -> Result<(Self, BTreeMap<String, Profile>), ResumeError> {
        let claim = resumed.folder.claim()?;
        let evidence = resumed.folder.evidence();
        let (mut targets, mut found, mut journals) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        for connection in connections {
            let name = connection.target.name.clone();
            let journal = journal_of(&resumed.manifest, &connection.target, &evidence);
            journals.insert(name, attach(connection, journal)?);
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
        let wall_ms = std::mem::take(&mut manifest.totals).wall_ms;
        manifest.finished_at = None;
        manifest.budget = budget.limits().into();
        manifest.completion = Completion::Running;
        manifest.confirmations.clear();
        manifest.metrics = merge_metrics(found.values());
        manifest.targets = targets;
        folder.write_manifest(&manifest)?;
        let spending = Spending::begin(budget, wall_ms);
        Ok((Self { folder, manifest, journals, spending, claim, unwritten: 0 }, found))
    }

    /// Stores the outcome of the target of this name.
    pub(crate) fn keep(
        &mut self,
        name: &str,
        result: &Result<ProbedTarget, ProbeTargetError>,
    ) -> Result<(), StoreError> {
        self.claim.check()?;
        if let Some(journal) = self.journals.get(name) {
            journal.close()?;
        }
        let mut targets = self.manifest.targets.iter_mut();
        let Some(target) = targets.find(|target| target.name == name) else { return Ok(()) };
        match result {
            Err(error) => target.problem = Some(error.to_string()),
            Ok(probed) => {
                let file = self.folder.profiles().write(&probed.profile)?;
                let name = probed.profile.name();
                self.folder.turns().write(&file, &name, &probed.telemetry)?;
                target.profile = Some(file);
                target.subject = probed.profile.subject.clone();
                target.dialect = Some(probed.profile.dialect);
                target.problem =
                    open_question(&probed.profile).or_else(|| self.spending.shortage());
                target.cost = Some(probed.cost);
                target.probe_ms.clone_from(&probed.probe_ms);
                target.thinking.clone_from(&probed.thinking);
                let known = self.manifest.metrics.iter().chain(&probed.profile.metrics);
                let counts = known.map(|metrics| metrics.counts).reduce(Counts::merged);
                self.manifest.metrics = counts.map(Counts::metrics);
            }
        }
        self.write_now_and_then()
    }

    /// Writes the manifest not only at the end: whatever kills the run now, these targets are done with. With
    /// many targets not after each, because every writing is of all of them; what a killed run does
    /// not know to be done with is judged again from its journal, and not asked again.
    fn write_now_and_then(&mut self) -> Result<(), StoreError> {
        self.unwritten += 1;
        if self.unwritten * WRITINGS < self.manifest.targets.len() {
            return Ok(());
        }
        self.unwritten = 0;
        self.folder.write_manifest(&self.manifest)
    }

    /// Says that the run is over, and whether it came to its end.
    pub(crate) fn finish(&mut self, end: RunEnd, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.claim.check()?;
        self.close_journals()?;
        self.manifest.finished_at = Some(now);
        self.manifest.totals = self.spending.totals();
        self.manifest.cost = self.spending.cost();
        self.manifest.completion = match (end, self.without_verdict()) {
            (RunEnd::Interrupted, _) => {
                Completion::Incomplete { because: "it was interrupted".to_owned() }
            }
            (RunEnd::OutOfTime, _) => {
                Completion::Incomplete { because: "its deadline was reached".to_owned() }
            }
            (RunEnd::Finished, Some(because)) => Completion::Incomplete { because },
            (RunEnd::Finished, None) => Completion::Complete,
        };
        self.folder.write_manifest(&self.manifest)
    }

    /// Keeps what sampling suspected regressions again showed.
    pub(crate) fn confirm(&mut self, confirmed: Vec<Confirmed>) -> Result<(), StoreError> {
        for Confirmed { confirmations, .. } in confirmed {
            self.manifest.confirmations.extend(confirmations);
        }
        self.close_journals()
    }

    fn close_journals(&self) -> Result<(), StoreError> {
        self.journals.values().try_for_each(|journal| journal.close())
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

/// Has the exchanges of a connection kept in a journal. What the journal says was spent counts.
fn attach(
    connection: &mut Connection,
    journal: JournalFile,
) -> Result<Arc<JournalFile>, StoreError> {
    connection.budget.count_earlier(journal.spent()?);
    let journal = Arc::new(journal);
    let shared: Arc<dyn Journal> = Arc::<JournalFile>::clone(&journal);
    connection.budget.note_in(Arc::clone(&shared));
    connection.transport = Arc::new(Journaled::new(Arc::clone(&connection.transport), shared));
    Ok(journal)
}

/// The journal of a target in a run that goes on: its answers hold if it is asked as it was then.
fn journal_of(manifest: &Manifest, target: &Target, evidence: &Evidence) -> JournalFile {
    let mut known = manifest.targets.iter();
    if known.any(|known| is_asked_alike(known, target)) {
        evidence.resume(&target.name)
    } else {
        evidence.begin(&target.name)
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
        probe_ms: BTreeMap::new(),
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
