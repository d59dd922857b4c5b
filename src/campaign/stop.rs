//! Stopping: the first request lets what is under way end within a grace period, the second does not.
//!
//! A run of many targets abandons the targets that are under way, because it can be resumed. Where there is
//! one target only, it is concluded: what was not asked has no verdict, and the rest has.

use std::future::pending;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::RunListener;
use crate::target::Connection;
use crate::transport::SendGate;

/// How long targets may take to conclude from what is there, when nothing is asked any more.
const CONCLUSION: Duration = Duration::from_secs(5);

/// How often the process was asked to stop, and how long it may take then.
#[derive(Debug)]
pub(crate) struct StopRequests {
    count: watch::Receiver<u32>,
    grace: Duration,
    ending: Ending,
}

/// What becomes of the targets that are under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Abandoned,
    Concluded,
}

impl StopRequests {
    /// Stops as this counter says.
    pub(crate) fn new(count: watch::Receiver<u32>, grace: Duration) -> Self {
        Self { count, grace, ending: Ending::Abandoned }
    }

    /// The same, and the targets under way are concluded with what is known of them.
    pub(crate) fn concluding(self) -> Self {
        Self { ending: Ending::Concluded, ..self }
    }

    /// Ready when everything is to stop: some time after the first request, or at the second. From the
    /// first on nothing new is sent. Never ready where nobody asks.
    pub(super) async fn drain(&mut self, connections: &[Connection], listener: &dyn RunListener) {
        self.asked(1).await;
        let gates: Vec<&SendGate> = connections.iter().map(|it| &it.gate).collect();
        match self.ending {
            Ending::Abandoned => gates.iter().for_each(|gate| gate.close()),
            Ending::Concluded => gates.iter().for_each(|gate| gate.refuse()),
        }
        if *self.count.borrow() < 2 {
            listener.stopping(self.grace);
        }
        match self.ending {
            Ending::Abandoned => {
                self.wait(join_all(gates.iter().map(|gate| gate.drained()))).await;
            }
            Ending::Concluded => {
                // The targets end by themselves, and the run with them.
                self.wait(pending::<()>()).await;
                gates.iter().for_each(|gate| gate.cut());
                sleep(CONCLUSION).await;
            }
        }
    }

    /// Waits for an end, at most for the grace period and until the second request.
    async fn wait<T>(&mut self, end: impl Future<Output = T>) {
        let end = timeout(self.grace, end);
        tokio::select! {
            _ = end => {}
            () = self.asked(2) => {}
        }
    }

    async fn asked(&mut self, times: u32) {
        if self.count.wait_for(|count| *count >= times).await.is_err() {
            // Nobody is left who could ask.
            pending::<()>().await;
        }
    }
}
