//! Stored runs, profiles and evidence, found by the names on the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::shell::error::CliError;
use crate::ir::Digest;
use crate::profile::Profile;
use crate::report::for_terminal;
use crate::store::{self, Evidence, ProfileFolder, RunFolder, read_profile};
use crate::transport::RecordedExchange;

/// How much of an address is shown.
const SHOWN_DIGITS: usize = 12;

/// How much of an address must be given.
const LEAST_DIGITS: usize = 4;

/// The JSON of a file.
pub(crate) fn read_json(path: &Path) -> Result<serde_json::Value, CliError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| CliError::usage(format!("cannot read {}: {error}", path.display())))?;
    serde_json::from_str(&text)
        .map_err(|error| CliError::usage(format!("{} is not JSON: {error}", path.display())))
}

/// What a name stands for.
pub(crate) enum NamedProfiles {
    /// A file, or a target with a snapshot.
    One(Box<Profile>),
    /// A folder, or a run.
    Many(Vec<Profile>),
}

/// The profiles of a file, a target, a folder or a run. A target is named by its model or by
/// `provider/model`, and has its profile in the folder of snapshots.
pub(crate) fn profiles_named(
    name: &str,
    snapshots: &Path,
    reports: &Path,
) -> Result<NamedProfiles, CliError> {
    let path = Path::new(name);
    if path.is_file() {
        let profile = read_profile(path).map_err(CliError::usage)?;
        return Ok(NamedProfiles::One(Box::new(profile)));
    }
    if !path.is_dir() && snapshots.is_dir() {
        let known = read_profiles(snapshots)?.into_iter();
        let is_named = |it: &Profile| it.subject.name() == name || it.subject.model == name;
        // A target's own name goes before that of a model, which several may have.
        let best = known
            .filter(|it| it.name() == name || is_named(it))
            .max_by_key(|it| (it.name() == name, it.verified_at));
        if let Some(profile) = best {
            return Ok(NamedProfiles::One(Box::new(profile)));
        }
    }
    profiles_of(name, reports).map(NamedProfiles::Many)
}

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
    profiles_of_run(&find_run(Some(name), reports)?)
}

/// The profiles of a run. Those from before names were kept get that of their target.
pub(crate) fn profiles_of_run(run: &RunFolder) -> Result<Vec<Profile>, CliError> {
    let manifest = run.manifest().map_err(CliError::usage)?;
    let named = |(file, mut profile): (String, Profile)| {
        let mut targets = manifest.targets.iter();
        let target = targets.find(|target| target.profile.as_ref() == Some(&file));
        profile.name = profile.name.or_else(|| target.map(|target| target.name.clone()));
        profile
    };
    let profiles = run.profiles().read_all().map_err(CliError::usage)?;
    Ok(profiles.into_iter().map(named).collect())
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
pub(crate) struct EvidenceFiles(Vec<(RunFolder, Evidence)>);

impl EvidenceFiles {
    pub(crate) fn below(reports: &Path) -> Self {
        let runs = RunFolder::list(reports).unwrap_or_default().into_iter().rev();
        Self(runs.map(|run| (run.clone(), run.evidence())).collect())
    }

    /// What `toolprobe show` takes for a record; `None` where it is kept nowhere.
    pub(crate) fn address(&self, digest: &Digest) -> Option<String> {
        let is_kept = self.0.iter().any(|(_, evidence)| evidence.contains(digest));
        is_kept.then(|| digest.hex().chars().take(SHOWN_DIGITS).collect())
    }

    /// The record at an address, or at the only one that begins so.
    pub(crate) fn read(&self, address: &str) -> Result<RecordedExchange, CliError> {
        let digits = digits_of(address).ok_or_else(|| {
            CliError::usage(format!(
                "'{}' is not the address of an exchange: it takes at least {LEAST_DIGITS} of its \
                 hexadecimal digits, as gates and reports show them",
                for_terminal(address)
            ))
        })?;
        let mut found: BTreeMap<Digest, &Evidence> = BTreeMap::new();
        for (_, evidence) in &self.0 {
            let fits = evidence.starting_with(&digits).map_err(CliError::usage)?;
            found.extend(fits.into_iter().map(|digest| (digest, evidence)));
        }
        let mut all = found.into_iter();
        match (all.next(), all.next()) {
            (Some((digest, evidence)), None) => {
                evidence.get(&digest).map(Into::into).map_err(CliError::usage)
            }
            (Some((first, _)), Some((second, _))) => Err(CliError::usage(format!(
                "several exchanges begin with {digits}, such as {} and {}; give more digits",
                first.hex(),
                second.hex()
            ))),
            (None, _) => Err(CliError::usage(format!(
                "no exchange {digits} in the runs that are kept; --reports names another folder"
            ))),
        }
    }
}

/// The hexadecimal digits of an address in any of the forms it is shown in: with `sha256:` in front, or
/// as the name of a file.
fn digits_of(address: &str) -> Option<String> {
    let name = address.trim().rsplit(['/', '\\', ':']).next()?;
    let digits = name.split(['.', '…']).next()?.to_ascii_lowercase();
    let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    (is_hex && (LEAST_DIGITS..=64).contains(&digits.len())).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_in_every_form_it_is_shown_in() {
        for text in ["sha256:0783abcd", "0783ABCD", "reports/x/evidence/0783abcd.json.gz"] {
            assert_eq!(digits_of(text).as_deref(), Some("0783abcd"), "{text}");
        }
        for text in ["", "07", "latest", "sha256:", "0783abcd0", "0783abcg"] {
            let expected = (text == "0783abcd0").then(|| text.to_owned());
            assert_eq!(digits_of(text), expected, "{text}");
        }
    }
}
