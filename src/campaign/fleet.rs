//! How are many targets probed, some at a time?

use futures_util::{Stream, StreamExt as _, stream};

use super::{ProbedTarget, RunSettings, SessionError, probe_target};
use crate::probe::ProbeListener;
use crate::target::{Connection, Target};

/// Is told how a run gets on. Implemented by whoever shows progress; it must not block. What came of
/// a target is for whoever takes it off the stream to tell, once it is kept.
pub trait RunListener: Sync {
    /// A target's turn has come.
    fn begun(&self, target: &Target);
    /// All trials of a probe of a target are over.
    fn asked(&self, target: &Target, probe: &str);
}

/// Probes these targets, so many at a time, and gives each result as it ends. Dropping the stream
/// stops what is under way.
pub fn visit_all<'a>(
    connections: &'a [Connection],
    settings: &'a RunSettings,
    at_once: usize,
    listener: &'a dyn RunListener,
) -> impl Stream<Item = (&'a Connection, Result<ProbedTarget, SessionError>)> + 'a {
    let visits = connections.iter().map(move |connection| async move {
        listener.begun(&connection.target);
        let watch = OfTarget { target: &connection.target, listener };
        (connection, probe_target(connection, settings, &watch).await)
    });
    stream::iter(visits).buffer_unordered(at_once)
}

/// The listener as the watch of one target.
struct OfTarget<'a> {
    target: &'a Target,
    listener: &'a dyn RunListener,
}

impl ProbeListener for OfTarget<'_> {
    fn asked(&self, probe: &str) {
        self.listener.asked(self.target, probe);
    }
}
