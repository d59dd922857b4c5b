//! Stopping: the first request, or the deadline, lets what is under way end within a grace period; the
//! second request does not.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::{RunEnd, RunListener};
use crate::target::Connection;
use crate::transport::SendGate;

/// How often the process was asked to stop, how long it may take then, and until when it may go on.
#[derive(Debug)]
pub(crate) struct StopRequests {
    count: watch::Receiver<u32>,
    grace: Duration,
    deadline: Option<Instant>,
}

impl StopRequests {
    /// Stops as this counter says.
    pub(crate) fn new(count: watch::Receiver<u32>, grace: Duration) -> Self {
        Self { count, grace, deadline: None }
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
        for gate in &gates {
            gate.close();
        }
        if *self.count.borrow() < 2 {
            listener.stopping(self.grace, end);
        }
        let drained = timeout(self.grace, join_all(gates.iter().map(|gate| gate.drained())));
        tokio::select! {
            _ = drained => {}
            () = asked(&mut self.count, 2) => {}
        }
        end
    }

    async fn first_reason(&mut self) -> RunEnd {
        let deadline = self.deadline;
        let out_of_time = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = asked(&mut self.count, 1) => RunEnd::Interrupted,
            () = out_of_time => RunEnd::OutOfTime,
        }
    }
}

async fn asked(count: &mut watch::Receiver<u32>, times: u32) {
    if count.wait_for(|count| *count >= times).await.is_err() {
        // Nobody is left who could ask.
        std::future::pending::<()>().await;
    }
}
