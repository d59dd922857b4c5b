//! New snapshots: what is written and what is deleted when some changes are accepted.

use super::review::Choice;
use crate::adapt::complete;
use crate::cli::shell::error::CliError;
use crate::profile::Profile;
use crate::regress::{Change, Pairs, merge_accepted, trim_evidence};
use crate::store::ProfileFolder;

/// What becomes of the snapshots of targets without any change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unchanged {
    /// They are of the run from now on, and fresh again.
    Renew,
    Stay,
}

/// What the snapshots become.
#[derive(Debug, Default)]
pub(super) struct NewSnapshots {
    pub(super) written: Vec<Profile>,
    /// Snapshots whose place a written one takes.
    replaced: Vec<Profile>,
    /// Snapshots of targets that are missing.
    missing: Vec<Profile>,
}

impl NewSnapshots {
    /// Decides by what was chosen for each change. Only selected targets are looked at.
    pub(super) fn decide(
        old: &[&Profile],
        new: &[Profile],
        decided: &[(&Change, Choice)],
        unchanged: Unchanged,
        is_meant: impl Fn(&Profile) -> bool,
    ) -> Result<Self, CliError> {
        let (pairs, mut snapshots) = (Pairs::of(old.iter().copied(), new), Self::default());
        for (old, new) in pairs.both.iter().filter(|(_, new)| is_meant(new)) {
            if let Some(written) = successor(old, new, decided, unchanged)? {
                snapshots.written.push(written);
                snapshots.replaced.push((*old).clone());
            }
        }
        let is_accepted = |profile: &&Profile| !split(decided, profile).0.is_empty();
        let added = pairs.new.iter().copied().filter(is_accepted).map(trim_evidence);
        snapshots.written.extend(added);
        snapshots.missing.extend(pairs.gone.iter().copied().filter(is_accepted).cloned());
        Ok(snapshots)
    }

    /// The files of the snapshots before that are to be deleted, and why, in words.
    pub(super) fn deleted_files<'a>(
        &self,
        before: &'a [(String, Profile)],
    ) -> Vec<(&'a String, &'static str)> {
        let is_written = |file: &String| {
            self.written.iter().any(|profile| ProfileFolder::file_name(profile) == *file)
        };
        let why = |old: &Profile| {
            if self.missing.contains(old) {
                Some("its target is missing")
            } else {
                self.replaced.contains(old).then_some("its place is taken")
            }
        };
        let before = before.iter().filter(|(file, _)| !is_written(file));
        before.filter_map(|(file, old)| Some((file, why(old)?))).collect()
    }
}

/// The accepted changes of a target, and the others.
fn split<'a>(
    decided: &[(&'a Change, Choice)],
    profile: &Profile,
) -> (Vec<&'a Change>, Vec<&'a Change>) {
    let name = profile.name();
    let of_target = decided.iter().filter(|(change, _)| change.target == name);
    let (accepted, open): (Vec<_>, Vec<_>) =
        of_target.partition(|(_, choice)| *choice == Choice::Accept);
    let changes = |decided: Vec<&(&'a Change, Choice)>| decided.iter().map(|it| it.0).collect();
    (changes(accepted), changes(open))
}

/// The snapshot that takes the place of an older one; `None` where that stays.
fn successor(
    old: &Profile,
    new: &Profile,
    decided: &[(&Change, Choice)],
    unchanged: Unchanged,
) -> Result<Option<Profile>, CliError> {
    let (accepted, open) = split(decided, new);
    Ok(match (accepted.as_slice(), open.as_slice()) {
        ([], []) if unchanged == Unchanged::Stay => None,
        (_, []) => Some(trim_evidence(new)),
        ([], _) => None,
        (accepted, open) => {
            let merged = merge_accepted(old, new, accepted, open).map_err(CliError::usage)?;
            Some(complete(trim_evidence(&merged)))
        }
    })
}
