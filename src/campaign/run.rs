//! The loop of a run: probes targets, some at a time, until all are done or it is stopped.

use std::future::Future;
use std::pin::pin;

use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt as _, stream};

use super::{ProbeTargetError, ProbedTarget, RunRecorder, probe_target};
use crate::probe::{Probe, ProbeListener, Suite, SuiteName};
use crate::profile::{Confirmation, Subject};
use crate::store::StoreError;
use crate::target::{Connection, Target};

/// What is asked, and how often.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The probes.
    pub suite: Suite,
    /// Which of them.
    pub name: SuiteName,
    /// Trials of each case.
    pub trials: u32,
    /// Where the values come from.
    pub seed: u64,
    /// When the profiles are made.
    pub verified_at: DateTime<Utc>,
}

impl RunSettings {
    /// The probes that are asked.
    pub fn probes(&self) -> Vec<&Probe> {
        self.suite.select(self.name).collect()
    }
}

/// Hears how a run gets on. Implemented by whoever shows progress; it must not block.
pub(crate) trait RunListener: Sync {
    /// A target is about to be probed.
    fn began(&self, target: &Target);
    /// All trials of a probe of a target are over.
    fn asked(&self, target: &Target, probe: &str);
    /// A target was probed, and the result is recorded.
    fn ended(&self, target: &Target, result: &Result<ProbedTarget, ProbeTargetError>);
    /// Suspected regressions of so many targets are about to be sampled again.
    fn sampling_again(&self, targets: usize);
    /// What the samples decided on one suspicion.
    fn confirmed(&self, subject: &Subject, confirmation: &Confirmation);
}

/// Targets that are to be probed, and how.
pub(crate) struct Campaign<'a> {
    pub(crate) connections: &'a [Connection],
    pub(crate) settings: &'a RunSettings,
    /// Targets at the same time.
    pub(crate) at_once: usize,
    pub(crate) listener: &'a dyn RunListener,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunEnd {
    /// Every target was probed.
    Finished,
    /// The user or a supervisor stopped it.
    Interrupted,
}

/// The result of each target that was probed, by name, in the order they ended.
pub(crate) type Results<T> = Vec<(String, Result<T, ProbeTargetError>)>;

impl Campaign<'_> {
    /// Probes every target until all are done or `stop` is ready. Each result goes to the recorder,
    /// where there is one, as soon as it is there; `keep` chooses what of it stays in memory.
    pub(crate) async fn probe<T>(
        &self,
        mut recorder: Option<&mut RunRecorder>,
        stop: impl Future<Output = ()>,
        keep: impl Fn(ProbedTarget) -> T,
    ) -> Result<(Results<T>, RunEnd), StoreError> {
        let mut results = Vec::new();
        let mut stop = pin!(stop);
        let mut visits = pin!(self.visits());
        loop {
            let visit = tokio::select! {
                () = &mut stop => return Ok((results, RunEnd::Interrupted)),
                visit = visits.next() => visit,
            };
            let Some((target, result)) = visit else { return Ok((results, RunEnd::Finished)) };
            if let Some(recorder) = &mut recorder {
                recorder.keep(&target.name, &result)?;
            }
            self.listener.ended(target, &result);
            results.push((target.name.clone(), result.map(&keep)));
        }
    }

    /// Dropping the stream stops the targets that are being probed.
    fn visits(&self) -> impl Stream<Item = (&Target, Result<ProbedTarget, ProbeTargetError>)> {
        let visits = self.connections.iter().map(async |connection| {
            let target = &connection.target;
            self.listener.began(target);
            let watch = OfTarget { target, listener: self.listener };
            (target, probe_target(connection, self.settings, &watch).await)
        });
        stream::iter(visits).buffer_unordered(self.at_once)
    }
}

/// Passes on what is heard of one target.
struct OfTarget<'a> {
    target: &'a Target,
    listener: &'a dyn RunListener,
}

impl ProbeListener for OfTarget<'_> {
    fn asked(&self, probe: &str) {
        self.listener.asked(self.target, probe);
    }
}
