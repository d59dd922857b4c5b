//! Tasks: each target in a task of its own on one of the [`Lanes`], started as [`Starts`] says.

use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::lanes::Lanes;
use super::starts::{PATIENCE, Starts};

/// The targets that are under way, and those that wait.
pub(super) struct Tasks<T> {
    starts: Starts,
    lanes: Lanes,
    running: JoinSet<Ended<T>>,
    /// When a target last ended, or was let in because none did.
    quiet_since: Instant,
}

struct Ended<T> {
    place: usize,
    endpoint: usize,
    lane: usize,
    result: T,
}

/// What happened to the tasks.
pub(super) enum TaskEvent<T> {
    /// The target at this place is over, with this result.
    Ended((usize, T)),
    /// Another target may start.
    MoreRoom,
    /// No target is left.
    AllOver,
}

impl<T: Send + 'static> Tasks<T> {
    pub(super) fn new(starts: Starts, lanes: Lanes) -> Self {
        Self { starts, lanes, running: JoinSet::new(), quiet_since: Instant::now() }
    }

    /// Starts every target that may start, with the work that is made for its place.
    pub(super) fn start<W>(&mut self, work: impl Fn(usize) -> Option<W>)
    where
        W: Future<Output = T> + Send + 'static,
    {
        while let Some(target) = self.starts.next() {
            let (place, endpoint) = (target.place, target.endpoint);
            match work(place) {
                Some(work) => {
                    let (lane, runtime) = self.lanes.take();
                    let ended = async move { Ended { place, endpoint, lane, result: work.await } };
                    self.running.spawn_on(ended, &runtime);
                }
                None => self.starts.end(endpoint),
            }
        }
    }

    /// Waits until a target is over or another one may start. Nothing is lost when the wait is given up.
    pub(super) async fn wait(&mut self) -> TaskEvent<T> {
        tokio::select! {
            () = sleep_until(self.quiet_since + PATIENCE), if self.starts.are_crowded_out() => {
                self.quiet_since = Instant::now();
                self.starts.allow_one_more();
                TaskEvent::MoreRoom
            }
            ended = self.running.join_next() => match ended.map(completed) {
                None => TaskEvent::AllOver,
                Some(None) => TaskEvent::MoreRoom,
                Some(Some(Ended { place, endpoint, lane, result })) => {
                    self.quiet_since = Instant::now();
                    self.lanes.give_back(lane);
                    self.starts.end(endpoint);
                    TaskEvent::Ended((place, result))
                }
            },
        }
    }

    /// Stops them all. Gives what was just over.
    pub(super) async fn abort(mut self) -> Vec<(usize, T)> {
        self.running.abort_all();
        let mut over = Vec::new();
        while let Some(ended) = self.running.join_next().await {
            over.extend(completed(ended).map(|ended| (ended.place, ended.result)));
        }
        over
    }
}

/// What a task gave; `None` if it was stopped. A panic goes on here.
fn completed<T>(ended: Result<T, JoinError>) -> Option<T> {
    match ended {
        Ok(ended) => Some(ended),
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => None,
    }
}
