//! The loop of a run: probes targets, some at a time, until all are done or it is stopped.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::cost::ProbeTimes;
use super::lanes::Lanes;
use super::starts::{Starts, Waiting};
use super::tasks::{TaskEvent, Tasks};
use super::{ProbeTargetError, ProbedTarget, RunRecorder, StopRequests, probe_target};
use crate::probe::{Probe, ProbeListener, Suite, SuiteName};
use crate::profile::Confirmation;
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
        let mode = self.suite.manner().mode;
        self.suite.select(self.name).filter(|probe| probe.is_asked(mode)).collect()
    }
}

/// Receives the progress of a run. Implemented by what shows progress; it must not block.
pub(crate) trait RunListener: Sync {
    /// A target is about to be probed.
    fn began(&self, target: &Target);
    /// All trials of a probe of a target are over.
    fn asked(&self, target: &Target, probe: &str);
    /// A target was probed, and the result is recorded.
    fn ended(&self, target: &Target, result: &Result<ProbedTarget, ProbeTargetError>);
    /// Nothing more is sent, for this reason; what is under way may end within this time.
    fn stopping(&self, grace: Duration, end: RunEnd);
    /// Suspected regressions of so many targets are about to be sampled again.
    fn sampling_again(&self, targets: usize);
    /// What the samples decided on one suspicion.
    fn confirmed(&self, confirmation: &Confirmation);
}

/// Targets that are to be probed, and how.
pub(crate) struct Campaign<'a> {
    pub(crate) connections: &'a [Connection],
    pub(crate) settings: &'a RunSettings,
    /// How long each of them is thought to take, in any unit; the longest is begun first.
    pub(crate) times: Vec<u64>,
    /// Targets at the same time at one endpoint.
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
    /// Its deadline was reached.
    OutOfTime,
}

/// The result of each target that was probed, by name, in the order they ended.
pub(crate) type Results<T> = Vec<(String, Result<T, ProbeTargetError>)>;

/// The index of a target, and its outcome.
type TaskResult = (usize, Result<ProbedTarget, ProbeTargetError>);

impl Campaign<'_> {
    /// Probes every target until all are done or it is stopped: each in a task of its own, on all cores.
    /// Each result goes to the recorder, where there is one, as soon as it is there; `keep` chooses what of
    /// it stays in memory.
    pub(crate) async fn probe<T>(
        &self,
        mut recorder: Option<&mut RunRecorder>,
        stop: &mut StopRequests,
        keep: impl Fn(ProbedTarget) -> T,
    ) -> Result<(Results<T>, RunEnd), StoreError> {
        let mut results = Vec::new();
        let mut record = |(place, result): TaskResult| -> Result<(), StoreError> {
            let Some(Connection { target, .. }) = self.connections.get(place) else {
                return Ok(());
            };
            if let Some(recorder) = &mut recorder {
                recorder.keep(&target.name, &result)?;
            }
            self.listener.ended(target, &result);
            results.push((target.name.clone(), result.map(&keep)));
            Ok(())
        };
        let settings = Arc::new(self.settings.clone());
        let mut stopped = pin!(stop.drain(self.connections, self.listener));
        let starts = Starts::new(self.waiting(), self.at_once);
        let lanes = if self.connections.len() > 1 { Lanes::open() } else { Lanes::here() };
        let mut tasks = Tasks::new(starts, lanes);
        let (tell, mut heard) = unbounded_channel();
        let end = loop {
            tasks.start(|place| {
                let connection = self.connections.get(place)?.clone();
                self.listener.began(&connection.target);
                Some(visit(place, connection, Arc::clone(&settings), tell.clone()))
            });
            tokio::select! {
                // A run that is to stop does so, however much there is to hear.
                biased;
                end = &mut stopped => break end,
                Some((place, probe)) = heard.recv() => self.tell_asked(place, &probe),
                event = tasks.wait() => match event {
                    TaskEvent::AllOver => break self.end(),
                    TaskEvent::MoreRoom => {}
                    TaskEvent::Ended(visited) => {
                        // What a task told before it ended comes before its end.
                        while let Ok((place, probe)) = heard.try_recv() {
                            self.tell_asked(place, &probe);
                        }
                        record(visited)?;
                    }
                },
            }
        };
        // Whoever was just about to end may still do so.
        for visited in tasks.abort().await {
            record(visited)?;
        }
        Ok((results, end))
    }

    fn waiting(&self) -> Vec<Waiting> {
        let all = self.connections.iter().zip(&self.times).enumerate();
        all.map(|(place, (connection, time))| Waiting {
            place,
            endpoint: connection.endpoint_number,
            time: *time,
        })
        .collect()
    }

    /// How a run ended whose every target came to an end. Where requests were refused, they were cut
    /// short.
    fn end(&self) -> RunEnd {
        if self.connections.iter().any(|it| it.gate.is_refusing()) {
            RunEnd::Interrupted
        } else {
            RunEnd::Finished
        }
    }

    fn tell_asked(&self, place: usize, probe: &str) {
        if let Some(connection) = self.connections.get(place) {
            self.listener.asked(&connection.target, probe);
        }
    }
}

/// Probes one target.
async fn visit(
    place: usize,
    connection: Connection,
    settings: Arc<RunSettings>,
    tell: UnboundedSender<(usize, String)>,
) -> Result<ProbedTarget, ProbeTargetError> {
    let watch = OfTarget { place, tell, times: ProbeTimes::default() };
    let probed = probe_target(&connection, &settings, &watch).await;
    probed.map(|probed| ProbedTarget { probe_ms: watch.times.into_millis(), ..probed })
}

/// Passes on what is heard of one target, and measures how long its probes take.
struct OfTarget {
    place: usize,
    tell: UnboundedSender<(usize, String)>,
    times: ProbeTimes,
}

impl ProbeListener for OfTarget {
    fn began(&self, probe: &str) {
        self.times.begin(probe);
    }

    fn asked(&self, probe: &str) {
        self.times.end(probe);
        // Nobody listens any more when the run is being stopped.
        let _ = self.tell.send((self.place, probe.to_owned()));
    }
}
