//! Which profiles does a name on the command line stand for?

use std::path::{Path, PathBuf};

use crate::cli::report::stored;
use crate::cli::shell::error::CliError;
use crate::ir::Digest;
use crate::profile::Profile;
use crate::store::{self, ProfileFolder, RunFolder, read_profile};

/// A file, a folder of profiles, the folder of a run, or the name of one.
pub(crate) fn side(name: &str, reports: &Path) -> Result<Vec<Profile>, CliError> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(vec![read_profile(path).map_err(CliError::usage)?]);
    }
    if path.is_dir() && !path.join("manifest.json").is_file() {
        return snapshots(path);
    }
    if name.parse::<store::RunId>().is_err() && !path.is_dir() {
        return Err(CliError::usage(format!(
            "'{name}' is neither a profile, nor a folder, nor the name of a run in {}",
            reports.display()
        )));
    }
    measured(&stored(Some(name), reports)?)
}

/// The profiles in a folder, such as the committed ones.
pub(crate) fn snapshots(folder: &Path) -> Result<Vec<Profile>, CliError> {
    let profiles = ProfileFolder::new(folder).read_all().map_err(CliError::usage)?;
    Ok(profiles.into_iter().map(|(_, profile)| profile).collect())
}

/// The profiles of a run.
pub(crate) fn measured(run: &RunFolder) -> Result<Vec<Profile>, CliError> {
    snapshots(run.profiles().path())
}

/// Where evidence is kept: in any run that is still there, the newest first.
pub(crate) struct Kept(Vec<RunFolder>);

impl Kept {
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
