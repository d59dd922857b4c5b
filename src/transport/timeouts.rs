//! Timeouts of one attempt: connect, first byte, idle, total.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A wait that has a limit of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Until the connection is open.
    Connect,
    /// From sending until the first byte of the body; a model thinks here.
    FirstByte,
    /// Between two pieces of the body.
    Idle,
    /// The whole attempt.
    Total,
}

impl Phase {
    /// What the user can set to raise the limit.
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Self::Connect => "timeouts.connect in toolprobe.toml",
            Self::FirstByte => "--timeout, or timeouts.first_byte in toolprobe.toml",
            Self::Idle => "timeouts.idle in toolprobe.toml",
            Self::Total => "--timeout, or timeouts.total in toolprobe.toml",
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

/// How long one attempt may take. Waits between attempts are limited by the retry policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection is open.
    pub connect: Duration,
    /// From sending until the first byte of the body.
    pub first_byte: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
    /// The whole attempt.
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
    pub(super) fn of(&self, phase: Phase) -> Duration {
        match phase {
            Phase::Connect => self.connect,
            Phase::FirstByte => self.first_byte,
            Phase::Idle => self.idle,
            Phase::Total => self.total,
        }
    }

    /// What `--timeout` means: the whole attempt, and within it the first byte, may take this long;
    /// the other limits stay as they are but for not being longer.
    #[must_use]
    pub fn with_total(self, total: Duration) -> Self {
        Self {
            connect: self.connect.min(total),
            first_byte: total,
            idle: self.idle.min(total),
            total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_carries_the_first_byte_with_it_and_bounds_the_rest() {
        let timeouts = |total| Timeouts::default().with_total(Duration::from_secs(total));
        let (long, short) = (timeouts(900), timeouts(5));
        assert_eq!(long.first_byte, long.total);
        assert_eq!(long.idle, Timeouts::default().idle);
        assert_eq!(
            (short.connect, short.idle, short.first_byte),
            (short.total, short.total, short.total)
        );
    }
}
