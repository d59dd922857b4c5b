//! Folders of profiles: those of a run, and the committed snapshots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::acceptance::{LockedProfiles, finish_for_reader};
use super::versioned::VersionedFile;
use super::{StoreError, files};
use crate::cores::map_on_all_cores;
use crate::profile::{PROFILE_VERSION, Profile, slug};

const PROFILE: VersionedFile =
    VersionedFile { what: "profile", field: "profileVersion", version: PROFILE_VERSION };

/// A folder of profiles: those of a run, or the committed snapshots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileFolder {
    folder: PathBuf,
}

impl ProfileFolder {
    /// The folder at this path, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Whether it is there, with profiles or without.
    pub(crate) fn is_there(&self) -> bool {
        self.folder.exists()
    }

    /// The name of a profile's file.
    pub fn file_name(profile: &Profile) -> String {
        format!("{}.json", slug(&profile.name()))
    }

    /// Writes a profile under its own name and gives that name.
    pub fn write(&self, profile: &Profile) -> Result<String, StoreError> {
        let name = Self::file_name(profile);
        PROFILE.write(&self.folder.join(&name), profile)?;
        Ok(name)
    }

    /// Whether a profile can be written: not over a newer file, nor over one that is not ours.
    pub(super) fn check(&self, profile: &Profile) -> Result<(), StoreError> {
        PROFILE.check_overwrite(&self.folder.join(Self::file_name(profile)))
    }

    /// Keeps others from changing it: what is read from now on is what is replaced.
    pub(crate) fn lock(&self) -> Result<LockedProfiles, StoreError> {
        LockedProfiles::of(self.clone())
    }

    /// Deletes the profile of this file name, if it is there.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        files::remove(&self.folder.join(name))
    }

    /// All profiles in it, by file name; none where there is no folder.
    pub fn read_all(&self) -> Result<Vec<(String, Profile)>, StoreError> {
        finish_for_reader(&self.folder)?;
        let is_profile = |name: &String| {
            let ending = Path::new(name).extension();
            ending.is_some_and(|ending| ending == "json") && !name.starts_with('.')
        };
        let names: Vec<String> =
            files::list(&self.folder)?.into_iter().filter(is_profile).collect();
        // Reading is parsing, which all cores share.
        let read = |name: &String| Ok((name.clone(), read_profile(&self.folder.join(name))?));
        let found: Result<Vec<(String, Profile)>, StoreError> =
            map_on_all_cores(&names, read).into_iter().collect();
        let found = found?;
        self.check_names(&found)?;
        Ok(found)
    }

    /// Two files of one target would hide each other.
    fn check_names(&self, found: &[(String, Profile)]) -> Result<(), StoreError> {
        let mut files = BTreeMap::new();
        for (file, profile) in found {
            let Some(target) = &profile.name else { continue };
            if let Some(first) = files.insert(target, file) {
                let path = self.folder.join(file);
                let (target, first) = (target.clone(), first.clone());
                return Err(StoreError::SameTarget { path, target, first });
            }
        }
        Ok(())
    }
}

/// The profile in a file.
pub fn read_profile(path: &Path) -> Result<Profile, StoreError> {
    PROFILE.read(path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::*;
    use crate::profile::testing::profile;

    fn folder() -> (tempfile::TempDir, ProfileFolder) {
        let dir = tempfile::tempdir().unwrap();
        let folder = ProfileFolder::new(dir.path().join("profiles"));
        (dir, folder)
    }

    /// Changes the file of the test profile and gives its path.
    fn edited(folder: &ProfileFolder, edit: impl FnOnce(&mut Value)) -> PathBuf {
        let path = folder.path().join(folder.write(&profile()).unwrap());
        let mut value: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        edit(&mut value);
        fs::write(&path, value.to_string()).unwrap();
        path
    }

    #[test]
    fn a_profile_reads_back_as_it_was_written() {
        let (_dir, folder) = folder();
        assert_eq!(folder.read_all().unwrap(), []);
        let name = folder.write(&profile()).unwrap();
        assert_eq!(folder.read_all().unwrap(), [(name.clone(), profile())]);
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.starts_with("{\n  \"profileVersion\": 1,\n  \"name\": \"acme/big\",\n"));
        assert!(text.ends_with("}\n"));
    }

    #[test]
    fn fields_that_are_not_known_are_passed_over_but_a_newer_version_is_refused() {
        let (_dir, folder) = folder();
        let path = edited(&folder, |value| {
            value["invented"] = json!({"later": true});
            value["results"]["newProbe"] = json!(1);
        });
        assert_eq!(folder.read_all().unwrap()[0].1, profile());
        edited(&folder, |value| value["profileVersion"] = json!(2));
        let shown = folder.read_all().unwrap_err().to_string();
        assert!(shown.starts_with(&path.display().to_string()), "{shown}");
        assert!(shown.contains("newer toolprobe (profileVersion 2, this one writes 1)"), "{shown}");
    }

    #[test]
    fn a_file_from_before_names_were_kept_is_named_after_provider_and_model() {
        let (_dir, folder) = folder();
        edited(&folder, |value| drop(value.as_object_mut().unwrap().remove("name")));
        assert_eq!(folder.read_all().unwrap()[0].1.name(), "acme/Big Model/7B:free");
    }

    #[test]
    fn two_files_of_one_target_are_refused_with_both_names() {
        let (_dir, folder) = folder();
        let file = folder.write(&profile()).unwrap();
        fs::copy(folder.path().join(&file), folder.path().join("other.json")).unwrap();
        let shown = folder.read_all().unwrap_err().to_string();
        let expected = format!("other.json is of target 'acme/big', as {file} is; delete the one");
        assert!(shown.contains(&expected), "{shown}");
    }

    #[test]
    fn a_newer_file_is_never_overwritten() {
        let (_dir, folder) = folder();
        let path = edited(&folder, |value| value["profileVersion"] = json!(2));
        let before = fs::read_to_string(&path).unwrap();
        assert_eq!(
            folder.write(&profile()).unwrap_err().to_string(),
            format!(
                "{} was written by a newer toolprobe (profileVersion 2, this one writes 1); it was \
                 left as it is: update toolprobe",
                path.display()
            )
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
    }

    #[test]
    fn corrupt_cut_and_foreign_files_are_named_with_place_and_remedy_and_left_alone() {
        let (_dir, folder) = folder();
        let path = folder.path().join(folder.write(&profile()).unwrap());
        let whole = fs::read_to_string(&path).unwrap();
        for (text, expected) in [
            ("", ":1:1: not a profile: EOF while parsing a value; restore it or delete it"),
            (&whole[..40], ":3:15: not a profile: EOF while parsing a string"),
            ("{\"a\": 1}", ":1:1: not a profile: it has no `profileVersion`; move it elsewhere"),
            ("[]", ":1:1: not a profile: it has no `profileVersion`; move it elsewhere"),
            (
                "{\"profileVersion\": 1}",
                "not a profile: missing field `dialect`; restore it or run",
            ),
            ("{\"profileVersion\": 9}", "written by a newer toolprobe (profileVersion 9"),
        ] {
            fs::write(&path, text).unwrap();
            let shown = folder.read_all().unwrap_err().to_string();
            assert!(shown.starts_with(&path.display().to_string()), "{shown}");
            assert!(shown.contains(expected), "{shown}");
        }
        fs::write(&path, "not ours").unwrap();
        assert!(folder.write(&profile()).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "not ours");
    }
}
