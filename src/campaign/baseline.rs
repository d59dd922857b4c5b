//! The baseline: which snapshots a run is compared with, and which regressions that suggests.

use std::collections::BTreeMap;
use std::slice::from_ref;

use super::Suspect;
use crate::profile::{Profile, Subject};
use crate::regress::{diff, in_scope};
use crate::store::{Manifest, Selection};
use crate::target::Connection;

/// The snapshots that the run could have measured again. A target without a profile is not missing
/// but open, and a run of named targets says nothing of the others.
pub(crate) fn comparable(snapshots: &[Profile], manifest: &Manifest) -> Vec<Profile> {
    let subjects: Vec<_> = manifest.targets.iter().map(|target| &target.subject).collect();
    let (reached, open): (Vec<_>, Vec<_>) =
        manifest.targets.iter().partition(|target| target.profile.is_some());
    let asked = |old: &Profile| {
        let subject = &old.subject;
        let same = |other: &Subject| {
            (&other.provider, &other.model, &other.variant)
                == (&subject.provider, &subject.model, &subject.variant)
        };
        let is_open = open.iter().any(|target| same(&target.subject));
        let is_named = reached.iter().any(|target| same(&target.subject));
        !is_open && (manifest.selection == Selection::Every || is_named)
    };
    in_scope(snapshots.to_vec(), &subjects).into_iter().filter(asked).collect()
}

/// The targets that seem to be worse than their snapshots; `found` is by the target's name.
pub(crate) fn suspects<'a>(
    connections: &'a [Connection],
    found: &'a BTreeMap<String, Profile>,
    snapshots: &[Profile],
) -> Vec<Suspect<'a>> {
    let suspect = |connection: &'a Connection| {
        let current = found.get(&connection.target.name)?;
        let is_same =
            |old: &&Profile| (&old.subject, old.dialect) == (&current.subject, current.dialect);
        let before = snapshots.iter().find(is_same)?;
        let changes = diff(from_ref(before), from_ref(current)).changes;
        Suspect::of(connection, before.clone(), current, &changes)
    };
    connections.iter().filter_map(suspect).collect()
}
