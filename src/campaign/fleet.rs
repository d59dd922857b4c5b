//! How are many targets probed, some at a time?

use futures_util::{Stream, StreamExt as _, stream};

use super::{Plan, Probed, SessionError, probe_target};
use crate::probe::Watch;
use crate::profile::Subject;
use crate::target::{Connection, Target};

/// A target that is to be probed.
#[derive(Clone)]
pub struct Job {
    /// The target.
    pub target: Target,
    /// The line to it.
    pub line: Connection,
    /// What its profile is said to be about, where not the target's own address.
    pub subject: Option<Subject>,
}

/// Is told how a run gets on. Implemented by whoever shows progress; it must not block. What came of
/// a target is for whoever takes it off the stream to tell, once it is kept.
pub trait Overseer: Sync {
    /// A target's turn has come.
    fn begun(&self, target: &Target);
    /// All trials of a probe of a target are over.
    fn asked(&self, target: &Target, probe: &str);
}

/// Probes these targets, so many at a time, and gives what came of each as it ends. Dropping the
/// stream stops what is under way.
pub fn visit_all<'a>(
    jobs: &'a [Job],
    plan: &'a Plan,
    at_once: usize,
    overseer: &'a dyn Overseer,
) -> impl Stream<Item = (&'a Job, Result<Probed, SessionError>)> + 'a {
    let visits = jobs.iter().map(move |job| async move {
        overseer.begun(&job.target);
        let watch = OfTarget { target: &job.target, overseer };
        let result = probe_target(&job.target, &job.line, plan, &watch).await;
        let result = result.map(|probed| match &job.subject {
            Some(subject) => probed.about(subject.clone()),
            None => probed,
        });
        (job, result)
    });
    stream::iter(visits).buffer_unordered(at_once)
}

/// The overseer as the watch of one target.
struct OfTarget<'a> {
    target: &'a Target,
    overseer: &'a dyn Overseer,
}

impl Watch for OfTarget<'_> {
    fn asked(&self, probe: &str) {
        self.overseer.asked(self.target, probe);
    }
}
