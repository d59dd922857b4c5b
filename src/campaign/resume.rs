//! Resuming a run: which of its targets need not be asked again.

use std::collections::BTreeMap;

use super::freshness::about;
use crate::profile::Profile;
use crate::store::{Completion, Manifest, RunFolder, RunTarget, StoreError};
use crate::target::{Access, Target, TemplateFileError};

/// A run that goes on: what was asked, and the targets that are done with.
#[derive(Debug)]
pub(crate) struct Resumed {
    /// Its files.
    pub(crate) folder: RunFolder,
    /// What it says of itself.
    pub(crate) manifest: Manifest,
    /// Its profiles, by file name.
    profiles: BTreeMap<String, Profile>,
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResumeError {
    /// Its files cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A chat template that the user names cannot be used.
    #[error(transparent)]
    Template(#[from] TemplateFileError),
    /// It asks models directly and through an adapter, and is not of targets.
    #[error(
        "run {run} is of the adapter at {adapter}; begin it again with `toolprobe gate --adapter`"
    )]
    OfAdapter {
        /// Its id.
        run: String,
        /// The base URL that it asked through.
        adapter: String,
    },
    /// It asked one endpoint, and is not of targets.
    #[error("run {run} is of a single endpoint; ask it again with `toolprobe probe`")]
    OneOff {
        /// Its id.
        run: String,
    },
    /// There is nothing left to ask.
    #[error("run {run} is complete; there is nothing to resume")]
    Complete {
        /// Its id.
        run: String,
    },
    /// Half of it would be asked and judged otherwise than the other half.
    #[error("run {run} was made with {what} {then}, and this is {now}; begin a new run")]
    Changed {
        /// Its id.
        run: String,
        /// What is not as it was.
        what: &'static str,
        /// What it was.
        then: String,
        /// What it is.
        now: String,
    },
}

impl Resumed {
    /// Reads a run that did not come to its end.
    pub(crate) fn read(folder: RunFolder) -> Result<Self, ResumeError> {
        let manifest = folder.manifest()?;
        if let Some(adapter) = manifest.adapter {
            return Err(ResumeError::OfAdapter { run: folder.id().to_string(), adapter });
        }
        if manifest.one_off {
            return Err(ResumeError::OneOff { run: folder.id().to_string() });
        }
        if manifest.completion == Completion::Complete {
            return Err(ResumeError::Complete { run: folder.id().to_string() });
        }
        let profiles = folder.profiles().read_all()?.into_iter().collect();
        let resumed = Self { folder, manifest, profiles };
        let then = resumed.manifest.toolprobe_version.as_str();
        resumed.same("toolprobe", then, env!("CARGO_PKG_VERSION"))?;
        Ok(resumed)
    }

    /// Refuses to go on where something is not as it was.
    pub(crate) fn same(
        &self,
        what: &'static str,
        then: &str,
        now: &str,
    ) -> Result<(), ResumeError> {
        if then == now {
            return Ok(());
        }
        let (run, then, now) = (self.folder.id().to_string(), then.to_owned(), now.to_owned());
        Err(ResumeError::Changed { run, what, then, now })
    }

    /// What the run knows of a target already: an entry and a profile without an open question, about
    /// what the target is today.
    pub(super) fn find_settled(
        &self,
        wanted: &Target,
    ) -> Result<Option<(RunTarget, Profile)>, TemplateFileError> {
        let mut targets = self.manifest.targets.iter();
        let Some(target) = targets.find(|target| target.name == wanted.name) else {
            return Ok(None);
        };
        let (Some(file), None) = (&target.profile, &target.problem) else { return Ok(None) };
        let Some(profile) = self.profiles.get(file) else { return Ok(None) };
        let accesses = &wanted.endpoint.accesses;
        let same = target.extra_body == wanted.extra_body
            && accesses.iter().any(|access| access.thinking == target.thinking)
            && is_of(wanted, profile)?;
        Ok(same.then(|| (target.clone(), profile.clone())))
    }
}

/// Whether a target is asked today as it was then, so that its answers hold.
pub(super) fn is_asked_alike(then: &RunTarget, wanted: &Target) -> bool {
    let subject = |access: &Access| wanted.subject_at(access, None);
    let is_same = |access: &Access| {
        let now = subject(access);
        (&now.provider, &now.model, &now.endpoint)
            == (&then.subject.provider, &then.subject.model, &then.subject.endpoint)
    };
    then.name == wanted.name
        && then.extra_body == wanted.extra_body
        && wanted.endpoint.accesses.iter().any(is_same)
}

/// Whether a profile is about what the target is today.
fn is_of(target: &Target, profile: &Profile) -> Result<bool, TemplateFileError> {
    let speaks = |access: &&Access| access.dialect == profile.dialect;
    let Some(access) = target.endpoint.accesses.iter().find(speaks) else {
        return Ok(target.subject.as_ref() == Some(&profile.subject));
    };
    Ok(about(target, access, profile)? == profile.subject)
}
