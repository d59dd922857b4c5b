//! Stopping: the first request lets what is under way end within a grace period, the second does not.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::time::timeout;

use super::RunListener;
use crate::target::Connection;
use crate::transport::SendGate;

/// How often the process was asked to stop, and how long it may take then.
#[derive(Debug)]
pub(crate) struct StopRequests {
    count: watch::Receiver<u32>,
    grace: Duration,
}

impl StopRequests {
    /// Stops as this counter says.
    pub(crate) fn new(count: watch::Receiver<u32>, grace: Duration) -> Self {
        Self { count, grace }
    }

    /// Ready when everything is to stop: some time after the first request, or at the second. From the
    /// first on nothing new is sent. Never ready where nobody asks.
    pub(super) async fn drain(&mut self, connections: &[Connection], listener: &dyn RunListener) {
        self.asked(1).await;
        let gates: Vec<&SendGate> = connections.iter().map(|it| &it.gate).collect();
        for gate in &gates {
            gate.close();
        }
        if *self.count.borrow() < 2 {
            listener.stopping(self.grace);
        }
        let drained = timeout(self.grace, join_all(gates.iter().map(|gate| gate.drained())));
        tokio::select! {
            _ = drained => {}
            () = self.asked(2) => {}
        }
    }

    async fn asked(&mut self, times: u32) {
        if self.count.wait_for(|count| *count >= times).await.is_err() {
            // Nobody is left who could ask.
            std::future::pending::<()>().await;
        }
    }
}
