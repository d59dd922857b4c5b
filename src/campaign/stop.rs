//! Stopping: the first request, or the deadline, lets what is under way end within a grace period; the
//! second request does not.
//!
//! A run of many targets abandons the targets that are under way, because it can be resumed. Where there is
//! one target only, it is concluded: what was not asked has no verdict, and the rest has.

use std::future::pending;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::{RunEnd, RunListener};
use crate::target::Connection;
use crate::transport::SendGate;

/// How long targets may take to conclude from what is there, when nothing is asked any more: after the grace
/// period, and after a second request to stop, when a long text may still be read.
const CONCLUSION: Duration = Duration::from_secs(5);
const QUICK_CONCLUSION: Duration = Duration::from_millis(500);

/// How often the process was asked to stop, how long it may take then, and until when it may go on.
#[derive(Debug)]
pub(crate) struct StopRequests {
    count: watch::Receiver<u32>,
    grace: Duration,
    deadline: Option<Instant>,
    ending: Shutdown,
}

/// What becomes of the targets that are under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shutdown {
    Abandoned,
    Concluded,
}

impl StopRequests {
    /// Stops as this counter says.
    pub(crate) fn new(count: watch::Receiver<u32>, grace: Duration) -> Self {
        Self { count, grace, deadline: None, ending: Shutdown::Abandoned }
    }

    /// The same, and the targets under way are concluded with what is known of them.
    #[must_use]
    pub(crate) fn concluding(self) -> Self {
        Self { ending: Shutdown::Concluded, ..self }
    }

    /// The same, and after this time from now on.
    #[must_use]
    pub(crate) fn within(self, time: Option<Duration>) -> Self {
        Self { deadline: time.and_then(|time| Instant::now().checked_add(time)), ..self }
    }

    /// Does something until it is over or everything is to stop: then it gives how that came about.
    pub(crate) async fn unless_stopped<T>(
        &mut self,
        connections: &[Connection],
        listener: &dyn RunListener,
        work: impl Future<Output = T>,
    ) -> Result<T, RunEnd> {
        tokio::select! {
            done = work => Ok(done),
            end = self.drain(connections, listener) => Err(end),
        }
    }

    /// Ready when everything is to stop: some time after the first request or the deadline, or at the
    /// second request. From the first on nothing new is sent. Never ready where nothing asks for it.
    pub(super) async fn drain(
        &mut self,
        connections: &[Connection],
        listener: &dyn RunListener,
    ) -> RunEnd {
        let end = self.first_reason().await;
        let gates: Vec<&SendGate> = connections.iter().map(|it| &it.gate).collect();
        match self.ending {
            Shutdown::Abandoned => gates.iter().for_each(|gate| gate.close()),
            Shutdown::Concluded => gates.iter().for_each(|gate| gate.refuse()),
        }
        if *self.count.borrow() < 2 {
            listener.stopping(self.grace, end);
        }
        match self.ending {
            Shutdown::Abandoned => {
                self.wait(join_all(gates.iter().map(|gate| gate.wait_until_drained()))).await;
            }
            Shutdown::Concluded => {
                // The targets end by themselves, and the run with them.
                self.wait(pending::<()>()).await;
                for gate in &gates {
                    gate.cut();
                }
                let is_pressed = *self.count.borrow() >= 2;
                sleep(if is_pressed { QUICK_CONCLUSION } else { CONCLUSION }).await;
            }
        }
        end
    }

    /// Waits for an end, at most for the grace period and until the second request.
    async fn wait<T>(&mut self, end: impl Future<Output = T>) {
        let end = timeout(self.grace, end);
        tokio::select! {
            _ = end => {}
            () = wait_for_requests(&mut self.count, 2) => {}
        }
    }

    async fn first_reason(&mut self) -> RunEnd {
        let deadline = self.deadline;
        let out_of_time = async {
            match deadline {
                // A timer tells only when the runtime next looks at its clock.
                Some(deadline) if deadline <= Instant::now() => {}
                Some(deadline) => sleep_until(deadline).await,
                None => pending().await,
            }
        };
        tokio::select! {
            () = wait_for_requests(&mut self.count, 1) => RunEnd::Interrupted,
            () = out_of_time => RunEnd::OutOfTime,
        }
    }
}

async fn wait_for_requests(count: &mut watch::Receiver<u32>, times: u32) {
    if count.wait_for(|count| *count >= times).await.is_err() {
        // Nobody is left who could ask.
        pending::<()>().await;
    }
}
