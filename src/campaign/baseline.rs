//! The baseline: which snapshots a run is compared with, and which regressions that suggests.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::slice::from_ref;

use super::Suspect;
use crate::profile::{EndpointId, Profile, Subject};
use crate::regress::{Pairs, diff};
use crate::store::{Manifest, RunTarget};
use crate::target::{ADDRESS, Connection};

/// The snapshots, as a run sees them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Baseline<'a> {
    /// Those that the run measured again, or should have.
    pub(crate) comparable: Vec<&'a Profile>,
    /// The names of the targets outside its scope.
    pub(crate) not_probed: Vec<String>,
}

impl<'a> Baseline<'a> {
    /// Sorts the snapshots. One whose target has no profile in the run is not missing but open.
    pub(crate) fn of(
        snapshots: impl IntoIterator<Item = &'a Profile>,
        manifest: &Manifest,
    ) -> Self {
        let snapshots: Vec<&Profile> = snapshots.into_iter().collect();
        let targets = TargetsOfRun::of(manifest, &snapshots);
        let mut baseline = Self::default();
        for snapshot in snapshots {
            match targets.find(snapshot) {
                Some(target) if target.profile.is_none() => {}
                Some(_) => baseline.comparable.push(snapshot),
                None if is_missed(snapshot, manifest) => baseline.comparable.push(snapshot),
                None => baseline.not_probed.push(snapshot.name()),
            }
        }
        baseline
    }
}

/// The targets of a run, to find those that snapshots are about.
struct TargetsOfRun<'a> {
    by_name: HashMap<&'a str, &'a RunTarget>,
    /// Those without a snapshot of their own.
    new: Vec<&'a RunTarget>,
    asks_every_target: bool,
}

impl<'a> TargetsOfRun<'a> {
    fn of(manifest: &'a Manifest, snapshots: &[&Profile]) -> Self {
        let known: HashSet<String> = snapshots.iter().map(|snapshot| snapshot.name()).collect();
        let targets = manifest.targets.iter();
        Self {
            // Of two with one name, which no configuration has, the first counts.
            by_name: targets.clone().rev().map(|it| (it.name.as_str(), it)).collect(),
            new: targets.filter(|target| !known.contains(&target.name)).collect(),
            asks_every_target: manifest.asks_every_target(),
        }
    }

    /// The target that a snapshot is about: by its name, else one without a snapshot of its own that
    /// stands for the same.
    fn find(&self, snapshot: &Profile) -> Option<&'a RunTarget> {
        let is_heir = |target: &&&RunTarget| {
            let is_sure = self.asks_every_target || is_same_place(snapshot, target);
            is_sure && is_same_model(snapshot, target)
        };
        let named = self.by_name.get(snapshot.name().as_str());
        named.or_else(|| self.new.iter().find(is_heir)).copied()
    }
}

/// Whether a run should have asked for a snapshot's target as well: it is a run of all targets. Only the
/// simulated models, which are there without a configuration, are not part of one.
fn is_missed(snapshot: &Profile, manifest: &Manifest) -> bool {
    let is_simulated = |subject: &Subject| subject.endpoint.starts_with(ADDRESS);
    let simulates = manifest.targets.iter().any(|target| is_simulated(&target.subject));
    manifest.asks_every_target() && (simulates || !is_simulated(&snapshot.subject))
}

fn is_same_model(snapshot: &Profile, target: &RunTarget) -> bool {
    let (old, new) = (&snapshot.subject, &target.subject);
    (&old.provider, &old.model, &old.variant) == (&new.provider, &new.model, &new.variant)
}

fn is_same_place(snapshot: &Profile, target: &RunTarget) -> bool {
    let dialect = snapshot.dialect;
    EndpointId::of(&snapshot.subject.endpoint, dialect)
        == EndpointId::of(&target.subject.endpoint, dialect)
}

/// The targets that seem to be worse than their snapshots; `found` is by the target's name.
pub(crate) fn suspects<'a>(
    connections: &'a [Connection],
    found: &'a BTreeMap<String, Profile>,
    snapshots: &[&Profile],
) -> Vec<Suspect<'a>> {
    let pairs = Pairs::of(snapshots.iter().copied(), found.values()).both;
    let before: HashMap<String, &Profile> =
        pairs.into_iter().map(|(old, new)| (new.name(), old)).collect();
    let suspect = |connection: &'a Connection| {
        let current = found.get(&connection.target.name)?;
        let before = before.get(&current.name())?;
        let changes = diff(from_ref(*before), from_ref(current)).changes;
        Suspect::of(connection, (*before).clone(), current, &changes)
    };
    connections.iter().filter_map(suspect).collect()
}
