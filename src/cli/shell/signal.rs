//! When is the process asked to stop?

use std::future::Future;
use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Ready when the process is asked to stop, by Ctrl-C or by a supervisor.
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
