//! Signals: when the process is asked to stop, by Ctrl-C or by a supervisor, and how often.

use std::io;

use tokio::sync::watch;

use crate::campaign::StopRequests;
use crate::cli::args::asking::AskingArgs;
use crate::target::Defaults;

/// Counts how often the process is asked to stop. Listens from the call on.
pub(crate) fn stop_requests(asking: &AskingArgs, defaults: &Defaults) -> io::Result<StopRequests> {
    let mut signals = StopSignals::listen()?;
    let (count, counted) = watch::channel(0);
    tokio::spawn(async move {
        loop {
            signals.next().await;
            count.send_modify(|count| *count += 1);
        }
    });
    Ok(StopRequests::new(counted, asking.grace()).within(asking.deadline(defaults)))
}

/// The signals that ask the process to stop.
#[cfg(unix)]
pub(crate) struct StopSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl StopSignals {
    /// Listens from the call on, not from the first poll.
    pub(crate) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Self { interrupt: signal(interrupt)?, terminate: signal(terminate)? })
    }

    /// Ready when the process is asked to stop.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// The signals that ask the process to stop.
#[cfg(windows)]
pub(crate) struct StopSignals {
    interrupt: tokio::signal::windows::CtrlC,
    close: tokio::signal::windows::CtrlClose,
}

#[cfg(windows)]
impl StopSignals {
    /// Listens from the call on, not from the first poll.
    pub(crate) fn listen() -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_c, ctrl_close};
        Ok(Self { interrupt: ctrl_c()?, close: ctrl_close()? })
    }

    /// Ready when the process is asked to stop.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.close.recv() => {}
        }
    }
}
