//! How long is each part of an exchange waited for?

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A wait that has a limit of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Until the connection stands.
    Connect,
    /// From sending until the first byte of the body; a model thinks here.
    FirstByte,
    /// Between two pieces of the body.
    Idle,
    /// The whole attempt.
    Total,
}

impl Phase {
    /// The option that raises the limit.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Connect => "--connect-timeout",
            Self::FirstByte => "--first-byte-timeout",
            Self::Idle => "--idle-timeout",
            Self::Total => "--timeout",
        }
    }

    /// What did not happen in time.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Connect => "no connection",
            Self::FirstByte => "no first byte of a reply",
            Self::Idle => "nothing more of the reply",
            Self::Total => "no complete reply",
        }
    }
}

/// The limits of one attempt. Waiting between attempts is the retry policy's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// See [`Phase::Connect`].
    pub connect: Duration,
    /// See [`Phase::FirstByte`].
    pub first_byte: Duration,
    /// See [`Phase::Idle`].
    pub idle: Duration,
    /// See [`Phase::Total`].
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(60),
            total: Duration::from_secs(300),
        }
    }
}

impl Timeouts {
    /// The limit of a phase.
    pub fn of(&self, phase: Phase) -> Duration {
        match phase {
            Phase::Connect => self.connect,
            Phase::FirstByte => self.first_byte,
            Phase::Idle => self.idle,
            Phase::Total => self.total,
        }
    }

    /// These limits with another total, and no other limit beyond it.
    #[must_use]
    pub fn within(self, total: Duration) -> Self {
        Self {
            connect: self.connect.min(total),
            first_byte: self.first_byte.min(total),
            idle: self.idle.min(total),
            total,
        }
    }
}
