//! The exit codes and what they mean.

use std::process::ExitCode;

/// The exit codes of every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to complain about. A finding is not an error.
    Fine,
    /// A regression, a failed gate, or something demanded that is not there.
    Failed,
    /// The command line, the configuration or an input file is wrong.
    Usage,
    /// No verdict: infrastructure, budget, or interrupted.
    Inconclusive,
}

impl Exit {
    /// The exit of two parts together: what failed outweighs what is open, and that what is fine.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let weight = |exit: &Self| match exit {
            Self::Fine => 0,
            Self::Inconclusive => 1,
            Self::Failed => 2,
            Self::Usage => 3,
        };
        std::cmp::max_by_key(self, other, weight)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Inconclusive => 3,
        })
    }
}
