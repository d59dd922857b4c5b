//! What is stored: the runs, profiles and evidence that the command line names.

use std::path::{Path, PathBuf};

use crate::cli::shell::error::CliError;
use crate::ir::Digest;
use crate::profile::Profile;
use crate::store::{self, ProfileFolder, RunFolder, read_profile};

/// The profiles of a file, of a folder, or of a run by its folder or its name.
pub(crate) fn profiles_of(name: &str, reports: &Path) -> Result<Vec<Profile>, CliError> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(vec![read_profile(path).map_err(CliError::usage)?]);
    }
    if path.is_dir() && !path.join("manifest.json").is_file() {
        return read_profiles(path);
    }
    if name.parse::<store::RunId>().is_err() && !path.is_dir() {
        return Err(CliError::usage(format!(
            "'{name}' is neither a profile, nor a folder, nor the name of a run in {}",
            reports.display()
        )));
    }
    read_profiles(find_run(Some(name), reports)?.profiles().path())
}

/// The profiles in a folder, such as the committed ones.
pub(crate) fn read_profiles(folder: &Path) -> Result<Vec<Profile>, CliError> {
    let profiles = ProfileFolder::new(folder).read_all().map_err(CliError::usage)?;
    Ok(profiles.into_iter().map(|(_, profile)| profile).collect())
}

/// A run by its name or its folder; the latest where none is named.
pub(crate) fn find_run(name: Option<&str>, reports: &Path) -> Result<RunFolder, CliError> {
    match name {
        Some(name) => {
            let (folder, name) = place(name, reports);
            RunFolder::open(&folder, &name).map_err(CliError::usage)
        }
        None => RunFolder::latest(reports).map_err(CliError::usage)?.ok_or_else(|| {
            let folder = reports.display();
            CliError::usage(format!("no run in {folder}; `toolprobe run` makes one"))
        }),
    }
}

/// A path to a run's folder is taken apart; a bare name is looked for where runs are kept.
fn place(name: &str, reports: &Path) -> (PathBuf, String) {
    let path = Path::new(name);
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(file)) if !folder.as_os_str().is_empty() => {
            (folder.to_owned(), file.to_string_lossy().into_owned())
        }
        _ => (reports.to_owned(), name.to_owned()),
    }
}

/// Where evidence is kept: in any run that is still there, the newest first.
pub(crate) struct EvidenceFiles(Vec<RunFolder>);

impl EvidenceFiles {
    pub(crate) fn below(reports: &Path) -> Self {
        let mut runs = RunFolder::list(reports).unwrap_or_default();
        runs.reverse();
        Self(runs)
    }

    /// The path of a record, from where the user is.
    pub(crate) fn place(&self, digest: &Digest) -> Option<String> {
        self.0.iter().find_map(|run| {
            let name = run.evidence().file_name(digest)?;
            let path: PathBuf = run.path().join("evidence").join(name);
            Some(path.display().to_string())
        })
    }
}
