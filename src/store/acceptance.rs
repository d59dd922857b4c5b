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

/// The folder of what is decided and not yet in place.
const DECIDED: &str = ".accepted";

/// The file in it that names the snapshots to delete, one a line.
const DELETED: &str = ".deleted";

/// Writes these profiles and deletes the files of these names, all or nothing.
pub(super) fn replace(
    folder: &Path,
    written: &[Profile],
    deleted: &[&String],
) -> Result<(), StoreError> {
    finish(folder)?;
    fs::create_dir_all(folder).map_err(StoreError::io("create the folder", folder))?;
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

/// Puts into place what was decided, if something was.
pub(super) fn finish(folder: &Path) -> Result<(), StoreError> {
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
        replace(dir.path(), &[named("a"), named("b")], &[&old]).unwrap();
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
        replace(dir.path(), &[named("a")], &[]).unwrap();
        assert!(!prepared.exists());
        assert_eq!(models(dir.path()), ["a", "old"]);
    }
}
