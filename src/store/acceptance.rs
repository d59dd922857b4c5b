//! Acceptance: the snapshots of a run are replaced all together, or none of them is.
//!
//! The new files are prepared in a folder of their own beside the old ones. Giving that folder its name is
//! what decides: before it, nothing has changed; after it, the next reader of the snapshots finishes the
//! work, should the process end in between.

use std::fs;
use std::path::Path;

use super::files::{self, TEMPORARY};
use super::{ProfileFolder, StoreError};
use crate::profile::Profile;

/// A folder of snapshots that nobody else changes, for as long as this is not dropped. A folder that was
/// made for it and stays empty goes with it.
#[derive(Debug)]
pub(crate) struct LockedProfiles {
    folder: ProfileFolder,
    is_new: bool,
    _locked: fs::File,
}

impl LockedProfiles {
    /// Waits until nobody else changes the snapshots.
    pub(super) fn of(folder: ProfileFolder) -> Result<Self, StoreError> {
        let is_new = !folder.is_there();
        let locked = files::lock_folder(folder.path())?;
        finish(folder.path())?;
        Ok(Self { folder, is_new, _locked: locked })
    }

    /// Writes these profiles and deletes the files of these names: all of it, or nothing.
    pub(crate) fn replace(
        &self,
        written: &[Profile],
        deleted: &[&String],
    ) -> Result<(), StoreError> {
        // What cannot be written is better told before anything is.
        written.iter().try_for_each(|profile| self.folder.check(profile))?;
        replace(self.folder.path(), written, deleted)
    }
}

impl Drop for LockedProfiles {
    fn drop(&mut self) {
        if self.is_new {
            // One that is not empty stays.
            let _ = fs::remove_dir(self.folder.path());
        }
    }
}

/// The folder of what is decided and not yet in place.
const DECIDED: &str = ".accepted";

/// The file in it that names the snapshots to delete, one a line.
const DELETED: &str = ".deleted";

fn replace(folder: &Path, written: &[Profile], deleted: &[&String]) -> Result<(), StoreError> {
    files::remove_leftovers(folder)?;
    let decided = folder.join(DECIDED);
    let failed = || StoreError::io("write", &decided);
    let prepared = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(folder);
    let prepared = prepared.map_err(failed())?;
    let new = ProfileFolder::new(prepared.path());
    for profile in written {
        new.write(profile)?;
    }
    files::write_text(&prepared.path().join(DELETED), &lines(deleted))?;
    fs::rename(prepared.path(), &decided).map_err(failed())?;
    files::sync_folder(folder).map_err(failed())?;
    finish(folder)
}

fn lines(names: &[&String]) -> String {
    names.iter().flat_map(|name| [name.as_str(), "\n"]).collect()
}

/// Puts into place what a process decided that has ended since, if there is something.
pub(super) fn finish_for_reader(folder: &Path) -> Result<(), StoreError> {
    if !folder.join(DECIDED).exists() {
        return Ok(());
    }
    let _locked = files::lock_folder(folder)?;
    finish(folder)
}

/// Puts into place what was decided, if something was.
fn finish(folder: &Path) -> Result<(), StoreError> {
    let decided = folder.join(DECIDED);
    let Some(deleted) = files::read_text(&decided.join(DELETED))? else { return Ok(()) };
    for name in files::list(&decided)?.iter().filter(|name| *name != DELETED) {
        let path = folder.join(name);
        fs::rename(decided.join(name), &path).map_err(StoreError::io("write", &path))?;
    }
    deleted.lines().try_for_each(|name| files::remove(&folder.join(name)))?;
    files::sync_folder(folder).map_err(StoreError::io("write", folder))?;
    fs::remove_dir_all(&decided).map_err(StoreError::io("delete", &decided))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::testing::profile;

    fn named(model: &str) -> Profile {
        let mut profile = profile();
        profile.name = Some(model.to_owned());
        profile
    }

    fn models(folder: &Path) -> Vec<String> {
        let profiles = ProfileFolder::new(folder).read_all().unwrap();
        profiles.into_iter().filter_map(|(_, profile)| profile.name).collect()
    }

    #[test]
    fn profiles_are_replaced_and_deleted_and_nothing_else_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ProfileFolder::new(dir.path());
        let old = folder.write(&named("old")).unwrap();
        folder.lock().unwrap().replace(&[named("a"), named("b")], &[&old]).unwrap();
        assert_eq!(models(dir.path()), ["a", "b"]);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_was_decided_is_finished_by_the_next_reader_wherever_it_stopped() {
        for in_place in 0..=2 {
            let dir = tempfile::tempdir().unwrap();
            let folder = ProfileFolder::new(dir.path());
            let old = folder.write(&named("old")).unwrap();
            let decided = ProfileFolder::new(dir.path().join(DECIDED));
            for (number, model) in ["a", "b"].into_iter().enumerate() {
                let to = if number < in_place { &folder } else { &decided };
                to.write(&named(model)).unwrap();
            }
            files::write_text(&decided.path().join(DELETED), &old).unwrap();
            assert_eq!(models(dir.path()), ["a", "b"]);
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        }
    }

    #[test]
    fn what_was_only_prepared_changes_nothing_and_is_cleaned_up() {
        let dir = tempfile::tempdir().unwrap();
        ProfileFolder::new(dir.path()).write(&named("old")).unwrap();
        let prepared = dir.path().join(format!("{TEMPORARY}x"));
        ProfileFolder::new(&prepared).write(&named("new")).unwrap();
        assert_eq!(models(dir.path()), ["old"]);
        ProfileFolder::new(dir.path()).lock().unwrap().replace(&[named("a")], &[]).unwrap();
        assert!(!prepared.exists());
        assert_eq!(models(dir.path()), ["a", "old"]);
    }

    #[test]
    fn who_accepts_at_the_same_time_waits_and_finds_what_the_first_one_wrote() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ProfileFolder::new(dir.path().join("profiles"));
        let add = |number: usize| {
            let locked = folder.lock().unwrap();
            let before = folder.read_all().unwrap();
            let mut all: Vec<Profile> = before.iter().map(|(_, profile)| profile.clone()).collect();
            all.push(named(&number.to_string()));
            let files: Vec<&String> = before.iter().map(|(file, _)| file).collect();
            locked.replace(&all, &[]).unwrap();
            files.len()
        };
        let mut found: Vec<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|number| scope.spawn(move || add(number))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        found.sort_unstable();
        assert_eq!(found, (0..8).collect::<Vec<_>>());
        assert_eq!(models(folder.path()).len(), 8);
    }

    #[test]
    fn a_folder_that_was_only_locked_is_not_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ProfileFolder::new(dir.path().join("profiles"));
        drop(folder.lock().unwrap());
        assert!(!folder.path().exists());
    }
}
