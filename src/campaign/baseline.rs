//! The baseline: which snapshots a run is compared with, and which regressions that suggests.

use std::collections::BTreeMap;
use std::slice::from_ref;

use super::Suspect;
use crate::profile::{EndpointId, Profile, Subject};
use crate::regress::{Pairs, diff};
use crate::store::{Manifest, RunTarget};
use crate::target::{ADDRESS, Connection};

/// The snapshots, as a run sees them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Baseline {
    /// Those that the run measured again, or should have.
    pub(crate) comparable: Vec<Profile>,
    /// The names of the targets outside its scope.
    pub(crate) not_probed: Vec<String>,
}

impl Baseline {
    /// Sorts the snapshots. One whose target has no profile in the run is not missing but open.
    pub(crate) fn of(snapshots: &[Profile], manifest: &Manifest) -> Self {
        let mut baseline = Self::default();
        for snapshot in snapshots {
            match find_target(snapshot, snapshots, manifest) {
                Some(target) if target.profile.is_none() => {}
                Some(_) => baseline.comparable.push(snapshot.clone()),
                None if is_missed(snapshot, manifest) => baseline.comparable.push(snapshot.clone()),
                None => baseline.not_probed.push(snapshot.name()),
            }
        }
        baseline
    }
}

/// The target of a run that a snapshot is about: by its name, else one without a snapshot of its own
/// that stands for the same.
fn find_target<'a>(
    snapshot: &Profile,
    snapshots: &[Profile],
    manifest: &'a Manifest,
) -> Option<&'a RunTarget> {
    let (name, mut targets) = (snapshot.name(), manifest.targets.iter());
    let is_heir = |target: &&RunTarget| {
        let is_new = snapshots.iter().all(|other| other.name() != target.name);
        let is_sure = manifest.asks_every_target() || is_same_place(snapshot, target);
        is_new && is_sure && is_same_model(snapshot, target)
    };
    let mut heirs = manifest.targets.iter().filter(is_heir);
    targets.find(|target| target.name == name).or_else(|| heirs.next())
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
    snapshots: &[Profile],
) -> Vec<Suspect<'a>> {
    let profiles: Vec<Profile> = found.values().cloned().collect();
    let pairs = Pairs::of(snapshots, &profiles).both;
    let suspect = |connection: &'a Connection| {
        let current = found.get(&connection.target.name)?;
        let (before, _) = pairs.iter().find(|(_, new)| new.name() == current.name())?;
        let changes = diff(from_ref(*before), from_ref(current)).changes;
        Suspect::of(connection, (*before).clone(), current, &changes)
    };
    connections.iter().filter_map(suspect).collect()
}
