//! Lanes: a runtime of one thread for each core, among which the targets of a run are shared.
//!
//! A target stays on its lane. In one runtime over all cores, a thread without work takes it from another
//! one, so that they wake each other for nearly every request: that takes as much CPU as the request.

use std::io;

use tokio::runtime::{Builder, Handle, Runtime};

use crate::transport::{enter_lane, lanes};

/// Where the targets of a run are probed.
#[derive(Debug)]
pub(crate) struct Lanes(Vec<Lane>);

#[derive(Debug)]
struct Lane {
    handle: Handle,
    /// Targets under way.
    load: usize,
    /// Its own runtime; none where it is that of the caller.
    runtime: Option<Runtime>,
}

impl Lanes {
    /// A lane for each core that this process may use. Where it is one only, that of the caller.
    /// A system that gives no thread leaves that one, too.
    pub(crate) fn open() -> Self {
        match lanes() {
            1 => Self::here(),
            count => (1..=count)
                .map(Lane::start)
                .collect::<io::Result<_>>()
                .map_or_else(|_| Self::here(), Self),
        }
    }

    /// The runtime of the caller alone.
    pub(crate) fn here() -> Self {
        Self(vec![Lane { handle: Handle::current(), load: 0, runtime: None }])
    }

    /// The lane with the fewest targets, for one more.
    pub(super) fn take(&mut self) -> (usize, Handle) {
        let all = self.0.iter_mut().enumerate();
        match all.min_by_key(|(_, lane)| lane.load) {
            Some((number, lane)) => {
                lane.load += 1;
                (number, lane.handle.clone())
            }
            None => (0, Handle::current()),
        }
    }

    /// A target on this lane is over.
    pub(super) fn give_back(&mut self, number: usize) {
        if let Some(lane) = self.0.get_mut(number) {
            lane.load = lane.load.saturating_sub(1);
        }
    }
}

impl Lane {
    /// One worker, and not a runtime for one thread: work that takes long can be left to that worker while
    /// another one goes on (`transport::apart`).
    fn start(number: usize) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .thread_name(format!("lane-{number}"))
            .on_thread_start(move || enter_lane(number))
            .build()?;
        Ok(Self { handle: runtime.handle().clone(), load: 0, runtime: Some(runtime) })
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // It is dropped where nobody may wait for a thread; all its targets are over.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn targets_go_to_the_lane_with_the_fewest_and_stay_on_its_thread() {
        let mut lanes = Lanes((1..=2).map(Lane::start).collect::<io::Result<_>>().unwrap());
        let places: Vec<usize> = (0..4).map(|_| lanes.take().0).collect();
        assert_eq!(places, [0, 1, 0, 1]);
        lanes.give_back(1);
        let (place, runtime) = lanes.take();
        assert_eq!(place, 1);
        let name = || std::thread::current().name().map(str::to_owned);
        let seen = runtime.spawn(async move {
            let first = name();
            tokio::task::yield_now().await;
            [first, name()]
        });
        assert_eq!(seen.await.unwrap(), [Some("lane-2".to_owned()), Some("lane-2".to_owned())]);
    }

    #[tokio::test]
    async fn a_lane_of_the_caller_is_its_own_runtime() {
        let (place, runtime) = Lanes::here().take();
        assert_eq!((place, runtime.id()), (0, Handle::current().id()));
    }
}
