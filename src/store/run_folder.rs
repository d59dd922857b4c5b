//! The folder of a run: its manifest, its profiles, its evidence and its turns.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::files::{self, LOCK, list};
use super::versioned::VersionedFile;
use super::{
    Completion, Evidence, MANIFEST_VERSION, Manifest, ProfileFolder, RunId, StoreError, Turns,
};

const MANIFEST: VersionedFile =
    VersionedFile { what: "manifest", field: "manifestVersion", version: MANIFEST_VERSION };

/// The folder of turns.
const TELEMETRY: &str = "telemetry";

/// How many runs may begin in one second.
const RUNS_PER_SECOND: u16 = 999;

/// The files of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    id: RunId,
    path: PathBuf,
}

/// A lock on a run that is being written. It ends when it is dropped, or with the process.
#[derive(Debug)]
pub struct Claim {
    _locked: File,
    path: PathBuf,
    /// Tells the folder from another one that was made in its place.
    mark: String,
}

impl Claim {
    /// Fails where the folder is not there any more, or not the one that was claimed.
    pub fn check(&self) -> Result<(), StoreError> {
        let mark = files::read_text(&self.path)?;
        if mark.as_ref() == Some(&self.mark) {
            return Ok(());
        }
        let folder = self.path.parent().unwrap_or(&self.path).to_owned();
        Err(StoreError::Vanished { folder })
    }
}

impl RunFolder {
    /// Makes the folder of a run that begins now.
    pub fn create(reports: &Path, now: DateTime<Utc>) -> Result<Self, StoreError> {
        fs::create_dir_all(reports).map_err(StoreError::io("create the folder", reports))?;
        for nth in 1..=RUNS_PER_SECOND {
            let run = Self::at(reports, RunId::new(now, nth));
            match fs::create_dir(&run.path) {
                Ok(()) => return Ok(run),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(StoreError::io("create the folder", &run.path)(error)),
            }
        }
        let crowded = io::Error::other("too many runs began in the same second");
        Err(StoreError::io("create a run in", reports)(crowded))
    }

    /// An existing run, by its name.
    pub fn open(reports: &Path, name: &str) -> Result<Self, StoreError> {
        let run = name.parse().ok().map(|id| Self::at(reports, id));
        run.filter(|run| run.manifest_path().is_file()).ok_or_else(|| StoreError::NoSuchRun {
            run: name.to_owned(),
            reports: reports.to_owned(),
        })
    }

    /// All runs that have a manifest, oldest first; none where there is no folder.
    pub fn list(reports: &Path) -> Result<Vec<Self>, StoreError> {
        let names = list(reports)?;
        let mut runs: Vec<Self> =
            names.iter().filter_map(|name| Self::open(reports, name).ok()).collect();
        runs.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(runs)
    }

    /// The newest run of the user's targets that has a manifest.
    pub fn latest(reports: &Path) -> Result<Option<Self>, StoreError> {
        // The next reader reports a manifest that cannot be read.
        let is_meant = |run: &Self| run.manifest().map_or(true, |it| it.is_of_targets());
        Ok(Self::list(reports)?.into_iter().rev().find(is_meant))
    }

    /// The newest run of the user's targets that came to its end.
    pub fn latest_complete(reports: &Path) -> Result<Option<Self>, StoreError> {
        for run in Self::list(reports)?.into_iter().rev() {
            let manifest = run.manifest()?;
            if manifest.completion == Completion::Complete && manifest.is_of_targets() {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    fn at(reports: &Path, id: RunId) -> Self {
        Self { path: reports.join(id.as_str()), id }
    }

    /// The run's name.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// The run's own folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads its manifest.
    pub fn manifest(&self) -> Result<Manifest, StoreError> {
        MANIFEST.read(&self.manifest_path())
    }

    /// Writes its manifest, unless a newer one is there.
    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), StoreError> {
        MANIFEST.write(&self.manifest_path(), manifest)
    }

    /// Claims the run for this program; refused while another writes it. The lock holds the number of
    /// the process.
    pub fn claim(&self) -> Result<Claim, StoreError> {
        let path = self.path.join(LOCK);
        let failed = || StoreError::io("claim", &self.path);
        let open = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let mut locked = open.map_err(failed())?;
        match locked.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(self.busy(&path)),
            Err(TryLockError::Error(error)) => return Err(failed()(error)),
        }
        let mark = format!("{}\n", std::process::id());
        let written = locked.set_len(0).and_then(|()| locked.write_all(mark.as_bytes()));
        written.map_err(failed())?;
        for folder in [&self.path, self.profiles().path(), &self.path.join(TELEMETRY)] {
            files::remove_leftovers(folder)?;
        }
        Ok(Claim { _locked: locked, path, mark })
    }

    fn busy(&self, lock: &Path) -> StoreError {
        let holder = files::read_text(lock).ok().flatten();
        let pid = holder.and_then(|text| text.trim().parse().ok());
        StoreError::Busy { run: self.id.clone(), pid }
    }

    /// Removes the run, and all that it keeps; refused while another program writes it.
    pub fn remove(self) -> Result<(), StoreError> {
        // On Windows a file that is open cannot be removed.
        drop(self.claim()?);
        fs::remove_dir_all(&self.path).map_err(StoreError::io("remove", &self.path))
    }

    /// Its profiles.
    pub fn profiles(&self) -> ProfileFolder {
        ProfileFolder::new(self.path.join("profiles"))
    }

    /// What its results rest on.
    pub fn evidence(&self) -> Evidence {
        Evidence::in_folder(self.path.join("evidence"))
    }

    /// The turns that its metrics were counted on.
    pub fn turns(&self) -> Turns {
        Turns::in_folder(self.path.join(TELEMETRY))
    }

    fn manifest_path(&self) -> PathBuf {
        self.path.join("manifest.json")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::manifest::RunBudget;
    use super::super::{RunTarget, Selection, Totals};
    use super::*;
    use crate::dialect::DialectId;
    use crate::ir::Object;
    use crate::profile::testing::{at, subject};

    fn manifest(run: &RunFolder, completion: Completion) -> Manifest {
        Manifest {
            budget: RunBudget::default(),
            cost: None,
            manifest_version: MANIFEST_VERSION,
            run: run.id().clone(),
            started_at: at("2026-11-15T08:30:00Z"),
            finished_at: None,
            toolprobe_version: "0.1.0".to_owned(),
            probe_version: "tool-probe-v1+000000000000".to_owned(),
            suite: "standard".to_owned(),
            seed: 1,
            trials: 3,
            manner: crate::profile::Manner::default(),
            tools: Vec::new(),
            selection: Selection::Every,
            shard: None,
            completion,
            totals: Totals::default(),
            metrics: None,
            confirmations: Vec::new(),
            kept: Vec::new(),
            shared_targets: None,
            adapter: None,
            one_off: false,
            shadow: false,
            targets: vec![RunTarget {
                name: "acme".to_owned(),
                subject: subject(),
                dialect: Some(DialectId::OpenAiChat),
                extra_body: Object::new(),
                thinking: None,
                profile: None,
                problem: None,
                cost: None,
                probe_ms: BTreeMap::new(),
            }],
        }
    }

    /// A run that began at this second of the day and ended so.
    fn run(reports: &Path, second: u32, completion: Completion) -> RunFolder {
        let run =
            RunFolder::create(reports, at(&format!("2026-11-15T08:30:{second:02}Z"))).unwrap();
        run.write_manifest(&manifest(&run, completion)).unwrap();
        run
    }

    #[test]
    fn a_manifest_reads_back_as_it_was_written_and_changes_as_the_run_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let run = run(dir.path(), 0, Completion::Running);
        assert_eq!(run.manifest().unwrap(), manifest(&run, Completion::Running));
        let because = "interrupted".to_owned();
        let ended = manifest(&run, Completion::Incomplete { because });
        run.write_manifest(&ended).unwrap();
        assert_eq!(run.manifest().unwrap(), ended);
    }

    #[test]
    fn runs_of_the_same_second_do_not_share_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        let ids = [1, 2, 3].map(|_| run(dir.path(), 0, Completion::Running).id().to_string());
        assert_eq!(ids, ["20261115T083000Z", "20261115T083000Z-002", "20261115T083000Z-003"]);
    }

    #[test]
    fn the_latest_run_is_the_last_that_began_and_foreign_folders_are_none() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(RunFolder::latest(&dir.path().join("nowhere")).unwrap(), None);
        let complete = run(dir.path(), 1, Completion::Complete);
        let killed = run(dir.path(), 2, Completion::Running);
        fs::create_dir(dir.path().join("sample")).unwrap();
        RunFolder::create(dir.path(), at("2026-11-15T08:30:59Z")).unwrap();
        assert_eq!(RunFolder::latest(dir.path()).unwrap(), Some(killed));
        assert_eq!(RunFolder::latest_complete(dir.path()).unwrap(), Some(complete));
    }

    #[test]
    fn a_run_that_is_not_there_is_named_with_where_it_was_looked_for() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["20261115T083000Z", "../..", "latest"] {
            let shown = RunFolder::open(dir.path(), name).unwrap_err().to_string();
            assert!(shown.starts_with(&format!("no run '{name}' in ")), "{shown}");
        }
    }

    #[test]
    fn a_run_is_written_by_one_program_at_a_time() {
        let pid = std::process::id();
        let dir = tempfile::tempdir().unwrap();
        let run = run(dir.path(), 0, Completion::Running);
        let claim = run.claim().unwrap();
        let shown = run.claim().unwrap_err().to_string();
        assert_eq!(
            shown,
            format!(
                "run 20261115T083000Z is still under way in process {pid}; wait for it, or stop it"
            )
        );
        drop(claim);
        run.claim().unwrap();
    }

    #[test]
    fn a_newer_manifest_is_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let run = run(dir.path(), 0, Completion::Running);
        let newer = fs::read_to_string(run.manifest_path()).unwrap();
        let newer = newer.replace("\"manifestVersion\": 1", "\"manifestVersion\": 2");
        fs::write(run.manifest_path(), &newer).unwrap();
        let error = run.write_manifest(&manifest(&run, Completion::Complete)).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 2, known: 1, .. }), "{error}");
        assert_eq!(fs::read_to_string(run.manifest_path()).unwrap(), newer);
        let error = run.manifest().unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 2, known: 1, .. }), "{error}");
    }
}
