//! The steps of a session by name, and the trace of what each did.

use super::Caution;

/// A step of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::VariantArray)]
pub enum SessionStep {
    /// Looks for a profile that is kept.
    LoadProfile,
    /// Probes, if the profile is missing or stale.
    Probe,
    /// Chooses the plan, and so how tools are offered and calls are read.
    ChooseAdapter,
    /// Writes the request as the target needs it.
    Encode,
    /// Sends it and waits for the reply.
    Receive,
    /// Reads the calls in the reply.
    Parse,
    /// Holds calls against the original schemas and the tier.
    Validate,
    /// Runs what may run; everything else becomes a structured error.
    Execute,
    /// Writes the results as the target needs them.
    EncodeResult,
    /// Keeps reasoning and calls for the next request.
    PreserveState,
    /// Counts what happened.
    RecordTelemetry,
}

/// What one step did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// The step.
    pub step: SessionStep,
    /// What came of it, in words.
    pub outcome: String,
    /// How careful the session was after it.
    pub caution: Caution,
}

/// What the steps did, and how careful the session is after them.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub(super) visits: Vec<Visit>,
    pub(super) caution: Caution,
}

impl Trace {
    /// A step that went as it should.
    pub(super) fn done(&mut self, step: SessionStep, outcome: impl Into<String>) {
        self.visits.push(Visit { step, outcome: outcome.into(), caution: self.caution });
    }

    /// A step that failed into a state at least as careful as this one.
    pub(super) fn fall(&mut self, step: SessionStep, to: Caution, why: impl Into<String>) {
        self.caution = self.caution.max(to);
        self.done(step, why);
    }
}
